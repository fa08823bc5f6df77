/* Steps on a quadratic model of F = f + psi at x, where values of f have noise: the model's minimizer, damping, what a value
 * says of a step, and what the matrix learns from slopes that have noise too.
 * SPDX-License-Identifier: MIT
 *
 *     minimize  g'(z - x) + (z - x)'(B + damping)(z - x)/2 + psi(z)
 *
 * Values have noise of standard deviation eps, and along axis j, where slopes come of differences over r_j, level_j. */
#ifndef ZO_METHOD_DESCENT_H
#define ZO_METHOD_DESCENT_H

#include "method/core/method.h"
#include "subproblem/quad.h"

enum { DESCENT_REFUSED = 8 }; /* steps in a row, before nothing better is in sight */

typedef struct descent { /* state, 8 bytes a field */
    double damping;
    double promise;    /* of the step at hand, */
    double undamped;   /* and of one that is not damped */
    uint64_t failures; /* steps refused in a row */
    uint64_t flat;     /* steps in a row that promised less than noise, damped or not */
} descent;

/* What its owner knows at x; work, change, image: d numbers each, scratch. */
typedef struct local_model {
    method *m;
    descent *at;
    double eps;
    const double *level;              /* d; NULL: eps */
    double *matrix, *g;               /* B, d x d; slopes at x */
    double *diagonal, *radii;         /* d: second differences along axes, and over which radii */
    double *slopes_before, *x_before; /* d: of the step before */
    double *cand;                     /* d: the minimizer */
    double *work, *change, *image;
    quad_room *room;
} local_model;

/* cand = the minimizer, to an accuracy as in quad_effort; returns what it promises. */
double descent_solve(const local_model *l, double damping, double tol, double part);

/* cand = the next step. 0: it promises no more than least, or steps have been flat for long. */
int descent_try(const local_model *l, double least);
/* F at cand, and at x. 1: the step is taken, and x is cand; 0: the next one is damped more. */
int descent_judge(const local_model *l, double there, double here);

void descent_from_diagonal(const local_model *l); /* B = what was measured of its diagonal */
void descent_fit_diagonal(const local_model *l);  /* B with that diagonal */
/* B from the change of slopes over the last step, by differences over part of the radii. Returns the curvature that was
 * seen along it over what B foretold; 1: noise hides it. */
double descent_learn(const local_model *l, double part);

#endif
