/* inq: the end of a noisy run. What components can tell one by one is lost in noise; their mean is not yet.
 * SPDX-License-Identifier: MIT
 *
 * Values have noise of standard deviation sigma, so means of n have eps = sigma/sqrt(n). Central differences of the mean
 * along axis j take a radius of their own, r_j^2 h_jj = CLEAR eps: the curvature stands clear of the noise, and the
 * error of slope j, eps/(sqrt(2) r_j), is worth
 *
 *     (1/2) sum_j (eps^2/(2 r_j^2)) / h_jj = d eps/(4 CLEAR)
 *
 * in F, however x is scaled. That is far below eps, which is all that comparing two values of F can show. While steps
 * promise much more, differences are forward, with a part of that radius. The matrix begins with what components have told
 * of it, or with h_jj, learns from changes of slopes (BFGS), and at the end is measured by cross differences (d <= CROSS).
 * A step is refused when F rises by more than the noise explains; the run ends when a step promises less than the error
 * of the slopes. */
#include <float.h>
#include <math.h>

#include "base/blas.h"
#include "base/rng.h"
#include "base/vec.h"
#include "method/inq/inq_axes.h"
#include "prox/prox.h"

enum {
    RUNGS = 4, /* lengths of the first look */
    AGAIN = 10 /* looks until the matrix is measured anew */
};

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

void near_begin_anew(inq *s)
{
    near_reset(s);
    s->at->sides = 2;
    s->base.stage = ASK_LADDER;
}

void inq_begin_near(inq *s)
{
    if (axes_begin_near(s)) return;
    near_reset(s);
    s->base.stage = ASK_LADDER;
    if (s->at->filled >
        0) { /* a model that is doubted: the first look is central, and scales it to the h_jj seen */
        near_from_model(s);
        s->at->sides = inq_doubted(s) ? 2 : 1;
        s->base.stage = ASK_NEAR;
    }
    method_note(&s->base, "the mean of all components from step %llu on (their noise)",
                (unsigned long long)s->base.step);
}

/* ---- Questions ---------------------------------------------------------------------------------- */

/* Before the first gradients the same question is about the radius of all that follow. */
static int begins(const inq *s) { return s->base.n >= FEW && s->at->filled == 0; }

/* One direction of signs at several lengths: how far is it until F bends? */
static void ask_ladder(inq *s, zo_fan *fan)
{
    size_t d = s->base.d;
    rng_signs(s->base.set.seed, FOR_CURVATURE, s->base.step, 0, d, s->work);
    for (size_t k = 0; k < RUNGS; k++)
        for (size_t j = 0; j < d; j++) s->dir[k * d + j] = rung[k] * near_longest(s) * s->work[j];
    fan->comp = s->order;
    fan->ncomp = some(s, begins(s) ? 0 : 0.25);
    fan->ndir = RUNGS;
    fan->sides = 2;
}

double near_radius(const inq *s, size_t j)
{
    return s->reach[j] * (s->at->sides == 1 ? forward : 1);
}

/* Axes from cursor on, each at its own radius. */
static void ask_near(inq *s, zo_fan *fan)
{
    size_t d = s->base.d, from = (size_t)s->at->cursor,
           count = d - from < SPREAD ? d - from : SPREAD;
    vec_zero(count * d, s->dir);
    for (size_t k = 0; k < count; k++) s->dir[k * d + from + k] = near_radius(s, from + k);
    fan->ndir = count;
    fan->sides = s->at->sides == 1 ? 1 : 2;
}

/* Axes, then pairs of axes, of a part of the components. */
static void ask_cross(inq *s, zo_fan *fan)
{
    size_t d = s->base.d, row = d;
    vec_zero((d + d * (d - 1) / 2) * d, s->dir);
    for (size_t j = 0; j < d; j++) {
        s->dir[j * d + j] = s->reach[j];
        for (size_t k = 0; k < j; k++, row++) {
            s->dir[row * d + j] = s->reach[j];
            s->dir[row * d + k] = s->reach[k];
        }
    }
    fan->comp = s->order;
    fan->ncomp = some(s, 4 / (double)d);
    fan->ndir = row;
    fan->sides = 1;
}

void inq_ask_near(inq *s, zo_fan *fan)
{
    fan->radius = 1;
    fan->dir = s->dir;
    switch (s->base.stage) {
    case ASK_LADDER: ask_ladder(s, fan); break;
    case ASK_NEAR: ask_near(s, fan); break;
    case ASK_CROSS: ask_cross(s, fan); break;
    default:
        fan->base[0] = s->cand;
        if (s->at->supports == RULING) fan->each = method_each(&s->base);
    }
}

