/* One point outside of a box, from points inside: which, and with which weights.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_FENCE_LINE_H
#define ZO_FENCE_LINE_H

#include <stddef.h>

/* f(x + p) = base f(x) + sum_k c_k f(x + p_k): the weights add up to 1, so that differences from f(x) need no base. */
typedef struct recipe {
    size_t count; /* 0: x itself */
    double c[3];  /* weights */
    double t[3];  /* p_k = t_k p, or at a corner (P - x) - t_k e */
    double base;  /* weight of f(x) */
    int corner;   /* 1: neither side of p has room */
    size_t at[3]; /* where their answers come; the caller's */
} recipe;

typedef struct box {
    size_t d;
    const double *lo, *hi;
} box;

/* x + r e_j; fine: a line is enough. */
recipe recipe_axis(const box *b, const double *x, size_t j, double r, int fine);
/* x + p, p: d numbers. */
recipe recipe_row(const box *b, const double *x, const double *p, int fine);
/* Two sides of one direction, +p and -p: where one of them asks for the point that the other one is, they share it. Gives
 * all of them places from *count on. */
void recipe_places(recipe *sides, size_t nsides, size_t *count);
/* row = p_k */
void recipe_put(const recipe *r, size_t k, const box *b, const double *x, const double *p,
                double *row);

#endif
