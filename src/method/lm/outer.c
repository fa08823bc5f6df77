/* The loss on top of residuals, and its chain rule: the one place where lm knows h.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "method/lm/lm.h"
#include "problem/outer.h"
#include "prox/prox.h"

/* On top of what is modelled. */
static const zo_outer *top_of(const lm *s) { return s->at->rooted ? &s->squares : s->base.outer; }

double lm_loss(const lm *s, const double *r)
{
    const method *m = &s->base;
    const zo_outer *h = top_of(s);
    double sum = 0;
    for (size_t i = 0; i < m->n; i++) {
        if (!(fabs(r[i]) <= LARGEST_ANSWER)) return INFINITY;
        sum += outer_value(h, i, r[i]);
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
    const zo_outer *h = top_of(s);
    for (size_t i = 0; i < m->n; i++) {
        slope[i] = outer_slope(h, i, r[i]) / (double)m->n;
        if (bend) bend[i] = outer_bend(h, i, r[i]) / (double)m->n;
    }
}
