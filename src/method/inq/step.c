/* inq: steps. The candidates of a model, which of them is tried next, and what values say of it.
 * SPDX-License-Identifier: MIT
 *
 * A step z with damping lambda changes F by
 *
 *     g_new'(z - x) + (z - x)'M(z - x)/2 + psi(z) - psi(x) + 2 phi (1 - s/n),
 *     phi = trace((M + lambda)^-1 Cov(grad f_i))/(2 s),
 *
 * without bias: g_new, the mean over the components that have just entered, does not depend on x. A step of a sample is
 * judged by the change of F over components that are not in it, or over all where these are few; a step of all components
 * by F itself. What comes of a verdict is decided in inq.c. */
#include <float.h>
#include <math.h>

#include "base/dense.h"
#include "base/real.h"
#include "base/rng.h"
#include "base/vec.h"
#include "method/component/accuracy.h"
#include "method/component/sample.h"
#include "method/inq/inq.h"
#include "prox/prox.h"

/* ---- Candidates ---------------------------------------------------------------------------------- */

enum { FIRST = 0, SAFER = 1, BOLDER = 2 }; /* way: which candidates are tried */

static double slope_square(const inq *s, uint64_t i) { return square(s->slope[inq_at(s, i)]); }

void inq_model(inq *s) { inq_kind(s)->foretell(s); }

/* J becomes MIXED sums of its rows with random signs over sqrt(MIXED): of these E trace(J A J') is the same for every A, and all candidates of
 * a round are told by the same ones. Off by sqrt(2/(MIXED r)) of it, where r directions share it; J itself is off by 1/sqrt(SPREAD r). */
static void mix(inq *s)
{
    size_t d = s->base.d, count = s->few;
    double *sign = s->dir, *sums = s->block;
    for (uint32_t e = 0; e < count; e++)
        rng_signs(s->base.set.seed, FOR_SPREAD, 0, e, MIXED, sign + e * MIXED);
    dense_job job = {.m = MIXED,
                     .n = d,
                     .depth = count,
                     .by = 1 / sqrt(MIXED),
                     .a = {sign, 1, MIXED},
                     .b = {s->some, d, 1},
                     .c = sums,
                     .step = d,
                     .fresh = 1};
    dense_product(&job);
    vec_copy(MIXED * d, sums, s->some);
    s->few = MIXED;
}

/* some = J, gradients of count components spread evenly over the sample, less their mean; once a round. */
static void few_gradients(inq *s, size_t count)
{
    const method *m = &s->base;
    const component_kind *kind = inq_kind(s);
    double ridge = kind->has_ridge ? s->ridge.mu : 0;
    if (s->fetched) return;
    for (size_t e = 0; e < count; e++) {
        s->comp[e] = inq_speaker(s, s->plan.order[e * s->sample.filled / count]);
        if (method_mine(m, s->comp[e])) kind->gradient(s, s->comp[e], s->some + e * m->d);
    }
    method_rows(m, count, s->comp, m->d, s->some);
    for (size_t j = 0; j < m->d; j++) s->work[j] = s->g[j] - ridge * m->x[j];
    for (size_t e = 0; e < count; e++) vec_add(m->d, -1, s->work, s->some + e * m->d);
    s->few = count;
    s->fetched = 1;
    if (s->dense && count > 2 * MIXED && m->d > MIXED) mix(s);
}

/* phi, from at most SPREAD components. */
static double spread_of(inq *s, const quad *q, const double *z)
{
    uint64_t size = s->sample.filled;
    size_t count = size < SPREAD ? (size_t)size : SPREAD;
    few_gradients(s, count);
    double sum = quad_spread(q, &s->room, z, s->few, s->some, s->dir);
    if (isnan(sum)) return spread_unknown * s->scale.value;
    return sum / (double)count / (2 * (double)size);
}

/* A curvature to measure damping by: the mean eigenvalue, or where the components do not bend at x (hinges, sigmoids at
 * 0) a little of what they must bend somewhere, steep^2/scale. */
double inq_unit(const inq *s)
{
    double least = least_unit * s->scale.steep * s->scale.steep / s->scale.value;
    return fmax(s->model.bend, least) / (double)s->base.d + s->ridge.mu;
}

