/* Proximal maps against known answers, optimality certificates and slow obvious algorithms.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/isa.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/vec.h"
#include "prox/prox.h"

enum { SEED = 11 };

static void apply(zo_prox psi, size_t d, double t, const double *v, double *x)
{
    double *work = mem_new(prox_work(&psi, d), sizeof *work);
    assert_non_null(work);
    prox_apply(&psi, d, t, v, x, work);
    mem_free(work);
}

static void check_near(const char *what, size_t d, const double *x, const double *expected,
                       double tolerance)
{
    for (size_t j = 0; j < d; j++)
        if (!(fabs(x[j] - expected[j]) <= tolerance))
            fail_msg("%s: x[%zu] is %.17g, not %.17g", what, j, x[j], expected[j]);
}

/* Worked out by hand; t = 1/2. */
static void small_answers(void **state)
{
    (void)state;
    static const double w[] = {0, 2, 4, 2}, lo[] = {0, -1, -9, -INFINITY}, hi[] = {1, 1, -2, 0};
    static const struct {
        double v[4], x[4];
    } t[] = {
        {{3, -1, 0.25, 0}, {2, 0, 0, 0}},     /* l1, a = 2 */
        {{3, -1, 3, -0.5}, {3, 0, 1, 0}},     /* weighted l1, a = 1 */
        {{3, 4, 0, 0}, {1.5, 2, 0, 0}},       /* l2, a = 5 */
        {{3, -1, 0, 8}, {1.5, -0.5, 0, 4}},   /* squared l2, a = 2 */
        {{3, -1, 0.25, 9}, {1, 0, 0, 4}},     /* elastic net, a = b = 2 */
        {{3, -1, 0.25, 9}, {3, 0, 0.25, 9}},  /* nonnegative */
        {{3, -3, 0.25, 1}, {1, -2, 0.25, 1}}, /* box -2, 1 */
        {{3, -3, 0.25, 1}, {1, -1, -2, 0}},   /* bounds */
        {{3, -1, 0.5, 1}, {2, 0, 0, 0}},      /* l1 ball 2 */
        {{3, -4, 0, 0}, {0.6, -0.8, 0, 0}},   /* l2 ball 1 */
        {{0.5, 1.5, -9, 0.5}, {0, 1, 0, 0}},  /* simplex 1 */
        {{3, -2, 1, 0}, {2, -2, 1, 0}},       /* linf, a = 2 */
        {{3, 4, 0.5, 0.5}, {2.4, 3.2, 0, 0}}, /* group lasso of 2, a = sqrt(2): t a sqrt(2) = 1 */
        {{4, -5, 0.5, 1}, {2.4, -3.2, 0, 0}}, /* sparse group lasso of 2, a = 2, b = sqrt(2) */
        {{1, 1, 5, 5}, {1.5, 1.5, 4.5, 4.5}}, /* tv, a = 2 */
        {{4, 0, 0, 0.5}, {3, 0, 0, 0}},       /* nuclear 2x2, a = 2 */
        {{1, 1, 1, 1}, {0.5, 0.5, 0.5, 0.5}}, /* nuclear 2x2, a = 2: the one singular value is 2 */
        {{7, 8, 3, -1}, {7, 8, 2, 0}},        /* l1, a = 2, on 2:4 alone */
    };
    zo_block tail = {2, 4, zo_l1(2)};
    zo_prox psi[] = {zo_l1(2),
                     zo_weighted_l1(1, w),
                     zo_l2(5),
                     zo_squared_l2(2),
                     zo_elastic_net(2, 2),
                     zo_nonnegative(),
                     zo_box(-2, 1),
                     zo_bounds(lo, hi),
                     zo_l1_ball(2),
                     zo_l2_ball(1),
                     zo_simplex(1),
                     zo_linf(2),
                     zo_group_lasso(sqrt(2), 2),
                     zo_sparse_group_lasso(2, sqrt(2), 2),
                     zo_total_variation(2),
                     zo_nuclear(2, 2, 2),
                     zo_nuclear(2, 2, 2),
                     zo_blocks(&tail, 1)};
    assert_int_equal(sizeof psi / sizeof *psi, sizeof t / sizeof *t);
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        double x[4];
        apply(psi[k], 4, 0.5, t[k].v, x);
        check_near(psi[k].name, 4, x, t[k].x, 1e-14);
    }
}

