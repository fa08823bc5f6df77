/* The promises of the solver, for every method: exact counts, hard budget, same bytes however it is driven.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "problem/problem.h"
#include "record.h"

#define FILE_NAME "test_solver.checkpoint"

static void counts_one(const zo_settings *s)
{
    zo_problem p;
    faulty *t = faulty_new(&p);
    trace tr = {0};
    zo_solver *solver = begin(&p, s);
    zo_error e;
    zo_report r;
    zo_control c = budget(23.7, &tr);
    must(zo_start(solver, NULL, &e), &e);
    must(zo_run(solver, &c, &r, &e), &e);
    assert_int_equal(r.queries + r.watched, t->asked);
    assert_true((double)r.queries <= 23.7 * FAULTY_N * FAULTY_D);
    assert_true(r.queries > 0 && r.steps > 0);
    assert_true(r.reason == ZO_AT_QUERIES || r.reason == ZO_AT_END);
    zo_free(solver);
    free(t);
}

static void queries_are_counted_exactly(void **state)
{
    (void)state;
    for_every_method(counts_one);
}

/* The same run through ask/tell with the library's own answers: every bit the same. */
static void drives_same_bytes(const zo_settings *s)
{
    zo_problem p;
    faulty *t = faulty_new(&p);
    trace tr = {0};
    double x[FAULTY_D], answers[FAULTY_N * 2 * (2 * FAULTY_D + 1) * 4];
    zo_settings planned = *s;
    planned.horizon = 12 * FAULTY_N * FAULTY_D;
    straight(&p, &planned, 12, &tr, x);
    callback *answering;
    zo_solver *solver = begin(&p, &planned);
    zo_error e;
    must(callback_new(&answering, &p, &e), &e);
    must(zo_start(solver, NULL, &e), &e);
    uint64_t spent = 0;
    for (const zo_fan *fan;;) {
        must(zo_ask(solver, &fan, &e), &e);
        if (!fan || spent + zo_fan_queries(fan) > 12 * FAULTY_N * FAULTY_D) break;
        spent += zo_fan_queries(fan);
        assert_true(zo_fan_answers(fan) <= sizeof answers / sizeof answers[0]);
        assert_int_equal(callback_answer(answering, fan, answers), 0);
        must(zo_tell(solver, answers, &e), &e);
    }
    assert_memory_equal(zo_last(solver), x, sizeof x);
    callback_free(answering);
    zo_free(solver);
    free(t);
}

static void ask_and_tell_give_the_same_bytes(void **state)
{
    (void)state;
    for_every_method(drives_same_bytes);
}

static void threads_one(const zo_settings *s)
{
    zo_problem p;
    faulty *t = faulty_new(&p);
    static trace one, many;
    double x[FAULTY_D], y[FAULTY_D];
    straight(&p, s, 10, &one, x);
    for (p.threads = 2; p.threads <= 3; p.threads++) {
        straight(&p, s, 10, &many, y);
        assert_memory_equal(x, y, sizeof x);
        assert_int_equal(one.count, many.count);
        assert_memory_equal(one.row, many.row, one.count * sizeof one.row[0]);
    }
    free(t);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    for_every_method(threads_one);
}

static int faulty_values(void *ctx, size_t npoints, const double *x, size_t ncomp,
                         const uint64_t *comp, double *f)
{
    for (size_t p = 0; p < npoints; p++)
        for (size_t k = 0; k < ncomp; k++)
            faulty_value(ctx, (size_t)comp[k], x + p * FAULTY_D, &f[p * ncomp + k]);
    return 0;
}

static void values_one(const zo_settings *s)
{
    zo_problem p;
    faulty *t = faulty_new(&p);
    static trace one, many;
    double x[FAULTY_D], y[FAULTY_D];
    straight(&p, s, 10, &one, x);
    uint64_t asked = t->asked;
    p.value = NULL;
    p.values = faulty_values;
    straight(&p, s, 10, &many, y);
    assert_int_equal(t->asked, 2 * asked);
    assert_memory_equal(x, y, sizeof x);
    assert_int_equal(one.count, many.count);
    assert_memory_equal(one.row, many.row, one.count * sizeof one.row[0]);
    free(t);
}

static void values_give_the_same_bytes(void **state)
{
    (void)state;
    for_every_method(values_one);
}

