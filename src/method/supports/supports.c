/* supports: noise, and components that depend on a few coordinates each.
 * SPDX-License-Identifier: MIT
 *
 *   by name: noise, a length over which F bends, gradients of a sample; inq knows these, and hands them over
 *   supports of the sample, from its gradients; are they complete? do components have several indices?
 *   supports of all, by intervals of coordinates; are they complete?
 *   loop
 *     pass: each component along its own axes; the mean's slopes and matrix
 *     step, judged by F within noise
 *     every few steps, and before the end: are supports complete? those that are not are sought again
 *
 * What is not so, ends it: inq goes on where it stood, or the mean does. docs/methods/supports.md. */
#include "method/supports/supports.h"

#include <string.h>

#include "method/core/rows.h"

static void go(supports *s, uint64_t stage)
{
    s->base.stage = stage;
    if (stage == ASK_GRADIENT || stage == ASK_ALONG)
        plan_over(&s->plan, OF_ORDER, 0, s->at.supported);
    else if (stage == ASK_SPLIT || stage == ASK_PASS)
        plan_queue(&s->plan);
    else
        plan_once(&s->plan);
}

/* The run is as good as noise allows. */
static void at_noise(supports *s)
{
    s->base.ended = ZO_AT_NOISE;
    s->base.stage = ASK_NOTHING;
}

static void pass(supports *s)
{
    support_queue(s);
    if (s->plan.queued)
        go(s, ASK_PASS);
    else
        at_noise(s); /* none depends on anything */
}

static void begin_passes(supports *s)
{
    int curved = s->at.state == OF_CURVES;
    s->at.state = RULING;
    support_begin(s, curved);
    pass(s);
}

/* There are none. inq goes on where it stood; after it, or after steps along supports, the mean does. */
static void leave(supports *s, const char *why, int returns)
{
    method *m = &s->base;
    int early = s->at.state < OF_CURVES && method_may_follow(m, "inq", NULL);
    handover *next = method_hand_over(m, early ? "inq" : "mean", why);
    next->noise = m->set.noise;
    next->unit = s->at.unit > 0 ? s->at.unit : NAN;
    next->returns = returns;
    if (early && s->at.state != NOT_SOUGHT) supports_lend(s, next);
    if (s->at.state == OF_CURVES) next->curvature = s->matrix;
    m->stage = ASK_NOTHING;
}

/* ---- Testing and finding -------------------------------------------------------------------------- */

static void seek_all(supports *s)
{
    s->at.state = OF_ALL;
    support_seek(s);
    s->at.supported = s->base.n;
    if (support_listed(s))
        go(s, ASK_SPLIT);
    else
        begin_passes(s);
}

static void are_complete(supports *s)
{
    s->at.trials = 0;
    s->at.tested = s->base.step + 1;
    if (s->at.state == RULING && s->at.leaving)
        at_noise(s);
    else if (s->at.state == RULING)
        pass(s);
    else if (s->at.state == OF_SAMPLE)
        go(s, ASK_ALONG);
    else
        begin_passes(s);
}

static const char not_so[] = "components depend on many coordinates";

/* Supports have grown, and the run does not end here; 0: too many are wide. */
static int have_grown(supports *s)
{
    s->at.leaving = 0;
    if (support_too_wide(s)) return 0;
    if (s->at.state == RULING) support_renew(s);
    return 1;
}

/* What some depend on does not show in time: they are taken to depend on everything. */
static void after_test(supports *s)
{
    if (s->at.supported == s->base.n) s->at.valued = s->base.step + 1;
    support_verdict said = support_judge(s);
    if (said == WRONG) {
        leave(s, not_so, 0);
    } else if (said == COMPLETE) {
        are_complete(s);
    } else if (++s->at.trials <= MOST_TRIALS) {
        support_seek_more(s);
        go(s, ASK_SPLIT);
    } else {
        for (uint64_t i = s->base.first; i < support_end(s); i++)
            if (support_of(s, i)->open > 0) support_forget(s, i, WIDE);
        if (have_grown(s))
            are_complete(s);
        else
            leave(s, not_so, 0);
    }
}

