/* One function of many coordinates that depends on few: what is found, what it costs, and who goes on where it does not.
 * SPDX-License-Identifier: MIT */
#include "inq_rows.h"

#include "stopped.h"

enum { WIDE = 3000, FEW = 7 };

static double centre(size_t j) { return 0.5 + 0.1 * (double)(j % 9); }
static size_t hidden(size_t k) { return (k * 401 + 17) % WIDE; }

static int quartic(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx, (void)i;
    *f = 3;
    for (size_t k = 0; k < FEW; k++) {
        double r = x[hidden(k)] - centre(k), s = k ? x[hidden(k - 1)] - centre(k - 1) : 0;
        *f += r * r + 0.3 * r * r * r * r + 0.5 * r * s;
    }
    return 0;
}

static int distance(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx, (void)i;
    *f = 0;
    for (size_t k = 0; k < FEW; k++) *f += pow(x[hidden(k)] - centre(k), 2);
    *f = sqrt(*f);
    return 0;
}

/* The five largest squares: another five after each step. */
static int largest(void *ctx, size_t i, const double *x, double *f)
{
    double top[5] = {0};
    (void)ctx, (void)i;
    for (size_t j = 0; j < WIDE; j++) {
        double v = pow(x[j] - rng_uniform(1, FOR_SYNTH, 0, j), 2);
        for (size_t k = 0; k < 5; k++)
            if (v > top[k]) {
                double kept = top[k];
                top[k] = v;
                v = kept;
            }
    }
    *f = top[0] + top[1] + top[2] + top[3] + top[4];
    return 0;
}

static int full(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx, (void)i;
    *f = 0;
    for (size_t j = 0; j < WIDE; j++) *f += (x[j] - 1) * (x[j] - 1);
    return 0;
}

static zo_problem problem(int (*value)(void *, size_t, const double *, double *), zo_prox psi)
{
    return (zo_problem){.n = 1, .d = WIDE, .value = value, .psi = psi, .threads = 1};
}

static double after(zo_problem p, uint64_t queries, zo_report *report)
{
    zo_settings set = settings_of("auto");
    zo_control c = zo_no_limits();
    zo_error e = {0};
    zo_solver *solver = solver_of(&p, &set);
    double f;
    c.max_queries = queries;
    assert_int_equal(zo_run(solver, &c, report, &e), ZO_OK);
    p.value(p.ctx, 0, zo_point(solver), &f);
    zo_free(solver);
    return f;
}

static void few_coordinates_cost_few_values(void **state)
{
    (void)state;
    zo_report report;
    assert_true(after(problem(quartic, zo_zero()), 400, &report) < 3 + 1e-9);
    assert_non_null(strstr(report.chosen, "sparse"));
    assert_true(after(problem(distance, zo_zero()), 300, &report) < 1e-8);
}

/* psi has its say: |x|_1 with a weight that holds the coordinates at 0. */
static void psi_is_minimized_too(void **state)
{
    (void)state;
    zo_report report;
    double f = after(problem(quartic, zo_l1(100)), 400, &report), first;
    static double zero[WIDE];
    quartic(NULL, 0, zero, &first);
    assert_true(f == first);
    assert_true(after(problem(quartic, zo_l1(1e-3)), 400, &report) < 3 + 1e-4);
}

static void coordinates_may_change_on_the_way(void **state)
{
    (void)state;
    zo_report report;
    static double zero[WIDE];
    double first;
    largest(NULL, 0, zero, &first);
    assert_true(after(problem(largest, zo_zero()), 1500, &report) < 0.995 * first);
    assert_null(strstr(report.chosen, "then"));
}

static void many_entries_are_left_to_another_method(void **state)
{
    (void)state;
    zo_report report;
    after(problem(full, zo_zero()), 4000, &report);
    assert_non_null(strstr(report.chosen, "many entries"));
}

static void every_question_may_be_the_last(void **state)
{
    (void)state;
    zo_problem p = problem(quartic, zo_l1(1e-3));
    zo_settings set = settings_of("sparse");
    stopped_often(&p, &set, "test_sparse.zo", 5, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_coordinates_cost_few_values),
        cmocka_unit_test(psi_is_minimized_too),
        cmocka_unit_test(coordinates_may_change_on_the_way),
        cmocka_unit_test(many_entries_are_left_to_another_method),
        cmocka_unit_test(every_question_may_be_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
