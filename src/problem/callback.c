/* Answers fans with a value function, one point of one component at a time.
 * SPDX-License-Identifier: MIT
 *
 * The values of a chunk of entries are computed by any thread into rows of their own; what becomes of the rows is
 * the caller's work, in a fixed order (gather.h), so the bytes do not depend on the number of threads. */
#include "problem/problem.h"

#include <stdatomic.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/pool.h"
#include "problem/gather.h"

enum { CHUNK_NUMBERS = 1 << 16 }; /* values held at once, at least those of one entry */

struct callback {
    size_t n, d;
    int (*value)(void *ctx, size_t i, const double *x, double *f);
    void *ctx;
    pool *threads;
    double *points; /* one point per thread */
    double *rows;   /* the values of a chunk */
    size_t nrows;   /* numbers in rows */
    gather gather;
    size_t first;      /* entry of the chunk at hand, as gather_entry counts */
    atomic_int failed; /* what value returned, if not 0 */
};

zo_status callback_new(callback **out, const zo_problem *p, zo_error *err)
{
    *out = NULL;
    int threads = p->threads > 1 ? p->threads : 1;
    callback *c = mem_new(1, sizeof *c);
    if (!c) return out_of_memory(err, "problem", 1);
    c->n = p->n;
    c->d = p->d;
    c->value = p->value;
    c->ctx = p->ctx;
    c->threads = pool_new(threads);
    c->points =
        p->d <= SIZE_MAX / (size_t)threads ? mem_new((size_t)threads * p->d, sizeof *c->points) : NULL;
    if (!c->threads || !c->points) {
        callback_free(c);
        return out_of_memory(err, "threads", (size_t)threads);
    }
    *out = c;
    return ZO_OK;
}

void callback_free(callback *c)
{
    if (!c) return;
    pool_free(c->threads);
    mem_free(c->points);
    mem_free(c->rows);
    gather_free(&c->gather);
    mem_free(c);
}

static void answer_entry(void *ctx, size_t k, int who)
{
    callback *c = ctx;
    const zo_fan *fan = c->gather.fan;
    size_t entry = gather_entry(&c->gather, c->first + k), set = zo_fan_set(fan);
    double *out = c->rows + k * set, *x = c->points + (size_t)who * c->d;
    for (size_t point = 0; point < set; point++) {
        if (atomic_load_explicit(&c->failed, memory_order_relaxed)) return;
        zo_fan_point(fan, entry, point, x);
        int code = c->value(c->ctx, gather_component(fan, entry), x, &out[point]);
        if (code) atomic_store(&c->failed, code);
    }
}

int callback_answer(void *ctx, const zo_fan *fan, double *out)
{
    callback *c = ctx;
    size_t set = zo_fan_set(fan), chunk = CHUNK_NUMBERS / (set ? set : 1) + 1;
    if (chunk > fan->ncomp) chunk = fan->ncomp;
    if (!gather_room((void **)&c->rows, &c->nrows, chunk * set, sizeof *c->rows)) return ZO_NO_MEMORY;
    if (!gather_begin(&c->gather, fan, out)) return ZO_NO_MEMORY;
    atomic_store(&c->failed, 0);
    for (c->first = 0; c->first < fan->ncomp; c->first += chunk) {
        size_t count = fan->ncomp - c->first < chunk ? fan->ncomp - c->first : chunk;
        pool_run(c->threads, count, answer_entry, c);
        int code = atomic_load(&c->failed);
        if (code) return code;
        gather_rows(&c->gather, c->first, count, c->rows);
    }
    gather_end(&c->gather);
    return 0;
}
