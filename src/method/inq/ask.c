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

/* A few components of the sample, drawn anew at each step. */
static void draw_checked(inq *s, zo_fan *fan)
{
    uint32_t place[CHECKED];
    size_t count = at_most(s->sample.size / CHECK_EVERY, CHECKED);
    if (count < LEAST_CHECKED) count = at_most(s->sample.size, LEAST_CHECKED);
    rng_distinct(s->base.set.seed, FOR_CHECK, s->base.step, (uint32_t)s->sample.size, count, place);
    for (size_t k = 0; k < count; k++) s->comp[k] = s->plan.order[place[k]];
    fan->each = method_each(&s->base);
    fan->comp = s->comp;
    fan->ncomp = count;
}

void ask_check(inq *s, zo_fan *fan)
{
    draw_checked(s, fan);
    fan->naxis = s->base.d;
}

/* The components of the last check, across their directions. */
void ask_across(inq *s, zo_fan *fan)
{
    draw_checked(s, fan);
    inq_ask_across(s, fan);
}

/* ---- Own directions ------------------------------------------------------------------------------ */

/* Each along its own direction, whose row is scaled to its own radius; or all along one. */
static void ask_own(inq *s, zo_fan *fan, double (*radius)(const inq *s, uint64_t i))
{
    size_t d = s->base.d;
    plan_chunk(&s->plan, fan, s->chunk);
    fan->known = 1;
    fan->ndir = 1;
    fan->dir = s->dir;
    fan->radius = 1;
    if (!s->base.set.own) {
        inq_common_direction(s, s->dir);
        return;
    }
    for (size_t e = 0; e < fan->ncomp; e++) {
        inq_fetch_entry(s, fan, e);
        if (!method_mine(&s->base, fan->comp[e])) continue;
        inq_row_put(s, fan->comp[e], radius(s, fan->comp[e]), s->dir + e * d);
        method_turn(&s->base, fan->base[0], s->dir + e * d);
    }
    fan->own = 1;
}

void ask_bends(inq *s, zo_fan *fan)
{
    fan->base[0] = inq_place(s);
    fan->sides = 1;
    ask_own(s, fan, inq_bend_radius);
}

void ask_renewal(inq *s, zo_fan *fan)
{
    fan->sides = 2;
    ask_own(s, fan, inq_renew_radius);
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
