/* Partially separable functions: each component sees a few coordinates. From Toint: Test problems for partially separable
 * optimization, Report 83/4, Namur, 1983; Conn, Gould, Lescrenier, Toint, Report 88/4, Namur, 1988; Moré, Garbow,
 * Hillstrom, ACM TOMS 7, 1981; the sizes and starts are those of the CUTE collection (ACM TOMS 21, 1995).
 * SPDX-License-Identifier: MIT
 *
 *     minimize  sum_i f_i(x),  i < n,  x in R^d */
#ifndef BENCH_SEPARABLE_H
#define BENCH_SEPARABLE_H

#include <stddef.h>

typedef struct ps_problem {
    const char *name;
    size_t d, n;
    double best; /* the least value of the sum known */
    double (*component)(size_t d, size_t i, const double *x);
    void (*start)(size_t d, double *x);
} ps_problem;

enum { PS_COUNT = 35, PS_MOST = 200 };
extern const ps_problem ps_problems[PS_COUNT];

double ps_sum(const ps_problem *p, const double *x);

#endif
