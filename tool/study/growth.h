/* Table 1 as measured, and why it differs from what the paper states.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_GROWTH_H
#define ZO_TOOL_GROWTH_H

#include "study/theory.h"

#define GROWTH_GAP 1e-4
enum { GROWTH_SEEDS = 5, GROWTH_POINTS = 5, BASE_D = 8, BASE_N = 100, BASE_KAPPA = 10 };

typedef struct growth_size {
    size_t n, d;
    double kappa;
} growth_size;

/* How queries to a gap grow with n, d and kappa; tables on out, their trials and numbers in the store. */
int growth_run(runs *store, FILE *out, const request *r);

/* One direction, one component; refresh 1/n, epoch n. The caller sets every. */
trial growth_trial(const char *method, double step, size_t n, uint64_t seed);
/* Runs them on the quadratic of that size. */
int growth_trials(runs *store, const request *r, growth_size at, trial *t, size_t count);
double growth_queries(const trial *t); /* until the gap was reached; NaN: it was not */
/* Least squares of y on x; *half is half of a 95 % interval. */
double growth_slope(const double *x, const double *y, size_t count, double *half);

/* The explanations, each put to the test (growth_why.c). */
int growth_psvrg(runs *store, FILE *out, const request *r);
int growth_zpdvr(runs *store, FILE *out, const request *r);
/* What zpvr asks, in n and kappa (growth_additive.c). */
int growth_zpvr(runs *store, FILE *out, const request *r);

#endif
