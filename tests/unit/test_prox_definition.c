/* Every proximal map against its definition: the point it gives is the minimiser.
 * SPDX-License-Identifier: MIT
 *
 *     prox(v, t) = argmin_x E(x),   E(x) = psi(x) + |x - v|^2 / (2t)
 *
 * E is strongly convex, so for every feasible y: E(y) >= E(x) + |y - x|^2 / (2t). That is what is tested,
 * with many y: near x, far from it, feasible by another use of the map, and mixtures with x (the segment
 * stays feasible). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "base/vec.h"
#include "prox/prox.h"

enum { MOST = 48, D = 24, SEED = 7, TRIALS = 60 };

static double weights[D], lows[D], highs[D], matrix[6 * D], right[6];
static zo_block parts[3], separable_parts[2], linear_sets[3], two_sums[2][2];

typedef struct named {
    const char *what;
    zo_prox psi;
} named;

static size_t families(named *list)
{
    for (size_t j = 0; j < D; j++) {
        weights[j] = (double)(j % 5) / 2;
        lows[j] = j % 7 == 0 ? -INFINITY : -(double)(j % 3) / 2;
        highs[j] = j % 6 == 0 ? INFINITY : (double)(j % 4) / 2;
    }
    parts[0] = (zo_block){12, 18, zo_nuclear(0.5, 2, 3)};
    parts[1] = (zo_block){18, D, zo_l2(0.4)};
    parts[2] = (zo_block){0, 10, zo_simplex(2)};
    separable_parts[0] = (zo_block){3, 9, zo_l1(0.5)};
    separable_parts[1] = (zo_block){9, 20, zo_bounds(lows, highs)};
    for (size_t k = 0; k < 6; k++) { /* the first with one coefficient, the last twice the second */
        rng_normals(SEED, FOR_SYNTH, k, 0, D, matrix + k * D);
        for (size_t j = 0; j < D; j++)
            if (k == 5) matrix[k * D + j] = 2 * matrix[D + j];
        for (size_t j = 0; k == 0 && j < D; j++) matrix[j] = j == 5 ? -2 : 0;
        right[k] = k == 5 ? 2 * right[1] : 0.3 * (double)k - 0.2;
    }
    linear_sets[0] = (zo_block){0, D, zo_affine(matrix + D, right + 1, 2)};
    linear_sets[1] = (zo_block){0, D, zo_polyhedron(matrix, right, 6)};
    linear_sets[2] = (zo_block){0, D, zo_box(-0.8, 0.9)};
    two_sums[0][0] = (zo_block){0, D, zo_l1(0.3)};
    two_sums[0][1] = (zo_block){0, D, zo_bounds(lows, highs)};
    two_sums[1][0] = linear_sets[1];
    two_sums[1][1] = two_sums[0][1];
    size_t k = 0;
    list[k++] = (named){"affine", linear_sets[0].psi};
    list[k++] = (named){"affine, one row", zo_affine(matrix + D, right + 1, 1)};
    list[k++] = (named){"affine, rows that repeat", zo_affine(matrix + D, right + 1, 5)};
    list[k++] = (named){"polyhedron", linear_sets[1].psi};
    list[k++] = (named){"polyhedron and bounds", zo_sum(two_sums[1], 2)};
    list[k++] = (named){"affine, polyhedron and box", zo_sum(linear_sets, 3)};
    list[k++] = (named){"l1 and bounds", zo_sum(two_sums[0], 2)};
    list[k++] = (named){"zero", zo_zero()};
    list[k++] = (named){"zeroed", {0}};
    list[k++] = (named){"l1", zo_l1(0.6)};
    list[k++] = (named){"l1, a = 0", zo_l1(0)};
    list[k++] = (named){"weighted-l1", zo_weighted_l1(0.7, weights)};
    list[k++] = (named){"l2", zo_l2(1.5)};
    list[k++] = (named){"l2, all dropped", zo_l2(50)};
    list[k++] = (named){"squared-l2", zo_squared_l2(2)};
    list[k++] = (named){"elastic-net", zo_elastic_net(0.3, 0.8)};
    list[k++] = (named){"nonnegative", zo_nonnegative()};
    list[k++] = (named){"box", zo_box(-0.5, 0.25)};
    list[k++] = (named){"bounds", zo_bounds(lows, highs)};
    list[k++] = (named){"l1-ball", zo_l1_ball(3)};
    list[k++] = (named){"l1-ball, inside", zo_l1_ball(1e6)};
    list[k++] = (named){"l1-ball, a point", zo_l1_ball(0)};
    list[k++] = (named){"l2-ball", zo_l2_ball(1.5)};
    list[k++] = (named){"simplex", zo_simplex(1)};
    list[k++] = (named){"simplex of 40", zo_simplex(40)};
    list[k++] = (named){"linf", zo_linf(2)};
    list[k++] = (named){"group-lasso", zo_group_lasso(0.4, 4)};
    list[k++] = (named){"group-lasso, shorter last", zo_group_lasso(0.4, 7)};
    list[k++] = (named){"sparse-group-lasso", zo_sparse_group_lasso(0.3, 0.4, 5)};
    list[k++] = (named){"tv", zo_total_variation(0.8)};
    list[k++] = (named){"nuclear", zo_nuclear(0.9, 4, 6)};
    list[k++] = (named){"nuclear, upright", zo_nuclear(0.9, 12, 2)};
    list[k++] = (named){"nuclear, one row", zo_nuclear(0.9, 1, D)};
    list[k++] = (named){"blocks", zo_blocks(parts, 3)};
    list[k++] = (named){"separable blocks", zo_blocks(separable_parts, 2)};
    return k;
}

