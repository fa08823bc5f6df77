/* Small and awkward problems: one dimension, few unequal components, functions that are 0 at the start.
 * SPDX-License-Identifier: MIT */
#include "runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = 5 };

static int slope(void *ctx, size_t i, const double *x,
                 double *f) /* in one dimension; rises or falls */
{
    (void)i;
    *f = *(const double *)ctx * x[0] + 0.5 * x[0] * x[0] + 1;
    return 0;
}

static int unequal(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    size_t j = i % D, k = (i + 1) % D;
    *f = 0.5 * (1 + (double)i) * (x[j] - 1) * (x[j] - 1) + 0.1 * x[j] * x[k];
    return 0;
}

static int linear(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    *f = -x[i % D];
    return 0;
}

/* (1/2) x'Ax - b'x */
static int homogeneous(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    double v = x[i % D];
    *f = 0.5 * v * v * (double)(1 + i % 4) - v;
    return 0;
}

static zo_report solve(zo_problem p, const char *method, double units, uint64_t seed)
{
    zo_settings s = settings_of(method);
    zo_control c = zo_no_limits();
    zo_solver *solver;
    zo_report r;
    s.seed = seed;
    c.max_units = units;
    assert_int_equal(zo_new(&solver, &p, &s, NULL), 0);
    assert_int_equal(zo_start(solver, NULL, NULL), 0);
    assert_int_equal(zo_run(solver, &c, &r, NULL), 0);
    zo_free(solver);
    return r;
}

static void one_dimension_goes_both_ways(void **state)
{
    (void)state;
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t k = 0; k < count; k++)
        for (double way = -1; way <= 1; way += 2) {
            zo_problem p = {.n = 1, .d = 1, .value = slope, .ctx = &way};
            zo_report r = solve(p, rows[k].name, 400, 1);
            if (r.reason == ZO_AT_NONFINITE || !(r.objective < 0.6))
                fail_msg("%s, slope %g: F = %g, stopped at %s", rows[k].name, way, r.objective,
                         zo_reason_name(r.reason));
        }
}

static void few_unequal_components_do_not_drive_saga_apart(void **state)
{
    (void)state;
    zo_problem p = {.n = 5, .d = D, .value = unequal};
    for (uint64_t seed = 1; seed <= 3; seed++) {
        zo_report r = solve(p, "saga", 200, seed);
        if (!(r.objective < 0.1)) fail_msg("seed %d: F = %g, %s", (int)seed, r.objective, r.chosen);
    }
}

/* Passes that look better or worse by the luck of the draw must not wear the step down. */
static void long_runs_keep_sagas_step(void **state)
{
    (void)state;
    zo_problem p = {.n = 5, .d = D, .value = unequal};
    zo_report r = solve(p, "saga", 20000, 1);
    assert_true(r.settings.step > 0.05);
    assert_true(r.residual < 1e-6);
}

static void functions_that_are_0_at_the_start(void **state)
{
    (void)state;
    size_t sizes[] = {D, 20, 200};
    for (int k = 0; k < 3; k++) {
        zo_problem p = {.n = sizes[k], .d = D, .value = linear, .psi = zo_box(-1, 1)};
        zo_report r = solve(p, "inq", 50, 1);
        if (!(fabs(r.objective + 1) < 1e-9))
            fail_msg("n = %zu: F = %g in the box", p.n, r.objective);
        p = (zo_problem){.n = sizes[k], .d = D, .value = homogeneous};
        double inq = solve(p, "inq", 50, 1).objective, fista = solve(p, "fista", 300, 1).objective;
        if (!(fabs(inq - fista) < 1e-9))
            fail_msg("n = %zu: F = %.12g, fista %.12g", p.n, inq, fista);
    }
}

/* All components but one are constant and 0: the sample that is seen first says nothing about lengths. */
static int lonely(void *ctx, size_t i, const double *x, double *f)
{
    *f = i == *(const size_t *)ctx ? (x[0] - 1) * (x[0] - 1) : 0;
    return 0;
}

static void one_component_that_is_not_constant(void **state)
{
    (void)state;
    for (size_t who = 0; who < 10; who++) {
        zo_problem p = {.n = 10, .d = D, .value = lonely, .ctx = &who};
        zo_report r = solve(p, "auto", 60, 1);
        if (!(r.objective < 1e-9))
            fail_msg("component %zu: F = %g, %s", who, r.objective, zo_reason_name(r.reason));
    }
}

/* A barrier: not a number where a coordinate is negative, and the first Newton step goes there. */
static int barrier(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    *f = 0;
    for (size_t j = 0; j < D; j++) *f += (0.02 + 0.001 * (double)(i % 20)) * x[j] - log(x[j]);
    return 0;
}

