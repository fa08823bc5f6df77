/* inq where components see x through several indices (span.c): what full gradients and slopes along spans teach.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/vec.h"
#include "method/component/ridge.h"
#include "method/component/row.h"
#include "method/subspaces/evidence.h"
#include "method/subspaces/span.h"
#include "method/subspaces/subspaces.h"

/* ---- A full gradient ------------------------------------------------------------------------------ */

/* Where the span is full, the direction with the least curvature makes room. */
static size_t next_layer(inq *s, uint64_t i, double b[SPAN][SPAN])
{
    size_t rank = inq_rank(s, i), least = 0;
    if (rank < s->layers) {
        inq_span(s, i)->rank++;
        for (size_t j = 0; j <= rank; j++) b[rank][j] = b[j][rank] = 0;
        return rank;
    }
    for (size_t k = 1; k < rank; k++)
        if (b[k][k] < b[least][least]) least = k;
    for (size_t j = 0; j < rank; j++) b[least][j] = b[j][least] = 0;
    return least;
}

/* |y - B step|^2 */
static double missed_by(const inq *s, uint64_t i, double b[SPAN][SPAN], const double *y,
                        const double *step)
{
    size_t rank = inq_rank(s, i);
    double sum = 0;
    for (size_t k = 0; k < rank; k++) {
        double rest = y[k];
        for (size_t j = 0; j < rank; j++) rest -= b[k][j] * step[j];
        sum += rest * rest;
    }
    return sum;
}

/* v -= U'Uv, twice for the digits */
static void across(const inq *s, uint64_t i, double *v)
{
    double t[SPAN];
    for (int pass = 0; pass < 2; pass++) {
        inq_span_project(s, i, v, t);
        for (size_t k = 0; k < inq_rank(s, i); k++) t[k] = -t[k];
        inq_span_add(s, i, t, v);
    }
}

/* change and far = step, both across the span: does what is left of the change point along the step? Then it is mu's. */
static int shows_ridge(inq *s, uint64_t i, double *change, const double *step, double *far,
                       ridge_sum *to)
{
    size_t d = s->base.d;
    across(s, i, change);
    vec_copy(d, step, far);
    across(s, i, far);
    if (d < inq_rank(s, i) + ACROSS_SPAN) return 0; /* in a line all points along */
    double along = vec_dot(d, change, far), length = vec_dot(d, far, far),
           size = vec_dot(d, change, change);
    if (!(along * along > along_step * length * size) ||
        !(size > ridge_clear * inq_blur(s) * inq_blur(s)))
        return 0;
    to->along += along;
    to->square += length;
    to->count++;
    return 1;
}

typedef struct explained { /* squared changes of gradients, sums over components */
    double inside, outside;
} explained;

/* change (overwritten) = J_new - J - mu D over the step D: the span grows, and B learns. */
static void learn_change(inq *s, uint64_t i, double *change, const double *step, explained *to)
{
    size_t d = s->base.d;
    ridge_sum sign = {0};
    double b[SPAN][SPAN], y[SPAN], t[SPAN], *far = s->miss, whole = vec_dot(d, change, change);
    inq_span_curvature(s, i, b);
    inq_span_project(s, i, change, y);
    inq_span_project(s, i, step, t);
    if (shows_ridge(s, i, change, step, far, &sign)) vec_add(d, -ridge_more(s), far, change);
    double rest = vec_dot(d, change, change);
    if (!inq_shares(s)) { /* what is not asked along the span has to be foretold */
        double missed = s->base.set.own ? rest : missed_by(s, i, b, y, t) + rest;
        to->inside += whole - fmin(missed, whole);
        to->outside += missed;
    }
    double blur = inq_blur(s);
    if (rest > unexplained * unexplained * whole && rest > blur * blur && inq_rule(s, RULE_SPANS)) {
        size_t k = next_layer(s, i, b);
        float *u = inq_layer(s, i, k);
        for (size_t j = 0; j < d; j++) u[j] = (float)(change[j] / sqrt(rest));
        y[k] = sqrt(rest);
        t[k] = vec_dot(d, change, step) / sqrt(rest);
    }
    inq_learn_curvature(s, i, b, t, y);
    inq_keep_curvature(s, i, b);
}

