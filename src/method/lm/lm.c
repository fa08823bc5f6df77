/* lm: Levenberg-Marquardt on models of all residuals, where one evaluation at a point gives them all.
 * SPDX-License-Identifier: MIT
 *
 *   r at x0, then differences along the axes
 *   repeat:
 *       models of all residuals from every secant seen            (secants.c)
 *       their minimizer within the trust region                   (trial.c)
 *       one evaluation: the better point is the centre, the radius follows actual/predicted
 *       refused, and a direction is hardly known: it is asked
 *       nothing is left, or four refusals: differences along all axes anew; if they agree, it is the end
 * Every point teaches all models. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "method/core/rows.h"
#include "method/lm/bytes.h"
#include "method/lm/lm.h"
#include "problem/problem.h"
#include "prox/prox.h"

/* ---- Memory ------------------------------------------------------------------------------------------ */

static size_t secants_wanted(size_t n, size_t d, double memory)
{
    double square = SECANTS_SQUARE * ((double)(d + 1) * (double)(d + 2) / 2 - 1);
    double least = 2 * (double)d + SECANTS_OVER, fits = memory / 16 / ((double)(n + d) + 1);
    return (size_t)fmin(fmax(fmin(square, SECANTS_MOST), least), fmax(fits, (double)d + 1));
}

static double hessian_bytes(size_t n, size_t d, size_t most)
{
    return 4 * (double)(n + most) * (double)d * (double)(d + 1);
}

double lm_bytes(size_t n, size_t d)
{
    double most = (double)secants_wanted(n, d, INFINITY), nd = (double)n * (double)d;
    return 8 * (2 * most * (double)(n + d) + most * most + 4 * nd) + quad_bytes(d, 0, d);
}

static int open_state(lm *s, size_t most)
{
    method *m = &s->base;
    size_t n = m->n, d = m->d;
    struct {
        const char *name;
        double **at;
        size_t count;
    } all[] = {{"centre", &s->centre, d},
               {"r", &s->r, n},
               {"metric", &s->metric, d},
               {"size", &s->size, d},
               {"start", &s->start, d},
               {"start r", &s->start_r, n},
               {"first", &s->first, n * d},
               {"first step", &s->first_step, d},
               {"end r", &s->end_r, n},
               {"end slope", &s->end_slope, n * d},
               {"next", &s->next, s->abreast * d},
               {"lower", &s->lower, d},
               {"lower r", &s->lower_r, n}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!(*all[k].at = state_numbers(m, all[k].name, all[k].count))) return 0;
    s->at = (lm_path *)state_numbers(m, "path", sizeof(lm_path) / 8);
    return s->at && secants_open(&s->secants, m, most);
}

static int open_scratch(lm *s, size_t most)
{
    size_t n = s->base.n, d = s->base.d;
    struct {
        double **at;
        size_t count;
    } all[] = {{&s->ways, s->abreast * d},
               {&s->table, n * s->abreast},
               {&s->dir, s->abreast * d},
               {&s->rm, n},
               {&s->jac, n * d},
               {&s->by, n},
               {&s->bends, n},
               {&s->matrix, d * d},
               {&s->factor, d * d},
               {&s->g, d},
               {&s->y, d},
               {&s->z, d},
               {&s->kept, d},
               {&s->trial, d},
               {&s->work, d},
               {&s->weight_x, d}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!(*all[k].at = mem_new(all[k].count, sizeof(double)))) return 0;
    int bent = hessian_bytes(n, d, most) <= HESSIANS * s->base.set.memory;
    return model_open(&s->model, n, d, most, bent) && !quad_open(&s->room, d, 0, d);
}

static zo_status lm_open(method *m, zo_error *err)
{
    lm *s = (lm *)m;
    method_gather(m);
    size_t most = secants_wanted(m->n, m->d, m->set.memory);
    s->abreast = isnan(m->set.abreast) ? 1 : (size_t)m->set.abreast;
    if (!open_state(s, most) || !open_scratch(s, most))
        return out_of_memory(err, "models of residuals", m->n * most);
    m->stage = LM_START;
    return ZO_OK;
}

