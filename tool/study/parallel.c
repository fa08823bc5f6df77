/* Numbered pieces of work on a few threads.
 * SPDX-License-Identifier: MIT */
#include <pthread.h>

#include "study/theory.h"

typedef struct share {
    void (*fn)(void *, size_t);
    void *ctx;
    size_t count, next;
    pthread_mutex_t lock;
} share;

static void *labour(void *ctx)
{
    share *s = ctx;
    for (;;) {
        pthread_mutex_lock(&s->lock);
        size_t k = s->next++;
        pthread_mutex_unlock(&s->lock);
        if (k >= s->count || *stop_flag()) return NULL;
        s->fn(s->ctx, k);
    }
}

void in_parallel(unsigned jobs, size_t count, void (*fn)(void *ctx, size_t k), void *ctx)
{
    share s = {.fn = fn, .ctx = ctx, .count = count};
    pthread_t thread[64];
    size_t started = 0;
    pthread_mutex_init(&s.lock, NULL);
    while (started + 1 < jobs && started < 64 &&
           !pthread_create(&thread[started], NULL, labour, &s))
        started++;
    labour(&s);
    for (size_t k = 0; k < started; k++) pthread_join(thread[k], NULL);
    pthread_mutex_destroy(&s.lock);
}
