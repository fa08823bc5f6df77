/* The prox-gradient that a run's end really has: differences of fourth order, at the length at which two agree best.
 * SPDX-License-Identifier: MIT */
#include "truth.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "morewild.h"

static const double longest = 2e-2, shortest = 1e-7, shorter = 0.2; /* of a coordinate's size */

/* F without its l1 term, and how large the sum is that it is rounded in. */
static double smooth(const suite_problem *p, const double *x, double *size)
{
    double v[SUITE_MOST_PARTS], sum = 0;
    suite_parts(p, x, v);
    *size = 0;
    for (size_t i = 0; i < p->m; i++) {
        double f = p->squares ? v[i] * v[i] : v[i];
        sum += f;
        *size += fabs(f);
    }
    return p->wild ? sum * (1 + 1e-3 * mw_wild_factor(p->d, x)) : sum;
}

/* (8 (f(h) - f(-h)) - (f(2h) - f(-2h)))/(12 h) along axis j. */
static double slope(const suite_problem *p, double *x, size_t j, double h, double *rounding)
{
    double at = x[j], far[4] = {1, -1, 2, -2}, f[4], most = 0;
    for (int k = 0; k < 4; k++) {
        double size;
        x[j] = at + far[k] * h;
        f[k] = smooth(p, x, &size);
        most = fmax(most, size);
    }
    x[j] = at;
    double bend = fabs(f[2] + f[3] - f[0] - f[1]) / (3 * h * h); /* and x + h is rounded, too */
    *rounding = 4 * DBL_EPSILON * (most / h + bend * fabs(at));
    return (8 * (f[0] - f[1]) - (f[2] - f[3])) / (12 * h);
}

/* The two neighbours among lengths that differ least, beside rounding: from a part of the larger size to one of its own. */
static double best_slope(const suite_problem *p, double *x, size_t j, double size, double *error)
{
    double before = NAN, best = NAN, own = x[j] != 0 ? fmin(fabs(x[j]), size) : size;
    *error = INFINITY;
    for (double h = longest * size; h > shortest * own; h *= shorter) {
        double rounding, now = slope(p, x, j, h, &rounding), off = fabs(now - before) + rounding;
        if (off < *error) *error = off, best = now;
        before = now;
    }
    return best;
}

suite_truth suite_true_residual(const suite_problem *p, double scale, const double *x)
{
    double z[SUITE_MOST], mean = 0;
    suite_truth t = {0};
    memcpy(z, x, p->d * sizeof *z);
    for (size_t j = 0; j < p->d; j++) mean += fabs(x[j]) / (double)p->d;
    for (size_t j = 0; j < p->d; j++) {
        double size = fmax(fabs(x[j]), 0.1 * mean), error;
        double g = best_slope(p, z, j, size > 0 ? size : 1, &error);
        double y = x[j] - scale * g, kept = fmax(fabs(y) - scale * p->lambda, 0);
        t.residual = hypot(t.residual, x[j] - copysign(kept, y));
        t.error = hypot(t.error, scale * error);
    }
    return t;
}
