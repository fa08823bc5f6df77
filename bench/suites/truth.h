/* The prox-gradient that a run's end really has.
 * SPDX-License-Identifier: MIT */
#ifndef BENCH_TRUTH_H
#define BENCH_TRUTH_H

#include "suite.h"

typedef struct suite_truth {
    double residual; /* |x - prox(x - grad)| of scale F, */
    double error;    /* and what its differences may be off by */
} suite_truth;

/* Of what is asked: ripples that are a function of x (wild) have minima of their own. */
suite_truth suite_true_residual(const suite_problem *p, double scale, const double *x);

#endif
