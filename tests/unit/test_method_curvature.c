/* The curvature probe: against the Hessian of a quadratic, and its price.
 * SPDX-License-Identifier: MIT */
#include "runs.h"

#include <stdio.h>

#include "method/core/method.h"
#include "problem/problem.h"

enum { N = 2000, D = 6 };

/* f_i(x) = (1/2) x'Ax + b_i'x: every sample of components has the Hessian A. */
static const double diagonal[D] = {4, 1, 0.5, 0.5, 0.1, 0.01};

static int value(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    *f = 1;
    for (size_t j = 0; j < D; j++)
        *f += x[j] * (0.5 * diagonal[j] * x[j] + sin((double)(i * D + j)));
    return 0;
}

static uint64_t probe(const char *name, double horizon, int means_only, const double *x0,
                      curvature *out)
{
    zo_problem p = {.n = N, .d = D, .value = value, .psi = zo_zero(), .means_only = means_only};
    zo_settings s = settings_of(name);
    method *m;
    callback *c;
    static double answers[256 * 2 * (D + 1)];
    uint64_t queries = 0;
    s.horizon = horizon;
    assert_int_equal(method_new(&m, &p, &s, NULL), 0);
    assert_int_equal(callback_new(&c, &p, NULL), 0);
    method_start(m, x0);
    for (;;) {
        const zo_fan *fan = method_ask(m);
        if (m->settled) break;
        assert_true(!means_only || !fan->each);
        queries += zo_fan_queries(fan);
        callback_answer(c, fan, answers);
        method_tell(m, answers);
    }
    *out = m->curve;
    assert_int_equal(m->step, 0);
    method_free(m);
    callback_free(c);
    return queries;
}

static void quadratic_is_measured(void **state)
{
    (void)state;
    const double far[D] = {30, -20, 10, 0, 0, 5}, *starts[2] = {NULL, far};
    for (int k = 0; k < 4; k++) {
        curvature e;
        uint64_t queries = probe("psvrg", NAN, k % 2, starts[k / 2], &e);
        assert_true(fabs(e.top / 4 - 1) < 0.02);
        assert_true(e.trace > 3 && e.trace < 12); /* 6.11, eight gaussian directions */
        if (k % 2 == 0) assert_true(fabs(e.each / 4 - 1) < 0.02); /* |Av|^2/v'Av */
        assert_true((double)queries <= 0.12 * N * D + 8 * 17);
    }
}

static void price_follows_the_horizon(void **state)
{
    (void)state;
    curvature e;
    uint64_t queries = probe("psvrg", 1000, 0, NULL, &e); /* a twelfth of a unit: the trace alone */
    assert_int_equal(queries, 8 * 17);
    assert_true(e.top == e.trace && e.each == e.trace);
    assert_int_equal(probe("zosgd", NAN, 0, NULL, &e), 8 * 17);
    assert_true((double)probe("pgd", 100.0 * N * D, 0, NULL, &e) <= 0.12 * N * D + 8 * 17);
}

/* ---- Steps that curvature at the start makes too long ----------------------------------------------- */

/* |r| - 1/2 outside [-1, 1]: flat at the start, curved at the solution. */
static int huber(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    double r = 5 * x[i % D] - 20 - (double)i / N;
    *f = fabs(r) <= 1 ? 0.5 * r * r : fabs(r) - 0.5;
    return 0;
}

static void too_long_steps_are_shortened(void **state)
{
    (void)state;
    const char *const names[] = {"pgd", "fista", "psvrg"};
    for (int k = 0; k < 3; k++) {
        zo_problem p = {.n = N, .d = D, .value = huber, .psi = zo_squared_l2(1e-3)};
        zo_settings s = settings_of(names[k]);
        zo_solver *solver = solver_of(&p, &s);
        zo_report r = run_units(solver, 300);
        if (!(r.objective < 0.3)) fail_msg("%s: F = %g, %s", names[k], r.objective, r.chosen);
        zo_free(solver);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadratic_is_measured),
        cmocka_unit_test(price_follows_the_horizon),
        cmocka_unit_test(too_long_steps_are_shortened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