/* The first gradient of a component gives the first direction, as soon as there is a second one to learn from. */
static void begin_span(inq *s, uint64_t i)
{
    size_t d = s->base.d;
    double *v = s->miss;
    double size = inq_slope(s, inq_row(s, i), inq_point(s, s->asked[i].full), s->ridge.mu, v);
    if (!(size > 0)) return;
    float *u = inq_layer(s, i, 0);
    for (size_t j = 0; j < d; j++) u[j] = (float)(v[j] / size);
    inq_span(s, i)->rank = 1;
}

/* What forward differences take for slope, half the radius times the curvature along each axis, is taken out. */
static void unbias(const inq *s, uint64_t i, double *gradient)
{
    const method *m = &s->base;
    double r = m->fan.radius, b[SPAN][SPAN];
    size_t rank = inq_rank(s, i);
    if (m->set.sides != 1 || !inq_rule(s, RULE_UNBIAS)) return;
    if (inq_shares(s)) {
        for (size_t j = 0; j < m->d; j++)
            gradient[j] -=
                0.5 * method_reach(m, m->x, j, r) * inq_weight(s, i) * s->whole[j * m->d + j];
        return;
    }
    inq_span_curvature(s, i, b);
    for (size_t j = 0; j < m->d; j++) {
        double u[SPAN], bend = s->ridge.mu;
        for (size_t k = 0; k < rank; k++) u[k] = (double)inq_layer(s, i, k)[j];
        for (size_t k = 0; k < rank; k++)
            for (size_t l = 0; l < rank; l++) bend += u[k] * b[k][l] * u[l];
        gradient[j] -= 0.5 * method_reach(m, m->x, j, r) * bend;
    }
}

/* What is summed over components that were last asked at the same point: two vectors, and numbers. */
typedef struct lesson {
    double missed_square, missed_count;
    comparison shared;
    ridge_sum ridge;
} lesson;

/* What the model did not foretell of a gradient: of all where nothing is asked along spans, else across them. */
static void add_missed(inq *s, uint64_t i, const double *gradient, double *to, lesson *sum)
{
    size_t d = s->base.d;
    double *miss = s->miss;
    vec_zero(d, miss);
    if (inq_add_gradient(s, i, miss) > 0) return;
    for (size_t j = 0; j < d; j++) miss[j] = gradient[j] - miss[j];
    if (s->base.set.own) across(s, i, miss);
    vec_add(d, 1, miss, to);
    sum->missed_square += vec_dot(d, miss, miss);
    sum->missed_count++;
}

/* to: the direction that the gradient changed in. */
static void add_direction(inq *s, uint64_t i, const double *gradient, double *to)
{
    size_t d = s->base.d;
    double *change = s->told, size;
    for (size_t j = 0; j < d; j++) change[j] = gradient[j] - inq_row(s, i)[j];
    if ((size = vec_norm(d, change)) > 0) vec_add(d, 1 / size, change, to);
}

/* step = D = x - z, change = J_new - J - mu D */
static void change_of(inq *s, uint64_t i, const double *gradient, double *change, double *step)
{
    const method *m = &s->base;
    const double *z = inq_point(s, s->asked[i].full), *row = inq_row(s, i);
    for (size_t j = 0; j < m->d; j++) {
        step[j] = m->x[j] - z[j];
        change[j] = gradient[j] - row[j] - s->ridge.mu * step[j];
    }
}

/* leaf: directions of changes, what was missed, a lesson. */
static void study(inq *s, uint64_t i, double *gradient, double *leaf)
{
    size_t d = s->base.d;
    double *change = s->work, *step = s->lost;
    lesson *sum = (lesson *)(leaf + 2 * d);
    unbias(s, i, gradient);
    change_of(s, i, gradient, change, step);
    add_missed(s, i, gradient, leaf + d, sum);
    add_direction(s, i, gradient, leaf);
    inq_compare_shared(s, i, change, step, &sum->shared);
    if (inq_rank(s, i) == 0) begin_span(s, i);
    shows_ridge(s, i, change, step, s->miss, &sum->ridge);
}

