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
 *     sample = twice as large; all: until the promise vanishes
 *
 * This file is that loop. Every question is a row of phases: what its answers teach, and what comes next once all of
 * them are in. Other files learn and judge; none of them says what is asked next. */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "method/core/rows.h"
#include "method/inq/component.h"
#include "method/inq/evidence.h"
#include "method/inq/row.h"
#include "method/inq/ridge.h"
#include "method/inq/supports.h"
#include "prox/prox.h"

static void begin_round(inq *s);
static void begin_full(inq *s);
static void renew(inq *s);
static void enter(inq *s);

/* What is asked next: of those that the question names, of new components, of the queue, of its tail. */
static void go(inq *s, uint64_t stage)
{
    s->base.stage = stage;
    plan_once(&s->plan);
}

static void go_over_new(inq *s, uint64_t stage)
{
    s->base.stage = stage;
    plan_over(&s->plan, OF_ORDER, s->sample.begin, s->sample.size);
}

static void go_over_queue(inq *s, uint64_t stage)
{
    s->base.stage = stage;
    plan_queue(&s->plan);
}

static void go_over_tail(inq *s, uint64_t stage)
{
    s->base.stage = stage;
    plan_tail(&s->plan);
}

/* ---- The end ------------------------------------------------------------------------------------- */

static void leave(inq *s, const char *why)
{
    method_hand_over(&s->base, "mean", why)->noise = s->base.set.noise;
    s->base.stage = ASK_NOTHING;
}

/* Noise: what components can tell one by one is lost in it; their mean is not yet. */
static void leave_to_mean(inq *s)
{
    leave(s, "their noise");
    s->base.ended = ZO_AT_NOISE;
    if (s->sample.filled == 0) return;
    inq_model(s);
    for (size_t j = 0; j < s->base.d; j++) s->full[j * s->base.d + j] += s->ridge.mu;
    s->base.next.curvature = s->full;
    s->base.next.guessed = inq_doubted(s);
}

static void finish(inq *s)
{
    s->base.stage = ASK_NOTHING;
    if (!(s->base.set.noise > 0)) return;
    s->base.ended = ZO_AT_NOISE;
    if (s->dense && !supports_by_curves(s)) leave_to_mean(s);
}

/* ---- The sample ---------------------------------------------------------------------------------- */

/* Twice as large, or all; as far as the horizon pays for it. */
static void grow(inq *s)
{
    method *m = &s->base;
    int recovers = inq_begin_recovery(s);
    double next = 2 * (double)s->sample.size, most = inq_affordable(s);
    if (nearly_all * next > (double)m->n) next = (double)m->n;
    if (next > most) next = most;
    if (inq_all(s) || next <= (double)s->sample.size ||
        (s->points.count >= POINTS && inq_kind(s)->keeps_points)) {
        finish(s);
        return;
    }
    s->sample.begin = s->sample.size;
    s->sample.size = (uint64_t)next;
    if (recovers)
        go(s, ASK_RECOVER);
    else
        go_over_new(s, ASK_GRADIENT);
}

/* New components begin to enter. */
static void begin_stage(inq *s)
{
    if (!s->start.there && (!s->spans_on || !inq_at_last_point(s))) inq_keep_point(s);
    vec_copy(s->base.d, s->base.x, s->centre);
    s->sample.rounds = 0;
    inq_new_sample(s);
}

/* What cannot be recovered is asked in full. */
static void learn_recovered(inq *s, const double *answers)
{
    if (s->recovery.at->cursor == 0) begin_stage(s);
    if (!inq_learn_recovered(s, answers)) return;
    s->sample.filled = s->sample.size;
    s->sample.entering = 1;
    if (s->plan.tail)
        go_over_tail(s, ASK_REDO);
    else
        enter(s);
}

/* At the start they were, and at x they are needed. */
static void enter(inq *s)
{
    plan_clear_tail(&s->plan);
    if (inq_leave_start(s)) {
        inq_project(s);
        go(s, ASK_ENTER);
    } else {
        s->sample.entering = 0;
        begin_round(s);
    }
}

static void learn_entered(inq *s, const double *answers)
{
    inq_learn_values(s, answers);
    renew(s);
}

