/* The curvature of a set at x = 0, where a logistic loss has a quarter of z z'.
 * SPDX-License-Identifier: MIT */
#include "study/paper.h"

#include <math.h>
#include <stdlib.h>

#include "data/data.h"

enum { ROUNDS = 30 }; /* of the power method: 1 % is more than the rule needs */

static const double *row_at(const zo_data *data, size_t i, size_t *count, const uint32_t **col)
{
    size_t from = data->row ? (size_t)data->row[i] : i * data->features;
    *count = data->row ? (size_t)(data->row[i + 1] - data->row[i]) : data->features;
    *col = data->row ? data->col + from : NULL;
    return (data->row ? data->val : data->dense) + from;
}

/* w = (1/4n) sum z z'v; returns |w|. */
static double turn(const zo_data *data, const double *v, double *w)
{
    double norm = 0;
    for (size_t j = 0; j < data->features; j++) w[j] = 0;
    for (size_t i = 0; i < data->n; i++) {
        size_t count;
        const uint32_t *col;
        const double *z = row_at(data, i, &count, &col);
        double s = 0;
        for (size_t k = 0; k < count; k++) s += z[k] * v[col ? col[k] : k];
        for (size_t k = 0; k < count; k++) w[col ? col[k] : k] += s * z[k];
    }
    for (size_t j = 0; j < data->features; j++) {
        w[j] /= 4 * (double)data->n;
        norm += w[j] * w[j];
    }
    return sqrt(norm);
}

static double top_of(const zo_data *data)
{
    double *v = malloc(data->features * sizeof *v), *w = malloc(data->features * sizeof *w),
           norm = NAN;
    if (v && w) {
        for (size_t j = 0; j < data->features; j++) v[j] = 1 + 0.5 * (double)(j % 3);
        for (size_t k = 0; k < ROUNDS; k++) {
            norm = turn(data, v, w);
            for (size_t j = 0; j < data->features; j++) v[j] = w[j] / norm;
        }
    }
    free(v);
    free(w);
    return norm;
}

spectrum spectrum_of(const zo_data *data)
{
    spectrum s = {0, 0, 0};
    for (size_t i = 0; i < data->n; i++) {
        size_t count;
        const uint32_t *col;
        const double *z = row_at(data, i, &count, &col);
        double square = 0;
        for (size_t k = 0; k < count; k++) square += z[k] * z[k];
        s.trace += square / 4 / (double)data->n;
        s.each += square * square / 16 / (double)data->n;
    }
    s.each /= s.trace; /* of a component, weighted by itself */
    s.top = top_of(data);
    return s;
}
