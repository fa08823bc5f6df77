/* Bounds are kept: whatever is asked by whichever method, no point lies outside of the box of psi; and what is told in
 * its place is right. ZO_LONG=1: 10^6 questions instead of 10^5.
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "settings_of.h"
#include "solve/fence_line.h"
#include "zoprox.h"

enum { MOST = 9 };

/* Components of one index, of several, valleys in two coordinates, a function with a domain; with or without noise. */
typedef struct boxed {
    size_t n, d;
    int kind;
    double noise, lo[MOST], hi[MOST], a[40][MOST], b[40];
    uint64_t calls, outside;
} boxed;

enum { LOGISTIC, SQUARES, VALLEYS, ROOTS, KINDS };

static double part_of(const boxed *t, size_t i, const double *x)
{
    double m = 0, s = 0;
    for (size_t j = 0; j < t->d; j++) m += t->a[i][j] * x[j];
    switch (t->kind) {
    case LOGISTIC: return log1p(exp(-t->b[i] * m));
    case SQUARES:
        for (size_t j = 0; j < t->d; j++)
            s += (1 + (double)((i + j) % 3)) * (x[j] - t->a[i][j]) * (x[j] - t->a[i][j]);
        return s;
    case VALLEYS: {
        double u = x[i % t->d], v = x[(i + 1) % t->d] - u * u;
        return v * v + 0.1 * (u - t->b[i]) * (u - t->b[i]);
    }
    default: /* NaN outside */
        for (size_t j = 0; j < t->d; j++)
            s += (isfinite(t->lo[j]) ? sqrt(x[j] - t->lo[j]) : 0) +
                 0.1 * (x[j] - t->b[i]) * (x[j] - t->b[i]);
        return s;
    }
}

static int value(void *ctx, size_t i, const double *x, double *f)
{
    boxed *t = ctx;
    for (size_t j = 0; j < t->d; j++)
        if (!(x[j] >= t->lo[j] && x[j] <= t->hi[j])) t->outside++;
    double eps;
    rng_normals(5, FOR_CHECK, t->calls++, 0, 1, &eps);
    *f = part_of(t, i, x) + t->noise * eps;
    return 0;
}

static double uniform(uint64_t seed, uint32_t slot)
{
    return rng_uniform(seed, FOR_CHECK, 3, slot);
}

/* Wide, narrow, one-sided, or no bounds at all; starts in the middle, at corners, outside. */
static void make(boxed *t, uint64_t seed, double *x0)
{
    static const size_t sizes[] = {1, 5, 20, 40};
    *t = (boxed){.n = sizes[(seed / 2) % 4], .d = 1 + seed % MOST, .kind = (int)(seed / 3 % KINDS)};
    if (seed % 5 == 4) t->noise = 0.01;
    for (size_t i = 0; i < t->n; i++) {
        rng_normals(seed, FOR_SYNTH, i, 0, t->d, t->a[i]);
        t->b[i] = uniform(seed, (uint32_t)(1000 + i)) < 0.5 ? -1 : 1;
    }
    for (size_t j = 0; j < t->d; j++) {
        uint32_t at = (uint32_t)(10 * j);
        double kind = uniform(seed, at), place = 4 * uniform(seed, at + 1) - 2,
               wide = kind < 0.5 ? 2 * uniform(seed, at + 2) : pow(10, -9 * uniform(seed, at + 2));
        t->lo[j] = kind > 0.9 || (kind > 0.7 && kind < 0.75) ? -INFINITY : place;
        t->hi[j] = kind > 0.9 || (kind > 0.75 && kind < 0.8) ? INFINITY : place + wide;
        double start = uniform(seed, at + 3), low = fmax(t->lo[j], -3), high = fmin(t->hi[j], 3);
        x0[j] = start < 0.3   ? low
                : start < 0.6 ? high
                : start < 0.9 ? 0.5 * (low + high)
                              : place + 5;
    }
}

static uint64_t run_in(boxed *t, const zo_settings *set, const double *x0, double *x)
{
    zo_problem p = {.n = t->n, .d = t->d, .value = value, .ctx = t, .psi = zo_bounds(t->lo, t->hi)};
    zo_control c = zo_no_limits();
    zo_solver *solver;
    zo_report r;
    zo_error e;
    c.max_queries = 1500;
    c.every = 1;
    assert_int_equal(zo_new(&solver, &p, set, &e), ZO_OK);
    assert_int_equal(zo_start(solver, x0, &e), ZO_OK);
    assert_int_equal(zo_run(solver, &c, &r, &e), ZO_OK);
    memcpy(x, zo_point(solver), t->d * sizeof *x);
    zo_free(solver);
    return r.queries + r.watched;
}

