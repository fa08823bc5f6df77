/* mean: the matrix B, what it begins with and what it learns.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/eigen.h"
#include "base/real.h"
#include "base/vec.h"
#include "method/mean/state.h"

/* How f bends along axis j, in units of the coordinate's size. */
static double bend_of(const mean *s, size_t j)
{
    return fabs(s->bends[j]) * s->size[j] * s->size[j];
}

/* B = the h_j in work; none is so small that a step along its axis would promise more than ten times what F is, nor very small
 * beside the others, in units of coordinates' sizes. */
static void set_axes(mean *s)
{
    size_t d = s->base.d;
    double average = 0, steep = 0, scale = s->at->scale;
    for (size_t j = 0; j < d; j++) {
        average += bend_of(s, j) / (double)d;
        steep += square(s->g[j] * s->size[j]);
    }
    vec_zero(d * d, s->matrix);
    for (size_t j = 0; j < d; j++) {
        double unit = s->size[j] * s->size[j], g = s->g[j];
        double least = fmax(1e-8 * average, 1e-12 * steep / scale) / unit;
        s->matrix[j * d + j] = fmax(fmax(s->work[j], 0.1 * g * g / scale), least);
    }
}

void mean_from_axes(mean *s)
{
    for (size_t j = 0; j < s->base.d; j++) s->work[j] = fabs(s->bends[j]);
    set_axes(s);
}

/* ---- Where curvature is beside the diagonal --------------------------------------------------------
 * In units of sizes, and of the mean bend, let H_jj = u_j and H_jk^2 = c^2 u_j u_k, and let the way x_j to the minimizer have the
 * variance u_j^-p. Slopes -Hx then have the variances V_j, and tell of x_j what B_j does, the best such diagonal:
 *
 *     V_j = u_j^(2-p) + c^2 u_j sum_k u_k^(1-p),   B_j = -V_j/E g_j x_j = u_j + c^2 u_j^p sum_k u_k^(1-p),   k != j */
typedef struct law {
    double average; /* of bends */
    double shared;  /* c^2 */
    double p, sum;  /* sum_k u_k^(1-p) */
} law;

static void take_power(const mean *s, law *l, double p)
{
    l->p = p;
    l->sum = 0;
    for (size_t j = 0; j < s->base.d; j++) {
        double u = bend_of(s, j) / l->average;
        if (u > 0) l->sum += real_pow(u, 1 - p);
    }
}

static double law_at(const law *l, double u)
{
    return u + l->shared * real_pow(u, l->p) * (l->sum - real_pow(u, 1 - l->p));
}

/* How badly normal slopes of the variances V_j explain those that are seen: -2 times the log likelihood of the best multiple. */
static double surprise(const mean *s, const law *l)
{
    double squares = 0, logs = 0, count = 0;
    for (size_t j = 0; j < s->base.d; j++) {
        double u = bend_of(s, j) / l->average;
        if (!(u > 0)) continue;
        double v = law_at(l, u) * real_pow(u, 1 - l->p);
        squares += square(s->g[j] * s->size[j]) / v;
        logs += real_log(v);
        count++;
    }
    return count * real_log(squares / count) + logs;
}

/* p is the mean over 0, 1/4, ..., 1, weighed by likelihood: it is seldom sure. */
static law find_law(const mean *s, double shared)
{
    law l = {.shared = shared};
    double total = 0, worst[POWERS + 1], least = INFINITY, p = 0, all = 0;
    for (size_t j = 0; j < s->base.d; j++) total += bend_of(s, j);
    l.average = total / (double)s->base.d;
    for (int k = 0; k <= POWERS; k++) {
        take_power(s, &l, (double)k / POWERS);
        worst[k] = surprise(s, &l);
        least = fmin(least, worst[k]);
    }
    for (int k = 0; k <= POWERS; k++) {
        double weight = real_exp(-0.5 * (worst[k] - least));
        p += weight * k / POWERS;
        all += weight;
    }
    take_power(s, &l, all > 0 ? p / all : 1);
    return l;
}

/* Eigenvalues of the mean m and of the root mean square m (1 + beside)^(1/2), if lognormal, have the median m (1 + beside)^(-1/2):
 * that is the mean of B. The few that are large are soon learnt. */
