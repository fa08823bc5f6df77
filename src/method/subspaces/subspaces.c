/* inq: components of several indices. Who is asked in full, who along spans, and when the sample grows.
 * SPDX-License-Identifier: MIT */
#include "method/component/row.h"
#include "method/component/sample.h"
#include "method/subspaces/evidence.h"
#include "method/subspaces/span.h"
#include "method/subspaces/subspaces.h"

/* ---- After a step: some in full, the others along their spans --------------------------------------- */

inq_next subspaces_renewed(inq *s) { return s->spanning.growing ? LARGER : ROUND; }

/* What was not asked in full at x is asked along its own directions. */
static inq_next ask_along(inq *s)
{
    plan_clear(&s->plan);
    if (!inq_shares(s) && s->base.set.own && inq_rule(s, RULE_ALONG)) {
        if (!inq_at_last_point(s)) inq_keep_point(s);
        inq_mark_stale(s);
        plan_by_rank(&s->plan, s->plan.order, s->sample.filled, s->marks);
    }
    return s->plan.queued ? inq_go(s, ASK_SPAN) : subspaces_renewed(s);
}

/* So many components that were asked longest ago are asked in full at x. */
static inq_next ask_again(inq *s, uint64_t count, uint64_t growing)
{
    s->spanning.growing = growing;
    int beside = inq_asks_beside(s);
    if (beside && inq_beside_count(s) > count) count = inq_beside_count(s);
    inq_plan_stalest(s, count);
    if (!s->plan.queued) return ask_along(s);
    plan_clear_tail(&s->plan);
    if (beside) return inq_go(s, ASK_BESIDE);
    inq_begin_evidence(s);
    return inq_go(s, ASK_AGAIN);
}

/* Those that depend on other coordinates, too, are asked in full, as many as would have been. */
inq_next subspaces_beside(inq *s)
{
    plan_take_tail(&s->plan, inq_in_full(s, 1));
    inq_begin_evidence(s);
    return s->plan.queued ? inq_go(s, ASK_AGAIN) : ask_along(s);
}

inq_next subspaces_told(inq *s)
{
    inq_end_evidence(s);
    return ask_along(s);
}

/* The same sample again while steps are worth more than the next sample's error; else so many of its components as the
 * matrix needs, a quarter at most, and a larger one. */
static inq_next after_sample(inq *s, const double *answers)
{
    uint64_t need = inq_shares(s) ? CHECKED : (uint64_t)matrix_rows * s->base.d,
             part = (s->sample.filled + ASKED_PART - 1) /
                    ASKED_PART; /* new components are worth more than old ones */
    uint64_t growing = s->step.falls < span_promise * s->step.spread ||
                       s->sample.rounds >= MOST_SPAN_ROUNDS ||
                       ASKED_PART * s->sample.size > s->base.n;
    (void)answers;
    if (!growing || inq_guessed(s)) return ask_again(s, inq_in_full(s, 1), growing);
    return ask_again(s, need < part ? need : part, 1);
}

static inq_next after_all(inq *s) { return ask_again(s, inq_in_full(s, most_in_full), 0); }

static inq_next after_recovery(inq *s) { return s->plan.tail ? inq_go(s, ASK_REST) : ROUND; }

inq_next subspaces_rest_told(inq *s)
{
    plan_clear_tail(&s->plan);
    return ROUND;
}

/* ---- Before a step, and where none is taken --------------------------------------------------------- */

/* With every sample, three times more with all; not where spans hold all there is. */
static int scale_due(const inq *s)
{
    if (inq_guessed(s) || inq_shares(s) || s->scaling.step == s->base.step + 1) return 0;
    return !inq_all(s) || s->scaling.times < MOST_SCALINGS || s->step.failures > 0;
}

/* What is measured first. */
static inq_next prepare(inq *s)
{
    if (inq_guessed(s)) scaling_complete(s);
    if (curvature_due(s)) return inq_go(s, ASK_CURVATURE);
    if (inq_whole_due(s)) return inq_go(s, ASK_WHOLE);
    if (scale_due(s) && inq_choose_scaled(s)) {
        subspace_kind.foretell(s);
        inq_scale_directions(s);
        return inq_go(s, ASK_SCALE);
    }
    if (inq_mean_due(s))
        return inq_leave(s, "mean", "components have little structure of their own");
    if (inq_all(s) && !inq_valued(s) && !inq_all_told(s)) return inq_go(s, ASK_VALUE);
    return ROUND;
}

/* Another quarter, as long as there are gradients that were not asked at x. */
static inq_next ask_rest(inq *s, inq_next else_next)
{
    uint64_t count = (s->base.n + ASKED_PART - 1) / ASKED_PART;
    inq_plan_stalest(s, count);
    return s->plan.queued ? ask_again(s, count, 0) : else_next;
}

static inq_next rest(inq *s) { return ask_rest(s, ENDED); }

static inq_next refused(inq *s)
{
    if (s->step.failures != SPANS_DOUBTED || inq_guessed(s)) return RETRY;
    return ask_rest(s, RETRY);
}

/* ---- The kind ------------------------------------------------------------------------------------- */

/* Spans are learnt from gradients that are asked again. Where one gradient does not give them away, and less is left than it takes until
 * they are worth something, random directions do more with it. */
static int spans_pay(const inq *s)
{
    const method *m = &s->base;
    double left = m->set.horizon - (double)s->sample.asked;
    return s->shape.kind || !(m->set.horizon > 0) || !inq_rule(s, RULE_GIVES_WAY) ||
           left >= least_for_spans * (double)m->n * (double)m->d ||
           !method_may_follow(m, "zosgd", NULL);
}

/* From curves: everything is asked again at x. What such a check says of mu is worth nothing; it is seen across spans. */
inq_next subspaces_enter(inq *s, const double *answers)
{
    if (inq_squares_due(s)) return inq_leave(s, "lm", "components bend along several directions");
    if (!inq_widen(s)) return inq_outgrown(s);
    inq_enter_spans(s, answers);
    if (!spans_pay(s)) return inq_leave(s, "zosgd", "too few gradients can be paid for");
    s->spanning.entered = s->sample.asked;
    return ask_again(s, s->shape.kind ? inq_in_full(s, 1) : s->sample.filled, 0);
}

/* The last that was asked. */
static void gradient(const inq *s, uint64_t i, double *to) { inq_row_put(s, i, 1, to); }

const component_kind subspace_kind = {.name = "subspace",
                                      .foretell = inq_span_model,
                                      .gradient = gradient,
                                      .error = inq_span_error,
                                      .learn_gradients = inq_learn_again,
                                      .learn_values = inq_keep_values,
                                      .learn_recovered = subspaces_learn_recovered,
                                      .entered = inq_round,
                                      .recovered = after_recovery,
                                      .prepare = prepare,
                                      .after_sample = after_sample,
                                      .after_all = after_all,
                                      .after_values = inq_round,
                                      .rest = rest,
                                      .refused = refused,
                                      .least_judges = FRESH_FOR_SPANS};
