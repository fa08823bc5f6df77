/* lm: Levenberg-Marquardt on models of all residuals, where one evaluation at a point gives them all.
 * SPDX-License-Identifier: MIT
 *
 *   r at x0, and where psi is least; differences along the axes around the lower one  (points.c)
 *   repeat:
 *       models of all residuals from every secant seen            (secants.c, models.c)
 *       their minimizer within the trust region                   (trial.c)
 *       one evaluation: the better point is the centre, the radius follows actual/predicted
 *       refused, and a direction is hardly known: it is asked
 *       nothing is left, or four refusals: what is tried before the end   (end.c)
 * Every point teaches all models. */
#include <float.h>
#include <math.h>

#include "base/vec.h"
#include "method/core/rows.h"
#include "method/lm/lm.h"

static const double *told(const lm *s, size_t p) { return s->table + p * s->base.n; }
static const double *asked(const lm *s, size_t p) { return s->next + p * s->base.d; }
static double value_of(const lm *s, size_t p) { return lm_objective(s, asked(s, p), told(s, p)); }

/* ---- What is asked next ------------------------------------------------------------------------------- */

/* F is at rounding, or has hardly fallen for long. */
static int nothing_left(const lm *s)
{
    const lm_path *a = s->at;
    return (a->value >= 0 && a->value <= ROUNDING * a->origin) || a->since > 2 * (s->base.d + 1);
}

/* Two short steps in a row were refused: is it noise? */
static int suspected(const lm *s)
{
    const lm_path *a = s->at;
    return !a->checked && !a->rooted && a->refusals >= 2 &&
           a->length < SUSPECTED * lm_metric_norm(s);
}

static int used_up(const lm *s)
{
    const lm_path *a = s->at;
    return suspected(s) || a->refusals >= REFUSALS || a->stale > STALE || (a->stale && a->fresh);
}

/* The models' minimizer. 0: it promises nothing; 1: it is asked, or another method goes on. */
static int propose(lm *s)
{
    lm_path *a = s->at;
    lm_model(s);
    if (!lm_judge_roots(s)) return 1;
    s->base.residual = lm_residual(s, NULL, 0);
    a->predicted = lm_minimize(s, 1, s->z);
    a->steep = fmax(a->steep, s->base.residual);
    if (a->fresh) a->promise = a->predicted;
    a->length = lm_length(s, s->z) * a->radius;
    s->base.stage = LM_TRIAL;
    a->points = a->others = 0;
    int moves = lm_add_point(s, s->z);
    double least = (a->proven ? PROMISED : NOTHING) * fabs(a->value);
    if (!(a->predicted > least + lm_value_noise(s)) || !moves || nothing_left(s))
        a->stale = moves ? a->stale + 1 : STALE + 1;
    else
        a->stale = 0;
    return moves && !(a->stale > STALE || (a->stale && a->fresh));
}

/* The trial, or what follows when trials are used up. */
static void plan(lm *s)
{
    do {
        while (used_up(s))
            if (!lm_conclude(s)) return;
    } while (!propose(s));
    if (s->base.stage == LM_TRIAL && s->abreast > 1) lm_add_company(s);
}

static void plan_geometry(lm *s)
{
    lm_build(s);
    double variance = lm_unknown_point(s, s->z);
    s->at->points = 0;
    s->base.stage = LM_GEOMETRY;
    if (!(variance > UNKNOWN) || !lm_add_point(s, s->z)) plan(s);
}

/* ---- Differences ------------------------------------------------------------------------------------------ */

static void first_axes(lm *s)
{
    lm_begin_axes(s, LM_AXES);
    for (size_t j = lm_axes_paid(s); j < s->base.d; j++) s->turn[j] = AXIS_DONE;
    if (!lm_plan_axes(s)) s->base.stage = LM_NOTHING;
}

/* The centre is where it begins: differences around it. */
static void begin(lm *s)
{
    vec_copy(s->base.d, s->centre, s->start);
    vec_copy(s->base.n, s->r, s->start_r);
    if (!s->at->rooted || s->base.by_point)
        first_axes(s);
    else if (lm_axes_leave(s))
        lm_leave_roots(s, "psi allows no step along an axis");
    else
        s->base.stage = LM_LOOK;
}

