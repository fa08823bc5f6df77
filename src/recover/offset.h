/* Rows that are full, but near to one row that they have in common.
 * SPDX-License-Identifier: MIT
 *
 * In units of the row (book.h), many columns have one usual value c_j: -1 where a measured number is at its least. Then a gradient is
 * g = s c + e with few entries in e. s is seen along a few axes that are hardly ever unusual, the anchors; columns that often are unusual are asked
 * along their axes; the others' entries of e are found by splitting (split.h). */
#ifndef ZO_RECOVER_OFFSET_H
#define ZO_RECOVER_OFFSET_H

#include "recover/book.h"

enum { OFFSET_ANCHORS = 8 };

/* Numbers, so that it can be state. */
typedef struct offset {
    size_t d;
    double *usual; /* d: c */
    double *off;   /* d: rows in which a column has another value, */
    double *rows;  /* 1: of so many; 0: rows have nothing in common */
} offset;

/* From count rows, at most BOOK_ROWS; value, work: d numbers, place: d. Returns the queries that a component will cost,
 * more than d: it does not pay. */
double offset_learn(offset *o, size_t count, book_row row, const void *ctx, uint32_t *place,
                    double *value, double *work);
int offset_often(const offset *o, size_t j);              /* 1: column j is asked along its axis */
size_t offset_anchors(const offset *o, uint32_t *anchor); /* at most OFFSET_ANCHORS columns */

#endif