/* Entries from ... to - 1, last asked at the same point: what they have in common is learned. Their gradients go to dir. */
static void study_group(inq *s, size_t from, size_t to)
{
    method *m = &s->base;
    const uint64_t *comp = m->fan.comp + from;
    size_t d = m->d, count = to - from;
    double *total = s->block;
    const lesson *sum = (const lesson *)(total + 2 * d);
    method_total tree;
    sum_order(comp, count, s->index, s->index + count);
    total_open(&tree, m, 2 * d + sizeof(lesson) / 8, s->tree);
    for (size_t k = 0; k < count; k++) {
        size_t e = (size_t)s->index[k];
        if (method_mine(m, comp[e]))
            study(s, comp[e], s->dir + (from + e) * d, total_leaf(&tree, comp[e]));
    }
    total_close(&tree, total);
    inq_add_changes(s, s->asked[comp[0]].full, count, total);
    evidence_missed(s, total + d, sum->missed_square, sum->missed_count);
    inq_add_comparison(s, &sum->shared);
    evidence_add(s, sum->shared.inside, sum->shared.outside);
    ridge_see(s, &sum->ridge);
}

/* With the ridge known: spans grow, and the gradients are kept. */
static void keep_gradients(inq *s, const double *answers)
{
    method *m = &s->base;
    const uint64_t *comp = m->fan.comp;
    size_t count = m->fan.ncomp, set = zo_fan_set(&m->fan);
    explained total;
    method_total tree;
    sum_order(comp, count, s->index, s->index + count);
    total_open(&tree, m, sizeof total / 8, s->tree);
    for (size_t k = 0; k < count; k++) {
        size_t e = (size_t)s->index[k];
        uint64_t i = comp[e];
        double *gradient = s->dir + e * m->d;
        int first = s->asked[i].full == 0;
        if (!method_mine(m, i)) continue;
        if (!first) {
            change_of(s, i, gradient, s->work, s->lost);
            learn_change(s, i, s->work, s->lost, (explained *)total_leaf(&tree, i));
        }
        vec_copy(m->d, gradient, inq_row(s, i));
        for (size_t l = 0; l < inq_rank(s, i); l++) *inq_along(s, i, l) = 0;
        inq_curve(s, i)->point = (double)s->points.count;
        inq_curve(s, i)->f = answers[e * set];
        inq_visit(s, i);
        if (first) inq_guess_span(s, i, 0);
    }
    total_close(&tree, &total.inside);
    evidence_add(s, total.inside, total.outside);
    for (size_t e = 0; e < count; e++) inq_visit(s, comp[e]);
}

void inq_learn_again(inq *s, const double *answers)
{
    method *m = &s->base;
    const uint64_t *comp = m->fan.comp;
    size_t set = zo_fan_set(&m->fan), count = m->fan.ncomp;
    uint64_t i;
    for (size_t e = 0; inq_entry(s, &m->fan, &e, &i); e++)
        read_slopes(&m->fan, answers + e * set, 0, 0, m->d, s->dir + e * m->d);
    for (size_t from = 0, to; from < count; from = to) {
        uint32_t point = s->asked[comp[from]].full;
        for (to = from; to < count && s->asked[comp[to]].full == point; to++) {
        }
        if (point > 0) study_group(s, from, to);
    }
    keep_gradients(s, answers);
}

void subspaces_learn_recovered(inq *s, uint64_t i, const finding *at, double f, const recovered *g)
{
    (void)at;
    curve *c = inq_curve(s, i);
    double *row = inq_row(s, i);
    vec_zero(s->base.d, row);
    vec_add(s->base.d, s->ridge.mu, s->base.x, row);
    for (size_t k = 0; k < g->count; k++) row[g->place[k]] += g->slope[k];
    c->f = f;
    c->point = (double)s->points.count;
    s->asked[i].full = (uint32_t)s->points.count;
    inq_guess_span(s, i, 0);
}