/* Where psi is least F may be far lower than at x0: then it begins there. What is only somewhat lower may be another valley. */
static void hear_least(lm *s)
{
    double before = s->at->value, value = value_of(s, 0);
    if (value < fmin(MUCH_LOWER * before, before))
        lm_move_centre(s, asked(s, 0), told(s, 0), value);
    begin(s);
}

static void hear_start(lm *s)
{
    lm_path *a = s->at;
    method *m = &s->base;
    size_t d = m->d, n = m->n;
    vec_copy(d, m->x, s->centre);
    vec_copy(n, told(s, 0), s->r);
    a->value = a->best = lm_objective(s, s->centre, s->r);
    method_offer(m, m->x, a->value);
    a->mark = a->value;
    a->origin = m->height = fmax(a->value, m->height);
    double most = 0;
    for (size_t j = 0; j < d; j++) most = fmax(most, fabs(s->centre[j]));
    for (size_t j = 0; j < d; j++) {
        double x = fabs(s->centre[j]);
        double seen = method_begins_at_zero(x, most) ? 1 : x;
        s->size[j] = m->scale ? fmax(m->scale[j], DBL_MIN) : seen;
        s->metric[j] = 1 / s->size[j];
    }
    if (lm_plan_least(s))
        m->stage = LM_LEAST;
    else
        begin(s);
}

static void hear_look(lm *s, const double *answers)
{
    if (!lm_same_twice(s, answers))
        lm_leave_roots(s, "values have noise");
    else if (!method_may_follow(&s->base, "inq", NULL))
        first_axes(s); /* inq has been there */
    else if (lm_has_index(s, answers))
        lm_leave_roots(s, "components of one index");
    else if (lm_has_few_coordinates(s, answers))
        lm_leave_roots(s, "components of few coordinates");
    else
        first_axes(s);
}

/* A column of the first Jacobian. */
static void keep_first(lm *s, size_t j, size_t p)
{
    size_t d = s->base.d;
    double h = s->first_step[j] = asked(s, p)[j] - s->centre[j];
    for (size_t i = 0; i < s->base.n; i++) s->first[i * d + j] = (told(s, p)[i] - s->r[i]) / h;
}

/* One difference: a secant; or nothing finite, and the other side is to be asked. */
static void hear_axis(lm *s, size_t j, size_t p)
{
    double value = value_of(s, p);
    if (!isfinite(value)) {
        s->turn[j] = s->turn[j] == 0 ? 1 : AXIS_DONE;
        return;
    }
    if (s->base.stage == LM_AXES && lm_is_dwarfed(s, j, told(s, p))) return;
    s->turn[j] = AXIS_DONE;
    lm_teach(s, asked(s, p), told(s, p));
    if (s->base.stage == LM_AXES) keep_first(s, j, p);
    lm_keep_lower(s, asked(s, p), told(s, p), value);
}

static void hear_axes(lm *s)
{
    lm_path *a = s->at;
    int first = s->base.stage == LM_AXES;
    for (size_t p = 0, j = 0; p < a->points; p++, j++) hear_axis(s, j = lm_next_axis(s, j), p);
    if (lm_plan_axes(s)) return;
    if (first)
        lm_first_metric(s, LEAST_SCALE);
    else
        a->radius = fmax(a->radius, BACK * a->good);
    a->fresh = !first;
    if (a->lowest < a->value) lm_move_centre(s, s->lower, s->lower_r, a->lowest);
    plan(s);
}

/* ---- Trials ------------------------------------------------------------------------------------------------- */

/* What was asked beside the trial: all of it teaches, and the best is the centre if it is better. */
static void hear_company(lm *s, const double *centre, const double *r)
{
    lm_path *a = s->at;
    for (size_t p = 1; p < a->points; p++) {
        int candidate = p <= a->others;
        const double *from = candidate ? centre : asked(s, 0), *there = candidate ? r : told(s, 0);
        double value = value_of(s, p);
        int known = isfinite(value) && (candidate || isfinite(lm_loss(s, told(s, 0))));
        if (!known || fabs(value) > TEACHES * fabs(a->value)) continue;
        secants_add(&s->secants, s->centre, s->metric, from, there, asked(s, p), told(s, p));
        if (!(value < a->value)) continue;
        if (a->value - value > PROGRESS * fabs(a->value)) a->renewals = 0;
        lm_move_centre(s, asked(s, p), told(s, p), value);
        a->refusals = a->fresh = 0;
    }
}

