/* inq: what answers say about components.
 * SPDX-License-Identifier: MIT
 *
 * A difference gradient J at x gives the direction u = (J - mu x)/|J - mu x|; one more value along it the
 * bend; then J is corrected by its own forward error, (r/2)(bend u_j^2 + mu) in coordinate j. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "base/rng.h"
#include "base/vec.h"
#include "method/inq/row.h"
#include "method/inq/ridge.h"

/* A component whose gradient was not above rounding has no direction: it counts as constant until its value changes, and
 * is then asked again. */
static int is_blurred(const inq *s, uint64_t i) { return inq_curve(s, i)->size == 0; }

static double square(double v) { return v * v; }

/* Where own questions are not allowed, all are asked along one random p: a normal number times the radius for each. */
void inq_common_direction(inq *s, double *p)
{
    method *m = &s->base;
    int bends = m->stage == ASK_BEND || m->stage == ASK_REBEND;
    rng_normals(m->set.seed, FOR_DIRECTION, s->sample.asked, 0, m->d, p);
    vec_scale(m->d, s->scale.length * (bends ? inq_bend_part(s) : inq_renew_part(s)), p);
}

/* A question beside x: t = u'x changes by far, and x'x/2 by ridge up and by even + ridge, even - ridge both ways. */
typedef struct beside {
    double far, least; /* far below least says nothing */
    double odd, even;  /* x'p and p'p/2 */
} beside;

static beside beside_x(inq *s, uint64_t i, double (*radius)(const inq *s, uint64_t i))
{
    method *m = &s->base;
    double *p = s->told, v = radius(s, i);
    const double *x = inq_place(s);
    if (m->set.own && m->bounds) { /* as ask.c turned it */
        inq_row_put(s, i, v, p);
        method_turn(m, x, p);
        return (beside){inq_row_dot(s, i, p), 0, vec_dot(m->d, x, p), 0.5 * vec_dot(m->d, p, p)};
    }
    if (m->set.own) return (beside){v, 0, v * inq_row_dot(s, i, x), 0.5 * v * v};
    double part =
        s->scale.length * (radius == inq_bend_radius ? inq_bend_part(s) : inq_renew_part(s));
    return (beside){inq_row_dot(s, i, p), along_least * part, vec_dot(m->d, x, p),
                    0.5 * vec_dot(m->d, p, p)};
}

/* ---- New components ------------------------------------------------------------------------------ */

static void fetch_curve(const inq *s, uint64_t i)
{
    if (method_mine(&s->base, i)) vec_fetch(sizeof(curve) / 8, &inq_curve(s, i)->at);
}

/* Its row will be as long as the last one. */
static void fetch_new(const inq *s, uint64_t i, uint64_t last)
{
    fetch_curve(s, i);
    if (!method_mine(&s->base, i)) return;
    if (method_mine(&s->base, last) && !inq_is_short(s, last))
        vec_fetch(s->base.d, inq_row(s, i));
    else
        vec_fetch(inq_few(s) / 2, inq_short(s, i));
}

void inq_learn_gradient(inq *s, const double *answers)
{
    method *m = &s->base;
    size_t set = zo_fan_set(&m->fan);
    inq_ridge_along(s);
    for (size_t e = 0; e < m->fan.ncomp; e++) {
        uint64_t i = m->fan.comp[e];
        if (e + AHEAD < m->fan.ncomp) fetch_new(s, m->fan.comp[e + AHEAD], i);
        s->asked[i] = (visits){(uint32_t)s->points.count, (uint32_t)s->points.count};
        if (!method_mine(m, i)) continue;
        curve *c = inq_curve(s, i);
        assert(s->weights[inq_at(s, i)] == 0); /* of a new component, or one without a direction */
        c->f = answers[e * set];
        c->size = inq_learn_row(s, i, answers + e * set);
        c->point = inq_place_number(s);
    }
}

