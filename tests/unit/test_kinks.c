/* mean: functions with kinks are followed along them, smooth ones are not.
 * SPDX-License-Identifier: MIT */
#include "method/mean/state.h"
#include "stopped.h"

enum { D = 10 };

typedef struct box {
    double (*f)(const double *x);
    uint64_t calls, outside;
    double lo, hi, best;
} box;

static int value(void *ctx, size_t i, const double *x, double *f)
{
    box *b = ctx;
    (void)i;
    for (size_t j = 0; j < D && b->hi > b->lo; j++) b->outside += x[j] < b->lo || x[j] > b->hi;
    b->calls++;
    *f = b->f(x);
    b->best = fmin(b->best, *f);
    return 0;
}

/* The larger of a line and a bowl for each pair of neighbours: -(D - 1) sqrt(2) where all x_j are sqrt(1/2), on a kink of
 * each pair. */
static double chained(const double *x)
{
    double sum = 0;
    for (size_t j = 0; j + 1 < D; j++) {
        double line = -x[j] - x[j + 1], more = x[j] * x[j] + x[j + 1] * x[j + 1] - 1;
        sum += fmax(line, line + more);
    }
    return sum;
}

/* The largest error of a fit by ten powers, whose best is an alternant: e_k = +-0.1 at eleven points. */
static double largest(const double *x)
{
    double most = 0;
    for (int k = 0; k <= D; k++) {
        double t = -1 + 2.0 * k / D, error = k % 2 ? 0.1 : -0.1, power = 1;
        for (size_t j = 0; j < D; j++, power *= t) error += power * (x[j] - 1);
        most = fmax(most, fabs(error));
    }
    return most;
}

static double valley(const double *x)
{
    double sum = 0;
    for (size_t j = 0; j + 1 < D; j++)
        sum += 100 * pow(x[j + 1] - x[j] * x[j], 2) + pow(1 - x[j], 2);
    return sum;
}

static double solve(box *b, double start, uint64_t queries, zo_report *r)
{
    zo_problem p = {.n = 1, .d = D, .value = value, .ctx = b};
    if (b->hi > b->lo) p.psi = zo_box(b->lo, b->hi);
    zo_settings set = settings_of("mean");
    double x0[D];
    zo_solver *s;
    zo_error e = {0};
    for (size_t j = 0; j < D; j++) x0[j] = start;
    b->best = INFINITY;
    if (zo_new(&s, &p, &set, &e) || zo_start(s, x0, &e)) fail_msg("%s", e.text);
    *r = run_queries(s, queries);
    double F = b->f(zo_point(s));
    zo_free(s);
    return F;
}

static void floors_are_followed(void **state)
{
    (void)state;
    zo_report r;
    box b = {.f = chained};
    double least = -(D - 1) * sqrt(2), F = solve(&b, -0.5, 100 * (D + 1), &r);
    if (!(F - least < 1e-5 * (4.5 - least))) fail_msg("F = %.10g after %g", F, (double)b.calls);
}

static void maxima_are_lowered(void **state)
{
    (void)state;
    zo_report r;
    box b = {.f = largest};
    double F = solve(&b, 0, 500 * (D + 1), &r);
    if (!(F < 0.1 * (1 + 1e-4))) fail_msg("F = %.10g after %g", F, (double)b.calls);
    assert_int_not_equal(r.reason, ZO_AT_END);
}

/* The point that is returned is the best one, wherever the budget ends: steps are taken from points that are not. */
static void the_best_is_returned(void **state)
{
    (void)state;
    for (uint64_t queries = 1200; queries < 4000; queries += 97) {
        zo_report r;
        box b = {.f = chained};
        double F = solve(&b, -0.5, queries, &r);
        assert_true(b.calls <= queries);
        if (!(F <= b.best + 1e-6)) fail_msg("%g: %.12g, not %.12g", (double)queries, F, b.best);
    }
}

static void no_question_leaves_a_box(void **state)
{
    (void)state;
    zo_report r;
    box b = {.f = chained, .lo = -1, .hi = 0.6};
    double F = solve(&b, -0.5, 100 * (D + 1), &r);
    assert_int_equal(b.outside, 0);
    if (!(F < -1.2 * (D - 1) + 1e-6)) fail_msg("F = %.10g", F);
}

/* Does a run come to a stage of kinks? */
static int goes_along(box *b, int most)
{
    zo_problem p = {.n = 1, .d = D, .value = value, .ctx = b};
    zo_settings set = settings_of("mean");
    zo_solver *s = solver_of(&p, &set);
    int found = 0;
    for (int k = 0; k < most && go_on(s); k++) found |= s->method->stage == ASK_KINK_POINT;
    zo_free(s);
    return found;
}

static void only_kinks_are_taken_for_kinks(void **state)
{
    (void)state;
    box kinked = {.f = chained}, smooth = {.f = valley};
    assert_true(goes_along(&kinked, 400));
    assert_false(goes_along(&smooth, 1000));
}

static void stopped_runs_are_the_same(void **state)
{
    (void)state;
    box b = {.f = chained};
    zo_problem p = {.n = 1, .d = D, .value = value, .ctx = &b};
    zo_settings set = settings_of("mean");
    stopped_often(&p, &set, "test_kinks.zo", 7, 900);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floors_are_followed),
        cmocka_unit_test(maxima_are_lowered),
        cmocka_unit_test(the_best_is_returned),
        cmocka_unit_test(no_question_leaves_a_box),
        cmocka_unit_test(only_kinks_are_taken_for_kinks),
        cmocka_unit_test(stopped_runs_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
