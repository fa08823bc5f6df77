/* The nearest point of a set of linear equations, inequalities and bounds.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_PROJECT_H
#define ZO_PROJECT_H

#include <stddef.h>

/* One row: a'x = b, or a'x <= b. */
typedef struct linear_row {
    const double *a;
    double b;
    int equal;
} linear_row;

/* {x : rows, lo <= x <= hi}; row gives the k-th of m. lo and hi may be infinite. */
typedef struct linear_set {
    size_t d, m;
    linear_row (*row)(const void *ctx, size_t k);
    const void *ctx;
    const double *lo, *hi;
} linear_set;

/* How far a row of the nearest point may be off: relative to |a| |x| + |b|. */
static const double linear_slack = 1e-11;

size_t project_work(size_t d, size_t m); /* numbers */
/* x = the point of the set that is nearest to v; v and x may be the same. 0: the set is empty, and x is anything. */
int project(const linear_set *s, const double *v, double *x, double *work);

#endif