static void values(void **state)
{
    (void)state;
    static const double x[] = {3, -4, 0, 1}, w[] = {1, 2, 3, 4};
    struct {
        zo_prox psi;
        double value;
    } t[] = {{zo_l1(2), 16},
             {zo_weighted_l1(0.5, w), 7.5},
             {zo_l2(1), sqrt(26)},
             {zo_squared_l2(3), 39},
             {zo_elastic_net(2, 3), 55},
             {zo_nonnegative(), INFINITY},
             {zo_box(-4, 3), 0},
             {zo_box(-3.9, 3), INFINITY},
             {zo_l1_ball(8), 0},
             {zo_l1_ball(7.9), INFINITY},
             {zo_l2_ball(5.1), 0},
             {zo_l2_ball(5), INFINITY},
             {zo_simplex(0), INFINITY},
             {zo_linf(2), 8},
             {zo_group_lasso(1, 2), sqrt(2) * 6},
             {zo_group_lasso(1, 3), sqrt(3) * 5 + 1},
             {zo_sparse_group_lasso(1, 2, 2), 8 + sqrt(8) * 6},
             {zo_total_variation(2), 24},
             {zo_nuclear(2, 1, 4), 2 * sqrt(26)}};
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        double value = prox_value(&t[k].psi, 4, x);
        if (!(value == t[k].value || fabs(value - t[k].value) < 1e-13))
            fail_msg("%s: %.17g, not %.17g", t[k].psi.name, value, t[k].value);
    }
}

/* ---- levels by bisection ----------------------------------------------------------------------------- */

/* The s with sum_j max(u_j - s, 0) = r, in long double. */
static long double bisect(size_t d, const double *u, double r)
{
    long double lo = -1e6L, hi = 1e6L;
    for (int k = 0; k < 200; k++) {
        long double s = (lo + hi) / 2, sum = 0;
        for (size_t j = 0; j < d; j++) sum += fmaxl(u[j] - s, 0);
        if (sum > r)
            lo = s;
        else
            hi = s;
    }
    return lo;
}

static void levels_by_bisection(void **state)
{
    (void)state;
    enum { MOST = 300 };
    double v[MOST], u[MOST], x[MOST], expected[MOST];
    for (size_t trial = 0; trial < 200; trial++) {
        size_t d = 1 + trial % MOST;
        double r = pow(10, (double)(trial % 5) - 2), total = 0;
        rng_normals(SEED, FOR_CHECK, trial, 0, d, v);
        for (size_t j = 0; j < d && trial % 4 == 0; j++) v[j] = floor(3 * v[j]); /* ties */
        long double s = bisect(d, v, r);
        for (size_t j = 0; j < d; j++) expected[j] = (double)fmaxl(v[j] - s, 0);
        apply(zo_simplex(r), d, 1, v, x);
        check_near("simplex", d, x, expected, 1e-13 * (1 + r));

        for (size_t j = 0; j < d; j++) total += u[j] = fabs(v[j]);
        s = total > r ? bisect(d, u, r) : 0;
        for (size_t j = 0; j < d; j++) expected[j] = copysign((double)fmaxl(u[j] - s, 0), v[j]);
        apply(zo_l1_ball(r), d, 1, v, x);
        check_near("l1-ball", d, x, expected, 1e-13 * (1 + r));
        for (size_t j = 0; j < d; j++) expected[j] = v[j] - expected[j];
        apply(zo_linf(r), d, 1, v, x);
        check_near("linf", d, x, expected, 1e-13 * (1 + r));
    }
}

