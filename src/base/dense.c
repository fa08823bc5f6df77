/* Dense linear algebra: which build of the loops, and what is made of them.
 * SPDX-License-Identifier: MIT */
#include "base/dense.h"

#include <math.h>
#include <string.h>

#include "base/isa.h"
#include "base/vec.h"

static const dense_table *best(void)
{
    static const dense_table *const all[ISA_COUNT] = {&dense_plain, &dense_v3, &dense_v4};
    return all[isa_level()];
}

double dense_dot(size_t n, const double *x, const double *y) { return best()->dot(n, x, y); }

void dense_add(size_t n, double a, const double *x, double *y) { best()->add(n, a, x, y); }

void dense_turn(size_t n, double c, double s, double *x, double *y) { best()->turn(n, c, s, x, y); }

void dense_times(size_t rows, size_t cols, const double *a, size_t step, const double *x, double *y)
{
    best()->times(rows, cols, a, step, x, y);
}

void dense_across(size_t rows, size_t cols, const double *a, size_t step, const double *x,
                  double *y)
{
    best()->across(rows, cols, a, step, x, y);
}

/* Nothing to multiply: zeros where C begins afresh. */
static void clear(const dense_job *q)
{
    for (size_t i = 0; i < q->m; i++)
        for (size_t j = 0; j < q->n; j++)
            if (q->part == DENSE_ALL || (q->part == DENSE_UPPER ? i <= j : i >= j))
                q->c[i * q->step + j] = 0;
}

void dense_product(const dense_job *job)
{
    if (job->depth)
        best()->product(job);
    else if (job->fresh)
        clear(job);
}

void dense_square(size_t d, size_t count, double by, const double *rows, dense_part part, int fresh,
                  double *c, size_t step)
{
    dense_job job = {.m = d,
                     .n = d,
                     .depth = count,
                     .by = by,
                     .a = {rows, 1, d},
                     .b = {rows, d, 1},
                     .c = c,
                     .step = step,
                     .part = part,
                     .fresh = fresh};
    dense_product(&job);
}

/* ---- Triangles ---------------------------------------------------------------------------------- */

/* Rows of U that are made at a time, before the rest hears of them, and rows of a right side that are solved side by side. */
enum { BAND = 48, BLOCK = 4 * BAND, ABREAST = 64 };

/* Rows of U in a column: by[k] = -u_ki for rows first ... i - 1 */
static void column_above(size_t n, const double *u, size_t first, size_t i, double *by)
{
    for (size_t k = first; k < i; k++) by[k - first] = -u[k * n + i];
}

/* Rows from ... end of U, from what A is less all rows above, of which the first ... are still to come. */
static int make_rows(const dense_table *t, size_t n, size_t first, size_t from, size_t end,
                     double *a)
{
    double by[BAND];
    for (size_t i = from; i < end; i++) {
        double *row = a + i * n + i, root;
        column_above(n, a, first, i, by);
        t->across(i - first, n - i, a + first * n + i, n, by, row);
        root = sqrt(row[0]);
        if (!(row[0] > 0) || isinf(root)) return 1;
        row[0] = root;
        vec_scale(n - i - 1, 1 / root, row + 1);
    }
    return 0;
}

/* Rows first ... end of U: a few of them hear of the rest of the band before. */
static int make_band(const dense_table *t, size_t n, size_t first, size_t end, double *a)
{
    for (size_t i = first; i < end; i += DENSE_FEW) {
        int few = end - i >= DENSE_FEW;
        const double *above = a + first * n + i;
        dense_job job = {.m = DENSE_FEW,
                         .n = n - i,
                         .depth = i - first,
                         .by = -1,
                         .a = {above, 1, n},
                         .b = {above, n, 1},
                         .c = a + i * n + i,
                         .step = n,
                         .part = DENSE_UPPER};
        if (few && i > first) t->few(&job);
        if (make_rows(t, n, few ? i : first, i, few ? i + DENSE_FEW : end, a)) return 1;
    }
    return 0;
}

