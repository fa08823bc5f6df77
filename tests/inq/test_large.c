/* inq where d is large: short rows one behind the other, memory that is decided when the first gradients are known, spot checks
 * along a few directions.
 * SPDX-License-Identifier: MIT */
#include "inq_rows.h"

#include "method/component/row.h"
#include "solve/solver.h"
#include "stopped.h"

enum { CASES = 120, LONG = 1700, ENTRIES = 20 };

/* So many of the entries of a row are not 0. */
static rows some_of(size_t entries)
{
    rows r = rows_new(CASES, LONG, 0, 1e-2);
    memset(r.z, 0, CASES * LONG * sizeof *r.z);
    for (size_t i = 0; i < CASES; i++) {
        for (size_t k = 0; k < entries; k++) {
            size_t j = entries == LONG ? k : (size_t)(LONG * rng_uniform(3, FOR_SYNTH, i, k));
            r.z[i * LONG + j] = rng_uniform(4, FOR_SYNTH, i, k) - 0.3;
        }
        r.y[i] = i % 3 ? 1 : -1;
    }
    return r;
}

static zo_report run_inq(const zo_problem *p, double memory, double units, const inq **at,
                         zo_solver **solver)
{
    zo_settings set = settings_of("inq");
    zo_control c = zo_no_limits();
    zo_report r = {0};
    zo_error e = {0};
    set.memory = memory;
    c.max_units = units;
    if (zo_new(solver, p, &set, &e) || zo_start(*solver, NULL, &e) || zo_run(*solver, &c, &r, &e))
        fail_msg("%s", e.text);
    *at = (const inq *)(*solver)->method;
    return r;
}

/* Memory for short rows alone is enough where rows are short, and leads to the same point. */
static void short_rows_need_little(void **state)
{
    (void)state;
    rows r = some_of(ENTRIES);
    zo_problem p = rows_problem(&r, zo_l1(1e-3));
    double little = inq_least_bytes(CASES, LONG, 1) + 1e5;
    assert_true(little < inq_bytes(CASES, LONG, 1));
    zo_solver *a, *b;
    const inq *much, *few;
    zo_report ra = run_inq(&p, 1e9, 1.5, &much, &a), rb = run_inq(&p, little, 3, &few, &b);
    assert_true(much->wide && much->is_sparse && inq_all(much));
    assert_string_equal(few->base.row->info.name, "inq");
    assert_true(!few->wide && !few->row && few->is_sparse && inq_all(few));
    assert_true(fabs(ra.objective - rb.objective) < 1e-11);
    assert_true(few->store.used <= CASES * inq_short_size(ENTRIES + 1));
    zo_free(a);
    zo_free(b);
    rows_free(&r);
}

/* Where they are not, a method that keeps less goes on. */
static void long_rows_are_left_to_others(void **state)
{
    (void)state;
    rows r = some_of(LONG);
    zo_problem p = rows_problem(&r, zo_l1(1e-3));
    zo_solver *solver;
    const inq *s;
    zo_report told = run_inq(&p, inq_least_bytes(CASES, LONG, 1) + 1e5, 0.9, &s, &solver);
    assert_string_not_equal(s->base.row->info.name, "inq");
    if (!strstr(told.chosen, "directions do not fit in memory")) fail_msg("%s", told.chosen);
    zo_free(solver);
    rows_free(&r);
}

/* Gradients of so few are dear: six of them in full would be a twentieth of all. */
static void checks_cost_little(void **state)
{
    (void)state;
    rows r = some_of(LONG);
    zo_problem p = rows_problem(&r, zo_l1(1e-3));
    zo_solver *solver;
    const inq *s;
    zo_report told = run_inq(&p, 1e9, 1.5, &s, &solver);
    assert_true(s->check.count >= 3 && !s->check.whole && s->check.misfit < 1e-3);
    assert_true(told.reason == ZO_AT_END && told.units < 1.05);
    zo_free(solver);
    rows_free(&r);
}

/* f_i depends on two sums of the coordinates: what few directions show is then asked in full. */
static int two_indices(void *ctx, size_t i, const double *x, double *f)
{
    const rows *r = ctx;
    double a = vec_dot(LONG, r->z + i * LONG, x),
           b = vec_dot(LONG, r->z + (i + 7) % CASES * LONG, x);
    *f = log1p(exp(a)) + 0.5 * (b - 1) * (b - 1) + 0.5e-2 * vec_dot(LONG, x, x);
    return 0;
}

static void misfits_are_seen(void **state)
{
    (void)state;
    rows r = some_of(LONG);
    zo_problem p = {
        .n = CASES, .d = LONG, .value = two_indices, .ctx = &r, .psi = zo_l1(1e-3), .threads = 1};
    zo_solver *solver;
    const inq *s;
    run_inq(&p, 1e9, 1.2, &s, &solver);
    assert_true(s->check.whole && s->spans_on);
    zo_free(solver);
    rows_free(&r);
}

static void every_question_may_be_the_last(void **state)
{
    (void)state;
    rows r = some_of(ENTRIES);
    zo_problem p = rows_problem(&r, zo_l1(1e-3));
    zo_settings set = settings_of("inq");
    set.memory = inq_least_bytes(CASES, LONG, 1) + 1e5;
    stopped_often(&p, &set, "test_large.zo", 3, 200);
    rows_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_rows_need_little),
        cmocka_unit_test(long_rows_are_left_to_others),
        cmocka_unit_test(checks_cost_little),
        cmocka_unit_test(misfits_are_seen),
        cmocka_unit_test(every_question_may_be_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
