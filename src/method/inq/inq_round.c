/* inq: rounds. What comes after a step, after a sample, after doubt.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "method/inq/inq.h"
#include "prox/prox.h"

enum { MOST_ROUNDS = 6, MOST_CHECKS = 6, LEAST_FRESH = 32, FRESH_FOR_SPANS = 128 };

void inq_model(inq *s)
{
    if (s->at->secants)
        inq_span_model(s);
    else
        inq_curve_model(s);
}

void inq_finish(inq *s)
{
    s->base.stage = ASK_NOTHING;
    if (!(s->base.set.noise > 0)) return;
    s->base.ended = ZO_AT_NOISE;
    if (s->dense) inq_begin_near(s);
}

/* Secants: is it time to measure their scale? With every sample, three times more with all; not where spans hold all there
 * is. */
static int scale_due(inq *s)
{
    struct progress *at = s->at;
    if (inq_guessed(s)) at->gam = 1;
    if (!at->secants || inq_guessed(s) || inq_shares(s) || at->scaled_at == s->base.step + 1)
        return 0;
    return at->size < s->base.n || at->scalings < 3 || at->failures > 0;
}

/* Components that judge a candidate: fresh ones, so many as cost little beside the gradients of the sample. Where hardly
 * more than the least are left, all, the sample with them: few are a poor sample of few, and n values are F itself. */
static uint64_t judges(const inq *s)
{
    const struct progress *at = s->at;
    double least =
        at->secants ? FRESH_FOR_SPANS : LEAST_FRESH; /* few miss what hardly any component sees */
    double n = (double)s->base.n, size = (double)at->size;
    if (n <= MOST_FRESH && n - size <= 2 * least) return s->base.n;
    return (uint64_t)fmin(fmin(fmax(least, 0.0025 * size * (double)s->base.d), MOST_FRESH),
                          n - size);
}

/* Few components, of which the sample is so small a part that judging its steps is dear, and whose slopes have little in
 * common: a step would serve the sample alone. What was asked is not lost, the others are asked at the same x. */
static int says_little(inq *s)
{
    const struct progress *at = s->at;
    if (at->secants || at->rounds || judges(s) < s->base.n) return 0;
    if ((double)at->size >= inq_least_size(s) || inq_affordable(s) < (double)s->base.n) return 0;
    return !(inq_alike(s) > 0.5);
}

void inq_begin_round(inq *s)
{
    method *m = &s->base;
    struct progress *at = s->at;
    s->fetched = 0;
    if (inq_whole_due(s)) {
        m->stage = ASK_WHOLE;
        return;
    }
    if (scale_due(s) && inq_scaled(s) >= 4) {
        inq_model(s);
        inq_scale_directions(s);
        at->scaled_at = m->step + 1;
        m->stage = ASK_SCALE;
        return;
    }
    if (inq_one_due(s)) {
        inq_begin_one(s);
        return;
    }
    if (inq_all(s)) {
        if (at->secants && at->valued != m->step + 1 && !inq_all_told(s)) {
            m->stage = ASK_VALUE;
            return;
        }
        at->objective = inq_mean_value(s) + prox_value(m->psi, m->d, m->x);
        at->failures = 0;
        inq_begin_full(s);
        return;
    }
    inq_model(s);
    if (says_little(s)) {
        inq_grow(s);
        return;
    }
    inq_residual(s);
    inq_offer(s);
    at->fresh = judges(s);
    m->stage = at->fresh == m->n && at->judged == m->step + 1 ? ASK_TRY : ASK_FRESH;
}

void inq_grow(inq *s)
{
    method *m = &s->base;
    struct progress *at = s->at;
    double next = 2 * (double)at->size, most = inq_affordable(s);
    if (1.2 * next > (double)m->n) next = (double)m->n;
    if (next > most) next = most;
    if (inq_all(s) || next <= (double)at->size || (at->points >= POINTS && !at->secants)) {
        inq_finish(s);
        return;
    }
    at->begin = at->size;
    at->size = (uint64_t)next;
    m->stage = ASK_GRADIENT;
}

static void next_round(inq *s)
{
    struct progress *at = s->at;
    int enough = at->falls < 0.3 * at->spread || at->rounds >= MOST_ROUNDS;
    if (!inq_all(s) && enough)
        inq_grow(s);
    else
        inq_begin_round(s);
}

void inq_after_renewal(inq *s)
{
    struct progress *at = s->at;
    at->todo = 0;
    if (at->redo && at->points < POINTS - 8) { /* the last places are for larger samples */
        inq_keep_point(s);
        at->cursor = 0;
        s->base.stage = ASK_REDO;
        return;
    }
    int due = at->rounds == 1 && (at->checks < MOST_CHECKS || inq_all(s));
    if (due && s->base.step != at->checked) {
        at->checked = s->base.step;
        s->base.stage = ASK_CHECK;
    } else {
        next_round(s);
    }
}

void inq_renew(inq *s)
{
    s->at->cursor = 0;
    s->base.stage = ASK_RENEW;
    if (s->at->todo == 0) inq_after_renewal(s);
}

void inq_move(inq *s, const double *z)
{
    method *m = &s->base;
    const candidate *c = &s->offer[s->at->pick];
    if (s->at->rounds == 0 && !inq_all(s) && !s->at->secants) s->at->centred = c->damping;
    s->at->falls = c->falls;
    s->at->spread = c->spread;
    s->at->rounds++;
    vec_copy(m->d, z, m->x);
    s->modelled = 0;
    m->step++;
    if (!s->at->secants) inq_project(s);
}

/* Spans: the sample has been asked at x. */
static void asked_again(inq *s)
{
    if (s->at->growing)
        inq_grow(s);
    else
        inq_begin_round(s);
}

/* Spans: what was not asked in full at x is asked along its own directions. */
void inq_ask_spans(inq *s)
{
    s->at->todo = s->at->cursor = 0;
    if (!inq_shares(s) && s->base.set.own) inq_list_spans(s);
    s->base.stage = ASK_SPAN;
    if (s->at->todo == 0) asked_again(s);
}

void inq_tell_spans(inq *s, const double *answers)
{
    inq_learn_spans(s, answers);
    s->at->cursor += s->base.fan.ncomp;
    if (s->at->cursor == s->at->todo) asked_again(s);
}

static void remember_missed(inq *s)
{
    struct progress *at = s->at;
    if (!(at->missed_count > 0)) return;
    memmove(at->off + 1, at->off, (ROUNDS - 1) * sizeof *at->off);
    memmove(at->off_count + 1, at->off_count, (ROUNDS - 1) * sizeof *at->off_count);
    at->off[0] = inq_missed(s);
    at->off_count[0] = at->missed_count;
}

/* Spans: count components that were asked longest ago are asked in full at x. */
void inq_ask_again(inq *s, uint64_t count)
{
    inq_list_oldest(s, count);
    s->at->cursor = 0;
    s->base.stage = ASK_AGAIN;
    if (s->at->todo == 0) {
        inq_ask_spans(s);
        return;
    }
    remember_missed(s);
    inq_keep_share(s);
    s->at->inside = s->at->outside = s->at->missed_count = s->at->missed_square = 0;
    vec_zero(s->base.d, s->missed);
}
