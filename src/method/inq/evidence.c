/* inq with spans: evidence. What was foretold of gradients and what was not, and what follows for whom to ask.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "method/inq/inq.h"

/* ---- How far off ------------------------------------------------------------------------------------ */

/* In the mean. */
static double missed(const inq *s)
{
    const struct progress *at = s->at;
    if (!(at->missed_count > 0)) return 0;
    return (vec_norm(s->base.d, s->missed) + sqrt(at->missed_square)) / at->missed_count;
}

/* How far off the gradient may be where components were not asked in full at x: as much as those were that have been,
 * in the worst of the last rounds that asked a quarter of all. A few whose spans are complete do not speak for the others. */
double inq_stale_error(const inq *s)
{
    const struct progress *at = s->at;
    double unasked = 0, off = missed(s), heard = at->missed_count;
    if (!at->secants) return 0;
    for (int k = 0; k < ROUNDS && 4 * heard < (double)s->base.n; k++) {
        off = fmax(off, at->off[k]);
        heard += at->off_count[k];
    }
    for (size_t i = 0; i < s->base.n; i++) unasked += s->asked[i].full != at->points;
    return unasked / (double)s->base.n * off;
}

/* ---- Do spans hold what components do? -------------------------------------------------------------- */

int inq_incomplete(const inq *s)
{
    return s->at->outside > incomplete * (s->at->inside + s->at->outside);
}

int inq_guessed(const inq *s)
{
    return s->at->shape && s->at->outside <= complete * (s->at->inside + s->at->outside);
}

static void keep_share(inq *s)
{
    double whole = s->at->inside + s->at->outside;
    if (!(whole > 0)) return;
    double part = s->at->outside / whole;
    s->one->share = s->one->looks++ ? (1 - new_share) * s->one->share + new_share * part : part;
}

/* ---- Components asked in full ----------------------------------------------------------------------- */

static void remember_missed(inq *s)
{
    struct progress *at = s->at;
    if (!(at->missed_count > 0)) return;
    memmove(at->off + 1, at->off, (ROUNDS - 1) * sizeof *at->off);
    memmove(at->off_count + 1, at->off_count, (ROUNDS - 1) * sizeof *at->off_count);
    at->off[0] = missed(s);
    at->off_count[0] = at->missed_count;
}

/* Before components are asked in full: what was missed the last time is remembered, and counted anew. */
void inq_begin_evidence(inq *s)
{
    remember_missed(s);
    keep_share(s);
    s->at->inside = s->at->outside = s->at->missed_count = s->at->missed_square = 0;
    vec_zero(s->base.d, s->missed);
}

/* All of them have been: is what components have in common still so? */
void inq_end_evidence(inq *s)
{
    if (s->at->changes) inq_close_changes(s);
    inq_judge_shared(s);
    inq_correct_ridge(s);
    if (inq_incomplete(s)) s->at->shape = 0; /* it was so at the start only */
}

/* Spans: how many components of the sample are asked in full after a step. As large a part as spans left unexplained the
 * last time, or as has none yet; and those whose points would be forgotten. */
uint64_t inq_in_full(inq *s, double most)
{
    const struct progress *at = s->at;
    double size = (double)at->filled, whole = at->inside + at->outside;
    double part = whole > 0 ? sqrt(at->outside / whole) : at->shape ? 0 : 1;
    if (!inq_shares(s)) part = fmax(part, inq_total(s, inq_has_no_span) / size);
    double least = !s->base.set.own
                       ? own_off_in_full
                       : fmax(least_in_full, at->shape && !at->ridged ? LEAST_UNRIDGED / size : 0);
    uint64_t count = (uint64_t)ceil(size * fmin(fmax(part, least), most)), old = 0;
    for (size_t k = 0; k < at->filled; k++)
        old += s->asked[s->order[k]].full + POINTS - OLD_POINTS < at->points;
    return count > old ? count : old;
}

/* ---- Few components --------------------------------------------------------------------------------- */

/* Few components, without noise. */
static int may_leave(const inq *s)
{
    return s->base.n < FEW && s->dense && !(s->base.set.noise > 0);
}

/* Few components whose spans fall short of what they do after so many gradients of each: in the last look, and in the mean of
 * a few before. */
int inq_mean_due(const inq *s)
{
    double spent = (double)(s->at->asked - s->one->entered),
           unit = (double)s->base.n * (double)s->base.d;
    if (!s->at->secants || !may_leave(s) || !inq_all(s) || inq_shares(s)) return 0;
    double left = s->base.set.horizon - (double)s->at->asked;
    if (s->base.set.horizon > 0 && left < least_left * unit) return 0;
    return spent > most_units * unit && inq_incomplete(s) && s->one->share > fall_short;
}
