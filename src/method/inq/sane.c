/* inq: state that was read from a file. Is it one that ask and tell are safe with?
 * SPDX-License-Identifier: MIT
 *
 * Not whether it is one that a run can come to: numbers may be any. But every count, place and list stays within its room,
 * and each phase finds what it takes for granted. A state_entry has bounds of its own; here is what lies within one, and
 * what has to fit together. */
#include <math.h>

#include "method/inq/row.h"
#include "method/inq/supports.h"

/* ---- Counts -------------------------------------------------------------------------------------- */

static int is_count(double v, double most) { return v >= 0 && v <= most && v == floor(v); }

static int all_within(const uint64_t *is, size_t count, uint64_t most)
{
    for (size_t k = 0; k < count; k++)
        if (is[k] > most) return 0;
    return 1;
}

static int counts_fit(const inq *s)
{
    const uint64_t flags[] = {s->spanning.growing, s->start.there,  s->start.faint, s->ridge.seen,
                              s->supports.leaving, s->pass.crossed, s->spans_on,    s->check.whole};
    const uint64_t counts[] = {s->sample.rounds,   s->sample.asked,   s->step.failures,
                               s->step.flat,       s->check.count,    s->shared.changes,
                               s->scale.repeats,   s->supports.tests, s->supports.trials,
                               s->outside.widened, s->noisy.failures};
    const uint64_t picks[] = {s->step.pick, s->step.first, s->step.best};
    return all_within(flags, sizeof flags / sizeof *flags, 1) &&
           all_within(counts, sizeof counts / sizeof *counts, MOST_COUNTED) &&
           all_within(picks, sizeof picks / sizeof *picks, CANDIDATES - 1) &&
           s->step.offers <= CANDIDATES && s->step.way <= 2 && s->upkeep.origin <= 2 &&
           s->start.place < POINTS && s->step.boosts <= MOST_BOOSTS && s->sample.size > 0 &&
           s->sample.size <= s->base.n && s->sample.filled <= s->sample.size &&
           s->sample.begin <= s->sample.filled && (s->sample.filled == 0 || s->points.count > 0) &&
           s->points.count <= (s->spans_on ? UINT32_MAX : POINTS) && s->ridge.scaled <= SPREAD &&
           s->shared.state <= (s->whole ? FAILED : NOT_ASKED) && s->supports.state <= NONE &&
           s->supports.supported <= s->base.n && s->find.size <= 2 * s->base.d &&
           s->find.parts <= SPREAD;
}

/* Judges: components behind the sample, or all. */
static int judges_fit(const inq *s)
{
    uint64_t n = s->base.n;
    int asked = s->base.stage == ASK_FRESH || (s->base.stage == ASK_TRY && s->sample.size < n);
    if (s->step.judges != n && (s->step.judges > MOST_FRESH || s->step.judges > n - s->sample.size))
        return !asked;
    return !asked ||
           (s->step.judges > 0 && s->step.pick < s->step.offers + (s->base.stage == ASK_FRESH));
}

/* ---- What components keep ------------------------------------------------------------------------- */

static int supports_rule(const inq *s)
{
    uint64_t known = s->supports.state;
    return known == OF_SAMPLE || known == OF_ALL || known == OF_CURVES || known == RULING;
}

/* Coordinates, and behind them intervals that are looked into, part by part. */
static int list_fits(const inq *s, uint64_t i, size_t rank)
{
    double open = s->base.stage == ASK_SPLIT ? *support_open(s, i) : 0;
    if (!is_count(open, fmin((double)(s->base.d - rank), SPAN))) return 0;
    for (size_t k = 0; k < rank + (size_t)open; k++)
        if (!is_count((double)support_list(s, i)[k], (double)(s->base.d - 1))) return 0;
    return open * (double)s->find.parts <= SPREAD;
}

static int rank_fits(const inq *s, uint64_t i)
{
    double rank = inq_span(s, i)->rank;
    if (s->spans_on) return is_count(rank, (double)s->layers);
    if (rank == WIDE) return 1; /* also where supports were sought in vain */
    return is_count(rank, (double)support_most(s)) &&
           (!supports_rule(s) || list_fits(s, i, (size_t)rank));
}

static int row_fits(const inq *s, uint64_t i)
{
    double kept = s->kept[inq_at(s, i)];
    size_t few = inq_few(s);
    if (kept == (double)s->base.d) return s->wide;
    if (!is_count(kept, (double)few) || s->spans_on) return 0; /* with spans all are whole */
    if (s->pool && s->slot[i] + inq_short_size((size_t)kept) > s->store.used && kept > 0) return 0;
    const uint32_t *place = inq_places(s, i);
    for (size_t k = 0; k < (size_t)kept; k++)
        if (place[k] >= s->base.d) return 0;
    return 1;
}

/* Short rows do not overlap: the factor has room for all. */
static int rows_fit(const inq *s)
{
    double numbers = 0;
    if (s->dense) return 1;
    for (uint64_t i = 0; i < s->base.n; i++)
        numbers += inq_is_short(s, i) ? (double)inq_kept(s, i) : 0;
    return s->store.full <= 1 && s->store.used <= inq_short_size(s->entries) &&
           numbers <= (double)s->entries && (s->wide || !s->spans_on);
}

static int component_fits(const inq *s, uint64_t i)
{
    const curve *c = inq_curve(s, i);
    return is_count(c->knots, CURVE_KNOTS) && is_count(c->point, (double)s->points.count) &&
           (c->point > 0 || s->asked[i].full == 0) && rank_fits(s, i) && row_fits(s, i);
}

