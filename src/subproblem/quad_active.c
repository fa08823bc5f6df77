/* Systems over some of the coordinates, by Cholesky, and what is computed with them.
 * SPDX-License-Identifier: MIT */
#include "subproblem/quad_active.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/vec.h"
#include "prox/prox.h"

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

/* A number of a sparse factor costs as much in all iterations as so many of a system's order cubed. */
static const double flops_each = 12000;

enum { SIGNS = 4 };
static const double roughly = 1e-2, closely = 1e-7; /* what is left of a residual */

static size_t slice_size(size_t left) { return left < SLICE ? left : SLICE; }

/* ---- Products that are kept ----------------------------------------------------------------------- */

void quad_forget(quad_room *room)
{
    room->kept = 0;
    room->is_outer = 0;
}

/* gram = upper triangle of B B', over all columns */
static void keep_outer(const quad *q, quad_room *room)
{
    if (room->is_outer && room->kept == q->rows) return;
    dense_job job = {.m = q->rows,
                     .n = q->rows,
                     .depth = q->d,
                     .by = 1,
                     .a = {q->col, 1, q->stride, NULL},
                     .b = {q->col, q->stride, 1, NULL},
                     .c = room->gram,
                     .step = q->rows,
                     .part = DENSE_UPPER,
                     .fresh = 1};
    dense_product(&job);
    room->is_outer = 1;
    room->kept = q->rows;
}

/* Columns first ... kept of gram: products of those in held with all before them, and with each other. */
static void fill_places(const quad *q, quad_room *room, size_t first)
{
    dense_job job = {.m = room->kept,
                     .n = room->kept - first,
                     .depth = q->rows,
                     .by = 1,
                     .a = {q->col, q->stride, 1, room->held},
                     .b = {q->col, 1, q->stride, room->held + first},
                     .c = room->gram + first,
                     .step = room->order,
                     .fresh = 1};
    if (first == 0) job.part = DENSE_UPPER;
    dense_product(&job);
}

/* Every active column gets a place, all of them anew where there is no room for more. */
static void keep_inner(const quad *q, quad_room *room, const active_set *a)
{
    size_t missing = 0;
    if (room->is_outer) quad_forget(room);
    if (room->kept == 0)
        for (size_t j = 0; j < q->d; j++) room->place[j] = q->d;
    for (size_t k = 0; k < a->count; k++) missing += room->place[room->active[k]] == q->d;
    if (room->kept + missing > room->order) {
        quad_forget(room);
        for (size_t j = 0; j < q->d; j++) room->place[j] = q->d;
    }
    size_t first = room->kept;
    for (size_t k = 0; k < a->count; k++) {
        size_t j = room->active[k];
        if (room->place[j] < q->d) continue;
        room->held[room->kept] = j;
        room->place[j] = room->kept++;
    }
    if (first < room->kept) fill_places(q, room, first);
}

/* ---- Systems -------------------------------------------------------------------------------------- */

static int bends(const quad_room *room, const active_set *a)
{
    for (size_t k = 0; k < a->count && a->bend; k++)
        if (a->bend[room->active[k]] != 0) return 1;
    return 0;
}

/* s += sum of b_k b_k' over the active columns, each over sqrt(D) when scaled */
static void add_squares(const quad *q, quad_room *room, const active_set *a, int scaled, double *s)
{
    for (size_t k = 0, count; k < a->count; k += count) {
        count = slice_size(a->count - k);
        take_slice(q, room, a, k, count, scaled);
        dense_square(q->rows, count, 1, room->slice, DENSE_UPPER, 0, s, q->rows);
    }
}

/* s -= the same over the columns that are not active. */
static void take_others(const quad *q, quad_room *room, const active_set *a, double *s)
{
    size_t count = 0;
    for (size_t j = 0, k = 0; j <= q->d; j++) {
        if (j < q->d && k < a->count && room->active[k] == j) {
            k++;
            continue;
        }
        if (j < q->d) vec_copy(q->rows, column(q, j), room->slice + count++ * q->rows);
        if (count == SLICE || (j == q->d && count)) {
            dense_square(q->rows, count, -1, room->slice, DENSE_UPPER, 0, s, q->rows);
            count = 0;
        }
    }
}

/* Upper triangle of S. Where D is one number and most columns are active: from all of them less the others. */
static void gather_outer(const quad *q, quad_room *room, const active_set *a)
{
    double *s = room->system;
    size_t numbers = q->rows * q->rows;
    if (q->sparse) {
        vec_zero(numbers, s);
        sparse_outer(q, room, a, s);
    } else if (bends(room, a)) {
        vec_zero(numbers, s);
        add_squares(q, room, a, 1, s);
    } else {
        int most = 3 * a->count >= 2 * q->d;
        if (most) {
            keep_outer(q, room);
            vec_copy(numbers, room->gram, s);
            take_others(q, room, a, s);
        } else {
            vec_zero(numbers, s);
            add_squares(q, room, a, 0, s);
        }
        vec_scale(numbers, 1 / diagonal_part(q), s);
    }
    for (size_t i = 0; i < q->rows; i++) s[i * q->rows + i] += 1;
}

