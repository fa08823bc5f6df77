/* One shape for every problem of every suite, for the benches, the tests and (through ctypes) the peers.
 * SPDX-License-Identifier: MIT
 *
 *     F(x) = sum_i v_i(x)^2 + lambda |x|_1   (squares), or  sum_i v_i(x),   i < m,  x in R^d */
#ifndef BENCH_SUITE_H
#define BENCH_SUITE_H

#include <stddef.h>

enum { SUITE_MOST = 200, SUITE_MOST_PARTS = 256 }; /* d and m are at most these */

typedef struct suite_problem {
    char name[40];
    size_t d, m;
    int squares;   /* v are residuals; 0: components */
    int wild;      /* 1: what is asked is F (1 + 1e-3 mw_wild_factor) */
    double lambda; /* of the l1 term */
    double best;   /* the least F known */
    double noise;  /* standard deviation of what the bench is to add to F */
    size_t most;   /* evaluations that there are; 0: as many as the bench likes */
    double start[SUITE_MOST];
    const void *of;
    void (*parts)(const void *of, const double *x, double *v);
} suite_problem;

/* morewild, l1, nist, nist2 (from the second start), spectrum, separable, rough. */
size_t suite_size(const char *suite);                          /* 0: no such suite */
int suite_open(const char *suite, size_t k, suite_problem *p); /* 0, or -1: its data are absent */
void suite_parts(const suite_problem *p, const double *x, double *v);
double suite_sum(const suite_problem *p, const double *x, const double *v); /* F from v = v(x) */
double suite_value(const suite_problem *p, const double *x);                /* F(x) */

#endif
