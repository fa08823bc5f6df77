/* A small strongly convex composite problem whose optimum is known by first-order means, for tests of methods.
 * SPDX-License-Identifier: MIT
 *
 * f_i(x) = log(1 + exp(-y_i z_i'x)) + (l2/2)|x|^2, psi = l1 |x|_1, rows from counters. The problem counts how often its
 * function is called. */
#ifndef TOY_H
#define TOY_H

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/vec.h"
#include "zoprox.h"

enum { TOY_N = 60, TOY_D = 8 };

typedef struct toy {
    double z[TOY_N][TOY_D], y[TOY_N], l2;
    uint64_t calls;
} toy;

static inline double toy_margin(const toy *t, size_t i, const double *x)
{
    return t->y[i] * vec_dot(TOY_D, t->z[i], x);
}

static inline double toy_f(const toy *t, size_t i, const double *x)
{
    double m = toy_margin(t, i, x), loss = fmax(-m, 0) + log1p(exp(-fabs(m)));
    return loss + 0.5 * t->l2 * vec_dot(TOY_D, x, x);
}

/* g = grad f(x) = mean_i grad f_i(x) */
static inline void toy_gradient(const toy *t, const double *x, double *g)
{
    vec_zero(TOY_D, g);
    for (size_t i = 0; i < TOY_N; i++) {
        double s = -t->y[i] / (1 + exp(toy_margin(t, i, x)));
        vec_add(TOY_D, s / TOY_N, t->z[i], g);
    }
    vec_add(TOY_D, t->l2, x, g);
}

static inline int toy_value(void *ctx, size_t i, const double *x, double *f)
{
    toy *t = ctx;
    t->calls++;
    *f = toy_f(t, i, x);
    return 0;
}

static inline void toy_fill(toy *t, double l2)
{
    *t = (toy){.l2 = l2};
    for (size_t i = 0; i < TOY_N; i++) {
        rng_normals(77, FOR_SYNTH, i, 0, TOY_D, t->z[i]);
        double s = t->z[i][0] - 0.5 * t->z[i][1] + 0.3 * t->z[i][2];
        t->y[i] = s + 2 * (rng_uniform(77, FOR_SYNTH, i, 1000) - 0.5) > 0 ? 1 : -1;
    }
}

static inline zo_problem toy_problem(toy *t, double l1)
{
    return (zo_problem){.n = TOY_N,
                        .d = TOY_D,
                        .value = toy_value,
                        .ctx = t,
                        .psi = l1 > 0 ? zo_l1(l1) : zo_zero()};
}

static inline double toy_F(const toy *t, double l1, const double *x)
{
    double f = 0, a = 0;
    for (size_t i = 0; i < TOY_N; i++) f += toy_f(t, i, x);
    for (size_t j = 0; j < TOY_D; j++) a += fabs(x[j]);
    return f / TOY_N + l1 * a;
}

/* F*, by many exact proximal gradient steps. */
static inline double toy_optimum(const toy *t, double l1, double *x)
{
    double g[TOY_D], eta = 0.2;
    vec_zero(TOY_D, x);
    for (int k = 0; k < 20000; k++) {
        toy_gradient(t, x, g);
        for (size_t j = 0; j < TOY_D; j++) {
            double v = x[j] - eta * g[j];
            x[j] = copysign(fmax(fabs(v) - eta * l1, 0), v);
        }
    }
    return toy_F(t, l1, x);
}

#endif