/* Upper triangle of B_A'B_A. */
static void gather_factor(const quad *q, quad_room *room, const active_set *a)
{
    keep_inner(q, room, a);
    for (size_t k = 0; k < a->count; k++) {
        size_t p = room->place[room->active[k]];
        for (size_t e = k; e < a->count; e++) {
            size_t r = room->place[room->active[e]];
            room->system[k * a->count + e] =
                room->gram[p < r ? p * room->order + r : r * room->order + p];
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
    if (q->sparse)
        sparse_inner(q, room, a, s);
    else if (!q->matrix)
        gather_factor(q, room, a);
    for (size_t k = 0; k < count; k++) {
        s[k * count + k] += diagonal_at(q, room, a, k);
        top = fmax(top, s[k * count + k]);
    }
    for (size_t k = 0; k < count; k++) s[k * count + k] += 1e-14 * top;
}

static size_t order_of(const quad *q, active_set *a)
{
    a->outer = !q->matrix && a->count > q->rows && diagonal_part(q) > 0;
    return a->outer ? q->rows : a->count;
}

int active_fits(const quad *q, const quad_room *room, active_set *a)
{
    double order = (double)order_of(q, a);
    if (order > (double)room->order) return 0;
    return !q->sparse ||
           order * order * order < flops_each * (double)(q->sparse->row[q->rows] + q->d);
}

int active_factorize(const quad *q, quad_room *room, active_set *a)
{
    size_t order = order_of(q, a);
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
        column_add(q, room->active[k], b[k], t);
    }
    solve(room, q->rows, t);
    for (size_t k = 0; k < a->count; k++)
        b[k] -= column_dot(q, room->active[k], t) / diagonal_at(q, room, a, k);
}

void quad_inverse(const quad *q, quad_room *room, double *b)
{
    active_set a = {.count = q->d};
    for (size_t j = 0; j < q->d; j++) room->active[j] = j;
    if (!q->matrix && !active_fits(q, room, &a))
        active_iterate(q, room, &a, closely, b);
    else if (active_factorize(q, room, &a))
        active_solve(q, room, &a, b);
}

/* ---- The spread of a sample's gradients in the metric --------------------------------------------- */

/* Sum of squares of S^-1/2 B D^-1 J' and of D^-1/2 J': what is left is the trace. */
static double spread_outer(const quad *q, quad_room *room, const active_set *a, size_t count,
                           const double *j)
{
    double *t = room->across, whole = 0, gone = 0, part = diagonal_part(q);
    assert(count <= SLICE);
    vec_zero(count * q->rows, t);
    for (size_t e = 0; e < count && q->sparse; e++)
        for (size_t k = 0; k < a->count; k++)
            if (j[e * a->count + k] != 0)
                column_add(q, room->active[k], j[e * a->count + k] / part, t + e * q->rows);
    for (size_t k = 0, wide; k < a->count && !q->sparse; k += wide) {
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

/* work = the active columns of J. Of many rows: of SIGNS sums s'J with random signs s, as E (s'J)(..)^-1(s'J)' is the trace, and a
 * few of them tell it. Returns the rows. */
static size_t gather_rows(const quad *q, const quad_room *room, const active_set *a, int by_signs,
                          size_t count, const double *rows, double *work)
{
    const size_t *active = room->active;
    for (size_t e = 0; e < count && !by_signs; e++)
        for (size_t k = 0; k < a->count; k++) work[e * a->count + k] = rows[e * q->d + active[k]];
    if (!by_signs) return count;
    vec_zero(SIGNS * a->count, work);
    for (size_t e = 0; e < count; e++) {
        double sign[SIGNS];
        for (uint64_t p = 0; p < SIGNS; p++)
            sign[p] = rng_uniform(0, FOR_SPREAD, p, e) < 0.5 ? -1 : 1;
        for (size_t k = 0; k < a->count; k++)
            for (size_t p = 0; p < SIGNS; p++)
                work[p * a->count + k] += sign[p] * rows[e * q->d + active[k]];
    }
    return SIGNS;
}

static double spread_by_iterations(const quad *q, quad_room *room, const active_set *a,
                                   size_t count, const double *j)
{
    double total = 0, *b = room->move;
    for (size_t e = 0; e < count; e++) {
        vec_copy(a->count, j + e * a->count, b);
        active_iterate(q, room, a, roughly, b);
        total += vec_dot(a->count, j + e * a->count, b);
    }
    return total;
}

double quad_spread(const quad *q, quad_room *room, const double *z, size_t count,
                   const double *rows, double *work)
{
    active_set a = {0};
    int all = !prox_separable(q->psi);
    for (size_t k = 0; k < q->d; k++)
        if (all || z[k] != 0 || q->x[k] != 0) room->active[a.count++] = k;
    if (a.count == 0) return 0;
    int direct = active_fits(q, room, &a);
    if (direct ? !active_factorize(q, room, &a) : !q->sparse) return NAN;
    int by_signs = !direct || (a.outer && count == SLICE);
    size_t sums = gather_rows(q, room, &a, by_signs, count, rows, work);
    double part = by_signs ? 1.0 / SIGNS : 1;
    if (!direct) return part * spread_by_iterations(q, room, &a, sums, work);
    return part *
           (a.outer ? spread_outer(q, room, &a, sums, work) : spread_inner(room, &a, sums, work));
}

void quad_compliance(const quad *q, quad_room *room, const double *z, size_t count,
                     const double *rows, double *work, double *out)
{
    active_set a = {0};
    int all = !prox_separable(q->psi);
    for (size_t k = 0; k < q->d; k++)
        if (all || z[k] != 0 || q->x[k] != 0) room->active[a.count++] = k;
    vec_zero(count, out);
    if (a.count == 0 || !active_factorize(q, room, &a)) return;
    for (size_t e = 0; e < count; e++)
        for (size_t k = 0; k < a.count; k++)
            work[e * a.count + k] = rows[e * q->d + room->active[k]];
    dense_solve_rows(a.count, room->system, count, work);
    for (size_t e = 0; e < count; e++)
        out[e] = dot(a.count, work + e * a.count, work + e * a.count);
}
