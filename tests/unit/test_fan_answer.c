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

#include "method/core/method.h"
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

static void same_bytes(int own, int each, int known, size_t nbase, int turned)
{
    static question q;
    static double want[NCOMP * MOST], got[NCOMP * MOST];
    static const double radii[D + NDIR] = {1e-3, -1e-3, 2e-3, -5e-2, 1e-3, -1e-2, 3e-3, 1e-1};
    fill(&q, own, each, known, nbase);
    if (turned) q.fan.radii = radii;
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

/* Every direction has its radius: the points, and the slopes that are read. */
static void a_radius_for_each(void **state)
{
    (void)state;
    static question q;
    double x[MOST * D], out[MOST], slope[D + NDIR], radii[D + NDIR];
    for (size_t k = 0; k < D + NDIR; k++) radii[k] = (k % 2 ? -1e-6 : 1e-6) * (double)(1 + k);
    for (int sides = 1; sides <= 2; sides++) {
        fill(&q, 0, 0, 0, 2);
        q.fan.radii = radii;
        q.fan.sides = sides;
        q.fan.ncomp = 1;
        zo_fan_fill(&q.fan, 0, x);
        by_callback((zo_problem){.value = value}, &q.fan, out);
        size_t per = zo_fan_set(&q.fan) / 2;
        read_slopes(&q.fan, out, 1, 1, D + NDIR - 1, slope);
        for (size_t k = 0; k < D + NDIR; k++) {
            const double *u = k < D ? NULL : q.dir + (k - D) * D;
            double *p = x + (per + 1 + k * (size_t)sides) * D, f[2];
            assert_true(zo_fan_radius(&q.fan, k) == radii[k]);
            for (size_t j = 0; j < D; j++)
                assert_true(p[j] == q.x[1][j] + radii[k] * (u ? u[j] : j == k));
            double want[D], far = 1e-5; /* a central difference along the same u */
            for (int s = 0; s < 2; s++) {
                for (size_t j = 0; j < D; j++)
                    want[j] = q.x[1][j] + (s ? -far : far) * (u ? u[j] : j == k);
                value(NULL, q.comp[0], want, &f[s]);
            }
            double exact = (f[0] - f[1]) / (2 * far);
            assert_true(fabs(quotient(&q.fan, out, 1, k) - exact) < 1e-4);
            if (k) assert_true(slope[k - 1] == quotient(&q.fan, out, 1, k));
        }
    }
}

static void five_ways(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        int own = k % 3 == 2, each = k % 3 > 0;
        for (int turned = 0; turned < 2; turned++)
            same_bytes(own, each, k / 3 % 2, k / 6 % 2 ? 2 : 1, turned);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(five_ways),
                                       cmocka_unit_test(a_radius_for_each)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