static double work[4096];

static void apply(const zo_prox *psi, double t, const double *v, double *x)
{
    assert_true(prox_work(psi, D) <= sizeof work / sizeof *work);
    for (size_t k = 0; k < sizeof work / sizeof *work; k++)
        work[k] = NAN; /* scratch holds nothing */
    prox_apply(psi, D, t, v, x, work);
    for (size_t k = prox_work(psi, D); k < sizeof work / sizeof *work; k++)
        if (!isnan(work[k])) fail_msg("%s: writes past its scratch", psi->name);
}

static double energy(const zo_prox *psi, double t, const double *v, const double *x)
{
    double away = vec_distance(D, x, v);
    return prox_value(psi, D, x) + away * away / (2 * t);
}

/* A start v of length about size. */
static void draw(uint64_t step, double size, double *v)
{
    rng_normals(SEED, FOR_CHECK, step, 0, D, v);
    vec_scale(D, size, v);
}

static void check_not_better(const named *f, double t, const double *v, const double *x,
                             const double *y)
{
    double ex = energy(&f->psi, t, v, x), ey = energy(&f->psi, t, v, y),
           away = vec_distance(D, x, y);
    if (isinf(ey)) return;
    if (!(ey >= ex + away * away / (2 * t) - 1e-11 * (1 + ex)))
        fail_msg("%s, t = %g: %.17g at x, %.17g at a distance of %g", f->what, t, ex, ey, away);
}

static void test_minimises(void **state)
{
    (void)state;
    named list[MOST];
    size_t count = families(list), tried = 0;
    for (size_t k = 0; k < count; k++)
        for (size_t trial = 0; trial < TRIALS; trial++) {
            double v[D], x[D], y[D], z[D], t = pow(10, (double)(trial % 5) - 2);
            draw(trial, (double)(trial % 3) + 0.3, v);
            apply(&list[k].psi, t, v, x);
            if (!isfinite(energy(&list[k].psi, t, v, x)))
                fail_msg("%s: its own point is not feasible", list[k].what);
            for (size_t other = 0; other < 30; other++) {
                draw(1000 + other, pow(10, -(double)(other % 6)), y);
                vec_add(D, 1, x, y); /* near x, feasible only where psi is finite */
                check_not_better(&list[k], t, v, x, y);
                apply(&list[k].psi, t / 10, y, z); /* always feasible */
                check_not_better(&list[k], t, v, x, z);
                for (size_t j = 0; j < D; j++) z[j] = 0.99 * x[j] + 0.01 * z[j];
                check_not_better(&list[k], t, v, x, z);
                tried++;
            }
        }
    assert_int_equal(tried, count * TRIALS * 30);
}

