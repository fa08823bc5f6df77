/* Ranks that are threads, and exchange numbers through memory.
 * SPDX-License-Identifier: MIT */
#ifndef RANK_THREADS_H
#define RANK_THREADS_H

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "zoprox_spread.h"

enum { MOST = 7 };

typedef struct world {
    int size;
    pthread_barrier_t gate;
    const double *mine[MOST];
    const size_t *count[MOST];
    uint64_t numbers; /* exchanged by rank 0 */
    volatile int agreed[MOST];
} world;

typedef struct place {
    world *w;
    int rank;
    void (*act)(struct place *p);
    const void *with;
    zo_problem problem;
    double *out;
    zo_error err;
    zo_status status;
    zo_report report;
    int fails;
} place;

static inline int swap(void *ctx, const double *mine, const size_t *count, double *all)
{
    place *p = ctx;
    p->w->mine[p->rank] = mine;
    p->w->count[p->rank] = count;
    pthread_barrier_wait(&p->w->gate);
    if (memcmp(count, p->w->count[0], (size_t)p->w->size * sizeof *count))
        abort(); /* ranks that disagree */
    for (int r = 0; r < p->w->size; r++) {
        memcpy(all, p->w->mine[r], count[r] * sizeof *all);
        all += count[r];
        if (p->rank == 0) p->w->numbers += count[r];
    }
    pthread_barrier_wait(&p->w->gate);
    return 0;
}

static inline void *live(void *ctx)
{
    place *p = ctx;
    p->act(p);
    return NULL;
}

static inline uint64_t on_ranks(int size, place *places, void (*act)(place *p), const void *with,
                                size_t answers)
{
    world w = {.size = size};
    pthread_t thread[MOST];
    pthread_barrier_init(&w.gate, NULL, (unsigned)size);
    for (int r = 0; r < size; r++) {
        places[r].w = &w;
        places[r].rank = r;
        places[r].act = act;
        places[r].with = with;
        places[r].out = calloc(answers, sizeof(double));
        pthread_create(&thread[r], NULL, live, &places[r]);
    }
    for (int r = 0; r < size; r++) pthread_join(thread[r], NULL);
    pthread_barrier_destroy(&w.gate);
    for (int r = 0; r < size; r++) places[r].w = NULL;
    return w.numbers;
}

/* A run of whole: of this place's part of it, or alone. */
static inline zo_status run_at(place *p, const zo_problem *whole, const zo_settings *set,
                               double units)
{
    zo_problem mine = *whole;
    zo_spread *s = NULL;
    zo_solver *solver = NULL;
    zo_control c = zo_no_limits();
    c.max_units = units;
    p->status = ZO_OK;
    if (p->w) {
        zo_ranks ranks = {.rank = p->rank, .size = p->w->size, .ctx = p, .gather = swap};
        p->status = zo_spread_new(&s, whole, &ranks, &mine, &p->err);
    }
    if (!p->status) p->status = zo_new(&solver, &mine, set, &p->err);
    if (!p->status) p->status = zo_start(solver, NULL, &p->err);
    if (!p->status) p->status = zo_run(solver, &c, &p->report, &p->err);
    if (!p->status) memcpy(p->out, zo_point(solver), whole->d * sizeof *p->out);
    zo_free(solver);
    zo_spread_free(s);
    return p->status;
}

static inline void release(int size, place *places)
{
    for (int r = 0; r < size; r++) free(places[r].out);
}

#endif