static void test(supports *s)
{
    s->at.tests++;
    support_seek_outside(s);
    if (support_listed(s))
        go(s, ASK_SPLIT);
    else
        after_test(s); /* all are wide */
}

static void after_split(supports *s)
{
    if (s->find.parts == 1) {
        after_test(s);
        return;
    }
    support_split(s);
    if (support_listed(s))
        go(s, ASK_SPLIT);
    else if (have_grown(s))
        test(s);
    else
        leave(s, not_so, 0);
}

static void after_along(supports *s)
{
    s->at.bent = 1;
    go(s, ASK_INSIDE);
}

static void hear_inside(supports *s, const double *answers)
{
    if (support_one_index(s, answers))
        leave(s, "each component changes along one direction", 1);
    else
        seek_all(s);
}

/* ---- Steps --------------------------------------------------------------------------------------- */

/* The run ends here, unless supports are not complete. */
static void end(supports *s)
{
    s->at.leaving = 1;
    test(s);
}

static void try_step(supports *s)
{
    if (support_try(s))
        go(s, ASK_STEP);
    else
        end(s);
}

static void after_pass(supports *s)
{
    support_passed(s);
    try_step(s);
}

static void hear_step(supports *s, const double *answers)
{
    if (!support_judge_step(s, answers)) {
        if (s->noisy.failures < DESCENT_REFUSED)
            try_step(s);
        else
            end(s);
        return;
    }
    for (uint64_t i = s->base.first; i < support_end(s); i++) support_of(s, i)->f = answers[i];
    s->at.valued = s->base.step + 1;
    if (s->base.step + 1 >= s->at.tested + TEST_EVERY)
        test(s);
    else
        pass(s);
}

/* ---- The beginning ------------------------------------------------------------------------------- */

static void begin(supports *s, uint64_t state)
{
    s->at.state = state;
    test(s);
}

static void begin_with_sample(supports *s)
{
    support_measure(s);
    if (support_from_slopes(s)) {
        begin(s, OF_SAMPLE);
        return;
    }
    s->at.state = OF_SAMPLE;
    leave(s, not_so, 0);
}

static void know_unit(supports *s, double unit)
{
    s->at.unit = unit > 0 && unit < INFINITY ? unit : 0;
    ladder_radius(&s->base, s->at.unit, 0);
}

/* By name: how many components are asked in full. */
static uint64_t first_sample(const method *m)
{
    double n = (double)m->n, least = fmax(LEAST_SAMPLE, FIRST_ENTRIES / (double)m->d);
    return (uint64_t)fmin(ceil(fmax(n / SAMPLES, least)), n);
}

static void begin_by_name(supports *s)
{
    method *m = &s->base;
    s->at.supported = s->at.sampled = first_sample(m);
    if (!m->set.own)
        leave(s, "components have no questions of their own", 0);
    else if (isnan(m->set.noise))
        go(s, ASK_NOISE);
    else if (m->set.noise > 0)
        go(s, ASK_LADDER);
    else
        leave(s, "values have no noise", 0);
}

static void ask_noise(supports *s, zo_fan *fan)
{
    noise_ask(&s->base, s->plan.order, s->at.repeats > 0, s->comp, fan);
}

static void hear_noise(supports *s, const double *answers)
{
    if (noise_learn(&s->base, s->at.repeats > 0, answers))
        begin_by_name(s);
    else
        s->at.repeats++;
}

static void ask_ladder(supports *s, zo_fan *fan)
{
    ladder_ask(&s->base, s->plan.order, s->dir, fan);
}

static void hear_ladder(supports *s, const double *answers)
{
    know_unit(s, ladder_unit(&s->base, answers));
    go(s, ASK_GRADIENT);
}

static void ask_gradients(supports *s, zo_fan *fan)
{
    plan_chunk(&s->plan, fan, s->chunk);
    fan->naxis = s->base.d;
}

