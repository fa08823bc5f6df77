/* A solver, and a run of it, where nothing may fail.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TESTS_RUNS_H
#define ZO_TESTS_RUNS_H

#include "settings_of.h"
#include "toy.h"

static inline zo_solver *solver_of(const zo_problem *p, const zo_settings *s)
{
    zo_solver *solver;
    zo_error e = {0};
    if (zo_new(&solver, p, s, &e) || zo_start(solver, NULL, &e)) fail_msg("%s", e.text);
    return solver;
}

static inline zo_report run_to(zo_solver *solver, const zo_control *c)
{
    zo_report r;
    zo_error e = {0};
    if (zo_run(solver, c, &r, &e)) fail_msg("%s", e.text);
    return r;
}

static inline zo_report run_units(zo_solver *solver, double units)
{
    zo_control c = zo_no_limits();
    c.max_units = units;
    return run_to(solver, &c);
}

/* So many queries, none of them to watch. */
static inline zo_report run_queries(zo_solver *solver, uint64_t queries)
{
    zo_control c = zo_no_limits();
    c.max_queries = queries;
    c.track = ZO_TRACK_OFF;
    return run_to(solver, &c);
}

#endif
