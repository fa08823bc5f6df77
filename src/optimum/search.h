/* What a search for the optimum keeps.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_OPTIMUM_SEARCH_H
#define ZO_OPTIMUM_SEARCH_H

#include "optimum/proof.h"
#include "optimum/quadratic.h"
#include "optimum/smooth.h"

typedef struct newcomer {
    double score;
    uint32_t coordinate;
} newcomer;

typedef struct search {
    smooth f;
    zo_prox psi;
    prover prover;
    coordinate coordinate;
    general general;
    size_t d, nm; /* nm = n*classes */
    double *prox_work;
    /* d: step of the prox-gradient, for each coordinate where psi is separable, else the same */
    double *t;
    double strength; /* of F */
    int shortened;   /* 1: the last step was not a full one */
    double shift;    /* added to the Hessian's diagonal, relative to its mean */
    int cautious; /* 1: curvatures that stand for far moves; for losses with flat or straight parts */

    double *x, *g, *p;    /* the point, the gradient of f, the prox-gradient step from it */
    double *y, *r, *move; /* the model */
    double *best, *doubt; /* the point with the best proof; rounding in a gradient */
    double *margin, *slope, *curve, *along, *trial; /* nm each */
    /* F(x), (sum (x - p)_j^2/t_j)^(1/2), and what that was at the start */
    double objective, residual, first;
    double slope_left; /* |(x - p)/t| */

    uint32_t *index, *set; /* place in the working set of each coordinate, and the reverse */
    unsigned char *member;
    newcomer *queue;
    size_t count, room; /* unknowns of the model; of hess and small */
    double *hess;
    double *small[4]; /* g, x, y, r in the working set */

    zo_optimum found;
    double relative;
} search;

/* model and psi are checked; psi NULL: zero. *out is NULL after a failure. */
zo_status search_new(search **out, const zo_model *model, const zo_prox *psi, zo_error *err);
void search_free(search *s);
/* Room for a model with a matrix of m unknowns. */
zo_status search_room(search *s, size_t m, zo_error *err);
int search_flat(const search *s); /* 1: the loss has flat or straight parts */

#endif
