/* The problems that benches of methods run on, by name.
 * SPDX-License-Identifier: MIT
 *
 * SPEC: a file, synth:KEY=VALUE,..., quadratics:N,D,KAPPA,SCATTER (one Hessian for all, times exp(SCATTER e_i)), or
 * valley:N,D (each component a curved valley in two of the coordinates, not convex). Options: loss=LOSS; group=ROWS: f_i
 * are means of so many rows; sigma=S: standard deviation of what is added to every value, told to the method, negative:
 * not told; floats=1: values in single precision; from=C: the start is C N(0,1) instead of 0; rows=N: the first N rows;
 * outliers=C: one row in a hundred times C; shift=C: C is added to every number; verbose=1: the first seed's path; without=RULE:
 * inq without a rule of its rules.h, as ZO_WITHOUT=RULE. Any other name is a setting: method=saga, own=off. */
#ifndef ZO_BENCH_PROBLEM_H
#define ZO_BENCH_PROBLEM_H

#include "share/share.h"
#include "zoprox_data.h"

typedef struct quadratics {
    size_t n, d;
    double *weight, *centre, *spectrum, *mirror;
} quadratics;

typedef struct valleys {
    size_t n, d;
    double *steep, *end, *start;
} valleys;

typedef struct bench_options {
    zo_loss loss;
    size_t group, rows;
    double sigma, from, outliers, shift;
    int floats, verbose;
    char without[32];
    zo_settings settings;
} bench_options;

typedef struct bench_problem {
    zo_problem asked, clean; /* as the method sees it; without noise and rounding */
    const double *start;     /* NULL: 0 */
    zo_problem values, exact;
    quadratics quad;
    valleys bent;
    grouped rows, silent;
    zo_data *data, *read; /* read: as it was, where it was changed */
    double *numbers;
    zo_model *model;
    double *far;
    int residual;     /* 1: the true residual is wanted at the end of a trail */
    char without[32]; /* "": nothing */
} bench_problem;

bench_options bench_defaults(void); /* of method inq */
void bench_option(bench_options *o, const char *text);
/* b must stay where it is until it is closed. */
void bench_open(bench_problem *b, const char *spec, const char *psi, double l2, bench_options *o);
void bench_start_from(bench_problem *b, double far, uint64_t seed); /* far N(0,1) */
void bench_close(bench_problem *b);

#endif
