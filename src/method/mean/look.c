/* mean: questions along axes, each at one or two radii of its own, none of them outside psi's domain.
 * SPDX-License-Identifier: MIT
 *
 * Two points a and b on axis j, on both sides of x or on one, give slope and bend of the parabola through them:
 *
 *     h = 2 (f_b/b - f_a/a)/(b - a),   g = f_a/a - a h/2,   f_a = f(x + a e_j) - f(x) */
#include <math.h>

#include "base/rng.h"
#include "base/vec.h"
#include "method/mean/state.h"
#include "prox/prox.h"

double mean_eps(const mean *s)
{
    double noise = s->base.set.noise > 0 ? s->base.set.noise : 0;
    return noise / sqrt((double)s->base.n * s->noise->copies);
}

/* Coordinates that begin at 0, or where rounding makes it of 0, are taken to be of size 1, and none is taken to be very small
 * beside the others. */
void mean_measure_sizes(mean *s)
{
    double most = 0;
    for (size_t j = 0; j < s->base.d; j++) most = fmax(most, fabs(s->base.x[j]));
    for (size_t j = 0; j < s->base.d; j++) {
        double x = fabs(s->base.x[j]);
        if (s->size[j] > 0)
            s->size[j] = fmax(s->size[j], x);
        else
            s->size[j] = method_begins_at_zero(x, most) ? 1 : fmax(x, LEAST_SIZE * most);
    }
}

/* All components, or a part of them drawn once and for all; each as often as samples are averaged. */
void mean_components(mean *s, zo_fan *fan, double part)
{
    size_t n = s->base.n, copies = (size_t)s->noise->copies, some = n;
    if (part < 1) some = (size_t)fmin((double)n, fmax(SOME, ceil(part * (double)n)));
    if (some == n && copies == 1) return;
    for (size_t k = 0; k < some; k++)
        s->comp[k] = some == n ? k : (uint64_t)((double)k / (double)some * (double)n);
    for (size_t k = some; k < some * copies; k++) s->comp[k] = s->comp[k - some];
    fan->comp = s->comp;
    fan->ncomp = some * copies;
}

int mean_inside(mean *s, size_t j, double v)
{
    const method *m = &s->base;
    if (m->bounds) return v >= m->bounds[j] && v <= m->bounds[m->d + j];
    if (prox_separable(m->psi)) return 1;
    vec_copy(m->d, m->x, s->y);
    s->y[j] = v;
    return isfinite(prox_value(m->psi, m->d, s->y));
}

void mean_ask_axes(mean *s, zo_fan *fan, const uint32_t *axes, size_t count, int per,
                   const double *reach, double times)
{
    double *radius = s->radii;
    uint32_t *axis = s->asked;
    for (size_t k = 0; k < count; k++) {
        double r = times * reach[axes[k]], a = method_reach(&s->base, s->base.x, axes[k], r);
        *axis++ = axes[k];
        *radius++ = a;
        if (per < 2) continue;
        double b = mean_inside(s, axes[k], s->base.x[axes[k]] - a)       ? -a
                   : mean_inside(s, axes[k], s->base.x[axes[k]] + 2 * a) ? 2 * a
                                                                         : 0.5 * a;
        *axis++ = axes[k];
        *radius++ = b;
    }
    fan->naxis = count * (size_t)per;
    fan->axis = s->asked;
    fan->radii = s->radii;
    fan->sides = 1;
}

void mean_read_axis(const mean *s, const double *answers, size_t k, double value, double *slope,
                    double *bend)
{
    const zo_fan *fan = &s->base.fan;
    const double *along = answers + !fan->known;
    if (!bend) {
        *slope = (along[k] - value) / fan->radii[k];
        return;
    }
    double a = fan->radii[2 * k], b = fan->radii[2 * k + 1];
    double to_a = (along[2 * k] - value) / a, to_b = (along[2 * k + 1] - value) / b;
    *bend = 2 * (to_b - to_a) / (b - a);
    *slope = to_a - 0.5 * a * *bend;
}

local_model mean_model(mean *s)
{
    return (local_model){.m = &s->base,
                         .at = s->descent,
                         .eps = mean_eps(s),
                         .matrix = s->matrix,
                         .g = s->g,
                         .diagonal = s->bends,
                         .radii = s->reach,
                         .slopes_before = s->g_before,
                         .x_before = s->before,
                         .cand = s->cand,
                         .work = s->work,
                         .change = s->y,
                         .image = s->image,
                         .room = &s->room};
}