/* Rows from ... to of A hear of the rows first ... end of U. */
static void update(const dense_table *t, size_t n, size_t first, size_t end, size_t from, size_t to,
                   double *a)
{
    const double *band = a + first * n + from;
    dense_job job = {.m = to - from,
                     .n = n - from,
                     .depth = end - first,
                     .by = -1,
                     .a = {band, 1, n},
                     .b = {band, n, 1},
                     .c = a + from * n + from,
                     .step = n,
                     .part = DENSE_UPPER};
    if (from < to) t->product(&job);
}

/* A band tells the rest of its block, and a block, by longer chains, the rest of A. */
int dense_cholesky(size_t n, double *a)
{
    const dense_table *t = best();
    for (size_t block = 0, last; block < n; block = last) {
        last = n - block < BLOCK ? n : block + BLOCK;
        for (size_t i = block, end; i < last; i = end) {
            end = last - i < BAND ? last : i + BAND;
            if (make_band(t, n, i, end, a)) return 1;
            update(t, n, i, end, end, last, a);
        }
        update(t, n, block, last, last, n, a);
    }
    return 0;
}

void dense_solve_down(size_t n, const double *u, double *b)
{
    const dense_table *t = best();
    for (size_t i = 0; i < n; i++) {
        b[i] *= 1 / u[i * n + i];
        t->add(n - i - 1, -b[i], u + i * n + i + 1, b + i + 1);
    }
}

void dense_solve_up(size_t n, const double *u, double *b)
{
    const dense_table *t = best();
    for (size_t i = n; i-- > 0;)
        b[i] = (b[i] - t->dot(n - i - 1, u + i * n + i + 1, b + i + 1)) * (1 / u[i * n + i]);
}

/* Numbers from ... to - 1 of rows that lie side by side: the first of them are at side, and those still to be taken out. */
static void solve_some(const dense_table *t, size_t n, const double *u, size_t first, size_t from,
                       size_t to, size_t count, double *side)
{
    double by[BAND];
    for (size_t k = from; k < to; k++) {
        double *row = side + (k - first) * count;
        column_above(n, u, first, k, by);
        t->across(k - first, count, side, count, by, row);
        vec_scale(count, 1 / u[k * n + k], row);
    }
}

static void solve_side(const dense_table *t, size_t n, const double *u, size_t first, size_t end,
                       size_t count, double *side)
{
    for (size_t k = first; k < end; k += DENSE_FEW) {
        double *at = side + (k - first) * count;
        dense_job job = {.m = DENSE_FEW,
                         .n = count,
                         .depth = k - first,
                         .by = -1,
                         .a = {u + first * n + k, 1, n},
                         .b = {side, count, 1},
                         .c = at,
                         .step = count};
        int few = end - k >= DENSE_FEW;
        if (few && k > first) t->few(&job);
        if (few)
            solve_some(t, n, u, k, k, k + DENSE_FEW, count, at);
        else
            solve_some(t, n, u, first, k, end, count, side);
    }
}

/* Numbers first ... end of count <= ABREAST rows, turned so that they lie side by side. */
static void solve_band(const dense_table *t, size_t n, const double *u, size_t first, size_t end,
                       size_t count, double *rows)
{
    double side[BAND * ABREAST];
    for (size_t e = 0; e < count; e++)
        for (size_t k = first; k < end; k++) side[(k - first) * count + e] = rows[e * n + k];
    solve_side(t, n, u, first, end, count, side);
    for (size_t e = 0; e < count; e++)
        for (size_t k = first; k < end; k++) rows[e * n + k] = side[(k - first) * count + e];
}

void dense_solve_rows(size_t n, const double *u, size_t count, double *rows)
{
    const dense_table *t = best();
    for (size_t i = 0, end; i < n; i = end) {
        end = n - i < BAND ? n : i + BAND;
        for (size_t e = 0; e < count; e += ABREAST)
            solve_band(t, n, u, i, end, count - e < ABREAST ? count - e : ABREAST, rows + e * n);
        dense_job job = {.m = count,
                         .n = n - end,
                         .depth = end - i,
                         .by = -1,
                         .a = {rows + i, n, 1},
                         .b = {u + i * n + end, n, 1},
                         .c = rows + end,
                         .step = n};
        if (end < n) t->product(&job);
    }
}
