/* mean: one function, exact or noisy, smooth or not: how it ends, and what it says of that.
 * SPDX-License-Identifier: MIT */
#include "base/real.h"
#include "runs.h"

enum { MOST_D = 40 };

typedef struct box {
    double (*f)(size_t d, const double *x);
    size_t d;
    double noise;    /* standard deviation */
    double relative; /* the same, of f */
    uint64_t calls, outside;
    double lo, hi;
    zo_prox psi; /* or this */
    uint64_t seed;
} box;

static int box_value(void *ctx, size_t i, const double *x, double *f)
{
    box *b = ctx;
    double z;
    (void)i;
    for (size_t j = 0; j < b->d && b->hi > b->lo; j++) b->outside += x[j] < b->lo || x[j] > b->hi;
    rng_normals(11, FOR_SYNTH, b->calls++, 0, 1, &z);
    *f = b->f(b->d, x);
    *f += z * (b->noise + b->relative * *f);
    return 0;
}

typedef struct ended {
    zo_report r;
    double x[MOST_D], F;
} ended;

static ended solve(box *b, const double *x0, uint64_t queries)
{
    zo_problem p = {.n = 1, .d = b->d, .value = box_value, .ctx = b, .psi = b->psi};
    if (b->hi > b->lo) p.psi = zo_box(b->lo, b->hi);
    zo_settings set = settings_of("mean");
    zo_solver *s;
    zo_error e = {0};
    ended end;
    if (b->seed) set.seed = b->seed;
    if (zo_new(&s, &p, &set, &e) || zo_start(s, x0, &e)) fail_msg("%s", e.text);
    end.r = run_queries(s, queries);
    memcpy(end.x, zo_point(s), b->d * sizeof *end.x);
    end.F = b->f(b->d, end.x);
    zo_free(s);
    return end;
}

/* ---- Functions ---------------------------------------------------------------------------------------- */

static double double_well(size_t d, const double *x)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++) sum += pow(x[j], 4) - x[j] * x[j];
    return sum;
}

static double line(size_t d, const double *x)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++) sum += x[j];
    return sum;
}

/* Scales from 1e-3 to 1e3. */
static double stretched(size_t d, const double *x)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++) {
        double t = x[j] * pow(10, -3 + 6 * (double)j / (double)(d - 1)) - 1;
        sum += t * t;
    }
    return sum;
}

static double bowl(size_t d, const double *x)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++) sum += (double)(j + 1) * (x[j] - 1) * (x[j] - 1);
    return sum;
}

static double steps(size_t d, const double *x) { return floor(10 * bowl(d, x)); }

static double kinks(size_t d, const double *x)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++) sum += (double)(j + 1) * fabs(x[j] - 0.3 * (double)j);
    return sum;
}

static double ripples(size_t d, const double *x)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++) sum += fabs(x[j]);
    return (1 + bowl(d, x)) * (1 + 1e-3 * sin(97 * sum) * cos(89 * x[0]));
}

static double valley(size_t d, const double *x)
{
    double sum = 0;
    for (size_t j = 0; j + 1 < d; j++)
        sum += 100 * pow(x[j + 1] - x[j] * x[j], 2) + pow(1 - x[j], 2);
    return sum;
}

/* No value beyond 3. */
static double walled(size_t d, const double *x)
{
    for (size_t j = 0; j < d; j++)
        if (x[j] > 3) return NAN;
    return bowl(d, x);
}

/* Squares over 200 rows of zeros and ones, column j with a share of ones from 0.9 to 0.01: columns that go together. */
static double rare_columns(size_t d, const double *x)
{
    double sum = 0;
    for (uint64_t i = 0; i < 200; i++) {
        double index = 0;
        for (size_t j = 0; j < d; j++)
            if (rng_uniform(3, FOR_SYNTH, i, j) < 0.9 * pow(90, -(double)j / (double)(d - 1)))
                index += x[j] - (j % 2 ? 1 : -1);
        sum += 0.005 * index * index;
    }
    for (size_t j = 0; j < d; j++) sum += 1e-3 * square(x[j] - (j % 2 ? 1 : -1));
    return sum;
}