static void learn_gradients(inq *s, const double *answers)
{
    method *m = &s->base;
    if (s->sample.filled == s->sample.begin) begin_stage(s);
    inq_kind(s)->learn_gradients(s, answers);
    s->sample.filled += m->fan.ncomp;
}

static void after_gradients(inq *s)
{
    if (s->spans_on) {
        begin_round(s);
        return;
    }
    if (s->points.count == 1) inq_measure(s);
    if (!supports_begin(s)) go_over_new(s, ASK_BEND);
}

/* ---- A round: the model at x, and the steps it offers --------------------------------------------- */

/* Spans: what is measured before a step. 1: it is asked for. */
static int measures_first(inq *s)
{
    if (!s->spans_on) return 0;
    if (inq_guessed(s)) ridge_spans_complete(s);
    if (inq_whole_due(s)) {
        go(s, ASK_WHOLE);
        return 1;
    }
    if (inq_scale_due(s) && inq_choose_scaled(s)) {
        inq_model(s);
        inq_scale_directions(s);
        go(s, ASK_SCALE);
        return 1;
    }
    if (inq_mean_due(s)) {
        leave(s, "components have little structure of their own");
        return 1;
    }
    if (inq_all(s) && s->points.valued != s->base.step + 1 && !inq_all_told(s)) {
        go(s, ASK_VALUE);
        return 1;
    }
    return 0;
}

static void begin_round(inq *s)
{
    s->fetched = 0;
    if (measures_first(s)) return;
    if (inq_all(s)) {
        inq_new_round_of_all(s);
        begin_full(s);
        return;
    }
    inq_model(s);
    if (inq_says_little(s)) {
        grow(s);
        return;
    }
    inq_residual(s);
    inq_offer(s);
    go(s, inq_is_judged(s) ? ASK_TRY : ASK_FRESH);
}

static void move(inq *s, const double *z)
{
    method *m = &s->base;
    inq_take(s);
    s->sample.rounds++;
    vec_copy(m->d, z, m->x);
    s->modelled = 0;
    m->step++;
    inq_kind(s)->moved(s);
}

/* ---- Spans after a step: some in full, the others along their spans -------------------------------- */

static void after_spans(inq *s)
{
    if (s->sample.growing)
        grow(s);
    else
        begin_round(s);
}

/* What was not asked in full at x is asked along its own directions. */
static void ask_along(inq *s)
{
    plan_clear(&s->plan);
    if (!inq_shares(s) && s->base.set.own && inq_rule(s, RULE_ALONG)) {
        if (!inq_at_last_point(s)) inq_keep_point(s);
        inq_mark_stale(s);
        plan_by_rank(&s->plan, s->plan.order, s->sample.filled, s->marks);
    }
    go_over_queue(s, ASK_SPAN);
    if (s->plan.queued == 0) after_spans(s);
}

/* So many components that were asked longest ago are asked in full at x. */
static void ask_again(inq *s, uint64_t count)
{
    inq_plan_stalest(s, count);
    go_over_queue(s, ASK_AGAIN);
    if (s->plan.queued)
        inq_begin_evidence(s);
    else
        ask_along(s);
}

static void after_again(inq *s)
{
    inq_end_evidence(s);
    ask_along(s);
}

/* The same sample again while steps are worth more than the next sample's error; else so many of its components as the
 * matrix needs, a quarter at most, and a larger one. */
static void again_after_sample_step(inq *s)
{
    uint64_t need = inq_shares(s) ? CHECKED : (uint64_t)matrix_rows * s->base.d,
             part = (s->sample.filled + 3) / 4; /* new components are worth more than old ones */
    s->sample.growing = s->step.falls < span_promise * s->step.spread ||
                        s->sample.rounds >= MOST_SPAN_ROUNDS || 4 * s->sample.size > s->base.n;
    int all = !s->sample.growing || inq_guessed(s);
    ask_again(s, all ? inq_in_full(s, 1) : need < part ? need : part);
}

/* ---- Curves after a step: doubt, renewal, spot checks --------------------------------------------- */

static void next_round(inq *s)
{
    int enough = s->step.falls < little_promise * s->step.spread || s->sample.rounds >= MOST_ROUNDS;
    if (!inq_all(s) && enough)
        grow(s);
    else
        begin_round(s);
}