/* The radius follows actual/predicted. */
static void set_radius(lm_path *a, double ratio, int taught)
{
    double radius = a->radius;
    if (!(ratio >= POOR))
        a->radius = fmin(radius, a->length) * (taught ? SHRINK : SHRINK_FAR);
    else if (ratio > GOOD && a->length > AT_EDGE * radius)
        a->radius = GROW * radius;
    else if (ratio > GOOD)
        a->radius = fmax(radius, GROW * a->length);
}

static void take_trial(lm *s, double value)
{
    lm_path *a = s->at;
    double won = a->value - value;
    if (won > PROGRESS * fabs(a->value)) a->renewals = 0;
    double noise = lm_value_noise(s);
    if (won > LOWER * fabs(a->value) + noise) a->proven = 0;
    if (won > 10 * NOTHING * fabs(a->value) + noise) a->fresh = 0;
    lm_move_centre(s, asked(s, 0), told(s, 0), value);
    a->good = a->length;
    a->refusals = 0;
}

static void hear_trial(lm *s)
{
    lm_path *a = s->at;
    double value = value_of(s, 0);
    double won = isfinite(value) ? a->value - value : -INFINITY, ratio = won / a->predicted;
    double noise = lm_value_noise(s);
    int taught = isfinite(value) && fabs(value) <= TEACHES * fabs(a->value);
    if (taught) lm_teach(s, asked(s, 0), told(s, 0));
    set_radius(a, (won + noise) / (a->predicted + noise), taught);
    a->radius = fmax(a->radius, lm_noisy_length(s));
    a->refusals++;
    if (a->points > 1) {
        vec_copy(s->base.d, s->centre, s->kept);
        vec_copy(s->base.n, s->r, s->rm);
    }
    if (won > 0) take_trial(s, value);
    if (a->points > 1) hear_company(s, s->kept, s->rm);
    if (lm_is_endless(s) || lm_is_walled(s, !isfinite(value))) return;
    if (!(ratio >= POOR) && a->refusals)
        plan_geometry(s);
    else
        plan(s);
}

static void hear_geometry(lm *s)
{
    double value = value_of(s, 0);
    if (isfinite(value)) lm_teach(s, asked(s, 0), told(s, 0));
    if (value < s->at->value) lm_move_centre(s, asked(s, 0), told(s, 0), value);
    plan(s);
}

/* ---- Noise, and the end ------------------------------------------------------------------------------------- */

static void hear_line(lm *s)
{
    if (!lm_hear_line(s)) plan(s);
}

static void hear_repeat(lm *s)
{
    lm_hear_repeat(s);
    plan(s);
}

/* A parameter that has lost its influence, at another size. */
static void hear_lost(lm *s)
{
    lm_path *a = s->at;
    for (size_t p = 0, j = 0; p < a->points; p++, j++) {
        j = lm_next_axis(s, j);
        if (++s->turn[j] >= LOST_SIZES) s->turn[j] = AXIS_DONE;
        lm_keep_lower(s, asked(s, p), told(s, p), value_of(s, p));
    }
    if (lm_plan_axes(s)) return;
    s->base.stage = LM_TRIAL;
    if (lm_found_lower(s))
        method_note(&s->base, "a parameter that had lost its influence was found again");
    plan(s);
}

/* Random directions: what is lower is gone to, and all of it teaches. */
static void hear_proof(lm *s)
{
    lm_path *a = s->at;
    for (size_t p = 0; p < a->points; p++) {
        double value = value_of(s, p);
        if (isfinite(value)) a->astray = fmax(a->astray, lm_astray(s, asked(s, p), told(s, p)));
        if (isfinite(value) && fabs(value) <= TEACHES * fabs(a->value) + DBL_MIN)
            lm_teach(s, asked(s, p), told(s, p));
        lm_keep_lower(s, asked(s, p), told(s, p), value);
    }
    if (lm_plan_proof(s)) return;
    s->base.stage = LM_TRIAL;
    if (!lm_found_lower(s)) {
        a->proven = 1;
        a->stale = a->refusals = 0;
    }
    plan(s);
}

