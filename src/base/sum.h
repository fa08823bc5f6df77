/* The one sum over components.
 * SPDX-License-Identifier: MIT
 *
 * Components are cut into blocks of SUM_BLOCK by their number. What is summed is summed inside each block
 * in a fixed order (by whoever owns the block), and the block sums are combined along the binary tree over
 * block numbers: node (level l, k) covers the blocks k 2^l ... (k+1) 2^l - 1. Absent blocks add nothing.
 * So the bits depend on the blocks alone, never on how many threads or ranks there are.
 *
 * Leaves come in rising order of block number, and the tree is walked with a stack: a and b, neighbours on
 * the stack, meet below b and the next leaf c exactly when (a xor b) < (b xor c). */
#ifndef ZO_BASE_SUM_H
#define ZO_BASE_SUM_H

#include <stddef.h>
#include <stdint.h>

enum { SUM_BLOCK = 128, SUM_DEPTH = 66 };

typedef struct sum_tree {
    size_t m;                  /* numbers in one sum */
    size_t held;               /* partial sums on the stack */
    uint64_t first[SUM_DEPTH]; /* first and last block in each */
    uint64_t last[SUM_DEPTH];
    double *part; /* SUM_DEPTH rows of m */
} sum_tree;

static inline size_t sum_work(size_t m)
{
    return SUM_DEPTH * m;
} /* numbers of work that sum_open needs */

size_t sum_levels(size_t n); /* rows of m that are enough where there are n components */

void sum_open(sum_tree *t, size_t m, double *work);
/* The next leaf: m zeros for the caller to fill before the next call. block is greater than all before. */
double *sum_leaf(sum_tree *t, uint64_t block);
void sum_close(sum_tree *t, double *total); /* zeros when there was no leaf */

/* An aligned run of 2^l blocks: a node of the tree. Its sum, closed, is a leaf (of any of its blocks) of what is above. */
typedef struct sum_node {
    uint64_t first, last;
} sum_node;

enum { SUM_NODES = 128 };
/* The fewest nodes that fill the blocks first ... end - 1, in rising order; returns how many, at most SUM_NODES. */
size_t sum_nodes(uint64_t first, uint64_t end, sum_node *node);

/* order[0..count) lists the entries of comp sorted by block, ties in list order; NULL comp: not needed.
 * work: count indices. */
void sum_order(const uint64_t *comp, size_t count, uint64_t *order, uint64_t *work);

#endif
