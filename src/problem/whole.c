/* Answers fans by a function that gives all components at one point.
 * SPDX-License-Identifier: MIT
 *
 * A point is evaluated once, whatever part of its components is asked; points go to threads, and what becomes of their
 * values happens in a fixed order. */
#include <stdatomic.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/pool.h"
#include "problem/gather.h"
#include "problem/outer.h"

struct whole {
    zo_problem p;
    pool *threads;
    double *point, *values; /* d and n for each thread */
    const zo_fan *fan;
    double *rows; /* the values of each entry at all points */
    size_t nrows;
    atomic_int failed;
    const zo_halt *halt;
};

zo_status whole_new(whole **out, const zo_problem *p, zo_error *err)
{
    int threads = p->threads > 1 ? p->threads : 1;
    whole *w = *out = mem_new(1, sizeof *w);
    if (!w) return out_of_memory(err, "problem", 1);
    w->p = *p;
    w->threads = pool_new(threads);
    w->point = mem_new((size_t)threads * p->d, sizeof *w->point);
    w->values = mem_new((size_t)threads * p->n, sizeof *w->values);
    if (w->threads && w->point && w->values) return ZO_OK;
    whole_free(w);
    *out = NULL;
    return out_of_memory(err, "threads", (size_t)threads);
}

void whole_free(whole *w)
{
    if (!w) return;
    pool_free(w->threads);
    mem_free(w->point);
    mem_free(w->values);
    mem_free(w->rows);
    mem_free(w);
}

void whole_heed(void *ctx, const zo_halt *halt)
{
    whole *w = ctx;
    w->halt = halt;
    if (w->p.heed) w->p.heed(w->p.ctx, halt);
}

/* The k-th evaluation: a point for all entries, or with own a point of one of them. */
static void evaluate(void *ctx, size_t k, int who)
{
    whole *w = ctx;
    const zo_fan *fan = w->fan;
    size_t set = zo_fan_set(fan), entry = fan->own ? k / set : 0, point = k % set;
    double *x = w->point + (size_t)who * fan->d, *f = w->values + (size_t)who * fan->n;
    if (atomic_load_explicit(&w->failed, memory_order_relaxed)) return;
    zo_fan_point(fan, entry, point, x);
    int halted = w->halt && w->halt->asked(w->halt->ctx);
    int code = halted ? ZO_HALTED : w->p.all(w->p.ctx, x, f);
    if (code) {
        atomic_store(&w->failed, code);
        return;
    }
    size_t end = fan->own ? entry + 1 : fan->ncomp;
    for (size_t e = entry; e < end; e++) w->rows[e * set + point] = f[gather_component(fan, e)];
}

int whole_answer(void *ctx, const zo_fan *fan, double *out)
{
    whole *w = ctx;
    size_t set = zo_fan_set(fan);
    if (!gather_room((void **)&w->rows, &w->nrows, fan->ncomp * set, sizeof *w->rows))
        return ZO_NO_MEMORY;
    w->fan = fan;
    atomic_store(&w->failed, 0);
    pool_run(w->threads, fan->own ? fan->ncomp * set : set, evaluate, w);
    int code = atomic_load(&w->failed);
    if (code) return code;
    return zo_fan_answer(fan, w->rows, out, NULL) ? ZO_NO_MEMORY : 0;
}
