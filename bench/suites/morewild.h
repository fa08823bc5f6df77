/* The 53 least-squares problems of Moré and Wild: Benchmarking derivative-free optimization algorithms, SIAM J. Optim. 20,
 * 2009, functions from Moré, Garbow, Hillstrom: Testing unconstrained optimization software, ACM TOMS 7, 1981.
 * SPDX-License-Identifier: MIT
 *
 *     minimize  sum_i r_i(x)^2,  i < m,  x in R^d */
#ifndef BENCH_MOREWILD_H
#define BENCH_MOREWILD_H

#include <stddef.h>

typedef struct mw_problem {
    int function; /* 1 ... 22, Moré and Wild's number */
    size_t d, m;
    int far;     /* 1: from ten times the standard start */
    double best; /* the least sum of squares known */
} mw_problem;

enum { MW_COUNT = 53, MW_MOST = 12, MW_MOST_RESIDUALS = 65 };
extern const mw_problem mw_problems[MW_COUNT];

const char *mw_name(int function);
void mw_start(const mw_problem *p, double *x);
void mw_residuals(const mw_problem *p, const double *x, double *r);

/* The variants of the paper: one value of the sum, noisy or not smooth. */
double mw_sum(const mw_problem *p, const double *x);      /* sum r_i^2 */
double mw_absolute(const mw_problem *p, const double *x); /* sum |r_i| */
extern const double mw_least_absolute[MW_COUNT];          /* the least value of that known */
double mw_wild(const mw_problem *p, const double *x);     /* sum r_i^2, deterministic noise 1e-3 */
double mw_wild_factor(size_t d, const double *x);         /* phi(x) of that noise, in [-1, 1] */

#endif
