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
#include "method/subspaces/span.h"

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

void inq_mark_stale(inq *s)
{
    for (size_t i = 0; i < s->base.count; i++) s->mark[i] = (unsigned char)s->spans[i].rank;
    method_marks(&s->base, s->mark, s->marks);
    for (size_t i = 0; i < s->base.n; i++)
        if (s->asked[i].renewed == s->points.count) s->marks[i] = 0;
}
