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
#include "method/inq.h"
#include "prox/prox.h"

enum {
    CLEAR = 64,       /* the curvature along an axis, in noise levels */
    RUNGS = 4,        /* lengths of the first look */
    MOST_LOOKS = 3,   /* radii are corrected so often before a step */
    MOST_REFUSED = 8, /* in a row */
    DOUBTED = 4,      /* after a forward look */
    AGAIN = 10        /* looks until the matrix is measured anew */
};

/* A forward look takes a shorter radius than a central one: what h_jj has changed by since it was measured is not
 * corrected. */
static const double forward = 0.3;

static const double rung[RUNGS] = {1e-3, 1e-2, 0.1, 0.5};

static double square(double v) { return v * v; }
static double level(const inq *s, double components) { return s->base.set.noise / sqrt(components); }
static double eps(const inq *s) { return level(s, (double)s->base.n); }

/* No axis needs a longer radius than this. */
static double longest(const inq *s)
{
    double most = 1;
    for (size_t j = 0; j < s->base.d; j++) most = fmax(most, fabs(s->base.x[j]));
    return most;
}

/* The part of the components that part of n makes, at least 64. */
static size_t some(inq *s, double part)
{
    double n = (double)s->base.n, want = fmin(n, fmax(64, ceil(part * n)));
    return (size_t)want;
}

/* What components have told of the curvature is where the matrix and the radii begin; if it is doubted the first look is
 * central, and the matrix is scaled to the h_jj that are seen. */
static void begin_with_model(inq *s)
{
    method *m = &s->base;
    size_t d = m->d;
    double most = longest(s), least = eps(s) / (most * most);
    inq_model(s);
    for (size_t j = 0; j < d; j++) {
        for (size_t k = 0; k < d; k++) s->matrix[j * d + k] = s->full[j * d + k];
        s->bends[j] = s->full[j * d + j] + s->at->mu;
        s->matrix[j * d + j] = s->bends[j] + least;
        s->reach[j] = fmin(sqrt(CLEAR * eps(s) / s->matrix[j * d + j]), most);
    }
    vec_copy(d, m->x, s->before);
    s->at->metric = 1;
    s->at->sides = inq_doubted(s) ? 2 : 1;
    m->stage = ASK_NEAR;
}

void inq_begin_near(inq *s)
{
    struct progress *at = s->at;
    at->cursor = at->looks = at->failures = at->flat = 0;
    at->damping = 0;
    at->whole_from = 1;
    at->agrees = 1;
    at->central = 0;
    s->base.stage = ASK_LADDER;
    if (at->filled > 0) begin_with_model(s);
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
        for (size_t j = 0; j < d; j++) s->dir[k * d + j] = rung[k] * longest(s) * s->work[j];
    fan->comp = s->order;
    fan->ncomp = some(s, begins(s) ? 0 : 0.25);
    fan->ndir = RUNGS;
    fan->sides = 2;
}

static double radius_of(const inq *s, size_t j) { return s->reach[j] * (s->at->sides == 1 ? forward : 1); }

/* Axes from cursor on, each at its own radius. */
static void ask_near(inq *s, zo_fan *fan)
{
    size_t d = s->base.d, from = (size_t)s->at->cursor, count = d - from < SPREAD ? d - from : SPREAD;
    vec_zero(count * d, s->dir);
    for (size_t k = 0; k < count; k++) s->dir[k * d + from + k] = radius_of(s, from + k);
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
    default: fan->base[0] = s->cand;
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
            a[j * d + k] = a[k * d + j] =
                quotient(fan, answers, 0, row) - quotient(fan, answers, 0, j) - quotient(fan, answers, 0, k);
    }
    double *u = vt + d * d;
    if (svd_work(d, d) > 2 * SUM_BLOCK * d || svd(d, d, a, values, u, vt, work)) return;
    for (size_t k = 0; k < d; k++) values[k] = fmax(values[k], 2 * eps(s));
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < d; k++) {
            double sum = 0;
            for (size_t e = 0; e < d; e++) sum += values[e] * vt[j * d + e] * vt[k * d + e];
            s->matrix[j * d + k] = sum / (s->reach[j] * s->reach[k]);
        }
}