static void lm_close(method *m)
{
    lm *s = (lm *)m;
    double *const all[] = {s->ways,  s->table,  s->dir,    s->rm,      s->jac, s->by,
                           s->bends, s->matrix, s->factor, s->g,       s->y,   s->z,
                           s->kept,  s->trial,  s->work,   s->weight_x};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
    model_close(&s->model);
    quad_close(&s->room);
}

/* ---- Points --------------------------------------------------------------------------------------------- */

static double *next_point(lm *s) { return s->next + s->at->points * s->base.d; }

/* Keeps the point in the domain of psi; 0: that leaves nothing of the move. */
static int hold(lm *s, const double *from, double *point)
{
    method *m = &s->base;
    if (!isfinite(prox_value(m->psi, m->d, point)))
        prox_apply(m->psi, m->d, 1e-300, point, point, m->prox_work);
    return memcmp(from, point, m->d * sizeof *point) != 0;
}

/* x + h e_j where psi allows it, or x - h e_j, or what is left of either. 0: the coordinate cannot move. */
static int axis_point(lm *s, const double *x, size_t j, double h, double *point)
{
    method *m = &s->base;
    for (int side = 0; side < 2; side++, h = -h) {
        vec_copy(m->d, x, point);
        point[j] += h;
        if (isfinite(prox_value(m->psi, m->d, point))) return point[j] != x[j];
    }
    for (int side = 0; side < 2; side++, h = -h) {
        vec_copy(m->d, x, point);
        point[j] += h;
        if (hold(s, x, point)) return 1;
    }
    return 0;
}

static double first_length(const lm *s, size_t j)
{
    return copysign(FIRST_LENGTH * s->size[j], s->start[j] < 0 ? -1 : 1);
}

/* The curvature that noise is measured by, per unit of the metric: 0 where noise is none. */
static double noisy_length(const lm *s)
{
    const lm_path *a = s->at;
    if (!(a->noise > 0)) return 0;
    double bend = sqrt(fmax(a->bend, DBL_MIN));
    return sqrt(2 * a->noise / bend);
}

static double fresh_length(const lm *s, size_t j)
{
    const lm_path *a = s->at;
    double x = fabs(s->centre[j]), own = fmax(x, SMALL_COORDINATE * s->size[j]);
    double h = fmin(FRESH_LENGTH * own, FRESH_OF_RADIUS * a->radius / s->metric[j]);
    h = fmax(h, SHORTEST * own);
    double noisy = fmin(noisy_length(s) / s->metric[j], 0.3 * fmax(x, s->size[j]));
    h = fmax(h, noisy);
    int turn = (s->centre[j] < 0) ^ (int)(a->renewals % 2 == 0);
    return turn ? -h : h;
}

/* Fills next with points along the axes from a->axis on. 0: no axis is left. */
static int plan_axes(lm *s, double (*length)(const lm *, size_t))
{
    lm_path *a = s->at;
    a->points = 0;
    for (uint64_t j = a->axis; j < s->base.d && a->points < s->abreast; j++) {
        double h = length(s, (size_t)j);
        if (a->turned) h = -h;
        if (axis_point(s, s->centre, (size_t)j, h, next_point(s)))
            a->points++;
        else if (!a->points)
            a->axis = j + 1;
        else
            break;
    }
    return a->points > 0;
}

/* The coordinate along which a difference went. */
static size_t axis_of(const lm *s, const double *point)
{
    size_t j = 0;
    while (j + 1 < s->base.d && point[j] == s->centre[j]) j++;
    return j;
}

/* ---- Evaluations ------------------------------------------------------------------------------------------ */

static void remember_best(lm *s, const double *x, double value)
{
    if (!(value < s->at->best) && !(s->at->noise > 0)) return;
    s->at->best = value;
    method_offer(&s->base, x, value);
    vec_copy(s->base.d, x, s->base.x);
    s->base.step++;
}

static void teach(lm *s, const double *x, const double *r)
{
    secants_add(&s->secants, s->centre, s->metric, s->centre, s->r, x, r);
}