static void after_renewal(inq *s)
{
    plan_clear(&s->plan);
    if (s->plan.tail && inq_has_room(s)) {
        inq_keep_point(s);
        go_over_tail(s, ASK_REDO);
        return;
    }
    if (s->sample.entering) {
        s->sample.entering = 0;
        begin_round(s);
        return;
    }
    int due = s->sample.rounds == 1 && (s->check.count < MOST_CHECKS || inq_all(s));
    if (due && s->base.step != s->sample.checked) {
        s->sample.checked = s->base.step;
        go(s, ASK_CHECK);
    } else {
        next_round(s);
    }
}

static void renew(inq *s)
{
    go_over_queue(s, ASK_RENEW);
    if (s->plan.queued == 0) after_renewal(s);
}

static void after_redo(inq *s) { go_over_tail(s, ASK_REBEND); }

static void after_rebend(inq *s)
{
    if (s->sample.entering) {
        enter(s);
        return;
    }
    plan_clear_tail(&s->plan);
    after_renewal(s);
}

/* From curves to spans: everything is asked again at x. What such a check says of mu is worth nothing; it is seen across
 * spans. */
static void enter_spans(inq *s, const double *answers)
{
    inq_widen(s);
    inq_enter_spans(s, answers);
    s->sample.entered = s->sample.asked;
    s->sample.growing = 0;
    ask_again(s, s->shape.kind ? inq_in_full(s, 1) : s->sample.filled);
}

/* Do components have one direction each? And how large is mu? */
static void learn_check(inq *s, const double *answers)
{
    inq_learn_check(s, answers);
    int misfits = s->check.misfit > most_misfit,
        poor = s->check.error > mu_known * (s->ridge.mu + s->check.more);
    if (poor && inq_rule(s, RULE_ACROSS) && !misfits && s->base.set.own &&
        !(s->base.set.noise > 0) && s->base.fan.ncomp > 1) {
        go(s, ASK_ACROSS);
        return;
    }
    if (misfits && !(s->base.set.noise > rounded_only * s->scale.value)) {
        enter_spans(s, answers);
        return;
    }
    if (!isnan(s->check.more)) inq_correct_mu(s, s->check.more, s->check.error);
    inq_settle_radius(s);
    renew(s);
}

/* ---- Steps ------------------------------------------------------------------------------------------ */

static void learn_fresh(inq *s, const double *answers)
{
    inq_keep_judgement(s, s->base.fan.ncomp, answers);
    go(s, ASK_TRY);
}

/* No candidate is better than x: all of them were too long, or the sample is too small. */
static void refuse_sample(inq *s, inq_verdict said)
{
    if (said != TOO_LONG || s->sample.rounds || s->step.boosts >= MOST_BOOSTS ||
        !inq_rule(s, RULE_BOOSTS)) {
        grow(s);
        return;
    }
    inq_boost(s);
}

/* told: the answers are the values of all components at the new x, and what the next step is judged against. */
static void step_of_sample(inq *s, const double *answers, int told)
{
    move(s, s->cand + s->step.pick * s->base.d);
    if (told) inq_keep_judgement(s, s->base.n, answers);
    if (s->spans_on) {
        again_after_sample_step(s);
    } else if (told) {
        inq_learn_values(s, answers);
        renew(s);
    } else {
        go(s, ASK_VALUE);
    }
}

static void step_of_all(inq *s, const double *answers)
{
    if (inq_shares(s) && inq_rule(s, RULE_WEIGH)) inq_weigh(s, s->cand, answers);
    move(s, s->cand);
    inq_kind(s)->learn_values(s, answers);
    if (s->spans_on) {
        s->sample.growing = 0;
        ask_again(s, inq_in_full(s, most_in_full));
    } else {
        renew(s);
    }
}

/* Nothing more is promised: with spans, only by gradients that were all asked at x. */
static void ask_rest(inq *s)
{
    s->sample.growing = 0;
    if (s->spans_on) inq_plan_stalest(s, (s->base.n + 3) / 4);
    if (s->spans_on && s->plan.queued)
        ask_again(s, (s->base.n + 3) / 4);
    else
        finish(s);
}

