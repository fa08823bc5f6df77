/* supports: what is kept of the coordinates that components depend on, and how far a test moves them.
 * SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "method/supports/supports.h"

size_t support_most(size_t d)
{
    size_t few = d / SUPPORT_PART;
    return few < PLAN_RANKS ? few : PLAN_RANKS;
}

void support_forget(supports *s, uint64_t i, size_t rank)
{
    support *of = support_of(s, i);
    *of = (support){.rank = (double)rank, .f = of->f, .error = of->error, .bend = of->bend};
}

void support_add(supports *s, uint64_t i, size_t j)
{
    size_t rank = support_rank(s, i);
    if (rank == WIDE) return;
    if (rank < s->most)
        support_list(s, i)[rank++] = (uint32_t)j;
    else
        rank = WIDE;
    support_of(s, i)->rank = (double)rank;
}

static void share_marks(supports *s) { method_marks(&s->base, s->mark, s->marks); }

int support_listed(supports *s)
{
    for (uint64_t i = s->base.first; i < support_end(s); i++)
        s->mark[support_place(s, i)] = (unsigned char)support_of(s, i)->open;
    share_marks(s);
    plan_by_rank(&s->plan, NULL, s->base.n, s->marks);
    return s->plan.queued > 0;
}

void support_mark_ranks(supports *s)
{
    for (uint64_t i = s->base.first; i < support_end(s); i++)
        s->mark[support_place(s, i)] = (unsigned char)support_rank(s, i);
    share_marks(s);
}

/* Wide components cost 2d queries in every pass. */
int support_too_wide(supports *s)
{
    uint64_t wide = 0;
    support_mark_ranks(s);
    for (uint64_t k = 0; k < s->at.supported; k++) wide += s->marks[s->plan.order[k]] == WIDE;
    return wide > 1 + s->at.supported / s->base.d;
}

double support_mean_rank(supports *s)
{
    double sum = 0;
    support_mark_ranks(s);
    for (uint64_t k = 0; k < s->at.supported; k++) sum += s->marks[s->plan.order[k]];
    return fmax(sum / (double)s->at.supported, 1);
}

/* As long as differences of gradients are, or longer: what two coordinates do together shows. */
double support_move(supports *s, double *p)
{
    const method *m = &s->base;
    double part = rng_uniform(m->set.seed, FOR_SUPPORT, s->at.tests, m->d);
    if (s->at.leaving) part = 1; /* the last test shows the most */
    double length =
        (move_least + move_more * part) * fmax(method_farthest(m), 2 * method_radius(m, 1));
    rng_signs(m->set.seed, FOR_SUPPORT, s->at.tests, 1, m->d, p);
    vec_scale(m->d, length, p);
    return length;
}

double support_slope_error(const method *m, double r)
{
    return m->set.noise * (m->set.sides == 1 ? sqrt(2) : sqrt(0.5)) / r;
}
