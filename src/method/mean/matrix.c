/* mean: the matrix B, what it begins with and what it learns.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/eigen.h"
#include "base/real.h"
#include "base/vec.h"
#include "method/mean/state.h"

/* How badly slopes of the size of h_j^a, normal, explain those that are seen: -2 times the log likelihood of the best such. */
static double surprise(const mean *s, double a)
{
    double squares = 0, logs = 0, count = 0;
    for (size_t j = 0; j < s->base.d; j++) {
        double h = fabs(s->bends[j]), g = s->g[j];
        if (!(h > 0)) continue;
        squares += g * g * real_pow(h, -2 * a);
        logs += real_log(h);
        count++;
    }
    return count * real_log(squares / count) + 2 * a * logs;
}

/* Slopes g_j that grow like h_j^a speak of a minimizer g_j/h_j away: B ~ h_j^(2 - 2a) makes all of that equally likely. */
static double power_of_bends(const mean *s)
{
    double power = 1, least = surprise(s, 0.5) - SURER;
    for (double p = 0.75; p >= 0; p -= 0.25) {
        double now = surprise(s, 1 - 0.5 * p);
        if (!(now < least)) continue;
        power = p;
        least = now;
    }
    return power;
}

/* B = the bends along the axes, or their power times the mean of the rest; none is so small that a step along its axis would
 * promise more than ten times what F is, nor very small beside the others, in units of coordinates' sizes. */
static void from_power(mean *s, double power)
{
    size_t d = s->base.d;
    double average = 0, steep = 0, scale = s->at->scale;
    for (size_t j = 0; j < d; j++) {
        double size = s->size[j];
        average += fabs(s->bends[j]) * size * size / (double)d;
        steep += s->g[j] * s->g[j] * size * size;
    }
    vec_zero(d * d, s->matrix);
    for (size_t j = 0; j < d; j++) {
        double unit = s->size[j] * s->size[j], h = fabs(s->bends[j]), g = s->g[j];
        if (power < 1) h = average / unit * real_pow(h * unit / average, power);
        double least = fmax(1e-8 * average, 1e-12 * steep / scale) / unit;
        s->matrix[j * d + j] = fmax(fmax(h, 0.1 * g * g / scale), least);
    }
}

/* Over signs v, v'Hv has the mean sum H_jj and the variance 2 sum H_jk^2, j != k: beside 2 sum H_jj^2, from MIXED of them,
 * whose numbers have the sizes of the first. */
static double beside_diagonal(const mean *s, const double *bend)
{
    double trace = 0, squares = 0, sum = 0;
    for (size_t j = 0; j < s->base.d; j++) {
        double h = s->bends[j] * s->dir[j] * s->dir[j];
        trace += h;
        squares += h * h;
    }
    for (size_t k = 0; k < MIXED; k++) sum += (bend[k] - trace) * (bend[k] - trace) / MIXED;
    return squares > 0 ? sum / (2 * squares) : 0;
}

void mean_from_axes(mean *s) { from_power(s, 1); }

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

void mean_begin_matrix(mean *s, const double *bend)
{
    from_power(s, !bend || beside_diagonal(s, bend) < 1 ? 1 : power_of_bends(s));
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