/* B = DBD with the diagonal that was measured, as far as that is not another matrix. */
static void fit_diagonal(inq *s)
{
    size_t d = s->base.d;
    double *factor = s->work;
    for (size_t j = 0; j < d; j++) {
        double is = fmax(fabs(s->bends[j]), eps(s) / square(s->reach[j]));
        factor[j] = sqrt(fmin(fmax(is / s->matrix[j * d + j], 0.1), 10));
    }
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < d; k++) s->matrix[j * d + k] *= factor[j] * factor[k];
}

static void from_axes(inq *s)
{
    size_t d = s->base.d;
    vec_zero(d * d, s->matrix);
    for (size_t j = 0; j < d; j++)
        s->matrix[j * d + j] = fmax(fabs(s->bends[j]), eps(s) / (s->reach[j] * s->reach[j]));
}

/* BFGS with s = x - x before and y = g - g before: B += yy'/s'y - Bss'B/s'Bs. Where s'y does not stand clear of the
 * noise of the slopes, all it says is that s'Bs is not to be larger than that: y = Bs clear/s'Bs. */
static void learn_change(inq *s)
{
    const method *m = &s->base;
    size_t d = m->d;
    double *step = s->work, *change = s->lost, *image = s->told, error = 0;
    for (size_t j = 0; j < d; j++) {
        step[j] = m->x[j] - s->before[j];
        change[j] = s->incline[j] - s->inclined[j];
        error += square(step[j] / radius_of(s, j));
    }
    for (size_t j = 0; j < d; j++) image[j] = vec_dot(d, s->matrix + j * d, step);
    double clear = 4 * eps(s) * sqrt(error), along = vec_dot(d, step, change), bend = vec_dot(d, step, image);
    if (!(bend > 0)) return;
    s->at->agrees = 1;
    if (along > clear) {
        s->at->agrees = along / bend;
        quad_update(d, s->matrix, 0, step, change, 0, s->told);
    } else if (bend > clear) {
        double more = (clear / bend - 1) / bend;
        for (size_t j = 0; j < d; j++)
            for (size_t k = 0; k < d; k++) s->matrix[j * d + k] += more * image[j] * image[k];
    }
}

/* ---- Steps -------------------------------------------------------------------------------------- */

static double mean_bend(const inq *s)
{
    double sum = 0;
    for (size_t j = 0; j < s->base.d; j++) sum += s->matrix[j * s->base.d + j];
    return sum / (double)s->base.d;
}

static void end(inq *s)
{
    s->base.ended = ZO_AT_NOISE;
    s->base.stage = ASK_NOTHING;
}

/* cand = the model's step; falls = what it promises. */
static void solve_step(inq *s)
{
    method *m = &s->base;
    quad q = {.d = m->d,
              .matrix = s->matrix,
              .damping = s->at->damping,
              .g = s->incline,
              .x = m->x,
              .psi = m->psi,
              .prox_work = m->prox_work};
    vec_copy(m->d, m->x, s->cand);
    quad_solve(&q, &s->room, (quad_effort){1000, 1e-6 * eps(s), 0}, s->cand);
    s->at->falls = quad_decrease(&q, &s->room, s->cand);
}

/* The run ends where nothing is promised; if that is only because of damping, the matrix is at fault. */
static void try_step(inq *s)
{
    method *m = &s->base;
    double least = (double)m->d * eps(s) / (4 * CLEAR);
    solve_step(s);
    if (!(s->at->falls > least) && s->at->damping > mean_bend(s)) {
        s->at->damping = 0;
        from_axes(s);
        solve_step(s);
    }
    m->residual = prox_residual(m, m->x, 1, s->incline, s->work);
    m->stage = ASK_STEP;
    if (!(s->at->falls > least) || s->at->flat >= 3) end(s);
}

/* More damping; a forward look is then doubted, and all begins anew with the lengths over which F bends. */
static void refuse(inq *s)
{
    struct progress *at = s->at;
    at->damping = fmax(8 * at->damping, 0.1 * mean_bend(s));
    if (++at->failures >= DOUBTED && at->sides == 1) {
        at->failures = at->metric = at->looks = 0;
        at->damping = 0;
        at->sides = 2;
        s->base.stage = ASK_LADDER;
    } else if (at->failures < MOST_REFUSED) {
        try_step(s);
    } else {
        end(s);
    }
}

