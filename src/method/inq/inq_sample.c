/* inq: steps of a sample, judged by values of components that are not in it, or of all where these are few.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/vec.h"
#include "method/inq/inq.h"
#include "prox/prox.h"

enum { MOST_SPAN_ROUNDS = 12 };

typedef struct judgement {
    double mean, error; /* of F(z) - F(x), from fresh components or from all; its standard error */
} judgement;

static int all_judge(const inq *s) { return s->at->fresh == s->base.n; }

static judgement judge(const inq *s, const double *answers, double psi_change)
{
    size_t count = (size_t)s->at->fresh;
    double sum = 0, square = 0;
    for (size_t e = 0; e < count; e++) {
        double change = answers[e] - s->fresh[e];
        sum += change;
        square += change * change;
    }
    double mean = sum / (double)count, spread = fmax(square / (double)count - mean * mean, 0);
    return (judgement){mean + psi_change, all_judge(s) ? 0 : sqrt(spread / (double)count)};
}

/* What to go by: the expectation and the values together where they agree, else, or where the model is doubted, the values,
 * with a margin. */
static double score(const inq *s, judgement j, double expect)
{
    double count = (double)s->at->fresh,
           entered = (double)(s->at->size - (s->at->rounds ? 0 : s->at->begin));
    if (all_judge(s)) return j.mean;
    if (inq_doubted(s)) return j.mean + j.error;
    if (fabs(j.mean - expect) > 2 * j.error) return j.mean + 0.5 * j.error;
    return (expect * entered + j.mean * count) / (entered + count);
}

enum { FIRST = 0, SAFER = 1, BOLDER = 2 }; /* way: which candidates are tried */

/* The next candidate to try, or -1: the first alone if it is as good as expected; else towards more damping
 * while that is better, or if that never was towards less. */
static int next_pick(inq *s)
{
    struct progress *at = s->at;
    const candidate *c = &s->offer[at->pick];
    int better = c->score < s->offer[at->best].score;
    if (better) at->best = at->pick;
    if (at->way == FIRST) {
        if (c->score <= 0.5 * c->expect && c->score < 0) return -1;
        at->way = SAFER;
        if (at->first > 0) return (int)at->first - 1;
    } else if (better) {
        if (at->way == SAFER) return at->pick > 0 ? (int)at->pick - 1 : -1;
        return at->pick + 1 < at->offers ? (int)at->pick + 1 : -1;
    }
    if (at->way == BOLDER || at->best != at->first || at->first + 1 >= at->offers) return -1;
    at->way = BOLDER;
    return (int)at->first + 1;
}

/* Spans: the same sample again while steps are worth more than the next sample's error, longer where spans are known and
 * a round costs little; else so many of its components as the matrix needs, a quarter at
 * most, and a larger one. */
static void after_sample_step(inq *s)
{
    struct progress *at = s->at;
    uint64_t again = inq_in_full(s, 1), need = inq_shares(s) ? CHECKED : 4 * s->base.d;
    int dear = 4 * again > at->filled;
    at->growing = at->falls < 3 * at->spread || at->rounds >= (dear ? 3 : MOST_SPAN_ROUNDS) ||
                  (dear ? 4 : 2) * at->size > s->base.n;
    uint64_t part = (at->filled + 3) / 4; /* new components are worth more than old ones again */
    if (at->growing && !inq_guessed(s)) again = need < part ? need : part;
    inq_ask_again(s, again);
}

/* No candidate is better than x: all of them were too long, or the sample is too small. */
static void refuse_sample(inq *s)
{
    struct progress *at = s->at;
    if (at->rounds || at->best != 0 || at->boosts >= 3) {
        inq_grow(s);
        return;
    }
    at->boosts++;
    if (!s->modelled) inq_model(s);
    inq_offer(s);
}

/* What judged this step is what the next one is judged against. */
static void keep_judgement(inq *s, const double *answers)
{
    vec_copy(s->base.n, answers, s->fresh);
    s->at->judged = s->base.step + 1;
}

void inq_tell_try(inq *s, const double *answers)
{
    method *m = &s->base;
    struct progress *at = s->at;
    candidate *c = &s->offer[at->pick];
    double *z = s->cand + at->pick * m->d;
    double change = prox_value(m->psi, m->d, z) - prox_value(m->psi, m->d, m->x);
    judgement said = judge(s, answers, change);
    c->score = score(s, said, c->expect);
    c->error = said.error;
    if (!isfinite(c->score)) c->score = INFINITY; /* never the one to take */
    int next = next_pick(s);
    if (next >= 0) {
        inq_take_up(s, (size_t)next);
        return;
    }
    uint64_t last = at->pick;
    c = &s->offer[at->best];
    at->pick = at->best;
    at->damping = fmin(c->damping / 100, 1e-2 * inq_unit(s));
    if (c->score >= 0) {
        refuse_sample(s);
        return;
    }
    m->error = c->error;
    int told =
        all_judge(s) && last == at->pick; /* the answers are the values of all at the new x */
    inq_move(s, s->cand + at->pick * m->d);
    m->stage = ASK_VALUE;
    if (told) keep_judgement(s, answers);
    if (at->secants) {
        after_sample_step(s);
    } else if (told) {
        inq_learn_values(s, answers);
        inq_renew(s);
    }
}
