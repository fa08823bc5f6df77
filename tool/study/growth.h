/* Table 1 as measured, and why it differs from what the paper states.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_GROWTH_H
#define ZO_TOOL_GROWTH_H

#include "study/theory.h"

#define GROWTH_GAP 1e-4
enum { GROWTH_SEEDS = 5, GROWTH_POINTS = 5, BASE_D = 8, BASE_N = 100, BASE_KAPPA = 10 };
#define COMPONENT_TOP 1.5 /* the largest curvature of a component; that of the mean is 1 */

typedef struct growth_size {
    size_t n, d;
    double kappa;
    uint64_t instance; /* 0, 1, ...: other numbers of the same kind */
} growth_size;

/* How queries to a gap grow with n, d and kappa; tables on out, their trials and numbers in the store. */
int growth_run(runs *store, FILE *out, const request *r);

/* One direction, one component; refresh 1/n, epoch n. The caller sets every. */
trial growth_trial(const char *method, double step, size_t n, uint64_t seed);
/* Runs them on the quadratic of that size. */
int growth_trials(runs *store, const request *r, growth_size at, trial *t, size_t count);
double growth_queries(const trial *t); /* until the gap was reached; NaN: it was not */
/* The median of GROWTH_SEEDS of them; NaN where most did not reach the gap. */
double growth_middle(const trial *t);
/* Least squares of y on x. */
double growth_slope(const double *x, const double *y, size_t count);
/* The mean of one slope for each of GROWTH_SEEDS instances; *half is half of a 95 % interval. */
double growth_mean(const double *slope, double *half);
/* Least squares of (a n + b kappa)/queries on 1. */
void growth_fit(const growth_size *at, const double *queries, size_t count, double *a, double *b);

/* The explanations, each put to the test (growth_why.c, growth_zpdvr.c). */
int growth_psvrg(runs *store, FILE *out, const request *r);
int growth_zpdvr(runs *store, FILE *out, const request *r);
/* What zpvr asks, in n and kappa (growth_additive.c). */
int growth_zpvr(runs *store, FILE *out, const request *r);

#endif
