/* inq: the matrix of one function, what it begins with and what it learns.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/vec.h"
#include "method/inq/inq.h"

/* How badly slopes of the size of h_j^a, normal, explain those that are seen: -2 times the log likelihood of the best such. */
static double surprise(const inq *s, double a)
{
    double squares = 0, logs = 0, count = 0;
    for (size_t j = 0; j < s->base.d; j++) {
        double h = fabs(s->bends[j]), g = s->incline[j];
        if (!(h > 0)) continue;
        squares += g * g * pow(h, -2 * a);
        logs += log(h);
        count++;
    }
    return count * log(squares / count) + 2 * a * logs;
}

/* Slopes g_j that grow like h_j^a speak of a minimizer g_j/h_j away: B ~ h_j^(2 - 2a) makes all of that equally likely. */
static double power_of_bends(const inq *s)
{
    double power = 1;
    for (double p = 0.75; p >= 0; p -= 0.25)
        if (surprise(s, 1 - 0.5 * p) < surprise(s, 1 - 0.5 * power)) power = p;
    return power;
}

/* B = the bends along the axes, or their power times the mean of the rest; none is so small that a step along its axis would
 * promise more than ten times what F is. */
static void from_axes(inq *s, double power)
{
    size_t d = s->base.d;
    double mean = 0, scale = s->at->scale;
    for (size_t j = 0; j < d; j++) mean += fabs(s->bends[j]) / (double)d;
    vec_zero(d * d, s->matrix);
    for (size_t j = 0; j < d; j++) {
        double h = power < 1 ? mean * pow(fabs(s->bends[j]) / mean, power) : fabs(s->bends[j]);
        double g = s->incline[j], least = fmax(0.1 * g * g / scale, 1e-8 * mean);
        s->matrix[j * d + j] = fmax(fmax(h, least), 1e-12 * s->at->steep * s->at->steep / scale);
    }
    s->one->axial = s->base.step + 1;
}

/* Over signs v, v'Hv has the mean sum H_jj and the variance 2 sum H_jk^2, j != k: beside 2 sum H_jj^2, from rises along MIXED
 * of them. */
static double beside_diagonal(const inq *s, const double *rise)
{
    size_t d = s->base.d;
    double trace = 0, squares = 0, r = s->base.fan.radius, sum = 0;
    for (size_t j = 0; j < d; j++) {
        trace += s->bends[j];
        squares += s->bends[j] * s->bends[j];
    }
    for (size_t k = 0; k < MIXED; k++) {
        double bend = 2 * (rise[k] / r - vec_dot(d, s->dir + k * d, s->incline)) / r - trace;
        sum += bend * bend / MIXED;
    }
    return squares > 0 ? sum / (2 * squares) : 0;
}

void inq_one_matrix(inq *s, const double *rise)
{
    from_axes(s, beside_diagonal(s, rise) < 1 ? 1 : power_of_bends(s));
}

/* BFGS with p = x - x before and y = g - g before, damped: where p'y < p'Bp/5, y goes so far towards Bp that it is. */
void inq_one_learn(inq *s)
{
    size_t d = s->base.d;
    double *p = s->work, *y = s->lost, *image = s->told, along = 0, bend = 0;
    quad q = {.d = d, .matrix = s->matrix};
    for (size_t j = 0; j < d; j++) {
        p[j] = s->base.x[j] - s->before[j];
        y[j] = s->incline[j] - s->inclined[j];
    }
    quad_multiply(&q, &s->room, p, image);
    along = vec_dot(d, p, y);
    bend = vec_dot(d, p, image);
    double part = along < 0.2 * bend ? 0.8 * bend / (bend - along) : 1;
    for (size_t j = 0; j < d; j++) y[j] = part * y[j] + (1 - part) * image[j];
    quad_update(d, s->matrix, 0, p, y, 1e-8, s->told);
}