/* ---- How it ends --------------------------------------------------------------------------------------- */

/* PROBE_LEAST, PROBE_MORE: a start at a maximum moves on. */
static void a_maximum_is_left(void **state)
{
    (void)state;
    box b = {.f = double_well, .d = 2};
    ended end = solve(&b, (double[]){0, 0}, 2000);
    assert_true(end.F < -0.5 + 1e-9);
    assert_int_equal(end.r.reason, ZO_AT_END);
}

/* FAR_AWAY, FALLEN */
static void a_line_has_no_end(void **state)
{
    (void)state;
    box b = {.f = line, .d = 2};
    assert_int_equal(solve(&b, (double[]){0, 0}, 100000).r.reason, ZO_AT_UNBOUNDED);
}

/* CUBE_ROOT: central slopes at the end; sizes of coordinates. */
static void scales_do_not_matter(void **state)
{
    (void)state;
    box b = {.f = stretched, .d = 10};
    ended end = solve(&b, NULL, 4000);
    assert_true(end.F < 1e-9);
    assert_int_equal(end.r.reason, ZO_AT_END);
}

/* Curvature beside the diagonal: the first matrix is neither the bends along axes nor as large as they are. */
static void columns_go_together(void **state)
{
    (void)state;
    box b = {.f = rare_columns, .d = 40};
    ended end = solve(&b, NULL, 500);
    if (!(end.F < 1e-4)) fail_msg("F %g", end.F); /* 4.6e-4 with the bends */
}

/* A kink is no optimum of a smooth function: that is not called converged, and the search gets to it. */
static void kinks_are_searched(void **state)
{
    (void)state;
    box b = {.f = kinks, .d = 5};
    ended end = solve(&b, NULL, 6000);
    assert_true(end.F < 1e-4);
    assert_int_not_equal(end.r.reason, ZO_AT_END);
}

static void plateaus_are_searched(void **state)
{
    (void)state;
    box b = {.f = steps, .d = 6};
    ended end = solve(&b, (double[]){9, -7, 5, 3, 8, -2}, 6000);
    assert_true(end.F <= 1);
}

/* TABLE: noise that repeats is a function of x. */
static void ripples_are_seen(void **state)
{
    (void)state;
    box b = {.f = ripples, .d = 6};
    ended end = solve(&b, (double[]){40, -30, 20, 10, -40, 30}, 4000);
    assert_non_null(strstr(end.r.chosen, "(differences)"));
    assert_true(bowl(b.d, end.x) < 0.02);
}

/* Powell's singular function, with ripples of a thousandth. */
static double singular(const double *x)
{
    return pow(x[0] + 10 * x[1], 2) + 5 * pow(x[2] - x[3], 2) + pow(x[1] - 2 * x[2], 4) +
           10 * pow(x[0] - x[3], 4);
}

static double rippled(size_t d, const double *x)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++) sum += fabs(x[j]);
    return singular(x) * (1 + 1e-3 * sin(97 * sum) * cos(89 * x[0]));
}

/* QUIETER: noise that falls with f is measured again as f falls. F = 1.6e6 at the start. */
static void noise_falls_with_f(void **state)
{
    (void)state;
    box b = {.f = rippled, .d = 4};
    ended end = solve(&b, (double[]){30, -10, 0, 10}, 600);
    if (!(singular(end.x) < 1e-3)) fail_msg("%g", singular(end.x));
}

/* Nothing changes near x: that is a step, and no minimum, for any seed. */
static double terraces(size_t d, const double *x)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++) sum += floor(x[j] + 0.5) * floor(x[j] + 0.5);
    return sum;
}

static void plateaus_are_left(void **state)
{
    (void)state;
    static const double x0[] = {-7.3, 10.2, -7.3, 10.2, -7.3, 10.2, -7.3, 10.2, -7.3, 10.2};
    for (uint64_t seed = 1; seed <= 5; seed++) {
        box b = {.f = terraces, .d = 10, .seed = seed};
        ended end = solve(&b, x0, 5000);
        if (!(end.F <= 1)) fail_msg("seed %d: %g", (int)seed, end.F);
    }
}