/* Stops after every few rows, goes on in a new solver from the file: rows that were due and the end agree. */
static zo_reason run_with_nan(int policy, unsigned long long from, unsigned long long count,
                              zo_report *r)
{
    zo_problem p;
    faulty *t = faulty_new(&p);
    t->nan_from = from;
    t->nan_count = count;
    zo_settings s = settings_of("pgd");
    s.step = 0.5;
    s.nonfinite = policy;
    zo_solver *solver = begin(&p, &s);
    zo_error e;
    zo_control c = budget(8000, NULL); /* what is asked again is paid from it */
    c.watch = NULL;
    c.track = ZO_TRACK_OFF;
    must(zo_start(solver, NULL, &e), &e);
    must(zo_run(solver, &c, r, &e), &e);
    for (size_t j = 0; j < FAULTY_D; j++) assert_true(isfinite(zo_point(solver)[j]));
    zo_free(solver);
    free(t);
    return r->reason;
}

static void bad_answers_follow_the_policy(void **state)
{
    (void)state;
    zo_report r;
    unsigned long long from = 5 * FAULTY_N * (FAULTY_D + 1) + 17;
    char where[64];
    snprintf(where, sizeof where, "f_%d was nan at query %llu: ", 16 / (FAULTY_D + 1), from);
    assert_int_equal(run_with_nan(ZO_STOP, from, 1, &r), ZO_AT_NONFINITE);
    if (!strstr(r.warning, where) || !strstr(r.warning, "nonfinite=retry would"))
        fail_msg("'%s' does not say '%s'", r.warning, where);
    assert_int_equal(r.failures, 1);
    assert_int_equal(r.steps, 5);
    assert_int_equal(run_with_nan(ZO_RETRY, from, 1, &r), ZO_AT_QUERIES);
    assert_int_equal(r.retried, 1);
    for (int policy = ZO_RETRY; policy <= ZO_REJECT; policy++) {
        assert_int_equal(run_with_nan(policy, from, 1u << 30, &r), ZO_AT_NONFINITE);
        assert_non_null(strstr(r.warning, "half-way back did not help"));
        assert_int_equal(run_with_nan(policy, 1, 1u << 30, &r), ZO_AT_NONFINITE);
        if (!strstr(r.warning, "f_0 was nan at query 1: f cannot be evaluated at the start"))
            fail_msg("%s", r.warning);
    }
    assert_int_equal(run_with_nan(ZO_REJECT, from, 1, &r), ZO_AT_QUERIES);
    assert_int_equal(r.failures, 1);
    assert_int_equal(r.retried, 1);
    assert_string_equal(r.warning, "");
}

/* Who tells a mean that is not finite is told of the mean; who tells single values, of the component. */
static void bad_answers_that_are_told(void **state)
{
    (void)state;
    static double answers[FAULTY_N * (FAULTY_D + 1)];
    for (int each = 0; each < 2; each++) {
        zo_problem p;
        faulty *t = faulty_new(&p);
        zo_settings s = settings_of(each ? "saga" : "pgd");
        s.step = s.radius = s.batch = 1;
        s.nonfinite = ZO_STOP;
        zo_solver *solver = begin(&p, &s);
        zo_error e;
        zo_report r;
        const zo_fan *fan;
        must(zo_start(solver, NULL, &e), &e);
        must(zo_ask(solver, &fan, &e), &e);
        assert_int_equal(fan->each, each);
        memset(answers, 0, sizeof answers);
        answers[each ? 7 * zo_fan_set(fan) + 2 : 2] = -INFINITY;
        char where[96];
        if (each)
            snprintf(where, sizeof where, "f_7 was -inf at query %zu: ", 7 * zo_fan_set(fan) + 3);
        else
            snprintf(where, sizeof where,
                     "a mean over %zu components was -inf in queries 1 to %llu: ", fan->ncomp,
                     (unsigned long long)zo_fan_queries(fan));
        must(zo_tell(solver, answers, &e), &e);
        zo_look(solver, &r);
        if (!strstr(r.warning, where)) fail_msg("'%s' does not say '%s'", r.warning, where);
        zo_free(solver);
        free(t);
    }
}

typedef struct caller {
    zo_solver *solver;
    unsigned refused;
} caller;