/* How exact a sub-problem's solution is: of f's scale, or of what the step gains. */
static quad_effort effort_for(const inq *s, int sweeps, double accuracy)
{
    return (quad_effort){sweeps, accuracy * s->scale.value, s->dense ? step_accuracy : rough_step};
}

/* Candidate k, found from a point start near it. */
static void offer(inq *s, size_t k, double damping, const double *start)
{
    method *m = &s->base;
    double *z = s->cand + k * m->d, *pulled = s->work, more = 0;
    candidate *c = &s->offer[k];
    vec_copy(m->d, start, z);
    quad q = inq_quad(s, damping);
    for (size_t j = 0; j < m->d; j++)
        pulled[j] = s->g[j] + s->step.centred * (m->x[j] - s->centre[j]);
    q.g = pulled;
    quad_solve(&q, &s->room, effort_for(s, SAMPLE_SWEEPS, sample_accuracy), z);
    q.g = s->g;
    *c = (candidate){.damping = damping, .falls = quad_decrease(&q, &s->room, z)};
    c->spread = spread_of(s, &q, z);
    for (size_t j = 0; j < m->d; j++) more += (s->fresh_g[j] - s->g[j]) * (z[j] - m->x[j]);
    if (!inq_rule(s, RULE_NEW_GRADIENT)) more = 0;
    double left = 1 - (double)s->sample.filled / (double)m->n;
    c->expect = -c->falls + (s->sample.rounds ? 0 : more + 2 * c->spread * left);
}

/* Candidates from the most damped on, each found from the one before, until two in a row promise less than the best. */
static void offer_line(inq *s)
{
    double unit = inq_unit(s) * real_pow(boost, (double)s->step.boosts);
    s->step.first = s->step.offers = 0;
    for (size_t k = 0; k < CANDIDATES && k <= s->step.first + NEXT_CANDIDATES; k++) {
        offer(s, k, dampings[k] * unit, k ? s->cand + (k - 1) * s->base.d : s->base.x);
        if (s->offer[k].expect < s->offer[s->step.first].expect) s->step.first = k;
        s->step.offers++;
    }
}

/* Towards the same damped minimizer; two more careful candidates are found when they are asked for. */
static void offer_again(inq *s)
{
    double unit = inq_unit(s), kept = s->step.centred;
    s->step.offers = 3;
    s->step.first = 2;
    s->offer[0] = (candidate){.damping = fmax(safer * kept, safer_unit * unit), .expect = NAN};
    s->offer[1] = (candidate){.damping = fmax(safe * kept, safe_unit * unit), .expect = NAN};
    offer(s, 2, kept, s->base.x);
}

/* cand's first point is the only candidate. */
void inq_offer_point(inq *s)
{
    s->offer[0] = (candidate){.damping = inq_unit(s), .expect = -INFINITY};
    s->step.pick = s->step.best = s->step.first = 0;
    s->step.offers = 1;
    s->step.way = FIRST;
}

void inq_offer(inq *s)
{
    if (s->sample.rounds == 0 || !inq_kind(s)->recentres)
        offer_line(s);
    else
        offer_again(s);
    s->step.pick = s->step.best = s->step.first;
    s->step.way = 0;
}

static void take_up(inq *s, size_t k)
{
    s->step.pick = k;
    if (!isnan(s->offer[k].expect)) return;
    if (!s->modelled) inq_model(s);
    offer(s, k, s->offer[k].damping, s->base.x);
}

void inq_solve_full(inq *s, const double *start)
{
    quad q = inq_quad(s, s->step.damping);
    vec_copy(s->base.d, start, s->cand);
    quad_solve(&q, &s->room, effort_for(s, FULL_SWEEPS, full_accuracy), s->cand);
}

void inq_offer_full(inq *s)
{
    if (isnan(s->step.damping)) s->step.damping = first_damping * inq_unit(s);
    inq_solve_full(s, s->base.x);
    quad q = inq_quad(s, s->step.damping);
    s->offer[0] =
        (candidate){.damping = s->step.damping, .falls = quad_decrease(&q, &s->room, s->cand)};
    s->step.pick = 0;
}

/* |slope u + mu x|^2, but for |mu x|^2 */
static double gradient_square(const inq *s, uint64_t i)
{
    double slope = s->slope[inq_at(s, i)];
    return slope * (slope + 2 * s->ridge.mu * inq_curve(s, i)->now);
}

