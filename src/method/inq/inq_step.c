/* inq: steps. Which candidate is tried next, and what values say of it.
 * SPDX-License-Identifier: MIT
 *
 * A step of a sample is judged by the change of F over components that are not in it, or over all where these are few; a step
 * of all components by F itself. What comes of a verdict is decided in inq.c. */
#include <float.h>
#include <math.h>

#include "base/vec.h"
#include "method/inq/inq.h"
#include "prox/prox.h"

/* ---- Who judges --------------------------------------------------------------------------------- */

/* Components that judge a candidate: fresh ones, so many as cost little beside the gradients of the sample. Where hardly
 * more than the least are left, all, the sample with them: few are a poor sample of few, and n values are F itself. */
uint64_t inq_judges(const inq *s)
{
    const struct progress *at = s->at;
    double least =
        at->secants ? FRESH_FOR_SPANS : LEAST_FRESH; /* few miss what hardly any component sees */
    double n = (double)s->base.n, size = (double)at->size;
    if (n <= MOST_FRESH && n - size <= 2 * least) return s->base.n;
    return (uint64_t)fmin(fmin(fmax(least, judging_part * size * (double)s->base.d), MOST_FRESH),
                          n - size);
}

/* Few components, of which the sample is so small a part that judging its steps is dear, and whose slopes have little in
 * common: a step would serve the sample alone. What was asked is not lost, the others are asked at the same x. */
int inq_says_little(inq *s)
{
    const struct progress *at = s->at;
    if (at->secants || at->rounds || inq_judges(s) < s->base.n) return 0;
    if ((double)at->size >= inq_least_size(s) || inq_affordable(s) < (double)s->base.n) return 0;
    return !(inq_alike(s) > all_alike);
}

/* ---- Steps of a sample -------------------------------------------------------------------------- */

typedef struct judgement {
    double mean, error; /* of F(z) - F(x), from fresh components or from all; its standard error */
} judgement;

int inq_all_judge(const inq *s) { return s->at->fresh == s->base.n; }

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
    return (judgement){mean + psi_change, inq_all_judge(s) ? 0 : sqrt(spread / (double)count)};
}

/* What to go by: the expectation and the values together where they agree, else, or where the model is doubted, the values,
 * with a margin. */
static double score(const inq *s, judgement j, double expect)
{
    double count = (double)s->at->fresh,
           entered = (double)(s->at->size - (s->at->rounds ? 0 : s->at->begin));
    if (inq_all_judge(s)) return j.mean;
    if (inq_doubted(s)) return j.mean + j.error;
    if (fabs(j.mean - expect) > not_as_told * j.error) return j.mean + margin * j.error;
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
        if (c->score <= as_expected * c->expect && c->score < 0) return -1;
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

inq_verdict inq_judge_sample(inq *s, const double *answers)
{
    method *m = &s->base;
    struct progress *at = s->at;
    candidate *c = &s->offer[at->pick];
    const double *z = s->cand + at->pick * m->d;
    double change = prox_value(m->psi, m->d, z) - prox_value(m->psi, m->d, m->x);
    judgement said = judge(s, answers, change);
    c->score = score(s, said, c->expect);
    c->error = said.error;
    if (!isfinite(c->score)) c->score = INFINITY; /* never the one to take */
    int next = next_pick(s);
    if (next >= 0) {
        inq_take_up(s, (size_t)next);
        return ANOTHER;
    }
    int last = at->pick == at->best;
    at->pick = at->best;
    c = &s->offer[at->best];
    at->damping = fmin(c->damping / next_damping, first_damping * inq_unit(s));
    if (c->score >= 0) return at->best == 0 ? TOO_LONG : NO_BETTER;
    m->error = c->error;
    return last && inq_all_judge(s) ? BETTER_AS_TOLD : BETTER;
}

/* ---- Steps of all components -------------------------------------------------------------------- */

/* F must fall by a twentieth of what was promised, as far as that can be seen. */
inq_verdict inq_judge_full(inq *s, const double *answers)
{
    method *m = &s->base;
    struct progress *at = s->at;
    double psi = prox_value(m->psi, m->d, s->cand), objective = inq_mean_of(s, answers) + psi;
    double least = least_fall * fmax(s->offer[0].falls, 0);
    if (!isfinite(objective) || objective > at->objective - least + inq_unseen(s)) {
        at->damping = fmax(more_damping * at->damping, least_damping * inq_unit(s));
        at->failures++;
        return NO_BETTER;
    }
    double ratio = (at->objective - objective) / fmax(s->offer[0].falls, DBL_MIN);
    if (!at->secants || (at->failures == 0 && ratio > good_fall)) at->damping /= less_damping;
    at->flat = objective < at->objective ? 0 : at->flat + 1;
    m->error = 0;
    return BETTER;
}