/* |prox(u) - prox(v)|^2 <= (u - v)'(prox(u) - prox(v)): firmly nonexpansive. */
static void test_nonexpansive(void **state)
{
    (void)state;
    named list[MOST];
    size_t count = families(list);
    for (size_t k = 0; k < count; k++)
        for (size_t trial = 0; trial < TRIALS; trial++) {
            double u[D], v[D], pu[D], pv[D], t = pow(10, (double)(trial % 3) - 1);
            draw(2 * trial, 2, u);
            draw(2 * trial + 1, pow(10, (double)(trial % 4) - 2), v);
            if (trial % 2) vec_add(D, 1, u, v);
            apply(&list[k].psi, t, u, pu);
            apply(&list[k].psi, t, v, pv);
            vec_add(D, -1, v, u);
            vec_add(D, -1, pv, pu);
            double inner = vec_dot(D, u, pu), square = vec_dot(D, pu, pu);
            if (!(square <= inner + 1e-12 * vec_dot(D, u, u)))
                fail_msg("%s: %.17g > %.17g", list[k].what, square, inner);
        }
}

/* In place, into another array and one coordinate at a time: the same bits. */
static void test_aliasing_and_one(void **state)
{
    (void)state;
    named list[MOST];
    size_t count = families(list), separable = 0;
    for (size_t k = 0; k < count; k++)
        for (size_t trial = 0; trial < TRIALS; trial++) {
            double v[D], x[D], y[D], t = pow(10, (double)(trial % 5) - 2);
            draw(trial, 2, v);
            vec_copy(D, v, y);
            apply(&list[k].psi, t, v, x);
            apply(&list[k].psi, t, y, y);
            if (memcmp(x, y, sizeof x)) fail_msg("%s: other bits in place", list[k].what);
            if (!prox_separable(&list[k].psi)) continue;
            separable++;
            for (size_t j = 0; j < D; j++) {
                double one = prox_one(&list[k].psi, j, t, v[j]);
                if (memcmp(&one, &x[j], sizeof one)) fail_msg("%s: other bits alone", list[k].what);
            }
        }
    assert_int_equal(
        separable,
        12 * TRIALS); /* zero, zeroed, l1 (2), weighted, squared, elastic, 3 boxes, blocks, sum */
}

/* Moreau: v is the prox of t psi plus, for a norm psi, the projection on the ball of its dual of radius t. */
static void check_moreau(const zo_prox *norm, const zo_prox *dual_ball, double t, const double *v)
{
    double x[D], y[D];
    apply(norm, t, v, x);
    apply(dual_ball, 1, v, y); /* radius t a already */
    for (size_t j = 0; j < D; j++)
        if (!(fabs(x[j] + y[j] - v[j]) <= 1e-13 * (1 + fabs(v[j]))))
            fail_msg("%s, t = %g", norm->name, t);
}

static void test_moreau(void **state)
{
    (void)state;
    for (size_t trial = 0; trial < TRIALS; trial++) {
        double v[D], a = 0.7, t = pow(10, (double)(trial % 5) - 2);
        draw(trial, 2, v);
        zo_prox l1 = zo_l1(a), cube = zo_box(-t * a, t * a);
        zo_prox l2 = zo_l2(a), ball = zo_l2_ball(t * a);
        zo_prox linf = zo_linf(a), diamond = zo_l1_ball(t * a);
        check_moreau(&l1, &cube, t, v);
        check_moreau(&l2, &ball, t, v);
        check_moreau(&linf, &diamond, t, v);
    }
}

