/* inq: every component asked once along all axes, and from then on along its own direction.
 * SPDX-License-Identifier: MIT
 *
 * Where each f_i(x) = h_i(a_i'x) + (mu/2)|x|^2, one difference gradient (d + 1 queries) gives the direction
 * u_i of a_i for good. Then f_i is a curve of one number (curve.h) and every further value of f_i, one query,
 * improves its slope and bend: a Newton step on all n components costs n queries. docs/methods/inq.md.
 *
 *   sample = n/256 components or more;  loop
 *     new components: difference gradients at x, one more value along u_i
 *     model of the sample; candidates over several dampings; the one with the best expected change is judged by
 *       values on fresh components (all in the sample: by F); move; values of the sample at the new x
 *     curves in doubt: two more values;  a few components in full: is what is believed true? how large is mu?
 *     until the step's promise is small beside the statistical error
 *     sample = twice as large; all: until the promise vanishes */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "method/inq/inq_row.h"
#include "method/core/rows.h"
#include "prox/prox.h"

void inq_ask_bends(inq *s)
{
    s->at->cursor = s->at->begin;
    s->base.stage = ASK_BEND;
}

static void tell_gradient(inq *s, const double *answers)
{
    method *m = &s->base;
    struct progress *at = s->at;
    if (at->filled == at->begin) { /* the first chunk of a stage */
        if (!at->secants || !inq_at_last_point(s)) inq_keep_point(s);
        vec_copy(m->d, m->x, s->centre);
        at->centred = 0;
        at->rounds = at->boosts = 0;
    }
    if (at->secants)
        inq_learn_again(s, answers);
    else
        inq_learn_gradient(s, answers);
    at->filled += m->fan.ncomp;
    if (at->filled < at->size) return;
    if (at->secants) {
        inq_begin_round(s);
        return;
    }
    if (at->points == 1) inq_measure(s);
    if (!inq_begin_axes(s)) inq_ask_bends(s);
}

static void tell_bend(inq *s, const double *answers)
{
    inq_learn_bend(s, answers);
    s->at->cursor += s->base.fan.ncomp;
    if (s->at->cursor == s->at->size) inq_begin_round(s);
}

static void tell_renewed(inq *s, const double *answers)
{
    inq_learn_renewed(s, answers);
    s->at->cursor += s->base.fan.ncomp;
    if (s->at->cursor == s->at->todo) inq_after_renewal(s);
}

/* Components that do not have one direction each: everything is asked again at x, and secants begin. What such a check
 * says of mu is worth nothing; it is seen across spans. */
static void tell_check(inq *s, const double *answers)
{
    inq_learn_check(s, answers);
    int misfits = s->at->misfit > 1e-3,
        poor = s->at->checked_error > 1e-5 * (s->at->mu + s->at->checked_more);
    if (poor && !misfits && s->base.set.own && !(s->base.set.noise > 0) && s->base.fan.ncomp > 1) {
        s->base.stage = ASK_ACROSS;
        return;
    }
    int spans = misfits && !(s->base.set.noise > 1e-11 * s->at->scale);
    if (!isnan(s->at->checked_more) && !spans)
        inq_correct_mu(s, s->at->checked_more, s->at->checked_error);
    if (spans) {
        inq_widen(s);
        inq_enter_spans(s, answers);
        s->one->entered = s->at->asked;
        s->at->growing = 0;
        inq_ask_again(s, s->at->shape ? inq_in_full(s, 1) : s->at->filled);
        return;
    }
    inq_settle_radius(s);
    inq_renew(s);
}

/* The better of two measures of mu. */
static void tell_across(inq *s, const double *answers)
{
    double error, more = inq_learn_across(s, answers, &error);
    s->at->todo = 0;
    if (isnan(more) || error > s->at->checked_error)
        more = s->at->checked_more, error = s->at->checked_error;
    inq_correct_mu(s, more, error);
    inq_renew(s);
}

static void tell_again(inq *s, const double *answers)
{
    inq_learn_again(s, answers);
    s->at->cursor += s->base.fan.ncomp;
    if (s->at->cursor < s->at->todo) return;
    if (s->at->changes) inq_close_changes(s);
    inq_judge_shared(s);
    inq_correct_ridge(s);
    if (inq_incomplete(s)) s->at->shape = 0; /* it was so at the start only */
    inq_ask_spans(s);
}

/* With secants, values are asked of all components alone, for F. */
static void tell_values(inq *s, const double *answers)
{
    if (!s->at->secants) {
        inq_learn_values(s, answers);
        inq_renew(s);
        return;
    }
    inq_keep_values(s, answers);
    inq_begin_round(s);
}

