/* mean: noise. Looks along the matrix's own directions, each as far as f bends clear of the noise.
 * SPDX-License-Identifier: MIT
 *
 * In units of the radii, A = RBR, R = diag(r_j). With A = V L V', L_k in units of CLEAR eps, direction k is t_k R v_k,
 * t_k^2 L_k = CLEAR eps: along the floor of a valley far longer than along any axis, and its slope so much more exact. From
 * slopes s_k along R v_k, g = R^-1 V s; from bends h_k there, B = R^-1 V diag(h) V' R^-1. */
#include <math.h>

#include "base/eigen.h"
#include "base/vec.h"
#include "method/mean/state.h"

/* Of one function or a few: many components hand over a matrix of theirs, which says little along directions that hardly
 * bend, and these are what such a look would go far along. */
int turned_suits(const mean *s)
{
    return s->base.n < FEW && s->base.d > 1 && s->base.d <= TURNED && !s->base.bounds &&
           s->look->metric > 0 && s->look->sides == 2;
}

/* root = V; dir = t_k R v_k, as rows; radii = t_k. */
void turned_ask(mean *s, zo_fan *fan)
{
    size_t d = s->base.d;
    double *a = s->dir, *v = s->root, clear = CLEAR * mean_eps(s);
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < d; k++)
            a[j * d + k] = s->matrix[j * d + k] * s->reach[j] * s->reach[k];
    eigen(d, a, v);
    for (size_t k = 0; k < d; k++) {
        double curved = a[k * d + k] / clear;
        s->radii[k] = curved > 0 ? fmin(sqrt(1 / curved), MOST_TURNED) : MOST_TURNED;
    }
    for (size_t k = 0; k < d; k++)
        for (size_t j = 0; j < d; j++) s->dir[k * d + j] = s->radii[k] * s->reach[j] * v[j * d + k];
    ask_rows(fan, d, s->dir, 2);
}

void turned_learn(mean *s, const double *answers)
{
    size_t d = s->base.d;
    const zo_fan *fan = &s->base.fan;
    double eps = mean_eps(s), *slope = s->work, *bend = s->image, *v = s->root;
    for (size_t k = 0; k < d; k++) {
        double t = s->radii[k];
        slope[k] = quotient(fan, answers, 0, k) / t;
        bend[k] = fmax(fabs(second_difference(fan, answers, 0, k)), eps) / (t * t);
    }
    for (size_t j = 0; j < d; j++) s->g[j] = vec_dot(d, v + j * d, slope) / s->reach[j];
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < d; k++) {
            double sum = 0;
            for (size_t e = 0; e < d; e++) sum += v[j * d + e] * bend[e] * v[k * d + e];
            s->matrix[j * d + k] = sum / (s->reach[j] * s->reach[k]);
        }
    for (size_t j = 0; j < d; j++) s->bends[j] = s->matrix[j * d + j];
}