/* Many coordinates, ties at the level, and gaps that grow so that few leave the list at each pass: the sum is
 * r within the slack that value allows, and the level is right. */
static void levels_large(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    double *v = mem_new(MANY, sizeof *v), *x = mem_new(MANY, sizeof *x);
    assert_true(v && x);
    for (size_t shape = 0; shape < 5; shape++)
        for (double r = 1e-3; r < 1e9; r *= 100) {
            rng_normals(SEED, FOR_CHECK, shape, 0, MANY, v);
            for (size_t j = 0; j < MANY; j++) {
                if (shape == 1) v[j] = 1e9 + rint(v[j]);
                if (shape == 2) v[j] = j == 0 ? r : 0; /* the level comes to rest on the others */
                if (shape == 3) v[j] = -r * (1 - pow(0.5, (double)(j % 60)));
                if (shape == 4)
                    v[j] = j == 0 ? 0 : -0.5 * r - 1e-16 * r * tgamma(1 + (double)(j % 19));
            }
            zo_prox simplex = zo_simplex(r);
            apply(simplex, MANY, 1, v, x);
            if (prox_value(&simplex, MANY, x) != 0)
                fail_msg("shape %zu, r = %g: not feasible", shape, r);
            long double s = INFINITY,
                        rest = 0; /* one level for all: v - x above, no more than it below */
            for (size_t j = 0; j < MANY; j++)
                if (x[j] > 0) s = fminl(s, (long double)v[j] - x[j]);
            for (size_t j = 0; j < MANY; j++) rest = fmaxl(rest, fabsl(x[j] - fmaxl(v[j] - s, 0)));
            if (!(rest <= 4e-16L * (r + fabs(v[0]))))
                fail_msg("shape %zu, r = %g: off by %Lg", shape, r, rest);
        }
    mem_free(v);
    mem_free(x);
}

/* A large offset costs no digits: the shares are as exact as the differences in v. */
static void simplex_far_away(void **state)
{
    (void)state;
    static const double v[] = {0x1p60, 0x1p60 - 0x1p8, -1e300, 0x1p60 - 0x1p10},
                        expected[] = {384, 128, 0, 0};
    double x[4];
    apply(zo_simplex(512), 4, 1, v, x);
    check_near("simplex", 4, x, expected, 0);
}

/* ---- total variation --------------------------------------------------------------------------------- */

static double tv_energy(size_t d, double lambda, const double *v, const double *x)
{
    double e = 0;
    for (size_t j = 0; j < d; j++)
        e += (x[j] - v[j]) * (x[j] - v[j]) / 2 + (j ? lambda * fabs(x[j] - x[j - 1]) : 0);
    return e;
}

/* The best x that rises, stays or falls as pattern says (base 3): each run of equal entries sits at its mean,
 * moved by lambda/length towards either neighbour. Patterns that contradict themselves only give a larger
 * energy. */
static void pattern_point(size_t d, double lambda, const double *v, size_t pattern, double *x)
{
    int sign[16], before = 0;
    for (size_t j = 0; j + 1 < d; j++, pattern /= 3) sign[j] = (int)(pattern % 3) - 1;
    for (size_t from = 0, to; from < d; from = to) {
        double sum = 0;
        for (to = from; to == from || (to < d && sign[to - 1] == 0); to++) sum += v[to];
        int after = to < d ? sign[to - 1] : 0;
        double level = (sum + lambda * (after - before)) / (double)(to - from);
        for (size_t j = from; j < to; j++) x[j] = level;
        before = after;
    }
}