static void inq_rejects_points_outside_the_domain(void **state)
{
    (void)state;
    for (size_t k = 0, n = 20; k < 6; n = k++ % 2 ? n * 10 : n) { /* 20, 20, 200, 200, 2000, 2000 */
        zo_problem p = {.n = n, .d = D, .value = barrier};
        zo_settings s = settings_of("inq");
        zo_control c = zo_no_limits();
        zo_solver *solver;
        zo_report r;
        const double x0[D] = {100, 60, 40, 80, 90};
        s.nonfinite = k % 2 ? ZO_STOP : ZO_REJECT;
        c.max_units = 100;
        assert_int_equal(zo_new(&solver, &p, &s, NULL), 0);
        assert_int_equal(zo_start(solver, x0, NULL), 0);
        assert_int_equal(zo_run(solver, &c, &r, NULL), 0);
        double best = D * (1 + log(0.0295));
        if (!(r.objective < best + 1e-6))
            fail_msg("n = %zu: F = %.9g above %.9g, stopped at %s", n, r.objective, best,
                     zo_reason_name(r.reason));
        assert_true(r.retried > 0);
        zo_free(solver);
    }
}

/* Components of one index each, on top of a large constant: differences of the usual radius drown in rounding. */
static int lifted(void *ctx, size_t i, const double *x, double *f)
{
    double v = x[i % D] - 0.5 * x[(i / D) % D] - 0.2;
    *f = *(const double *)ctx + log(cosh(v)) + 0.05 * vec_dot(D, x, x);
    return 0;
}

static void constants_do_not_hide_f(void **state)
{
    (void)state;
    double none = 0, best = NAN, heights[] = {0, 1e4, 1e7, 1e10},
           within[] = {1e-15, 1e-8, 1e-6, 1e-3};
    const char *const methods[] = {"auto", "fista"};
    for (int m = 0; m < 2; m++)
        for (int k = 0; k < 4 - m; k++) { /* the curvature that fista starts from drowns at 1e10 */
            zo_problem p = {.n = 200, .d = D, .value = lifted, .ctx = &heights[k]};
            zo_settings s = settings_of(methods[m]);
            zo_solver *solver = solver_of(&p, &s);
            zo_report r = run_units(solver, 60);
            double F = 0, f;
            for (size_t i = 0; i < p.n; i++) {
                lifted(&none, i, zo_point(solver), &f);
                F += f / (double)p.n;
            }
            if (k == 0 && m == 0) best = F;
            if (!(F < best + within[k] + 1e-9 * m))
                fail_msg("%s on top of %g: F = %.12g, least %.12g, %s", methods[m], heights[k], F,
                         best, r.chosen);
            assert_true(m || (heights[k] >= 1e7) == (strstr(r.chosen, "are rounded") != NULL));
            zo_free(solver);
        }
}

/* Columns from 1 to 1e5, as data comes: the usual radius is far too large along the last ones. The least is 0.5, at
 * x_j = 1/10^j: every row has a residual of 1 or -1 there, whose products with the columns cancel. */
static int steep(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    double m = i & 1 ? 1 : -1, scale = 1;
    for (size_t j = 0; j < D; j++, scale *= 10)
        m += (1 + (double)((i / 2) >> j & 1)) *
             (scale * x[j] - 1); /* rows 2k and 2k + 1 are alike */
    *f = 0.5 * m * m;
    return 0;
}

static void steep_columns_shrink_the_radius(void **state)
{
    (void)state;
    zo_problem p = {.n = 64, .d = D, .value = steep};
    zo_report r = solve(p, "inq", 60, 1);
    if (!(fabs(r.objective - 0.5) < 1e-6)) fail_msg("F = %.10g, %s", r.objective, r.chosen);
    assert_non_null(strstr(r.chosen, "f is steep"));
    r = solve(p, "auto", 60, 1);
    if (!(fabs(r.objective - 0.5) < 1e-6)) fail_msg("F = %.10g, %s", r.objective, r.chosen);
}

static void values_whose_squares_overflow_stop_with_a_word(void **state)
{
    (void)state;
    double huge = 1e300;
    zo_problem p = {.n = 20, .d = D, .value = lifted, .ctx = &huge};
    zo_report r = solve(p, "auto", 10, 1);
    assert_int_equal(r.reason, ZO_AT_NONFINITE);
    assert_non_null(strstr(r.warning, " was 1e+300 at query 1: beyond 1e150 squares overflow"));
}

