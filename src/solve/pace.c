/* How far a run has come: what is answered of the question at hand, how much of the budget is spent, how long it lasts.
 * SPDX-License-Identifier: MIT */
#include "solve/pace.h"

#include <math.h>

#include "base/clock.h"

#define PAUSE 0.1 /* seconds between two calls of the caller's function */

double pace_clock(void) { return clock_now(); }

void pace_begin(pace *p, const zo_solver *s, const zo_control *c, uint64_t budget)
{
    double now = pace_clock();
    *p = (pace){.s = s,
                .c = c,
                .budget = budget,
                .begun = now - s->seconds,
                .since = now,
                .first = s->queries,
                .first_step = s->method->step,
                .shown = -INFINITY,
                .objective = s->best_objective,
                .left = NAN};
}

/* What of a limit is left, at the rate at which `done` came since this run began. */
static double at_this_rate(double left, double done, double elapsed)
{
    return done > 0 ? fmax(left, 0) * elapsed / done : NAN;
}

/* A new estimate where something was answered; until then the old one runs down. */
static double seconds_left(pace *p, uint64_t queries, double now)
{
    uint64_t done = queries - p->first, steps = p->s->method->step - p->first_step;
    double elapsed = now - p->since, left = NAN;
    if (done == p->left_done && !isnan(p->left)) return fmax(p->left - (now - p->left_at), 0);
    if (p->budget < UINT64_MAX)
        left = at_this_rate((double)p->budget - (double)queries, (double)done, elapsed);
    if (p->c->max_steps < UINT64_MAX)
        left = fmin(left, at_this_rate((double)(p->c->max_steps - p->first_step - steps),
                                       (double)steps, elapsed));
    p->left = left;
    p->left_at = now;
    p->left_done = done;
    return left;
}

/* The part of the budget that is spent first; fmax and fmin pass over what is not known. */
static double share_spent(const pace *p, uint64_t queries, double seconds)
{
    double share = NAN;
    if (p->budget < UINT64_MAX) share = (double)queries / (double)p->budget;
    if (p->c->max_seconds < INFINITY) share = fmax(share, seconds / p->c->max_seconds);
    if (p->c->max_steps < UINT64_MAX)
        share = fmax(share, (double)p->s->method->step / (double)p->c->max_steps);
    return fmin(share, 1);
}

static void show(pace *p, double now)
{
    const zo_solver *s = p->s;
    const zo_problem *problem = &s->problem;
    zo_health h = problem->health ? problem->health(problem->ctx) : (zo_health){0};
    uint64_t queries = s->queries + (p->watching ? 0 : p->answered);
    double seconds = now - p->begun;
    if (!isnan(s->objective)) p->objective = s->objective;
    zo_progress out = {.step = s->method->step,
                       .queries = s->queries,
                       .watched = s->watched,
                       .asked = p->asked ? zo_fan_queries(p->asked) : 0,
                       .answered = p->answered,
                       .workers = p->workers,
                       .busy = p->busy,
                       .retried = s->retried + h.retried,
                       .failures = solver_failures(s),
                       .units = (double)queries / problem_unit(problem),
                       .seconds = seconds,
                       .objective = p->objective,
                       .best_objective = s->best_objective,
                       .gap = p->objective - p->c->optimum,
                       .residual = s->method->residual,
                       .share = share_spent(p, queries, seconds),
                       .left = fmin(seconds_left(p, queries, now), p->c->max_seconds - seconds)};
    if (isinf(out.left)) out.left = NAN;
    p->shown = now;
    p->c->progress(p->c->progress_ctx, &out);
}

static void show_if_due(pace *p)
{
    double now = pace_clock();
    if (now - p->shown >= PAUSE) show(p, now);
}

void pace_ask(pace *p, const zo_fan *fan, int watching)
{
    if (!p->c->progress) return;
    p->asked = fan;
    p->watching = watching;
    p->answered = 0;
    p->busy = 0;
    show_if_due(p);
}

void pace_told(void *ctx, uint64_t answered, uint64_t asked, int busy, int workers)
{
    pace *p = ctx;
    if (!p->asked || !asked) return;
    uint64_t cost = zo_fan_queries(p->asked);
    double part = fmin((double)answered / (double)asked, 1); /* of ranks each asks its part */
    p->answered = asked == cost ? answered : (uint64_t)(part * (double)cost);
    p->busy = busy;
    p->workers = workers;
    show_if_due(p);
}
