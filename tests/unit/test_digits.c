/* lm where residuals are good to a few digits: simulators iterate until a tolerance is met, and print what they have.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "suites/morewild.h"
#include "zoprox.h"

typedef struct box {
    const mw_problem *p;
    int digits;  /* printed; 0: all */
    double wave; /* or a relative error that looks like noise, and repeats */
    uint64_t calls, reached;
    double goal;
} box;

static double few(int digits, double v)
{
    char text[32];
    snprintf(text, sizeof text, "%.*e", digits - 1, v);
    return atof(text);
}

static int all(void *ctx, const double *x, double *r)
{
    box *b = ctx;
    mw_residuals(b->p, x, r);
    double sum = 0, phase = 0;
    for (size_t i = 0; i < b->p->m; i++) sum += r[i] * r[i];
    for (size_t j = 0; j < b->p->d; j++) phase += 1e9 * x[j];
    b->calls++;
    if (!b->reached && sum <= b->goal) b->reached = b->calls;
    for (size_t i = 0; i < b->p->m; i++) {
        r[i] *= 1 + b->wave * sin(phase * (double)(i + 1));
        if (b->digits) r[i] = few(b->digits, r[i]);
    }
    return 0;
}

/* Standard errors at the end, or at a budget. */
static zo_report solve(box *b, uint64_t points, double *error)
{
    zo_problem p = {.n = b->p->m, .d = b->p->d, .all = all, .ctx = b, .outer = zo_squares()};
    zo_settings s = zo_defaults();
    zo_control c = zo_no_limits();
    zo_solver *solver;
    zo_report r = {0};
    zo_error e;
    double x[MW_MOST];
    c.max_points = points;
    mw_start(b->p, x);
    b->goal = b->p->best + 1e-5 * (mw_sum(b->p, x) - b->p->best);
    if (zo_new(&solver, &p, &s, &e) || zo_start(solver, x, &e) || zo_run(solver, &c, &r, &e) ||
        zo_covariance(solver, NULL, error, NULL, &e))
        fail_msg("%s, %d points: %s", mw_name(b->p->function), (int)points, e.text);
    zo_free(solver);
    return r;
}

static void expect_near(size_t d, const double *error, const double *right, double part)
{
    for (size_t j = 0; j < d; j++)
        if (!(fabs(error[j] / right[j] - 1) < part))
            fail_msg("the error of x_%zu is %g, not %g", j, error[j], right[j]);
}

/* Bard, Kowalik and Osborne, Osborne 1 and 2, numbered from 0. */
static const size_t fits[] = {14, 16, 35, 36};
enum { FITS = sizeof fits / sizeof *fits };

/* The run ends by itself, soon after what it took to get there, and its standard errors are right. */
static void test_ends(void **state)
{
    (void)state;
    for (size_t k = 0; k < FITS; k++) {
        const mw_problem *p = &mw_problems[fits[k]];
        double right[MW_MOST], error[MW_MOST];
        solve(&(box){.p = p}, 5000, right);
        const box boxes[] = {{.p = p, .digits = 5}, {.p = p, .digits = 6},  {.p = p, .digits = 7},
                             {.p = p, .digits = 9}, {.p = p, .wave = 1e-5}, {.p = p, .wave = 1e-7},
                             {.p = p, .wave = 1e-9}};
        for (size_t v = 0; v < sizeof boxes / sizeof *boxes; v++) {
            box b = boxes[v];
            zo_report r = solve(&b, 5000, error);
            assert_true(b.reached);
            if (r.reason != ZO_AT_NOISE && r.reason != ZO_AT_END)
                fail_msg("%s", zo_reason_name(r.reason));
            if (!(b.calls <= 2 * b.reached + 8 * p->d))
                fail_msg("fit %zu, %zu: %d points, %d were needed", k, v, (int)b.calls,
                         (int)b.reached);
            expect_near(p->d, error, right, 0.05);
        }
    }
}

/* At any budget behind the least F too. */
static void test_any_budget(void **state)
{
    (void)state;
    const mw_problem *p = &mw_problems[35];
    double right[MW_MOST], error[MW_MOST];
    box b = {.p = p, .digits = 6};
    solve(&(box){.p = p}, 5000, right);
    solve(&b, 5000, error);
    for (uint64_t points = b.reached + 10; points < b.calls; points++) {
        box again = {.p = p, .digits = 6};
        solve(&again, points, error);
        expect_near(p->d, error, right, 0.1);
    }
}

/* Curvature is not taken for noise. */
static void test_exact(void **state)
{
    (void)state;
    for (size_t k = 0; k < MW_COUNT; k++) {
        double error[MW_MOST];
        zo_report r = solve(&(box){.p = &mw_problems[k]}, 5000, error);
        if (strstr(r.chosen, "good to") || r.reason != ZO_AT_END)
            fail_msg("%zu: %s, %s", k, r.chosen, zo_reason_name(r.reason));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ends),
                                       cmocka_unit_test(test_any_budget),
                                       cmocka_unit_test(test_exact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
