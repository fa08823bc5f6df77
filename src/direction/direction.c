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

/* Room for sets draws of q directions. */
static zo_status reserve(directions *r, int kind, size_t sets, size_t q, size_t d, zo_error *err)
{
    *r = (directions){.kind = kind, .q = q, .d = d};
    int distinct = kind == ZO_AXIS || kind == ZO_ORTHOGONAL;
    if (q < 1 || (distinct && q > d))
        return fail(err, ZO_BAD_ARGUMENT,
                    "directions: %zu is outside [1, %zu], what %zu dimensions have room for", q, d,
                    d);
    r->weight = kind == ZO_AXIS ? (double)d : 1;
    r->length = kind == ZO_AXIS ? 1 : sqrt((double)d);
    r->spread = spread_of(kind, (double)q, (double)d);
    if (kind == ZO_AXIS)
        r->axis = mem_new(sets * q, sizeof *r->axis);
    else
        r->row = q <= SIZE_MAX / sets / d ? mem_new(sets * q * d, sizeof *r->row) : NULL;
    if (!r->axis && !r->row) return out_of_memory(err, "directions", sets * q);
    return ZO_OK;
}

zo_status directions_new(directions *r, int kind, size_t q, size_t d, zo_error *err)
{
    return reserve(r, kind, 1, q, d, err);
}

zo_status directions_pair(directions *first, directions *second, int kind, size_t q, size_t d,
                          zo_error *err)
{
    *second = (directions){0};
    zo_status status = reserve(first, kind, 2, q, d, err);
    if (status) return status;
    *second = *first;
    if (first->axis)
        second->axis += q;
    else
        second->row += q * d;
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

void directions_beyond(const directions *r, const double *h, double *a)
{
    for (size_t j = 0; j < r->q; j++) a[j] -= directions_dot(r, j, h);
}

void directions_combine(const directions *r, const double *a, double *g)
{
    double part = r->weight / (double)r->q;
    size_t j = 0;
    for (; j + 4 <= r->q && r->row; j += 4) {
        double some[4] = {part * a[j], part * a[j + 1], part * a[j + 2], part * a[j + 3]};
        vec_add_four(r->d, some, r->row + j * r->d, g);
    }
    for (; j < r->q; j++) directions_add(r, j, part * a[j], g);
}

void directions_correct(const directions *r, const double *a, int normalize, double *h)
{
    double q = (double)r->q;
    for (size_t j = 0; j < r->q; j++) {
        double part = r->weight / (r->spread * q);
        if (normalize && r->kind == ZO_GAUSSIAN) part = 1 / (directions_square(r, j) + q - 1);
        directions_add(r, j, part * a[j], h);
    }
}
