/* The loss on top of residuals, and its chain rule: the one place where lm knows h.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "method/lm/lm.h"
#include "problem/outer.h"
#include "prox/prox.h"

double lm_loss(const lm *s, const double *r)
{
    const method *m = &s->base;
    double sum = 0;
    for (size_t i = 0; i < m->n; i++) {
        if (!(fabs(r[i]) <= LARGEST_ANSWER)) return INFINITY;
        sum += outer_value(m->outer, i, r[i]);
    }
    return isfinite(sum) ? sum / (double)m->n : INFINITY;
}

double lm_objective(const lm *s, const double *x, const double *r)
{
    double f = lm_loss(s, r);
    return isfinite(f) ? f + prox_value(s->base.psi, s->base.d, x) : INFINITY;
}

void lm_weights(const lm *s, const double *r, double *slope, double *bend)
{
    const method *m = &s->base;
    for (size_t i = 0; i < m->n; i++) {
        slope[i] = outer_slope(m->outer, i, r[i]) / (double)m->n;
        if (bend) bend[i] = outer_bend(m->outer, i, r[i]) / (double)m->n;
    }
}
