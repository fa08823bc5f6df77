/* inq with noise: the loop of components that depend on a few coordinates each.
 * SPDX-License-Identifier: MIT
 *
 *   supports of the first sample, from its gradients; are they complete? do they have several indices?
 *   supports of all, in groups of coordinates or axis by axis; are they complete?
 *   loop
 *     look: each component along its own axes; the mean's slopes and matrix
 *     step, judged by F within noise
 *     every few steps, and before the end: are supports complete? those that are not are asked along all axes
 *
 * What is not so, ends it: curves go on, or the mean does. */
#include "method/inq/supports.h"

#include "method/inq/support.h"

static supports_end go(inq *s, uint64_t stage)
{
    s->base.stage = stage;
    return GO_ON;
}

static supports_end go_once(inq *s, uint64_t stage)
{
    plan_once(&s->plan);
    return go(s, stage);
}

static supports_end test(inq *s)
{
    s->supports.tests++;
    plan_over(&s->plan, OF_ORDER, 0, s->supports.supported);
    return go(s, ASK_OUTSIDE);
}

static supports_end look(inq *s)
{
    support_list(s);
    plan_queue(&s->plan);
    return s->plan.queued ? go(s, ASK_LOOK) : AT_NOISE; /* or nothing depends on anything */
}

static supports_end begin_looks(inq *s)
{
    int curved = s->supports.state == OF_CURVES;
    s->supports.state = RULING;
    support_begin(s, curved);
    return look(s);
}

/* There are none. Nothing is lost but queries: curves go on where they stood; after these, or after steps along supports,
 * the mean does. */
static supports_end leave(inq *s)
{
    uint64_t was = s->supports.state;
    s->supports.state = NONE;
    plan_clear(&s->plan);
    return was == RULING ? TO_MEAN : was == OF_CURVES ? TO_MEAN_BY_MODEL : TO_CURVES;
}

/* ---- Finding ------------------------------------------------------------------------------------- */

static supports_end find_all(inq *s)
{
    int in_groups = support_in_groups(s);
    s->supports.state = OF_ALL;
    if (s->supports.supported == s->base.n) return begin_looks(s);
    plan_over(&s->plan, OF_ORDER, s->supports.supported, s->base.n);
    return go(s, in_groups ? ASK_GROUPS : ASK_AXES);
}

static supports_end all_found(inq *s)
{
    s->supports.supported = s->base.n;
    return support_too_wide(s) ? leave(s) : test(s);
}

static supports_end after_groups(inq *s)
{
    support_list_members(s);
    plan_queue(&s->plan);
    return s->plan.queued ? go(s, ASK_MEMBERS) : all_found(s);
}

/* ---- Testing ------------------------------------------------------------------------------------- */

static supports_end pass(inq *s)
{
    s->supports.trials = 0;
    s->supports.tested = s->base.step + 1;
    if (s->supports.state == RULING) return s->supports.leaving ? AT_NOISE : look(s);
    return s->supports.state == OF_SAMPLE ? go_once(s, ASK_ALONG) : begin_looks(s);
}

/* What some depend on does not show: they are taken to depend on everything, unless they are too many. */
static supports_end give_up(inq *s)
{
    for (uint64_t e = 0; e < s->plan.queued; e++)
        if (method_mine(&s->base, s->plan.queue[e])) inq_span(s, s->plan.queue[e])->rank = WIDE;
    if (support_too_wide(s)) return leave(s);
    if (s->supports.state == RULING) support_renew(s);
    s->supports.leaving = 0;
    return pass(s);
}

static supports_end after_test(inq *s)
{
    switch (support_judge(s)) {
    case WRONG: return leave(s);
    case COMPLETE: return pass(s);
    default: break;
    }
    if (s->supports.trials >= MOST_TRIALS) return give_up(s);
    plan_queue(&s->plan);
    return go(s, ASK_WIDEN);
}

static supports_end after_wider(inq *s)
{
    s->supports.trials++;
    s->supports.leaving = 0;
    if (support_too_wide(s)) return leave(s);
    if (s->supports.state == RULING) support_renew(s);
    return test(s);
}

/* ---- Steps --------------------------------------------------------------------------------------- */

static supports_end tested_or(inq *s, supports_end (*next)(inq *s))
{
    return s->supports.tested != s->base.step + 1 ? test(s) : next(s);
}

static supports_end at_noise(inq *s)
{
    (void)s;
    return AT_NOISE;
}

/* The run ends here, unless supports are not complete. */
static supports_end end(inq *s)
{
    s->supports.leaving = 1;
    return tested_or(s, at_noise);
}

static supports_end try_step(inq *s) { return support_solve(s) ? go_once(s, ASK_STEP) : end(s); }

static supports_end after_look(inq *s)
{
    if (support_looked(s)) return try_step(s);
    plan_queue(&s->plan); /* again, with other radii */
    return GO_ON;
}

/* More damping; then supports, and what was seen along them, are doubted. */
static supports_end refuse(inq *s)
{
    if (s->noisy.failures == NOISY_DOUBTED) {
        step_doubt(s);
        support_radii(s);
        return tested_or(s, look);
    }
    return s->noisy.failures < MOST_REFUSED ? try_step(s) : end(s);
}

static supports_end learn_step(inq *s, const double *answers)
{
    if (support_judge_step(s, answers) != BETTER) return refuse(s);
    inq_keep_values(s, answers);
    support_radii(s);
    return s->base.step + 1 >= s->supports.tested + TEST_EVERY ? test(s) : look(s);
}

static supports_end learn_inside(inq *s, const double *answers)
{
    if (!support_one_index(s, answers)) return find_all(s);
    leave(s);
    s->supports.state = BY_CURVES;
    return TO_CURVES;
}

/* ---- Phases -------------------------------------------------------------------------------------- */

static supports_end to_inside(inq *s) { return go_once(s, ASK_INSIDE); }

typedef struct phase {
    void (*learn)(inq *s, const double *answers);
    supports_end (*next)(inq *s); /* when all are in */
} phase;

static const phase phases[] = {
    [ASK_AXES - ASK_AXES] = {support_learn_axes, all_found},
    [ASK_GROUPS - ASK_AXES] = {support_learn_groups, after_groups},
    [ASK_MEMBERS - ASK_AXES] = {support_learn_members, all_found},
    [ASK_ALONG - ASK_AXES] = {support_learn_along, to_inside},
    [ASK_OUTSIDE - ASK_AXES] = {support_learn_test, after_test},
    [ASK_WIDEN - ASK_AXES] = {support_learn_wider, after_wider},
    [ASK_LOOK - ASK_AXES] = {support_learn_look, after_look},
};

supports_end supports_tell(inq *s, const double *answers)
{
    if (s->base.stage == ASK_INSIDE) return learn_inside(s, answers);
    if (s->base.stage == ASK_STEP) return learn_step(s, answers);
    const phase *p = &phases[s->base.stage - ASK_AXES];
    p->learn(s, answers);
    return plan_done(&s->plan) ? p->next(s) : GO_ON;
}

int supports_begin(inq *s)
{
    if (!support_may_be(s)) return 0;
    s->supports.supported = s->sample.filled;
    if (!support_from_gradients(s)) return 0;
    s->supports.state = OF_SAMPLE;
    s->supports.trials = 0;
    test(s);
    return 1;
}

int supports_by_curves(inq *s)
{
    if (s->supports.state != BY_CURVES || s->sample.filled < s->base.n) return 0;
    s->supports.supported = s->base.n;
    if (!support_from_curves(s)) return 0;
    s->supports.state = OF_CURVES;
    s->supports.trials = 0;
    test(s);
    return 1;
}