/* value accepts what apply gives, at any scale; results are finite for finite input. */
static void test_extremes(void **state)
{
    (void)state;
    static const double sizes[] = {0, 1e-300, 1e-9, 1, 1e9, 1e300};
    static const double steps[] = {1e-300, 1e-12, 1, 1e12, 1e300};
    named list[MOST];
    size_t count = families(list);
    for (size_t k = 0; k < count; k++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (size_t e = 0; e < sizeof steps / sizeof *steps; e++)
                for (size_t trial = 0; trial < 4; trial++) {
                    double v[D], x[D];
                    draw(trial, sizes[s], v);
                    if (trial == 3) v[5] = 1; /* mixed sizes */
                    apply(&list[k].psi, steps[e], v, x);
                    if (!vec_finite(D, x))
                        fail_msg("%s: size %g, t = %g", list[k].what, sizes[s], steps[e]);
                    double value = prox_value(&list[k].psi, D, x);
                    int fits =
                        isfinite(value) || sizes[s] == 1e300; /* |x|^2 overflows there, rightly */
                    if (isnan(value) || !fits)
                        fail_msg("%s: size %g, t = %g: value %g", list[k].what, sizes[s], steps[e],
                                 value);
                }
}

/* The constraint of a set must hold for its own projections even at 1e300, and fail a little outside. */
static void test_feasible(void **state)
{
    (void)state;
    static const double radii[] = {1e-250, 1e-6, 1, 3e7, 1e250};
    for (size_t r = 0; r < sizeof radii / sizeof *radii; r++)
        for (size_t trial = 0; trial < 3 * TRIALS; trial++) {
            double v[D], x[D];
            zo_prox sets[] = {zo_l1_ball(radii[r]), zo_l2_ball(radii[r]), zo_simplex(radii[r])};
            for (size_t k = 0; k < 3; k++) {
                draw(trial, radii[r] * pow(10, (double)(trial % 61) - 12), v);
                apply(&sets[k], 1, v, x);
                if (prox_value(&sets[k], D, x) != 0)
                    fail_msg("%s: radius %g", sets[k].name, radii[r]);
                double size = k == 1 ? vec_norm(D, x) : 0;
                for (size_t j = 0; k != 1 && j < D; j++) size += fabs(x[j]);
                if (size < radii[r] * (1 - 1e-10)) continue; /* inside already */
                vec_scale(D, 1 + 1e-10, x);
                if (prox_value(&sets[k], D, x) == 0)
                    fail_msg("%s: accepts what is outside", sets[k].name);
            }
        }
}

static void test_not_finite(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    named list[MOST];
    size_t count = families(list);
    for (size_t k = 0; k < count; k++)
        for (size_t b = 0; b < 3; b++) {
            double v[D], x[D];
            draw(b, 1, v);
            v[8] = bad[b];
            apply(&list[k].psi, 0.5, v, x);
            int bounded = !strcmp(list[k].what, "box") || !strcmp(list[k].what, "bounds") ||
                          !strcmp(list[k].what, "nonnegative") ||
                          !strcmp(list[k].what, "l1 and bounds");
            if (bounded && b > 0) continue; /* an infinite number has a nearest point in a box */
            if (isfinite(x[8])) fail_msg("%s: %g became %g", list[k].what, bad[b], x[8]);
        }
}

static void test_one_dimension(void **state)
{
    (void)state;
    double v = 3, x, low = 1, high = 2, weight = 0.5;
    struct {
        zo_prox psi;
        double expected;
    } cases[] = {{zo_zero(), 3},
                 {zo_l1(1), 2.5},
                 {zo_weighted_l1(2, &weight), 2.5},
                 {zo_l2(1), 2.5},
                 {zo_squared_l2(2), 1.5},
                 {zo_elastic_net(1, 2), 1.25},
                 {zo_nonnegative(), 3},
                 {zo_box(-1, 1), 1},
                 {zo_bounds(&low, &high), 2},
                 {zo_l1_ball(2), 2},
                 {zo_l2_ball(2), 2},
                 {zo_simplex(4), 4},
                 {zo_linf(1), 2.5},
                 {zo_group_lasso(1, 1), 2.5},
                 {zo_sparse_group_lasso(1, 1, 1), 2},
                 {zo_total_variation(9), 3},
                 {zo_nuclear(1, 1, 1), 2.5}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_int_equal(zo_prox_check(&cases[k].psi, 1, NULL), ZO_OK);
        assert_true(prox_work(&cases[k].psi, 1) <= sizeof work / sizeof *work);
        prox_apply(&cases[k].psi, 1, 0.5, &v, &x, work);
        if (!(fabs(x - cases[k].expected) <= 1e-15)) fail_msg("%s: %.17g", cases[k].psi.name, x);
    }
}

/* Bounds and another psi on the same coordinates: the least value of the sum, found by trying. */
static void test_sums(void **state)
{
    (void)state;
    zo_prox others[] = {zo_l1(0.3), zo_elastic_net(0.3, 0.5), zo_squared_l2(0.7), zo_zero()};
    for (size_t k = 0; k < 4; k++)
        for (double v = -3; v <= 3; v += 0.37) {
            zo_block part[] = {
                {0, 1, others[k]}, {0, 1, zo_box(-0.5, 1.5)}, {0, 1, zo_nonnegative()}};
            zo_prox psi = zo_sum(part, k % 2 ? 2 : 3);
            double x, t = 0.8, best = INFINITY, at = 0;
            assert_int_equal(zo_prox_check(&psi, 1, NULL), ZO_OK);
            psi.apply(&psi, 1, t, &v, &x, NULL);
            for (double y = -2; y <= 2; y += 1.0 / 4096) {
                double f = psi.value(&psi, 1, &y) + (y - v) * (y - v) / (2 * t);
                if (f < best) best = f, at = y;
            }
            assert_true(isfinite(psi.value(&psi, 1, &x)) && fabs(x - at) < 1.0 / 4096);
        }
    zo_prox psi;
    zo_error e;
    double lo[3], hi[3];
    assert_int_equal(zo_prox_parse(&psi, "l1:0.5 box:0,5 nonnegative@1:2", 3, &e), ZO_BAD_ARGUMENT);
    assert_int_equal(zo_prox_parse(&psi, "l1:0.5 squared-l2:1", 3, &e), ZO_BAD_ARGUMENT);
    assert_int_equal(zo_prox_parse(&psi, "box:0,1 box:2,3", 3, &e), ZO_BAD_ARGUMENT);
    assert_int_equal(zo_prox_parse(&psi, "l1:0.5@0:2 box:0,5@2:3 box:-1,5@0:2", 3, &e), ZO_OK);
    assert_true(prox_bounds(&psi, 3, lo, hi) && lo[0] == -1 && lo[2] == 0 && hi[1] == 5);
    assert_true(psi.value(&psi, 3, (double[]){-1, 2, 3}) == 1.5);
    assert_true(prox_separable(&psi) && prox_one(&psi, 0, 1, -9) == -1);
    zo_prox_free(&psi);
}

/* What has no bound, known without room for bounds. */
static void loose_is_what_has_no_bounds(void **state)
{
    (void)state;
    static const char *const specs[] = {"zero",
                                        "l1:1",
                                        "elastic-net:1,2",
                                        "squared-l2:1",
                                        "nonnegative",
                                        "box:-inf,inf",
                                        "box:-inf,3",
                                        "l1:1 box:-1,1",
                                        "l1:1 box:-inf,inf",
                                        "l1:1@0:2",
                                        "l1:1@0:2 nonnegative@3:4",
                                        "l1:1@0:2 box:-inf,inf@2:4",
                                        "l2:1",
                                        "simplex",
                                        "l2-ball:1",
                                        "tv:1",
                                        "l1:1@0:2 box:0,5@2:3 box:-1,5@0:2"};
    double lo[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY},
           hi[4] = {INFINITY, INFINITY, INFINITY, INFINITY}, low[4], high[4];
    zo_prox bounds = zo_bounds(lo, hi);
    zo_error e;
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        zo_prox psi;
        if (zo_prox_parse(&psi, specs[k], 4, &e)) fail_msg("%s", e.text);
        if (prox_is_loose(&psi, 4) != (prox_separable(&psi) && !prox_bounds(&psi, 4, low, high)))
            fail_msg("%s", specs[k]);
        zo_prox_free(&psi);
    }
    assert_true(prox_is_loose(&bounds, 4));
    hi[3] = 2;
    assert_false(prox_is_loose(&bounds, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minimises),
        cmocka_unit_test(test_nonexpansive),
        cmocka_unit_test(test_aliasing_and_one),
        cmocka_unit_test(test_moreau),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_feasible),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_one_dimension),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(loose_is_what_has_no_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
