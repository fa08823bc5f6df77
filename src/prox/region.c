/* The set that psi keeps x in, where it is more than a box. region.h says what for.
 * SPDX-License-Identifier: MIT */
#include "prox/region.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "prox/prox.h"
#include "prox/region_parts.h"

static const double roomy = 0.5; /* of a ball's radius is used */

/* ---- From psi ------------------------------------------------------------------------------------- */

/* How many of those that are free come before coordinate j of psi; f: NULL where all are. */
static size_t free_before(const prox_free *f, size_t j)
{
    size_t k = 0;
    if (!f) return j;
    while (k < f->count && f->at[k] < j) k++;
    return k;
}

static size_t count_linear(const zo_block *part, size_t nparts)
{
    size_t m = 0;
    for (size_t k = 0; k < nparts; k++) m += linear_is(&part[k].psi) ? part[k].psi.rows : 0;
    return m;
}

/* Row k of a piece: what is fixed goes to the right side. */
static void put_row(piece *p, size_t k, const linear_row *row, size_t d, size_t from,
                    const prox_free *f)
{
    double *a = p->a + k * p->count, b = row->b, size = fabs(b);
    size_t next = 0;
    for (size_t j = 0; j < d; j++) {
        if (f && (p->from + next >= f->count || f->at[p->from + next] != from + j)) {
            double held = row->a[j] * f->full[from + j];
            b -= held;
            size += fabs(held);
        } else {
            a[next++] = row->a[j];
        }
    }
    p->b[k] = b;
    p->size[k] = size;
    p->equal[k] = row->equal != 0;
}

static zo_status add_rows(region *r, const zo_block *part, size_t nparts, size_t d, size_t from,
                          const prox_free *f, zo_error *err)
{
    piece *p = &r->piece[r->npieces];
    p->kind = POLYHEDRON;
    p->from = free_before(f, from);
    p->count = free_before(f, from + d) - p->from;
    size_t m = count_linear(part, nparts), next = 0;
    if (m == 0 || p->count == 0) return ZO_OK;
    r->npieces++;
    if (!rows_room(p, m)) return out_of_memory(err, "inside: rows", m);
    for (size_t k = 0; k < nparts; k++)
        for (size_t i = 0; linear_is(&part[k].psi) && i < part[k].psi.rows; i++) {
            linear_row row = linear_row_of(&part[k].psi, d, i);
            put_row(p, next++, &row, d, from, f);
        }
    if (rows_settle(p, r->lo + p->from, r->hi + p->from)) return ZO_OK;
    return fail(err, ZO_BAD_ARGUMENT, "inside: the set has no point");
}

static void add_round(region *r, const zo_prox *psi, size_t d, size_t from, const prox_free *f)
{
    piece *p = &r->piece[r->npieces];
    *p = (piece){.kind = family_of(psi), .from = free_before(f, from), .radius = psi->a};
    p->count = free_before(f, from + d) - p->from;
    if (p->count) r->npieces++;
    for (size_t j = p->from; j < p->from + p->count; j++) { /* it says so itself, up to rounding */
        if (p->kind != SIMPLEX) r->lo[j] = -INFINITY;
        r->hi[j] = INFINITY;
    }
}

static zo_status add_pieces(region *r, const zo_prox *psi, size_t d, size_t from,
                            const prox_free *f, zo_error *err)
{
    zo_status status = ZO_OK;
    const zo_block alone = {0, d, *psi};
    switch (family_of(psi)) {
    case SIMPLEX:
    case L1_BALL:
    case L2_BALL: add_round(r, psi, d, from, f); break;
    case AFFINE:
    case POLYHEDRON: return add_rows(r, &alone, 1, d, from, f, err);
    case SUM: return add_rows(r, psi->part, psi->nparts, d, from, f, err);
    case BLOCKS:
        for (size_t k = 0; k < psi->nparts && !status; k++) {
            const zo_block *part = &psi->part[k];
            status = add_pieces(r, &part->psi, part->to - part->from, from + part->from, f, err);
        }
        break;
    case OWN:
        if (!prox_is_of_free(psi))
            return fail(err, ZO_UNSUPPORTED,
                        "inside: psi is a function of your own, whose set is not known");
        f = psi->ctx;
        return add_pieces(r, &psi->part->psi, f->d, 0, f, err);
    default: break;
    }
    return status;
}

static size_t count_pieces(const zo_prox *psi)
{
    size_t count = 1;
    for (size_t k = 0; k < psi->nparts; k++) count += count_pieces(&psi->part[k].psi);
    return count;
}

zo_status region_new(region **out, const zo_prox *psi, size_t d, zo_error *err)
{
    *out = NULL;
    region *r = mem_new(1, sizeof *r);
    if (!r) return out_of_memory(err, "inside", d);
    r->d = d;
    r->piece = mem_new(count_pieces(psi), sizeof *r->piece);
    r->lo = mem_new(5 * d, sizeof *r->lo);
    zo_status status = r->piece && r->lo ? ZO_OK : out_of_memory(err, "inside", d);
    if (!status) {
        r->hi = r->lo + d, r->up = r->hi + d, r->down = r->up + d, r->work = r->down + d;
        prox_bounds(psi, d, r->lo, r->hi);
        status = add_pieces(r, psi, d, 0, NULL, err);
    }
    if (status || r->npieces == 0)
        region_free(r);
    else
        *out = r;
    return status;
}

void region_free(region *r)
{
    if (!r) return;
    for (size_t k = 0; r->piece && k < r->npieces; k++) rows_free(&r->piece[k]);
    mem_free(r->piece);
    mem_free(r->lo);
    mem_free(r);
}

/* ---- Points --------------------------------------------------------------------------------------- */

