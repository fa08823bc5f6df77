/* inq: steps of all components, judged by F.
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>

#include "method/inq/inq.h"
#include "prox/prox.h"

enum { MOST_FAILURES = 14 };

static double nothing(const inq *s)
{
    return method_unseen(&s->base, s->at->objective, s->at->scale);
}

/* Nothing more is promised: with spans, only by gradients that were all asked at x. */
static void ask_rest(inq *s)
{
    s->at->growing = 0;
    if (s->at->secants) inq_list_oldest(s, (s->base.n + 3) / 4);
    if (s->at->secants && s->at->todo)
        inq_ask_again(s, (s->base.n + 3) / 4);
    else
        inq_finish(s);
}

void inq_begin_full(inq *s)
{
    method *m = &s->base;
    inq_model(s);
    inq_residual(s);
    inq_offer_full(s);
    m->stage = ASK_TRY;
    int vanished = !(s->offer[0].falls > nothing(s));
    if (s->at->flat >= 2)
        inq_finish(s);
    else if (vanished)
        ask_rest(s);
}

double inq_mean_of(inq *s, const double *answers)
{
    double mean;
    method_sum(&s->base, s->base.n, NULL, 1, answers + s->base.first, &mean, s->tree, NULL);
    return mean / (double)s->base.n;
}

/* Refused: every curve is asked again at x if it was not, then more damping. */
static void refuse(inq *s, const double *answers)
{
    struct progress *at = s->at;
    if (inq_doubted(s)) { /* the mean knows more */
        inq_finish(s);
        return;
    }
    at->damping = fmax(8 * at->damping, 1e-6 * inq_unit(s));
    at->failures++;
    if (at->secants && at->failures == 3 && !inq_guessed(s)) {
        inq_list_oldest(s, at->filled);
        if (at->todo) {
            at->failures = 1;
            at->growing = 0;
            inq_ask_again(s, (s->base.n + 3) / 4);
            return;
        }
    }
    if (!at->secants && inq_ask_aside(s, s->cand, answers)) return;
    if (at->failures >= MOST_FAILURES) {
        inq_finish(s);
    } else if (!at->secants && at->failures == 2 && at->renewed != s->base.step + 1) {
        at->renewed = s->base.step + 1;
        at->todo = s->base.n;
        at->redo = 0;
        for (size_t k = 0; k < s->base.n; k++) s->todo[k] = k;
        inq_renew(s);
    } else {
        inq_begin_full(s);
    }
}

/* Spans: how many components of the sample are asked in full after a step. As large a part as spans left unexplained the
 * last time, or as has none yet; and those whose points would be forgotten. */
uint64_t inq_in_full(inq *s, double most)
{
    const struct progress *at = s->at;
    double size = (double)at->filled, whole = at->inside + at->outside;
    double part = whole > 0 ? sqrt(at->outside / whole) : at->shape ? 0 : 1;
    if (!inq_shares(s)) part = fmax(part, inq_total(s, inq_has_no_span) / size);
    double least =
        !s->base.set.own ? 0.25 : fmax(1.0 / 64, at->shape && !at->ridged ? 6 / size : 0);
    uint64_t count = (uint64_t)ceil(size * fmin(fmax(part, least), most)), old = 0;
    for (size_t k = 0; k < at->filled; k++)
        old += s->asked[s->order[k]].full + POINTS - 4 < at->points;
    return count > old ? count : old;
}

void inq_tell_full(inq *s, const double *answers)
{
    method *m = &s->base;
    double psi = prox_value(m->psi, m->d, s->cand), objective = inq_mean_of(s, answers) + psi;
    double least = 0.05 * fmax(s->offer[0].falls, 0);
    if (!isfinite(objective) || objective > s->at->objective - least + nothing(s)) {
        refuse(s, answers);
        return;
    }
    double ratio = (s->at->objective - objective) / fmax(s->offer[0].falls, DBL_MIN);
    if (!s->at->secants || (s->at->failures == 0 && ratio > 0.5)) s->at->damping /= 30;
    s->at->flat = objective < s->at->objective ? 0 : s->at->flat + 1;
    if (inq_shares(s)) inq_weigh(s, s->cand, answers);
    m->error = 0;
    inq_move(s, s->cand);
    if (s->at->secants) {
        inq_keep_values(s, answers);
        s->at->growing = 0;
        inq_ask_again(s, inq_in_full(s, 0.25));
        return;
    }
    inq_learn_values(s, answers);
    inq_renew(s);
}
