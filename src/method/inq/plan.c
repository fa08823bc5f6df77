/* inq: who is asked next.
 * SPDX-License-Identifier: MIT */
#include "method/inq/plan.h"

/* ---- The queue ----------------------------------------------------------------------------------- */

void plan_clear(inq *s) { s->plan.queued = 0; }
void plan_clear_tail(inq *s) { s->plan.tail = 0; }
void plan_add(inq *s, uint64_t i) { s->queue[s->plan.queued++] = i; }
void plan_add_tail(inq *s, uint64_t i) { s->queue[s->base.n - ++s->plan.tail] = i; }

void plan_add_all(inq *s)
{
    plan_clear(s);
    plan_clear_tail(s);
    for (size_t k = 0; k < s->base.n; k++) plan_add(s, k);
}

void plan_stalest(inq *s, uint64_t count)
{
    uint64_t newest = s->points.count, oldest = newest;
    int here = inq_at_last_point(s);
    plan_clear(s);
    for (uint64_t k = 0; k < s->sample.filled; k++)
        if (s->asked[s->order[k]].full < oldest) oldest = s->asked[s->order[k]].full;
    for (uint64_t at = oldest; at + (uint64_t)here <= newest && s->plan.queued < count; at++)
        for (uint64_t k = 0; k < s->sample.filled && s->plan.queued < count; k++)
            if (s->asked[s->order[k]].full == at) plan_add(s, s->order[k]);
    if (s->plan.queued && !here) inq_keep_point(s);
}

void plan_by_rank(inq *s, const uint64_t *list, uint64_t count,
                  int (*wanted)(const inq *s, uint64_t i))
{
    plan_clear(s);
    for (size_t rank = 1; rank <= SPAN + 1; rank++) {
        for (uint64_t k = 0; k < count; k++) {
            uint64_t i = list ? list[k] : k;
            if (s->marks[i] == rank && (!wanted || wanted(s, i))) plan_add(s, i);
        }
        if (rank <= SPAN) s->plan.ranked[rank - 1] = s->plan.queued;
    }
}

size_t plan_rank(const inq *s)
{
    size_t rank = 1;
    while (rank <= SPAN && s->plan.ranked[rank - 1] <= s->plan.cursor) rank++;
    return rank;
}

/* ---- Questions ----------------------------------------------------------------------------------- */

void plan_over(inq *s, uint64_t list, uint64_t from, uint64_t end)
{
    s->plan.list = list;
    s->plan.cursor = from;
    s->plan.end = end;
}

void plan_queue(inq *s) { plan_over(s, OF_QUEUE, 0, s->plan.queued); }
void plan_tail(inq *s) { plan_over(s, OF_TAIL, 0, s->plan.tail); }
void plan_once(inq *s) { plan_over(s, OF_QUESTION, 0, 0); }

static const uint64_t *list_of(const inq *s)
{
    switch (s->plan.list) {
    case OF_ORDER: return s->order;
    case OF_TAIL: return s->queue + s->base.n - s->plan.tail;
    default: return s->queue;
    }
}

void plan_chunk(const inq *s, zo_fan *fan, size_t most)
{
    uint64_t left = s->plan.end - s->plan.cursor;
    fan->each = method_each(&s->base);
    fan->comp = list_of(s) + s->plan.cursor;
    fan->ncomp = left < most ? (size_t)left : most;
}

void plan_ranked_chunk(const inq *s, zo_fan *fan, size_t most)
{
    size_t rank = plan_rank(s);
    uint64_t left = rank <= SPAN ? s->plan.ranked[rank - 1] - s->plan.cursor : most;
    plan_chunk(s, fan, left < most ? (size_t)left : most);
}

int plan_done(inq *s)
{
    if (s->plan.list == OF_QUESTION) return 1;
    s->plan.cursor += s->base.fan.ncomp;
    return s->plan.cursor == s->plan.end;
}
