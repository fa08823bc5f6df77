/* The end of a run: what is tried before it, the proof, and the true reason.
 * SPDX-License-Identifier: MIT
 *
 *   trials are used up: the centre again (noise?), fresh differences along all axes, trials with these
 *   fresh slopes promise nothing:
 *       a parameter has lost its influence: it is sought at other sizes; then the run begins again at x0
 *       the proof: all residuals along random signs, of several lengths. A lower point, or models that these teach a way
 *       down (a saddle), and the run goes on
 *   nothing: converged. Models that promise what is not found: stalled, and mean goes on from here. */
#include <float.h>
#include <math.h>

#include "base/vec.h"
#include "method/lm/lm.h"

/* ---- what the end is -------------------------------------------------------------------------------------- */

/* r and slopes of the best end so far. */
static void keep_end(lm *s)
{
    lm_path *a = s->at;
    if (a->ends++ && !(a->value < a->ended)) return;
    a->ended = a->value;
    vec_copy(s->base.d, s->centre, s->end);
    vec_copy(s->base.n, s->r, s->end_r);
    lm_slopes_of(s, s->end_slope);
}

/* The part of the prox-gradient in what it would be if all residuals fell together: |J'h'|/(|J||h'|), 0 at a minimum. */
static double slant(const lm *s)
{
    size_t n = s->base.n;
    double most = 0;
    lm_weights(s, s->r, s->by, NULL);
    for (size_t j = 0; j < s->base.d; j++) most = fmax(most, s->metric[j]);
    return s->base.residual / fmax(most * vec_norm(n, s->by), DBL_MIN);
}

/* Do fresh models promise what no trial found, or their slopes not vanish, beyond rounding? */
static int stalled(const lm *s)
{
    const lm_path *a = s->at;
    if (fabs(a->value) <= EXACT * fabs(a->origin)) return 0;
    int steep = s->base.residual > FLAT * a->steep && slant(s) > SLANT;
    return steep || a->promise > PROMISED * fabs(a->value);
}

static void finish(lm *s)
{
    const lm_path *a = s->at;
    method *m = &s->base;
    if (!(vec_norm(m->n * m->d, s->first) > 0))
        method_warn(m, "f never changed around the point: does it depend on x?");
    m->stage = LM_NOTHING;
    m->residual = lm_residual(s, NULL, 0);
    int stands = stalled(s);
    m->residual = lm_sure_residual(s);
    int promises = a->promise > PROMISED * fabs(a->value);
    int noisy = a->repeats && promises && a->promise < BEYOND_NOISE * lm_value_noise(s);
    if (lm_averages(s) || noisy)
        m->ended = ZO_AT_NOISE;
    else if (stands && (promises || !a->repeats))
        method_hand_over(m, "mean", "models of residuals promise what is not there")->value =
            lm_loss(s, s->r);
}

int lm_is_endless(lm *s)
{
    const lm_path *a = s->at;
    double far = 0;
    for (size_t j = 0; j < s->base.d; j++) far = fmax(far, fabs(s->centre[j]) / s->size[j]);
    if (!(far > FAR_AWAY && a->origin - a->value > FALLEN * (1 + fabs(a->origin)))) return 0;
    s->base.stage = LM_NOTHING;
    s->base.ended = ZO_AT_UNBOUNDED;
    return 1;
}

int lm_is_walled(lm *s, int failed)
{
    lm_path *a = s->at;
    if (!a->failed || a->value < 0.5 * a->from) {
        a->failed = 0;
        a->from = a->value;
    }
    a->failed += (uint64_t)failed;
    if (a->failed < WALLED) return 0;
    s->base.stage = LM_NOTHING;
    method_hand_over(&s->base, "mean", "steps lead to where there are no values");
    return 1;
}

/* ---- what is tried before it ------------------------------------------------------------------------------- */

void lm_begin_axes(lm *s, uint64_t stage)
{
    lm_path *a = s->at;
    s->base.stage = stage;
    a->lowest = a->value;
    for (size_t j = 0; j < s->base.d; j++) s->turn[j] = 0;
    vec_copy(s->base.d, s->centre, s->lower);
    vec_copy(s->base.n, s->r, s->lower_r);
}