static void move_centre(lm *s, const double *x, const double *r, double value)
{
    vec_copy(s->base.d, x, s->centre);
    vec_copy(s->base.n, r, s->r);
    s->at->value = value;
    remember_best(s, x, value);
}

static const double *told(const lm *s, size_t p) { return s->table + p * s->base.n; }
static const double *asked(const lm *s, size_t p) { return s->next + p * s->base.d; }

/* ---- Stages: what follows ------------------------------------------------------------------------------- */

static void begin_axes(lm *s, uint64_t stage)
{
    lm_path *a = s->at;
    s->base.stage = stage;
    a->axis = a->turned = 0;
    a->lowest = a->value;
    vec_copy(s->base.d, s->centre, s->lower);
    vec_copy(s->base.n, s->r, s->lower_r);
}

/* Slopes at the centre, in x. */
static void slopes_of(const lm *s, double *jac)
{
    size_t d = s->base.d;
    for (size_t k = 0; k < s->base.n * d; k++) jac[k] = s->model.slope[k] * s->model.scale[k % d];
}

static void keep_end(lm *s)
{
    lm_path *a = s->at;
    if (a->ends++ && !(a->value < a->ended)) return;
    a->ended = a->value;
    vec_copy(s->base.n, s->r, s->end_r);
    slopes_of(s, s->end_slope);
}

static void finish(lm *s)
{
    size_t n = s->base.n, d = s->base.d;
    if (!(vec_norm(n * d, s->first) > 0))
        method_warn(&s->base, "f never changed around the point: does it depend on x?");
    s->base.stage = LM_NOTHING;
    if (s->at->noise > 0) s->base.ended = ZO_AT_NOISE;
    s->base.residual = lm_residual(s);
}

/* |D x|, and what is rounded: the size of r and J x. */
static double metric_norm(const lm *s)
{
    double squares = 0;
    for (size_t j = 0; j < s->base.d; j++) {
        double v = s->metric[j] * s->centre[j];
        squares += v * v;
    }
    return sqrt(squares);
}

static double residual_size(const lm *s)
{
    return (vec_norm(s->base.n, s->r) + metric_norm(s)) / sqrt((double)s->base.n);
}

/* Noise, or at least rounding, in units of the curvature over the radius. */
static double noise_ratio(const lm *s)
{
    const lm_path *a = s->at;
    double size = residual_size(s), root = sqrt((double)s->base.n);
    double part = fmin(1, a->radius / (root * size + DBL_MIN)); /* of |Dx| */
    double bend = fmax(sqrt(a->bend) * a->radius * a->radius, LEAST_BEND * size * part * part);
    return fmax(a->noise, ROUNDED * size) / fmax(bend, DBL_MIN);
}

static void build(lm *s)
{
    lm_path *a = s->at;
    model_build(&s->model, &s->secants, s->centre, s->r, s->metric, a->radius, noise_ratio(s));
    if (a->noise > 0) return; /* what bends is not told from what is noise */
    a->bend = s->model.bend / (a->radius * a->radius * a->radius * a->radius);
}

/* The metric grows with the columns of the Jacobian, and never shrinks. 1: it grew. */
static int grow_metric(lm *s)
{
    size_t n = s->base.n, d = s->base.d;
    int grew = 0;
    for (size_t j = 0; j < d; j++) {
        double squares = 0;
        for (size_t i = 0; i < n; i++)
            squares += s->model.slope[i * d + j] * s->model.slope[i * d + j];
        double column = sqrt(squares) * s->model.scale[j];
        if (!(column > s->metric[j])) continue;
        grew |= column > s->metric[j] * 1.0001;
        s->metric[j] = column;
    }
    return grew;
}

