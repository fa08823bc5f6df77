/* Inner steps between refreshes of a reference point.
 * SPDX-License-Identifier: MIT */
#include "method/core/inner.h"

#include "base/rng.h"

void inner_ask(method *m, directions *dirs, const double *w, size_t batch, uint64_t *comp,
               zo_fan *fan)
{
    directions_draw(dirs, m->set.seed, FOR_DIRECTION, m->step);
    rng_indices(m->set.seed, FOR_COMPONENT, m->step, m->n, batch, comp);
    directions_ask(dirs, fan);
    fan->radius = method_radius(m, dirs->length);
    fan->nbase = 2;
    fan->base[1] = w;
    fan->ncomp = batch;
    fan->comp = comp;
}

void inner_slopes(const method *m, const double *answers, size_t q, double *slope)
{
    for (size_t j = 0; j < q; j++)
        slope[j] = quotient(&m->fan, answers, 0, j) - quotient(&m->fan, answers, 1, j);
}

static uint64_t period(const method *m, size_t batch) { return (m->n + batch - 1) / batch; }

double inner_refresh_rate(const method *m, size_t batch)
{
    double p = m->set.refresh;
    return p == ZO_PERIODIC ? 1 / (double)period(m, batch) : p;
}

int inner_toss(const method *m, size_t batch)
{
    if (m->set.refresh == ZO_PERIODIC) return (m->step + 1) % period(m, batch) == 0;
    return rng_uniform(m->set.seed, FOR_COIN, m->step, 0) <= m->set.refresh;
}

const char *inner_check(const method *m)
{
    double p = m->set.refresh;
    int known = p == ZO_PERIODIC || (p > 0 && p <= 1);
    return m->settled && !known ? "'set.refresh' is no probability" : NULL;
}