/* Where p was nearly across u_i, what the bends of the others suggest: bend ~ size^2. */
static void guess_bends(inq *s)
{
    method *m = &s->base;
    const uint64_t *comp = m->fan.comp;
    double known[2];
    for (size_t e = 0; e < m->fan.ncomp; e++) {
        if (!method_mine(m, comp[e])) continue;
        double bend = s->bend[inq_at(s, comp[e])];
        s->entry[2 * e] = isnan(bend) ? 0 : fmax(bend, 0);
        s->entry[2 * e + 1] = isnan(bend) ? 0 : square(inq_curve(s, comp[e])->size);
    }
    method_sum(m, m->fan.ncomp, comp, 2, s->entry, known, s->tree, s->index);
    for (size_t e = 0; e < m->fan.ncomp; e++) {
        if (!method_mine(m, comp[e])) continue;
        double *bend = &s->bend[inq_at(s, comp[e])];
        if (isnan(*bend))
            *bend = known[1] > 0 ? known[0] / known[1] * square(inq_curve(s, comp[e])->size) : 0;
    }
}

/* NAN: p says nothing. */
static double bend_along(inq *s, uint64_t i, double value)
{
    const curve *c = inq_curve(s, i);
    beside q = beside_x(s, i, inq_bend_radius);
    double rise = (value - c->f) - s->ridge.mu * (q.odd + q.even) - q.far * c->size;
    return fabs(q.far) > q.least ? 2 * rise / (q.far * q.far) : NAN;
}

/* Along one p for all. */
static void read_bends(inq *s, const double *answers)
{
    const method *m = &s->base;
    inq_common_direction(s, s->told);
    for (size_t e = 0; e < m->fan.ncomp; e++)
        if (method_mine(m, m->fan.comp[e]))
            s->bend[inq_at(s, m->fan.comp[e])] = bend_along(s, m->fan.comp[e], answers[e]);
    guess_bends(s);
}

void inq_learn_bend(inq *s, const double *answers)
{
    method *m = &s->base;
    double ridge = inq_ridge(s, inq_place(s)), far = vec_norm(m->d, inq_place(s)),
           r = method_radius(m, 1);
    if (!m->set.own) read_bends(s, answers);
    for (size_t e = 0; e < m->fan.ncomp; e++) {
        uint64_t i = m->fan.comp[e];
        inq_fetch_entry(s, &m->fan, e);
        if (!method_mine(m, i)) continue;
        curve *c = inq_curve(s, i);
        double bend = m->set.own ? bend_along(s, i, answers[e]) : s->bend[inq_at(s, i)];
        if (isnan(bend)) bend = 0;
        if (c->size <= inq_blur_at(s, r, far, c->f, bend))
            c->size = s->kept[inq_at(s, i)] = bend = 0;
        else if (m->set.sides == 1 && inq_rule(s, RULE_UNBIAS))
            c->size = inq_row_unbias(s, i, r, c->size, bend);
        c->now = inq_row_dot(s, i, inq_place(s));
        curve_base(c, c->now, c->f - ridge, c->size, bend);
    }
}

/* ---- Components at a new point ------------------------------------------------------------------- */

static uint64_t member(const inq *s, size_t e)
{
    return s->base.fan.comp ? s->base.fan.comp[e] : e;
}

static int learn_value(inq *s, uint64_t i, double value, double ridge, double least)
{
    curve *c = inq_curve(s, i);
    double noise = inq_coarse(s, roundings_of_value, fabs(value) + ridge);
    c->f = value;
    if (is_blurred(s, i))
        return fabs(c->f - ridge - c->h) > value_seen * s->scale.value + noise ? DIRECTION_IN_DOUBT
                                                                               : CERTAIN;
    int doubted = curve_learn(c, c->now, c->f - ridge, noise, least);
    return doubted || !inq_rule(s, RULE_KNOTS) ? CURVE_IN_DOUBT : CERTAIN;
}

/* Values of the sample at x: each curve learns, and those in doubt go to todo, at its end those whose direction is in
 * doubt too. A slope that is off by less than least cannot be seen in F. */
