/* A spread within its files: who has which components, and how numbers are exchanged.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_SPREAD_H
#define ZO_SPREAD_H

#include "base/sum.h"
#include "problem/problem.h"
#include "problem/ranks/together.h"
#include "zoprox_spread.h"

/* what a message begins with */
enum {
    SPREAD_CODE,
    SPREAD_ASKED,
    SPREAD_RETRIED,
    SPREAD_FAILURES,
    SPREAD_BAD,
    SPREAD_WISH,
    SPREAD_HEAD
};
enum { SPREAD_TEXT = 512 }; /* bytes of a failure's words */

struct zo_spread {
    zo_problem p; /* whole, with an answer and an inside */
    callback *callback;
    const zo_halt *outer; /* the run's, or NULL, and */
    zo_halt halt;         /* what the whole problem is given of it */
    zo_ranks ranks;
    sum_node *node; /* of all ranks, in rising order */
    size_t *from;   /* size + 1: where each rank's begin */
    char *present;  /* a node has entries in the sum at hand */
    int expected;   /* 1: only nodes with leaves that were expected are */
    size_t *count;  /* size: numbers in each rank's message */
    size_t *at;     /* size: places in all */
    double *mine, *all, *rows, *tree;
    uint64_t *comp; /* each: entries of this rank */
    double *dir;    /* own: their directions */
    size_t nmine, nall, nrows, ntree, ncomp, ndir;
    size_t levels;              /* partial sums that a walk up the tree holds at most */
    uint64_t retried, failures; /* of all ranks' problems */
    char text[SPREAD_TEXT];     /* of a failure */
    double bad;                 /* an answer that cannot be used; 0: none */
    int wish;                   /* of rank 0, to be granted to all with the next exchange */
    int granted;

    struct zo_together together;
    uint64_t *order; /* together: entries by block */
    double *sums;    /* together: m numbers for each of my nodes */
    size_t norder, nsums;
    sum_tree sum;   /* the sum at hand, inside one of my nodes */
    size_t inside;  /* which */
    uint64_t block; /* of the leaf at hand */
    double *leaf;   /* NULL: none yet in this node */
};

/* exchange.c */
int spread_room(zo_spread *s); /* for messages of count numbers; 0: out of memory */
/* mine is filled but for its head; not 0: somebody failed */
int spread_exchange(zo_spread *s, int code);
void spread_present(zo_spread *s, const zo_fan *fan); /* which nodes have entries of fan */
void spread_widths(zo_spread *s, size_t width);   /* so many numbers of each node that is present */
double *spread_climb(zo_spread *s, size_t width); /* up the tree from the nodes of all ranks */
size_t spread_node(const zo_spread *s, uint64_t block);   /* the one with it */
size_t spread_rank(const zo_spread *s, size_t component); /* who has it */

/* together.c */
void spread_come_together(zo_spread *s);

#endif
