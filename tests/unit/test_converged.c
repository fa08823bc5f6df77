/* What once was called converged and was not: a run ends so only where the true prox-gradient is what it states.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "runs.h"
#include "suites/truth.h"

enum { MOST_UNITS = 30 };

/* ---- problems of the suites, by components --------------------------------------------------------------- */

static int component(void *ctx, size_t i, const double *x, double *f)
{
    const suite_problem *p = ctx;
    double v[SUITE_MOST_PARTS];
    suite_parts(p, x, v);
    *f = p->squares ? v[i] * v[i] : v[i];
    return 0;
}

/* All of them, by point. */
static int residuals(void *ctx, const double *x, double *v)
{
    suite_parts(ctx, x, v);
    return 0;
}

/* scale: of F in what is minimized. Within 10 times, beyond what differences can tell. */
static void ends_true(suite_problem *p, const zo_problem *problem, double scale, uint64_t queries,
                      const char *method)
{
    zo_settings s = settings_of(method);
    zo_solver *solver;
    zo_error e = {0};
    if (zo_new(&solver, problem, &s, &e) || zo_start(solver, p->start, &e)) fail_msg("%s", e.text);
    zo_report r = run_queries(solver, queries);
    suite_truth t = suite_true_residual(p, scale, zo_point(solver));
    if (r.reason == ZO_AT_END && !(t.residual - t.error <= 10 * r.residual))
        fail_msg("%s by %s: %g stated, %g found: %s", p->name, method, r.residual, t.residual,
                 r.chosen);
    zo_free(solver);
}

static void is_true(suite_problem *p, const char *method)
{
    zo_problem problem = {.n = p->m, .d = p->d, .value = component, .ctx = p};
    ends_true(p, &problem, 1 / (double)p->m, MOST_UNITS * p->m * (p->d + 1), method);
}

/* Residuals that do not vanish and bend: what a difference takes for slope is stated. */
static void of_residuals(void **state)
{
    (void)state;
    static const struct {
        const char *suite;
        size_t number; /* from 1 */
    } all[] = {{"morewild", 13}, {"morewild", 14}, {"morewild", 28},
               {"morewild", 36}, {"l1", 13},       {"spectrum", 1}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        suite_problem p;
        assert_int_equal(suite_open(all[k].suite, all[k].number - 1, &p), 0);
        double scale = 0.5 / (double)p.m;
        zo_problem problem = {
            .n = p.m, .d = p.d, .all = residuals, .outer = zo_squares(), .ctx = &p};
        if (p.lambda > 0) problem.psi = zo_l1(scale * p.lambda);
        ends_true(&p, &problem, scale, 200 * (p.d + 1), "auto");
    }
}

/* All components but a few are 0 at x0; a step that throws coordinates far away; curves that are none. */
static void of_the_suites(void **state)
{
    (void)state;
    static const struct {
        const char *suite;
        size_t number; /* from 1 */
    } all[] = {{"separable", 11}, {"separable", 29}, {"separable", 32},
               {"separable", 33}, {"morewild", 18},  {"morewild", 31},
               {"morewild", 32},  {"morewild", 38},  {"morewild", 40}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        suite_problem p;
        assert_int_equal(suite_open(all[k].suite, all[k].number - 1, &p), 0);
        is_true(&p, "auto");
        if (p.d <= 20 && !p.squares) is_true(&p, "inq");
    }
}

/* ---- problems of a few lines ------------------------------------------------------------------------------ */

/* Nine of ten components are 0, everywhere. */
static void one_of_ten(const void *of, const double *x, double *v)
{
    (void)of;
    for (size_t i = 0; i < 10; i++) v[i] = i == 3 ? (x[0] - 1) * (x[0] - 1) : 0;
}

/* A maximum at the start. */
static void quartics(const void *of, const double *x, double *v)
{
    (void)of;
    for (size_t i = 0; i < 2; i++) v[i] = x[i] * x[i] * (x[i] * x[i] - 1);
}

/* Squared violations of 300 constraints a_i'x <= b_i, of which few are violated at the start. */
static void violations(const void *of, const double *x, double *v)
{
    (void)of;
    for (size_t i = 0; i < SUITE_MOST_PARTS - 6; i++) {
        double a[10], b = 1 + 0.5 * rng_uniform(2, FOR_SYNTH, i, 99);
        rng_normals(2, FOR_SYNTH, i, 0, 10, a);
        double over = vec_dot(10, a, x) + (i % 60 == 7 ? 1.3 : 0) - b;
        v[i] = over > 0 ? over * over : 0;
    }
}

static void of_a_few_lines(void **state)
{
    (void)state;
    suite_problem all[] = {{.name = "one of ten", .d = 3, .m = 10, .parts = one_of_ten},
                           {.name = "quartics", .d = 2, .m = 2, .parts = quartics},
                           {.name = "violations", .d = 10, .m = 250, .parts = violations}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        is_true(&all[k], "auto");
        is_true(&all[k], "inq");
        is_true(&all[k], "lm");
    }
}

/* ... and they do not stay where they were. */
static void a_maximum_is_left(void **state)
{
    (void)state;
    suite_problem p = {.name = "quartics", .d = 2, .m = 2, .parts = quartics};
    zo_problem problem = {.n = 2, .d = 2, .value = component, .ctx = &p};
    zo_settings s = settings_of("inq");
    zo_solver *solver = solver_of(&problem, &s);
    run_queries(solver, 4000);
    if (!(suite_value(&p, zo_point(solver)) < -0.49))
        fail_msg("F = %g", suite_value(&p, zo_point(solver)));
    zo_free(solver);
}

/* F falls without end. */
static int linear(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    *f = x[i] + 0.5 * x[1 - i];
    return 0;
}

static void a_linear_function_has_no_minimum(void **state)
{
    (void)state;
    const char *methods[] = {"auto", "inq", "lm"};
    for (size_t k = 0; k < 3; k++)
        for (size_t n = 1; n <= 2; n++) {
            zo_problem p = {.n = n, .d = 2, .value = linear};
            zo_settings s = settings_of(methods[k]);
            zo_solver *solver = solver_of(&p, &s);
            zo_report r = run_queries(solver, 4000);
            if (r.reason == ZO_AT_END)
                fail_msg("%s, n = %zu: converged: %s", methods[k], n, r.chosen);
            zo_free(solver);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_the_suites), cmocka_unit_test(of_residuals),
        cmocka_unit_test(of_a_few_lines), cmocka_unit_test(a_maximum_is_left),
        cmocka_unit_test(a_linear_function_has_no_minimum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
