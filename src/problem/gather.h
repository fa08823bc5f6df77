/* From values at single points to the answers of a fan: differences per component, and the one sum.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_GATHER_H
#define ZO_GATHER_H

#include "base/sum.h"
#include "problem/problem.h"
#include "zoprox.h"

typedef struct gather {
    const zo_fan *fan;
    double *out;
    uint64_t *order; /* entries of comp by block, and room to sort them */
    double *tree;    /* work of the sum */
    size_t norder, ntree;
    sum_tree sum;
    uint64_t block; /* of leaf */
    double *leaf;
    size_t from, to;      /* the entries wanted, as gather_entry counts */
    const sum_node *node; /* the one at hand, where sums over nodes are wanted; NULL: means */
    flaw flaw;            /* in what was summed so far */
} gather;

int gather_begin(gather *g, const zo_fan *fan, double *out); /* 0: out of memory */
/* Sums over the entries in each node, rows of zo_fan_set(fan) numbers in out, instead of means over all. */
int gather_begin_nodes(gather *g, const zo_fan *fan, size_t nnodes, const sum_node *node,
                       double *out);
/* The entry of comp that is answered k-th: block by block when a mean is wanted. */
static inline size_t gather_entry(const gather *g, size_t k)
{
    return g->fan->comp && !g->fan->each ? (size_t)g->order[k] : k;
}
static inline size_t gather_component(const zo_fan *fan, size_t entry)
{
    return fan->comp ? (size_t)fan->comp[entry] : entry;
}
/* The entries first, first+1, ... (in that order) have these values, zo_fan_points(fan) in a row; rows are spoiled.
 * With each they may be where the answers go, out + first * zo_fan_set(fan). */
void gather_rows(gather *g, size_t first, size_t count, double *rows);
void gather_end(gather *g);
void gather_free(gather *g);

/* Makes *p hold wanted elements of size bytes, without keeping what was there. 0: out of memory. */
int gather_room(void **p, size_t *held, size_t wanted, size_t size);

#endif
