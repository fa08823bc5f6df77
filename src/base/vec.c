/* Vectors: short loops with one fixed order of summation.
 * SPDX-License-Identifier: MIT */
#include "base/vec.h"

#include <math.h>
#include <string.h>

enum { LANES = 8 }; /* independent partial sums: fast, and the same order on every machine */

static double lanes_total(const double s[LANES])
{
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

double vec_dot(size_t d, const double *x, const double *y)
{
    double s[LANES] = {0};
    size_t j = 0;
    for (; j + LANES <= d; j += LANES)
        for (size_t l = 0; l < LANES; l++) s[l] += x[j + l] * y[j + l];
    for (size_t l = 0; j < d; j++, l++) s[l] += x[j] * y[j];
    return lanes_total(s);
}

double vec_norm(size_t d, const double *x)
{
    double s = vec_dot(d, x, x);
    if (s > 1e-280 && s < 1e280) return sqrt(s);
    double top = 0; /* far from 1: scale by the largest entry */
    for (size_t j = 0; j < d; j++) top = fabs(x[j]) > top ? fabs(x[j]) : top;
    if (!(top > 0) || isinf(top)) return isnan(s) ? s : top;
    double t = 0;
    for (size_t j = 0; j < d; j++) t += (x[j] / top) * (x[j] / top);
    return top * sqrt(t);
}

double vec_distance(size_t d, const double *x, const double *y)
{
    double s[LANES] = {0};
    size_t j = 0;
    for (; j + LANES <= d; j += LANES)
        for (size_t l = 0; l < LANES; l++) s[l] += (x[j + l] - y[j + l]) * (x[j + l] - y[j + l]);
    for (size_t l = 0; j < d; j++, l++) s[l] += (x[j] - y[j]) * (x[j] - y[j]);
    return sqrt(lanes_total(s));
}

void vec_copy(size_t d, const double *x, double *y)
{
    if (d) memmove(y, x, d * sizeof *y);
}

void vec_zero(size_t d, double *x)
{
    if (d) memset(x, 0, d * sizeof *x);
}

void vec_scale(size_t d, double a, double *x)
{
    for (size_t j = 0; j < d; j++) x[j] *= a;
}

void vec_add(size_t d, double a, const double *x, double *y)
{
    for (size_t j = 0; j < d; j++) y[j] += a * x[j];
}

void vec_add_four(size_t d, const double a[4], const double *x, double *y)
{
    const double *x1 = x + d, *x2 = x1 + d, *x3 = x2 + d;
    for (size_t j = 0; j < d; j++)
        y[j] = (((y[j] + a[0] * x[j]) + a[1] * x1[j]) + a[2] * x2[j]) + a[3] * x3[j];
}

void vec_step(size_t d, const double *x, double a, const double *g, double *y)
{
    for (size_t j = 0; j < d; j++) y[j] = x[j] - a * g[j];
}

size_t vec_nonzeros(size_t d, const double *x)
{
    size_t count = 0;
    for (size_t j = 0; j < d; j++) count += x[j] != 0;
    return count;
}

int vec_finite(size_t d, const double *x)
{
    double s = 0; /* 0*x is 0 exactly when x is finite */
    for (size_t j = 0; j < d; j++) s += 0 * x[j];
    return s == 0;
}