/* The catalogue's psi of a ball or a simplex. */
static zo_prox round_psi(const piece *p, double radius)
{
    return p->kind == SIMPLEX   ? zo_simplex(radius)
           : p->kind == L1_BALL ? zo_l1_ball(radius)
                                : zo_l2_ball(radius);
}

static int piece_has(const piece *p, const double *x)
{
    if (p->kind == POLYHEDRON) return rows_have(p, x);
    zo_prox psi = round_psi(p, p->radius);
    return prox_value(&psi, p->count, x) == 0;
}

int region_has(const region *r, const double *x)
{
    for (size_t j = 0; j < r->d; j++)
        if (!(x[j] >= r->lo[j] && x[j] <= r->hi[j])) return 0;
    for (size_t k = 0; k < r->npieces; k++)
        if (!piece_has(&r->piece[k], x + r->piece[k].from)) return 0;
    return 1;
}

void region_box(const region *r, double *lo, double *hi)
{
    vec_copy(r->d, r->lo, lo);
    vec_copy(r->d, r->hi, hi);
}

void region_flatten(const region *r, double *p)
{
    for (size_t k = 0; k < r->npieces; k++) {
        const piece *on = &r->piece[k];
        double *v = p + on->from;
        size_t n = on->count;
        for (int twice = 0; twice < 2; twice++) {
            double mean = 0;
            for (size_t j = 0; on->kind == SIMPLEX && j < n; j++) mean += v[j] / (double)n;
            for (size_t j = 0; on->kind == SIMPLEX && j < n; j++) v[j] -= mean;
            for (size_t q = 0; q < on->nnormal; q++) {
                const double *u = on->normal + q * n;
                vec_add(n, -vec_dot(n, u, v), u, v);
            }
        }
    }
}

/* ---- Displacements -------------------------------------------------------------------------------- */

void region_clear(region *r)
{
    vec_zero(2 * r->d, r->up);
    for (size_t k = 0; k < r->npieces; k++) {
        r->piece[k].reach = 0;
        if (r->piece[k].m) vec_zero(r->piece[k].m, r->piece[k].towards);
    }
}

void region_reach(region *r, const double *p, double factor)
{
    for (size_t j = 0; j < r->d; j++) {
        r->up[j] = fmax(r->up[j], factor * p[j]);
        r->down[j] = fmax(r->down[j], -factor * p[j]);
    }
    for (size_t k = 0; k < r->npieces; k++) {
        piece *on = &r->piece[k];
        const double *v = p + on->from;
        double length = on->kind == L2_BALL ? vec_norm(on->count, v) : 0;
        for (size_t j = 0; on->kind == L1_BALL && j < on->count; j++) length += fabs(v[j]);
        on->reach = fmax(on->reach, factor * length);
        for (size_t i = 0; i < on->m; i++)
            on->towards[i] =
                fmax(on->towards[i], factor * vec_dot(on->count, on->a + i * on->count, v));
    }
}

/* The largest s <= 1 that leaves something of a piece. */
static double piece_scale(const region *r, const piece *p)
{
    const double *up = r->up + p->from, *down = r->down + p->from;
    if (p->kind == POLYHEDRON) return rows_scale(p, r->lo + p->from, r->hi + p->from, up, down);
    double reach = p->reach;
    for (size_t j = 0; p->kind == SIMPLEX && j < p->count; j++) reach += down[j];
    return reach > 0 ? fmin(1, roomy * p->radius / reach) : 1;
}

/* Bounds alone: two sides. */
static double box_scale(const region *r)
{
    double s = 1;
    for (size_t j = 0; j < r->d; j++) {
        double needs = r->up[j] + r->down[j];
        if (needs > 0) s = fmin(s, roomy * (r->hi[j] - r->lo[j]) / needs);
    }
    return s;
}

static void round_nearest(region *r, const piece *p, double s, const double *x, double *y)
{
    const double *down = r->down + p->from;
    double radius = p->radius - region_margin(s * p->reach, 0, p->radius);
    if (p->kind == SIMPLEX)
        for (size_t j = 0; j < p->count; j++) {
            double least = region_margin(s * down[j], 0, p->radius);
            radius -= least;
            y[j] = x[j] - least;
        }
    else if (x != y)
        vec_copy(p->count, x, y);
    zo_prox psi = round_psi(p, fmax(radius, 0));
    if (prox_value(&psi, p->count, y) != 0) prox_apply(&psi, p->count, 1, y, y, r->work);
    for (size_t j = 0; p->kind == SIMPLEX && j < p->count; j++)
        y[j] += region_margin(s * down[j], 0, p->radius);
}

double region_inwards(region *r, const double *x, double *y)
{
    double s = box_scale(r);
    for (size_t k = 0; k < r->npieces; k++) s = fmin(s, piece_scale(r, &r->piece[k]));
    for (size_t j = 0; j < r->d; j++) {
        double lo = r->lo[j], hi = r->hi[j];
        y[j] = fmax(fmin(x[j], hi - region_margin(s * r->up[j], lo, hi)),
                    lo + region_margin(s * r->down[j], lo, hi));
    }
    for (size_t k = 0; k < r->npieces; k++) {
        piece *p = &r->piece[k];
        size_t at = p->from;
        if (p->kind != POLYHEDRON)
            round_nearest(r, p, s, x + at, y + at);
        else if (!rows_nearest(p, r->lo + at, r->hi + at, r->up + at, r->down + at, s, x + at,
                               y + at))
            vec_copy(p->count, p->deep, y + at);
    }
    return s;
}

void region_nearest(region *r, const double *x, double *y)
{
    region_clear(r);
    region_inwards(r, x, y);
}
