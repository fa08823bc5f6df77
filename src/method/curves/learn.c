/* inq: curves. What is asked along own directions, and what answers say about components.
 * SPDX-License-Identifier: MIT
 *
 * A difference gradient J at x gives the direction u = (J - mu x)/|J - mu x|; one more value along it the
 * bend; then J is corrected by its own forward error, (r/2)(bend u_j^2 + mu) in coordinate j. */
#include <math.h>

#include "base/real.h"
#include "base/rng.h"
#include "base/vec.h"
#include "method/component/accuracy.h"
#include "method/component/row.h"
#include "method/curves/curves.h"

/* ---- Along own directions --------------------------------------------------------------------------- */

/* Where own questions are not allowed, all are asked along one random p: a normal number times this for each. */
static double common_length(const inq *s, inq_radius radius)
{
    return s->scale.length * (radius == inq_bend_radius ? inq_bend_part(s) : inq_renew_part(s));
}

static void common_direction(const inq *s, inq_radius radius, double *p)
{
    rng_normals(s->base.set.seed, FOR_DIRECTION, s->sample.asked, 0, s->base.d, p);
    vec_scale(s->base.d, common_length(s, radius), p);
}

/* p = u_i times its own radius, turned to where it stays within bounds. */
static void own_direction(const inq *s, uint64_t i, inq_radius radius, double *p)
{
    inq_row_put(s, i, radius(s, i), p);
    method_turn(&s->base, inq_place(s), p);
}

/* A question along own directions. */
typedef struct along {
    inq *s;
    const zo_fan *fan;
    inq_radius radius;
} along;

static void point_some(void *ctx, size_t part, size_t from, size_t to)
{
    const along *a = ctx;
    uint64_t i;
    (void)part;
    for (size_t e = from; inq_entry(a->s, a->fan, &e, &i) && e < to; e++) {
        if (a->s->base.bounds) /* none is short when it has been turned */
            own_direction(a->s, i, a->radius, a->s->own + e * a->s->base.d);
        else
            inq_row_show(a->s, i, a->radius(a->s, i), e);
    }
}

static void ask_along(inq *s, zo_fan *fan, inq_radius radius, int sides)
{
    plan_chunk(&s->plan, fan, s->chunk);
    fan->base[0] = inq_place(s);
    fan->known = 1;
    fan->own = s->base.set.own;
    ask_rows(fan, 1, fan->own ? s->own : s->dir, sides);
    fan->sparse = s->list_of;
    fan->sparse_of = s->own;
    if (fan->own)
        method_share(&s->base, fan->ncomp, s->base.d, point_some, &(along){s, fan, radius});
    else
        common_direction(s, radius, s->dir);
}

void ask_bends(inq *s, zo_fan *fan) { ask_along(s, fan, inq_bend_radius, 1); }
void ask_renewal(inq *s, zo_fan *fan) { ask_along(s, fan, inq_renew_radius, 2); }

/* A question beside x: t = u'x changes by far, and x'x/2 by odd + even up, even - odd down. */
typedef struct beside {
    double far, least; /* far below least says nothing */
    double odd, even;  /* x'p and p'p/2 */
} beside;

/* told: the common direction, where own questions are not allowed. */
static beside beside_x(inq *s, uint64_t i, inq_radius radius)
{
    const method *m = &s->base;
    double *p = s->told, v = radius(s, i), least = 0;
    const double *x = inq_place(s);
    if (m->set.own && !m->bounds) return (beside){v, 0, v * inq_row_dot(s, i, x), 0.5 * v * v};
    if (m->set.own)
        own_direction(s, i, radius, p);
    else
        least = along_least * common_length(s, radius);
    return (beside){inq_row_dot(s, i, p), least, vec_dot(m->d, x, p), 0.5 * vec_dot(m->d, p, p)};
}

/* ---- New components ------------------------------------------------------------------------------ */

static void fetch_curve(const inq *s, uint64_t i)
{
    if (method_mine(&s->base, i)) inq_fetch_curve(s, i);
}

