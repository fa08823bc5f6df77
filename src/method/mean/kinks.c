/* mean: kinks. Quasi-Newton steps that end beyond them, where slopes have turned.
 * SPDX-License-Identifier: MIT
 *
 * At a kink slopes jump, and a matrix that learns from slopes on both sides of it is steep across and flat along: so BFGS
 * finds its way along the floor of valleys that are nowhere smooth, if a step tp is neither too long nor too short:
 *
 *     F(x + tp) < F(x) + KINK_FALL t g'p,   dF(x + tp)/dt > KINK_STEEP g'p
 *
 * The second holds where F falls by no more than KINK_STEEP t g'p, if it is convex along p; else one value a little farther on
 * says it. All slopes are asked only where both hold. W is the inverse of the matrix, in s->spread; p is in s->path; g are the
 * slopes of F, psi included, over lengths so short that few have a kink within.
 *
 * Lewis, Overton: Nonsmooth optimization via quasi-Newton methods, Math. Program. 141, 2013. */
#include <float.h>
#include <math.h>

#include "base/dense.h"
#include "base/real.h"
#include "base/rng.h"
#include "base/vec.h"
#include "method/mean/state.h"
#include "prox/prox.h"

int kinks_suit(const mean *s)
{
    return !(s->base.set.noise > 0) && s->base.n < FEW && s->base.d <= SEARCHED &&
           prox_separable(s->base.psi);
}

/* ---- Questions ---------------------------------------------------------------------------------- */

void kinks_begin(mean *s)
{
    const method *m = &s->base;
    double value = s->at->objective - prox_value(m->psi, m->d, m->x);
    *s->kinks = (kinks){.value = value, .valued = 1, .part = KINK_RADIUS};
    vec_copy(m->d, m->x, s->cand);
    s->base.stage = ASK_KINK_SLOPES;
}

void kinks_begin_near(mean *s, double part)
{
    method *m = &s->base;
    *s->kinks = (kinks){.part = KINK_RADIUS};
    rng_normals(m->set.seed, FOR_SPREAD, m->step, 0, m->d, s->work);
    for (size_t j = 0; j < m->d; j++) s->cand[j] = m->x[j] + part * s->size[j] * s->work[j];
    prox_apply(m->psi, m->d, DBL_MIN, s->cand, s->cand, m->prox_work);
    method_clamp(m, s->cand);
    m->stage = ASK_KINK_SLOPES;
}

/* to = from + t p, within bounds. */
static void go_along(const mean *s, const double *from, double t, double *to)
{
    for (size_t j = 0; j < s->base.d; j++) to[j] = from[j] + t * s->path[j];
    method_clamp(&s->base, to);
}

static void ask_slopes(mean *s, zo_fan *fan)
{
    const method *m = &s->base;
    double part = s->kinks->part;
    for (size_t j = 0; j < m->d; j++) {
        double r = isnan(m->set.radius) ? part * s->size[j] : m->set.radius;
        s->asked[j] = (uint32_t)j;
        s->radii[j] = method_reach(m, s->cand, j, r);
    }
    fan->base[0] = s->cand;
    fan->naxis = m->d;
    fan->axis = s->asked;
    fan->radii = s->radii;
    fan->sides = 1;
    fan->known = s->kinks->valued != 0;
    if (fan->known) s->base.told = s->kinks->value;
}

void kinks_ask(mean *s, zo_fan *fan)
{
    switch (s->base.stage) {
    case ASK_KINK_SLOPES: ask_slopes(s, fan); break;
    case ASK_KINK_POINT: fan->base[0] = s->cand; break;
    default: go_along(s, s->best, s->kinks->line.beyond, s->y); fan->base[0] = s->y;
    }
}

/* ---- The matrix --------------------------------------------------------------------------------- */

/* Is x_j at a bound that its slope leads out of? */
static int is_held(const mean *s, size_t j)
{
    const method *m = &s->base;
    if (!m->bounds) return 0;
    return s->g[j] > 0 ? m->x[j] <= m->bounds[j] : m->x[j] >= m->bounds[m->d + j];
}

/* W = B^-1, B as it was learnt on the way here; 0: it has none. */
static int from_matrix(mean *s)
{
    size_t d = s->base.d;
    vec_copy(d * d, s->matrix, s->root);
    if (dense_cholesky(d, s->root)) return 0;
    vec_zero(d * d, s->spread);
    for (size_t j = 0; j < d; j++) {
        double *row = s->spread + j * d;
        row[j] = 1;
        dense_solve_down(d, s->root, row);
        dense_solve_up(d, s->root, row);
    }
    return 1;
}

