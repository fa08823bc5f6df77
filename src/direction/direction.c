/* Random directions, drawn in place from a counter.
 * SPDX-License-Identifier: MIT */
#include "direction/direction.h"

#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"

static double spread_of(int kind, double q, double d)
{
    switch (kind) {
    case ZO_GAUSSIAN: return (d + q + 1) / q;
    case ZO_SPHERE:
    case ZO_RADEMACHER: return (d + q - 1) / q;
    default: return d / q;
    }
}

zo_status directions_new(directions *r, int kind, size_t q, size_t d, zo_error *err)
{
    *r = (directions){.kind = kind, .q = q, .d = d};
    int distinct = kind == ZO_AXIS || kind == ZO_ORTHOGONAL;
    if (q < 1 || (distinct && q > d))
        return fail(err, ZO_BAD_ARGUMENT, "directions: %zu is outside [1, %zu], what %zu dimensions have room for", q, d, d);
    r->weight = kind == ZO_AXIS ? (double)d : 1;
    r->spread = spread_of(kind, (double)q, (double)d);
    if (kind == ZO_AXIS)
        r->axis = mem_new(q, sizeof *r->axis);
    else
        r->row = q <= SIZE_MAX / d ? mem_new(q * d, sizeof *r->row) : NULL;
    if (!r->axis && !r->row) return out_of_memory(err, "directions", q);
    return ZO_OK;
}

void directions_free(directions *r)
{
    mem_free(r->axis);
    mem_free(r->row);
    r->axis = NULL;
    r->row = NULL;
}

/* Gram-Schmidt, twice for orthogonality to rounding; rows get length sqrt(d). */
static void orthogonalize(directions *r)
{
    for (size_t j = 0; j < r->q; j++) {
        double *u = r->row + j * r->d;
        for (int pass = 0; pass < 2; pass++)
            for (size_t k = 0; k < j; k++) {
                const double *v = r->row + k * r->d;
                vec_add(r->d, -vec_dot(r->d, u, v) / (double)r->d, v, u);
            }
        vec_scale(r->d, sqrt((double)r->d) / vec_norm(r->d, u), u);
    }
}

void directions_draw(directions *r, uint64_t seed, enum purpose purpose, uint64_t step)
{
    if (r->kind == ZO_AXIS) {
        rng_distinct(seed, purpose, step, (uint32_t)r->d, r->q, r->axis);
        return;
    }
    for (size_t j = 0; j < r->q; j++) {
        double *u = r->row + j * r->d;
        if (r->kind == ZO_RADEMACHER)
            rng_signs(seed, purpose, step, (uint32_t)j, r->d, u);
        else
            rng_normals(seed, purpose, step, (uint32_t)j, r->d, u);
        if (r->kind == ZO_SPHERE) vec_scale(r->d, sqrt((double)r->d) / vec_norm(r->d, u), u);
    }
    if (r->kind == ZO_ORTHOGONAL) orthogonalize(r);
}

void directions_ask(const directions *r, zo_fan *fan)
{
    int axes = r->kind == ZO_AXIS;
    fan->naxis = axes ? r->q : 0;
    fan->axis = r->axis;
    fan->ndir = axes ? 0 : r->q;
    fan->dir = r->row;
}

double directions_dot(const directions *r, size_t j, const double *x)
{
    return r->axis ? x[r->axis[j]] : vec_dot(r->d, r->row + j * r->d, x);
}

void directions_add(const directions *r, size_t j, double a, double *x)
{
    if (r->axis)
        x[r->axis[j]] += a;
    else
        vec_add(r->d, a, r->row + j * r->d, x);
}

double directions_square(const directions *r, size_t j)
{
    return r->axis ? 1 : vec_dot(r->d, r->row + j * r->d, r->row + j * r->d);
}
