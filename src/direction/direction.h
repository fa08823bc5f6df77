/* Random directions, drawn in place from a counter.
 * SPDX-License-Identifier: MIT
 *
 * Every kind is scaled so that E[u u'] = I; then (1/q) sum_j u_j u_j' g is an unbiased estimate of g, and with
 * E = (1/q) sum_j u_j u_j',  E[E^2] = spread * I,  where
 *
 *     gaussian (d + q + 1)/q     sphere, rademacher (d + q - 1)/q     axis, orthogonal d/q
 *
 * (axis: q different coordinates, u = sqrt(d) e_j; orthogonal: q orthonormal rows times sqrt(d)). The memory's
 * best step is 1/spread: it minimises E|h + theta E (g - h) - g|^2. At q = 1, gaussian, it is 1/(d+2). */
#ifndef ZO_DIRECTION_H
#define ZO_DIRECTION_H

#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "zoprox.h"

/* A draw: q directions, as a fan wants them. For axis kinds the fan asks along e_j, so that a difference
 * quotient D_j stands for u_j'g / sqrt(d): weight says what to multiply D_j u_j by (d for axis, 1 otherwise). */
typedef struct directions {
    int kind;      /* ZO_GAUSSIAN, ... */
    size_t q, d;
    double weight; /* unbiased: g ~ (weight/q) sum_j D_j u_j, u_j as asked */
    double spread; /* E[E^2] = spread I */
    uint32_t *axis; /* q coordinates, for ZO_AXIS only */
    double *row;    /* q rows of d numbers otherwise */
} directions;

zo_status directions_new(directions *r, int kind, size_t q, size_t d, zo_error *err);
void directions_free(directions *r);
void directions_draw(directions *r, uint64_t seed, enum purpose purpose, uint64_t step);
void directions_ask(const directions *r, zo_fan *fan); /* sets naxis, axis, ndir, dir */
double directions_dot(const directions *r, size_t j, const double *x);          /* u_j'x, u_j as asked */
void directions_add(const directions *r, size_t j, double a, double *x);        /* x += a u_j */
double directions_square(const directions *r, size_t j);                        /* |u_j|^2, u_j as asked */

#endif