void inq_learn_values(inq *s, const double *answers)
{
    method *m = &s->base;
    double ridge = inq_ridge(s, inq_place(s)),
           least = slope_seen * sqrt(s->scale.value * s->model.bend);
    for (size_t e = 0; e < m->fan.ncomp; e++) {
        uint64_t i = member(s, e);
        if (m->fan.comp && e + AHEAD < m->fan.ncomp) fetch_curve(s, member(s, e + AHEAD));
        if (!method_mine(m, i)) continue;
        int known = s->asked[i].full > 0; /* it is in the sample */
        s->mark[inq_at(s, i)] =
            (unsigned char)(known ? learn_value(s, i, answers[e], ridge, least) : CERTAIN);
    }
    method_marks(m, s->mark, s->marks);
    plan_clear(&s->plan);
    plan_clear_tail(&s->plan);
    for (size_t e = 0; e < m->fan.ncomp; e++) {
        uint64_t i = member(s, e);
        if (s->marks[i] == DIRECTION_IN_DOUBT)
            plan_add_tail(&s->plan, i);
        else if (s->marks[i] == CURVE_IN_DOUBT)
            plan_add(&s->plan, i);
    }
}

/* A curve in doubt that p says nothing of goes on as it was foretold, unless that is out of all proportion. */
static void keep_going(curve *c, double h)
{
    curve_value v = curve_at(c, c->now);
    int is_wild = fabs(v.slope) > wild * (fabs(c->slope) + c->size);
    curve_base(c, c->now, h, is_wild ? c->slope : v.slope, is_wild ? c->bend : v.bend);
}

void inq_learn_renewed(inq *s, const double *answers)
{
    method *m = &s->base;
    double ridge = inq_ridge(s, inq_place(s)), mu = s->ridge.mu;
    if (!m->set.own) inq_common_direction(s, s->told);
    for (size_t e = 0; e < m->fan.ncomp; e++) {
        uint64_t i = m->fan.comp[e];
        inq_fetch_entry(s, &m->fan, e);
        if (!method_mine(m, i)) continue;
        curve *c = inq_curve(s, i);
        beside q = beside_x(s, i, inq_renew_radius);
        double up = answers[2 * e], down = answers[2 * e + 1];
        if (is_blurred(s, i)) {
            curve_base(c, c->now, c->f - ridge, 0, 0);
        } else if (fabs(q.far) > q.least) {
            double slope = ((up - down) / 2 - mu * q.odd) / q.far;
            double bend = ((up - c->f) + (down - c->f) - 2 * mu * q.even) / (q.far * q.far);
            curve_base(c, c->now, c->f - ridge, slope, bend);
        } else {
            keep_going(c, c->f - ridge);
        }
    }
}

/* ---- Spot checks --------------------------------------------------------------------------------- */

/* With more = mu_true - mu, what was found at z_i is size u_i = h'(z) a_i + more z_i, and at x the gradient less
 * mu x is h'(x) a_i + more x = ratio size u_i + more (x - ratio z_i), ratio = h'(x)/h'(z): across u_i there is
 * only more (x - ratio z_i). What that does not explain is noise, or says that f_i has more than one direction. */
typedef struct regression { /* numbers only: summed over components */
    double against, square, rest,
        total;    /* r'D, D'D, r'r across u_i; J'J, or a little of that at z_i */
    double noise; /* what noise makes of r'r */
} regression;

static void compare(inq *s, uint64_t i, double *gradient, regression *to)
{
    method *m = &s->base;
    const curve *c = inq_curve(s, i);
    const double *z = s->point + ((size_t)c->point - 1) * m->d;
    curve_value v = curve_at(c, c->now);
    double r = method_radius(m, 1), mu = s->ridge.mu, *far = s->work, *u = s->lost;
    inq_row_put(s, i, 1, u);
    if (m->set.sides == 1)
        for (size_t j = 0; j < m->d; j++)
            gradient[j] -= 0.5 * method_reach(m, m->x, j, r) * (v.bend * u[j] * u[j] + mu);
    /* on a flat side J says nothing, and with noise little where it is small */
    double once = (inq_noise(s) > 0 ? 1 : flat_side) * c->size;
    to->total = fmax(vec_dot(m->d, gradient, gradient), square(once));
    vec_add(m->d, -mu, m->x, gradient);
    double along = vec_dot(m->d, u, gradient), ratio = c->size > 0 ? along / c->size : 0;
    vec_add(m->d, -along, u, gradient);
    int whole = !inq_is_short(s, i); /* where a short row is 0, more z_i is not in it */
    for (size_t j = 0; j < m->d; j++) far[j] = m->x[j] - (whole || u[j] != 0 ? ratio * z[j] : 0);
    vec_add(m->d, -vec_dot(m->d, u, far), u, far);
    to->against = vec_dot(m->d, gradient, far);
    to->square = vec_dot(m->d, far, far);
    to->rest = vec_dot(m->d, gradient, gradient);
    double then =
        isnan(m->set.radius) ? r * fmax(1, vec_norm(m->d, z)) / fmax(1, vec_norm(m->d, m->x)) : r;
    to->noise = 2 * (double)m->d * square(inq_noise(s)) * (1 / square(r) + square(ratio / then));
}

