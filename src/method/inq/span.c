/* inq where components see x through several indices: what each keeps.
 * SPDX-License-Identifier: MIT
 *
 * A component keeps its last full gradient J, taken at z, and a few orthonormal directions u_k, its span, that its
 * gradients were found to change along. Asked at y along these alone (one query each), it keeps
 * e_k = u_k'(grad f_i(y) - J); B is its curvature within the span, from all changes seen so far. Then
 *
 *     grad f_i(x) = J + mu(x - z) + U'(e - mu U(y - z) + B U(x - y)),   Hessian U'BU + mu I
 *
 * With one full gradient more the span grows by what it did not explain. As soon as it is complete, a component is
 * renewed by as many queries as it has indices. */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "method/inq/inq.h"

const double *inq_point(const inq *s, uint64_t number)
{
    return s->point + (size_t)((number - 1) % POINTS) * s->base.d;
}

size_t inq_rank(const inq *s, uint64_t i) { return (size_t)inq_span(s, i)->rank; }

void inq_span_row(const inq *s, uint64_t i, size_t k, double *to)
{
    const float *u = inq_layer(s, i, k);
    for (size_t j = 0; j < s->base.d; j++) to[j] = (double)u[j];
}

void inq_span_project(const inq *s, uint64_t i, const double *v, double *t)
{
    for (size_t k = 0; k < inq_rank(s, i); k++) {
        const float *u = inq_layer(s, i, k);
        double a = 0, b = 0, c = 0, e = 0;
        size_t j = 0;
        for (; j + 4 <= s->base.d; j += 4) {
            a += (double)u[j] * v[j];
            b += (double)u[j + 1] * v[j + 1];
            c += (double)u[j + 2] * v[j + 2];
            e += (double)u[j + 3] * v[j + 3];
        }
        for (; j < s->base.d; j++) a += (double)u[j] * v[j];
        t[k] = (a + b) + (c + e);
    }
}

void inq_span_add(const inq *s, uint64_t i, const double *t, double *to)
{
    for (size_t k = 0; k < inq_rank(s, i); k++) {
        const float *u = inq_layer(s, i, k);
        for (size_t j = 0; j < s->base.d; j++) to[j] += t[k] * (double)u[j];
    }
}

double inq_slope(const inq *s, const double *gradient, const double *z, double mu, double *to)
{
    vec_copy(s->base.d, gradient, to);
    vec_add(s->base.d, -mu, z, to);
    double size = vec_norm(s->base.d, to);
    return size > inq_blur(s) ? size : 0;
}

void inq_fold(inq *s, uint64_t i)
{
    double t[SPAN];
    for (size_t k = 0; k < inq_rank(s, i); k++) {
        t[k] = *inq_along(s, i, k);
        *inq_along(s, i, k) = 0;
    }
    inq_span_add(s, i, t, inq_row(s, i));
}

/* ---- Curvature within a span ---------------------------------------------------------------------- */

void inq_span_curvature(const inq *s, uint64_t i, double b[SPAN][SPAN])
{
    for (size_t k = 0; k < inq_rank(s, i); k++)
        for (size_t j = 0; j <= k; j++) b[k][j] = b[j][k] = inq_along(s, i, k)[1 + j];
}

void inq_keep_curvature(inq *s, uint64_t i, double b[SPAN][SPAN])
{
    double trace = 0;
    for (size_t k = 0; k < inq_rank(s, i); k++) {
        for (size_t j = 0; j <= k; j++) inq_along(s, i, k)[1 + j] = b[k][j];
        trace += b[k][k];
    }
    inq_span(s, i)->bends = trace > 0;
}

void inq_learn_curvature(const inq *s, uint64_t i, double b[SPAN][SPAN], const double *step,
                         const double *y)
{
    size_t rank = inq_rank(s, i);
    double least = least_step * method_radius(&s->base, 1), work[2 * SPAN];
    if (vec_dot(rank, step, step) <= least * least) return; /* a shorter step says nothing */
    double news = fmax(least_news * vec_dot(rank, y, y), inq_blur(s) * inq_blur(s));
    quad_secant(rank, SPAN, &b[0][0], step, y, (quad_doubts){least_bend, news, short_fall}, work);
}

/* ---- Points ------------------------------------------------------------------------------------------ */

/* x becomes a point that gradients are told at. */
void inq_keep_point(inq *s)
{
    vec_copy(s->base.d, inq_place(s), s->point + (size_t)(s->points.count % POINTS) * s->base.d);
    s->points.count++;
}

int inq_at_last_point(const inq *s)
{
    return s->points.count > 0 &&
           !memcmp(s->base.x, inq_point(s, s->points.count), s->base.d * sizeof(double));
}

/* Is the value of every component at x known? */
int inq_all_told(const inq *s)
{
    for (size_t i = 0; i < s->base.n; i++)
        if (s->asked[i].renewed != s->points.count) return 0;
    return inq_at_last_point(s);
}

void inq_values_told(inq *s, int known) { s->points.valued = known ? s->base.step + 1 : 0; }

/* Values of all components at x. */
void inq_keep_values(inq *s, const double *answers)
{
    for (uint64_t i = s->base.first; i < inq_end(s); i++) inq_curve(s, i)->f = answers[i];
    inq_values_told(s, 1);
}

/* marks = rank of every component. */
void inq_mark_ranks(inq *s)
{
    for (size_t i = 0; i < s->base.count; i++) s->mark[i] = (unsigned char)s->spans[i].rank;
    method_marks(&s->base, s->mark, s->marks);
}

/* The same of those that were not asked along their span at x; 0 of the others. */
void inq_mark_stale(inq *s)
{
    inq_mark_ranks(s);
    for (size_t i = 0; i < s->base.n; i++)
        if (s->asked[i].renewed == s->points.count) s->marks[i] = 0;
}

void inq_plan_stalest(inq *s, uint64_t count)
{
    uint64_t newest = s->points.count, oldest = newest;
    int here = inq_at_last_point(s);
    plan_clear(&s->plan);
    for (uint64_t k = 0; k < s->sample.filled; k++)
        if (s->asked[s->plan.order[k]].full < oldest) oldest = s->asked[s->plan.order[k]].full;
    for (uint64_t at = oldest; at + (uint64_t)here <= newest && s->plan.queued < count; at++)
        for (uint64_t k = 0; k < s->sample.filled && s->plan.queued < count; k++)
            if (s->asked[s->plan.order[k]].full == at) plan_add(&s->plan, s->plan.order[k]);
    if (s->plan.queued && !here) inq_keep_point(s);
}
