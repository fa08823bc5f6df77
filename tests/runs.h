/* A solver, and a run of it, where nothing may fail.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TESTS_RUNS_H
#define ZO_TESTS_RUNS_H

#include "toy.h"

#include <stdio.h>

static inline zo_settings settings_of(const char *method)
{
    zo_settings s = zo_defaults();
    snprintf(s.method, sizeof s.method, "%s", method);
    return s;
}

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

#endif
