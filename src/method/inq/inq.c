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
 * them are in. Kinds of component models (component.h) say what is asked to keep them true; nothing but this file goes on to
 * the next round, sample or method. */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "method/component/accuracy.h"
#include "method/component/sample.h"
#include "method/component/row.h"
#include "method/core/rows.h"
#include "method/curves/curves.h"
#include "method/inq/inq.h"
#include "method/subspaces/subspaces.h"
#include "prox/prox.h"

/* ---- The end ------------------------------------------------------------------------------------- */

/* Noise: what components can tell one by one is lost in it; their mean is not yet. */
static inq_next leave_to_mean(inq *s)
{
    s->base.ended = ZO_AT_NOISE;
    if (s->sample.filled > 0) {
        inq_model(s);
        for (size_t j = 0; j < s->base.d; j++) s->full[j * s->base.d + j] += s->ridge.mu;
        if (inq_lend_all(s)) return ASKED;
    }
    inq_leave(s, "mean", "their noise");
    if (s->sample.filled > 0) s->base.next.curvature = s->full;
    s->base.next.guessed = s->sample.filled > 0 && inq_doubted(s);
    return ASKED;
}

static inq_next finish(inq *s)
{
    s->base.stage = ASK_NOTHING;
    if (!(s->base.set.noise > 0)) {
        if (inq_all(s)) return twins_end(s);
        s->base.ended = ZO_AT_QUERIES; /* for a larger sample */
        return ASKED;
    }
    s->base.ended = ZO_AT_NOISE;
    return s->dense ? leave_to_mean(s) : ASKED;
}

/* ---- The sample ---------------------------------------------------------------------------------- */

/* Twice as large, or all; as far as the horizon pays for it. */
static inq_next grow(inq *s)
{
    if (!inq_rows_fit(s)) return inq_outgrown(s);
    int recovers = inq_begin_recovery(s);
    double next = inq_next_size(s), most = inq_affordable(s);
    if (nearly_all * next > most) next = most;
    if (next < most && inq_last_chance(s, next)) next = most;
    if (inq_all(s) || next <= (double)s->sample.size ||
        (s->points.count >= POINTS && inq_kind(s)->keeps_points))
        return ENDED;
    s->sample.begin = s->sample.size;
    s->sample.size = (uint64_t)next;
    return inq_go(s, recovers ? ASK_RECOVER : ASK_GRADIENT);
}

/* New components begin to enter. */
static void begin_stage(inq *s)
{
    if (!s->start.there && (inq_kind(s)->keeps_points || !inq_at_last_point(s))) inq_keep_point(s);
    vec_copy(s->base.d, s->base.x, s->centre);
    s->sample.rounds = 0;
    inq_new_sample(s);
}

static inq_next learn_recovered(inq *s, const double *answers)
{
    if (s->recovery.at->cursor == 0) begin_stage(s);
    if (!inq_learn_recovered(s, answers)) return ASKED;
    s->sample.filled = s->sample.size;
    return inq_kind(s)->recovered(s);
}

static void learn_gradients(inq *s, const double *answers)
{
    if (s->sample.filled == 0) inq_touch(s);
    if (s->sample.filled == s->sample.begin) begin_stage(s);
    inq_kind(s)->learn_gradients(s, answers);
    s->sample.filled += s->base.fan.ncomp;
}

static inq_next entered(inq *s) { return inq_kind(s)->entered(s); }

/* ---- A round: the model at x, and the steps it offers --------------------------------------------- */

static inq_next offer_full(inq *s)
{
    if (walls_return(s)) return ASKED;
    if (!s->modelled) inq_model(s); /* a step that was refused has taught nothing */
    int lost = inq_residual(s, 0, INFINITY) && inq_kind(s)->says_residual;
    inq_offer_full(s);
    if (s->step.flat >= MOST_FLAT) return ENDED;
    /* what a gradient within its error promises is not there, unless F would show it */
    if (!(s->offer[0].falls > (lost ? lost_falls : 1) * inq_unseen(s))) return inq_kind(s)->rest(s);
    return walls_begin(s);
}

/* Steps of samples that lacked outliers are not to be relied on: all components are asked where the run began. */
static inq_next go_home(inq *s)
{
    method *m = &s->base;
    vec_copy(m->d, inq_point(s, 1), m->x);
    m->step++;
    s->modelled = 0;
    if (inq_kind(s)->moved) inq_kind(s)->moved(s);
    begin_stage(s);
    return inq_go(s, ASK_VALUE);
}

/* Few components beside d, of which too few can be paid for: where they have nothing in common, and are not recovered, random
 * directions do more with what is left. */
static inq_next look(inq *s)
{
    if (s->base.step > 0 || s->spans_on || s->base.set.noise > 0 || !inq_gives_way(s)) return ROUND;
    double common = inq_in_common(s), least = most_of_all * (double)s->base.n;
    if (inq_begin_recovery(s) && (inq_affordable(s) >= least || common > much_common)) return ROUND;
    if (inq_looks_on(s, common)) return LARGER;
    return inq_leave(s, "zosgd", "too few gradients can be paid for");
}

