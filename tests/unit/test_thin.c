/* Components of few entries among many coordinates, with far less than a unit to spend.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "stopped.h"

enum { COUNT = 60, WIDE = 4000, FEW = 9 };
static const double ridge = 1e-3;

typedef struct thin_rows {
    int kind;
    size_t place[COUNT][FEW];
    double value[COUNT][FEW];
} thin_rows;
enum { LOGISTIC, DENSE_ROWS, MANY, SLEEPS, TWO_INDICES };
static const double many_part = 0.05; /* of the coordinates: entries of MANY */

static void fill(thin_rows *r, int kind)
{
    r->kind = kind;
    for (uint64_t i = 0; i < COUNT; i++)
        for (uint64_t k = 0; k < FEW; k++) {
            double u = rng_uniform(3, FOR_SYNTH, i, k);
            /* some coordinates are met by many, most by one or none */
            r->place[i][k] = k * (WIDE / FEW) + (size_t)(u * u * u * (WIDE / FEW));
            r->value[i][k] = 2 * rng_uniform(4, FOR_SYNTH, i, k) - 1;
        }
}

static double log1pexp(double z) { return fmax(z, 0) + log1p(exp(-fabs(z))); }

static int value(void *ctx, size_t i, const double *x, double *f)
{
    const thin_rows *r = ctx;
    double z = 0, square = 0, s = 0;
    for (size_t k = 0; k < FEW; k++) z += r->value[i][k] * x[r->place[i][k]];
    for (size_t j = 0; j < WIDE; j++) {
        square += x[j] * x[j];
        if (r->kind == DENSE_ROWS) s += x[j] * (0.1 + rng_uniform(1, FOR_CHECK, i, j));
        if (r->kind == MANY && x[j] != 0) {
            double u = rng_uniform(1, FOR_CHECK, i, j) / many_part;
            s += u < 1 ? x[j] * (2 * u - 1) : 0;
        }
    }
    if (r->kind == DENSE_ROWS || r->kind == MANY) z = s;
    *f = log1pexp(i % 3 ? z : -z) + 0.5 * ridge * square;
    if (r->kind == SLEEPS && i < 5) { /* nothing happens up to z = 0.3 */
        double over = fmax(z - 0.3, 0);
        *f = 1 + over * over + 0.5 * ridge * square;
    }
    if (r->kind == TWO_INDICES) *f += x[r->place[i][0]] * x[r->place[i][1]] * 0.5;
    return 0;
}

static double objective(thin_rows *r, const double *x)
{
    double sum = 0, f;
    for (size_t i = 0; i < COUNT; i++) value(r, i, x, &f), sum += f / COUNT;
    for (size_t j = 0; j < WIDE; j++) sum += 1e-3 * fabs(x[j]);
    return sum;
}

typedef struct end {
    double first, last;
    zo_report report;
} end;

static end run_with(thin_rows *r, zo_prox psi, const char *name, double start, double units)
{
    static double x0[WIDE];
    zo_problem p = {.n = COUNT, .d = WIDE, .value = value, .ctx = r, .psi = psi, .threads = 1};
    zo_settings set = settings_of(name);
    zo_control c = zo_no_limits();
    zo_error e = {0};
    zo_solver *solver;
    end to = {0};
    for (size_t j = 0; j < WIDE; j++) x0[j] = j % 50 ? 0 : start;
    c.max_queries = (uint64_t)(units * COUNT * WIDE);
    c.track = ZO_TRACK_APART;
    if (zo_new(&solver, &p, &set, &e) || zo_start(solver, x0, &e)) fail_msg("%s", e.text);
    if (zo_run(solver, &c, &to.report, &e)) fail_msg("%s", e.text);
    to.first = objective(r, x0);
    to.last = objective(r, zo_point(solver));
    zo_free(solver);
    return to;
}

static end run_it(thin_rows *r, const char *name, double start, double units)
{
    return run_with(r, zo_l1(1e-3), name, start, units);
}

/* 34 values a component are a hundredth of a unit: random directions have hardly begun. */
static void next_to_no_budget_is_enough(void **state)
{
    (void)state;
    static thin_rows r;
    fill(&r, LOGISTIC);
    end part = run_it(&r, "auto", 0, 0.006), all = run_it(&r, "auto", 0, 0.04),
        random = run_it(&r, "zosgd", 0, 0.006);
    assert_non_null(strstr(part.report.chosen, "thin"));
    assert_null(strstr(all.report.chosen, "then"));
    assert_int_equal(all.report.reason, ZO_AT_END);
    if (!(part.first - part.last > 3 * (part.first - random.last)))
        fail_msg("F from %g to %g, and to %g by random directions", part.first, part.last,
                 random.last);
    assert_true(all.last < part.last);
    assert_true(all.report.residual < 1e-8);
}