/* Has a parameter lost its influence? Then this may be the edge of the world, not its bottom. */
static int has_died(lm *s)
{
    size_t n = s->base.n, d = s->base.d;
    for (size_t j = 0; j < d; j++) {
        double squares = 0, before = 0;
        for (size_t i = 0; i < n; i++) {
            squares += s->model.slope[i * d + j] * s->model.slope[i * d + j];
            before += s->first[i * d + j] * s->first[i * d + j];
        }
        double column = sqrt(squares) * s->model.scale[j];
        if (before > 0 && column < DEAD * s->metric[j]) return 1;
    }
    return 0;
}

/* The metric from the first differences, and the first radius. */
static void first_metric(lm *s, double least)
{
    size_t n = s->base.n, d = s->base.d;
    double top = 0, squares = 0, sizes = 0;
    for (size_t j = 0; j < d; j++) {
        double column = 0;
        for (size_t i = 0; i < n; i++) column += s->first[i * d + j] * s->first[i * d + j];
        s->metric[j] = sqrt(column);
        top = fmax(top, s->metric[j] * s->size[j]);
    }
    if (!(top > 0)) top = 1;
    for (size_t j = 0; j < d; j++) {
        s->metric[j] = fmax(s->metric[j], least * top / s->size[j]);
        squares += s->metric[j] * s->start[j] * s->metric[j] * s->start[j];
        sizes += s->metric[j] * s->size[j] * s->metric[j] * s->size[j];
    }
    lm_path *a = s->at;
    a->first = FIRST_RADIUS * sqrt(squares > 0 ? squares : sizes);
    a->radius = a->good = a->first;
}

/* From x0 again, first with a metric that lets parameters go which are hardly felt, then with a smaller radius; the
 * differences there are known. */
static void start_over(lm *s)
{
    lm_path *a = s->at;
    size_t n = s->base.n, d = s->base.d;
    first_metric(s, a->returns++ ? LEAST_SCALE : FREE_SCALE);
    if (a->returns > 1) a->radius = a->good = a->first *= NEARER;
    a->refusals = a->stale = a->renewals = a->fresh = a->since = 0;
    a->mark = INFINITY;
    s->secants.count = 0;
    vec_copy(d, s->start, s->centre);
    vec_copy(n, s->start_r, s->r);
    a->value = lm_objective(s, s->centre, s->r);
    for (size_t j = 0; j < d; j++) {
        if (s->first_step[j] == 0) continue;
        vec_copy(d, s->start, s->trial);
        s->trial[j] += s->first_step[j];
        for (size_t i = 0; i < n; i++)
            s->rm[i] = s->start_r[i] + s->first[i * d + j] * s->first_step[j];
        teach(s, s->trial, s->rm);
    }
    method_note(&s->base, "began again at x0 with radius %.2g (a parameter had lost its influence)",
                a->radius);
}

static void end_or_return(lm *s)
{
    keep_end(s);
    if (s->at->returns < RETURNS && has_died(s))
        start_over(s);
    else
        finish(s);
}

/* Adds the point unless psi leaves nothing of it. */
static int add_point(lm *s, const double *point)
{
    if (s->at->points >= s->abreast) return 0;
    vec_copy(s->base.d, point, next_point(s));
    if (!hold(s, s->centre, next_point(s))) return 0;
    s->at->points++;
    return 1;
}

/* Downhill along the direction that is known least, GEOMETRY_LENGTH of the radius; returns its variance. */
static double unknown_point(lm *s, double *point)
{
    size_t n = s->base.n, d = s->base.d;
    double variance = model_unknown(&s->model, 1, s->y), slope = 0;
    lm_weights(s, s->r, s->by, NULL);
    for (size_t i = 0; i < n; i++) slope += s->by[i] * vec_dot(d, s->model.slope + i * d, s->y);
    double length = fmax(GEOMETRY_LENGTH, noisy_length(s) / s->at->radius);
    double t = slope > 0 ? -length : length;
    for (size_t j = 0; j < d; j++) point[j] = s->centre[j] + t * s->y[j] / s->model.scale[j];
    return variance;
}

/* What other workers do meanwhile: the models' minimizers at other radii, and differences around the trial, along the
 * directions that are known least. If the trial is taken, its slopes are then known. */