/* Its row will be as long as the last one. */
static void fetch_new(const inq *s, uint64_t i, uint64_t last)
{
    fetch_curve(s, i);
    if (!method_mine(&s->base, i)) return;
    if (method_mine(&s->base, last) && !inq_is_short(s, last))
        vec_fetch(s->base.d, inq_row(s, i));
    else if (!s->pool)
        inq_fetch_new(s, i);
}

void inq_learn_gradient(inq *s, const double *answers)
{
    const zo_fan *fan = &s->base.fan;
    size_t set = zo_fan_set(fan);
    for (size_t e = 0; e < fan->ncomp; e++) {
        uint64_t i = fan->comp[e];
        if (e + AHEAD < fan->ncomp) fetch_new(s, fan->comp[e + AHEAD], i);
        inq_visit(s, i);
        if (!method_mine(&s->base, i)) continue;
        curve *c = inq_curve(s, i);
        c->f = answers[e * set];
        c->size = inq_learn_row(s, i, answers + e * set);
        c->point = inq_place_number(s);
    }
}

/* The bend that a value beside x shows; NAN: p says nothing. */
static double bend_along(inq *s, uint64_t i, double value)
{
    const curve *c = inq_curve(s, i);
    beside q = beside_x(s, i, inq_bend_radius);
    double rise = (value - c->f) - s->ridge.mu * (q.odd + q.even) - q.far * c->size;
    return fabs(q.far) > q.least ? 2 * rise / (q.far * q.far) : NAN;
}

/* Of all components of a question, into s->bend. Where p was nearly across u_i, what the bends of the others suggest:
 * bend ~ size^2. */
static void read_bends(inq *s, const double *answers)
{
    const zo_fan *fan = &s->base.fan;
    double known[2];
    uint64_t i;
    if (!s->base.set.own) common_direction(s, inq_bend_radius, s->told);
    for (size_t e = 0; inq_entry(s, fan, &e, &i); e++)
        s->bend[inq_at(s, i)] = bend_along(s, i, answers[e]);
    if (s->base.set.own) return;
    for (size_t e = 0; inq_entry(s, fan, &e, &i); e++) {
        double bend = s->bend[inq_at(s, i)];
        s->entry[2 * e] = isnan(bend) ? 0 : fmax(bend, 0);
        s->entry[2 * e + 1] = isnan(bend) ? 0 : square(inq_curve(s, i)->size);
    }
    method_sum(&s->base, fan->ncomp, fan->comp, 2, s->entry, known, s->tree, s->index);
    double part = known[1] > 0 ? known[0] / known[1] : 0;
    for (size_t e = 0; inq_entry(s, fan, &e, &i); e++)
        if (isnan(s->bend[inq_at(s, i)]))
            s->bend[inq_at(s, i)] = part * square(inq_curve(s, i)->size);
}

/* Is J nothing but errors of differences? Then the value v beside x rose by a bend alone that is larger by 2 |J|/v; and where one
 * coordinate rules u_i, that bend says how large J can be. */
static int is_blurred(inq *s, uint64_t i, double r, double far, double bend)
{
    const curve *c = inq_curve(s, i);
    if (c->size > inq_blur_at(s, r, far, c->f, bend)) return 0;
    if (inq_noise(s) > 0 || !s->base.set.own || !inq_rule(s, RULE_BENT)) return 1;
    double alone = bend + 2 * c->size / beside_x(s, i, inq_bend_radius).far;
    double axes = bend_unsure * inq_row_bent(s, i) / bent_axes * alone;
    return !(c->size > inq_blur_at(s, r, far, c->f, axes));
}

