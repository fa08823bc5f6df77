/* inq where components depend on few coordinates each: is that still so? One value with all other coordinates moved says it.
 * SPDX-License-Identifier: MIT
 *
 * S: the axes of a component's span (guess.c), w: random, 0 on S. Where f_i depends on S alone beside the ridge,
 *
 *     f_i(x + w) - f_i(x) = mu (x'w + w'w/2)
 *
 * to rounding, and the gradient outside of S is mu x: the full gradient that such a component keeps is brought to x without
 * asking for it. One query instead of d + 1; those of which it is not so are asked in full. */
#include <float.h>
#include <math.h>

#include "base/rng.h"
#include "base/vec.h"
#include "method/core/noise.h"
#include "method/subspaces/evidence.h"
#include "method/subspaces/span.h"
#include "method/subspaces/subspaces.h"

int inq_asks_beside(const inq *s)
{
    return inq_has_axes(s) && inq_guessed(s) && s->base.set.own && !(s->base.set.noise > 0) &&
           inq_rule(s, RULE_BESIDE);
}

uint64_t inq_beside_count(const inq *s)
{
    return (uint64_t)ceil(beside_part * (double)s->sample.filled);
}

/* w: signs and lengths by the point, 0 where a direction of the span is not. */
static void row_beside(const inq *s, uint64_t i, double *w)
{
    const method *m = &s->base;
    double most = method_farthest(&s->base);
    for (size_t j = 0; j < m->d; j++) {
        double u = 2 * rng_uniform(m->set.seed, FOR_SUPPORT, s->points.count, j) - 1;
        w[j] = beside_away * most * (u + copysign(1, u));
    }
    for (size_t k = 0; k < inq_rank(s, i); k++)
        for (size_t j = 0; j < m->d; j++)
            if (inq_layer(s, i, k)[j] != 0) w[j] = 0;
    method_turn(m, m->x, w);
}

void ask_beside(inq *s, zo_fan *fan)
{
    plan_chunk(&s->plan, fan, s->chunk < SPREAD ? s->chunk : SPREAD);
    for (size_t e = 0; e < fan->ncomp; e++)
        if (method_mine(&s->base, fan->comp[e]))
            row_beside(s, fan->comp[e], s->dir + e * s->base.d);
    fan->own = 1;
    fan->known = inq_valued(s);
    ask_rows(fan, 1, s->dir, 1);
}

/* J at z, e at y: J = mu x outside of S, U J + e within, e = 0, z = x. What is foretold stays what it is. */
static void bring_to_x(inq *s, uint64_t i)
{
    double t[SPAN], here[SPAN], *row = inq_row(s, i);
    size_t d = s->base.d;
    inq_fold(s, i);
    inq_span_project(s, i, row, t);
    inq_span_project(s, i, s->base.x, here);
    for (size_t k = 0; k < inq_rank(s, i); k++) t[k] -= s->ridge.mu * here[k];
    vec_zero(d, row);
    vec_add(d, s->ridge.mu, s->base.x, row);
    inq_span_add(s, i, t, row);
    inq_curve(s, i)->point = (double)s->points.count;
}

/* A span that has grown, or was never guessed, may have directions of several coordinates: f_i may change within S across it. */
static int spans_axes(const inq *s, uint64_t i)
{
    for (size_t k = 0; k < inq_rank(s, i); k++) {
        size_t entries = 0;
        for (size_t j = 0; j < s->base.d; j++) entries += inq_layer(s, i, k)[j] != 0;
        if (entries != 1) return 0;
    }
    return 1;
}

static int is_beside(const inq *s, uint64_t i, const double *w, const double *told)
{
    const method *m = &s->base;
    double f = m->fan.known ? inq_curve(s, i)->f : told[0];
    double rise = m->fan.known ? told[0] - f : told[1];
    double odd = s->ridge.mu * vec_dot(m->d, m->x, w),
           even = 0.5 * s->ridge.mu * vec_dot(m->d, w, w);
    double rounding = roundings_beside * DBL_EPSILON * (fabs(f) + inq_ridge(s, m->x));
    return fabs(rise - odd - even) <= rounding + beside_ridge * (fabs(odd) + even);
}

void inq_learn_beside(inq *s, const double *answers)
{
    method *m = &s->base;
    size_t set = zo_fan_set(&m->fan);
    for (size_t e = 0; e < m->fan.ncomp; e++) {
        uint64_t i = m->fan.comp[e];
        if (!method_mine(m, i)) continue;
        s->entry[e] = spans_axes(s, i) && is_beside(s, i, s->dir + e * m->d, answers + e * set);
        if (s->entry[e] > 0) bring_to_x(s, i);
    }
    method_rows(m, m->fan.ncomp, m->fan.comp, 1, s->entry);
    for (size_t e = 0; e < m->fan.ncomp; e++)
        if (s->entry[e] > 0)
            s->asked[m->fan.comp[e]].full = (uint32_t)s->points.count;
        else
            plan_add_tail(&s->plan, m->fan.comp[e]);
}