static void begin_full(inq *s)
{
    inq_model(s);
    inq_residual(s);
    inq_offer_full(s);
    go(s, ASK_TRY);
    if (s->step.flat >= MOST_FLAT)
        finish(s);
    else if (!(s->offer[0].falls > inq_unseen(s)))
        ask_rest(s);
}

/* What the model knows at x is asked again, curves all, of spans another quarter; then more damping. 1: it is asked. */
static int doubts_model(inq *s)
{
    if (!s->spans_on) {
        if (s->step.failures != CURVES_DOUBTED || s->sample.renewed == s->base.step + 1 ||
            !inq_rule(s, RULE_RENEWALS))
            return 0;
        s->sample.renewed = s->base.step + 1;
        plan_add_all(&s->plan);
        renew(s);
        return 1;
    }
    if (s->step.failures != SPANS_DOUBTED || inq_guessed(s)) return 0;
    inq_plan_stalest(s, s->sample.filled);
    if (!s->plan.queued) return 0;
    inq_forgive(s);
    s->sample.growing = 0;
    ask_again(s, (s->base.n + 3) / 4);
    return 1;
}

static void refuse(inq *s)
{
    if (s->step.failures >= MOST_FAILURES)
        finish(s);
    else if (!doubts_model(s))
        begin_full(s);
}

static void learn_try_of_all(inq *s, const double *answers)
{
    if (inq_judge_full(s, answers) == BETTER)
        step_of_all(s, answers);
    else if (inq_doubted(s)) /* the mean knows more */
        finish(s);
    else
        refuse(s);
}

static void learn_try(inq *s, const double *answers)
{
    if (inq_all(s)) {
        learn_try_of_all(s, answers);
        return;
    }
    inq_verdict said = inq_judge_sample(s, answers);
    if (said == BETTER || said == BETTER_AS_TOLD)
        step_of_sample(s, answers, said == BETTER_AS_TOLD);
    else if (said != ANOTHER)
        refuse_sample(s, said);
}

/* With spans, values are asked of all components alone, for F. */
static void learn_values(inq *s, const double *answers)
{
    inq_kind(s)->learn_values(s, answers);
    if (s->spans_on)
        begin_round(s);
    else
        renew(s);
}

/* ---- Noise ------------------------------------------------------------------------------------------ */

static void begin(inq *s) { go_over_new(s, ASK_GRADIENT); }

static void learn_noise(inq *s, const double *answers)
{
    method *m = &s->base;
    if (!inq_learn_noise(s, answers)) return; /* too few to go by: more are asked */
    if (m->set.noise > 0 && m->n < FEW && s->dense)
        leave_to_mean(s);
    else if (m->set.noise > 0)
        go(s, ASK_LADDER);
    else if (m->n == 1 && s->dense)
        leave(s, "one function");
    else
        begin(s);
}

static void learn_supports(inq *s, const double *answers)
{
    switch (supports_tell(s, answers)) {
    case GO_ON: break;
    case TO_CURVES: go_over_new(s, ASK_BEND); break;
    case TO_MEAN: leave(s, "their noise"); break;
    case TO_MEAN_BY_MODEL: leave_to_mean(s); break;
    case AT_NOISE:
        s->base.ended = ZO_AT_NOISE;
        s->base.stage = ASK_NOTHING;
        break;
    }
}

/* ---- Phases ----------------------------------------------------------------------------------------- */

typedef struct phase {
    void (*ask)(inq *s, zo_fan *fan);             /* the question */
    void (*learn)(inq *s, const double *answers); /* what an answer teaches */
    void (*next)(inq *s); /* when all are in; NULL: learn has said what comes next */
    int refusable;        /* 1: a point is only tried, and answers that are not finite refuse it */
} phase;

