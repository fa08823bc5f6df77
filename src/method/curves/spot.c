/* inq: spot checks of curves. Does each component have one direction? And how large is mu?
 * SPDX-License-Identifier: MIT
 *
 * With more = mu_true - mu, what was found at z_i is size u_i = h'(z) a_i + more z_i, and at x the gradient less
 * mu x is h'(x) a_i + more x = ratio size u_i + more (x - ratio z_i), ratio = h'(x)/h'(z): across u_i there is
 * only more (x - ratio z_i). What that does not explain is noise, or says that f_i has more than one direction.
 *
 * All this is said of gradients by their slopes along any directions that suffice: all axes, or where d is large a few random
 * ones, along which lengths and products are what they are to one part in sqrt(SKETCH). What does not fit is asked in full.
 *
 * Where data are scaled badly that says little of mu: the error comes from the steepest columns, and mu rules along the
 * flattest. But along any p across u_i, however long, a component is nothing but the ridge:
 *
 *     f_i(x + p) + f_i(x - p) - 2 f_i(x) = mu p'p.
 *
 * And across x, too, where u_i may be tilted by an error of mu: so that mu is known before the first direction is used. From a start
 * that is far from 0 most gradients are little but mu x. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/dense.h"
#include "base/real.h"
#include "base/rng.h"
#include "base/vec.h"
#include "method/component/accuracy.h"
#include "method/component/ridge.h"
#include "method/component/row.h"
#include "method/curves/curves.h"

/* A few components of the sample, or who speaks for them, drawn anew at each step. */
static void draw(inq *s, zo_fan *fan, uint64_t count)
{
    uint32_t place[CHECKED];
    uint64_t size = s->sample.size;
    if (count > CHECKED) count = CHECKED;
    if (count > size) count = size;
    rng_distinct(s->base.set.seed, FOR_CHECK, s->base.step, (uint32_t)size, (size_t)count, place);
    size_t some = 0;
    for (size_t k = 0; k < count; k++) {
        size_t e = 0;
        s->comp[some] = inq_speaker(s, s->plan.order[place[k]]);
        while (s->comp[e] != s->comp[some]) e++;
        some += e == some; /* nobody is asked twice */
    }
    fan->each = method_each(&s->base);
    fan->comp = s->comp;
    fan->ncomp = some;
}

/* ---- Gradients -------------------------------------------------------------------------------------- */

static int is_sketched(const inq *s)
{
    return s->base.d >= LEAST_SKETCHED && !s->check.whole && !(s->base.set.noise > 0) &&
           !s->base.bounds && s->base.set.sides == 1;
}

static size_t slopes_of(const inq *s) { return is_sketched(s) ? SKETCH : s->base.d; }

/* Of unit length, in block. */
static void draw_sketch(inq *s)
{
    size_t d = s->base.d;
    for (uint32_t k = 0; k < SKETCH; k++) {
        double *p = s->block + k * d;
        rng_normals(s->base.set.seed, FOR_DIRECTION, s->sample.asked, k, d, p);
        vec_scale(d, 1 / vec_norm(d, p), p);
    }
}

/* v along the directions of the check. */
static void see(const inq *s, const double *v, double *to)
{
    if (is_sketched(s))
        dense_times(SKETCH, s->base.d, s->block, s->base.d, v, to);
    else
        vec_copy(s->base.d, v, to);
}

void ask_check(inq *s, zo_fan *fan)
{
    uint64_t count = s->sample.size / CHECK_EVERY;
    draw(s, fan, count > LEAST_CHECKED ? count : LEAST_CHECKED);
    if (!is_sketched(s)) {
        fan->naxis = s->base.d;
        return;
    }
    draw_sketch(s);
    fan->ndir = SKETCH;
    fan->dir = s->block;
}

/* What forward differences take for slope along the k-th direction, over bend (u'p)^2 + mu. */
static double half_reach(const inq *s, size_t k, double r)
{
    return 0.5 * (is_sketched(s) ? r : method_reach(&s->base, s->base.x, k, r));
}

typedef struct regression { /* numbers only: summed over components */
    double against, square, rest,
        total;    /* r'D, D'D, r'r across u_i; J'J, or a little of that at z_i */
    double noise; /* what noise makes of r'r */
} regression;

