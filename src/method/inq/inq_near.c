/* inq: noise. Before the first gradients: over which lengths does F bend? And steps along supports.
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>

#include "base/rng.h"
#include "base/vec.h"
#include "method/inq/inq_axes.h"
#include "prox/prox.h"

enum { RUNGS = 4 }; /* lengths of the first look */

/* A forward look takes a shorter radius than a central one: what h_jj has changed by since it was measured is not
 * corrected. */
static const double forward = 0.3;

static const double rung[RUNGS] = {1e-3, 1e-2, 0.1, 0.5};

/* The part of the components that part of n makes, at least 64. */
static size_t some(inq *s, double part)
{
    double n = (double)s->base.n, want = fmin(n, fmax(64, ceil(part * n)));
    return (size_t)want;
}

/* What components have told of the curvature is where the matrix and the radii begin. */
void near_from_model(inq *s)
{
    method *m = &s->base;
    size_t d = m->d;
    double most = near_longest(s), least = near_eps(s) / (most * most);
    inq_model(s);
    for (size_t j = 0; j < d; j++) {
        for (size_t k = 0; k < d; k++) s->matrix[j * d + k] = s->full[j * d + k];
        s->bends[j] = s->full[j * d + j] + s->at->mu;
        s->matrix[j * d + j] = s->bends[j] + least;
        s->reach[j] = fmin(sqrt(CLEAR * near_eps(s) / s->matrix[j * d + j]), most);
    }
    vec_copy(d, m->x, s->before);
    s->at->metric = 1;
}

void near_reset(inq *s)
{
    struct progress *at = s->at;
    at->cursor = at->looks = at->failures = at->flat = at->central = at->metric = 0;
    at->damping = 0;
    at->whole_from = 1;
    at->agrees = 1;
}

/* ---- Questions ---------------------------------------------------------------------------------- */

/* One direction of signs at several lengths: how far is it until F bends? */
static void ask_ladder(inq *s, zo_fan *fan)
{
    size_t d = s->base.d;
    rng_signs(s->base.set.seed, FOR_CURVATURE, s->base.step, 0, d, s->work);
    for (size_t k = 0; k < RUNGS; k++)
        for (size_t j = 0; j < d; j++) s->dir[k * d + j] = rung[k] * near_longest(s) * s->work[j];
    fan->comp = s->order;
    fan->ncomp = some(s, 0);
    fan->ndir = RUNGS;
    fan->sides = 2;
}

double near_radius(const inq *s, size_t j)
{
    return s->reach[j] * (s->at->sides == 1 ? forward : 1);
}

void inq_ask_near(inq *s, zo_fan *fan)
{
    fan->radius = 1;
    fan->dir = s->dir;
    if (s->base.stage == ASK_LADDER) {
        ask_ladder(s, fan);
        return;
    }
    fan->base[0] = s->cand;
    fan->each = method_each(&s->base);
}

/* ---- Answers ------------------------------------------------------------------------------------ */

/* The radius that is best for values of single components: where F bends by h along an axis, unit = 1/sqrt(h) times what it
 * is for h = 1. The automatic one grows with |x|, which serves curves well, but nothing else, and is far too long where
 * unit is below 1. */
void inq_settle_radius(inq *s)
{
    method *m = &s->base;
    double unit = s->at->unit;
    if (!isnan(m->set.radius) || !(unit > 0) || (unit >= 1 && !inq_doubted(s))) return;
    m->set.radius = fmin(unit, 2) * method_radius(m, 1) / fmax(1, vec_norm(m->d, m->x));
}

/* The shortest length at which the bend stands clear gives the radius for all axes. */
static void tell_ladder(inq *s, const double *answers)
{
    const method *m = &s->base;
    double noise = sqrt(6) * near_level(s, (double)m->fan.ncomp), unit = INFINITY;
    for (size_t k = 0; k < RUNGS; k++) {
        double length = rung[k] * near_longest(s),
               bend = fabs(second_difference(&m->fan, answers, 0, k));
        if (!isfinite(bend) || !(bend > 5 * noise)) continue;
        unit = length * sqrt((double)m->d / bend);
        break;
    }
    s->at->unit = unit < INFINITY ? unit : 0;
    inq_settle_radius(s);
    s->base.stage = ASK_GRADIENT;
}

void inq_tell_near(inq *s, const double *answers)
{
    if (s->base.stage == ASK_LADDER)
        tell_ladder(s, answers);
    else
        near_tell_step(s, answers);
}