/* ---- The matrix --------------------------------------------------------------------------------- */

/* |A| = V S V' where A = U S V' is symmetric: curvature of either sign is a reason not to go far. In units of the
 * radii, where what is below the noise of an entry is no curvature. */
static void from_cross(inq *s, const double *answers)
{
    const zo_fan *fan = &s->base.fan;
    size_t d = s->base.d, row = d;
    double *a = s->full, *vt = s->dir, values[CROSS], *work = s->block;
    for (size_t j = 0; j < d; j++) {
        a[j * d + j] = s->bends[j] * s->reach[j] * s->reach[j];
        for (size_t k = 0; k < j; k++, row++)
            a[j * d + k] = a[k * d + j] = quotient(fan, answers, 0, row) -
                                          quotient(fan, answers, 0, j) -
                                          quotient(fan, answers, 0, k);
    }
    double *u = vt + d * d;
    if (svd_work(d, d) > 2 * SUM_BLOCK * d || svd(d, d, a, values, u, vt, work)) return;
    for (size_t k = 0; k < d; k++) values[k] = fmax(values[k], 2 * near_eps(s));
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < d; k++) {
            double sum = 0;
            for (size_t e = 0; e < d; e++) sum += values[e] * vt[j * d + e] * vt[k * d + e];
            s->matrix[j * d + k] = sum / (s->reach[j] * s->reach[k]);
        }
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
    s->at->cursor = 0;
    s->base.stage = ASK_NEAR;
    for (size_t j = 0; j < m->d; j++)
        s->reach[j] = fmin(near_longest(s), unit * sqrt(CLEAR * near_eps(s)));
    if (!begins(s)) return;
    s->at->unit = unit < INFINITY ? unit : 0;
    inq_settle_radius(s);
    s->base.stage = ASK_GRADIENT;
}

/* The radii for the next look; how many of this one's were badly wrong. */
static size_t correct_radii(inq *s)
{
    size_t wrong = 0;
    double most = near_longest(s), clear = CLEAR * near_eps(s);
    for (size_t j = 0; j < s->base.d; j++) {
        double r = s->reach[j], bend = fabs(s->bends[j]) * r * r,
               factor = sqrt(clear / fmax(bend, DBL_MIN));
        factor = fmin(fmax(factor, 1.0 / 8), 8);
        wrong += (factor > 4 && r < most) || factor < 0.25;
        s->reach[j] = fmin(r * factor, most);
    }
    return wrong;
}

static void tell_near(inq *s, const double *answers)
{
    method *m = &s->base;
    struct progress *at = s->at;
    const zo_fan *fan = &m->fan;
    for (size_t k = 0; k < fan->ndir; k++) {
        size_t j = (size_t)at->cursor + k;
        double r = near_radius(s, j);
        if (fan->sides == 2) s->bends[j] = second_difference(fan, answers, 0, k) / (r * r);
        s->incline[j] =
            quotient(fan, answers, 0, k) / r - (fan->sides == 1 ? 0.5 * r * s->bends[j] : 0);
    }
    if (at->cursor == 0) at->objective = answers[0] + prox_value(m->psi, m->d, m->x);
    at->cursor += fan->ndir;
    if (at->cursor < m->d) return;
    at->cursor = 0;
    if (fan->sides == 2 && correct_radii(s) > m->d / 2 && ++at->looks < MOST_LOOKS)
        return; /* asked again */
    if (at->metric && fan->sides == 2) near_fit_diagonal(s);
    if (at->metric)
        near_learn_change(s);
    else
        near_from_axes(s);
    if (fan->sides == 2) at->central = at->metric;
    if (at->metric >= at->whole_from && fan->sides == 2 && at->falls < (double)m->d * near_eps(s) &&
        m->d <= CROSS && m->d > 1) {
        m->stage = ASK_CROSS;
        at->whole_from = at->metric + AGAIN;
    } else {
        near_try_step(s);
    }
    at->metric++;
}

void inq_tell_near(inq *s, const double *answers)
{
    switch (s->base.stage) {
    case ASK_LADDER: tell_ladder(s, answers); break;
    case ASK_NEAR: tell_near(s, answers); break;
    case ASK_CROSS:
        from_cross(s, answers);
        near_try_step(s);
        break;
    default: near_tell_step(s, answers);
    }
}