static void no_question_leaves(void **state)
{
    (void)state;
    double x0[MOST], x[MOST];
    uint64_t wanted = getenv("ZO_LONG") ? 1000000 : 100000, asked = 0;
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    for (uint64_t seed = 1; asked < wanted; seed++) {
        boxed t;
        zo_settings set = settings_of(rows[seed % count].name);
        make(&t, seed / count * 7 + seed, x0);
        set.kind = (int)(seed / count % 5);
        set.sides = seed / 2 % 3 == 0 ? 2 : seed / 2 % 3 == 1 ? 1 : NAN;
        set.own = seed / 4 % 3 > 0;
        set.seed = seed;
        set.nonfinite = ZO_REJECT;
        if (seed % 7 == 3) set.noise = 0.02;
        asked += run_in(&t, &set, x0, x);
        if (t.outside)
            fail_msg("%s, seed %d: %d coordinates outside in %d calls", set.method, (int)seed,
                     (int)t.outside, (int)t.calls);
        for (size_t j = 0; j < t.d; j++) assert_true(x[j] >= t.lo[j] && x[j] <= t.hi[j]);
    }
}

/* What is told in place of a point outside: exact for parabolas, and where a line is enough for lines. */
static void told_as_if_there(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 2000; k++) {
        double lo[4], hi[4], x[4], p[4], g[4], h[4], row[4];
        int fine = k % 2;
        for (uint32_t j = 0; j < 4; j++) {
            uint32_t at = 64 * k + 16 * j;
            lo[j] = uniform(1, at);
            hi[j] = lo[j] + 0.2 + uniform(1, at + 1);
            double start = uniform(1, at + 2);
            x[j] = start < 0.3 ? lo[j] : start < 0.6 ? hi[j] : lo[j] + start * (hi[j] - lo[j]);
            p[j] = 0.4 * (uniform(1, at + 3) - 0.5);
            g[j] = uniform(1, at + 4) - 0.5;
            h[j] = fine ? 0 : uniform(1, at + 5);
        }
        box b = {4, lo, hi};
        recipe r = k % 3 ? recipe_row(&b, x, p, fine) : recipe_axis(&b, x, 0, p[0], fine);
        double sum = 0, want = 0, axis[4] = {p[0], 0, 0, 0}, *way = k % 3 ? p : axis;
        for (size_t c = 0; c < r.count; c++) {
            recipe_put(&r, c, &b, x, way, row);
            double f = 0;
            for (size_t j = 0; j < 4; j++) {
                assert_true(x[j] + row[j] >= lo[j] && x[j] + row[j] <= hi[j]);
                f += g[j] * row[j] + h[j] * row[j] * row[j];
            }
            sum += r.c[c] * f;
        }
        for (size_t j = 0; j < 4; j++) want += g[j] * way[j] + h[j] * way[j] * way[j];
        assert_true(fabs(sum - want) < 1e-12);
        double all = r.base;
        for (size_t c = 0; c < r.count; c++) all += r.c[c];
        assert_true(fabs(all - 1) < 1e-12);
    }
}

/* The solution has coordinates at both bounds: every method still gets there (those that draw directions and have no memory
 * of the gradient get near). */
static void reaches_the_bounds(void **state)
{
    (void)state;
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t k = 0; k < count; k++) {
        boxed t = {.n = 12, .d = 6, .kind = SQUARES};
        double x[MOST], x0[MOST] = {0}, f = 0, best = 0, centre[MOST] = {0};
        for (size_t j = 0; j < t.d; j++)
            t.lo[j] = j == 5 ? -INFINITY : -0.1, t.hi[j] = j == 4 ? INFINITY : 0.2;
        for (size_t i = 0; i < t.n; i++)
            for (size_t j = 0; j < t.d; j++)
                t.a[i][j] = (j % 2 ? 1 : -1) * (0.5 + 0.1 * (double)(i % 3)) * (j < 4);
        for (size_t j = 0; j < t.d; j++) { /* separable: weights are 1 + (i + j) % 3 */
            double w = 0;
            for (size_t i = 0; i < t.n; i++) {
                double here = 1 + (double)((i + j) % 3);
                w += here;
                centre[j] += here * t.a[i][j];
            }
            centre[j] = fmin(fmax(centre[j] / w, t.lo[j]), t.hi[j]);
        }
        zo_settings set = settings_of(rows[k].name);
        zo_problem p = {
            .n = t.n, .d = t.d, .value = value, .ctx = &t, .psi = zo_bounds(t.lo, t.hi)};
        zo_control c = zo_no_limits();
        zo_solver *solver;
        zo_report r;
        c.max_units = 400;
        assert_int_equal(zo_new(&solver, &p, &set, NULL), ZO_OK);
        assert_int_equal(zo_start(solver, x0, NULL), ZO_OK);
        assert_int_equal(zo_run(solver, &c, &r, NULL), ZO_OK);
        memcpy(x, zo_point(solver), t.d * sizeof *x);
        zo_free(solver);
        assert_int_equal(t.outside, 0);
        for (size_t i = 0; i < t.n; i++) f += part_of(&t, i, x), best += part_of(&t, i, centre);
        int random = !strcmp(set.method, "zpsvrg") || !strcmp(set.method, "zosgd");
        if (!(f - best < (random ? 2 : 1e-6)))
            fail_msg("%s ends at %g above the optimum", rows[k].name, f - best);
    }
}

