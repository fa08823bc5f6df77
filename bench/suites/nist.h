/* NIST's Statistical Reference Datasets for nonlinear regression (https://www.itl.nist.gov/div898/strd): files NAME.dat in
 * $ZOPROX_DATA/nist, formulas here.
 * SPDX-License-Identifier: MIT */
#ifndef BENCH_NIST_H
#define BENCH_NIST_H

#include <stddef.h>

enum { NIST_MOST = 9, NIST_MOST_ROWS = 256, NIST_COUNT = 27 };

typedef struct nist_set {
    const char *name;
    size_t d, m;                                   /* parameters, observations */
    double start[2][NIST_MOST];                    /* both starts */
    double certified[NIST_MOST], error[NIST_MOST]; /* parameters and their standard errors */
    double best;                                   /* certified residual sum of squares */
    double y[NIST_MOST_ROWS], x[NIST_MOST_ROWS][2];
    double (*model)(const double *b, const double *x);
} nist_set;

extern const char *const nist_names[NIST_COUNT]; /* from lower to higher difficulty */

/* 0, or -1 where the file is absent or cannot be understood. */
int nist_read(nist_set *set, const char *name);
void nist_residuals(const nist_set *set, const double *b, double *r); /* model - y */

#endif
