/* The one sum over components: a binary tree over block numbers, walked with a stack.
 * SPDX-License-Identifier: MIT */
#include "base/sum.h"

#include <assert.h>
#include <string.h>

size_t sum_levels(size_t n)
{
    size_t rows = 3;
    for (size_t blocks = n / SUM_BLOCK + 1; blocks > 1; blocks = (blocks + 1) / 2) rows++;
    return rows;
}

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

size_t sum_nodes(uint64_t first, uint64_t end, sum_node *node)
{
    size_t count = 0;
    while (first < end) {
        uint64_t size = 1;
        while (!(first & size) && size <= (end - first) / 2) size *= 2;
        node[count++] = (sum_node){first, first + size - 1};
        first += size;
    }
    return count;
}

static uint64_t block_of(const uint64_t *comp, uint64_t entry) { return comp[entry] / SUM_BLOCK; }

static void insertion_order(const uint64_t *comp, size_t count, uint64_t *order)
{
    for (size_t e = 0; e < count; e++) {
        size_t k = e;
        for (; k > 0 && block_of(comp, order[k - 1]) > block_of(comp, e); k--)
            order[k] = order[k - 1];
        order[k] = e;
    }
}

/* Sorts by one byte of the block number, stably. */
static void pass(const uint64_t *comp, size_t count, unsigned shift, const uint64_t *from,
                 uint64_t *to)
{
    size_t start[256] = {0}, sum = 0;
    for (size_t e = 0; e < count; e++) start[block_of(comp, e) >> shift & 255]++;
    for (size_t k = 0; k < 256; k++) {
        size_t size = start[k];
        start[k] = sum;
        sum += size;
    }
    for (size_t e = 0; e < count; e++)
        to[start[block_of(comp, from[e]) >> shift & 255]++] = from[e];
}

/* Few entries by insertion, many byte by byte from the lowest; both stable, so ties stay in list order. */
void sum_order(const uint64_t *comp, size_t count, uint64_t *order, uint64_t *work)
{
    if (count <= 32) {
        insertion_order(comp, count, order);
        return;
    }
    uint64_t *from = order, *to = work, most = 0;
    for (size_t e = 0; e < count; e++) {
        from[e] = e;
        if (block_of(comp, e) > most) most = block_of(comp, e);
    }
    for (unsigned shift = 0; most >> shift; shift += 8) {
        pass(comp, count, shift, from, to);
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != order) memcpy(order, from, count * sizeof *order);
}
