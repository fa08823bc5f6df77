/* A small composite problem that counts its queries and can be made to go wrong, for tests of the solver.
 * SPDX-License-Identifier: MIT
 *
 * f_i(x) = log(1 + exp(-z_i'x)) + (l2/2)|x|^2 with z_i drawn from a counter; psi = l1. */
#ifndef FAULTY_H
#define FAULTY_H

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/rng.h"
#include "zoprox.h"

enum { FAULTY_N = 300, FAULTY_D = 7 };

typedef struct faulty {
    double z[FAULTY_N][FAULTY_D];
    atomic_ullong asked;         /* evaluations of one f_i */
    unsigned long long nan_from; /* evaluations from here on, nan_count of them, give NaN */
    unsigned long long nan_count;
    int fail_at; /* this evaluation returns code 42; 0: none */
} faulty;

static inline int faulty_value(void *ctx, size_t i, const double *x, double *f)
{
    faulty *t = ctx;
    unsigned long long k = atomic_fetch_add(&t->asked, 1) + 1;
    double m = 0, s = 0;
    for (size_t j = 0; j < FAULTY_D; j++) {
        m -= t->z[i][j] * x[j];
        s += x[j] * x[j];
    }
    *f = fmax(m, 0) + log1p(exp(-fabs(m))) + 0.005 * s;
    if (t->nan_count && k >= t->nan_from && k < t->nan_from + t->nan_count) *f = NAN;
    return t->fail_at && k == (unsigned long long)t->fail_at ? 42 : 0;
}

static inline faulty *faulty_new(zo_problem *p)
{
    faulty *t = calloc(1, sizeof *t);
    for (uint32_t i = 0; i < FAULTY_N; i++) {
        rng_normals(7, FOR_CHECK, i, 0, FAULTY_D, t->z[i]);
        for (size_t j = 0; j < FAULTY_D; j++) t->z[i][j] += 0.5 / (1 + (double)j);
    }
    *p = (zo_problem){
        .n = FAULTY_N, .d = FAULTY_D, .value = faulty_value, .ctx = t, .psi = zo_l1(1e-2)};
    return t;
}

#endif