static int calls_again(void *ctx, size_t i, const double *x, double *f)
{
    caller *c = ctx;
    zo_control limits = zo_no_limits();
    const zo_fan *fan;
    zo_error e;
    c->refused += zo_run(c->solver, &limits, NULL, &e) == ZO_BAD_STATE &&
                  strstr(e.text, "run: this solver is in zo_run");
    c->refused += zo_ask(c->solver, &fan, &e) == ZO_BAD_STATE && !fan && strstr(e.text, "ask: ");
    c->refused += zo_tell(c->solver, x, &e) == ZO_BAD_STATE && strstr(e.text, "tell: ");
    *f = (x[0] - (double)i) * (x[0] - (double)i);
    return 0;
}

static int calls_from_a_row(void *ctx, const zo_row *row)
{
    double f;
    return calls_again(ctx, 0, row->x, &f);
}

static void calls_from_within_are_refused(void **state)
{
    (void)state;
    caller c = {0};
    zo_problem p = {.n = 3, .d = 1, .value = calls_again, .ctx = &c};
    zo_settings s = settings_of("fista");
    zo_control limits = zo_no_limits();
    zo_report r;
    zo_error e;
    limits.max_queries = 100;
    limits.watch = calls_from_a_row;
    limits.watch_ctx = &c;
    c.solver = begin(&p, &s);
    must(zo_start(c.solver, NULL, &e), &e);
    must(zo_run(c.solver, &limits, &r, &e), &e);
    assert_true(c.refused > 3 * (r.queries + r.watched)); /* the rows' too */
    assert_true(fabs(zo_point(c.solver)[0] - 1) < 1e-3);
    const zo_fan *fan;
    must(zo_ask(c.solver, &fan, &e), &e); /* it has returned */
    zo_free(c.solver);
}

static void a_failing_problem_is_reported(void **state)
{
    (void)state;
    zo_problem p;
    faulty *t = faulty_new(&p);
    t->fail_at = 5000;
    zo_settings s = settings_of("pgd");
    s.nonfinite = ZO_STOP;
    zo_solver *solver = begin(&p, &s);
    zo_error e;
    zo_report r;
    zo_control c = budget(20, NULL);
    c.watch = NULL;
    c.checkpoint = FILE_NAME;
    must(zo_start(solver, NULL, &e), &e);
    assert_int_equal(zo_run(solver, &c, &r, &e), ZO_PROBLEM);
    assert_non_null(strstr(e.text, "42"));
    assert_int_equal(remove(FILE_NAME), 0); /* it was saved all the same */
    assert_int_equal(r.reason, ZO_AT_FAILURE);
    assert_int_equal(r.failures, 1);
    must(zo_run(solver, &c, &r, &e), &e); /* and it can go on */
    assert_int_equal(r.reason, ZO_AT_QUERIES);
    zo_free(solver);
    remove(FILE_NAME);
    free(t);
}

static void bad_arguments_are_named(void **state)
{
    (void)state;
    zo_problem p;
    faulty *t = faulty_new(&p);
    zo_settings s = zo_defaults();
    zo_error e;
    static const struct {
        const char *name, *value, *word;
    } bad[] = {{"step", "-1", "more than 0"},
               {"step", "0", "step"},
               {"batch", "2.5", "whole"},
               {"sides", "3", "[1, 2]"},
               {"kind", "cubic", "sphere"},
               {"refresh", "1.5", "periodic"},
               {"raduis", "1", "radius"},
               {"seed", "-3", "seed"},
               {"step", "nan", "step"},
               {"step", "inf", "step"},
               {"memory", "5", "memory"},
               {"nonfinite", "perhaps", "reject"},
               {"refresh", "-1", "refresh"},
               {"epoch", "", "epoch"},
               {"method", "averyveryverylongname", "method"}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        zo_settings before = s;
        assert_int_equal(zo_set(&s, bad[k].name, bad[k].value, &e), ZO_BAD_ARGUMENT);
        if (!strstr(e.text, bad[k].word)) fail_msg("%s", e.text);
        assert_memory_equal(&before, &s, sizeof s);
    }
    zo_solver *solver;
    s.batch = FAULTY_N + 1;
    assert_int_equal(zo_new(&solver, &p, &s, &e), ZO_BAD_ARGUMENT);
    assert_non_null(strstr(e.text, "batch: 301 is outside [1, 300]"));
    assert_null(solver);
    s = settings_of("zpdrv");
    assert_int_equal(zo_new(&solver, &p, &s, &e), ZO_BAD_ARGUMENT);
    assert_non_null(strstr(e.text, "'zpdvr'"));
    s = settings_of("sega");
    s.kind = ZO_ORTHOGONAL;
    s.directions = FAULTY_D + 1;
    assert_int_equal(zo_new(&solver, &p, &s, &e), ZO_BAD_ARGUMENT);
    assert_non_null(strstr(e.text, "directions: 8"));
    s = zo_defaults();
    zo_problem empty = p;
    empty.value = NULL;
    assert_int_equal(zo_new(&solver, &empty, &s, &e), ZO_BAD_ARGUMENT);
    empty = p;
    empty.d = 0;
    assert_int_equal(zo_new(&solver, &empty, &s, &e), ZO_BAD_ARGUMENT);
    solver = begin(&p, &s);
    zo_control c = budget(1, NULL);
    assert_int_equal(zo_run(solver, &c, NULL, &e), ZO_BAD_STATE);
    double x0[FAULTY_D] = {0, NAN};
    assert_int_equal(zo_start(solver, x0, &e), ZO_BAD_ARGUMENT);
    assert_non_null(strstr(e.text, "coordinate 1"));
    must(zo_start(solver, NULL, &e), &e);
    assert_int_equal(zo_tell(solver, x0, &e), ZO_BAD_STATE);
    c.max_units = -1;
    assert_int_equal(zo_run(solver, &c, NULL, &e), ZO_BAD_ARGUMENT);
    assert_non_null(strstr(e.text, "units: -1"));
    c = budget(1, NULL);
    c.gap = 1e-3;
    assert_int_equal(zo_run(solver, &c, NULL, &e), ZO_BAD_ARGUMENT);
    zo_free(solver);
    zo_free(NULL);
    free(t);
}

