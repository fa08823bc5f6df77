/* Components that are squares: lm finds out, follows their roots, and leaves what is none to others.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runs.h"
#include "suites/morewild.h"

enum { ROWS = 40, DIM = 10 };

typedef struct box {
    size_t n, d;
    const mw_problem *p;
    double (*loss)(const struct box *b, size_t i, const double *x);
    double z[ROWS][DIM];
    double noise;
    uint64_t calls, reached;
    double goal; /* of the sum; the call that reached it is kept */
} box;

static int value(void *ctx, size_t i, const double *x, double *f)
{
    box *b = ctx;
    b->calls++;
    *f = b->loss(b, i, x);
    if (b->p && !b->reached && mw_sum(b->p, x) <= b->goal) b->reached = b->calls;
    if (b->noise > 0) *f += b->noise * rng_uniform(4, FOR_CHECK, b->calls, i);
    return 0;
}

static int all(void *ctx, const double *x, double *f)
{
    box *b = ctx;
    double sum = 0;
    b->calls++;
    for (size_t i = 0; i < b->n; i++) sum += f[i] = b->loss(b, i, x);
    if (!b->reached && sum <= b->goal) b->reached = b->calls;
    return 0;
}

static zo_report solve(const zo_problem *p, const double *x0, double units, double *x)
{
    zo_settings s = settings_of("auto");
    zo_control c = zo_no_limits();
    zo_solver *solver;
    zo_report r = {0};
    zo_error e = {0};
    c.max_units = units;
    if (zo_new(&solver, p, &s, &e) || zo_start(solver, x0, &e) || zo_run(solver, &c, &r, &e))
        fail_msg("%s", e.text);
    if (x) memcpy(x, zo_point(solver), p->d * sizeof *x);
    zo_free(solver);
    return r;
}

static zo_problem by_component(box *b)
{
    return (zo_problem){.n = b->n, .d = b->d, .value = value, .ctx = b};
}

/* ---- squares ------------------------------------------------------------------------------------------ */

