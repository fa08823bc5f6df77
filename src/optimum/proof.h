/* Proofs: upper bounds on F(x) - F*.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_OPTIMUM_PROOF_H
#define ZO_OPTIMUM_PROOF_H

#include "optimum/smooth.h"

/* What is known at x, an output of the prox. */
typedef struct evidence {
    const smooth *f;
    const zo_prox *psi;
    const double *x, *margin, *slope;
    double objective;
    const double *sub;   /* d: s in the subdifferential of F at x ... */
    const double *doubt; /* d: ... up to so much rounding in each coordinate */
    double strength;     /* F is strongly convex with this constant, at least 0 */
} evidence;

typedef struct proof {
    double bound;
    const char *how;
} proof;

/* The strong convexity of psi alone. */
double proof_strength(const zo_prox *psi, size_t d);

/* Scratch. matrix comes when it is first needed. */
typedef struct prover {
    size_t d;
    long double *exact; /* d */
    double *part[3];    /* d each */
    double *prox_work;
    double *matrix; /* d*d, or NULL */
    int failed;     /* 1: there was no memory for it */
} prover;

zo_status prover_new(prover *w, size_t d, const zo_prox *psi, zo_error *err);
void prover_free(prover *w);

/* The cheap proofs first; the next is tried as long as the bound is above target. */
proof prove(prover *w, const evidence *e, double target);

#endif