static void tv_by_brute_force(void **state)
{
    (void)state;
    for (size_t d = 2; d <= 7; d++)
        for (size_t trial = 0; trial < 60; trial++) {
            double v[7], x[7], y[7], best[7] = {0}, least = INFINITY,
                                     lambda = pow(4, (double)(trial % 6) - 3);
            size_t patterns = 1;
            rng_normals(SEED, FOR_CHECK, trial, (uint32_t)d, d, v);
            for (size_t j = 0; j < d && trial % 3 == 0; j++) v[j] = rint(v[j]); /* ties */
            for (size_t j = 1; j < d; j++) patterns *= 3;
            for (size_t p = 0; p < patterns; p++) {
                pattern_point(d, lambda, v, p, y);
                double e = tv_energy(d, lambda, v, y);
                if (e < least) {
                    least = e;
                    memcpy(best, y, sizeof y);
                }
            }
            apply(zo_total_variation(2 * lambda), d, 0.5, v, x);
            check_near("tv", d, x, best, 1e-12);
        }
}

/* x is the minimiser exactly when u_k = sum_{j<=k} (v_j - x_j) lies within +-lambda, is -lambda where x
 * rises, lambda where it falls, and ends at 0. */
static void check_tv(const char *what, size_t d, double lambda, const double *v, const double *x)
{
    long double u = 0, size = 0;
    for (size_t j = 0; j < d; j++) size = fmaxl(size, fabsl(v[j]));
    long double slack = 1e-15L * (long double)d * (size + lambda);
    for (size_t j = 0; j < d; j++) {
        u += (long double)v[j] - x[j];
        long double s = j + 1 == d ? 0 : x[j + 1] > x[j] ? -1 : x[j + 1] < x[j] ? 1 : 2;
        int right = s == 2 ? fabsl(u) <= lambda + slack : fabsl(u - s * lambda) <= slack;
        if (!right) fail_msg("%s, lambda %g: certificate %Lg at %zu of %zu", what, lambda, u, j, d);
    }
}

/* Shapes that make methods based on restarting from a segment's beginning slow: ramps and curves on which the
 * segment's end moves far at each restart. */
static double tv_shape(size_t shape, size_t j, size_t d, double noise)
{
    double s = (double)j / (double)d;
    switch (shape) {
    case 0: return noise;
    case 1: return (double)j;
    case 2: return s * s * (double)d;
    case 3: return -sqrt(s) * (double)d;
    case 4: return j % 2 ? 1 : -1;
    case 5: return sin(40 * s) + 0.1 * noise;
    case 6: return j == 0 ? -(double)d : j + 1 == d ? (double)d : 1e-3 * noise;
    default: return 1e9 + noise; /* far from 0 */
    }
}

enum { SHAPES = 8 };

static void tv_large_and_linear(void **state)
{
    (void)state;
    enum { MOST = 40000 };
    double *v = mem_new(MOST, sizeof *v), *x = mem_new(MOST, sizeof *x),
           *work = mem_new(8 * MOST, sizeof *work);
    double *noise = mem_new(MOST, sizeof *noise);
    assert_true(v && x && work && noise);
    rng_normals(SEED, FOR_CHECK, 0, 0, MOST, noise);
    for (size_t shape = 0; shape < SHAPES; shape++)
        for (size_t d = 5000; d <= MOST; d *= 8)
            for (double lambda = 1e-3; lambda < 1e9; lambda *= 20) {
                char what[32];
                snprintf(what, sizeof what, "tv shape %zu", shape);
                for (size_t j = 0; j < d; j++) v[j] = tv_shape(shape, j, d, noise[j]);
                size_t passed = tv_solve(d, lambda, v, x, work);
                check_tv(what, d, lambda, v, x);
                if (passed > 2 * d)
                    fail_msg("%s, lambda %g: %zu knots passed for d = %zu", what, lambda, passed,
                             d);
            }
    mem_free(v);
    mem_free(x);
    mem_free(work);
    mem_free(noise);
}

