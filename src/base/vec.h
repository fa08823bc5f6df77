/* Vectors: short loops with one fixed order of summation.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_BASE_VEC_H
#define ZO_BASE_VEC_H

#include <stddef.h>
#include <stdint.h>

/* x'y, eight interleaved partial sums */
double vec_dot(size_t d, const double *x, const double *y);
double vec_norm(size_t d, const double *x);                      /* |x|_2, without overflow */
double vec_distance(size_t d, const double *x, const double *y); /* |x - y|_2 */
void vec_copy(size_t d, const double *x, double *y);             /* y = x */
void vec_zero(size_t d, double *x);
void vec_scale(size_t d, double a, double *x);                /* x = a x */
void vec_add(size_t d, double a, const double *x, double *y); /* y += a x */
/* four times that, with the rows of x: the same numbers, and y is read once */
void vec_add_four(size_t d, const double a[4], const double *x, double *y);
void vec_step(size_t d, const double *x, double a, const double *g, double *y); /* y = x - a g */
/* x is needed soon: the lines that it lies in are on their way to the cache */
static inline void vec_fetch(size_t d, const double *x)
{
    enum { LINE = 64 };
    for (uintptr_t line = (uintptr_t)x / LINE * LINE; line < (uintptr_t)(x + d); line += LINE)
        __builtin_prefetch((const void *)line, 1);
}
size_t vec_nonzeros(size_t d, const double *x);
int vec_finite(size_t d, const double *x); /* 1 if every number is */

#endif