static void settings_go_through_text_unchanged(void **state)
{
    (void)state;
    zo_settings s = zo_defaults(), back = zo_defaults();
    s.refresh = ZO_PERIODIC;
    s.step = 0.1;
    s.kind = ZO_AXIS;
    s.seed = 12345678901234567u;
    size_t count;
    const zo_setting_row *rows = zo_setting_rows(&count);
    for (size_t k = 0; k < count; k++) {
        char text[64];
        zo_error e;
        assert_int_equal(zo_get(&s, rows[k].name, text, sizeof text), 0);
        must(zo_set(&back, rows[k].name, text, &e), &e);
    }
    assert_memory_equal(&s, &back, sizeof s);
}

static void stops_where_it_is_told(void **state)
{
    (void)state;
    zo_problem p;
    faulty *t = faulty_new(&p);
    zo_settings s = settings_of("pgd");
    s.step = 0.5;
    zo_error e;
    zo_report r;
    zo_solver *solver = begin(&p, &s);
    must(zo_start(solver, NULL, &e), &e);
    zo_control c = budget(100, NULL);
    c.watch = NULL;
    c.max_steps = 4;
    must(zo_run(solver, &c, &r, &e), &e);
    assert_int_equal(r.reason, ZO_AT_STEPS);
    assert_int_equal(r.steps, 4);
    c.max_steps = UINT64_MAX;
    c.target = r.objective - 1e-4;
    must(zo_run(solver, &c, &r, &e), &e);
    assert_int_equal(r.reason, ZO_AT_TARGET);
    assert_true(r.objective <= c.target);
    c.target = -INFINITY;
    c.tol = 1e-3;
    must(zo_run(solver, &c, &r, &e), &e);
    assert_int_equal(r.reason, ZO_AT_TOL);
    assert_true(r.residual <= 1e-3);
    volatile int stop = 1;
    c.tol = -INFINITY;
    c.stop = &stop;
    must(zo_run(solver, &c, &r, &e), &e);
    assert_int_equal(r.reason, ZO_AT_REQUEST);
    c.stop = NULL;
    c.track = ZO_TRACK_CHARGED;
    must(zo_run(solver, &c, &r, &e), &e);
    assert_true(r.queries + r.watched <= 100 * FAULTY_N * FAULTY_D);
    assert_int_equal(r.queries + r.watched, t->asked);
    zo_free(solver);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_are_counted_exactly),
        cmocka_unit_test(values_give_the_same_bytes),
        cmocka_unit_test(ask_and_tell_give_the_same_bytes),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(bad_answers_follow_the_policy),
        cmocka_unit_test(bad_answers_that_are_told),
        cmocka_unit_test(calls_from_within_are_refused),
        cmocka_unit_test(a_failing_problem_is_reported),
        cmocka_unit_test(bad_arguments_are_named),
        cmocka_unit_test(settings_go_through_text_unchanged),
        cmocka_unit_test(stops_where_it_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
