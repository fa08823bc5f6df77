/* Systems over some of the coordinates, by Cholesky, and what is computed with them.
 * SPDX-License-Identifier: MIT */
#include "subproblem/quad_active.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "prox/prox.h"

static double diagonal_at(const quad *q, const quad_room *room, const active_set *a, size_t k)
{
    return diagonal_part(q) + (a->bend ? a->bend[room->active[k]] : 0);
}

/* Columns first ... first + count of the active ones, each times 1/sqrt(D) when scaled. */
static void take_slice(const quad *q, quad_room *room, const active_set *a, size_t first,
                       size_t count, int scaled)
{
    for (size_t k = 0; k < count; k++) {
        double *to = room->slice + k * q->rows;
        vec_copy(q->rows, column(q, room->active[first + k]), to);
        if (scaled) vec_scale(q->rows, 1 / sqrt(diagonal_at(q, room, a, first + k)), to);
    }
}

static size_t slice_size(size_t left) { return left < SLICE ? left : SLICE; }

/* Upper triangle of S. */
static void gather_outer(const quad *q, quad_room *room, const active_set *a)
{
    double *s = room->system;
    vec_zero(q->rows * q->rows, s);
    for (size_t k = 0, count; k < a->count; k += count) {
        count = slice_size(a->count - k);
        take_slice(q, room, a, k, count, 1);
        dense_square(q->rows, count, 1, room->slice, DENSE_UPPER, 0, s, q->rows);
    }
    for (size_t i = 0; i < q->rows; i++) s[i * q->rows + i] += 1;
}

/* Upper triangle of B_A'B_A, slice against slice. */
static void gather_factor(const quad *q, quad_room *room, const active_set *a)
{
    for (size_t k = 0, wide; k < a->count; k += wide) {
        wide = slice_size(a->count - k);
        take_slice(q, room, a, k, wide, 0);
        memcpy(room->across, room->slice, wide * q->rows * sizeof(double));
        for (size_t e = k, tall; e < a->count; e += tall) {
            tall = slice_size(a->count - e);
            take_slice(q, room, a, e, tall, 0);
            dense_job job = {.m = wide,
                             .n = tall,
                             .depth = q->rows,
                             .by = 1,
                             .a = {room->across, q->rows, 1},
                             .b = {room->slice, 1, q->rows},
                             .c = room->system + k * a->count + e,
                             .step = a->count,
                             .fresh = 1};
            dense_product(&job);
        }
    }
}

static void gather_inner(const quad *q, quad_room *room, const active_set *a)
{
    double *s = room->system, top = 0;
    size_t count = a->count;
    for (size_t k = 0; k < count && q->matrix; k++)
        for (size_t e = k; e < count; e++)
            s[k * count + e] = q->matrix[room->active[k] * q->d + room->active[e]];
    if (!q->matrix) gather_factor(q, room, a);
    for (size_t k = 0; k < count; k++) {
        s[k * count + k] += diagonal_at(q, room, a, k);
        top = fmax(top, s[k * count + k]);
    }
    for (size_t k = 0; k < count; k++) s[k * count + k] += 1e-14 * top;
}

int active_factorize(const quad *q, quad_room *room, active_set *a)
{
    a->outer = !q->matrix && a->count > q->rows && diagonal_part(q) > 0;
    size_t order = a->outer ? q->rows : a->count;
    if (a->count == 0 || order > room->order) return 0;
    if (a->outer)
        gather_outer(q, room, a);
    else
        gather_inner(q, room, a);
    return !dense_cholesky(order, room->system);
}

static void solve(const quad_room *room, size_t order, double *b)
{
    dense_solve_down(order, room->system, b);
    dense_solve_up(order, room->system, b);
}

void active_solve(const quad *q, quad_room *room, const active_set *a, double *b)
{
    if (!a->outer) {
        solve(room, a->count, b);
        return;
    }
    double *t = room->inner;
    vec_zero(q->rows, t);
    for (size_t k = 0; k < a->count; k++) {
        b[k] /= diagonal_at(q, room, a, k);
        add(q->rows, b[k], column(q, room->active[k]), t);
    }
    solve(room, q->rows, t);
    for (size_t k = 0; k < a->count; k++)
        b[k] -= dot(q->rows, column(q, room->active[k]), t) / diagonal_at(q, room, a, k);
}

void quad_inverse(const quad *q, quad_room *room, double *b)
{
    active_set a = {.count = q->d};
    for (size_t j = 0; j < q->d; j++) room->active[j] = j;
    if (active_factorize(q, room, &a)) active_solve(q, room, &a, b);
}

/* ---- The spread of a sample's gradients in the metric --------------------------------------------- */

/* Sum of squares of S^-1/2 B D^-1 J' and of D^-1/2 J': what is left is the trace. */
static double spread_outer(const quad *q, quad_room *room, const active_set *a, size_t count,
                           const double *j)
{
    double *t = room->across, whole = 0, gone = 0, part = diagonal_part(q);
    assert(count <= SLICE);
    vec_zero(count * q->rows, t);
    for (size_t k = 0, wide; k < a->count; k += wide) {
        wide = slice_size(a->count - k);
        take_slice(q, room, a, k, wide, 0);
        dense_job job = {.m = count,
                         .n = q->rows,
                         .depth = wide,
                         .by = 1 / part,
                         .a = {j + k, a->count, 1},
                         .b = {room->slice, q->rows, 1},
                         .c = t,
                         .step = q->rows};
        dense_product(&job);
    }
    dense_solve_rows(q->rows, room->system, count, t);
    for (size_t e = 0; e < count; e++) {
        whole += dot(a->count, j + e * a->count, j + e * a->count) / part;
        gone += dot(q->rows, t + e * q->rows, t + e * q->rows);
    }
    return fmax(whole - gone, 0);
}

static double spread_inner(quad_room *room, const active_set *a, size_t count, double *j)
{
    double s = 0;
    dense_solve_rows(a->count, room->system, count, j);
    for (size_t e = 0; e < count; e++) s += dot(a->count, j + e * a->count, j + e * a->count);
    return s;
}

double quad_spread(const quad *q, quad_room *room, const double *z, size_t count,
                   const double *rows, double *work)
{
    active_set a = {0};
    int all = !prox_separable(q->psi);
    for (size_t k = 0; k < q->d; k++)
        if (all || z[k] != 0 || q->x[k] != 0) room->active[a.count++] = k;
    if (a.count == 0) return 0;
    double s = NAN;
    if (active_factorize(q, room, &a)) {
        for (size_t e = 0; e < count; e++)
            for (size_t k = 0; k < a.count; k++)
                work[e * a.count + k] = rows[e * q->d + room->active[k]];
        s = a.outer ? spread_outer(q, room, &a, count, work) : spread_inner(room, &a, count, work);
    }
    return s;
}