static void compare(inq *s, uint64_t i, double *gradient, regression *to)
{
    method *m = &s->base;
    const curve *c = inq_curve(s, i);
    const double *z = inq_found_at(s, i);
    curve_value v = curve_at(c, c->now);
    size_t count = slopes_of(s);
    double r = method_radius(m, 1), mu = s->ridge.mu, part = (double)count / (double)m->d;
    double *far = s->work, *u = s->lost, *x = s->told, *then_at = s->miss;
    int whole = !inq_is_short(s, i); /* where a short row is 0, more z_i is not in it */
    inq_row_put(s, i, 1, far);
    see(s, far, u);
    for (size_t j = 0; j < m->d; j++) far[j] = whole || far[j] != 0 ? z[j] : 0;
    see(s, far, then_at);
    see(s, m->x, x);
    if (m->set.sides == 1)
        for (size_t k = 0; k < count; k++)
            gradient[k] -= half_reach(s, k, r) * (v.bend * u[k] * u[k] + mu);
    /* on a flat side J says nothing, and with noise little where it is small */
    double once = (inq_noise(s) > 0 ? 1 : flat_side) * c->size;
    to->total = fmax(vec_dot(count, gradient, gradient), part * square(once));
    vec_add(count, -mu, x, gradient);
    double unit = is_sketched(s) ? vec_dot(count, u, u) : 1;
    double along = vec_dot(count, u, gradient) / unit, ratio = c->size > 0 ? along / c->size : 0;
    vec_add(count, -along, u, gradient);
    for (size_t k = 0; k < count; k++) far[k] = x[k] - ratio * then_at[k];
    vec_add(count, -vec_dot(count, u, far) / unit, u, far);
    to->against = vec_dot(count, gradient, far);
    to->square = vec_dot(count, far, far);
    to->rest = vec_dot(count, gradient, gradient);
    double then =
        isnan(m->set.radius) ? r * fmax(1, vec_norm(m->d, z)) / fmax(1, vec_norm(m->d, m->x)) : r;
    to->noise = 2 * (double)count * square(inq_noise(s)) * (1 / square(r) + square(ratio / then));
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
        s->mark[inq_at(s, i)] =
            s->asked[i].full && c->point > 0 && !inq_is_flat(s, i) && inq_speaker(s, i) == i;
        if (!s->mark[inq_at(s, i)]) continue;
        const double *z = inq_found_at(s, i);
        c->size = inq_row_change(s, i, c->size, -more, z);
        if (c->size <= inq_blur_at(s, r, vec_norm(m->d, z), c->f, 0)) lose_direction(s, i);
        s->mark[inq_at(s, i)] = !inq_is_flat(s, i);
        c->now = inq_row_dot(s, i, m->x);
    }
    method_marks(m, s->mark, s->marks);
    plan_clear(&s->plan);
    for (uint64_t k = 0; k < s->sample.filled; k++)
        if (s->marks[s->plan.order[k]]) plan_add(&s->plan, s->plan.order[k]);
    inq_forget_matrix(s);
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
    size_t count = slopes_of(s);
    uint64_t i;
    if (is_sketched(s)) draw_sketch(s);
    for (size_t e = 0; inq_entry(s, &m->fan, &e, &i); e++) {
        if (inq_is_flat(s, i)) continue;
        read_slopes(&m->fan, answers + e * set, 0, 0, count, s->dir);
        compare(s, i, s->dir, &each[e]);
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
        sqrt(rest / sum.square / (double)(m->fan.ncomp * count)); /* standard error of mu */
    s->check.misfit = misfit_of(s, rest, &sum);
    s->check.more = more;
    s->check.error = error;
}

int inq_sketched(inq *s)
{
    int was = is_sketched(s);
    s->check.whole = 1;
    return was;
}

void inq_correct_mu(inq *s, double more, double error)
{
    if (ridge_is_wrong(s, more, error) && inq_rule(s, RULE_CHECKED_MU)) correct_ridge(s, more);
}

/* ---- Across directions ------------------------------------------------------------------------------- */

static double length(const inq *s) { return across_part * fmax(1, vec_norm(s->base.d, s->base.x)); }