/* ---- The row ------------------------------------------------------------------------------------------------ */

/* The difference to another point, such that x + difference is within bounds after rounding too. */
static double inside(const method *m, double x, double to, size_t j)
{
    double move = to - x;
    while (m->bounds && (x + move < m->bounds[j] || x + move > m->bounds[m->d + j]))
        move = nextafter(move, 0);
    return move;
}

static int lm_ask(method *m, zo_fan *fan)
{
    lm *s = (lm *)m;
    if (m->stage == LM_NOTHING) return 0;
    fan->each = 1;
    fan->radius = 1;
    if (m->stage == LM_START) return 1;
    if (m->stage == LM_LOOK) {
        lm_ask_look(s, fan);
        return 1;
    }
    if (s->at->points == 1) {
        fan->base[0] = s->next;
        return 1;
    }
    fan->base[0] = s->centre;
    fan->known = 1;
    fan->ndir = (size_t)s->at->points;
    fan->dir = s->dir;
    for (size_t p = 0; p < fan->ndir; p++)
        for (size_t j = 0; j < m->d; j++)
            s->dir[p * m->d + j] = inside(m, s->centre[j], s->next[p * m->d + j], j);
    return 1;
}

static void lm_tell(method *m, const double *answers)
{
    lm *s = (lm *)m;
    size_t points = m->stage == LM_START ? 1 : (size_t)s->at->points;
    if (m->stage == LM_LOOK) {
        hear_look(s, answers);
        return;
    }
    for (size_t p = 0; p < points; p++) {
        for (size_t i = 0; i < m->n; i++) s->table[p * m->n + i] = answers[i * points + p];
        if (m->stage != LM_START) zo_fan_point(&m->fan, 0, p, s->next + p * m->d);
    }
    if (m->stage == LM_START && !lm_find_roots(s)) return;
    if (!lm_take_roots(s, points)) return;
    if (s->at->value < s->at->mark - CRAWL * fabs(s->at->mark)) {
        s->at->mark = s->at->value;
        s->at->since = 0;
    }
    s->at->since += points;
    switch (m->stage) {
    case LM_START: hear_start(s); break;
    case LM_LEAST: hear_least(s); break;
    case LM_AXES:
    case LM_FRESH: hear_axes(s); break;
    case LM_TRIAL: hear_trial(s); break;
    case LM_GEOMETRY: hear_geometry(s); break;
    case LM_LINE: hear_line(s); break;
    case LM_REPEAT: hear_repeat(s); break;
    case LM_LOST: hear_lost(s); break;
    case LM_PROOF: hear_proof(s); break;
    }
}

/* Every point but the first is only tried. */
static int lm_bears(const method *m) { return m->stage > LM_START; }

static int lm_slopes(method *m, double *r, double *jac)
{
    lm *s = (lm *)m;
    const lm_path *a = s->at;
    if (a->ends && a->ended == a->best) {
        vec_copy(m->n, s->end_r, r);
        vec_copy(m->n * m->d, s->end_slope, jac);
        lm_unroot_slopes(s, r, jac);
        return 1;
    }
    int lower = a->lowest == a->best; /* a difference, or a direction of the proof */
    if (!s->secants.count || m->stage <= LM_AXES || (a->value != a->best && !lower)) return 0;
    double bend = a->bend;
    lm_build(s);
    s->at->bend = bend; /* who looks changes nothing */
    lm_slopes_at(s, a->value == a->best ? s->centre : s->lower, jac);
    vec_copy(m->n, a->value == a->best ? s->r : s->lower_r, r);
    lm_unroot_slopes(s, r, jac);
    return 1;
}

const method_row lm_row = {.info = ROW_LM,
                           .size = sizeof(lm),
                           .compares = 1,
                           .residuals = 1,
                           .open = lm_open,
                           .ask = lm_ask,
                           .tell = lm_tell,
                           .bears = lm_bears,
                           .suits = lm_suits,
                           .last_stage = LM_NOTHING,
                           .check = lm_check,
                           .slopes = lm_slopes,
                           .close = lm_close};
