/* inq: the question of each phase.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/rng.h"
#include "base/vec.h"
#include "method/inq/row.h"

static size_t at_most(uint64_t count, size_t most) { return count < most ? (size_t)count : most; }

/* ---- Gradients ----------------------------------------------------------------------------------- */

void ask_gradients(inq *s, zo_fan *fan)
{
    plan_chunk(&s->plan, fan, s->chunk);
    fan->base[0] = inq_place(s);
    fan->naxis = s->base.d;
}

/* Components of one rank, each along all of its own directions. */
void ask_spans(inq *s, zo_fan *fan)
{
    size_t rank = plan_rank(&s->plan);
    plan_ranked_chunk(&s->plan, fan, (s->chunk > SPREAD ? s->chunk : SPREAD) / rank);
    for (size_t e = 0; e < fan->ncomp; e++)
        for (size_t k = 0; k < rank && method_mine(&s->base, fan->comp[e]); k++)
            inq_span_row(s, fan->comp[e], k, 1, s->dir + (e * rank + k) * s->base.d);
    fan->own = fan->sides = 1;
    fan->known = s->points.valued == s->base.step + 1;
    fan->ndir = rank;
    fan->dir = s->dir;
    if (!(s->base.set.noise > 0))
        fan->radius /=
            span_radius; /* rounding averages over components, the forward error does not */
}

/* ---- Values -------------------------------------------------------------------------------------- */

static void ask_at(zo_fan *fan, const double *at, const uint64_t *list, uint64_t count, int each)
{
    fan->base[0] = at;
    fan->comp = count == fan->n ? NULL : list;
    fan->ncomp = (size_t)count;
    fan->each = each;
}

void ask_fresh(inq *s, zo_fan *fan) /* few, and everybody judges by them */
{
    ask_at(fan, s->base.x, s->plan.order + s->sample.size, s->step.judges, 1);
}

void ask_try(inq *s, zo_fan *fan)
{
    const double *z = s->cand + s->step.pick * s->base.d;
    if (inq_all(s))
        ask_at(fan, z, NULL, s->base.n, method_each(&s->base));
    else
        ask_at(fan, z, s->plan.order + s->sample.size, s->step.judges, 1);
}

void ask_values(inq *s, zo_fan *fan)
{
    ask_at(fan, s->base.x, s->plan.order, s->sample.size, method_each(&s->base));
}

void ask_entered(inq *s, zo_fan *fan)
{
    ask_at(fan, s->base.x, s->plan.order + s->sample.begin, s->sample.size - s->sample.begin,
           method_each(&s->base));
}

/* The first few components twice: an answer that is not the same again is noisy. Where that was fewer repetitions than
 * one can measure noise by, all of them so often that it is enough. */
void ask_noise(inq *s, zo_fan *fan)
{
    size_t count = at_most(s->base.n, REPEATED),
           times = s->scale.repeats ? 1 + (FREE + count - 1) / count : 2;
    for (size_t k = 0; k < times * count; k++) s->comp[k] = s->plan.order[k % count];
    fan->each = 1;
    fan->comp = s->comp;
    fan->ncomp = times * count;
}

/* ---- Means of a few ------------------------------------------------------------------------------ */

/* Components that have a curvature along the directions in cand. */
void ask_scale(inq *s, zo_fan *fan)
{
    fan->ncomp = (size_t)s->ridge.scaled;
    fan->comp = s->chosen;
    fan->ndir = CANDIDATES;
    fan->dir = s->cand;
    fan->radius = 1;
    fan->sides = 2;
}

/* Along the axes and along e_j + e_k, k <= j. */
void ask_whole(inq *s, zo_fan *fan)
{
    size_t d = s->base.d, count = inq_whole_sample(s), at = 0;
    for (size_t e = 0; e < count; e++) s->comp[e] = s->plan.order[e * s->base.n / count];
    vec_zero(d * (d + 1) / 2 * d, s->corner);
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k <= j; k++, at++) {
            s->corner[at * d + j] += 1;
            s->corner[at * d + k] += 1;
        }
    fan->comp = s->comp;
    fan->ncomp = count;
    fan->naxis = d;
    fan->ndir = at;
    fan->dir = s->corner;
    fan->sides = 1;
    fan->radius = whole_away * fmax(1, vec_norm(d, s->base.x));
}