/* Between central looks the matrix is what is known of h_jj. */
static void trust_diagonal(inq *s)
{
    double most = longest(s);
    for (size_t j = 0; j < s->base.d; j++) {
        s->bends[j] = fmax(s->matrix[j * s->base.d + j], eps(s) / square(most));
        s->reach[j] = fmin(sqrt(CLEAR * eps(s) / s->bends[j]), most);
    }
}

static void tell_step(inq *s, const double *answers)
{
    method *m = &s->base;
    struct progress *at = s->at;
    double objective = answers[0] + prox_value(m->psi, m->d, s->cand);
    if (!(objective <= at->objective - 0.05 * at->falls + 3 * eps(s))) {
        refuse(s);
        return;
    }
    if (at->damping < mean_bend(s)) /* else it is damping that makes steps small */
        at->flat = at->falls < eps(s) ? at->flat + 1 : 0;
    at->sides = at->failures < 2 && at->falls > (double)m->d * eps(s) ? 1 : 2;
    if (at->agrees < 0.5 && at->metric > at->central + 2) at->sides = 2;
    trust_diagonal(s);
    at->damping = at->failures || at->damping < 1e-2 * mean_bend(s) ? at->damping / 2 : at->damping / 8;
    if (at->damping < 1e-3 * mean_bend(s)) at->damping = 0;
    at->failures = at->cursor = at->looks = 0;
    vec_copy(m->d, m->x, s->before);
    vec_copy(m->d, s->incline, s->inclined);
    vec_copy(m->d, s->cand, m->x);
    m->step++;
    m->stage = ASK_NEAR;
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
    double noise = sqrt(6) * level(s, (double)m->fan.ncomp), unit = INFINITY;
    for (size_t k = 0; k < RUNGS; k++) {
        double length = rung[k] * longest(s), bend = fabs(second_difference(&m->fan, answers, 0, k));
        if (!isfinite(bend) || !(bend > 5 * noise)) continue;
        unit = length * sqrt((double)m->d / bend);
        break;
    }
    s->at->cursor = 0;
    s->base.stage = ASK_NEAR;
    for (size_t j = 0; j < m->d; j++) s->reach[j] = fmin(longest(s), unit * sqrt(CLEAR * eps(s)));
    if (!begins(s)) return;
    s->at->unit = unit < INFINITY ? unit : 0;
    inq_settle_radius(s);
    s->base.stage = ASK_GRADIENT;
}

/* The radii for the next look; how many of this one's were badly wrong. */
static size_t correct_radii(inq *s)
{
    size_t wrong = 0;
    double most = longest(s), clear = CLEAR * eps(s);
    for (size_t j = 0; j < s->base.d; j++) {
        double r = s->reach[j], bend = fabs(s->bends[j]) * r * r, factor = sqrt(clear / fmax(bend, DBL_MIN));
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
        double r = radius_of(s, j);
        if (fan->sides == 2) s->bends[j] = second_difference(fan, answers, 0, k) / (r * r);
        s->incline[j] = quotient(fan, answers, 0, k) / r - (fan->sides == 1 ? 0.5 * r * s->bends[j] : 0);
    }
    if (at->cursor == 0) at->objective = answers[0] + prox_value(m->psi, m->d, m->x);
    at->cursor += fan->ndir;
    if (at->cursor < m->d) return;
    at->cursor = 0;
    if (fan->sides == 2 && correct_radii(s) > m->d / 2 && ++at->looks < MOST_LOOKS) return; /* asked again */
    if (at->metric && fan->sides == 2) fit_diagonal(s);
    if (at->metric)
        learn_change(s);
    else
        from_axes(s);
    if (fan->sides == 2) at->central = at->metric;
    if (at->metric >= at->whole_from && fan->sides == 2 && at->falls < (double)m->d * eps(s) &&
        m->d <= CROSS && m->d > 1) {
        m->stage = ASK_CROSS;
        at->whole_from = at->metric + AGAIN;
    } else {
        try_step(s);
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
        try_step(s);
        break;
    default: tell_step(s, answers);
    }
}
