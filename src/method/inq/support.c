/* inq with noise: what is kept of the coordinates that components depend on, and how far a test moves them.
 * SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "base/vec.h"
#include "method/inq/supports.h"

size_t support_most(const inq *s)
{
    size_t few = s->base.d / SUPPORT_PART;
    return few < s->layers ? few : s->layers;
}

void support_add(inq *s, uint64_t i, size_t j)
{
    size_t rank = support_rank(s, i);
    if (rank == WIDE) return;
    if (rank < support_most(s))
        support_list(s, i)[rank++] = (float)j;
    else
        rank = WIDE;
    inq_span(s, i)->rank = (double)rank;
}

int support_listed(inq *s)
{
    for (uint64_t i = s->base.first; i < inq_end(s); i++)
        s->mark[inq_at(s, i)] = (unsigned char)*support_open(s, i);
    method_marks(&s->base, s->mark, s->marks);
    plan_by_rank(&s->plan, NULL, s->base.n, s->marks);
    return s->plan.queued > 0;
}

/* Wide components cost 2d queries in every pass. */
int support_too_wide(inq *s)
{
    uint64_t wide = 0;
    inq_mark_ranks(s);
    for (uint64_t k = 0; k < s->supports.supported; k++) wide += s->marks[s->plan.order[k]] == WIDE;
    return wide > 1 + s->supports.supported / s->base.d;
}

double support_mean_rank(inq *s)
{
    double sum = 0;
    inq_mark_ranks(s);
    for (uint64_t k = 0; k < s->supports.supported; k++) sum += s->marks[s->plan.order[k]];
    return fmax(sum / (double)s->supports.supported, 1);
}

/* As long as differences of gradients are, or longer: what two coordinates do together shows. */
double support_move(inq *s, double *p)
{
    const method *m = &s->base;
    double part = rng_uniform(m->set.seed, FOR_SUPPORT, s->supports.tests, m->d);
    if (s->supports.leaving) part = 1; /* the last test shows the most */
    double length =
        (move_least + move_more * part) * fmax(inq_farthest(s), 2 * method_radius(m, 1));
    rng_signs(m->set.seed, FOR_SUPPORT, s->supports.tests, 1, m->d, p);
    vec_scale(m->d, length, p);
    return length;
}

double support_slope_error(const inq *s, double r)
{
    return s->base.set.noise * (s->base.set.sides == 1 ? sqrt(2) : sqrt(0.5)) / r;
}
