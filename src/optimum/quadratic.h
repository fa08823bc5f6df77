/* The quadratic model of prox-Newton, and two ways to minimise it.
 * SPDX-License-Identifier: MIT
 *
 *     m(y) = g'(y - x) + (y - x)'H(y - x)/2 + psi(y)
 *
 * H is positive definite: a matrix, or products with the data. r = g + H(y - x) is kept beside y. */
#ifndef ZO_OPTIMUM_QUADRATIC_H
#define ZO_OPTIMUM_QUADRATIC_H

#include "optimum/smooth.h"

typedef struct quadratic {
    size_t m;
    /* m rows of m numbers; NULL: smooth_times with curve, plus shift on the diagonal */
    const double *hess;
    const smooth *f;
    const double *curve;
    double *margin; /* n*classes numbers of scratch */
    double shift;
    const double *g, *x;
    double *y, *r; /* y: the start, then the solution */
} quadratic;

void quadratic_times(const quadratic *q, const double *u, double *out); /* out = H u */
void quadratic_slope(const quadratic *q, double *work); /* r from y; work: m numbers */

/* In place: the upper triangle of a, m rows of m numbers, becomes U with U'U = a. 0: not positive definite. */
int cholesky(size_t m, double *a);
void cholesky_solve(size_t m, const double *u, double *b); /* b = (U'U)^-1 b */

/* ---- separable psi: coordinate descent with semismooth Newton steps ------------------------------ */

typedef struct coordinate {
    size_t room;
    double *factor;  /* room*room */
    double *part[6]; /* room each */
    uint32_t *active;
} coordinate;

zo_status coordinate_room(coordinate *c, size_t m, zo_error *err); /* makes room for m unknowns */
void coordinate_free(coordinate *c);

/* A point in all d coordinates. */
typedef struct point {
    size_t d;
    double *x;
} point;

/* Unknown k is coordinate set[k] of full, where y is put. Returns the size of the prox-gradient that is left.
 * q->hess is there. */
double coordinate_solve(coordinate *c, const quadratic *q, const zo_prox *psi, const uint32_t *set,
                        point full, double tol);

/* ---- any psi: accelerated prox-gradient steps with restarts, and Newton steps by GMRES ----------- */

typedef struct general {
    size_t d, krylov; /* unknowns, basis vectors */
    double *part[10]; /* d each */
    double *basis;    /* krylov+1 rows of d numbers */
    double *small;    /* the least squares of GMRES */
    double *prox_work;
} general;

zo_status general_new(general *w, size_t d, const zo_prox *psi, zo_error *err);
void general_free(general *w);
/* Returns |s| for an s in the subdifferential of m at y. */
double general_solve(general *w, const quadratic *q, const zo_prox *psi, double tol);

#endif
