/* Sums over components of squares of rows, d x d numbers, with the same bits on any number of ranks.
 * SPDX-License-Identifier: MIT
 *
 *     G = sum w r r'    over rows r of components, w a weight of either sign
 *
 * A tree of sums (base/sum.h) of d(d + 1)/2 numbers costs far more than the squares of a few sparse rows. Here the sum is
 * exact instead, so that its order is free: with D_jj = sum |w| r_j^2, known first, no partial sum of entry (j, k) is
 * above sqrt(D_jj D_kk) <= p_j p_k, p_j powers of two. So rows are scaled, r_j/p_j, no partial sum is above 1, and whatever is
 * added is rounded to a multiple of 2^-51. */
#ifndef ZO_METHOD_GRAM_H
#define ZO_METHOD_GRAM_H

#include "method/core/method.h"

typedef struct gram {
    const method *m;
    double *tree;  /* sum_levels(n) d(d + 1)/2 numbers: room */
    double *block; /* 2 SUM_BLOCK x d: room for rows */
    double *scale; /* d: room for 1/p */
    double *full;  /* d x d: the upper triangle of G */
    double *leaf;  /* within tree: what is summed now */
    int known;     /* 1: that is */
    int at_once; /* 1: all rows have places, and visit may be called by several threads at the same time */
    size_t held[2]; /* full rows in block that wait for a product, with w = 1 and w = -1 */
} gram;

/* visit calls gram_add for each row of components from ... to - 1, of mine and of one block; it is called twice. */
typedef void (*gram_visit)(void *ctx, gram *g, uint64_t from, uint64_t to);
void gram_sum(gram *g, gram_visit visit, void *ctx);

/* A row of count numbers, at these places or, NULL, count = d of them; its square is added w times. */
void gram_add(gram *g, double w, size_t count, const double *row, const uint32_t *place);

#endif
