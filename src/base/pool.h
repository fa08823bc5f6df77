/* A few threads that share out numbered tasks.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_BASE_POOL_H
#define ZO_BASE_POOL_H

#include <stddef.h>

typedef struct pool pool;

/* threads >= 1; the caller is one of them, so 1 starts none. Where the system has no more threads to give, half of those
 * that it gave do the work. NULL: out of memory. */
pool *pool_new(int threads);
void pool_free(pool *p);         /* takes NULL */
int pool_threads(const pool *p); /* that do the work, the caller among them */
int pool_cores(void);            /* that this process may use */

/* Runs task(ctx, k, who) for every k < count, in any order, on all threads; who < pool_threads(p) says which
 * scratch space to use. Returns when all are done. Results must not depend on who or on the order. A process that was forked
 * off does them all by itself. */
void pool_run(pool *p, size_t count, void (*task)(void *ctx, size_t k, int who), void *ctx);

#endif
