/* Dense linear algebra: which build of the loops, and what is made of them.
 * SPDX-License-Identifier: MIT */
#include "base/dense.h"

#include <math.h>
#include <string.h>

#include "base/isa.h"

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

enum { BAND = 48 }; /* rows of U that are made at a time, before the rest of A hears of them */

/* Rows first ... end of U, from what A is less all rows above. */
static int make_band(const dense_table *t, size_t n, size_t first, size_t end, double *a)
{
    for (size_t i = first; i < end; i++) {
        double *row = a + i * n, root = sqrt(row[i]);
        if (!(row[i] > 0) || isinf(root)) return 1;
        double by = 1 / root;
        row[i] = root;
        for (size_t j = i + 1; j < n; j++) row[j] *= by;
        for (size_t k = i + 1; k < end; k++) t->add(n - k, -row[k], row + k, a + k * n + k);
    }
    return 0;
}

int dense_cholesky(size_t n, double *a)
{
    const dense_table *t = best();
    for (size_t i = 0, end; i < n; i = end) {
        end = n - i < BAND ? n : i + BAND;
        if (make_band(t, n, i, end, a)) return 1;
        const double *band = a + i * n + end;
        dense_job job = {.m = n - end,
                         .n = n - end,
                         .depth = end - i,
                         .by = -1,
                         .a = {band, 1, n},
                         .b = {band, n, 1},
                         .c = a + end * n + end,
                         .step = n,
                         .part = DENSE_UPPER};
        if (end < n) t->product(&job);
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

void dense_solve_rows(size_t n, const double *u, size_t count, double *rows)
{
    const dense_table *t = best();
    for (size_t i = 0, end; i < n; i = end) {
        end = n - i < BAND ? n : i + BAND;
        for (size_t e = 0; e < count; e++) {
            double *b = rows + e * n;
            for (size_t k = i; k < end; k++) {
                b[k] *= 1 / u[k * n + k];
                t->add(end - k - 1, -b[k], u + k * n + k + 1, b + k + 1);
            }
        }
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
