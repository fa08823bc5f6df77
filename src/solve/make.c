/* The solver: how it is made of a problem and settings, and taken down.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "method/core/own.h"
#include "problem/outer.h"
#include "problem/ranks/together.h"
#include "prox/prox.h"
#include "solve/settings.h"
#include "solve/solver.h"

/* ---- What is given ---------------------------------------------------------------------------------- */

static zo_status check_outer(const zo_problem *p, zo_error *err)
{
    if (p->outer.value && (!p->outer.slope || !p->outer.curvature))
        return fail(err, ZO_BAD_ARGUMENT, "outer: value is given without slope and curvature");
    if (p->outer.value && p->means_only)
        return fail(err, ZO_UNSUPPORTED,
                    "outer: a loss of residuals needs them one by one, and this problem answers "
                    "means only");
    if (p->outer.value && p->together)
        return fail(err, ZO_UNSUPPORTED, "outer: residuals cannot be spread over ranks");
    for (size_t i = 0; p->outer.weight && i < p->n; i++)
        if (!(p->outer.weight[i] >= 0 && isfinite(p->outer.weight[i])))
            return fail(err, ZO_BAD_ARGUMENT, "weights: number %zu is %g, not 0 or more", i,
                        p->outer.weight[i]);
    for (size_t i = 0; p->outer.target && i < p->n; i++)
        if (!isfinite(p->outer.target[i]))
            return fail(err, ZO_BAD_ARGUMENT, "targets: number %zu is %g", i, p->outer.target[i]);
    return ZO_OK;
}

static zo_status check_problem(const zo_problem *p, zo_error *err)
{
    if (p->n < 1) return fail(err, ZO_BAD_ARGUMENT, "n: 0 components; a problem has at least 1");
    if (p->d < 1) return fail(err, ZO_BAD_ARGUMENT, "d: 0 dimensions; a problem has at least 1");
    if (p->d >= UINT32_MAX)
        return fail(err, ZO_BAD_ARGUMENT, "d: %zu is above the most this build can do, 2^32 - 2",
                    p->d);
    if (!p->answer && !p->value && !p->values && !p->all)
        return fail(err, ZO_BAD_ARGUMENT,
                    "problem: none of answer, value, values and all is given");
    for (size_t j = 0; p->scale && j < p->d; j++)
        if (!(p->scale[j] > 0 && isfinite(p->scale[j])))
            return fail(err, ZO_BAD_ARGUMENT, "scale: number %zu is %g, not more than 0", j,
                        p->scale[j]);
    if (p->n >
        UINT64_MAX / 8 / (p->d + 1)) /* the dearest fan: two points, two sides, d directions */
        return fail(err, ZO_BAD_ARGUMENT,
                    "n: %zu components in %zu dimensions are more than can be counted", p->n, p->d);
    if (p->threads < 0) return fail(err, ZO_BAD_ARGUMENT, "threads: %d is negative", p->threads);
    zo_status status = check_outer(p, err);
    return status ? status : zo_prox_check(&p->psi, p->d, err);
}

/* ---- Parts ------------------------------------------------------------------------------------------- */

static zo_status take_own(zo_solver *s, const zo_method *with, zo_error *err)
{
    s->own = mem_new(1, sizeof *s->own);
    return s->own ? own_fill(s->own, with, err) : out_of_memory(err, "a method", 1);
}

/* The problem in the free coordinates alone. */
static zo_status hold_fixed(zo_solver *s, const double *scale, zo_error *err)
{
    if (!s->problem.psi.apply) s->problem.psi = zo_zero();
    zo_status status = fixed_new(&s->fixed, &s->problem.psi, s->d, scale, err);
    if (status || !s->fixed) return status;
    size_t d = s->problem.d = fixed_count(s->fixed);
    s->problem.psi = fixed_psi(s->fixed);
    if (!scale) return ZO_OK;
    if (!(s->scale = mem_new(d, sizeof *s->scale))) return out_of_memory(err, "points", d);
    fixed_narrow(s->fixed, scale, s->scale);
    s->problem.scale = s->scale;
    return ZO_OK;
}

/* Values of single components, where looks at F are paid for and they are little. */
static int keeps_values(const zo_problem *p, const zo_settings *set)
{
    const struct zo_together *t = p->together;
    return !p->free_looks && 1024 * (double)p->n <= set->memory &&
           (!t || t->reserve(t->ctx, 1, p->n));
}

static zo_status make_room(zo_solver *s, zo_error *err)
{
    size_t d = s->problem.d, n = keeps_values(&s->problem, &s->given) ? s->problem.n : 0;
    s->work = mem_new(prox_work(&s->problem.psi, d), sizeof *s->work);
    s->before = mem_new(d, sizeof *s->before);
    s->previous = mem_new(d, sizeof *s->previous);
    s->best = mem_new(d, sizeof *s->best);
    s->shown = mem_new(s->fixed ? 3 * s->d : 0, sizeof *s->shown);
    s->valued_at = mem_new(d, sizeof *s->valued_at);
    s->tried = mem_new(d, sizeof *s->tried);
    s->values = n ? mem_new(n, sizeof *s->values) : NULL;
    s->missing = n ? mem_new(n, sizeof *s->missing) : NULL;
    s->heard = n ? mem_new(n, sizeof *s->heard) : NULL;
    if ((n && (!s->values || !s->heard || !s->missing)) || !s->valued_at || !s->tried ||
        !s->shown || !s->work || !s->before || !s->previous || !s->best)
        return out_of_memory(err, "points", d);
    return ZO_OK;
}