/* It was nothing but the ridge. */
static void lose_direction(inq *s, uint64_t i)
{
    curve *c = inq_curve(s, i);
    c->size = s->kept[inq_at(s, i)] = 0;
    curve_base(c, 0, c->f - inq_ridge(s, inq_place(s)), 0, 0);
}

/* mu changes by more: the directions found away from 0 tilt, and every curve is to be asked again. */
static void correct_ridge(inq *s, double more)
{
    method *m = &s->base;
    double r = method_radius(m, 1);
    ridge_correct(s, more);
    for (uint64_t i = m->first; i < inq_end(s); i++) {
        curve *c = inq_curve(s, i);
        s->mark[inq_at(s, i)] = c->point > 0 && !is_blurred(s, i);
        if (!s->mark[inq_at(s, i)]) continue;
        const double *z = s->point + ((size_t)c->point - 1) * m->d;
        c->size = inq_row_change(s, i, c->size, -more, z);
        s->weights[inq_at(s, i)] = 0;
        if (c->size <= inq_blur_at(s, r, vec_norm(m->d, z), c->f, 0)) lose_direction(s, i);
        s->mark[inq_at(s, i)] = !is_blurred(s, i);
        c->now = inq_row_dot(s, i, m->x);
    }
    method_marks(m, s->mark, s->marks);
    plan_clear(&s->plan);
    for (uint64_t k = 0; k < s->sample.filled; k++)
        if (s->marks[s->plan.order[k]]) plan_add(&s->plan, s->plan.order[k]);
    if (s->matrix) vec_zero(m->d * m->d, s->matrix);
}

/* The part of gradients that curves do not explain. With noise: 0 unless it is clear of what noise explains, and once it
 * was it stays, because a check sees a few components only. */
static double misfit_of(const inq *s, double rest, const regression *sum)
{
    double part = sum->total > 0 ? sqrt(rest / sum->total) : 0;
    if (!(sum->noise > 0)) return part;
    return fmax(s->check.misfit,
                rest > noisy_rest * sum->noise + noisy_part * sum->total ? part : 0);
}

void inq_learn_check(inq *s, const double *answers)
{
    method *m = &s->base;
    size_t set = zo_fan_set(&m->fan);
    regression each[CHECKED] = {{0}}, sum;
    for (size_t e = 0; e < m->fan.ncomp; e++) {
        if (!method_mine(m, m->fan.comp[e]) || is_blurred(s, m->fan.comp[e])) continue;
        read_slopes(&m->fan, answers + e * set, 0, 0, m->d, s->dir);
        compare(s, m->fan.comp[e], s->dir, &each[e]);
    }
    method_sum(m, m->fan.ncomp, m->fan.comp, sizeof sum / 8, &each[0].against, &sum.against,
               s->tree, s->index);
    s->check.count++;
    plan_clear(&s->plan);
    s->check.more = NAN;
    if (!(sum.square > 0)) return;
    double more = fmax(sum.against / sum.square, -s->ridge.mu);
    double rest = fmax(sum.rest - 2 * more * sum.against + square(more) * sum.square, 0);
    double error =
        sqrt(rest / sum.square / (double)(m->fan.ncomp * m->d)); /* standard error of mu */
    s->check.misfit = misfit_of(s, rest, &sum);
    s->check.more = more;
    s->check.error = error;
}

void inq_correct_mu(inq *s, double more, double error)
{
    if (ridge_is_wrong(s, more, error) && inq_rule(s, RULE_CHECKED_MU)) correct_ridge(s, more);
}