/* And there are none in a smooth function. */
static void smooth_functions_have_none(void **state)
{
    (void)state;
    static const double x0[] = {-1.2, 1, -1.2, 1, -1.2, 1};
    box b = {.f = valley, .d = 6};
    ended end = solve(&b, x0, 20000);
    assert_null(strstr(end.r.chosen, "noise"));
    assert_true(end.F < 1e-12 && end.r.queries < 2000);
    assert_int_equal(end.r.reason, ZO_AT_END);
}

/* SAME_NOISE: noise of a part of f is less where f is. */
static void noise_is_measured_again(void **state)
{
    (void)state;
    box b = {.f = bowl, .d = 5, .relative = 1e-3};
    ended end = solve(&b, (double[]){50, 40, -30, 20, 10}, 5000);
    assert_true(end.F < 1e-4);
}

/* MORE_COPIES: with budget left values are averaged. */
static void noise_is_averaged(void **state)
{
    (void)state;
    box b = {.f = bowl, .d = 5, .noise = 0.1}, again = b;
    double little = solve(&b, NULL, 400).F, much = solve(&again, NULL, 60000).F;
    assert_true(little < 1 && much < 1e-3);
}

static void points_without_a_value_are_left(void **state)
{
    (void)state;
    box b = {.f = walled, .d = 4, .noise = 1e-2};
    ended end = solve(&b, (double[]){2.9, 2.9, 2.9, 2.9}, 3000);
    assert_int_not_equal(end.r.reason, ZO_AT_NONFINITE);
    assert_true(end.F < 0.05);
}

/* No value where the sum of x is above d/2: the minimizer of |A(x - 1)|^2 lies on that edge. */
static double edged(size_t d, const double *x)
{
    double sum = 0, f = 0;
    for (size_t j = 0; j < d; j++) {
        sum += x[j];
        f += pow((double)(j + 1) * (x[j] - 1), 2);
    }
    return sum > 0.5 * (double)d ? NAN : f;
}

/* MOST_EDGES: with multipliers F there is (d/2)^2 / sum_j 1/j^2. */
static void edges_are_searched(void **state)
{
    (void)state;
    box b = {.f = edged, .d = 5};
    ended end = solve(&b, (double[]){-1, -1, -1, -1, -1}, 3000);
    assert_true(fabs(end.F - 6.25 / (1 + 1. / 4 + 1. / 9 + 1. / 16 + 1. / 25)) < 1e-3);
}

static void no_question_leaves_a_box(void **state)
{
    (void)state;
    box of[] = {{.f = bowl, .d = 4, .lo = -1, .hi = 0.5},
                {.f = kinks, .d = 4, .lo = -1, .hi = 0.5},
                {.f = bowl, .d = 4, .lo = -1, .hi = 0.5, .noise = 1e-2}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        ended end = solve(&of[k], (double[]){0.5, 0, -1, 0.2}, 3000);
        assert_int_equal(of[k].outside, 0);
        assert_true(end.F < of[k].f(4, (double[]){0.5, 0.5, 0.5, 0.5}) + 0.02);
    }
}

static double misra(size_t d, const double *x)
{
    double sum = 0;
    (void)d;
    for (int k = 1; k < 15; k++) {
        double t = 50.0 * k, y = 240 * (1 - exp(-5.5e-4 * t)) + 0.1 * sin((double)k);
        double r = y - x[0] * (1 - exp(-x[1] * t));
        sum += r * r;
    }
    return sum;
}

/* state_error: where slopes are off, so much is stated. Parameters of very different size. */
static void what_is_stated_is_true(void **state)
{
    (void)state;
    box b = {.f = misra, .d = 2};
    ended end = solve(&b, (double[]){500, 1e-4}, 1500);
    assert_int_equal(end.r.reason, ZO_AT_END);
    double squares = 0;
    for (size_t j = 0; j < 2; j++) {
        double h = 1e-5 * fabs(end.x[j]), up, down, x = end.x[j];
        end.x[j] = x + h;
        up = misra(2, end.x);
        end.x[j] = x - h;
        down = misra(2, end.x);
        end.x[j] = x;
        squares += pow((up - down) / (2 * h), 2);
    }
    if (!(sqrt(squares) <= 10 * end.r.residual))
        fail_msg("stated %g, true %g", end.r.residual, sqrt(squares));
}