void inq_learn_bend(inq *s, const double *answers)
{
    const method *m = &s->base;
    double ridge = inq_ridge(s, inq_place(s)), far = vec_norm(m->d, inq_place(s)),
           r = method_radius(m, 1);
    uint64_t i;
    read_bends(s, answers);
    for (size_t e = 0; inq_entry(s, &m->fan, &e, &i); e++) {
        curve *c = inq_curve(s, i);
        double bend = isnan(s->bend[inq_at(s, i)]) ? 0 : s->bend[inq_at(s, i)];
        if (is_blurred(s, i, r, far, bend))
            c->size = s->kept[inq_at(s, i)] = bend = 0;
        else if (m->set.sides == 1 && inq_rule(s, RULE_UNBIAS))
            c->size = inq_row_unbias(s, i, r, c->size, bend);
        c->angle = c->size > 0 ? inq_row_error(s, i, r, far, c->f, bend) / c->size : 0;
        c->now = inq_row_dot(s, i, inq_place(s));
        curve_base(c, c->now, c->f - ridge, c->size, bend);
    }
}

void curves_learn_recovered(inq *s, uint64_t i, const finding *at, double f, const recovered *g)
{
    curve *c = inq_curve(s, i);
    c->f = f;
    c->point = inq_place_number(s);
    c->size = inq_put_row(s, i, g);
    double bend = g->bend * c->size * c->size;
    if (c->size <= inq_blur_at(s, at->radius, at->far, f, bend))
        c->size = s->kept[inq_at(s, i)] = bend = 0;
    c->angle = c->size > 0 ? inq_row_error(s, i, at->radius, 0, f, bend) / c->size : 0;
    c->now = inq_row_dot(s, i, inq_place(s));
    curve_base(c, c->now, f - at->ridge, c->size, bend);
}

/* ---- Components at a new point ------------------------------------------------------------------- */

void inq_forget_matrix(inq *s)
{
    vec_zero(s->base.count, s->weights);
    if (s->matrix) vec_zero(s->base.d * s->base.d, s->matrix);
}

/* What a value says of a component; blunt: its slope is alive here, and was not where its direction was found. */
enum { CERTAIN, CURVE_IN_DOUBT, DIRECTION_IN_DOUBT, DIRECTION_BLUNT };

/* Its gradient is off by far more than one that were asked for here: the direction was found where the slope was hardly above
 * rounding, or f large. most: what its slope is at most. */
static int is_blunt(const inq *s, uint64_t i, double far, double most)
{
    const curve *c = inq_curve(s, i);
    curve_value v = curve_at(c, c->now);
    double off = c->angle * fmin(fabs(v.slope), most);
    return !(inq_noise(s) > 0) && off > blunt * s->scale.steep &&
           off > alive * inq_row_error(s, i, method_radius(&s->base, 1), far, c->f, v.bend);
}

/* Values at x, and what is the same for all. */
typedef struct told_values {
    inq *s;
    const double *answers;
    double ridge, least, most, far;
} told_values;

/* What a value at x says of a component. */
static unsigned char learn_value(const told_values *v, uint64_t i, double value)
{
    inq *s = v->s;
    double ridge = v->ridge;
    curve *c = inq_curve(s, i);
    double noise = inq_coarse(s, roundings_of_value, fabs(value) + ridge);
    /* it is not in the sample, or its elder learns */
    if (s->asked[i].full == 0 || inq_is_twin(s, i)) return CERTAIN;
    c->f = value;
    if (inq_is_broken(s, i)) return DIRECTION_IN_DOUBT; /* that of another */
    if (inq_is_flat(s, i))
        return fabs(c->f - ridge - c->h) > value_seen * s->scale.value + noise ? DIRECTION_IN_DOUBT
                                                                               : CERTAIN;
    int doubted = curve_learn(c, c->now, c->f - ridge, noise, v->least, v->most);
    /* a slope in doubt may be out of all proportion: the mean one on the way is not */
    double most = doubted ? fabs((c->f - ridge - c->h) / (c->now - c->at)) : INFINITY;
    if (is_blunt(s, i, v->far, most)) return DIRECTION_BLUNT;
    return doubted || !inq_rule(s, RULE_KNOTS) ? CURVE_IN_DOUBT : CERTAIN;
}

/* What says whether it learns at all. */
static void fetch_who(const inq *s, uint64_t i)
{
    __builtin_prefetch(&s->asked[i]);
    if (s->seeks) __builtin_prefetch(&s->elder[i]);
}