static int components_fit(const inq *s)
{
    for (size_t i = 0; i < s->base.n; i++)
        if (s->asked[i].full > s->points.count || s->asked[i].renewed > s->points.count) return 0;
    for (uint64_t k = 0; k < s->sample.filled; k++)
        if (s->asked[s->plan.order[k]].full == 0 || s->asked[s->plan.order[k]].renewed == 0)
            return 0;
    for (uint64_t i = s->base.first; i < inq_end(s); i++)
        if (!component_fits(s, i)) return 0;
    return rows_fit(s);
}

/* Curves: who is not in the sample, or has no direction, is not in the matrix, nor comes into it. */
static int weights_fit(const inq *s)
{
    if (s->spans_on) return 1;
    for (uint64_t k = s->sample.filled; k < s->base.n; k++)
        if (method_mine(&s->base, s->plan.order[k]) && s->weights[inq_at(s, s->plan.order[k])] != 0)
            return 0;
    for (size_t i = 0; i < s->base.count; i++) {
        const curve *c = &s->curves[i];
        if (c->size == 0 && (s->weights[i] != 0 || c->bend != 0 || c->knots != 0)) return 0;
    }
    return 1;
}

/* ---- Who is asked next ---------------------------------------------------------------------------- */

/* Where the list ends that a stage goes over. */
static uint64_t end_of_stage(const inq *s)
{
    switch (s->base.stage) {
    case ASK_GRADIENT:
    case ASK_BEND: return s->sample.size;
    default: return inq_facts[s->base.stage].list == OF_TAIL ? s->plan.tail : s->plan.queued;
    }
}

/* Those of one rank are asked together, along rows for so many directions. */
static int ranks_fit(const inq *s)
{
    const plan *p = &s->plan;
    size_t rank = 1;
    int split = s->base.stage == ASK_SPLIT;
    if (p->ranked[SPAN - 1] > p->queued) return 0;
    for (uint64_t e = p->cursor; e < p->queued; e++) { /* what was asked may have another now */
        while (rank <= SPAN && p->ranked[rank - 1] <= e) rank++;
        uint64_t i = s->plan.queue[e];
        if (!method_mine(&s->base, i)) continue;
        if ((split ? *support_open(s, i) : inq_span(s, i)->rank) != (double)rank) return 0;
    }
    return 1;
}

static int plan_fits(const inq *s)
{
    const plan *p = &s->plan;
    uint64_t stage = s->base.stage, list = inq_facts[stage].list;
    if (!plan_sane(p)) return 0;
    if (stage == ASK_NOTHING) return 1;
    if (p->list != list) return 0;
    if (list == OF_QUESTION) return 1;
    if (p->end != end_of_stage(s)) return 0;
    if (stage == ASK_SPAN || stage == ASK_SPLIT || stage == ASK_PASS) return ranks_fit(s);
    return 1;
}

/* ---- Phases ---------------------------------------------------------------------------------------- */

static int intervals_fit(const inq *s)
{
    const struct find *f = &s->find;
    return s->base.stage != ASK_SPLIT || (f->parts > 0 && f->size > 0 && f->size % f->parts == 0);
}

/* The sample is known but for what is being asked of it. */
static int sample_fits(const inq *s)
{
    switch (s->base.stage) {
    case ASK_NOISE:
    case ASK_LADDER: return s->sample.filled == 0;
    case ASK_NOTHING: return 1;
    case ASK_GRADIENT: return s->plan.cursor == s->sample.filled;
    case ASK_RECOVER:
        return s->sample.filled == s->sample.begin && s->sample.begin < s->sample.size;
    default: return s->sample.filled == s->sample.size;
    }
}

/* What a phase is about must be there. */
static int phase_fits(const inq *s)
{
    uint64_t stage = s->base.stage, needs = inq_facts[stage].needs;
    if (needs >= NOISY && !(s->base.set.noise > 0)) return 0;
    if (needs == SUPPORTED &&
        (!s->dense || s->supports.state == NOT_SOUGHT || !s->supports.supported))
        return 0;
    if (needs == SPANS ? !s->spans_on : s->spans_on && (needs == CURVES || needs == SUPPORTED))
        return 0;
    switch (stage) {
    case ASK_RECOVER:
        return s->recovery.room > 0 && s->recovery.at->cursor <= s->sample.size - s->sample.begin;
    case ASK_ENTER: return s->sample.begin < s->sample.size;
    case ASK_SCALE: return s->ridge.scaled > 0;
    case ASK_WHOLE: return inq_whole_sample(s) > 0 && s->shared.row <= s->base.d;
    default: return 1;
    }
}

const char *inq_check(const method *m)
{
    const inq *s = (const inq *)m;
    if (!counts_fit(s)) return "a count of inq is beyond its room";
    if (!judges_fit(s)) return "the components that judge a step are not there";
    if (!inq_shape_fits(s)) return "the shape of spans does not fit the dimensions";
    if (!intervals_fit(s)) return "intervals of coordinates do not fit the dimensions";
    if (!components_fit(s)) return "what a component keeps does not fit its room";
    if (!weights_fit(s)) return "the matrix has a direction that is not known";
    if (!plan_fits(s)) return "the list of those to ask does not fit the phase";
    if (!sample_fits(s)) return "the sample does not fit the phase";
    const char *unfit = recovery_check(&s->recovery);
    if (unfit) return unfit;
    return phase_fits(s) ? NULL : "the phase is about what is not there";
}
