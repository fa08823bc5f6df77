/* Functions of one value that are hard on differences: Rosenbrock's in d dimensions (to which the bench adds noise), a bowl
 * of whole numbers, and a sum of absolute values.
 * SPDX-License-Identifier: MIT */
#ifndef BENCH_ROUGH_H
#define BENCH_ROUGH_H

#include <stddef.h>

typedef struct rough_problem {
    const char *name;
    size_t d;
    double noise; /* standard deviation of what is added to F */
    double (*value)(size_t d, const double *x);
    void (*start)(size_t d, double *x);
} rough_problem;

enum { ROUGH_COUNT = 6, ROUGH_EVALUATIONS = 20000 };
extern const rough_problem rough_problems[ROUGH_COUNT]; /* the least value is 0 */

#endif