static void from_law(mean *s, double shared, double beside)
{
    law l = find_law(s, shared);
    size_t d = s->base.d;
    double total = 0;
    for (size_t j = 0; j < d; j++) {
        double u = bend_of(s, j) / l.average;
        s->work[j] = u > 0 ? law_at(&l, u) : 0;
        total += s->work[j];
    }
    double times = l.average * (double)d / (total * sqrt(1 + beside));
    for (size_t j = 0; j < d; j++) s->work[j] *= times / (s->size[j] * s->size[j]);
    set_axes(s);
}

/* Over signs v, v'Hv has the mean sum H_jj and the variance 2 sum H_jk^2, j != k: from MIXED of them, whose numbers have the
 * sizes of the first, beside 2 sum H_jj^2; and shared, beside 2 sum H_jj H_kk. */
static double beside_diagonal(const mean *s, const double *bend, double *shared)
{
    double trace = 0, squares = 0, pairs = 0, sum = 0;
    for (size_t j = 0; j < s->base.d; j++) trace += s->bends[j] * square(s->dir[j]);
    for (size_t j = 0; j < s->base.d; j++) {
        double h = s->bends[j] * square(s->dir[j]);
        squares += h * h;
        pairs += h * (trace - h);
    }
    for (size_t k = 0; k < MIXED; k++) sum += (bend[k] - trace) * (bend[k] - trace) / MIXED;
    *shared = pairs > 0 ? fmin(1, sum / (2 * pairs)) : 1;
    return squares > 0 ? sum / (2 * squares) : 0;
}

/* In units of coordinates' sizes, so that a step promises half of F. */
void mean_from_slopes(mean *s)
{
    size_t d = s->base.d;
    double steep = 0;
    for (size_t j = 0; j < d; j++) steep += s->g[j] * s->g[j] * s->size[j] * s->size[j];
    vec_zero(d * d, s->matrix);
    for (size_t j = 0; j < d; j++)
        s->matrix[j * d + j] = fmax(steep / s->at->scale, 1e-290) / (s->size[j] * s->size[j]);
}

/* The law is one of a start: where others have led to x the way from there is not of the size of x. Where f is convex
 * sum H_jk^2 <= sum H_jj H_kk <= (d - 1) sum H_jj^2, j != k; a few directions may show more. */
void mean_begin_matrix(mean *s, const double *bend)
{
    double shared = 0, beside = bend ? beside_diagonal(s, bend, &shared) : 0;
    if (beside >= 1 && s->base.step == 0 && s->at->spent == 0)
        from_law(s, shared, fmin(beside, (double)s->base.d - 1));
    else
        mean_from_axes(s);
}

/* BFGS with p = x - x before and y = g - g before, damped: where p'y < p'Bp/5, y goes so far towards Bp that it is. */
void mean_learn(mean *s)
{
    size_t d = s->base.d;
    double *p = s->work, *y = s->y, along, bend;
    quad q = {.d = d, .matrix = s->matrix};
    for (size_t j = 0; j < d; j++) {
        p[j] = s->base.x[j] - s->before[j];
        y[j] = s->g[j] - s->g_before[j];
    }
    quad_multiply(&q, &s->room, p, s->image);
    along = vec_dot(d, p, y);
    bend = vec_dot(d, p, s->image);
    double part = along < 0.2 * bend ? 0.8 * bend / (bend - along) : 1;
    for (size_t j = 0; j < d; j++) y[j] = part * y[j] + (1 - part) * s->image[j];
    quad_update(d, s->matrix, 0, p, y, 1e-8, s->image);
}

/* |A| = V|L|V' where A = V L V': curvature of either sign is a reason not to go far. */
void mean_absolute(size_t d, double *a, double *v, double least)
{
    eigen(d, a, v);
    double value[CROSS];
    for (size_t k = 0; k < d; k++) value[k] = fmax(fabs(a[k * d + k]), least);
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < d; k++) {
            a[j * d + k] = 0;
            for (size_t e = 0; e < d; e++) a[j * d + k] += value[e] * v[j * d + e] * v[k * d + e];
        }
}