/* Who answers, where the problem gives values: of all components at a point, or one by one. */
static zo_status take_answers(zo_solver *s, const zo_problem *given, zo_error *err)
{
    zo_problem *p = &s->problem;
    zo_status status = ZO_OK;
    if (!given->answer && given->all) {
        if ((status = whole_new(&s->whole, given, err))) return status;
        p->answer = whole_answer;
        p->heed = whole_heed;
        p->health = whole_health;
        p->ctx = s->whole;
        p->by_point = 1;
    } else if (!given->answer) {
        if ((status = callback_new(&s->callback, given, err))) return status;
        p->answer = callback_answer;
        p->heed = callback_heed;
        p->health = callback_health;
        p->ctx = s->callback;
    }
    return given->outer.value ? composed_new(&s->composed, p, err) : ZO_OK;
}

static state_entry *keep(zo_solver *s, const char *name, void *at, size_t words)
{
    s->state[s->nstates] = (state_entry){name, at, words, 0, 0, UINT64_MAX};
    return &s->state[s->nstates++];
}

static void count(zo_solver *s, const char *name, uint64_t *at, uint64_t most)
{
    keep(s, name, at, 1)->most = most;
}

static void register_state(zo_solver *s)
{
    keep(s, "previous", s->previous, s->problem.d);
    keep(s, "best", s->best, s->problem.d);
    if (s->values) keep(s, "values", s->values, s->problem.n);
    if (s->values) keep(s, "valued_at", s->valued_at, s->problem.d);
    count(s, "valued", &s->valued, 1);
    count(s, "known_step", &s->known_step, INT64_MAX);
    count(s, "queries", &s->queries, INT64_MAX);
    count(s, "watched", &s->watched, INT64_MAX);
    count(s, "aside", &s->aside, INT64_MAX);
    count(s, "extra", &s->extra, INT64_MAX);
    count(s, "retried", &s->retried, INT64_MAX);
    count(s, "failures", &s->failures, INT64_MAX);
    keep(s, "best_objective", &s->best_objective, 1);
    keep(s, "first_objective", &s->first_objective, 1);
    keep(s, "objective", &s->objective, 1); /* a row that was shown is not paid for again */
    keep(s, "objective_step", &s->objective_step, 1);
    keep(s, "row_due", &s->row_due, 1);
    count(s, "row_queries", &s->row_queries, INT64_MAX);
    count(s, "row_owed", &s->row_owed, 1);
    keep(s, "seconds", &s->seconds, 1);
    count(s, "evaluations", &s->evaluations, INT64_MAX);
    const struct zo_together *t = s->problem.together; /* one number, which is the first rank's */
    keep(s, "kept", s->problem.kept && !(t && t->rank) ? s->problem.kept : &s->kept, 1);
}

/* ---- The whole --------------------------------------------------------------------------------------- */

zo_status zo_new(zo_solver **out, const zo_problem *problem, const zo_settings *settings,
                 zo_error *err)
{
    return zo_new_with(out, problem, settings, NULL, err);
}

zo_status zo_new_with(zo_solver **out, const zo_problem *problem, const zo_settings *settings,
                      const zo_method *with, zo_error *err)
{
    if (!out) return fail(err, ZO_BAD_ARGUMENT, "out: NULL");
    *out = NULL;
    if (!problem || !settings)
        return fail(err, ZO_BAD_ARGUMENT, "%s: NULL", problem ? "settings" : "problem");
    zo_status status;
    if ((status = check_problem(problem, err)) ||
        (status = settings_check(settings, problem->n, err)))
        return status;
    zo_solver *s = mem_new(1, sizeof *s);
    if (!s) return out_of_memory(err, "solver", 1);
    s->problem = *problem;
    s->problem.inside = problem_inside(problem);
    s->given = *settings;
    s->d = problem->d;
    s->log = problem->log;
    s->horizon = s->first_objective = s->best_objective = s->objective = NAN;
    if ((with && (status = take_own(s, with, err))) ||
        (status = hold_fixed(s, problem->scale, err)) || (status = make_room(s, err)) ||
        (status = take_answers(s, problem, err)) ||
        (status = mend_new(&s->mend, s->problem.d, problem->together, err)) ||
        (status = fence_new(&s->fence, &s->problem.psi, s->problem.d, settings->inside,
                            problem->together, err)) ||
        (status = solver_plan(s, NAN, err))) {
        zo_free(s);
        return status;
    }
    register_state(s);
    *out = s;
    return succeed(err);
}

void zo_free(zo_solver *s)
{
    if (!s) return;
    method_free(s->method);
    fence_free(s->fence);
    mend_free(s->mend);
    fixed_free(s->fixed);
    mem_free(s->shown);
    callback_free(s->callback);
    composed_free(s->composed);
    whole_free(s->whole);
    mem_free(s->scale);
    mem_free(s->work);
    mem_free(s->answers);
    mem_free(s->before);
    mem_free(s->previous);
    mem_free(s->best);
    mem_free(s->values);
    mem_free(s->valued_at);
    mem_free(s->missing);
    mem_free(s->tried);
    mem_free(s->heard);
    mem_free(s->own);
    mem_free(s);
}