static void learn_some_values(void *ctx, size_t part, size_t from, size_t to)
{
    (void)part;
    const told_values *v = ctx;
    inq *s = v->s;
    const zo_fan *fan = &s->base.fan;
    for (size_t e = from; e < to; e++) {
        uint64_t i = fan->comp ? fan->comp[e] : e;
        if (fan->comp && e + SOON < to) fetch_who(s, fan->comp[e + SOON]);
        if (fan->comp && e + AHEAD < to && !inq_is_twin(s, fan->comp[e + AHEAD]))
            fetch_curve(s, fan->comp[e + AHEAD]);
        if (method_mine(&s->base, i)) s->mark[inq_at(s, i)] = learn_value(v, i, v->answers[e]);
    }
}

/* What is left pays for a few steps of all: values for another step are worth more than a better curve. Rows that can be recovered are
 * those of data with few values, near whose optimum slopes die out: there they are not. */
static int is_tight(const inq *s)
{
    double left = s->base.set.horizon - (double)s->sample.asked;
    return inq_all(s) && left < tight_values * (double)s->base.n && !(s->base.set.noise > 0) &&
           !recovery_pays(&s->recovery);
}

/* Values of the sample at x: each curve learns, and those in doubt go to the queue, to its tail those whose direction is in
 * doubt too. A slope that is off by less than least cannot be seen in F. */
void inq_learn_values(inq *s, const double *answers)
{
    const zo_fan *fan = &s->base.fan;
    told_values told = {.s = s,
                        .answers = answers,
                        .ridge = inq_ridge(s, inq_place(s)),
                        .least = slope_seen * sqrt(s->scale.value * s->model.bend),
                        .most = is_tight(s) ? tight_doubt : doubt,
                        .far = vec_norm(s->base.d, s->base.x)};
    method_share(&s->base, fan->ncomp, sizeof(curve) / sizeof(double), learn_some_values, &told);
    method_marks(&s->base, s->mark, s->marks);
    plan_clear(&s->plan);
    plan_clear_tail(&s->plan);
    int turn = 0;
    for (size_t e = 0; e < fan->ncomp; e++) {
        uint64_t i = fan->comp ? fan->comp[e] : e;
        turn |= s->marks[i] == DIRECTION_BLUNT;
        if (s->marks[i] >= DIRECTION_IN_DOUBT)
            plan_add_tail(&s->plan, i);
        else if (s->marks[i] == CURVE_IN_DOUBT)
            plan_add(&s->plan, i);
    }
    if (turn) inq_forget_matrix(s);
}

/* A curve in doubt that p says nothing of goes on as it was foretold, unless that is out of all proportion. */
static void keep_going(curve *c, double h)
{
    curve_value v = curve_at(c, c->now);
    int is_wild = fabs(v.slope) > wild * (fabs(c->slope) + c->size);
    curve_base(c, c->now, h, is_wild ? c->slope : v.slope, is_wild ? c->bend : v.bend);
}

static void learn_some_renewed(void *ctx, size_t part, size_t from, size_t to)
{
    (void)part;
    const told_values *v = ctx;
    inq *s = v->s;
    const double *answers = v->answers;
    double ridge = v->ridge, mu = s->ridge.mu;
    uint64_t i;
    for (size_t e = from; inq_entry(s, &s->base.fan, &e, &i) && e < to; e++) {
        curve *c = inq_curve(s, i);
        beside q = beside_x(s, i, inq_renew_radius);
        double up = answers[2 * e], down = answers[2 * e + 1];
        if (inq_is_flat(s, i)) {
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

void inq_learn_renewed(inq *s, const double *answers)
{
    const method *m = &s->base;
    told_values told = {.s = s, .answers = answers, .ridge = inq_ridge(s, inq_place(s))};
    if (!m->set.own) common_direction(s, inq_renew_radius, s->told);
    if (m->set.own &&
        !m->bounds) /* a question is p times u_i, and nothing has to be worked out in told */
        method_share(m, m->fan.ncomp, m->d, learn_some_renewed, &told);
    else
        learn_some_renewed(&told, 0, 0, m->fan.ncomp);
}
