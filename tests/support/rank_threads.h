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

static inline void release(int size, place *places)
{
    for (int r = 0; r < size; r++) free(places[r].out);
}

#endif
