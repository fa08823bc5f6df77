/* Where F is known, and which point is the result.
 * SPDX-License-Identifier: MIT
 *
 * F is known where it was looked at, where a question had a base and all components, and where a method says so. The best of
 * these points is what a run returns, unless the last iterate is asked for (setting point). With noise the lowest of many
 * values is low by chance: a method that compares values then knows better. */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "prox/prox.h"
#include "solve/solver.h"

void solver_offer(zo_solver *s, const double *x, double objective)
{
    if (!isfinite(objective) || (objective >= s->best_objective)) return;
    s->best_objective = objective;
    if (x != s->best) vec_copy(s->problem.d, x, s->best);
}

static void offered(void *ctx, const double *x, double objective)
{
    solver_offer(ctx, x, objective);
}

void solver_lend(zo_solver *s)
{
    s->method->prox_work = s->work;
    s->method->offer = offered;
    s->method->offer_ctx = s;
}

/* fan: with the coordinates that are free. */
int solver_tells_all(const zo_solver *s, const zo_fan *fan)
{
    return !fan->known && !fan->each && !fan->comp && fan->ncomp == s->problem.n;
}

void solver_learn(zo_solver *s, const zo_fan *fan, const double *answers)
{
    if (!solver_tells_all(s, fan)) return;
    size_t per = zo_fan_set(fan) / fan->nbase;
    for (size_t b = 0; b < fan->nbase; b++)
        solver_offer(s, fan->base[b],
                     answers[b * per] + prox_value(&s->problem.psi, fan->d, fan->base[b]));
}

int solver_at_best(const zo_solver *s)
{
    return !isnan(s->best_objective) &&
           !memcmp(s->method->x, s->best, s->problem.d * sizeof *s->best);
}

/* 1: the best point is the result; 0: the method's. */
static int best_is_result(const zo_solver *s)
{
    const method *m = s->method;
    if (s->given.point == ZO_LAST || isnan(s->best_objective)) return 0;
    return !(m->row->compares && m->set.noise > 0);
}

const double *solver_wide(const zo_solver *s, const double *x, double *room)
{
    if (!s->fixed) return x;
    fixed_widen(s->fixed, x, room);
    return room;
}

const double *zo_point(const zo_solver *s)
{
    return solver_wide(s, best_is_result(s) ? s->best : s->method->x, s->shown);
}

const double *zo_best(const zo_solver *s)
{
    return isnan(s->best_objective) ? zo_last(s) : solver_wide(s, s->best, s->shown + s->d);
}

const double *zo_last(const zo_solver *s)
{
    return solver_wide(s, s->method->x, s->shown + 2 * s->d);
}

double solver_objective(const zo_solver *s)
{
    if (best_is_result(s)) return s->best_objective;
    return s->objective_step == s->method->step ? s->objective : NAN;
}
