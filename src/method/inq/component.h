/* inq: kinds of component models. What each foretells, how it learns, and how steps go by it.
 * SPDX-License-Identifier: MIT
 *
 *     f_i(x) = a part known in a few dimensions U_i'x + (mu/2)|x|^2
 *
 * curve      one index: f_i(x) = h_i(u_i'x); values teach it (model.c, learn.c)
 * subspace   several: a gradient, a span and the curvature in it (span*.c); shapes (guess.c), and a Hessian that all
 *            share (shared.c), are what subspaces may have in common
 *
 * A run goes from curves to subspaces once. A known loss on top of a residual belongs between a component's answers and
 * learn, and between foretell's g and M and the sum: by the chain rule, in these functions alone. */
#ifndef ZO_METHOD_INQ_COMPONENT_H
#define ZO_METHOD_INQ_COMPONENT_H

#include "method/inq/inq.h"

typedef struct component_kind {
    const char *name;
    /* What is foretold at x: g, M over the sample; the gradient of one component of mine but for the ridge; and how far off
     * the mean gradient may be where components were not asked at x. */
    void (*foretell)(inq *s);
    void (*gradient)(const inq *s, uint64_t i, double *to);
    double (*error)(const inq *s);
    /* What is learnt: from difference gradients at x, from values at x; and when x has moved. */
    void (*learn_gradients)(inq *s, const double *answers);
    void (*learn_values)(inq *s, const double *answers);
    void (*moved)(inq *s);
    /* How steps go by it. */
    double least_judges; /* of a candidate */
    int keeps_points; /* 1: where directions were found matters for good: there is no room for more than POINTS */
    int recentres;     /* 1: later rounds go on towards the same damped minimizer */
    int has_ridge;     /* 1: the mean gradient has the ridge at x in it, and gradient has not */
    int says_residual; /* 1: also of a sample */
    int trusts_steps; /* 1: damping falls after every step, not only after those as good as promised */
} component_kind;

const component_kind *inq_kind(const inq *s);

#endif
