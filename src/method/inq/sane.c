/* inq: state that was read from a file. Is it one that ask and tell are safe with?
 * SPDX-License-Identifier: MIT
 *
 * Not whether it is one that a run can come to: numbers may be any. But every count, place and list stays within its room,
 * and each phase finds what it takes for granted. A state_entry has bounds of its own; here is what lies within one, and
 * what has to fit together. */
#include "method/component/row.h"
#include "method/curves/curves.h"
#include "method/inq/inq.h"
#include "method/subspaces/span.h"
#include "method/subspaces/subspaces.h"

/* ---- Counts -------------------------------------------------------------------------------------- */

static int counts_fit(const inq *s)
{
    return 1 INQ_STRUCTS(FIELDS_FIT) && s->sample.size > 0 &&
           (s->sample.filled == 0 || s->points.count > 0);
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

static int rank_fits(const inq *s, uint64_t i)
{
    return is_count(inq_span(s, i)->rank, s->spans_on ? (double)s->layers : 0);
}

static int shelf_fits(const inq *s, uint64_t i, size_t size)
{
    uint32_t at = s->shelf[inq_at(s, i)].at, end = s->shelf[inq_block(s, i)].end;
    return at == IN_ROWS || (at + size <= end && end <= inq_shelf_size(s, i));
}

static int row_fits(const inq *s, uint64_t i)
{
    double kept = s->kept[inq_at(s, i)];
    size_t few = inq_few(s);
    if (kept == (double)s->base.d) return s->wide;
    if (!is_count(kept, (double)few) || s->spans_on) return 0; /* with spans all are whole */
    if (s->pool && s->slot[i] + inq_short_size((size_t)kept) > s->store.used && kept > 0) return 0;
    if (s->dense && !shelf_fits(s, i, inq_short_size((size_t)kept))) return 0;
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
    return s->store.used <= inq_short_size(s->entries) && numbers <= (double)s->entries &&
           (s->wide || !s->spans_on);
}

static int component_fits(const inq *s, uint64_t i)
{
    const curve *c = inq_curve(s, i);
    return is_count(c->knots, CURVE_KNOTS) && is_count(c->point, (double)s->points.count) &&
           (c->point > 0 || s->asked[i].full == 0 || inq_speaker(s, i) != i) && rank_fits(s, i) &&
           row_fits(s, i);
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

static double rank_of(const method *m, uint64_t i) { return inq_span((const inq *)m, i)->rank; }

static int plan_fits(const inq *s)
{
    const plan *p = &s->plan;
    uint64_t stage = s->base.stage, list = inq_facts[stage].list;
    if (!plan_sane(p)) return 0;
    if (stage == ASK_NOTHING) return 1;
    if (p->list != list) return 0;
    if (list == OF_QUESTION) return 1;
    if (p->end != end_of_stage(s)) return 0;
    return (stage != ASK_SPAN && stage != ASK_CURVATURE) || plan_ranks_sane(p, rank_of);
}

/* ---- Phases ---------------------------------------------------------------------------------------- */

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
    if (needs == NOISY && !(s->base.set.noise > 0)) return 0;
    if (needs == SPANS ? !s->spans_on : s->spans_on && needs == CURVES) return 0;
    switch (stage) {
    case ASK_RECOVER:
        return s->recovery.room > 0 && s->recovery.at->cursor <= s->sample.size - s->sample.begin;
    case ASK_WALLS:
    case ASK_WALL_ROWS: return s->dense && inq_all(s) && s->outliers.count > 0;
    case ASK_ENTER: return s->sample.begin < s->sample.size;
    case ASK_TWINS: return inq_all(s) && s->twins.count > 0;
    case ASK_CURVATURE: return curvature_fits(s);
    case ASK_SCALE: return s->scaling.count > 0;
    case ASK_WHOLE: return inq_whole_sample(s) > 0 && s->shared.row <= s->base.d;
    default: return 1;
    }
}

const char *inq_check(const method *m)
{
    const inq *s = (const inq *)m;
    if (!counts_fit(s)) return "a count of inq is beyond its room";
    if (!judges_fit(s)) return "the components that judge a step are not there";
    if (!inq_shape_fits(s)) return "the shape of subspaces does not fit the dimensions";
    if (!twins_sane(s)) return "a component is asked through one that cannot be";
    if (!components_fit(s)) return "what a component keeps does not fit its room";
    if (!weights_fit(s)) return "the matrix has a direction that is not known";
    if (!plan_fits(s)) return "the list of those to ask does not fit the phase";
    if (!sample_fits(s)) return "the sample does not fit the phase";
    const char *unfit = recovery_check(&s->recovery);
    if (unfit) return unfit;
    return phase_fits(s) ? NULL : "the phase is about what is not there";
}