static void add_company(lm *s)
{
    lm_path *a = s->at;
    size_t d = s->base.d;
    const double at[] = {SHORTER, LONGER};
    for (size_t k = 0; k < 2 && s->abreast >= CANDIDATES_FROM; k++) {
        lm_minimize(s, at[k], s->ways);
        if (memcmp(s->ways, s->next, d * sizeof *s->ways))
            a->others += (uint64_t)add_point(s, s->ways);
    }
    size_t room = s->abreast - (size_t)a->points, count = room < d ? room : d;
    model_unknown(&s->model, count, s->ways);
    double length = COMPANY_LENGTH * a->length / a->radius;
    for (size_t k = 0; k < count; k++) {
        for (size_t j = 0; j < d; j++)
            s->z[j] = s->next[j] + length * s->ways[k * d + j] / s->model.scale[j];
        if (memcmp(s->z, s->next, d * sizeof *s->z)) add_point(s, s->z);
    }
}

/* F is at rounding, or has hardly fallen for long. */
static int nothing_left(const lm *s)
{
    const lm_path *a = s->at;
    return (a->value >= 0 && a->value <= ROUNDING * a->origin) || a->since > 2 * (s->base.d + 1);
}

/* The trial, or the end of trials. */
static void plan(lm *s)
{
    lm_path *a = s->at;
    for (;;) {
        if (a->refusals >= REFUSALS || a->stale > STALE || (a->stale && a->fresh)) {
            if (a->fresh && a->stale && !(a->noise > 0)) {
                end_or_return(s);
            } else if (!a->checked) {
                s->base.stage = LM_REPEAT;
                a->points = 0;
                vec_copy(s->base.d, s->centre, s->next);
                a->points = 1;
            } else if (a->renewals >= (a->noise > 0 ? NOISY_RENEWALS : RENEWALS)) {
                end_or_return(s);
            } else {
                a->renewals++;
                a->refusals = a->stale = a->since = 0;
                a->checked = !(a->noise > 0); /* noise: the centre is averaged each time */
                a->radius = fmax(a->radius, noisy_length(s));
                begin_axes(s, LM_FRESH);
                if (plan_axes(s, fresh_length)) return;
                keep_end(s);
                finish(s);
            }
            if (s->base.stage != LM_TRIAL) return;
            continue; /* it began again at x0 */
        }
        build(s);
        if (grow_metric(s)) build(s);
        s->base.residual = lm_residual(s);
        a->predicted = lm_minimize(s, 1, s->z);
        a->length = lm_length(s, s->z) * a->radius;
        s->base.stage = LM_TRIAL;
        a->points = a->others = 0;
        int moves = add_point(s, s->z);
        if (!(a->predicted > NOTHING * fabs(a->value)) || !moves || nothing_left(s))
            a->stale = moves ? a->stale + 1 : STALE + 1;
        else
            a->stale = 0;
        if (!moves || a->stale > STALE || (a->stale && a->fresh)) continue;
        if (s->abreast > 1) add_company(s);
        return;
    }
}

static void plan_geometry(lm *s)
{
    lm_path *a = s->at;
    build(s);
    double variance = unknown_point(s, s->z);
    a->points = 0;
    s->base.stage = LM_GEOMETRY;
    if (!(variance > UNKNOWN) || !add_point(s, s->z)) plan(s);
}

/* ---- Hearing ------------------------------------------------------------------------------------------------ */

static void hear_start(lm *s)
{
    lm_path *a = s->at;
    method *m = &s->base;
    size_t d = m->d, n = m->n;
    vec_copy(d, m->x, s->start);
    vec_copy(n, told(s, 0), s->start_r);
    vec_copy(d, m->x, s->centre);
    vec_copy(n, told(s, 0), s->r);
    a->value = a->best = lm_objective(s, s->centre, s->r);
    method_offer(m, m->x, a->value);
    a->origin = a->mark = a->value;
    for (size_t j = 0; j < d; j++) {
        double x = fabs(s->start[j]);
        s->size[j] = m->scale ? fmax(m->scale[j], DBL_MIN) : x > 0 ? x : 1;
        s->metric[j] = 1 / s->size[j];
    }
    begin_axes(s, LM_AXES);
    if (!plan_axes(s, first_length)) s->base.stage = LM_NOTHING;
}