/* The part of p that is across u_i and across x. */
static void turn_across(inq *s, uint64_t i, double *p)
{
    size_t d = s->base.d;
    double *beside = s->work;
    vec_copy(d, s->base.x, beside);
    inq_row_add(s, i, -inq_row_dot(s, i, beside), beside);
    double square = vec_dot(d, beside, beside);
    for (int twice = 0; twice < 2; twice++) {
        if (square > 0) vec_add(d, -vec_dot(d, beside, p) / square, beside, p);
        inq_row_add(s, i, -inq_row_dot(s, i, p), p);
    }
}

/* Each along a p of its own. */
void ask_across(inq *s, zo_fan *fan)
{
    method *m = &s->base;
    size_t d = m->d;
    uint64_t i;
    draw(s, fan, CHECKED);
    for (size_t e = 0; inq_entry(s, fan, &e, &i); e++) {
        double *p = s->dir + e * d;
        rng_normals(m->set.seed, FOR_DIRECTION, s->sample.asked, (uint32_t)e, d, p);
        turn_across(s, i, p);
        double size = vec_norm(d, p);
        vec_scale(d, size > 0 ? length(s) / size : 0, p);
    }
    fan->known = fan->own = 1;
    ask_rows(fan, 1, s->dir, 2);
}

/* One component's measure of mu_true - mu, and what rounding makes of it. */
typedef struct reading {   /* numbers only: summed over components */
    double more, rounding; /* rounding is above 0, or nothing was told */
} reading;

static int by_more(const void *a, const void *b)
{
    double v = ((const reading *)a)->more, w = ((const reading *)b)->more;
    return (v > w) - (v < w);
}

/* The half of them that agree best, with the standard error of their mean: a component whose direction is not known, because its slope
 * is dead or it has several indices, bends along p in a way of its own. NAN: nothing was learnt. */
static double agreed(reading *all, size_t count, double *error)
{
    size_t half = count / 2 > 2 ? count / 2 : 2, from = 0;
    if (count < half) return NAN;
    qsort(all, count, sizeof *all, by_more);
    for (size_t k = 1; k + half <= count; k++)
        if (all[k + half - 1].more - all[k].more < all[from + half - 1].more - all[from].more)
            from = k;
    double mean = 0, spread = 0, rounding = 0, part = 1 / (double)half;
    for (size_t k = from; k < from + half; k++) {
        mean += part * all[k].more;
        rounding += part * all[k].rounding;
    }
    for (size_t k = from; k < from + half; k++) spread += part * square(all[k].more - mean);
    *error = sqrt(spread / (double)(half - 1)) + rounding;
    return mean;
}

static double measure(inq *s, const double *answers, double *error)
{
    method *m = &s->base;
    reading each[CHECKED][CHECKED] = {{{0}}}, all[CHECKED];
    double far = square(length(s));
    size_t count = 0;
    uint64_t i;
    for (size_t e = 0; inq_entry(s, &m->fan, &e, &i); e++) {
        double f = inq_curve(s, i)->f,
               more = ((answers[2 * e] - f) + (answers[2 * e + 1] - f)) / far - s->ridge.mu;
        if (inq_is_flat(s, i) || !isfinite(more)) continue;
        each[e][e] = (reading){more, roundings * DBL_EPSILON * fabs(f) / far + DBL_MIN};
    }
    method_sum(m, m->fan.ncomp, m->fan.comp, sizeof all / 8, &each[0][0].more, &all[0].more,
               s->tree, s->index);
    for (size_t e = 0; e < CHECKED; e++)
        if (all[e].rounding > 0) all[count++] = all[e];
    double more = agreed(all, count, error);
    return more < -s->ridge.mu ? -s->ridge.mu : more;
}

/* The better of two measures of mu; before the first step it is the only one, and components that bend across their gradients show no
 * ridge: it must be the same in all. */
void inq_learn_across(inq *s, const double *answers)
{
    double error = INFINITY, more = measure(s, answers, &error);
    plan_clear(&s->plan);
    if (s->check.count == 0) {
        double none = no_ridge * s->scale.value / square(s->scale.length);
        s->check.one = error <= fmax(mu_known * more, none);
        if (error <= mu_known * more) inq_correct_mu(s, more, error);
        return;
    }
    if (isnan(more) || error > s->check.error) more = s->check.more, error = s->check.error;
    inq_correct_mu(s, more, error);
}