static void tell_redo(inq *s, const double *answers)
{
    int gradients = s->base.stage == ASK_REDO;
    if (gradients)
        inq_learn_gradient(s, answers);
    else
        inq_learn_bend(s, answers);
    s->at->cursor += s->base.fan.ncomp;
    if (s->at->cursor < s->at->redo) return;
    s->at->cursor = 0;
    s->base.stage = ASK_REBEND;
    if (gradients) return;
    if (s->at->aside) {
        inq_end_aside(s);
        return;
    }
    s->at->redo = 0;
    inq_after_renewal(s);
}

/* The variance of answers about the mean of their component; every component is in the question equally often. */
static double variance_of(const zo_fan *fan, size_t components, const double *answers)
{
    double sum = 0;
    for (size_t k = 0; k < components; k++) {
        double mean = 0, each = (double)(fan->ncomp / components);
        for (size_t e = k; e < fan->ncomp; e += components) mean += answers[e] / each;
        for (size_t e = k; e < fan->ncomp; e += components)
            sum += (answers[e] - mean) * (answers[e] - mean);
    }
    return sum / (double)(fan->ncomp - components);
}

static void tell_noise(inq *s, const double *answers)
{
    method *m = &s->base;
    size_t count = m->fan.ncomp / 2, components = count < m->n ? count : m->n;
    double sum = variance_of(&m->fan, components, answers);
    if (sum > 0 && m->fan.ncomp - components < FREE && !s->at->repeats++)
        return; /* too few to go by */
    m->set.noise = sqrt(sum);
    if (sum > 0) method_note(m, "noise %.2g (measured)", m->set.noise);
    m->stage = ASK_GRADIENT;
    if (sum > 0 && m->n < FEW && s->dense)
        inq_begin_near(s);
    else if (sum > 0)
        m->stage = ASK_LADDER;
    else if (m->n == 1 && inq_may_be_one(s))
        inq_begin_one(s);
}

static void tell_stage(inq *s, const double *answers)
{
    method *m = &s->base;
    switch (m->stage) {
    case ASK_NOISE: tell_noise(s, answers); break;
    case ASK_GRADIENT: tell_gradient(s, answers); break;
    case ASK_BEND: tell_bend(s, answers); break;
    case ASK_FRESH:
        vec_copy(m->fan.ncomp, answers, s->fresh);
        s->at->judged = m->fan.ncomp == m->n ? m->step + 1 : 0;
        m->stage = ASK_TRY;
        break;
    case ASK_TRY: inq_all(s) ? inq_tell_full(s, answers) : inq_tell_try(s, answers); break;
    case ASK_VALUE: tell_values(s, answers); break;
    case ASK_RENEW: tell_renewed(s, answers); break;
    case ASK_REDO:
    case ASK_REBEND: tell_redo(s, answers); break;
    case ASK_ACROSS: tell_across(s, answers); break;
    case ASK_AGAIN: tell_again(s, answers); break;
    case ASK_SPAN: inq_tell_spans(s, answers); break;
    case ASK_WHOLE:
        inq_learn_whole(s, answers);
        inq_begin_round(s);
        break;
    case ASK_SCALE:
        inq_learn_scale(s, answers);
        inq_begin_round(s);
        break;
    default: tell_check(s, answers);
    }
}

static void inq_tell(method *m, const double *answers)
{
    inq *s = (inq *)m;
    uint64_t queries = zo_fan_queries(&m->fan);
    const inq_part *part = inq_part_of(m->stage);
    if (m->stage != ASK_FRESH && m->stage != ASK_TRY) s->modelled = 0;
    if (part)
        part->tell(s, answers);
    else
        tell_stage(s, answers);
    s->at->asked += queries;
}

static int inq_bears(const method *m)
{
    switch (m->stage) {
    case ASK_TRY:
    case ASK_ACROSS:
    case ASK_STEP:
    case ASK_LADDER:
    case ASK_ALONG:
    case ASK_INSIDE:
    case ASK_OUTSIDE:
    case ASK_WIDEN:
    case ASK_POINT: return 1;
    default: return 0;
    }
}

const method_row inq_method_row = {.info = ROW_INQ,
                                   .size = sizeof(inq),
                                   .compares = 1,
                                   .last_stage = ASK_NOTHING,
                                   .open = inq_open,
                                   .ask = inq_ask,
                                   .tell = inq_tell,
                                   .bears = inq_bears,
                                   .close = inq_close};