/* Of new components that could not be recovered. */
void inq_learn_rest(inq *s, const double *answers)
{
    for (size_t e = 0; e < s->base.fan.ncomp; e++) s->asked[s->base.fan.comp[e]] = (visits){0, 0};
    inq_learn_again(s, answers);
}

/* ---- Along the span ------------------------------------------------------------------------------- */

/* Components of one rank, each along all of its own directions. */
void ask_spans(inq *s, zo_fan *fan)
{
    size_t rank = plan_rank(&s->plan);
    plan_ranked_chunk(&s->plan, fan, s->rows / rank);
    uint64_t i;
    for (size_t e = 0; inq_entry(s, fan, &e, &i); e++)
        for (size_t k = 0; k < rank; k++)
            inq_span_row(s, i, k, s->dir + (e * rank + k) * s->base.d);
    fan->own = fan->sides = 1;
    fan->known = inq_valued(s);
    fan->ndir = rank;
    fan->dir = s->dir;
    /* rounding averages over components, the forward error does not */
    if (!(s->base.set.noise > 0)) fan->radius /= span_radius;
}

void inq_learn_spans(inq *s, const double *answers)
{
    method *m = &s->base;
    size_t set = zo_fan_set(&m->fan);
    double *step = s->lost;
    for (size_t e = 0; e < m->fan.ncomp; e++) {
        uint64_t i = m->fan.comp[e];
        const double *z = inq_point(s, s->asked[i].renewed), *a = answers + e * set;
        double b[SPAN][SPAN], t[SPAN], y[SPAN], base[SPAN];
        s->asked[i].renewed = (uint32_t)s->points.count;
        if (!method_mine(m, i)) continue;
        curve *c = inq_curve(s, i);
        if (!m->fan.known) c->f = a[0];
        for (size_t j = 0; j < m->d; j++) step[j] = m->x[j] - z[j];
        inq_span_curvature(s, i, b);
        inq_span_project(s, i, step, t);
        inq_span_project(s, i, inq_row(s, i), base);
        for (size_t k = 0; k < inq_rank(s, i); k++) {
            double up = m->fan.known ? a[k] - c->f : a[1 + k];
            double slope = up / m->fan.radius - 0.5 * m->fan.radius * (b[k][k] + s->ridge.mu),
                   *along = inq_along(s, i, k);
            y[k] = slope - base[k] - *along - s->ridge.mu * t[k];
            *along = slope - base[k];
        }
        inq_learn_curvature(s, i, b, t, y);
        inq_keep_curvature(s, i, b);
        if (s->asked[i].full == s->points.count)
            inq_fold(s, i); /* across its span J is known at x */
    }
}

/* ---- Entering ------------------------------------------------------------------------------------- */

/* From curves to spans: J = size u + mu z, one direction, and its bend. */
void inq_enter_spans(inq *s, const double *answers)
{
    method *m = &s->base;
    for (uint64_t i = m->first; i < inq_end(s); i++) {
        const curve *c = inq_curve(s, i);
        if (!(c->point > 0)) continue;
        double *row = inq_row(s, i), b[SPAN][SPAN];
        float *u = inq_layer(s, i, 0);
        for (size_t j = 0; j < m->d; j++) u[j] = (float)row[j];
        vec_scale(m->d, c->size, row);
        vec_add(m->d, s->ridge.mu, inq_point(s, s->asked[i].full), row);
        *inq_span(s, i) = (span){.rank = c->size > 0};
        b[0][0] = fmax(c->bend, 0);
        inq_keep_curvature(s, i, b);
    }
    inq_find_shape(s, answers);
    for (uint64_t i = m->first; i < inq_end(s) && s->shape.kind; i++)
        if (s->asked[i].full > 0) inq_guess_span(s, i, fmax(inq_curve(s, i)->bend, 0));
    s->spans_on = 1;
    scaling_begin(s);
    method_note(m, "components see x through several indices (misfit %.1g): subspace models",
                s->check.misfit);
}
