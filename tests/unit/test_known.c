/* The point that is returned is the best one whose F is known, for every method; and calls are the budget.
 * SPDX-License-Identifier: MIT */
#include "toy.h"

#include "settings_of.h"

static const double l1 = 1e-3;

typedef struct seen {
    double best, last;
    uint64_t rows;
} seen;

static int watch(void *ctx, const zo_row *row)
{
    seen *w = ctx;
    if (!isnan(row->objective)) w->best = fmin(w->best, row->objective);
    assert_true(isnan(row->objective) || row->best <= row->objective);
    w->last = row->objective;
    w->rows++;
    return 0;
}

/* ---- The best point -------------------------------------------------------------------------------- */

/* Steps that are far too long: what comes last is worse than what was there before. */
static void the_best_is_returned(void **state)
{
    (void)state;
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t k = 0; k < count; k++)
        for (int last = 0; last < 2; last++) {
            toy t;
            toy_fill(&t, 0.01);
            zo_problem p = toy_problem(&t, l1);
            zo_settings set = settings_of(rows[k].name);
            set.step = 60;
            set.point = last ? ZO_LAST : ZO_BEST;
            zo_control c = zo_no_limits();
            zo_solver *solver;
            zo_report r;
            seen w = {INFINITY, NAN, 0};
            c.max_units = 6;
            c.watch = watch;
            c.watch_ctx = &w;
            assert_int_equal(zo_new(&solver, &p, &set, NULL), ZO_OK);
            assert_int_equal(zo_start(solver, NULL, NULL), ZO_OK);
            assert_int_equal(zo_run(solver, &c, &r, NULL), ZO_OK);
            double f = toy_F(&t, l1, zo_point(solver)), end = toy_F(&t, l1, zo_last(solver)),
                   best = toy_F(&t, l1, zo_best(solver));
            assert_true(fabs(f - r.objective) < 1e-12 && fabs(best - r.best_objective) < 1e-12);
            assert_true(best <= end + 1e-12 && best <= w.best + 1e-12);
            assert_true(fabs(f - (last ? end : best)) < 1e-12);
            if (!last && !(f <= log(2) + 1e-12))
                fail_msg("%s ends at %g, above its start", set.method, f);
            zo_free(solver);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_best_is_returned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