/* TURNED: along the floor of a valley slopes are exact only over lengths that no axis allows. */
static void noisy_valleys_are_followed(void **state)
{
    (void)state;
    static const double x0[] = {-1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1};
    double most = 0;
    for (uint64_t k = 0; k < 3; k++) {
        box b = {.f = valley, .d = 10, .noise = 1e-3, .calls = 1000000 * k};
        most += solve(&b, x0, 20000).F / 3;
    }
    if (!(most < 3e-3)) fail_msg("%g", most);
}

/* A decay and an offset, parameters from 1e-9 to 1e3. */
static double decay(size_t d, const double *x)
{
    double sum = 0;
    (void)d;
    for (int k = 0; k < 20; k++) {
        double t = 1e8 * k, y = 1 + 900 * exp(-2.3e-9 * t);
        double r = y - x[0] - x[1] * exp(-x[2] * t);
        sum += r * r;
    }
    return sum;
}

/* Systems in units of the diagonal, floors in units of sizes. */
static void parameters_of_any_size_are_fitted(void **state)
{
    (void)state;
    box b = {.f = decay, .d = 3};
    ended end = solve(&b, (double[]){2, 700, 1e-9}, 1500);
    if (!(end.F < 0.1)) fail_msg("%g", end.F);
}

/* CUBE_ROOT: forward slopes of a function that is far from 0 do not reach the end. */
static double lifted(size_t d, const double *x) { return 100 + valley(d, x); }

static void the_end_is_reached_by_central_slopes(void **state)
{
    (void)state;
    box b = {.f = lifted, .d = 6};
    ended end = solve(&b, (double[]){-1.2, 1, -1.2, 1, -1.2, 1}, 3000);
    if (!(end.F - 100 < 1e-10)) fail_msg("%g", end.F - 100);
}

/* Budgets that do not pay for bends, nor for values that repeat, buy steps all the same. */
static void small_budgets_buy_steps(void **state)
{
    (void)state;
    static const double x0[] = {-1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1};
    box b = {.f = valley, .d = 10};
    double first = valley(10, x0);
    for (uint64_t queries = 14; queries < 40; queries += 4) {
        ended end = solve(&b, x0, queries);
        assert_true(end.r.queries <= queries);
        if (!(end.F < 0.8 * first)) fail_msg("%g after %d", end.F / first, (int)queries);
    }
}

static double far_bowl(size_t d, const double *x)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++) sum += (x[j] - (double)j) * (x[j] - (double)j);
    return sum;
}

/* The nearest point of a ball: no coordinate can be asked by itself. */
static void a_ball_is_not_left(void **state)
{
    (void)state;
    box b = {.f = far_bowl, .d = 4, .psi = zo_l2_ball(1)};
    double x0[MOST_D] = {0};
    ended end = solve(&b, x0, 2000);
    for (size_t j = 0; j < b.d; j++) assert_true(fabs(end.x[j] - (double)j / sqrt(14)) < 1e-5);
    assert_true(vec_norm(b.d, end.x) <= 1 + 1e-12);
}

static double rounded_bowl(size_t d, const double *x) { return (double)(float)(1 + bowl(d, x)); }

/* Single precision is noise that two values do not show. */
static void rounded_values_are_noise(void **state)
{
    (void)state;
    box b = {.f = rounded_bowl, .d = 5};
    double x0[MOST_D] = {0};
    ended end = solve(&b, x0, 3000);
    if (!(bowl(b.d, end.x) < 1e-6)) fail_msg("%s: %g", end.r.chosen, bowl(b.d, end.x));
}