/* From a certain lambda on the answer is the mean; a huge lambda keeps its digits. */
static void tv_flattens(void **state)
{
    (void)state;
    static const double v[] = {1, 2, 3, 4, 5}, expected[] = {3, 3, 3, 3, 3};
    double x[5];
    apply(zo_total_variation(1e300), 5, 1e5, v, x);
    check_near("tv", 5, x, expected, 0);
    apply(zo_total_variation(3), 5, 1, v, x);
    check_near("tv", 5, x, expected, 1e-15);
    apply(zo_total_variation(2.9), 5, 1, v, x);
    assert_true(x[0] < x[4]);
    static const double uneven[] = {0.1, -0.7, 0.3, 0.2, 0.6}, level[] = {0.1, 0.1, 0.1, 0.1, 0.1};
    for (double a = 1; a < 1e30; a *= 7) {
        apply(zo_total_variation(a), 5, 1, uneven, x);
        check_near("tv", 5, x, level, 1e-16);
    }
}

/* ---- the nuclear norm ---------------------------------------------------------------------------------- */

/* Largest singular value of the rows x cols matrix g, by the power method. */
static double spectral(size_t rows, size_t cols, const double *g)
{
    double u[64], w[64], norm = 0;
    rng_normals(SEED, FOR_CHECK, 5, 1, cols, w);
    for (int k = 0; k < 3000; k++) {
        for (size_t i = 0; i < rows; i++) u[i] = vec_dot(cols, g + i * cols, w);
        memset(w, 0, sizeof w);
        for (size_t i = 0; i < rows; i++) vec_add(cols, u[i], g + i * cols, w);
        norm = vec_norm(cols, w);
        vec_scale(cols, 1 / norm, w);
    }
    return sqrt(norm);
}

/* x is the minimiser exactly when g = (v - x)/t has spectral norm <= a and <g, x> = a |x|_*. */
static void nuclear_certificate(void **state)
{
    (void)state;
    static const size_t shapes[][2] = {{1, 7}, {7, 1}, {5, 5}, {20, 30}, {30, 20}, {60, 3}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t trial = 0; trial < 5; trial++) {
            size_t rows = shapes[s][0], cols = shapes[s][1], d = rows * cols;
            double v[600], x[600], a = 0.5 * (double)(trial + 1), t = 1.5;
            zo_prox psi = zo_nuclear(a, rows, cols);
            rng_normals(SEED, FOR_CHECK, trial, (uint32_t)s, d, v);
            apply(psi, d, t, v, x);
            double value = prox_value(&psi, d, x);
            for (size_t j = 0; j < d; j++) v[j] = (v[j] - x[j]) / t;
            assert_true(spectral(rows, cols, v) <= a * (1 + 1e-6));
            assert_true(fabs(vec_dot(d, v, x) - value) <= 1e-12 * (1 + value));
        }
}

/* The bits do not depend on the instructions that are used. */
static void nuclear_same_bytes(void **state)
{
    (void)state;
    enum { ROWS = 30, COLS = 44, SIZE = ROWS * COLS };
    double *v = mem_new(SIZE, sizeof *v), *x = mem_new(2 * SIZE, sizeof *x);
    assert_true(v && x);
    rng_normals(SEED, FOR_CHECK, 9, 0, SIZE, v);
    isa_limit(ISA_PLAIN);
    apply(zo_nuclear(2, ROWS, COLS), SIZE, 1, v, x);
    isa_limit(ISA_COUNT - 1);
    apply(zo_nuclear(2, ROWS, COLS), SIZE, 1, v, x + SIZE);
    assert_memory_equal(x, x + SIZE, SIZE * sizeof *x);
    mem_free(v);
    mem_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_answers),       cmocka_unit_test(values),
        cmocka_unit_test(levels_by_bisection), cmocka_unit_test(levels_large),
        cmocka_unit_test(simplex_far_away),    cmocka_unit_test(tv_by_brute_force),
        cmocka_unit_test(tv_large_and_linear), cmocka_unit_test(tv_flattens),
        cmocka_unit_test(nuclear_certificate), cmocka_unit_test(nuclear_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
