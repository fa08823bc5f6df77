/* inq: who is asked next. One queue of components, cut into questions in one place.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_INQ_PLAN_H
#define ZO_METHOD_INQ_PLAN_H

#include "method/inq/inq.h"

void plan_clear(inq *s);                /* nobody is in the queue */
void plan_add(inq *s, uint64_t i);      /* to the queue */
void plan_clear_tail(inq *s);           /* nor in its tail: */
void plan_add_tail(inq *s, uint64_t i); /* components to be asked in full after the queue */
void plan_add_all(inq *s);
/* The queue: at most count components of the sample that were not asked in full at x, those asked longest ago first. */
void plan_stalest(inq *s, uint64_t count);
/* The queue: components of list[0..count), or with NULL the first, that are wanted (NULL: all), by rank (marks). */
void plan_by_rank(inq *s, const uint64_t *list, uint64_t count,
                  int (*wanted)(const inq *s, uint64_t i));
size_t plan_rank(const inq *s); /* of those who are asked next; SPAN + 1: any that is larger */

/* Who is asked in the questions that come: list[from..end). */
void plan_over(inq *s, uint64_t list, uint64_t from, uint64_t end);
void plan_queue(inq *s);                                 /* all in the queue, */
void plan_tail(inq *s);                                  /* in its tail, */
void plan_once(inq *s);                                  /* or those that one question names */
void plan_chunk(const inq *s, zo_fan *fan, size_t most); /* at most so many of them: fan->comp */
void plan_ranked_chunk(const inq *s, zo_fan *fan, size_t most); /* of one rank */
int plan_done(inq *s); /* after a question: was it the last? */

#endif