/* One difference: a secant, a column of the first Jacobian, or nothing. */
static void hear_axis(lm *s, size_t p)
{
    lm_path *a = s->at;
    size_t n = s->base.n, d = s->base.d, j = axis_of(s, asked(s, p));
    double value = lm_objective(s, asked(s, p), told(s, p));
    double h = asked(s, p)[j] - s->centre[j];
    if (!isfinite(value)) {
        a->turned = !a->turned;
        a->axis = a->turned ? j : j + 1;
        return;
    }
    a->turned = 0;
    a->axis = j + 1;
    teach(s, asked(s, p), told(s, p));
    if (s->base.stage == LM_AXES) {
        s->first_step[j] = h;
        for (size_t i = 0; i < n; i++) s->first[i * d + j] = (told(s, p)[i] - s->r[i]) / h;
    }
    if (value < a->lowest) {
        a->lowest = value;
        vec_copy(d, asked(s, p), s->lower);
        vec_copy(n, told(s, p), s->lower_r);
        remember_best(s, s->lower, value);
    }
}

static void hear_axes(lm *s)
{
    lm_path *a = s->at;
    for (size_t p = 0; p < a->points; p++) hear_axis(s, p);
    int first = s->base.stage == LM_AXES;
    if (a->axis < s->base.d && plan_axes(s, first ? first_length : fresh_length)) return;
    if (first)
        first_metric(s, LEAST_SCALE);
    else
        a->radius = fmax(a->radius, BACK * a->good);
    a->fresh = !first;
    if (a->lowest < a->value) move_centre(s, s->lower, s->lower_r, a->lowest);
    plan(s);
}

/* What was asked beside the trial: all of it teaches, and the best is the centre if it is better. */
static void hear_company(lm *s, const double *centre, const double *r)
{
    lm_path *a = s->at;
    for (size_t p = 1; p < a->points; p++) {
        int candidate = p <= a->others;
        const double *from = candidate ? centre : asked(s, 0), *there = candidate ? r : told(s, 0);
        double value = lm_objective(s, asked(s, p), told(s, p));
        int known = isfinite(value) && (candidate || isfinite(lm_loss(s, told(s, 0))));
        if (!known || fabs(value) > TEACHES * fabs(a->value)) continue;
        secants_add(&s->secants, s->centre, s->metric, from, there, asked(s, p), told(s, p));
        if (!(value < a->value)) continue;
        if (a->value - value > PROGRESS * fabs(a->value)) a->renewals = 0;
        move_centre(s, asked(s, p), told(s, p), value);
        a->refusals = a->fresh = 0;
    }
}

static void hear_trial(lm *s)
{
    lm_path *a = s->at;
    double value = lm_objective(s, asked(s, 0), told(s, 0));
    double won = isfinite(value) ? a->value - value : -INFINITY, ratio = won / a->predicted;
    int taught = isfinite(value) && fabs(value) <= TEACHES * fabs(a->value);
    if (taught) teach(s, asked(s, 0), told(s, 0));
    double radius = a->radius;
    if (!(ratio >= POOR))
        a->radius = fmin(radius, a->length) * (taught ? SHRINK : SHRINK_FAR);
    else if (ratio > GOOD && a->length > AT_EDGE * radius)
        a->radius = GROW * radius;
    else if (ratio > GOOD)
        a->radius = fmax(radius, GROW * a->length);
    a->refusals++;
    if (a->points > 1) {
        vec_copy(s->base.d, s->centre, s->kept);
        vec_copy(s->base.n, s->r, s->rm);
    }
    if (won > 0) {
        if (won > PROGRESS * fabs(a->value)) a->renewals = 0;
        if (won > 10 * NOTHING * fabs(a->value)) a->fresh = 0;
        move_centre(s, asked(s, 0), told(s, 0), value);
        a->good = a->length;
        a->refusals = 0;
    }
    if (a->points > 1) hear_company(s, s->kept, s->rm);
    if (!(ratio >= POOR) && a->refusals)
        plan_geometry(s);
    else
        plan(s);
}

