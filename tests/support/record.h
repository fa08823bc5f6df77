/* Runs that are recorded row by row, for every method.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TESTS_RECORD_H
#define ZO_TESTS_RECORD_H

#include <string.h>

#include "faulty.h"
#include "settings_of.h"

enum { ROWS = 400 };
typedef struct trace {
    size_t count;
    struct {
        uint64_t step, queries, watched;
        double objective, residual, x[FAULTY_D];
    } row[ROWS];
    size_t stop_after; /* rows; 0: never */
} trace;

static inline int record(void *ctx, const zo_row *row)
{
    trace *t = ctx;
    if (t->count == ROWS) return 1;
    memset(&t->row[t->count], 0, sizeof t->row[0]);
    t->row[t->count].step = row->step;
    t->row[t->count].queries = row->queries;
    t->row[t->count].watched = row->watched;
    t->row[t->count].objective = row->objective;
    t->row[t->count].residual = row->residual;
    memcpy(t->row[t->count++].x, row->x, sizeof t->row[0].x);
    return t->stop_after && t->count >= t->stop_after;
}

static inline zo_control budget(double units, trace *t)
{
    zo_control c = zo_no_limits();
    c.track = ZO_TRACK_APART;
    c.max_units = units;
    c.every = 0.5;
    c.watch = record;
    c.watch_ctx = t;
    if (t) t->count = 0;
    return c;
}

static inline zo_solver *begin(const zo_problem *p, const zo_settings *s)
{
    zo_solver *solver;
    zo_error e;
    if (zo_new(&solver, p, s, &e)) fail_msg("%s: %s", s->method, e.text);
    return solver;
}

static inline void must(zo_status status, const zo_error *e)
{
    if (status) fail_msg("%s", e->text);
}

/* Runs f for every method with small whole settings that suit the faulty. */
static inline void for_every_method(void (*f)(const zo_settings *s))
{
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    assert_true(count > 0);
    for (size_t k = 0; k < count; k++) {
        zo_settings s = settings_of(rows[k].name);
        f(&s);
        s.directions = 3;
        s.batch = 5;
        s.seed = 99;
        s.sides = 2;
        f(&s);
    }
}

static inline void straight(const zo_problem *p, const zo_settings *s, double units, trace *t,
                            double *x)
{
    zo_solver *solver = begin(p, s);
    zo_error e;
    zo_report r;
    zo_control c = budget(units, t);
    must(zo_start(solver, NULL, &e), &e);
    must(zo_run(solver, &c, &r, &e), &e);
    memcpy(x, zo_last(solver), FAULTY_D * sizeof *x);
    zo_free(solver);
}

#endif
