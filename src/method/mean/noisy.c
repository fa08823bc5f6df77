/* mean: steps where values have noise.
 * SPDX-License-Identifier: MIT
 *
 * Values of the mean have noise of standard deviation eps. Central differences along axis j take a radius of their own,
 * r_j^2 h_jj = CLEAR eps: the curvature stands clear of the noise, and the error of slope j, eps/(sqrt(2) r_j), is worth
 *
 *     (1/2) sum_j (eps^2/(2 r_j^2)) / h_jj = d eps/(4 CLEAR)
 *
 * in F, however x is scaled. That is far below eps, which is all that comparing two values of F can show. While steps
 * promise much more, differences are forward, with a part of that radius. The matrix begins with what is known of it, or with
 * h_jj, learns from changes of slopes (BFGS), and at the end is measured by cross differences (d <= CROSS).
 * A step is refused when F rises by more than the noise explains; nothing is left to see when a step promises less than the
 * error of the slopes. */
#include <float.h>
#include <math.h>

#include "base/real.h"
#include "base/vec.h"
#include "method/core/noise.h"
#include "method/mean/state.h"
#include "prox/prox.h"

/* What errors of slopes are worth in F. */
static double least_fall(const mean *s) { return (double)s->base.d * mean_eps(s) / (4 * CLEAR); }

void noisy_begin(mean *s, const double *bent)
{
    size_t d = s->base.d;
    double most = method_farthest(&s->base), least = mean_eps(s) / square(most);
    mean_measure_sizes(s);
    *s->look = (look){.whole_from = 1, .agrees = 1, .sides = 2};
    *s->descent = (descent){.promise = s->descent->promise};
    s->base.stage = ASK_LADDER;
    if (!bent) return;
    if (bent != s->matrix) vec_copy(d * d, bent, s->matrix);
    for (size_t j = 0; j < d; j++) {
        s->bends[j] = s->matrix[j * d + j];
        s->matrix[j * d + j] += least;
        s->reach[j] = fmin(sqrt(CLEAR * mean_eps(s) / s->matrix[j * d + j]), most);
    }
    vec_copy(d, s->base.x, s->before);
    s->look->metric = 1;
    s->look->sides = 1;
    s->base.stage = ASK_LOOK;
}

void noisy_doubt(mean *s) { s->look->sides = 2; }

/* ---- Questions ---------------------------------------------------------------------------------- */

static void ask_ladder(mean *s, zo_fan *fan)
{
    ladder_rows(&s->base, s->dir);
    mean_components(s, fan, 0.25);
    fan->ndir = LADDER_RUNGS;
    fan->sides = 2;
}

/* Axes, then pairs of axes, of a part of the components. */
static void ask_cross(mean *s, zo_fan *fan)
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
    mean_components(s, fan, 4 / (double)d);
    fan->ndir = row;
    fan->sides = 1;
}

/* A forward look takes a shorter radius than a central one: what h_jj has changed by since it was measured is not
 * corrected. */
static void ask_look(mean *s, zo_fan *fan)
{
    int per = (int)s->look->sides;
    for (size_t j = 0; j < s->base.d; j++) s->axes[j] = (uint32_t)j;
    mean_components(s, fan, 1);
    if (turned_suits(s)) {
        turned_ask(s, fan);
        return;
    }
    mean_ask_axes(s, fan, s->axes, s->base.d, per, s->reach, per == 1 ? FORWARD_PART : 1);
}

void noisy_ask(mean *s, zo_fan *fan)
{
    fan->radius = 1;
    fan->dir = s->dir;
    switch (s->base.stage) {
    case ASK_LADDER: ask_ladder(s, fan); break;
    case ASK_LOOK: ask_look(s, fan); break;
    case ASK_CROSS: ask_cross(s, fan); break;
    default: mean_components(s, fan, 1); fan->base[0] = s->cand;
    }
}

/* ---- Radii and the matrix ------------------------------------------------------------------------ */

static void tell_ladder(mean *s, const double *answers)
{
    double unit = ladder_unit(&s->base, answers), most = method_farthest(&s->base);
    for (size_t j = 0; j < s->base.d; j++)
        s->reach[j] = fmin(most, unit * sqrt(CLEAR * mean_eps(s)));
    s->base.stage = ASK_LOOK;
}

/* The radii for the next look; how many of this one's were badly wrong. */
static size_t correct_radii(mean *s)
{
    size_t wrong = 0;
    double most = method_farthest(&s->base), clear = CLEAR * mean_eps(s);
    for (size_t j = 0; j < s->base.d; j++) {
        double r = s->reach[j], bend = fabs(s->bends[j]) * r * r,
               factor = sqrt(clear / fmax(bend, DBL_MIN));
        factor = fmin(fmax(factor, 1.0 / 8), 8);
        wrong += (factor > 4 && r < most) || factor < 0.25;
        s->reach[j] = fmin(r * factor, most);
    }
    return wrong;
}

