/* The loop's looks at F: what they cost, when one is worth it, and what is known without.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "problem/ranks/together.h"
#include "prox/prox.h"
#include "solve/loop.h"
#include "solve/rest.h"

static const double looks_part = 0.1; /* of what is spent goes into looks, where they are charged */

/* The problem could not answer. ZO_NO_MEMORY is the one code that has a meaning here. */
zo_status loop_unanswered(loop *l, int code)
{
    l->s->reason = ZO_AT_FAILURE;
    const zo_problem *p = &l->s->problem;
    const char *text = p->health ? p->health(p->ctx).text : NULL;
    unsigned long long queries = l->s->queries;
    if (code == ZO_NO_MEMORY)
        return fail(l->err, ZO_NO_MEMORY, "out of memory in the problem after %llu queries",
                    queries);
    if (text) return fail(l->err, ZO_PROBLEM, "%s", text);
    return fail(l->err, ZO_PROBLEM, "the problem failed with code %d after %llu queries", code,
                queries);
}

static uint64_t spent(const loop *l)
{
    const zo_solver *s = l->s;
    return s->queries + s->pending + s->extra + (l->charged ? s->watched + s->aside : 0);
}

/* What is left for asking again beside a question of that cost; the last look's n are not. */
static uint64_t left_beside(const loop *l, uint64_t cost)
{
    uint64_t taken = spent(l) + cost + (l->last ? 0 : loop_reserve(l));
    if (l->budget == UINT64_MAX) return UINT64_MAX;
    return taken < l->budget ? l->budget - taken : 0;
}

static uint64_t asked_again(const zo_problem *p)
{
    return p->health ? p->health(p->ctx).retried : 0;
}

/* Asks the problem; watching: only to show F. */
int loop_answer(loop *l, const zo_fan *fan, int watching, double *out)
{
    zo_solver *s = l->s;
    uint64_t before = asked_again(&s->problem);
    pace_ask(&l->pace, fan, watching);
    l->halt.spare = left_beside(l, watching && !l->charged ? 0 : zo_fan_queries(fan));
    l->halt.begun = s->queries > 0;
    int code = solver_answer(s, fan, watching, out);
    l->pace.asked = NULL;
    s->failures += code && code != ZO_HALTED;
    if (code != ZO_HALTED) s->extra += asked_again(&s->problem) - before;
    return code;
}

int loop_pays(const loop *l, uint64_t cost, uint64_t reserve)
{
    return cost <= l->budget && spent(l) <= l->budget - cost &&
           spent(l) + cost <= l->budget - reserve;
}

/* A method of residuals knows F wherever it is; but another may follow it, when the run is planned or by a hand-over. */
uint64_t loop_reserve(const loop *l) { return l->s->method->row->residuals ? 0 : l->reserve; }

/* Will the next question tell F at x by itself? Asking is pure. */
static int tells_next(loop *l)
{
    zo_solver *s = l->s;
    const zo_fan *fan;
    l->trouble = solver_ask(s, &fan, l->err);
    int asks = !l->trouble && fan, tells = 0;
    if (asks && !memcmp(s->narrow->base[0], s->method->x, s->problem.d * sizeof(double)))
        tells = solver_tells_all(s, s->narrow) ||
                (s->values && fan->each && !fan->known && fan->ncomp == s->problem.n);
    if (asks && !s->method->settled) tells = 1; /* or the one after the probe */
    s->asked = NULL;
    return tells;
}

/* F is not known anywhere, and the method goes its way without comparing. */
int loop_lacks_first(const loop *l)
{
    const zo_solver *s = l->s;
    return l->charged && s->method->step == 0 && !s->method->row->compares &&
           isnan(s->best_objective);
}

/* Where looks are charged they take at most a tenth of what is spent, but for the first, of a method that does not
 * compare values by itself, and the last. */