/* Many answers are judged together: large ones pass as long as each of them can be used, wherever one is that cannot. */
static void the_largest_answers_are_used(void **state)
{
    (void)state;
    enum { N = 100 };
    double answers[N * (D + 1)];
    zo_problem p = {.n = N, .d = D, .value = linear};
    zo_settings s = settings_of("saga");
    s.step = s.radius = s.batch = 1;
    for (size_t bad = 0; bad <= N * (D + 1); bad += 25) {
        zo_solver *solver;
        const zo_fan *fan;
        zo_report r;
        assert_int_equal(zo_new(&solver, &p, &s, NULL) || zo_start(solver, NULL, NULL) ||
                             zo_ask(solver, &fan, NULL),
                         0);
        assert_int_equal(zo_fan_answers(fan), N * (D + 1));
        for (size_t k = 0; k < N * (D + 1); k++)
            answers[k] = k == bad ? 1.1e150 : k % 2 ? -0.9e150 : 0.9e150;
        assert_int_equal(zo_tell(solver, answers, NULL), 0);
        zo_look(solver, &r);
        assert_int_equal(r.failures, bad < N * (D + 1));
        zo_free(solver);
    }
}

static void missing_pointers_are_named(void **state)
{
    (void)state;
    zo_problem p = {.n = 5, .d = D, .value = linear};
    zo_settings s = zo_defaults();
    zo_solver *solver;
    zo_error e;
    assert_int_equal(zo_new(&solver, NULL, &s, &e), ZO_BAD_ARGUMENT);
    assert_null(solver);
    assert_string_equal(e.text, "problem: NULL");
    assert_int_equal(zo_new(&solver, &p, NULL, &e), ZO_BAD_ARGUMENT);
    assert_string_equal(e.text, "settings: NULL");
    assert_int_equal(zo_new(&solver, &p, &s, &e), ZO_OK);
    assert_int_equal(zo_run(solver, NULL, NULL, &e), ZO_BAD_ARGUMENT);
    assert_string_equal(e.text, "control: NULL");
    const zo_fan *fan;
    assert_int_equal(zo_start(NULL, NULL, &e), ZO_BAD_ARGUMENT);
    assert_int_equal(zo_ask(NULL, &fan, &e), ZO_BAD_ARGUMENT);
    assert_string_equal(e.text, "solver: NULL");
    assert_int_equal(zo_start(solver, NULL, &e), ZO_OK);
    assert_int_equal(zo_ask(solver, NULL, &e), ZO_BAD_ARGUMENT);
    assert_string_equal(e.text, "fan: NULL");
    assert_int_equal(zo_ask(solver, &fan, &e), ZO_OK);
    assert_int_equal(zo_tell(solver, NULL, &e), ZO_BAD_ARGUMENT);
    assert_string_equal(e.text, "answers: NULL");
    assert_int_equal(zo_save(solver, NULL, &e), ZO_BAD_ARGUMENT);
    assert_string_equal(e.text, "path: NULL");
    assert_int_equal(zo_load(NULL, "x", &e), ZO_BAD_ARGUMENT);
    zo_free(solver);
}

static void what_cannot_be_counted_is_refused(void **state)
{
    (void)state;
    zo_problem p = {.n = SIZE_MAX / 4, .d = D, .value = linear};
    zo_settings s = zo_defaults();
    zo_solver *solver;
    zo_error e;
    assert_int_equal(zo_new(&solver, &p, &s, &e), ZO_BAD_ARGUMENT);
    assert_non_null(strstr(e.text, "n: 4611686018427387903 components in 5 dimensions"));
}

static int flat(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx, (void)x;
    *f = (double)i;
    return 0;
}

/* A run that learns nothing ends like one that is done: residual 0, no step taken. It has to say so. */
static void a_flat_f_gets_a_warning(void **state)
{
    (void)state;
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    zo_problem still = {.n = 20, .d = D, .value = flat},
               moving = {.n = 20, .d = D, .value = linear};
    moving.psi = zo_l1(10); /* stays at 0 too, and rightly */
    for (size_t k = 0; k < count; k++) {
        zo_report r = solve(still, rows[k].name, 20, 1);
        if (!strstr(r.warning, "f never changed"))
            fail_msg("%s: warning '%s'", rows[k].name, r.warning);
        r = solve(moving, rows[k].name, 20, 1);
        if (strstr(r.warning, "f never changed")) fail_msg("%s: warned of a slope", rows[k].name);
    }
}

/* max_j |x_j - 1|: at 0 no single coordinate changes it, and yet it depends on x. What is said is true of that, too. */
static int kinked(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    *f = 0;
    for (size_t j = 0; j < D; j++) *f = fmax(*f, fabs(x[j] - 1 - 0.1 * (double)i));
    return 0;
}

