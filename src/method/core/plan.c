/* Who is asked next.
 * SPDX-License-Identifier: MIT */
#include "method/core/plan.h"

#include "base/rng.h"

/* ---- Life ---------------------------------------------------------------------------------------- */

enum { DRAWN = 64 }; /* places, all on their way to the cache before the first is needed */

void plan_draw(const method *m, uint64_t *order)
{
    size_t n = m->n, place[DRAWN];
    for (size_t k = 0; k < n; k++) order[k] = k;
    for (size_t from = 0; from < n; from += DRAWN) {
        size_t to = n - from < DRAWN ? n : from + DRAWN;
        for (size_t k = from; k < to; k++) {
            double u = rng_uniform(m->set.seed, FOR_PERMUTATION, 0, k);
            place[k - from] = k + (size_t)(u * (double)(n - k));
            __builtin_prefetch(order + place[k - from], 1);
        }
        for (size_t k = from; k < to; k++) {
            uint64_t kept = order[k], *other = order + place[k - from];
            order[k] = *other;
            *other = kept;
        }
    }
}

int plan_open(plan *p, method *m)
{
    p->m = m;
    state_words(m, "plan", p, 5 + PLAN_RANKS);
    p->queue = state_indices(m, "queue", m->n, m->n - 1);
    p->order = scratch_new(m, m->n, sizeof *p->order);
    if (!p->queue || !p->order) return 0;
    plan_draw(m, p->order);
    return 1;
}

int plan_sane(const plan *p)
{
    uint64_t n = p->m->n;
    if (p->list > OF_TAIL || p->queued > n || p->tail > n - p->queued) return 0;
    for (size_t r = 0; r < PLAN_RANKS; r++)
        if (p->ranked[r] > n || (r && p->ranked[r] < p->ranked[r - 1])) return 0;
    return p->list == OF_QUESTION || p->cursor <= p->end;
}

/* ---- The queue ----------------------------------------------------------------------------------- */

int plan_ranks_sane(const plan *p, double (*rank_of)(const method *m, uint64_t i))
{
    size_t rank = 1;
    if (p->ranked[PLAN_RANKS - 1] > p->queued) return 0;
    for (uint64_t e = p->cursor; e < p->queued; e++) { /* what was asked may have another now */
        while (rank <= PLAN_RANKS && p->ranked[rank - 1] <= e) rank++;
        uint64_t i = p->queue[e];
        if (method_mine(p->m, i) && rank_of(p->m, i) != (double)rank) return 0;
    }
    return 1;
}

void plan_clear(plan *p) { p->queued = 0; }
void plan_clear_tail(plan *p) { p->tail = 0; }
void plan_add(plan *p, uint64_t i) { p->queue[p->queued++] = i; }
void plan_add_tail(plan *p, uint64_t i) { p->queue[p->m->n - ++p->tail] = i; }

void plan_take_tail(plan *p, uint64_t most)
{
    uint64_t n = p->m->n, count = p->tail < most ? p->tail : most;
    for (uint64_t k = 0; k < count && k < n - 1 - k; k++) { /* one array, the tail from its end */
        uint64_t i = p->queue[n - 1 - k];
        p->queue[n - 1 - k] = p->queue[k];
        p->queue[k] = i;
    }
    p->queued = count;
    plan_clear_tail(p);
}

void plan_by_rank(plan *p, const uint64_t *list, uint64_t count, const unsigned char *rank)
{
    plan_clear(p);
    for (size_t r = 1; r <= PLAN_RANKS + 1; r++) {
        for (uint64_t k = 0; k < count; k++) {
            uint64_t i = list ? list[k] : k;
            if (rank[i] == r) plan_add(p, i);
        }
        if (r <= PLAN_RANKS) p->ranked[r - 1] = p->queued;
    }
}

size_t plan_rank(const plan *p)
{
    size_t rank = 1;
    while (rank <= PLAN_RANKS && p->ranked[rank - 1] <= p->cursor) rank++;
    return rank;
}

/* ---- Questions ----------------------------------------------------------------------------------- */

void plan_over(plan *p, uint64_t list, uint64_t from, uint64_t end)
{
    p->list = list;
    p->cursor = from;
    p->end = end;
}

void plan_queue(plan *p) { plan_over(p, OF_QUEUE, 0, p->queued); }
void plan_tail(plan *p) { plan_over(p, OF_TAIL, 0, p->tail); }
void plan_once(plan *p) { plan_over(p, OF_QUESTION, 0, 0); }

static const uint64_t *list_of(const plan *p)
{
    switch (p->list) {
    case OF_ORDER: return p->order;
    case OF_TAIL: return p->queue + p->m->n - p->tail;
    default: return p->queue;
    }
}

void plan_chunk(const plan *p, zo_fan *fan, size_t most)
{
    uint64_t left = p->end - p->cursor;
    fan->each = method_each(p->m);
    fan->comp = list_of(p) + p->cursor;
    fan->ncomp = left < most ? (size_t)left : most;
}

void plan_ranked_chunk(const plan *p, zo_fan *fan, size_t most)
{
    size_t rank = plan_rank(p);
    uint64_t left = rank <= PLAN_RANKS ? p->ranked[rank - 1] - p->cursor : most;
    plan_chunk(p, fan, left < most ? (size_t)left : most);
}

int plan_done(plan *p)
{
    if (p->list == OF_QUESTION) return 1;
    p->cursor += p->m->fan.ncomp;
    return p->cursor == p->end;
}
