/* inq with spans: evidence. What was foretold of gradients and what was not, and what follows for whom to ask.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "method/component/accuracy.h"
#include "method/component/ridge.h"
#include "method/component/sample.h"
#include "method/subspaces/evidence.h"
#include "method/subspaces/span.h"

/* ---- How far off ------------------------------------------------------------------------------------ */

/* In the mean. */
static double missed(const inq *s)
{
    if (!(s->evidence.missed_count > 0)) return 0;
    return (vec_norm(s->base.d, s->missed) + sqrt(s->evidence.missed_square)) /
           s->evidence.missed_count;
}

/* How far off the gradient may be where components were not asked in full at x: as much as those were that have been,
 * in the worst of the last rounds that asked a quarter of all. A few whose spans are complete do not speak for the others. */
static double stale_error(const inq *s)
{
    double unasked = 0, off = missed(s), heard = s->evidence.missed_count;
    for (int k = 0; k < ROUNDS && ASKED_PART * heard < (double)s->base.n; k++) {
        off = fmax(off, s->evidence.off[k]);
        heard += s->evidence.off_count[k];
    }
    for (size_t i = 0; i < s->base.n; i++) unasked += s->asked[i].full != s->points.count;
    return unasked / (double)s->base.n * off;
}

/* What rounding makes of the mean of all gradients, asked here or not, and what is left of the forward error where bends are known as
 * well as they are. */
static double least_error(const inq *s)
{
    const method *m = &s->base;
    double r = inq_span_radius(s, method_radius(m, 1)), d = (double)m->d, n = (double)m->n;
    double rounding = inq_coarse(s, roundings_of_mean, s->scale.value) * sqrt(d / n) / r,
           forward = m->set.sides == 1 ? 0.5 * r * bend_off * s->model.bend / sqrt(d) : 0;
    return rounding + forward;
}

double inq_span_error(const inq *s, double most)
{
    return fmax(fmin(stale_error(s), most), least_error(s));
}

/* ---- Do spans hold what components do? -------------------------------------------------------------- */

/* Do spans fall short of the changes seen? */
static int fall_behind(const inq *s)
{
    return s->evidence.outside > incomplete * (s->evidence.inside + s->evidence.outside);
}

/* Changes that are little but rounding say nothing of a shape. */
static int stands_clear(const inq *s)
{
    double each = inq_blur(s) * inq_blur(s) * s->evidence.missed_count;
    return s->evidence.inside + s->evidence.outside > ridge_clear * each;
}

int inq_guessed(const inq *s)
{
    return s->shape.kind &&
           s->evidence.outside <= complete * (s->evidence.inside + s->evidence.outside);
}

static void keep_share(inq *s)
{
    double whole = s->evidence.inside + s->evidence.outside;
    if (!(whole > 0)) return;
    double part = s->evidence.outside / whole;
    s->evidence.share =
        s->evidence.looks++ ? (1 - new_share) * s->evidence.share + new_share * part : part;
}

/* ---- Components asked in full ----------------------------------------------------------------------- */

void evidence_add(inq *s, double inside, double outside)
{
    s->evidence.inside += inside;
    s->evidence.outside += outside;
}

void evidence_missed(inq *s, const double *sum, double square, double count)
{
    vec_add(s->base.d, 1, sum, s->missed);
    s->evidence.missed_square += square;
    s->evidence.missed_count += count;
}

static void remember_missed(inq *s)
{
    if (!(s->evidence.missed_count > 0)) return;
    memmove(s->evidence.off + 1, s->evidence.off, (ROUNDS - 1) * sizeof *s->evidence.off);
    memmove(s->evidence.off_count + 1, s->evidence.off_count,
            (ROUNDS - 1) * sizeof *s->evidence.off_count);
    s->evidence.off[0] = missed(s);
    s->evidence.off_count[0] = s->evidence.missed_count;
}

/* Before components are asked in full: what was missed the last time is remembered, and counted anew. */
void inq_begin_evidence(inq *s)
{
    remember_missed(s);
    keep_share(s);
    s->evidence.inside = s->evidence.outside = s->evidence.missed_count =
        s->evidence.missed_square = 0;
    vec_zero(s->base.d, s->missed);
}

/* All of them have been: is what components have in common still so? */
void inq_end_evidence(inq *s)
{
    if (s->shared.changes) inq_close_changes(s);
    inq_judge_shared(s);
    ridge_from_spans(s);
    if (fall_behind(s) && stands_clear(s)) inq_forget_shape(s); /* it was so at the start only */
}

/* 1: it was asked in full once only. */
static double has_no_span(const inq *s, uint64_t i)
{
    double rest = 0;
    if (inq_rank(s, i) > 0 || s->asked[i].full == 0) return 0;
    const double *z = inq_point(s, s->asked[i].full), *row = inq_row(s, i);
    for (size_t j = 0; j < s->base.d; j++)
        rest += (row[j] - s->ridge.mu * z[j]) * (row[j] - s->ridge.mu * z[j]);
    return rest > inq_blur(s) * inq_blur(s); /* a component that is flat needs none */
}

/* Spans: how many components of the sample are asked in full after a step. As large a part as spans left unexplained the
 * last time, or as has none yet; and those whose points would be forgotten. */
uint64_t inq_in_full(inq *s, double most)
{
    double size = (double)s->sample.filled, whole = s->evidence.inside + s->evidence.outside;
    double part = whole > 0 ? sqrt(s->evidence.outside / whole) : s->shape.kind ? 0 : 1;
    if (!inq_shares(s) && inq_rule(s, RULE_NO_SPAN_FIRST))
        part = fmax(part, inq_total(s, has_no_span) / size);
    double least =
        !s->base.set.own
            ? own_off_in_full
            : fmax(least_in_full, s->shape.kind && !s->ridge.seen ? LEAST_UNRIDGED / size : 0);
    uint64_t count = (uint64_t)ceil(size * fmin(fmax(part, least), most)), old = 0;
    for (size_t k = 0; k < s->sample.filled; k++)
        old += s->asked[s->plan.order[k]].full + POINTS - OLD_POINTS < s->points.count;
    return count > old ? count : old;
}

/* ---- Few components --------------------------------------------------------------------------------- */

/* Few components, without noise. */
static int may_leave(const inq *s)
{
    return s->base.n < FEW && s->dense && !(s->base.set.noise > 0);
}

/* In so few dimensions several indices are all there are: lm finds out whether components are squares, and mean follows. */
int inq_squares_due(const inq *s)
{
    const method *m = &s->base;
    double unit = (double)m->n * (double)m->d, left = m->set.horizon - (double)s->sample.asked;
    return m->d < FEW_INDICES && !(m->set.noise > 0) &&
           !(m->set.horizon > 0 && left < least_left * unit) && method_may_follow(m, "lm", NULL);
}

/* Few components whose spans fall short of what they do after so many gradients of each: in the last look, and in the mean of
 * a few before. */
int inq_mean_due(const inq *s)
{
    double spent = (double)(s->sample.asked - s->spanning.entered),
           unit = (double)s->base.n * (double)s->base.d;
    if (!s->spans_on || !may_leave(s) || !inq_all(s) || inq_shares(s)) return 0;
    double left = s->base.set.horizon - (double)s->sample.asked;
    if (s->base.set.horizon > 0 && left < least_left * unit) return 0;
    return spent > most_units * unit && fall_behind(s) && s->evidence.share > fall_short;
}