/* ---- Coordinates that are fixed -------------------------------------------------------------------- */

enum { WIDE = 2 * MOST };

/* Every other one of WIDE coordinates is fixed at 0.1: f of the free ones. */
static int half_fixed(void *ctx, size_t i, const double *x, double *f)
{
    double some[MOST];
    for (size_t j = 0; j < MOST; j++) {
        assert_true(x[2 * j] == 0.1);
        some[j] = x[2 * j + 1];
    }
    return value(ctx, i, some, f);
}

/* What is fixed is not asked: the same questions as of the free coordinates alone, and the same point. */
static void what_is_fixed_is_not_asked(void **state)
{
    (void)state;
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t k = 0; k < count; k++) {
        double start[MOST], x0[WIDE], lo[WIDE], hi[WIDE], x[2][WIDE];
        boxed t;
        uint64_t seed = 8;
        do make(&t, ++seed, start);
        while (t.d != MOST || t.n < 20 || t.kind == ROOTS);
        for (size_t j = 0; j < MOST; j++) {
            x0[2 * j] = 7, lo[2 * j] = hi[2 * j] = 0.1;
            x0[2 * j + 1] = start[j], lo[2 * j + 1] = t.lo[j], hi[2 * j + 1] = t.hi[j];
        }
        zo_settings set = settings_of(rows[k].name);
        zo_report r[2];
        for (int all = 0; all < 2; all++) {
            zo_problem p = {.n = t.n, .d = MOST, .value = value, .ctx = &t};
            p.psi = zo_bounds(t.lo, t.hi);
            if (all) p.d = WIDE, p.value = half_fixed, p.psi = zo_bounds(lo, hi);
            zo_control c = zo_no_limits();
            zo_solver *solver;
            c.max_units = 30;
            t.calls = 0;
            assert_int_equal(zo_new(&solver, &p, &set, NULL), ZO_OK);
            assert_int_equal(zo_start(solver, all ? x0 : start, NULL), ZO_OK);
            assert_int_equal(zo_run(solver, &c, &r[all], NULL), ZO_OK);
            memcpy(x[all], zo_point(solver), p.d * sizeof(double));
            zo_free(solver);
        }
        assert_int_equal(r[0].queries, r[1].queries);
        assert_true(r[0].units == r[1].units && r[0].steps == r[1].steps);
        for (size_t j = 0; j < MOST; j++)
            assert_true(x[1][2 * j] == 0.1 && x[1][2 * j + 1] == x[0][j]);
    }
}

/* Nothing is free: F is known, and that is all. */
static void everything_is_fixed(void **state)
{
    (void)state;
    boxed t = {.n = 5, .d = 3, .kind = SQUARES, .lo = {1, 2, 3}, .hi = {1, 2, 3}};
    zo_problem p = {.n = 5, .d = 3, .value = value, .ctx = &t, .psi = zo_bounds(t.lo, t.hi)};
    zo_settings set = zo_defaults();
    zo_control c = zo_no_limits();
    zo_solver *solver;
    zo_report r;
    assert_int_equal(zo_new(&solver, &p, &set, NULL), ZO_OK);
    assert_int_equal(zo_start(solver, NULL, NULL), ZO_OK);
    assert_int_equal(zo_run(solver, &c, &r, NULL), ZO_OK);
    assert_int_equal(r.reason, ZO_AT_END);
    assert_int_equal(t.calls, 5);
    assert_true(zo_point(solver)[1] == 2 && zo_best(solver)[2] == 3 && isfinite(r.objective));
    zo_free(solver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told_as_if_there), cmocka_unit_test(no_question_leaves),
        cmocka_unit_test(reaches_the_bounds), cmocka_unit_test(what_is_fixed_is_not_asked),
        cmocka_unit_test(everything_is_fixed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