static void a_kink_is_not_called_flat(void **state)
{
    (void)state;
    zo_problem p = {.n = 20, .d = D, .value = kinked};
    zo_report r = solve(p, "inq", 20, 1);
    assert_non_null(strstr(r.warning, "where it was asked"));
    assert_non_null(strstr(r.warning, "a kink"));
}

/* f + Cauchy noise, the same every time. */
static int wild(void *ctx, size_t i, const double *x, double *f)
{
    uint64_t *asked = ctx;
    double u = fmod(0.6180339887498949 * (double)++*asked, 1);
    *f = 0.01 * tan(3.14159265358979 * (u - 0.5));
    for (size_t j = 0; j < D; j++) *f += (x[j] - cos((double)(i * D + j))) * (x[j] - 1);
    return 0;
}

static void a_rise_by_orders_gets_a_warning(void **state)
{
    (void)state;
    uint64_t asked = 0;
    zo_problem p = {.n = 20, .d = D, .value = wild, .ctx = &asked};
    zo_report r = solve(p, "saga", 60, 1);
    assert_true(r.objective < 1e3); /* the best point is returned all the same */
    if (!strstr(r.warning, "F rose from")) fail_msg("F %g: warning '%s'", r.objective, r.warning);
    p = (zo_problem){.n = 20, .d = D, .value = linear};
    p.psi = zo_l1(10);
    r = solve(p, "saga", 20, 1);
    assert_null(strstr(r.warning, "F rose"));
}

/* A logistic loss whose values come as single precision, or as printed, or exact. */
static int printed(void *ctx, size_t i, const double *x, double *f)
{
    const char *format = ctx;
    char text[40];
    double m = 0, v;
    for (size_t j = 0; j < D; j++) m += (i % 3 ? 1 : -1) * sin((double)(i * D + j + 1)) * x[j];
    v = log1p(exp(m)) + 0.1 * (x[0] - 1) * (x[0] - 1);
    snprintf(text, sizeof text, format, v);
    *f = *format == 'f' ? (double)(float)v : strtod(text, NULL);
    return 0;
}

/* One-hot hinges are round numbers, and exact: nothing is to be made of that. */
static int hinge(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    double m = (i % 3 ? 1 : -1) * x[i % D];
    *f = m > 1 ? 0 : m > 0 ? 0.5 * (1 - m) * (1 - m) : 0.5 - m;
    return 0;
}

static void rounded_values_widen_the_radius(void **state)
{
    (void)state;
    char exact[] = "%.17g", *formats[] = {"f", "%.6g", "%.4f", "%.10g"};
    double within[] = {1e-7, 1e-6, 1e-4, 1e-10}; /* objectives are rounded too */
    zo_problem p = {.n = 300, .d = D, .value = printed, .ctx = exact, .psi = zo_l1(1e-3)};
    zo_report best = solve(p, "auto", 100, 1);
    assert_null(strstr(best.chosen, "rounded"));
    for (int k = 0; k < 4; k++) {
        p.ctx = formats[k];
        zo_report r = solve(p, "auto", 100, 1);
        if (!strstr(r.chosen, "values come rounded") || !(r.objective < best.objective + within[k]))
            fail_msg("'%s': %g above after %g units (%s), %s", formats[k],
                     r.objective - best.objective, r.units, zo_reason_name(r.reason), r.chosen);
    }
    p.value = hinge;
    assert_null(strstr(solve(p, "auto", 5, 1).chosen, "rounded"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_dimension_goes_both_ways),
        cmocka_unit_test(few_unequal_components_do_not_drive_saga_apart),
        cmocka_unit_test(long_runs_keep_sagas_step),
        cmocka_unit_test(functions_that_are_0_at_the_start),
        cmocka_unit_test(one_component_that_is_not_constant),
        cmocka_unit_test(inq_rejects_points_outside_the_domain),
        cmocka_unit_test(constants_do_not_hide_f),
        cmocka_unit_test(steep_columns_shrink_the_radius),
        cmocka_unit_test(values_whose_squares_overflow_stop_with_a_word),
        cmocka_unit_test(the_largest_answers_are_used),
        cmocka_unit_test(missing_pointers_are_named),
        cmocka_unit_test(what_cannot_be_counted_is_refused),
        cmocka_unit_test(a_flat_f_gets_a_warning),
        cmocka_unit_test(a_kink_is_not_called_flat),
        cmocka_unit_test(a_rise_by_orders_gets_a_warning),
        cmocka_unit_test(rounded_values_widen_the_radius),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
