/* Stopping in the middle of an answer: the fan was never asked, and a resumed run has the bytes of a straight one.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "faulty.h"
#include "settings_of.h"

#define FILE_NAME "test_halt.checkpoint"

enum { ROWS = 400 };
typedef struct trace {
    size_t count;
    struct {
        uint64_t step, queries, watched;
        double objective;
    } row[ROWS];
} trace;

static int record(void *ctx, const zo_row *row)
{
    trace *t = ctx;
    if (t->count == ROWS) return 1;
    t->row[t->count].step = row->step;
    t->row[t->count].queries = row->queries;
    t->row[t->count].watched = row->watched;
    t->row[t->count++].objective = row->objective;
    return 0;
}

/* A value function during which a signal comes. */
typedef struct rung {
    faulty *f;
    unsigned long long every; /* queries between two signals */
    atomic_ullong calls;      /* each number is seen by one thread, so that no signal is missed */
    volatile int stop;
} rung;

static int value(void *ctx, size_t i, const double *x, double *f)
{
    rung *r = ctx;
    int code = faulty_value(r->f, i, x, f);
    unsigned long long calls = atomic_fetch_add(&r->calls, 1) + 1;
    if (r->every && calls % r->every == 0) r->stop = 1;
    return code;
}

static int values(void *ctx, size_t npoints, const double *x, size_t ncomp, const uint64_t *comp,
                  double *f)
{
    for (size_t p = 0; p < npoints; p++)
        for (size_t k = 0; k < ncomp; k++)
            if (value(ctx, comp[k], x + p * FAULTY_D, &f[p * ncomp + k])) return 1;
    return 0;
}

static void must(zo_status status, const zo_error *e)
{
    if (status) fail_msg("%s", e->text);
}

/* Runs in as many legs as signals come, each in a solver of its own; the rows that were due, and the point. */
static int legs(const zo_problem *p, const zo_settings *s, rung *bell, trace *rows, double *x)
{
    static trace part;
    zo_error e;
    zo_report r = {.reason = ZO_AT_REQUEST};
    int leg = 0;
    rows->count = 0;
    remove(FILE_NAME);
    for (; r.reason == ZO_AT_REQUEST; leg++) {
        zo_solver *solver;
        zo_control c = zo_no_limits();
        must(zo_new(&solver, p, s, &e), &e);
        must(leg ? zo_load(solver, FILE_NAME, &e) : zo_start(solver, NULL, &e), &e);
        c.max_units = 8;
        c.track = ZO_TRACK_APART;
        c.every = 0.5;
        c.watch = record;
        c.watch_ctx = &part;
        c.checkpoint = FILE_NAME;
        c.stop = &bell->stop;
        part.count = 0;
        bell->stop = 0;
        must(zo_run(solver, &c, &r, &e), &e);
        for (size_t k = 0; k < part.count; k++)
            if (part.row[k].queries <= r.row_queries || r.reason != ZO_AT_REQUEST)
                rows->row[rows->count++] = part.row[k];
        memcpy(x, zo_point(solver), FAULTY_D * sizeof *x);
        zo_free(solver);
        assert_true(leg < 1000);
    }
    remove(FILE_NAME);
    return leg;
}

static void same_bytes(const char *method, int threads, int many)
{
    static trace straight, halted;
    double x[FAULTY_D], y[FAULTY_D];
    zo_problem p;
    rung bell = {.f = faulty_new(&p)};
    zo_settings s = settings_of(method);
    p.ctx = &bell;
    p.value = many ? NULL : value;
    p.values = many ? values : NULL;
    p.threads = threads;
    assert_int_equal(legs(&p, &s, &bell, &straight, x), 1);
    /* larger than any fan of these, so that every leg gets on */
    unsigned long long most = 2 * atomic_load(&bell.calls) / 3;
    bell.every = most < 6007 ? most : 6007;
    atomic_store(&bell.calls, 0);
    assert_true(legs(&p, &s, &bell, &halted, y) > 1);
    assert_memory_equal(x, y, sizeof x);
    assert_int_equal(straight.count, halted.count);
    assert_memory_equal(straight.row, halted.row, straight.count * sizeof straight.row[0]);
    free(bell.f);
}

static void halted_runs_go_on_with_the_same_bytes(void **state)
{
    (void)state;
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t k = 0; k < count; k++) {
        same_bytes(rows[k].name, 1, 0);
        same_bytes(rows[k].name, 1, 1);
    }
    same_bytes("pgd", 3, 0);
    same_bytes("saga", 3, 0);
}

/* The first question of pgd is n(d+1) queries; the signal comes at the tenth. */
static void nothing_more_is_asked_after_a_signal(void **state)
{
    (void)state;
    zo_problem p;
    rung bell = {.f = faulty_new(&p), .every = 10};
    zo_settings s = settings_of("pgd");
    zo_control c = zo_no_limits();
    zo_solver *solver;
    zo_report r;
    zo_error e;
    p.ctx = &bell;
    p.value = value;
    c.stop = &bell.stop;
    c.track = ZO_TRACK_OFF;
    must(zo_new(&solver, &p, &s, &e), &e);
    must(zo_start(solver, NULL, &e), &e);
    must(zo_run(solver, &c, &r, &e), &e);
    assert_int_equal(r.reason, ZO_AT_REQUEST);
    assert_int_equal(bell.f->asked, 10);
    assert_int_equal(r.queries, 0);
    assert_int_equal(r.failures, 0);
    zo_free(solver);
    free(bell.f);
}

static void time_ends_an_answer_too(void **state)
{
    (void)state;
    zo_problem p;
    faulty *f = faulty_new(&p);
    zo_settings s = zo_defaults();
    zo_control c = zo_no_limits();
    zo_solver *solver;
    zo_report r;
    zo_error e;
    c.max_seconds = 1e-12; /* over before the first look at F */
    must(zo_new(&solver, &p, &s, &e), &e);
    must(zo_start(solver, NULL, &e), &e);
    must(zo_run(solver, &c, &r, &e), &e);
    assert_int_equal(r.reason, ZO_AT_SECONDS);
    assert_int_equal(r.queries, 0);
    assert_int_equal(f->asked, FAULTY_N); /* the look at the end has a little time of its own */
    assert_true(isfinite(r.objective));
    zo_free(solver);
    free(f);
}

static int halts(void *ctx, const zo_fan *fan, double *out)
{
    (void)fan;
    (void)out;
    ++*(int *)ctx;
    return ZO_HALTED;
}

/* A problem that halts by itself (Ctrl-C inside it) is not asked again for the look at the end. */
static void a_problem_may_halt_by_itself(void **state)
{
    (void)state;
    int asked = 0;
    zo_problem p = {.n = 3, .d = 2, .answer = halts, .ctx = &asked};
    zo_settings s = zo_defaults();
    zo_control c = zo_no_limits();
    zo_solver *solver;
    zo_report r;
    zo_error e;
    must(zo_new(&solver, &p, &s, &e), &e);
    must(zo_start(solver, NULL, &e), &e);
    must(zo_run(solver, &c, &r, &e), &e);
    assert_int_equal(r.reason, ZO_AT_REQUEST);
    assert_int_equal(asked, 1);
    zo_free(solver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halted_runs_go_on_with_the_same_bytes),
        cmocka_unit_test(nothing_more_is_asked_after_a_signal),
        cmocka_unit_test(time_ends_an_answer_too),
        cmocka_unit_test(a_problem_may_halt_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