static inq_next begin_round(inq *s)
{
    s->fetched = 0;
    twins_find(s);
    inq_next next = walls_first(s);
    if (next == ROUND) next = inq_kind(s)->prepare(s);
    if (next == ROUND) next = look(s);
    if (next != ROUND) return next;
    if (inq_all(s)) {
        inq_new_round_of_all(s);
        return offer_full(s);
    }
    inq_model(s);
    if (curves_offer_origin(s)) {
        inq_offer_point(s);
    } else {
        if (inq_says_little(s)) return LARGER;
        inq_residual(s, 0, INFINITY);
        inq_offer(s);
    }
    return inq_go(s, inq_is_judged(s) ? ASK_TRY : ASK_FRESH);
}

static inq_next learn_fresh(inq *s, const double *answers)
{
    inq_keep_judgement(s, s->base.fan.ncomp, answers);
    return inq_go(s, ASK_TRY);
}

static void move(inq *s, const double *z)
{
    method *m = &s->base;
    inq_take(s);
    s->sample.rounds++;
    vec_copy(m->d, z, m->x);
    s->modelled = 0;
    m->step++;
    if (inq_kind(s)->moved) inq_kind(s)->moved(s);
}

/* No candidate is better than x: all of them were too long, or the sample is too small. */
static inq_next refuse_sample(inq *s, inq_verdict said)
{
    if (said != TOO_LONG || s->sample.rounds || s->step.boosts >= MOST_BOOSTS ||
        !inq_rule(s, RULE_BOOSTS))
        return LARGER;
    inq_boost(s);
    return ASKED;
}

static inq_next learn_try_of_sample(inq *s, const double *answers)
{
    inq_verdict said = inq_judge_sample(s, answers);
    if (said == ANOTHER) return ASKED;
    int origin = curves_close_origin(s);
    if (said != BETTER && said != BETTER_AS_TOLD) return origin ? ROUND : refuse_sample(s, said);
    move(s, s->cand + s->step.pick * s->base.d);
    if (origin) {
        begin_stage(s);
        inq_start_here(s);
    }
    if (said == BETTER) return inq_kind(s)->after_sample(s, NULL);
    inq_keep_judgement(s, s->base.n, answers); /* what the next step is judged against */
    return inq_kind(s)->after_sample(s, answers);
}

static inq_next learn_try(inq *s, const double *answers)
{
    if (!inq_all(s)) return learn_try_of_sample(s, answers);
    if (inq_judge_full(s, answers) == BETTER) {
        inq_weigh(s, s->cand, answers);
        move(s, s->cand);
        walls_moved(s);
        inq_kind(s)->learn_values(s, answers);
        return inq_kind(s)->after_all(s);
    }
    if (s->twins.broken) return twins_redo(s); /* F at x was not what it was taken for */
    walls_find(s, answers);
    if (inq_doubted(s)) return ENDED; /* the mean knows more */
    if (s->step.failures >= MOST_FAILURES) return inq_kind(s)->rest(s);
    return inq_kind(s)->refused(s);
}

/* Where components are not curves, several indices are tried. */
static inq_next learn_check(inq *s, const double *answers)
{
    inq_next next = curves_checked(s, answers);
    if (next == OTHER) twins_forget(s);
    return next == OTHER ? subspaces_enter(s, answers) : next;
}

static inq_next learn_values(inq *s, const double *answers)
{
    inq_kind(s)->learn_values(s, answers);
    return inq_kind(s)->after_values(s);
}

/* ---- Noise ------------------------------------------------------------------------------------------ */

static inq_next begin(inq *s) { return inq_go(s, ASK_GRADIENT); }

static inq_next learn_noise(inq *s, const double *answers)
{
    method *m = &s->base;
    if (!inq_learn_noise(s, answers)) return ASKED; /* too few to go by: more are asked */
    if (m->set.noise > 0 && inq_gives_way(s)) return inq_leave(s, "zosgd", "their noise");
    if (m->set.noise > 0) return m->n < FEW && s->dense ? leave_to_mean(s) : inq_go(s, ASK_LADDER);
    return m->n == 1 && s->dense ? inq_leave(s, "mean", "one function") : begin(s);
}

/* ---- Phases ----------------------------------------------------------------------------------------- */

typedef struct phase {
    void (*ask)(inq *s, zo_fan *fan); /* the question */
    /* What an answer teaches, and what comes next when all are in; or both at once. */
    void (*learn)(inq *s, const double *answers);
    inq_next (*next)(inq *s);
    inq_next (*decide)(inq *s, const double *answers);
} phase;

