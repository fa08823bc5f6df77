/* inq: the model of components that keep spans.
 * SPDX-License-Identifier: MIT
 *
 *     g = mean of their gradients at x (span.c),   M = gam mean U'BU + mu I
 *
 * over the sample. Where a component has shown no curvature yet, M itself stands for it. */
#include <math.h>

#include "base/vec.h"
#include "method/component/row.h"
#include "method/component/sample.h"
#include "method/subspaces/span.h"

/* to += what is known of a component's gradient at x, but for mean times the sample's matrix times x - z; returns mean. */
double inq_add_gradient(inq *s, uint64_t i, double *to)
{
    method *m = &s->base;
    size_t d = m->d, rank = inq_rank(s, i);
    const visits *p = &s->asked[i];
    const double *z = inq_point(s, p->full), *y = inq_point(s, p->renewed), *row = inq_row(s, i);
    double *step = s->told, t[SPAN], far[SPAN], b[SPAN][SPAN], mu = s->ridge.mu;
    int shared = inq_shares(s);
    for (size_t j = 0; j < d; j++) to[j] += row[j] + (shared ? 0 : mu * (m->x[j] - z[j]));
    if (p->full == s->points.count && p->renewed == p->full && inq_at_last_point(s)) return 0;
    if (shared) return inq_weight(s, i);
    if (rank == 0) return 1;
    for (size_t j = 0; j < d; j++) step[j] = m->x[j] - y[j];
    inq_span_project(s, i, step, t);
    vec_zero(rank, far);
    if (p->renewed != p->full) {
        for (size_t j = 0; j < d; j++) step[j] = y[j] - z[j];
        inq_span_project(s, i, step, far);
    }
    inq_span_curvature(s, i, b);
    for (size_t k = 0; k < rank; k++) {
        far[k] = *inq_along(s, i, k) - mu * far[k];
        for (size_t j = 0; j < rank; j++) far[k] += b[k][j] * t[j];
    }
    inq_span_add(s, i, far, to);
    return inq_span(s, i)->bends > 0 || p->renewed != p->full ? 0 : 1;
}

/* Leaf, d numbers each: the gradient at x; J of new components; x - z of those without curvature. */
static void add_component(inq *s, uint64_t i, double *leaf)
{
    size_t d = s->base.d;
    const double *z = inq_point(s, s->asked[i].full);
    double mean = inq_add_gradient(s, i, leaf);
    if (s->voices[inq_at(s, i)].fresh) vec_add(d, 1, inq_row(s, i), leaf + d);
    for (size_t j = 0; j < d && mean > 0; j++) leaf[2 * d + j] += mean * (s->base.x[j] - z[j]);
}

static void sum_components(inq *s)
{
    method *m = &s->base;
    size_t d = m->d;
    double *total = s->block;
    inq_list(s);
    method_total sum;
    total_open(&sum, m, 3 * d, s->tree);
    for (uint64_t i = m->first; i < inq_end(s); i++)
        if (s->asked[i].full > 0) add_component(s, i, total_leaf(&sum, i));
    total_close(&sum, total);
    double size = (double)s->sample.filled,
           entered = fmax((double)(s->sample.filled - s->sample.begin), 1);
    for (size_t j = 0; j < d; j++) {
        s->g[j] = total[j] / size;
        s->fresh_g[j] = total[d + j] / entered;
        s->lost[j] = total[2 * d + j] / size;
    }
}

/* rows = L'U with B = L L', the rows of B's square root; returns how many. */
static size_t put_roots(const inq *s, uint64_t i, double *rows)
{
    size_t rank = inq_rank(s, i), d = s->base.d, count = 0;
    double b[SPAN][SPAN], l[SPAN];
    inq_span_curvature(s, i, b);
    double least = 0;
    for (size_t k = 0; k < rank; k++) least = fmax(least, root_part * b[k][k]);
    for (size_t k = 0; k < rank;
         k++) { /* Cholesky, column by column; what is not positive is left out */
        if (!(b[k][k] > least)) continue;
        double root = sqrt(b[k][k]);
        for (size_t j = 0; j < rank; j++) l[j] = j < k ? 0 : b[j][k] / root;
        for (size_t j = k; j < rank; j++)
            for (size_t e = k; e < rank; e++) b[j][e] -= l[j] * l[e];
        vec_zero(d, rows + count * d);
        inq_span_add(s, i, l, rows + count * d);
        count++;
    }
    return count;
}

static double has_curvature(const inq *s, uint64_t i) { return inq_span(s, i)->bends > 0; }

static void add_roots(void *ctx, gram *g, uint64_t from, uint64_t to)
{
    inq *s = ctx;
    for (uint64_t i = from; i < to; i++) {
        if (s->asked[i].full == 0 || has_curvature(s, i) == 0) continue;
        size_t count = put_roots(s, i, s->dir);
        for (size_t k = 0; k < count; k++) gram_add(g, 1, s->base.d, s->dir + k * s->base.d, NULL);
    }
}

/* full = sum of U'BU over the components that have one; returns how many. */
static uint64_t sum_curvatures(inq *s)
{
    gram g = inq_gram(s);
    gram_sum(&g, add_roots, s);
    return (uint64_t)inq_total(s, has_curvature);
}

/* Factor form: one row for each component, the first of its roots. */
static uint64_t fill_curvatures(inq *s)
{
    method *m = &s->base;
    uint64_t held = 0;
    for (uint64_t i = 0; i < m->n; i++) {
        if (!(s->asked[i].full > 0) || !(inq_span(s, i)->bends > 0)) continue;
        put_roots(s, i, s->block);
        for (size_t j = 0; j < m->d; j++) s->col[j * m->n + held] = s->block[j];
        held++;
    }
    return held;
}

/* full = W times the mean weight, without the ridge, which the model adds again. */
static void share_matrix(inq *s)
{
    size_t d = s->base.d;
    double weight = inq_mean_weight(s), trace = 0;
    for (size_t j = 0; j < d; j++) {
        for (size_t k = 0; k < d; k++) s->full[j * d + k] = weight * s->whole[j * d + k];
        s->full[j * d + j] -= s->ridge.mu;
        trace += fmax(s->full[j * d + j], 0);
        s->g[j] += vec_dot(d, s->whole + j * d, s->lost);
    }
    s->model.bend = trace;
}

/* full, or col, times gam over the number of components that bend; bend = trace. */
static void span_matrix(inq *s)
{
    method *m = &s->base;
    size_t d = m->d;
    s->is_sparse = 0;
    uint64_t held = s->dense ? sum_curvatures(s) : fill_curvatures(s);
    double part = held ? s->scaling.gam / (double)held : 0, trace = 0;
    s->held = held;
    for (size_t j = 0; j < d && s->dense; j++) {
        for (size_t k = j; k < d; k++)
            s->full[j * d + k] = s->full[k * d + j] = part * s->full[j * d + k];
        trace += s->full[j * d + j];
    }
    for (size_t j = 0; j < d && !s->dense; j++) {
        double *c = s->col + j * m->n;
        vec_scale((size_t)held, sqrt(part), c);
        trace += vec_dot((size_t)held, c, c);
    }
    quad_forget(&s->room);
    s->model.bend = trace;
    quad q = inq_quad(s, 0);
    quad_multiply(&q, &s->room, s->lost, s->work);
    vec_add(d, 1, s->work, s->g);
}

void inq_span_model(inq *s)
{
    sum_components(s);
    if (inq_shares(s))
        share_matrix(s);
    else
        span_matrix(s);
}
