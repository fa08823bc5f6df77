/* Who is asked next: components in a random order, one queue of them, cut into questions in one place.
 * SPDX-License-Identifier: MIT
 *
 * A plan goes over one list: list[cursor..end) are still to be asked. The queue grows from its front, and its tail from the
 * other end: components that are asked after the others. */
#ifndef ZO_METHOD_PLAN_H
#define ZO_METHOD_PLAN_H

#include "method/core/method.h"

enum { PLAN_RANKS = 12 };                          /* ranks that a queue tells apart */
enum { OF_QUESTION, OF_ORDER, OF_QUEUE, OF_TAIL }; /* list; OF_QUESTION: the question names them */

typedef struct plan {
    uint64_t list, cursor, end;  /* (state, to ranked) */
    uint64_t queued, tail;       /* components in queue, and at its end, the last first */
    uint64_t ranked[PLAN_RANKS]; /* where those of rank k + 1 end in queue, if it is by rank */
    uint64_t *queue;             /* n (state) */
    uint64_t *order;             /* n: a permutation of all, a function of the seed (scratch) */
    const method *m;
} plan;

/* order: a permutation of all components, a function of the seed */
void plan_draw(const method *m, uint64_t *order);
int plan_open(plan *p, method *m); /* registers its state; 0: out of memory */
int plan_sane(const plan *p);      /* of what was read from a file; */
/* of a queue by rank: those of one rank are asked together, along rows for so many directions */
int plan_ranks_sane(const plan *p, double (*rank_of)(const method *m, uint64_t i));

void plan_clear(plan *p);
void plan_add(plan *p, uint64_t i);
void plan_clear_tail(plan *p);
void plan_add_tail(plan *p, uint64_t i);
/* The queue: at most so many of the tail, in the order in which they came; there is no tail then. */
void plan_take_tail(plan *p, uint64_t most);
/* The queue: components of list[0..count), or with NULL the first, by rank[i]: 1, 2 ... PLAN_RANKS, any larger one. */
void plan_by_rank(plan *p, const uint64_t *list, uint64_t count, const unsigned char *rank);
size_t plan_rank(const plan *p); /* of those who are asked next */

/* Who is asked in the questions that come. */
void plan_over(plan *p, uint64_t list, uint64_t from, uint64_t end);
void plan_queue(plan *p);
void plan_tail(plan *p);
void plan_once(plan *p);                                  /* those that one question names */
void plan_chunk(const plan *p, zo_fan *fan, size_t most); /* at most so many: fan->comp, each */
void plan_ranked_chunk(const plan *p, zo_fan *fan, size_t most); /* of one rank */
int plan_done(plan *p); /* after a question: was it the last? */

#endif
