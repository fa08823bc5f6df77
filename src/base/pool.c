/* A few threads that share out numbered tasks: one counter, one generation number, two conditions. Nobody waits for a helper that
 * has not begun: it may be long in coming where others want the processor too.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

enum {
    AWAKE = 20000, /* turns of waiting before a thread goes to sleep: some hundred microseconds */
    SECTIONS = 8   /* of the tasks: a thread begins with one of its own */
};
#define QUIT (~0ul) /* the generation that ends it all */

typedef struct seat seat;

struct pool {
    int started;       /* helpers that run */
    pthread_t *helper; /* as many */
    seat *seat;        /* theirs */
    pid_t owner;       /* the process they are threads of: a fork has none */
    pthread_mutex_t lock;
    pthread_cond_t begin, done;
    atomic_ulong generation;      /* of the job at hand, from 1; a helper waits until it changes */
    int open;                     /* 1: helpers may begin; under lock */
    atomic_int busy;              /* helpers still at it; rises under lock */
    atomic_size_t next[SECTIONS]; /* task to take, of those of each section */
    size_t count;
    void (*task)(void *, size_t, int);
    void *ctx;
};

struct seat {
    pool *p;
    int who;
};

/* Numbers that were made by a task are near the thread that did it. So each has its place among the tasks where it begins, the same in
 * every job and far from the others', and goes on from there to what others have left. */
static void work(pool *p, int who)
{
    static const size_t home[SECTIONS] = {0, 4, 2, 6, 1, 5, 3, 7};
    for (size_t e = 0; e < SECTIONS; e++) {
        size_t section = (home[who % SECTIONS] + e) % SECTIONS;
        size_t from = section * p->count / SECTIONS, end = (section + 1) * p->count / SECTIONS;
        for (size_t k; (k = from + atomic_fetch_add(&p->next[section], 1)) < end;)
            p->task(p->ctx, k, who);
    }
}

static void breathe(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Waits for a job that is not the one seen: awake at first, because fans follow each other closely and a sleeper
 * is slow to wake; then asleep. */
static unsigned long next_job(pool *p, unsigned long seen)
{
    for (int k = 0; k < AWAKE; k++) {
        if (atomic_load_explicit(&p->generation, memory_order_acquire) != seen)
            return atomic_load(&p->generation);
        breathe();
    }
    pthread_mutex_lock(&p->lock);
    while (atomic_load(&p->generation) == seen) pthread_cond_wait(&p->begin, &p->lock);
    pthread_mutex_unlock(&p->lock);
    return atomic_load(&p->generation);
}

/* Is there still something to do? */
static int begin(pool *p)
{
    pthread_mutex_lock(&p->lock);
    int may = p->open;
    if (may) atomic_fetch_add(&p->busy, 1);
    pthread_mutex_unlock(&p->lock);
    return may;
}

static void *helper_main(void *arg)
{
    seat s = *(seat *)arg;
    pool *p = s.p;
    for (unsigned long seen = 0; (seen = next_job(p, seen)) != QUIT;) {
        if (!begin(p)) continue;
        work(p, s.who);
        if (atomic_fetch_sub(&p->busy, 1) != 1) continue;
        pthread_mutex_lock(&p->lock);
        pthread_cond_signal(&p->done);
        pthread_mutex_unlock(&p->lock);
    }
    return NULL;
}

static void post(pool *p, unsigned long generation)
{
    pthread_mutex_lock(&p->lock);
    p->open = generation != QUIT;
    atomic_store(&p->generation, generation);
    pthread_cond_broadcast(&p->begin);
    pthread_mutex_unlock(&p->lock);
}

pool *pool_new(int threads)
{
    pool *p = mem_new(1, sizeof *p);
    if (!p) return NULL;
    p->owner = getpid();
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->begin, NULL);
    pthread_cond_init(&p->done, NULL);
    p->helper = mem_new((size_t)threads, sizeof *p->helper);
    p->seat = mem_new((size_t)threads, sizeof *p->seat);
    if (!p->helper || !p->seat) {
        pool_free(p);
        return NULL;
    }
    for (int k = 0; k < threads - 1; k++) {
        p->seat[k] = (seat){p, k + 1};
        if (!pthread_create(&p->helper[k], NULL, helper_main, &p->seat[k])) {
            p->started++;
            continue;
        }
        pool_free(
            p); /* no more are to be had, and the memory of half of them is wanted for the work */
        return pool_new(k / 2 + 1);
    }
    return p;
}

void pool_free(pool *p)
{
    if (!p) return;
    if (p->owner ==
        getpid()) { /* a fork has nobody to join, and its conditions would wait for the lost */
        post(p, QUIT);
        for (int t = 0; t < p->started; t++) pthread_join(p->helper[t], NULL);
        pthread_cond_destroy(&p->begin);
        pthread_cond_destroy(&p->done);
        pthread_mutex_destroy(&p->lock);
    }
    mem_free(p->helper);
    mem_free(p->seat);
    mem_free(p);
}

int pool_threads(const pool *p) { return p->started + 1; }

int pool_cores(void)
{
    cpu_set_t set;
    int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                            : (int)sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? cores : 1;
}

void pool_run(pool *p, size_t count, void (*task)(void *ctx, size_t k, int who), void *ctx)
{
    if (p->started == 0 || count <= 1 || p->owner != getpid()) {
        for (size_t k = 0; k < count; k++) task(ctx, k, 0);
        return;
    }
    p->task = task; /* nobody looks before it is open */
    p->ctx = ctx;
    p->count = count;
    for (size_t k = 0; k < SECTIONS; k++) atomic_store(&p->next[k], 0);
    post(p, atomic_load(&p->generation) + 1);
    work(p, 0);
    pthread_mutex_lock(&p->lock);
    p->open = 0;
    pthread_mutex_unlock(&p->lock);
    for (int k = 0; k < AWAKE && atomic_load_explicit(&p->busy, memory_order_acquire); k++)
        breathe();
    if (!atomic_load(&p->busy)) return;
    pthread_mutex_lock(&p->lock);
    while (atomic_load(&p->busy)) pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
}
