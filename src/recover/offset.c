/* Rows near to one that they have in common; see offset.h.
 * SPDX-License-Identifier: MIT */
#include "recover/offset.h"

#include <math.h>

#include "base/vec.h"

static const double same = 1e-5; /* numbers as near as this, in units of the row, are one */
static const double often = 0.4; /* of the rows: as dear to split as to ask along the axis */
static const double least = 0.5; /* of all entries that are usual; with fewer there is no offset */
static const double each_entry = 2.5; /* questions for an entry that is found by splitting */
static const double around = 12; /* for what surrounds it: f, checks, the second weights of all */

/* Row k in its unit, as d numbers; 0: it has none. */
static int fetch(const offset *o, size_t k, book_row row, const void *ctx, uint32_t *place,
                 double *value, double *work)
{
    size_t held = row(ctx, k, place, value);
    double unit = book_unit(held, value, work);
    if (unit == 0) return 0;
    vec_zero(o->d, work);
    for (size_t e = 0; e < held; e++) work[place[e]] = value[e] / unit;
    return 1;
}

/* The value that more than half of a column has survives: others cancel votes, in off. */
static void vote(offset *o, const double *row)
{
    for (size_t j = 0; j < o->d; j++) {
        if (fabs(row[j] - o->usual[j]) <= same)
            o->off[j]++;
        else if (o->off[j] > 0)
            o->off[j]--;
        else
            o->usual[j] = row[j], o->off[j] = 1;
    }
}

/* The price of a component where columns are so often off; INFINITY where little is usual. */
static double price(const offset *o)
{
    double sum = around + OFFSET_ANCHORS, off = 0;
    for (size_t j = 0; j < o->d; j++) {
        off += o->off[j] / *o->rows;
        sum += offset_often(o, j) ? 1 : each_entry * o->off[j] / *o->rows;
    }
    return off <= (1 - least) * (double)o->d ? sum : INFINITY;
}

double offset_learn(offset *o, size_t count, book_row row, const void *ctx, uint32_t *place,
                    double *value, double *work)
{
    double rows = 0;
    if (count > BOOK_ROWS) count = BOOK_ROWS;
    vec_zero(o->d, o->usual);
    vec_zero(o->d, o->off);
    for (size_t k = 0; k < count; k++)
        if (fetch(o, k, row, ctx, place, value, work)) vote(o, work), rows++;
    *o->rows = 0;
    if (rows < 0.5 * (double)count) return INFINITY;
    vec_zero(o->d, o->off);
    for (size_t k = 0; k < count; k++) {
        if (!fetch(o, k, row, ctx, place, value, work)) continue;
        for (size_t j = 0; j < o->d; j++) o->off[j] += fabs(work[j] - o->usual[j]) > same;
    }
    *o->rows = rows;
    size_t given = 0;
    for (size_t j = 0; j < o->d; j++) given += o->usual[j] != 0;
    return 4 * given > o->d ? price(o) : INFINITY; /* else e is all there is */
}

int offset_often(const offset *o, size_t j) { return o->off[j] > often * *o->rows; }

size_t offset_anchors(const offset *o, uint32_t *anchor)
{
    size_t count = 0;
    for (double most = 0; count < OFFSET_ANCHORS && most <= 0.1 * *o->rows; most++)
        for (size_t j = 0; j < o->d && count < OFFSET_ANCHORS; j++)
            if (o->off[j] == most && o->usual[j] != 0) anchor[count++] = (uint32_t)j;
    return count;
}
