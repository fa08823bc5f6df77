/* Signs of residuals of which only the squares are told, and whether they are squares at all.
 * SPDX-License-Identifier: MIT
 *
 * The sign of r_i at a point was the one nearer to what the models foretold; later points may say otherwise. With q_i the
 * slopes of the secants of r_i, what the models leave to curvature (secants.h) is
 *
 *     Q_i = q_i'P q_i,   P = G^-1 - G^-1 Y S^-1 Y'G^-1 = VV' - ZZ',   P q_i = l_i.
 *
 * Another sign at the point k, the end of one secant and the beginning of others, changes q_i by -2 r_i(k) e_k, e_k = +-1/t on
 * these:
 *
 *     Q_i' = Q_i - 4 r_i(k) e_k'l_i + 4 r_i(k)^2 e_k'P e_k.
 *
 * Whether r_i is smoother than f_i = r_i^2/2 is seen as Box and Cox see which power of their data is normal: by the likelihood of
 * the data under the same law of curvature. For f_i, with K secants that end at b, it is log Q/2 of f_i against
 * log Q/2 of r_i + (1/K) sum log |r_i(b)|. */
#ifndef ZO_LM_SIGNS_H
#define ZO_LM_SIGNS_H

#include "method/lm/secants.h"

/* Scratch. */
typedef struct signs {
    double *v, *z;        /* count x count, count x d: V, Z */
    double *by_v, *by_z;  /* the same numbers: e_k'V, e_k'Z */
    double *own;          /* count: e_k'P e_k */
    double *slope, *pull; /* count: l_i; e_k'l_i */
    double *across;       /* d */
} signs;

int signs_open(signs *w, method *m, size_t most); /* 0: out of memory */

/* Signs that make Q_i smaller, for all i; m: the models of these secants. 1: there were some. */
int signs_revise(signs *w, const model *m, secants *s);
/* By how much, as a logarithm and in the mean of all i, r_i is less curved than f_i. */
double signs_evidence(signs *w, const model *m, const secants *s);

#endif
