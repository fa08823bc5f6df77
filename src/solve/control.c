/* What a run is told: its limits, checked, and why it stops in words.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/error.h"
#include "solve/loop.h"

zo_control zo_no_limits(void)
{
    return (zo_control){.max_queries = UINT64_MAX,
                        .max_points = UINT64_MAX,
                        .max_steps = UINT64_MAX,
                        .max_units = INFINITY,
                        .max_seconds = INFINITY,
                        .target = -INFINITY,
                        .gap = -INFINITY,
                        .optimum = NAN,
                        .tol = -INFINITY,
                        .track = ZO_TRACK_ON,
                        .every = 0.1,
                        .checkpoint_seconds = 1};
}

double zo_usual_units(const zo_problem *p) { return fmax(100, 1000 / problem_unit(p)); }

const char *zo_reason_name(zo_reason reason)
{
    static const char *const names[] = {"running", "queries", "seconds", "steps",     "target",
                                        "gap",     "tol",     "request", "nonfinite", "end",
                                        "noise",   "failure", "stalled", "unbounded"};
    return (size_t)reason < sizeof names / sizeof names[0] ? names[reason] : "unknown";
}

static zo_status check_control(const zo_control *c, zo_error *err)
{
    if (!(c->max_units > 0))
        return fail(err, ZO_BAD_ARGUMENT, "units: %g is not a number more than 0", c->max_units);
    if (!(c->max_seconds > 0))
        return fail(err, ZO_BAD_ARGUMENT, "seconds: %g is not a number more than 0",
                    c->max_seconds);
    if (c->max_queries == 0)
        return fail(err, ZO_BAD_ARGUMENT, "queries: 0 is not a number more than 0");
    if (c->max_points == 0)
        return fail(err, ZO_BAD_ARGUMENT, "points: 0 is not a number more than 0");
    if (c->max_steps == 0)
        return fail(err, ZO_BAD_ARGUMENT, "steps: 0 is not a number more than 0");
    if (!(c->every > 0))
        return fail(err, ZO_BAD_ARGUMENT, "every: %g is not a number more than 0", c->every);
    if (isnan(c->target) || isnan(c->tol) || isnan(c->gap))
        return fail(err, ZO_BAD_ARGUMENT, "target, gap, tol: nan is not a bound");
    if (c->gap > -INFINITY && isnan(c->optimum))
        return fail(err, ZO_BAD_ARGUMENT, "gap: %g needs the optimum, which is not given", c->gap);
    if ((c->gap > -INFINITY || c->target > -INFINITY) && c->track == ZO_TRACK_OFF)
        return fail(err, ZO_BAD_ARGUMENT,
                    "target, gap: the objective is not tracked (track is off)");
    return ZO_OK;
}

/* Single values are seen by the library's own callers of functions and programs. */
static zo_status check_history(const zo_solver *s, const zo_control *c, zo_error *err)
{
    int seen = s->callback || (s->problem.inside && s->problem.inside->keeps);
    if (!c->history || seen) return ZO_OK;
    return fail(
        err, ZO_UNSUPPORTED,
        "history: this problem answers whole questions, and its single values are not seen");
}

zo_status control_check(const zo_solver *s, const zo_control *c, zo_error *err)
{
    zo_status status = check_control(c, err);
    if (status || (status = check_history(s, c, err))) return status;
    if (!s->started) return fail(err, ZO_BAD_STATE, "run: the solver has not been started");
    if (c->max_points < UINT64_MAX && !s->problem.by_point)
        return fail(err, ZO_BAD_ARGUMENT,
                    "points: this problem is paid by component; give queries or units");
    return ZO_OK;
}