/* Curves: of s gradients g_i with mean g, the mean of g_i'g_k over i != k beside that of |g_i|^2:
 * (s |g|^2/mean |g_i|^2 - 1)/(s - 1). */
static double alike(inq *s)
{
    const method *m = &s->base;
    double size = (double)s->sample.filled, ridge = square(s->ridge.mu * vec_norm(m->d, m->x));
    double each = inq_total(s, gradient_square) / size + ridge;
    return (size * vec_dot(m->d, s->g, s->g) / each - 1) / (size - 1);
}

/* |x - prox(x - g)|, and what the sample cannot know of it, or g is off by: at least and at most so much. */
int inq_residual(inq *s, double least, double most)
{
    method *m = &s->base;
    double r = prox_residual(m, m->x, 1, s->g, s->work),
           left = 1 - (double)s->sample.filled / (double)m->n;
    double off = fmax(inq_kind(s)->error(s, most), least),
           second = left > 0 ? inq_total(s, slope_square) : 0;
    if (!inq_kind(s)->says_residual && left > 0)
        r = NAN; /* stale gradients of a sample say too little */
    double unseen = DBL_EPSILON * vec_norm(m->d, m->x) * s->model.bend; /* x has no more digits */
    m->residual = sqrt(r * r + off * off +
                       left * second / (double)s->sample.filled / (double)s->sample.filled);
    if (m->residual < unseen) m->residual = unseen;
    return r < off;
}

/* ---- What steps begin with ----------------------------------------------------------------------- */

void inq_no_steps(inq *s) { s->step.damping = NAN; }

void inq_new_sample(inq *s)
{
    s->step.centred = 0;
    s->step.boosts = 0;
}

void inq_new_round_of_all(inq *s)
{
    method *m = &s->base;
    s->step.objective = inq_mean_value(s) + prox_value(m->psi, m->d, m->x);
    if (!s->twins.any) method_offer(m, m->x, s->step.objective); /* else: not all were asked */
    s->step.failures = 0;
}

/* All candidates were too long. */
void inq_boost(inq *s)
{
    s->step.boosts++;
    if (!s->modelled) inq_model(s);
    inq_offer(s);
}

/* offer[pick] is the step that is taken. */
void inq_take(inq *s)
{
    const candidate *c = &s->offer[s->step.pick];
    if (s->sample.rounds == 0 && !inq_all(s) && inq_kind(s)->recentres)
        s->step.centred = c->damping;
    s->step.falls = c->falls;
    s->step.spread = c->spread;
}

/* ---- Who judges --------------------------------------------------------------------------------- */

/* Components that judge a candidate: fresh ones, so many as cost little beside the gradients of the sample. Where hardly
 * more than the least are left, all, the sample with them: few are a poor sample of few, and n values are F itself. */
static uint64_t count_judges(const inq *s)
{
    double least = inq_rule(s, RULE_MANY_JUDGES) ? inq_kind(s)->least_judges : LEAST_FRESH;
    if (s->outliers.state != NO_OUTLIERS) least = MOST_FRESH; /* few lack the few that matter */
    double n = (double)s->base.n, size = (double)s->sample.size;
    if ((n <= MOST_FRESH && n - size <= ALL_JUDGE * least) || nearly_all * size > n)
        return s->base.n;
    return (uint64_t)fmin(fmin(fmax(least, judging_part * size * (double)s->base.d), MOST_FRESH),
                          n - size);
}

/* Few components, of which the sample is so small a part that judging its steps is dear, and whose slopes have little in
 * common: a step would serve the sample alone. What was asked is not lost, the others are asked at the same x. */
int inq_says_little(inq *s)
{
    if (s->spans_on || s->sample.rounds || count_judges(s) < s->base.n ||
        (double)s->sample.size >= inq_least_size(s) || inq_affordable(s) < (double)s->base.n)
        return 0;
    return inq_rule(s, RULE_LITTLE) && !(alike(s) > all_alike);
}

static int all_judge(const inq *s) { return s->step.judges == s->base.n; }

/* Are the values at x of those who judge known? */
int inq_is_judged(inq *s)
{
    s->step.judges = count_judges(s);
    return all_judge(s) && s->step.judged == s->base.step + 1;
}