/* The ridge has slopes everywhere, and what was not 0 wants to be. */
static void a_start_elsewhere_ends_at_the_same_point(void **state)
{
    (void)state;
    static thin_rows r;
    fill(&r, LOGISTIC);
    end zero = run_it(&r, "auto", 0, 0.1), far = run_it(&r, "auto", 0.7, 0.1);
    assert_int_equal(far.report.reason, ZO_AT_END);
    if (!(fabs(far.last - zero.last) < 1e-9)) fail_msg("%.12g and %.12g", far.last, zero.last);
}

static void many_entries_are_left_to_another_method(void **state)
{
    (void)state;
    static thin_rows r;
    fill(&r, DENSE_ROWS);
    end to = run_it(&r, "auto", 0, 0.01);
    assert_non_null(strstr(to.report.chosen, "many entries"));
    assert_true(to.report.queries > 0.009 * COUNT * WIDE); /* and it goes on */
    fill(&r, TWO_INDICES);
    to = run_it(&r, "auto", 0.5, 0.02);
    assert_non_null(strstr(to.report.chosen, "then zosgd"));
}

/* 200 entries each, and values for ten of sixty: random directions bring more, but where psi makes them pay. */
static void dear_entries_are_left_to_random_directions(void **state)
{
    (void)state;
    static thin_rows r;
    fill(&r, MANY);
    end free = run_with(&r, zo_zero(), "auto", 0, 0.025),
        random = run_with(&r, zo_zero(), "zosgd", 0, 0.025),
        paid = run_with(&r, zo_l1(2e-3), "auto", 0, 0.025);
    if (!strstr(free.report.chosen, "random directions")) fail_msg("%s", free.report.chosen);
    if (strstr(paid.report.chosen, "random directions")) fail_msg("%s", paid.report.chosen);
    double by = log(2) - free.report.objective, best = log(2) - random.report.objective;
    if (!(by > 0.8 * best)) fail_msg("F falls by %g, and by %g with zosgd alone", by, best);
}

/* Bounds are seen before anything is asked, in sums and blocks too. */
static void bounds_are_not_probed(void **state)
{
    (void)state;
    static thin_rows r;
    static const char *const specs[] = {"l1:1e-3 box:-5,5", "l1:1e-3@0:4 nonnegative@4:4000",
                                        "nonnegative"};
    fill(&r, LOGISTIC);
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        zo_prox psi;
        zo_error e;
        if (zo_prox_parse(&psi, specs[k], WIDE, &e)) fail_msg("%s", e.text);
        end to = run_with(&r, psi, "auto", 0, 0.01);
        if (strstr(to.report.chosen, "thin")) fail_msg("%s: %s", specs[k], to.report.chosen);
        zo_prox_free(&psi);
    }
}

/* What did not change where it was asked may do so later: that is no end. */
static void what_wakes_up_is_seen(void **state)
{
    (void)state;
    static thin_rows r;
    fill(&r, SLEEPS);
    for (size_t i = 0; i < 5; i++) /* the others want what wakes them up */
        for (size_t k = 0; k < FEW; k++) {
            r.place[i][k] = r.place[i + 5][k];
            r.value[i][k] = (i + 5) % 3 ? -3 * r.value[i + 5][k] : 3 * r.value[i + 5][k];
        }
    end to = run_it(&r, "thin", 0, 0.06);
    assert_non_null(strstr(to.report.chosen, "then zosgd"));
    assert_true(to.last < to.first);
}

static void every_question_may_be_the_last(void **state)
{
    (void)state;
    static thin_rows r;
    fill(&r, LOGISTIC);
    zo_problem p = {
        .n = COUNT, .d = WIDE, .value = value, .ctx = &r, .psi = zo_l1(1e-3), .threads = 1};
    zo_settings set = settings_of("thin");
    set.horizon = 0.006 * COUNT * WIDE;
    stopped_often(&p, &set, "test_thin.zo", 7, 300);
    set.horizon = 0.04 * COUNT * WIDE;
    stopped_often(&p, &set, "test_thin.zo", 11, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next_to_no_budget_is_enough),
        cmocka_unit_test(a_start_elsewhere_ends_at_the_same_point),
        cmocka_unit_test(many_entries_are_left_to_another_method),
        cmocka_unit_test(dear_entries_are_left_to_random_directions),
        cmocka_unit_test(bounds_are_not_probed),
        cmocka_unit_test(what_wakes_up_is_seen),
        cmocka_unit_test(every_question_may_be_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
