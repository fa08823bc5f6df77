/* A small problem, kept as plain arrays, for tests of reference optima; and the same by the definitions, in long double,
 * written apart from the library.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TESTS_LITTLE_H
#define ZO_TESTS_LITTLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "prox/prox.h"
#include "zoprox_data.h"

enum { ROWS = 60, FEATURES = 12, CLASSES = 3, MOST = FEATURES * CLASSES };

/* ---- a small problem, kept as plain arrays ------------------------------------------------------------- */

typedef struct little {
    double z[ROWS * FEATURES], label[ROWS];
    uint64_t row[ROWS + 1];
    uint32_t col[ROWS * FEATURES];
    double val[ROWS * FEATURES];
    zo_data *data;
    zo_model *model;
    zo_problem problem;
    zo_loss loss;
    double l2;
} little;

static inline double
noise(uint64_t *seed) /* in (-1, 1): a linear congruential generator is good enough here */
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

static inline void open_little(little *p, zo_loss loss, double l2, int sparse)
{
    uint64_t seed = 7, at = 0;
    *p = (little){.loss = loss, .l2 = l2};
    for (size_t i = 0; i < ROWS; i++) {
        double m = 0;
        for (size_t j = 0; j < FEATURES; j++) {
            double v = noise(&seed) * (j % 3 == 0 ? 3 : 1);
            if (sparse && noise(&seed) > 0) v = 0;
            p->z[i * FEATURES + j] = v;
            m += (double)(j % 4) * v - (j == 5 ? 2 * v : 0);
            if (v != 0) p->col[at] = (uint32_t)j, p->val[at++] = v;
        }
        p->row[i + 1] = at;
        m += 9 * noise(&seed); /* so much that the classes overlap */
        p->label[i] = loss == ZO_SQUARED || loss == ZO_HUBER ? m
                      : loss == ZO_SOFTMAX                   ? (m > 2) + (m > -2)
                                                             : (m > 0);
    }
    zo_error err;
    zo_status status =
        sparse ? zo_data_csr(&p->data, ROWS, FEATURES, p->row, p->col, p->val, p->label, &err)
               : zo_data_dense(&p->data, ROWS, FEATURES, p->z, p->label, &err);
    if (!status) status = zo_model_new(&p->model, p->data, loss, l2, 1, &p->problem, &err);
    if (status) fail_msg("%s", err.text);
}

static inline void close_little(little *p)
{
    zo_model_free(p->model);
    zo_data_free(p->data);
}

static inline long double margin(const little *p, size_t i, size_t c, const double *x)
{
    long double s = 0;
    for (size_t j = 0; j < FEATURES; j++)
        s += (long double)p->z[i * FEATURES + j] * x[c * FEATURES + j];
    return s;
}

/* The loss of row i; its slopes in the margins into a. */
static inline long double slow_loss(const little *p, size_t i, const double *x, long double *a)
{
    long double m = margin(p, i, 0, x), y = p->label[i], sign = y > 0 ? 1 : -1, r = m - y,
                t = 1 - sign * m;
    long double e[CLASSES], s = 0;
    switch (p->loss) {
    case ZO_LOGISTIC: a[0] = -sign / (1 + expl(sign * m)); return logl(1 + expl(-sign * m));
    case ZO_SQUARED: a[0] = r; return r * r / 2;
    case ZO_HUBER:
        a[0] = fabsl(r) <= 1 ? r : r / fabsl(r);
        return fabsl(r) <= 1 ? r * r / 2 : fabsl(r) - 0.5L;
    case ZO_SMOOTH_HINGE:
        a[0] = t <= 0 ? 0 : t < 1 ? -sign * t : -sign;
        return t <= 0 ? 0 : t < 1 ? t * t / 2 : t - 0.5L;
    default: break;
    }
    for (size_t c = 0; c < CLASSES; c++) s += e[c] = expl(margin(p, i, c, x));
    for (size_t c = 0; c < CLASSES; c++) a[c] = e[c] / s - (c == (size_t)y);
    return logl(s) - logl(e[(size_t)y]);
}

/* F(x), and the gradient of its smooth part into g (d numbers) unless NULL. */
static inline double slow_objective(const little *p, const zo_prox *psi, const double *x, double *g)
{
    size_t d = p->problem.d;
    long double f = 0, a[CLASSES], sum[MOST] = {0}, square = 0;
    for (size_t i = 0; i < ROWS; i++) {
        f += slow_loss(p, i, x, a);
        for (size_t j = 0; j < d; j++)
            sum[j] += a[j / FEATURES] * p->z[i * FEATURES + j % FEATURES];
    }
    for (size_t j = 0; j < d; j++) {
        square += (long double)x[j] * x[j];
        if (g) g[j] = (double)(sum[j] / ROWS + p->l2 * x[j]);
    }
    return (double)(f / ROWS + p->l2 / 2 * square + prox_value(psi, d, x));
}

static inline zo_optimum find(const little *p, const zo_prox *psi, double relative, double *x,
                              const char *name)
{
    zo_optimum found;
    zo_error err;
    for (size_t j = 0; j < p->problem.d; j++) x[j] = 0;
    if (zo_find_optimum(&found, p->model, psi, relative, x, &err))
        fail_msg("%s: %s", name, err.text);
    return found;
}

#endif