/* In units of the radii, where what is below the noise of an entry is no curvature. */
static void from_cross(mean *s, const double *answers)
{
    const zo_fan *fan = &s->base.fan;
    size_t d = s->base.d, row = d;
    double *a = s->dir;
    for (size_t j = 0; j < d; j++) {
        a[j * d + j] = s->bends[j] * s->reach[j] * s->reach[j];
        for (size_t k = 0; k < j; k++, row++)
            a[j * d + k] = a[k * d + j] = quotient(fan, answers, 0, row) -
                                          quotient(fan, answers, 0, j) -
                                          quotient(fan, answers, 0, k);
    }
    mean_absolute(d, a, a + d * d, 2 * mean_eps(s));
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < d; k++)
            s->matrix[j * d + k] = a[j * d + k] / (s->reach[j] * s->reach[k]);
}

/* ---- Steps -------------------------------------------------------------------------------------- */

static verdict try_step(mean *s)
{
    local_model l = mean_model(s);
    s->base.stage = ASK_STEP;
    return descent_try(&l, least_fall(s)) ? GOES_ON : STILL;
}

/* A forward look is doubted in time, and all begins anew with the lengths over which F bends. */
static verdict refuse(mean *s)
{
    look *l = s->look;
    if (s->descent->failures >= DOUBTED && l->sides == 1) {
        s->descent->failures = l->metric = l->looks = 0;
        s->descent->damping = 0;
        l->sides = 2;
        s->base.stage = ASK_LADDER;
        return GOES_ON;
    }
    return s->descent->failures < DESCENT_REFUSED ? try_step(s) : STILL;
}

/* Between central looks the matrix is what is known of h_jj. */
static void trust_diagonal(mean *s)
{
    double most = method_farthest(&s->base);
    for (size_t j = 0; j < s->base.d; j++) {
        s->bends[j] = fmax(s->matrix[j * s->base.d + j], mean_eps(s) / square(most));
        s->reach[j] = fmin(sqrt(CLEAR * mean_eps(s) / s->bends[j]), most);
    }
}

static verdict tell_step(mean *s, const double *answers)
{
    method *m = &s->base;
    look *l = s->look;
    local_model model = mean_model(s);
    uint64_t failures = s->descent->failures;
    double there = answers[0] + prox_value(m->psi, m->d, s->cand);
    if (!descent_judge(&model, there, s->at->objective)) return refuse(s);
    l->sides = failures < 2 && s->descent->promise > (double)m->d * mean_eps(s) ? 1 : 2;
    if (l->agrees < 0.5 && l->metric > l->central + 2) l->sides = 2;
    trust_diagonal(s);
    l->looks = 0;
    m->error = sqrt(2) * mean_eps(s);
    m->stage = ASK_LOOK;
    s->at->objective = there;
    double f = fabs(answers[0]);
    return m->n < FEW && f < QUIETER * s->noise->height ? RIPPLES : GOES_ON;
}

/* Points without a value: what was asked is asked at shorter radii. 0: all have one. */
static int shorten(mean *s, const double *answers)
{
    const zo_fan *fan = &s->base.fan;
    int per = fan->ndir ? 2 : (int)s->look->sides, found = !isfinite(answers[0]);
    size_t count = zo_fan_answers(fan) - 1;
    for (size_t k = 0; k < count; k++)
        if (!isfinite(answers[1 + k]) && isfinite(answers[0])) {
            s->reach[k / (size_t)per] /= 8;
            found = 1;
        }
    return found;
}

/* Slopes along the axes, central ones with bends. 1: radii were badly wrong, and it is asked again. */
static int learn_axes(mean *s, const double *answers)
{
    look *l = s->look;
    local_model model = mean_model(s);
    int central = l->sides == 2;
    for (size_t j = 0; j < s->base.d; j++) {
        double slope, bend;
        mean_read_axis(s, answers, j, 0, &slope, central ? &bend : NULL);
        if (central) s->bends[j] = bend;
        s->g[j] = slope - (central ? 0 : 0.5 * s->base.fan.radii[j] * s->bends[j]);
    }
    if (central && correct_radii(s) > s->base.d / 2 && ++l->looks < MOST_LOOKS) return 1;
    if (l->metric && central) descent_fit_diagonal(&model);
    if (!l->metric) descent_from_diagonal(&model);
    return 0;
}

static verdict tell_look(mean *s, const double *answers)
{
    method *m = &s->base;
    look *l = s->look;
    local_model model = mean_model(s);
    int central = l->sides == 2, turned = m->fan.ndir > 0;
    if (shorten(s, answers)) return ++l->lost < MOST_LOST ? GOES_ON : STILL;
    l->lost = 0;
    s->at->objective = answers[0] + prox_value(m->psi, m->d, m->x);
    if (turned)
        turned_learn(s, answers);
    else if (learn_axes(s, answers))
        return GOES_ON;
    if (l->metric) l->agrees = descent_learn(&model, central ? 1 : FORWARD_PART);
    if (central) l->central = l->metric;
    int cross = !turned && l->metric >= l->whole_from && central && m->d <= CROSS && m->d > 1 &&
                s->descent->promise < (double)m->d * mean_eps(s);
    l->metric++;
    if (!cross) return try_step(s);
    m->stage = ASK_CROSS;
    l->whole_from = l->metric + CROSS_AGAIN;
    return GOES_ON;
}

verdict noisy_tell(mean *s, const double *answers)
{
    switch (s->base.stage) {
    case ASK_LADDER: tell_ladder(s, answers); return GOES_ON;
    case ASK_LOOK: return tell_look(s, answers);
    case ASK_CROSS: from_cross(s, answers); return try_step(s);
    default: return tell_step(s, answers);
    }
}
