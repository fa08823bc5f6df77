/* inq with noise: the loop of components that depend on a few coordinates each.
 * SPDX-License-Identifier: MIT
 *
 *   supports of the first sample, from its gradients; are they complete? do they have several indices?
 *   supports of all, by intervals of coordinates; are they complete?
 *   loop
 *     pass: each component along its own axes; the mean's slopes and matrix
 *     step, judged by F within noise
 *     every few steps, and before the end: are supports complete? those that are not are sought again
 *
 * What is not so, ends it: curves go on, or the mean does. */
#include "method/inq/supports.h"

static inq_next test(inq *s)
{
    s->supports.tests++;
    support_seek_outside(s);
    support_listed(s);
    return inq_go(s, ASK_SPLIT);
}

/* The run is as good as noise allows. */
static inq_next at_noise(inq *s)
{
    s->base.ended = ZO_AT_NOISE;
    s->base.stage = ASK_NOTHING;
    return ASKED;
}

static inq_next pass(inq *s)
{
    support_queue(s);
    return s->plan.queued ? inq_go(s, ASK_PASS) : at_noise(s); /* or none depends on anything */
}

static inq_next begin_passes(inq *s)
{
    int curved = s->supports.state == OF_CURVES;
    s->supports.state = RULING;
    support_begin(s, curved);
    return pass(s);
}

/* There are none. Nothing is lost but queries: curves go on where they stood; after these, or after steps along supports,
 * the mean does. */
static inq_next leave(inq *s)
{
    uint64_t was = s->supports.state;
    s->supports.state = NONE;
    plan_clear(&s->plan);
    if (was == RULING) return inq_leave(s, "mean", "their noise");
    return was == OF_CURVES ? ENDED : inq_go(s, ASK_BEND);
}

/* ---- Testing and finding -------------------------------------------------------------------------- */

static inq_next seek_all(inq *s)
{
    s->supports.state = OF_ALL;
    support_seek(s);
    s->supports.supported = s->base.n;
    return support_listed(s) ? inq_go(s, ASK_SPLIT) : begin_passes(s);
}

static inq_next are_complete(inq *s)
{
    s->supports.trials = 0;
    s->supports.tested = s->base.step + 1;
    if (s->supports.state == RULING) return s->supports.leaving ? at_noise(s) : pass(s);
    return s->supports.state == OF_SAMPLE ? inq_go(s, ASK_BEND) : begin_passes(s);
}

/* Supports have grown, and the run does not end here; 0: too many are wide. */
static int have_grown(inq *s)
{
    s->supports.leaving = 0;
    if (support_too_wide(s)) return 0;
    if (s->supports.state == RULING) support_renew(s);
    return 1;
}

/* What some depend on does not show in time: they are taken to depend on everything. */
static inq_next after_test(inq *s)
{
    support_verdict said = support_judge(s);
    if (said == WRONG) return leave(s);
    if (said == COMPLETE) return are_complete(s);
    if (++s->supports.trials <= MOST_TRIALS) {
        support_seek_more(s);
        return inq_go(s, ASK_SPLIT);
    }
    for (uint64_t i = s->base.first; i < inq_end(s); i++)
        if (*support_open(s, i) > 0) *inq_span(s, i) = (span){.rank = WIDE};
    return have_grown(s) ? are_complete(s) : leave(s);
}

inq_next supports_told(inq *s)
{
    if (s->find.parts == 1) return after_test(s);
    support_split(s);
    if (support_listed(s)) return inq_go(s, ASK_SPLIT);
    return have_grown(s) ? test(s) : leave(s);
}

inq_next supports_bent(inq *s)
{
    return s->supports.state == OF_SAMPLE ? inq_go(s, ASK_INSIDE) : ROUND;
}

/* Components of one index: curves take the first steps. */
inq_next supports_inside(inq *s, const double *answers)
{
    if (!support_one_index(s, answers)) return seek_all(s);
    s->supports.state = BY_CURVES;
    return ROUND;
}

/* ---- Steps --------------------------------------------------------------------------------------- */

/* The run ends here, unless supports are not complete. */
static inq_next end(inq *s)
{
    s->supports.leaving = 1;
    return test(s);
}

static inq_next try_step(inq *s) { return support_try(s) ? inq_go(s, ASK_STEP) : end(s); }

inq_next supports_passed(inq *s)
{
    support_passed(s);
    return try_step(s);
}

inq_next supports_stepped(inq *s, const double *answers)
{
    if (!support_judge_step(s, answers))
        return s->noisy.failures < DESCENT_REFUSED ? try_step(s) : end(s);
    inq_keep_values(s, answers);
    return s->base.step + 1 >= s->supports.tested + TEST_EVERY ? test(s) : pass(s);
}

/* ---- The beginning ------------------------------------------------------------------------------- */

static int begin(inq *s, uint64_t state)
{
    s->supports.state = state;
    s->supports.trials = 0;
    test(s);
    return 1;
}

int supports_begin(inq *s)
{
    s->supports.supported = s->sample.filled;
    return support_may_be(s) && support_from_gradients(s) && begin(s, OF_SAMPLE);
}

int supports_by_curves(inq *s)
{
    if (s->supports.state != BY_CURVES || s->sample.filled < s->base.n) return 0;
    s->supports.supported = s->base.n;
    return support_from_curves(s) && begin(s, OF_CURVES);
}
