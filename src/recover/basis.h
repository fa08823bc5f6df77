/* The span of earlier gradients, where it has few dimensions.
 * SPDX-License-Identifier: MIT
 *
 * Components that share latent factors, and rows of a matrix of rank r, have gradients (the ridge taken out) in one span of r
 * dimensions. Then r differences along an orthonormal basis of it hold a gradient: g = sum_k (b_k'g) b_k. */
#ifndef ZO_RECOVER_BASIS_H
#define ZO_RECOVER_BASIS_H

#include "recover/book.h"

enum {
    BASIS_MOST = 64, /* dimensions, at most */
    BASIS_ROWS = 256 /* that it is learnt from, at most */
};

/* Numbers, so that it can be state. */
typedef struct basis {
    size_t d;
    double
        *rank; /* 2: 0: none; and how far rows of unit length are from the span, root mean square */
    double *row; /* BASIS_MOST x d: orthonormal */
} basis;

/* From the first count rows, or BASIS_ROWS; work: one row of d numbers more than that, place: d. The rank, 0 where it is more than most or
 * more than half the rows. */
size_t basis_learn(basis *b, size_t most, size_t count, book_row row, const void *ctx, double *work,
                   uint32_t *place);

#endif