static void learn_gradients(supports *s, const double *answers)
{
    const method *m = &s->base;
    size_t set = zo_fan_set(&m->fan);
    for (size_t e = 0; e < m->fan.ncomp; e++) {
        uint64_t i = m->fan.comp[e];
        if (!method_mine(m, i)) continue;
        read_slopes(&m->fan, answers + e * set, 0, 0, m->d, support_row(s, i));
        *support_of(s, i) = (support){
            .f = answers[e * set], .bend = NAN, .error = support_slope_error(m, m->fan.radius)};
    }
}

/* Another method has asked what is needed. */
static void supports_know(method *m, const handover *known)
{
    supports *s = (supports *)m;
    s->at.asked = (uint64_t)known->spent;
    know_unit(s, known->unit);
    if (!known->component || !(m->set.noise > 0)) {
        begin_by_name(s);
        return;
    }
    for (uint64_t i = m->first; i < support_end(s); i++) {
        known_component k;
        if (!known->component(known->from, i, &k, support_row(s, i))) continue;
        *support_of(s, i) = (support){.f = k.f, .bend = k.bend, .error = k.error};
    }
    s->at.supported = s->at.sampled = known->sample;
    if (isnan(known->ridge) || !known->curvature) {
        begin_with_sample(s);
        return;
    }
    vec_copy(m->d * m->d, known->curvature, s->matrix);
    support_from_curves(s, known->ridge);
    begin(s, OF_CURVES);
}

/* ---- The method ----------------------------------------------------------------------------------- */

/* A question; what an answer teaches, and what comes when all are in, or both at once; 1: a point is only tried. */
static const struct phase {
    void (*ask)(supports *s, zo_fan *fan);
    void (*learn)(supports *s, const double *answers);
    void (*next)(supports *s);
    void (*hear)(supports *s, const double *answers);
    int bears;
} phases[] = {
    [ASK_NOISE] = {ask_noise, .hear = hear_noise},
    [ASK_LADDER] = {ask_ladder, .hear = hear_ladder, .bears = 1},
    [ASK_GRADIENT] = {ask_gradients, learn_gradients, begin_with_sample},
    [ASK_SPLIT] = {ask_split, support_learn_split, after_split, .bears = 1},
    [ASK_ALONG] = {ask_along, support_learn_along, after_along},
    [ASK_INSIDE] = {ask_inside, .hear = hear_inside, .bears = 1},
    [ASK_PASS] = {ask_pass, support_learn_pass, after_pass},
    [ASK_STEP] = {ask_step, .hear = hear_step, .bears = 1},
    [ASK_NOTHING] = {NULL},
};

static int supports_ask(method *m, zo_fan *fan)
{
    if (!phases[m->stage].ask) return 0;
    phases[m->stage].ask((supports *)m, fan);
    return 1;
}

static void supports_tell(method *m, const double *answers)
{
    supports *s = (supports *)m;
    const struct phase *p = &phases[m->stage];
    s->at.asked += zo_fan_queries(&m->fan);
    if (p->hear) {
        p->hear(s, answers);
        return;
    }
    p->learn(s, answers);
    if (plan_done(&s->plan)) p->next(s);
}

static int supports_bears(const method *m) { return phases[m->stage].bears; }

static double supports_known(const method *m, uint64_t i)
{
    return support_of((const supports *)m, i)->f;
}

static int supports_without(method *m, const char *rule)
{
    ((supports *)m)->without = 1;
    return !strcmp(rule, "groups");
}

static zo_status open_and_begin(method *m, zo_error *err)
{
    zo_status status = supports_open(m, err);
    if (!status) begin_by_name((supports *)m);
    return status;
}

const method_row supports_row = {.info = ROW_SUPPORTS,
                                 .size = sizeof(supports),
                                 .compares = 1,
                                 .last_stage = ASK_NOTHING,
                                 .open = open_and_begin,
                                 .ask = supports_ask,
                                 .tell = supports_tell,
                                 .bears = supports_bears,
                                 .suits = supports_suit,
                                 .know = supports_know,
                                 .known = supports_known,
                                 .check = supports_check,
                                 .without = supports_without,
                                 .close = supports_close};
