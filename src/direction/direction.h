/* Random directions, drawn in place from a counter.
 * SPDX-License-Identifier: MIT
 *
 * Every kind is scaled so that E[u u'] = I; then (1/q) sum_j u_j u_j' g is an unbiased estimate of g, and
 * with E = (1/q) sum_j u_j u_j',  E[E^2] = spread * I,  where
 *
 *     gaussian (d + q + 1)/q     sphere, rademacher (d + q - 1)/q     axis, orthogonal d/q
 *
 * (axis: q different coordinates, u = sqrt(d) e_j; orthogonal: q orthonormal rows times sqrt(d)). The
 * memory's best step is 1/spread: it minimises E|h + theta E (g - h) - g|^2. At q = 1, gaussian, it is
 * 1/(d+2). */
#ifndef ZO_DIRECTION_H
#define ZO_DIRECTION_H

#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "zoprox.h"

/* A draw: q directions, as a fan wants them. For axis kinds the fan asks along e_j, so that a difference
 * quotient D_j stands for u_j'g / sqrt(d): weight says what to multiply D_j u_j by (d for axis, 1 otherwise).
 */
typedef struct directions {
    int kind; /* ZO_GAUSSIAN, ... */
    size_t q, d;
    double weight;  /* unbiased: g ~ (weight/q) sum_j D_j u_j, u_j as asked */
    double spread;  /* E[E^2] = spread I */
    double length;  /* of a direction as asked, about: 1 for axis, sqrt(d) otherwise */
    uint32_t *axis; /* q coordinates, for ZO_AXIS only */
    double *row;    /* q rows of d numbers otherwise */
} directions;

zo_status directions_new(directions *r, int kind, size_t q, size_t d, zo_error *err);
/* Two draws side by side, so that one fan can ask both; free first alone. */
zo_status directions_pair(directions *first, directions *second, int kind, size_t q, size_t d,
                          zo_error *err);
void directions_free(directions *r);
void directions_draw(directions *r, uint64_t seed, enum purpose purpose, uint64_t step);
void directions_ask(const directions *r, zo_fan *fan); /* sets naxis, axis, ndir, dir */
double directions_dot(const directions *r, size_t j, const double *x);   /* u_j'x, u_j as asked */
void directions_add(const directions *r, size_t j, double a, double *x); /* x += a u_j */
double directions_square(const directions *r, size_t j);                 /* |u_j|^2, u_j as asked */

/* a_j -= u_j'h: what the measured slopes a say beyond h. */
void directions_beyond(const directions *r, const double *h, double *a);
/* g += (weight/q) sum_j a_j u_j: unbiased, when the a_j are slopes along u_j. */
void directions_combine(const directions *r, const double *a, double *g);
/* h += (1/spread) (weight/q) sum_j a_j u_j, the memory's step. For gaussian u_j that is 1/(d+2 + q-1) each;
 * with normalize the mean d+2 is replaced by |u_j|^2. The other kinds have a fixed length, so that nothing
 * changes. */
void directions_correct(const directions *r, const double *a, int normalize, double *h);

#endif
