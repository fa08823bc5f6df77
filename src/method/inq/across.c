/* inq: mu, across what components see.
 * SPDX-License-Identifier: MIT
 *
 * A component that sees x through u_i alone is nothing but the ridge along any p across u_i, however long p is:
 *
 *     f_i(x + p) + f_i(x - p) - 2 f_i(x) = mu p'p.
 *
 * Two values of a few components tell mu so to rounding where gradients cannot, because data are scaled badly: their
 * error comes from the steepest columns, and mu rules along the flattest. */
#include <float.h>
#include <math.h>

#include "base/rng.h"
#include "base/vec.h"
#include "method/inq/row.h"

static double length(const inq *s) { return across_part * fmax(1, vec_norm(s->base.d, s->base.x)); }

/* The components of the last check, each along a p of its own. */
void inq_ask_across(inq *s, zo_fan *fan)
{
    method *m = &s->base;
    size_t d = m->d;
    for (size_t e = 0; e < fan->ncomp; e++) {
        if (!method_mine(m, fan->comp[e])) continue;
        double *p = s->dir + e * d;
        rng_normals(m->set.seed, FOR_DIRECTION, s->sample.asked, (uint32_t)e, d, p);
        for (int twice = 0; twice < 2; twice++)
            inq_row_add(s, fan->comp[e], -inq_row_dot(s, fan->comp[e], p), p);
        double size = vec_norm(d, p);
        vec_scale(d, size > 0 ? length(s) / size : 0, p);
    }
    fan->known = fan->own = 1;
    fan->each = method_each(m);
    fan->sides = 2;
    fan->ndir = 1;
    fan->dir = s->dir;
    fan->radius = 1;
}

/* Returns mu_true - mu and its standard error; NAN: nothing was learnt. */
static double measure(inq *s, const double *answers, double *error)
{
    method *m = &s->base;
    double each[CHECKED][4] = {{0}}, sum[4], square = length(s) * length(s);
    for (size_t e = 0; e < m->fan.ncomp; e++) {
        if (!method_mine(m, m->fan.comp[e])) continue;
        const curve *c = inq_curve(s, m->fan.comp[e]);
        double more =
            ((answers[2 * e] - c->f) + (answers[2 * e + 1] - c->f)) / square - s->ridge.mu;
        if (c->size == 0 || !isfinite(more)) continue;
        each[e][0] = 1;
        each[e][1] = more;
        each[e][2] = more * more;
        each[e][3] = 4 * DBL_EPSILON * fabs(c->f) / square;
    }
    method_sum(m, m->fan.ncomp, m->fan.comp, 4, each[0], sum, s->tree, s->index);
    double count = sum[0], mean = sum[1] / count;
    if (!(count >= 2)) return NAN;
    *error = sqrt(fmax(sum[2] / count - mean * mean, 0) / (count - 1)) + sum[3] / count;
    return fmax(mean, -s->ridge.mu);
}

/* The better of two measures of mu. */
void inq_learn_across(inq *s, const double *answers)
{
    double error, more = measure(s, answers, &error);
    plan_clear(&s->plan);
    if (isnan(more) || error > s->check.error) more = s->check.more, error = s->check.error;
    inq_correct_mu(s, more, error);
}