/* Values at x that steps are judged against: of those who judge, or of all. */
void inq_keep_judgement(inq *s, size_t count, const double *answers)
{
    vec_copy(count, answers, s->fresh);
    s->step.judged = count == s->base.n ? s->base.step + 1 : 0;
}

/* ---- Steps of a sample -------------------------------------------------------------------------- */

typedef struct judgement {
    double mean, error; /* of F(z) - F(x), from fresh components or from all; its standard error */
} judgement;

static judgement judge(const inq *s, const double *answers, double psi_change)
{
    size_t count = (size_t)s->step.judges;
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
    double count = (double)s->step.judges,
           entered = (double)(s->sample.size - (s->sample.rounds ? 0 : s->sample.begin));
    if (all_judge(s)) return j.mean;
    if (inq_doubted(s)) return j.mean + j.error;
    if (fabs(j.mean - expect) > not_as_told * j.error) return j.mean + margin * j.error;
    return (expect * entered + j.mean * count) / (entered + count);
}

/* The next candidate to try, or -1: the first alone if it is as good as expected; else towards more damping
 * while that is better, or if that never was towards less. */
static int next_pick(inq *s)
{
    const candidate *c = &s->offer[s->step.pick];
    int better = c->score < s->offer[s->step.best].score;
    if (better) s->step.best = s->step.pick;
    if (s->step.way == FIRST) {
        if (c->score <= as_expected * c->expect && c->score < 0) return -1;
        s->step.way = SAFER;
        if (s->step.first > 0) return (int)s->step.first - 1;
    } else if (better) {
        if (s->step.way == SAFER) return s->step.pick > 0 ? (int)s->step.pick - 1 : -1;
        return s->step.pick + 1 < s->step.offers ? (int)s->step.pick + 1 : -1;
    }
    if (s->step.way == BOLDER || s->step.best != s->step.first ||
        s->step.first + 1 >= s->step.offers)
        return -1;
    s->step.way = BOLDER;
    return (int)s->step.first + 1;
}

inq_verdict inq_judge_sample(inq *s, const double *answers)
{
    method *m = &s->base;
    candidate *c = &s->offer[s->step.pick];
    const double *z = s->cand + s->step.pick * m->d;
    double change = prox_value(m->psi, m->d, z) - prox_value(m->psi, m->d, m->x);
    judgement said = judge(s, answers, change);
    c->score = score(s, said, c->expect);
    c->error = said.error;
    if (!inq_rule(s, RULE_JUDGES)) c->score = fmin(c->score, -fabs(c->expect));
    if (!isfinite(c->score)) c->score = INFINITY; /* never the one to take */
    int next = next_pick(s);
    if (next >= 0) {
        take_up(s, (size_t)next);
        return ANOTHER;
    }
    int last = s->step.pick == s->step.best;
    s->step.pick = s->step.best;
    c = &s->offer[s->step.best];
    s->step.damping = fmin(c->damping / next_damping, first_damping * inq_unit(s));
    if (c->score >= 0) return s->step.best == 0 ? TOO_LONG : NO_BETTER;
    m->error = c->error;
    return last && all_judge(s) ? BETTER_AS_TOLD : BETTER;
}

/* ---- Steps of all components -------------------------------------------------------------------- */

/* F must fall by a twentieth of what was promised, as far as that can be seen. */
inq_verdict inq_judge_full(inq *s, const double *answers)
{
    method *m = &s->base;
    double psi = prox_value(m->psi, m->d, s->cand), objective = inq_mean_of(s, answers) + psi;
    double least = least_fall * fmax(s->offer[0].falls, 0);
    if (!s->twins.any) method_offer(m, s->cand, objective);
    if (!isfinite(objective) || objective > s->step.objective - least + inq_unseen(s)) {
        s->step.damping = fmax(more_damping * s->step.damping, least_damping * inq_unit(s));
        s->step.failures++;
        return NO_BETTER;
    }
    double ratio = (s->step.objective - objective) / fmax(s->offer[0].falls, DBL_MIN);
    if (inq_kind(s)->trusts_steps || (s->step.failures == 0 && ratio > good_fall))
        s->step.damping /= less_damping;
    s->step.flat = objective < s->step.objective ? 0 : s->step.flat + 1;
    m->error = 0;
    return BETTER;
}