static const phase phases[] = {
    [ASK_NOISE] = {ask_noise, .decide = learn_noise},
    [ASK_LADDER] = {ask_ladder, inq_learn_ladder, begin},
    [ASK_GRADIENT] = {ask_gradients, learn_gradients, entered},
    [ASK_RECOVER] = {inq_ask_recovery, .decide = learn_recovered},
    [ASK_REST] = {ask_gradients, inq_learn_rest, subspaces_rest_told},
    [ASK_ENTER] = {ask_entered, .decide = curves_entered},
    [ASK_BEND] = {ask_bends, inq_learn_bend, inq_round},
    [ASK_FRESH] = {ask_fresh, .decide = learn_fresh},
    [ASK_TRY] = {ask_try, .decide = learn_try},
    [ASK_VALUE] = {ask_values, .decide = learn_values},
    [ASK_RENEW] = {ask_renewal, inq_learn_renewed, curves_renewed},
    [ASK_REDO] = {ask_gradients, inq_learn_gradient, curves_redone},
    [ASK_REBEND] = {ask_bends, inq_learn_bend, curves_bent_again},
    [ASK_CHECK] = {ask_check, .decide = learn_check},
    [ASK_ACROSS] = {ask_across, inq_learn_across, curves_ridge_told},
    [ASK_AGAIN] = {ask_gradients, inq_learn_again, subspaces_told},
    [ASK_BESIDE] = {ask_beside, inq_learn_beside, subspaces_beside},
    [ASK_SPAN] = {ask_spans, inq_learn_spans, subspaces_renewed},
    [ASK_CURVATURE] = {ask_curvature, curvature_learn, inq_round},
    [ASK_SCALE] = {ask_scale, inq_learn_scale, inq_round},
    [ASK_WHOLE] = {ask_whole, .decide = shared_learn_whole},
    [ASK_WALL_ROWS] = {ask_wall_rows, walls_learn_row, inq_round},
    [ASK_WALLS] = {ask_walls, walls_learn, walls_told},
    [ASK_PROOF] = {ask_proof, .decide = inq_proof},
    [ASK_TWINS] = {ask_twins, .decide = twins_learn},
    [ASK_NOTHING] = {NULL},
};

/* OTHER is what learn_check says, and is followed there. */
static void follow(inq *s, inq_next next)
{
    static inq_next (*const ways[])(inq * s) = {[ROUND] = begin_round,
                                                [RETRY] = offer_full,
                                                [LARGER] = grow,
                                                [HOME] = go_home,
                                                [ENDED] = finish};
    while (next != ASKED) next = ways[next](s);
}

static int inq_ask(method *m, zo_fan *fan)
{
    const phase *p = &phases[m->stage];
    if (p->ask) p->ask((inq *)m, fan);
    if (p->ask) twins_ask((inq *)m, fan);
    return p->ask != NULL;
}

static void inq_tell(method *m, const double *answers)
{
    inq *s = (inq *)m;
    const phase *p = &phases[m->stage];
    uint64_t queries = zo_fan_queries(&m->fan);
    answers = twins_tell(s, answers);
    if (m->stage != ASK_FRESH && m->stage != ASK_TRY) s->modelled = 0;
    if (p->decide)
        follow(s, p->decide(s, answers));
    else
        p->learn(s, answers);
    if (p->next && plan_done(&s->plan)) follow(s, p->next(s));
    if (s->store.full && !*m->next.to) inq_outgrown(s);
    s->sample.asked += queries;
}

static int inq_without(method *m, const char *rule)
{
    static const char *const names[] = {
#define INQ_RULE_NAME(id, name, without) name,
        INQ_RULES(INQ_RULE_NAME)
#undef INQ_RULE_NAME
    };
    inq *s = (inq *)m;
    int k = 0;
    while (k < RULE_COUNT && strcmp(names[k], rule)) k++;
    if (k == RULE_COUNT || s->sample.asked) return 0;
    s->without |= (uint64_t)1 << k;
    s->sample.size = inq_first_size(s);
    if (m->stage == ASK_GRADIENT) begin(s);
    return 1;
}

static int inq_bears(const method *m) { return inq_facts[m->stage].refusable; }

static zo_status open_and_begin(method *m, zo_error *err)
{
    static const component_kind *const kinds[] = {&curve_kind, &subspace_kind};
    inq *s = (inq *)m;
    zo_status status = inq_open(m, err);
    if (status) return status;
    s->kinds = kinds;
    s->sample.size = inq_first_size(s);
    inq_no_steps(s);
    if (isnan(m->set.noise) || (m->n == 1 && s->dense))
        inq_go(s, ASK_NOISE);
    else
        begin(s);
    return ZO_OK;
}

/* supports has asked whether it is for these components: inq goes on where it was. */
static void inq_know(method *m, const handover *known)
{
    inq *s = (inq *)m;
    if (!isnan(m->set.noise) && m->stage == ASK_NOISE && m->n > 1) begin(s);
    if (known->unit > 0) inq_know_unit(s, known->unit);
    if (!known->component) return;
    s->sample.asked = (uint64_t)known->spent;
    s->sample.size = known->sample;
    begin_stage(s);
    inq_take_sample(s, known);
    s->sample.filled = s->sample.size;
    inq_measure(s);
    follow(s, known->bent > 0 ? ROUND : inq_go(s, ASK_BEND));
}

static int inq_suits(const method *m, const handover *known)
{
    (void)known;
    return inq_least_bytes(m->n, m->d, m->set.sides) <= m->set.memory;
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
                                   .suits = inq_suits,
                                   .know = inq_know,
                                   .known = inq_known,
                                   .without = inq_without,
                                   .check = inq_check,
                                   .close = inq_close};
