/* inq: components of one index. What is asked to keep their curves true: values, renewals, new directions, spot checks.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "method/component/accuracy.h"
#include "method/component/sample.h"
#include "method/component/row.h"
#include "method/curves/curves.h"

/* Curves in doubt, if there are any. */
static inq_next renew(inq *s)
{
    if (s->plan.queued == 0) return curves_renewed(s);
    return inq_go(s, ASK_RENEW);
}

/* ---- New components ------------------------------------------------------------------------------- */

/* Where the first directions are not yet tilted by the ridge, it is measured across them. */
static int shows_ridge(const inq *s)
{
    const method *m = &s->base;
    return s->sample.begin == 0 && s->sample.size > 1 && m->d > 2 && m->set.own && !m->bounds &&
           !(m->set.noise > 0) && inq_rule(s, RULE_ACROSS);
}

static inq_next entered(inq *s)
{
    if (s->points.count == 1 || !inq_measured(s)) inq_measure(s);
    return inq_lend_sample(s) ? ASKED : inq_go(s, shows_ridge(s) ? ASK_ACROSS : ASK_BEND);
}

inq_next curves_ridge_told(inq *s)
{
    if (s->check.count > 0) return renew(s);
    s->upkeep.origin =
        s->check.one && vec_norm(s->base.d, s->base.x) > 0 && inq_rule(s, RULE_ORIGIN);
    inq_measure(s);
    return inq_go(s, ASK_BEND);
}

/* From a start far from 0 a sample of fewer components than dimensions leaves x where it is in most of them. Where each component is a
 * function of one index, but for a ridge, the place that the ridge and psi draw x to is tried first. */
int curves_offer_origin(inq *s)
{
    if (!s->upkeep.origin) return 0;
    s->upkeep.origin = 2;
    vec_zero(s->base.d, s->work);
    method_prox(&s->base, 1, s->work, s->cand);
    return 1;
}

int curves_close_origin(inq *s)
{
    int tried = s->upkeep.origin > 0;
    s->upkeep.origin = 0;
    return tried;
}

/* Those that were asked at the start are needed at x. */
static inq_next enter(inq *s)
{
    plan_clear_tail(&s->plan);
    if (inq_leave_start(s)) {
        inq_project(s);
        return inq_go(s, ASK_ENTER);
    }
    s->upkeep.entering = 0;
    return ROUND;
}

/* What could not be recovered is asked in full. */
static inq_next after_recovery(inq *s)
{
    s->upkeep.entering = 1;
    return s->plan.tail ? inq_go(s, ASK_REDO) : enter(s);
}

inq_next curves_entered(inq *s, const double *answers)
{
    inq_learn_values(s, answers);
    return renew(s);
}

/* ---- After a step: values, and who is asked again ------------------------------------------------- */

static inq_next after_sample(inq *s, const double *answers)
{
    if (!answers) return inq_go(s, ASK_VALUE);
    inq_learn_values(s, answers);
    return renew(s);
}

/* A round is over: with a small promise beside the statistical error, the sample has no more to say. */
static inq_next end_round(const inq *s)
{
    int enough = s->step.falls < little_promise * s->step.spread || s->sample.rounds >= MOST_ROUNDS;
    return !inq_all(s) && enough ? LARGER : ROUND;
}

/* Points that directions are found at can be kept; the last places are for larger samples. */
static int has_room(const inq *s) { return s->points.count < POINTS - LAST_POINTS; }

inq_next curves_renewed(inq *s)
{
    plan_clear(&s->plan);
    if (s->plan.tail && has_room(s)) {
        inq_keep_point(s);
        return inq_go(s, ASK_REDO);
    }
    if (s->upkeep.entering) {
        s->upkeep.entering = 0;
        return ROUND;
    }
    int due = s->sample.rounds == 1 && (s->check.count < MOST_CHECKS || inq_all(s));
    if (!due || s->base.step == s->upkeep.checked) return end_round(s);
    s->upkeep.checked = s->base.step;
    return inq_go(s, ASK_CHECK);
}

inq_next curves_redone(inq *s)
{
    twins_redone(s);
    return inq_go(s, ASK_REBEND);
}

inq_next curves_bent_again(inq *s)
{
    if (s->upkeep.entering) return enter(s);
    plan_clear_tail(&s->plan);
    return curves_renewed(s);
}

/* ---- Spot checks: do components have one direction each? And how large is mu? ---------------------- */

inq_next curves_checked(inq *s, const double *answers)
{
    inq_learn_check(s, answers);
    int misfits = s->check.misfit > most_misfit,
        poor = s->check.error > mu_known * (s->ridge.mu + s->check.more);
    if (misfits && inq_sketched(s)) return inq_go(s, ASK_CHECK);
    if (poor && inq_rule(s, RULE_ACROSS) && !misfits && s->base.set.own &&
        !(s->base.set.noise > 0) && s->base.fan.ncomp > 1)
        return inq_go(s, ASK_ACROSS);
    if (misfits && !(s->base.set.noise > rounded_only * s->scale.value)) return OTHER;
    if (!isnan(s->check.more)) inq_correct_mu(s, s->check.more, s->check.error);
    inq_settle_radius(s);
    return renew(s);
}

/* ---- The kind ------------------------------------------------------------------------------------- */

/* Steps are refused: all curves are asked again, once at x. */
static inq_next refused(inq *s)
{
    if (s->step.failures != CURVES_DOUBTED || s->upkeep.renewed == s->base.step + 1 ||
        !inq_rule(s, RULE_RENEWALS))
        return RETRY;
    s->upkeep.renewed = s->base.step + 1;
    plan_clear(&s->plan);
    plan_clear_tail(&s->plan);
    for (uint64_t i = 0; i < s->base.n; i++)
        if (inq_speaker(s, i) == i) plan_add(&s->plan, i);
    return renew(s);
}

static inq_next rest(inq *s)
{
    (void)s;
    return ENDED;
}

static inq_next prepare(inq *s)
{
    inq_measure_again(s);
    return ROUND;
}

static void gradient(const inq *s, uint64_t i, double *to)
{
    inq_row_put(s, i, s->slope[inq_at(s, i)], to);
}

/* Curves are renewed where their slopes are off by more than F shows: a part of that is common to all. */
static double common_error(const inq *s, double most)
{
    return fmin(common_part * slope_seen * sqrt(s->scale.value * s->model.bend), most);
}

const component_kind curve_kind = {.name = "curve",
                                   .foretell = inq_curve_model,
                                   .gradient = gradient,
                                   .error = common_error,
                                   .learn_gradients = inq_learn_gradient,
                                   .learn_values = inq_learn_values,
                                   .learn_recovered = curves_learn_recovered,
                                   .twins = twins_match,
                                   .moved = inq_project,
                                   .entered = entered,
                                   .recovered = after_recovery,
                                   .prepare = prepare,
                                   .after_sample = after_sample,
                                   .after_all = renew,
                                   .after_values = renew,
                                   .rest = rest,
                                   .refused = refused,
                                   .least_judges = LEAST_FRESH,
                                   .keeps_points = 1,
                                   .recentres = 1,
                                   .has_ridge = 1,
                                   .says_residual = 1,
                                   .trusts_steps = 1};