/* W = a multiple of squared sizes, so that a step promises a part of F. */
static void from_sizes(mean *s)
{
    size_t d = s->base.d;
    double steep = 0, promise = KINK_PROMISE * fmax(fabs(s->at->objective), 1e-290);
    for (size_t j = 0; j < d; j++)
        if (!is_held(s, j)) steep += square(s->g[j] * s->size[j]);
    vec_zero(d * d, s->spread);
    for (size_t j = 0; j < d; j++)
        s->spread[j * d + j] = promise / fmax(steep, 1e-290) * square(s->size[j]);
}

static void begin_matrix(mean *s, int near)
{
    kinks *k = s->kinks;
    k->learnt = (uint64_t)(!near && from_matrix(s));
    if (!k->learnt) from_sizes(s);
    k->begun = 1;
    k->since = (double)s->at->asked;
    k->then = s->at->objective;
    k->fell = INFINITY;
}

/* W from p = x - x before and y = g - g before: W += ((1 + y'Wy/p'y) pp' - Wyp' - py'W)/p'y, of the right size first where it
 * was made of sizes. */
static void learn(mean *s)
{
    size_t d = s->base.d;
    double *p = s->work, *y = s->y, *image = s->image, along, bend;
    for (size_t j = 0; j < d; j++) {
        p[j] = s->base.x[j] - s->before[j];
        y[j] = s->g[j] - s->g_before[j];
    }
    along = vec_dot(d, p, y);
    if (!(along > 0)) return;
    for (size_t j = 0; j < d; j++) image[j] = vec_dot(d, s->spread + j * d, y);
    bend = vec_dot(d, y, image);
    if (!s->kinks->learnt && bend > 0) {
        vec_scale(d * d, along / bend, s->spread);
        vec_scale(d, along / bend, image);
        bend = along;
    }
    s->kinks->learnt = 1;
    for (size_t j = 0; j < d; j++) {
        double *row = s->spread + j * d;
        vec_add(d, ((1 + bend / along) * p[j] - image[j]) / along, p, row);
        vec_add(d, -p[j] / along, image, row);
    }
}

/* ---- Steps -------------------------------------------------------------------------------------- */

static verdict try_at(mean *s, double t)
{
    s->kinks->line.t = t;
    go_along(s, s->base.x, t, s->cand);
    s->base.stage = ASK_KINK_POINT;
    return GOES_ON;
}

/* p = -Wg, but for what bounds hold. */
static verdict begin_step(mean *s)
{
    size_t d = s->base.d;
    kinks *k = s->kinks;
    double *g = s->work;
    for (size_t j = 0; j < d; j++) g[j] = is_held(s, j) ? 0 : s->g[j];
    k->line.slope = k->line.longest = 0;
    for (size_t j = 0; j < d; j++) {
        s->path[j] = is_held(s, j) ? 0 : -vec_dot(d, s->spread + j * d, g);
        k->line.longest = fmax(k->line.longest, fabs(s->path[j]) / s->size[j]);
        k->line.slope += s->path[j] * g[j];
    }
    k->line.low = 0;
    k->line.found = k->line.tried = 0;
    k->line.high = INFINITY;
    return k->line.slope < 0 && isfinite(k->line.slope) ? try_at(s, 1) : STILL;
}

/* To the best point along p; its slopes come next. */
static verdict move(mean *s)
{
    method *m = &s->base;
    vec_copy(m->d, m->x, s->before);
    vec_copy(m->d, s->g, s->g_before);
    vec_copy(m->d, s->best, m->x);
    vec_copy(m->d, s->best, s->cand);
    for (size_t j = 0; j < m->d; j++) s->size[j] = fmax(s->size[j], fabs(m->x[j]));
    s->kinks->value = s->kinks->line.lower;
    s->kinks->moved = 1;
    s->at->objective = s->kinks->value + prox_value(m->psi, m->d, m->x);
    m->step++;
    m->error = 0;
    m->stage = ASK_KINK_SLOPES;
    return GOES_ON;
}