static double square(const box *b, size_t i, const double *x)
{
    double r[MW_MOST_RESIDUALS];
    mw_residuals(b->p, x, r);
    return r[i] * r[i];
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* In queries/n, simplex gradients to 1e-5: one function takes 13.8 in the median. */
static void squares_cost_less_than_their_sum(void **state)
{
    (void)state;
    double need[MW_COUNT];
    size_t missed = 0;
    for (size_t k = 0; k < MW_COUNT; k++) {
        const mw_problem *of = &mw_problems[k];
        box b = {.n = of->m, .d = of->d, .p = of, .loss = square};
        zo_problem p = by_component(&b);
        double x[MW_MOST];
        mw_start(of, x);
        b.goal = of->best + 1e-5 * (mw_sum(of, x) - of->best);
        solve(&p, x, 30 * (double)(of->d + 1) / (double)of->d, NULL);
        need[k] = b.reached ? (double)b.reached / (double)(of->m * (of->d + 1)) : INFINITY;
        missed += !b.reached;
    }
    qsort(need, MW_COUNT, sizeof *need, by_size);
    if (!(need[MW_COUNT / 2] <= 8)) fail_msg("median %g", need[MW_COUNT / 2]);
    assert_in_range(missed, 0, 4);
}

/* One run gives all f_i: their roots there too. Rosenbrock's residuals take 10 points, the f_i 40. */
static void by_point_too(void **state)
{
    (void)state;
    const mw_problem *of = &mw_problems[12];
    box b = {.n = of->m, .d = of->d, .p = of, .loss = square};
    zo_problem p = {.n = b.n, .d = b.d, .all = all, .ctx = &b};
    double x[MW_MOST];
    mw_start(of, x);
    b.goal = of->best + 1e-5 * (mw_sum(of, x) - of->best);
    zo_report r = solve(&p, x, 100, NULL);
    assert_string_equal(r.method, "lm");
    if (!(b.reached > 0 && b.reached <= 60)) fail_msg("%d points", (int)b.reached);
}

/* ---- what is none ---------------------------------------------------------------------------------------- */

static void fill(box *b, size_t n, double (*loss)(const box *, size_t, const double *))
{
    *b = (box){.n = n, .d = DIM, .loss = loss};
    for (size_t i = 0; i < n; i++) rng_normals(7, FOR_SYNTH, i, 0, DIM, b->z[i]);
}

/* Sums of three squares are no squares. */
static double sums(const box *b, size_t i, const double *x)
{
    double sum = 0.1;
    for (size_t k = 0; k < 3; k++) {
        double r = 1 + (double)k - vec_dot(DIM, b->z[(i + 7 * k) % ROWS], x);
        sum += r * r;
    }
    return sum;
}

static double logistic(const box *b, size_t i, const double *x)
{
    double m = vec_dot(DIM, b->z[i], x);
    return fmax(-m, 0) + log1p(exp(-fabs(m))) + 5e-3 * vec_dot(DIM, x, x);
}

/* Printed with six digits. */
static double printed(const box *b, size_t i, const double *x)
{
    return floor(logistic(b, i, x) * 1e6 + 0.5) / 1e6;
}

static double negative(const box *b, size_t i, const double *x) { return sums(b, i, x) - 5; }

static void others_go_on_where_there_are_no_squares(void **state)
{
    (void)state;
    static box b;
    const struct {
        double (*loss)(const box *, size_t, const double *);
        double noise;
        const char *why;
    } cases[] = {{sums, 0, "no squares"},
                 {logistic, 0, "one index"},
                 {negative, 0, "no squares"},
                 {printed, 0, "come rounded"},
                 {logistic, 1e-4, "noise"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        fill(&b, ROWS, cases[k].loss);
        b.noise = cases[k].noise;
        zo_problem p = by_component(&b);
        zo_report r = solve(&p, NULL, 8, NULL);
        if (!strstr(r.chosen, cases[k].why) || !strstr(r.chosen, "then inq"))
            fail_msg("case %d: %s", (int)k, r.chosen);
    }
}

/* Where a run gives all f_i there is nobody to leave them to: the f_i are modelled instead of their roots. */
static void by_point_the_values_themselves_are_modelled(void **state)
{
    (void)state;
    static box b;
    double x[DIM];
    fill(&b, ROWS, sums);
    zo_problem p = {.n = ROWS, .d = DIM, .all = all, .ctx = &b};
    zo_report r = solve(&p, NULL, 100, x);
    double sum = 0, least = 0;
    for (size_t i = 0; i < ROWS; i++) sum += sums(&b, i, x);
    zo_problem one = by_component(&b);
    solve(&one, NULL, 100, x);
    for (size_t i = 0; i < ROWS; i++) least += sums(&b, i, x);
    if (!(sum <= least * 1.01 && fabs(r.objective - sum / ROWS) <= 1e-9))
        fail_msg("%g of %g", sum, least);
}

/* Slopes that are taken home are those of what was told. */
static void slopes_are_of_what_was_told(void **state)
{
    (void)state;
    const mw_problem *of = &mw_problems[2];
    box b = {.n = of->m, .d = of->d, .p = of, .loss = square};
    zo_problem p = {.n = b.n, .d = b.d, .all = all, .ctx = &b};
    zo_settings s = settings_of("auto");
    zo_solver *solver = solver_of(&p, &s);
    run_units(solver, 100);
    double f[MW_MOST_RESIDUALS], slope[MW_MOST_RESIDUALS * MW_MOST], x[MW_MOST];
    zo_error e = {0};
    if (zo_residuals(solver, f, slope, &e)) fail_msg("%s", e.text);
    for (size_t i = 0; i < b.n; i++) {
        assert_true(fabs(f[i] - square(&b, i, zo_point(solver))) < 1e-9);
        for (size_t j = 0; j < b.d; j++) {
            memcpy(x, zo_point(solver), b.d * sizeof *x);
            x[j] += 1e-5;
            double up = square(&b, i, x);
            x[j] -= 2e-5;
            double seen = (up - square(&b, i, x)) / 2e-5;
            assert_true(fabs(slope[i * b.d + j] - seen) < 1e-3 * (1 + fabs(seen)));
        }
    }
    zo_free(solver);
}

/* Rows of zeros and ones with a ridge, as a data set of few rows has them. */
static int bits(void *ctx, size_t i, const double *x, double *f)
{
    size_t d = *(size_t *)ctx;
    double m = 0, norm = 0;
    for (size_t j = 0; j < d; j++) {
        if (i * (j + 3) * 2654435761u % 7919 % 5 < 2) m += x[j];
        norm += x[j] * x[j];
    }
    *f = log1p(exp(i % 3 ? -m : m)) + 5e-4 * norm;
    return 0;
}

/* They have one index each, which a look at a few shows, and are inq's. */
static void few_rows_of_data_are_left_at_once(void **state)
{
    (void)state;
    for (size_t d = 4; d <= 10; d += 3) {
        zo_problem p = {.n = 190, .d = d, .value = bits, .ctx = &d};
        double x[10], x0[10] = {0};
        zo_report r = solve(&p, x0, 10, x);
        assert_int_equal(r.reason, ZO_AT_END);
        if (!strstr(r.chosen, "components of one index")) fail_msg("%s", r.chosen);
    }
}

/* |x - c|^2, c = 0, 1 or 2: a ridge and a line. At the start 0 a third of them have no slope, and no say in what the others are. */
static int distance_to_few(void *ctx, size_t i, const double *x, double *f)
{
    size_t d = *(size_t *)ctx;
    *f = 0;
    for (size_t j = 0; j < d; j++) {
        double miss = x[j] - (double)(i % 3);
        *f += miss * miss;
    }
    return 0;
}

static void components_without_slope_have_no_say(void **state)
{
    (void)state;
    for (size_t d = 5; d <= 20; d += 5) {
        zo_problem p = {.n = 100, .d = d, .value = distance_to_few, .ctx = &d};
        double x[20], x0[20] = {0};
        zo_report r = solve(&p, x0, 40, x);
        assert_int_equal(r.reason, ZO_AT_END);
        if (!(r.units < 6)) fail_msg("d = %zu: %g units; %s", d, r.units, r.chosen);
        for (size_t j = 0; j < d; j++) assert_true(fabs(x[j] - 0.99) < 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squares_cost_less_than_their_sum),
        cmocka_unit_test(by_point_too),
        cmocka_unit_test(others_go_on_where_there_are_no_squares),
        cmocka_unit_test(by_point_the_values_themselves_are_modelled),
        cmocka_unit_test(slopes_are_of_what_was_told),
        cmocka_unit_test(few_rows_of_data_are_left_at_once),
        cmocka_unit_test(components_without_slope_have_no_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