static int may_look(loop *l, int why)
{
    const zo_solver *s = l->s;
    if (l->c->track == ZO_TRACK_OFF) return 0;
    if (!l->charged) return 1;
    if (!loop_pays(l, l->look, l->last ? 0 : loop_reserve(l))) return 0;
    if (why == WANTED || l->last || l->c->track == ZO_TRACK_CHARGED) return 1;
    return (loop_lacks_first(l) ||
            (double)(s->watched + l->look) <= looks_part * (double)s->queries) &&
           !tells_next(l);
}

/* The components whose values at x are not known; all of them: NULL. */
static const uint64_t *list_missing(zo_solver *s, const double *values, size_t *count)
{
    *count = s->problem.n;
    if (!values || s->method->set.noise > 0 || s->problem.by_point) return NULL;
    *count = 0;
    for (size_t i = 0; i < s->problem.n; i++)
        if (isnan(values[i])) s->missing[(*count)++] = i;
    return s->missing;
}

/* F at x (of the free coordinates) by a fan without directions, of the components that are not known there. */
static int look_at(loop *l, const double *x, double *f)
{
    zo_solver *s = l->s;
    const zo_problem *p = &s->problem;
    double *values = solver_values(s, x);
    zo_fan fan = {.n = p->n,
                  .d = s->d,
                  .nbase = 1,
                  .base = {solver_wide(s, x, s->shown)},
                  .radius = 1,
                  .sides = 1,
                  .by_point = p->by_point,
                  .log = s->log};
    fan.comp = list_missing(s, values, &fan.ncomp);
    fan.each = !fan.comp ? 0 : p->together ? ZO_MINE : 1;
    int code = ZO_OK;
    if (fan.each && solver_reserve(s, fan.ncomp, NULL)) return ZO_NO_MEMORY;
    if (fan.ncomp) code = loop_answer(l, &fan, 1, fan.each ? s->answers : f);
    if (code != ZO_HALTED && fan.ncomp)
        *(l->last ? &s->aside : &s->watched) += zo_fan_queries(&fan);
    if (code) return code;
    for (size_t e = 0; fan.each && e < fan.ncomp; e++) values[fan.comp[e]] = s->answers[e];
    if (fan.each) *f = solver_mean(s, values);
    if (!isfinite(*f) && fan.ncomp) solver_note_look(s, &fan, s->answers, *f);
    *f += prox_value(&p->psi, p->d, x);
    return code;
}

/* F at the method's point: what is known of it, or a look. */
zo_status loop_watch(loop *l, int why)
{
    zo_solver *s = l->s;
    if (s->objective_step == s->method->step && !isnan(s->objective)) return ZO_OK;
    s->objective = NAN;
    s->objective_step = s->method->step;
    if (solver_at_best(s) && !(s->method->set.noise > 0)) {
        s->objective = s->best_objective;
        return ZO_OK;
    }
    if (!may_look(l, why) || l->trouble) return l->trouble;
    double f;
    int code = look_at(l, s->method->x, &f);
    if (code == ZO_HALTED) return ZO_HALTED;
    if (code) return loop_unanswered(l, code);
    s->objective = f;
    solver_offer(s, s->method->x, f);
    if (!isfinite(f)) s->known_step = s->method->step + 1; /* it was looked at, and is no result */
    return ZO_OK;
}

/* A budget below the price of the first step is used all the same. */
zo_status loop_spend_rest(loop *l)
{
    zo_solver *s = l->s;
    if (!l->charged || l->c->track == ZO_TRACK_OFF || s->reason != ZO_AT_QUERIES || s->method->step)
        return ZO_OK;
    rest r = rest_begin(s);
    while (!isnan(s->best_objective) && loop_pays(l, l->look, 0)) {
        double f, before = s->best_objective;
        rest_point(&r, s->before);
        int code = look_at(l, s->before, &f);
        if (code) return code == ZO_HALTED ? ZO_OK : loop_unanswered(l, code);
        solver_offer(s, s->before, f);
        rest_told(&r, s->best_objective < before);
    }
    return ZO_OK;
}
