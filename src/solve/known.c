/* Where F is known, and which point is the result.
 * SPDX-License-Identifier: MIT
 *
 * F is known where it was looked at, where a question had a base and all components, and where a method says so. The best of
 * these points is what a run returns, unless the last iterate is asked for (setting point), or F was last known more than
 * a step ago, because nobody looks (track off). With noise the lowest of many
 * values is low by chance: a method that compares values then knows better. */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "problem/ranks/together.h"
#include "prox/prox.h"
#include "solve/solver.h"

static const double clear =
    5; /* standard errors of F: by that the lowest of many values may be low by chance */

void solver_offer(zo_solver *s, const double *x, double objective)
{
    if (!isfinite(objective)) return;
    if (isnan(s->first_objective)) s->first_objective = objective;
    s->known_step = s->method->step + 1;
    if (objective >= s->best_objective) return;
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
    const struct zo_inside *inside = s->problem.inside;
    if (inside && inside->share && inside->share(s->problem.ctx, 0, NULL, NULL) > 1)
        s->method->helpers = (method_helpers){inside->share, s->problem.ctx};
}

double solver_mean(const zo_solver *s, const double *values)
{
    const struct zo_together *t = s->problem.together;
    double work[SUM_DEPTH], total;
    if (t)
        t->sum(t->ctx, s->problem.n, NULL, 1, values + t->first, &total);
    else
        sum_rows(s->problem.n, NULL, 1, values, &total, work, NULL);
    return total / (double)s->problem.n;
}

/* fan: with the coordinates that are free. */
int solver_tells_all(const zo_solver *s, const zo_fan *fan)
{
    return !fan->known && !fan->each && !fan->comp && fan->ncomp == s->problem.n;
}

double *solver_values(const zo_solver *s, const double *x)
{
    int here = s->valued && !memcmp(x, s->valued_at, s->problem.d * sizeof *x);
    return here ? s->values : NULL;
}

/* F where every f_i is known. Several points may be tried before the method moves to one of them: each is offered as it comes. */
static void offer_values(zo_solver *s, const double *x, const double *values)
{
    for (size_t i = 0; i < s->problem.n; i++)
        if (isnan(values[i])) return;
    solver_offer(s, x, solver_mean(s, values) + prox_value(&s->problem.psi, s->problem.d, x));
}

/* A question component by component says single f_i at its base, which may become the method's point. */
static void hear_values(zo_solver *s, const zo_fan *fan, const double *answers)
{
    size_t set = zo_fan_set(fan), n = s->problem.n, d = s->problem.d;
    s->tells_values =
        s->values && !fan->known && fan->each && 64 * fan->ncomp >= n && !s->method->row->residuals;
    if (!s->tells_values) return;
    const double *known = solver_values(s, fan->base[0]);
    vec_copy(d, fan->base[0], s->tried);
    for (size_t i = 0; i < n; i++) s->heard[i] = known ? known[i] : NAN;
    for (size_t e = 0; e < fan->ncomp; e++)
        s->heard[fan->comp ? fan->comp[e] : e] = answers[e * set];
    offer_values(s, s->tried, s->heard);
}

void solver_keep_values(zo_solver *s)
{
    size_t d = s->problem.d;
    if (!s->tells_values || memcmp(s->tried, s->method->x, d * sizeof(double))) return;
    vec_copy(d, s->tried, s->valued_at);
    vec_copy(s->problem.n, s->heard, s->values);
    s->valued = 1;
}

void solver_learn(zo_solver *s, const zo_fan *fan, const double *answers)
{
    hear_values(s, fan, answers);
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
    if (s->given.point == ZO_LAST || isnan(s->best_objective) || s->known_step < m->step) return 0;
    if (!m->row->compares || !(m->set.noise > 0)) return 1;
    int here = s->objective_step == m->step && !isnan(s->objective);
    return here && s->best_objective < s->objective - clear * m->set.noise / sqrt((double)m->n);
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