static void too_little_memory_is_refused(void **state)
{
    (void)state;
    box b = {.f = bowl};
    zo_problem p = {.n = 1, .d = 400, .value = box_value, .ctx = &b};
    static const char *const names[] = {"mean", "inq", "sinq"};
    for (size_t k = 0; k < 3; k++) {
        zo_settings set = settings_of(names[k]);
        zo_solver *s;
        zo_error e = {0};
        set.memory = 1048576; /* the least that a setting may be */
        assert_int_equal(zo_new(&s, &p, &set, &e), ZO_BAD_ARGUMENT);
        assert_null(s);
        char says[32];
        snprintf(says, sizeof says, "memory: %s ", names[k]);
        if (strncmp(e.text, says, strlen(says))) fail_msg("%s", e.text);
    }
}

static double two(size_t d, const double *x)
{
    (void)d;
    return pow(x[0] - 1, 2) + pow(x[1] - 2, 2) + 0.5 * pow(x[0] * x[1] - 1, 2);
}

/* Parameters in units of 3e-12, 7e-10 and 2e5: a decay. */
static double tiny_units(size_t d, const double *x)
{
    double sum = 0;
    (void)d;
    for (int k = 0; k < 12; k++) {
        double t = 0.3 * k, m = x[0] / 3e-12 * exp(-t * x[1] / 7e-10) + x[2] / 2e5;
        sum += square(m - (1.3 * exp(-0.7 * t) + 0.4));
    }
    return sum;
}

static void units_may_be_mixed(void **state)
{
    (void)state;
    static const double starts[][3] = {{9e-12, 1.4e-10, 4e5}, {1e-11, 1e-9, 1e5}};
    for (size_t k = 0; k < 2; k++) {
        box b = {.f = tiny_units, .d = 3};
        ended e = solve(&b, starts[k], 2000);
        if (!(e.F < 1e-10)) fail_msg("start %zu: %g, %s", k, e.F, zo_reason_name(e.r.reason));
    }
}

/* A coordinate near 0, of size 1: slopes along it are no worse than along others. */
static double bowl_at_two(size_t d, const double *x)
{
    (void)d;
    return 1 + square(x[0]) + square(x[1] - 2);
}

static void a_coordinate_near_zero_has_slopes(void **state)
{
    (void)state;
    box b = {.f = bowl_at_two, .d = 2};
    ended e = solve(&b, (double[]){1e-11, 1}, 2000);
    if (!(e.r.reason == ZO_AT_END && e.r.residual < 1e-6)) fail_msg("%g", e.r.residual);
}

/* ZERO: what a cosine of a right angle gives is 0. */
static void rounded_zeros_are_zeros(void **state)
{
    (void)state;
    box b = {.f = two, .d = 2};
    ended end = solve(&b, (double[]){6e-17, 1}, 1000);
    assert_int_equal(end.r.reason, ZO_AT_END);
    assert_true(end.F < 0.15426);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_maximum_is_left),
        cmocka_unit_test(a_line_has_no_end),
        cmocka_unit_test(scales_do_not_matter),
        cmocka_unit_test(columns_go_together),
        cmocka_unit_test(kinks_are_searched),
        cmocka_unit_test(plateaus_are_searched),
        cmocka_unit_test(ripples_are_seen),
        cmocka_unit_test(noise_falls_with_f),
        cmocka_unit_test(plateaus_are_left),
        cmocka_unit_test(smooth_functions_have_none),
        cmocka_unit_test(noise_is_measured_again),
        cmocka_unit_test(noise_is_averaged),
        cmocka_unit_test(points_without_a_value_are_left),
        cmocka_unit_test(edges_are_searched),
        cmocka_unit_test(no_question_leaves_a_box),
        cmocka_unit_test(small_budgets_buy_steps),
        cmocka_unit_test(what_is_stated_is_true),
        cmocka_unit_test(noisy_valleys_are_followed),
        cmocka_unit_test(parameters_of_any_size_are_fitted),
        cmocka_unit_test(the_end_is_reached_by_central_slopes),
        cmocka_unit_test(a_ball_is_not_left),
        cmocka_unit_test(rounded_values_are_noise),
        cmocka_unit_test(rounded_zeros_are_zeros),
        cmocka_unit_test(units_may_be_mixed),
        cmocka_unit_test(a_coordinate_near_zero_has_slopes),
        cmocka_unit_test(too_little_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