static const phase phases[] = {
    [ASK_NOISE] = {ask_noise, learn_noise, NULL, 0},
    [ASK_LADDER] = {ask_ladder, inq_learn_ladder, begin, 1},
    [ASK_GRADIENT] = {ask_gradients, learn_gradients, after_gradients, 0},
    [ASK_RECOVER] = {inq_ask_recovery, learn_recovered, NULL, 0},
    [ASK_ENTER] = {ask_entered, learn_entered, NULL, 0},
    [ASK_BEND] = {ask_bends, inq_learn_bend, begin_round, 0},
    [ASK_FRESH] = {ask_fresh, learn_fresh, NULL, 0},
    [ASK_TRY] = {ask_try, learn_try, NULL, 1},
    [ASK_VALUE] = {ask_values, learn_values, NULL, 0},
    [ASK_RENEW] = {ask_renewal, inq_learn_renewed, after_renewal, 0},
    [ASK_REDO] = {ask_gradients, inq_learn_gradient, after_redo, 0},
    [ASK_REBEND] = {ask_bends, inq_learn_bend, after_rebend, 0},
    [ASK_CHECK] = {ask_check, learn_check, NULL, 0},
    [ASK_ACROSS] = {ask_across, inq_learn_across, renew, 1},
    [ASK_AGAIN] = {ask_gradients, inq_learn_again, after_again, 0},
    [ASK_SPAN] = {ask_spans, inq_learn_spans, after_spans, 0},
    [ASK_SCALE] = {ask_scale, inq_learn_scale, begin_round, 0},
    [ASK_WHOLE] = {ask_whole, inq_learn_whole, begin_round, 0},
    [ASK_AXES] = {ask_axes, learn_supports, NULL, 0},
    [ASK_GROUPS] = {ask_groups, learn_supports, NULL, 0},
    [ASK_MEMBERS] = {ask_members, learn_supports, NULL, 0},
    [ASK_ALONG] = {ask_inside, learn_supports, NULL, 1},
    [ASK_INSIDE] = {ask_inside, learn_supports, NULL, 1},
    [ASK_OUTSIDE] = {ask_outside, learn_supports, NULL, 1},
    [ASK_WIDEN] = {ask_wider, learn_supports, NULL, 1},
    [ASK_LOOK] = {ask_look, learn_supports, NULL, 0},
    [ASK_STEP] = {ask_step, learn_supports, NULL, 1},
    [ASK_NOTHING] = {NULL, NULL, NULL, 0},
};

static int inq_ask(method *m, zo_fan *fan)
{
    const phase *p = &phases[m->stage];
    if (p->ask) p->ask((inq *)m, fan);
    return p->ask != NULL;
}

static void inq_tell(method *m, const double *answers)
{
    inq *s = (inq *)m;
    const phase *p = &phases[m->stage];
    uint64_t queries = zo_fan_queries(&m->fan);
    if (m->stage != ASK_FRESH && m->stage != ASK_TRY) s->modelled = 0;
    p->learn(s, answers);
    if (p->next && plan_done(&s->plan)) p->next(s);
    s->sample.asked += queries;
}

int inq_without(method *m, const char *rule)
{
    static const char *const names[] = {
#define INQ_RULE_NAME(id, name, without) name,
        INQ_RULES(INQ_RULE_NAME)
#undef INQ_RULE_NAME
    };
    inq *s = (inq *)m;
    int k = 0;
    while (k < RULE_COUNT && strcmp(names[k], rule)) k++;
    if (k == RULE_COUNT || strcmp(m->row->info.name, "inq") || s->sample.asked) return 0;
    s->without |= (uint64_t)1 << k;
    s->sample.size = inq_first_size(s);
    if (m->stage == ASK_GRADIENT) begin(s);
    return 1;
}

static int inq_bears(const method *m) { return phases[m->stage].refusable; }

static zo_status open_and_begin(method *m, zo_error *err)
{
    inq *s = (inq *)m;
    zo_status status = inq_open(m, err);
    if (status) return status;
    s->sample.size = inq_first_size(s);
    inq_no_steps(s);
    if (isnan(m->set.noise) || (m->n == 1 && s->dense))
        go(s, ASK_NOISE);
    else
        begin(s);
    return ZO_OK;
}

static double inq_known(const method *m, uint64_t i) { return inq_curve((const inq *)m, i)->f; }

const method_row inq_method_row = {.info = ROW_INQ,
                                   .size = sizeof(inq),
                                   .compares = 1,
                                   .last_stage = ASK_NOTHING,
                                   .open = open_and_begin,
                                   .ask = inq_ask,
                                   .tell = inq_tell,
                                   .bears = inq_bears,
                                   .known = inq_known,
                                   .check = inq_check,
                                   .close = inq_close};