static void hear_geometry(lm *s)
{
    lm_path *a = s->at;
    double value = lm_objective(s, asked(s, 0), told(s, 0));
    if (isfinite(value)) teach(s, asked(s, 0), told(s, 0));
    if (value < a->value) move_centre(s, asked(s, 0), told(s, 0), value);
    plan(s);
}

/* Noise it is: differences are long from now on, and the value at the centre is an average. */
static void hear_noise(lm *s, double noise)
{
    lm_path *a = s->at;
    if (!(a->noise > 0))
        method_note(&s->base, "noise %.2g in residuals: longer differences, averages", noise);
    a->noise = a->noise > 0 ? sqrt(0.5 * (a->noise * a->noise + noise * noise)) : noise;
    double far = fmax(metric_norm(s), DBL_MIN), bend = NOISY_BEND * residual_size(s) / (far * far);
    a->bend = bend * bend;
    a->best = a->value;
    s->base.set.noise = a->noise;
    vec_copy(s->base.d, s->centre, s->base.x);
}

/* The same point again: what differs is noise. */
static void hear_repeat(lm *s)
{
    lm_path *a = s->at;
    double squares = 0;
    a->checked = 1;
    for (size_t i = 0; i < s->base.n; i++) {
        double off = told(s, 0)[i] - s->r[i];
        squares += 0.5 * off * off;
        if (isfinite(off)) s->r[i] += 0.5 * off;
    }
    double noise = isfinite(squares) ? sqrt(squares / (double)s->base.n) : 0;
    a->value = lm_objective(s, s->centre, s->r);
    if (noise > NOISE_SEEN * residual_size(s)) hear_noise(s, noise);
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
    for (size_t p = 0; p < points; p++) {
        for (size_t i = 0; i < m->n; i++) s->table[p * m->n + i] = answers[i * points + p];
        if (m->stage != LM_START) zo_fan_point(&m->fan, 0, p, s->next + p * m->d);
    }
    if (s->at->value < s->at->mark - CRAWL * fabs(s->at->mark)) {
        s->at->mark = s->at->value;
        s->at->since = 0;
    }
    s->at->since += points;
    switch (m->stage) {
    case LM_START: hear_start(s); break;
    case LM_AXES:
    case LM_FRESH: hear_axes(s); break;
    case LM_TRIAL: hear_trial(s); break;
    case LM_GEOMETRY: hear_geometry(s); break;
    case LM_REPEAT: hear_repeat(s); break;
    }
}

/* Every point but the first is only tried. */
static int lm_bears(const method *m) { return m->stage != LM_START; }

static int lm_slopes(method *m, double *r, double *jac)
{
    lm *s = (lm *)m;
    const lm_path *a = s->at;
    if (a->ends && a->ended == a->best) {
        vec_copy(m->n, s->end_r, r);
        vec_copy(m->n * m->d, s->end_slope, jac);
        return 1;
    }
    if (!s->secants.count || m->stage <= LM_AXES || a->value != a->best) return 0;
    build(s);
    vec_copy(m->n, s->r, r);
    slopes_of(s, jac);
    return 1;
}

static const char *lm_check(const method *m)
{
    const lm *s = (const lm *)m;
    if (s->at->points > s->abreast) return "'path' asks more points than a fan may have";
    if (s->at->others > s->at->points) return "'path' has more candidates than points";
    if (s->at->axis > m->d) return "'path' is past the last axis";
    return NULL;
}

const method_row lm_row = {.info = ROW_LM,
                           .size = sizeof(lm),
                           .compares = 1,
                           .residuals = 1,
                           .open = lm_open,
                           .ask = lm_ask,
                           .tell = lm_tell,
                           .bears = lm_bears,
                           .last_stage = LM_NOTHING,
                           .check = lm_check,
                           .slopes = lm_slopes,
                           .close = lm_close};