/* Parameters that have lost their influence are sought at other sizes. 0: there are none, or it was done. */
static int seek_lost(lm *s)
{
    size_t lost = 0;
    if (s->at->sought++ >= SOUGHT) return 0;
    lm_begin_axes(s, LM_LOST);
    for (size_t j = 0; j < s->base.d; j++) {
        if (!lm_is_lost(s, j) || s->centre[j] == 0)
            s->turn[j] = AXIS_DONE;
        else
            lost++;
    }
    return lost && lm_plan_axes(s);
}

static int has_lost(const lm *s)
{
    for (size_t j = 0; j < s->base.d; j++)
        if (lm_is_lost(s, j)) return 1;
    return 0;
}

static void forget_trials(lm_path *a)
{
    a->refusals = a->stale = a->renewals = a->fresh = a->since = a->proven = 0;
    a->mark = INFINITY;
}

/* From x0 again, first with a metric that lets parameters go which are hardly felt, then with a smaller radius; the
 * differences there are known. */
static void start_over(lm *s)
{
    lm_path *a = s->at;
    lm_first_metric(s, a->returns++ ? LEAST_SCALE : FREE_SCALE);
    if (a->returns > 1) a->radius = a->good = a->first *= NEARER;
    forget_trials(a);
    lm_begin_anew(s, s->start, s->start_r, s->first, s->first_step);
    method_note(&s->base, "began again at x0 with radius %.2g (a parameter had lost its influence)",
                a->radius);
}

/* To the best end, where it was another one: its slopes are known. */
static void go_back(lm *s)
{
    lm_path *a = s->at;
    if (!(a->ended < a->value)) return;
    for (size_t j = 0; j < s->base.d; j++)
        s->work[j] = FRESH_LENGTH * fmax(fabs(s->end[j]), SMALL_COORDINATE * s->size[j]);
    forget_trials(a);
    a->checked = a->fresh = 1;
    lm_begin_anew(s, s->end, s->end_r, s->end_slope, s->work);
    lm_model(s);
}

/* 1: trials go on; 0: a question is planned, or it is over. */
static int end(lm *s)
{
    lm_path *a = s->at;
    keep_end(s);
    if (!a->proven && has_lost(s)) {
        if (seek_lost(s)) return 0;
        s->base.stage = LM_TRIAL;
        if (a->returns < RETURNS) {
            start_over(s);
            return 1;
        }
    }
    if (!a->proven && !lm_averages(s)) {
        go_back(s);
        a->probes = 0;
        a->astray = 0;
        lm_begin_axes(s, LM_PROOF);
        if (lm_plan_proof(s)) return 0;
    }
    finish(s);
    return 0;
}

int lm_conclude(lm *s)
{
    lm_path *a = s->at;
    int noisy = lm_averages(s);
    if (a->fresh && (a->stale || (a->repeats && a->renewals >= ROUNDED_RENEWALS)) && !noisy)
        return end(s);
    if (!a->checked || (!noisy && a->value < LESS * a->looked)) {
        if (noisy || a->rooted || !lm_plan_line(s)) lm_ask_again(s);
        return 0;
    }
    if (a->renewals >= (noisy ? NOISY_RENEWALS : RENEWALS)) return end(s);
    a->renewals++;
    a->refusals = a->stale = a->since = 0;
    a->checked = !noisy; /* noise: the centre is averaged each time */
    a->radius = fmax(a->radius, lm_noisy_length(s));
    lm_begin_axes(s, LM_FRESH);
    if (lm_plan_axes(s)) return 0;
    keep_end(s);
    finish(s);
    return 0;
}

/* ---- what was heard ------------------------------------------------------------------------------------------ */

int lm_found_lower(lm *s)
{
    lm_path *a = s->at;
    double before = a->value;
    if (a->lowest < before) lm_move_centre(s, s->lower, s->lower_r, a->lowest);
    if (!(a->value < before - LOWER * fabs(before) - 3 * lm_value_noise(s))) return 0;
    forget_trials(a);
    a->checked = 1;
    a->radius = fmax(a->radius, BACK * a->good);
    return 1;
}
