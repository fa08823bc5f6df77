/* The one sum over components: a binary tree over block numbers, walked with a stack.
 * SPDX-License-Identifier: MIT */
#include "base/sum.h"

#include <assert.h>
#include <string.h>

void sum_open(sum_tree *t, size_t m, double *work)
{
    t->m = m;
    t->held = 0;
    t->part = work;
}

/* The two partial sums on top become one. */
static void merge(sum_tree *t)
{
    size_t top = --t->held;
    const double *b = t->part + top * t->m;
    double *a = t->part + (top - 1) * t->m;
    for (size_t k = 0; k < t->m; k++) a[k] += b[k];
    t->last[top - 1] = t->last[top];
}

double *sum_leaf(sum_tree *t, uint64_t block)
{
    assert(t->held == 0 || block > t->last[t->held - 1]);
    while (t->held >= 2) {
        size_t top = t->held - 1;
        if ((t->last[top - 1] ^ t->first[top]) > (t->last[top] ^ block)) break;
        merge(t);
    }
    assert(t->held < SUM_DEPTH);
    t->first[t->held] = t->last[t->held] = block;
    double *leaf = t->part + t->held++ * t->m;
    memset(leaf, 0, t->m * sizeof *leaf);
    return leaf;
}

void sum_close(sum_tree *t, double *total)
{
    while (t->held >= 2) merge(t);
    if (t->held)
        memcpy(total, t->part, t->m * sizeof *total);
    else
        memset(total, 0, t->m * sizeof *total);
    t->held = 0;
}

/* Bottom-up merge sort of entry numbers by block; stable, so ties stay in list order. */
void sum_order(const uint64_t *comp, size_t count, uint64_t *order, uint64_t *work)
{
    uint64_t *from = order, *to = work;
    for (size_t e = 0; e < count; e++) from[e] = e;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t lo = 0; lo < count; lo += 2 * run) {
            size_t mid = lo + run < count ? lo + run : count, hi = mid + run < count ? mid + run : count;
            size_t a = lo, b = mid;
            for (size_t k = lo; k < hi; k++) {
                int left = b == hi || (a < mid && comp[from[a]] / SUM_BLOCK <= comp[from[b]] / SUM_BLOCK);
                to[k] = left ? from[a++] : from[b++];
            }
        }
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != order) memcpy(order, from, count * sizeof *order);
}