/* No point is lower: differences had a kink within, or x is as low as can be seen. */
static verdict look_closer(mean *s)
{
    kinks *k = s->kinks;
    if (!(k->part > KINK_LEAST)) return STILL;
    k->part = fmax(k->part * KINK_CLOSER, KINK_LEAST);
    k->moved = 0;
    vec_copy(s->base.d, s->base.x, s->cand);
    s->base.stage = ASK_KINK_SLOPES;
    return GOES_ON;
}

/* Half-way between what was too short and what was too long; or twice as far. */
static verdict try_on(mean *s)
{
    kinks *k = s->kinks;
    int wide = (k->line.high - k->line.low) * k->line.longest > STEP_LEAST;
    if (++k->line.tried < MOST_KINK_STEPS && wide)
        return try_at(s,
                      isfinite(k->line.high) ? 0.5 * (k->line.low + k->line.high) : 2 * k->line.t);
    return k->line.found ? move(s) : look_closer(s);
}

/* F falls by less than a part of itself, and no slower than before: it is far from everything, and creeps. */
static int creeps(mean *s)
{
    kinks *k = s->kinks;
    double asked = (double)s->at->asked, F = s->at->objective, fell = k->then - F;
    if (asked - k->since < KINK_WINDOW * (double)s->base.n * ((double)s->base.d + 1)) return 0;
    int slow = fell < SLOW * fabs(F) && fell > STEADY * k->fell;
    k->fell = fell;
    k->since = asked;
    k->then = F;
    return slow;
}

/* ---- Answers ------------------------------------------------------------------------------------ */

static verdict tell_point(mean *s, const double *answers)
{
    kinks *k = s->kinks;
    const method *m = &s->base;
    double fell = s->at->objective - answers[0] - prox_value(m->psi, m->d, s->cand);
    double promise = -k->line.t * k->line.slope;
    if (!(fell > KINK_FALL * promise)) {
        k->line.high = k->line.t;
        return try_on(s);
    }
    vec_copy(m->d, s->cand, s->best);
    k->line.found = 1;
    k->line.lower = answers[0];
    if (fell < KINK_STEEP * promise) return move(s);
    k->line.beyond = KINK_BEYOND * k->part / k->line.longest;
    s->base.stage = ASK_KINK_BEYOND;
    return GOES_ON;
}

static verdict tell_beyond(mean *s, const double *answers)
{
    kinks *k = s->kinks;
    const method *m = &s->base;
    go_along(s, s->best, k->line.beyond, s->y);
    double rise = answers[0] + prox_value(m->psi, m->d, s->y) - k->line.lower -
                  prox_value(m->psi, m->d, s->best);
    if (!(rise < KINK_STEEP * k->line.beyond * k->line.slope)) return move(s);
    k->line.low = k->line.t;
    return try_on(s);
}

/* Slopes of F at x, from differences along all axes. */
static void take_slopes(mean *s, const double *answers)
{
    method *m = &s->base;
    double psi = prox_value(m->psi, m->d, m->x), value = m->fan.known ? s->kinks->value : 0;
    for (size_t j = 0; j < m->d; j++) {
        double r = m->fan.radii[j], x = s->cand[j];
        mean_read_axis(s, answers, j, value, &s->g[j], NULL);
        s->cand[j] = x + r;
        s->g[j] += (prox_value(m->psi, m->d, s->cand) - psi) / r;
        s->cand[j] = x;
    }
}

static verdict tell_slopes(mean *s, const double *answers)
{
    kinks *k = s->kinks;
    method *m = &s->base;
    int near = !k->valued;
    if (near) { /* from a point that is not x yet */
        k->value = answers[0];
        k->valued = 1;
        vec_copy(m->d, s->cand, m->x);
        m->step++;
        s->at->objective = k->value + prox_value(m->psi, m->d, m->x);
    }
    take_slopes(s, answers);
    if (!isfinite(s->at->objective) || !isfinite(vec_dot(m->d, s->g, s->g))) return STILL;
    if (!k->begun) begin_matrix(s, near);
    if (k->moved) learn(s);
    return creeps(s) ? SUSPECT : begin_step(s);
}

verdict kinks_tell(mean *s, const double *answers)
{
    switch (s->base.stage) {
    case ASK_KINK_SLOPES: return tell_slopes(s, answers);
    case ASK_KINK_POINT: return tell_point(s, answers);
    default: return tell_beyond(s, answers);
    }
}
