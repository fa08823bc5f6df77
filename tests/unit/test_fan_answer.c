/* One fan, five ways to its answers: a value at a time, many at once, those by
 * component, row by row, and values told by hand.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "problem/problem.h"

enum { N = 700, D = 5, NDIR = 3, NCOMP = 450, MOST = 2 * (1 + 2 * (D + NDIR)) };

static int value(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    double m = 0;
    for (size_t j = 0; j < D; j++) m += sin((double)((i + 1) * (j + 2))) * x[j];
    *f = log1p(exp(m)) * (1 + (double)(i % 3));
    return 0;
}

static int values(void *ctx, size_t npoints, const double *x, size_t ncomp, const uint64_t *comp,
                  double *f)
{
    for (size_t p = 0; p < npoints; p++)
        for (size_t k = 0; k < ncomp; k++) value(ctx, comp[k], x + p * D, &f[p * ncomp + k]);
    return 0;
}

static int rows(void *ctx, size_t npoints, const double *x, size_t ncomp, const uint64_t *comp,
                double *f)
{
    for (size_t p = 0; p < npoints; p++)
        for (size_t k = 0; k < ncomp; k++) value(ctx, comp[k], x + p * D, &f[k * npoints + p]);
    return 0;
}

static int pairs(void *ctx, size_t count, const double *x, const uint64_t *comp, double *f)
{
    int *calls = ctx;
    (*calls)++;
    for (size_t k = 0; k < count; k++) value(NULL, comp[k], x + k * D, &f[k]);
    return 0;
}

typedef struct question {
    zo_fan fan;
    double x[2][D], dir[NCOMP * NDIR * D];
    uint64_t comp[NCOMP];
} question;

static void fill(question *q, int own, int each, int known, size_t nbase)
{
    for (size_t j = 0; j < 2 * D; j++) q->x[j / D][j % D] = cos((double)j);
    for (size_t j = 0; j < NCOMP * NDIR * D; j++) q->dir[j] = sin(3.0 * (double)j);
    for (size_t k = 0; k < NCOMP; k++) q->comp[k] = (k * 577 + 13) % N;
    q->fan = (zo_fan){.n = N,
                      .d = D,
                      .nbase = nbase,
                      .base = {q->x[0], q->x[1]},
                      .naxis = D,
                      .ndir = NDIR,
                      .dir = q->dir,
                      .own = own,
                      .radius = 1e-3,
                      .sides = 2,
                      .known = known,
                      .ncomp = NCOMP,
                      .comp = q->comp,
                      .each = each};
}

static void by_callback(zo_problem p, const zo_fan *fan, double *out)
{
    callback *c;
    p.n = N;
    p.d = D;
    assert_int_equal(callback_new(&c, &p, NULL), ZO_OK);
    assert_int_equal(callback_answer(c, fan, out), 0);
    callback_free(c);
}

static void by_hand(const zo_fan *fan, double *out)
{
    size_t points = zo_fan_points(fan);
    double *table = malloc(NCOMP * points * sizeof *table), x[MOST * D];
    assert_non_null(table);
    for (size_t e = 0; e < NCOMP; e++) {
        zo_fan_fill(fan, e, x);
        for (size_t p = 0; p < points; p++)
            value(NULL, fan->comp[e], x + p * D, &table[e * points + p]);
    }
    assert_int_equal(zo_fan_answer(fan, table, out, NULL), ZO_OK);
    free(table);
}

static void same_bytes(int own, int each, int known, size_t nbase)
{
    static question q;
    static double want[NCOMP * MOST], got[NCOMP * MOST];
    fill(&q, own, each, known, nbase);
    size_t bytes = zo_fan_answers(&q.fan) * sizeof *want;
    int calls = 0;
    by_callback((zo_problem){.value = value}, &q.fan, want);
    by_callback((zo_problem){.values = values}, &q.fan, got);
    assert_memory_equal(want, got, bytes);
    memset(got, 0, bytes);
    by_callback((zo_problem){.values = rows, .by_component = 1}, &q.fan, got);
    assert_memory_equal(want, got, bytes);
    memset(got, 0, bytes);
    by_callback((zo_problem){.values = values, .pairs = pairs, .ctx = &calls}, &q.fan, got);
    assert_memory_equal(want, got, bytes);
    assert_int_equal(calls, own); /* one call for all components */
    memset(got, 0, bytes);
    by_hand(&q.fan, got);
    assert_memory_equal(want, got, bytes);
}

static void five_ways(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        int own = k % 3 == 2, each = k % 3 > 0;
        same_bytes(own, each, k / 3 % 2, k / 6 % 2 ? 2 : 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(five_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
