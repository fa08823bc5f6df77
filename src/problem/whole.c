/* Answers fans by a function that gives all components at one point.
 * SPDX-License-Identifier: MIT
 *
 * A point is evaluated once, whatever part of its components is asked; points go to threads, and what becomes of their
 * values happens in a fixed order. */
#include <math.h>
#include <stdatomic.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/pool.h"
#include "problem/again.h"
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
    atomic_uint_fast64_t retried, failures;
    atomic_uint_fast64_t left; /* points that may be asked again for the fan at hand */
    again again;               /* what asking again has brought */
    const zo_halt *halt;
};

enum { AGAIN = 2, RETRY_AGAIN = 10 }; /* times a point is asked again; with nonfinite=retry */

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

static int all_finite(const double *f, size_t n)
{
    size_t k = 0;
    while (k < n && isfinite(f[k])) k++;
    return k == n;
}

/* One more point, if the budget has room for it. */
static int takes_one(atomic_uint_fast64_t *left)
{
    uint_fast64_t now = atomic_load(left);
    while (now && !atomic_compare_exchange_weak(left, &now, now - 1)) {
    }
    return now > 0;
}

/* All components at x. It may be an accident, and is asked again; what stays is not a number, unless failures are to end
 * the run. */
static int evaluate_at(whole *w, const double *x, double *f)
{
    const zo_halt *halt = w->halt;
    int policy = halt ? halt->nonfinite : ZO_STOP, most = policy == ZO_RETRY ? RETRY_AGAIN : AGAIN;
    for (int tries = 0;; tries++) {
        int code = halt && halt->asked(halt->ctx) ? ZO_HALTED : w->p.all(w->p.ctx, x, f);
        if (policy == ZO_STOP || code == ZO_HALTED || code == ZO_NO_MEMORY || code == ZO_PROBLEM)
            return code;
        int fine = !code && all_finite(f, w->p.n);
        if (fine && tries) atomic_fetch_add(&w->again.mended, 1);
        if (fine) return 0;
        atomic_fetch_add(&w->failures, 1);
        for (size_t i = 0; code && i < w->p.n; i++) f[i] = NAN;
        if (tries == most) atomic_fetch_add(&w->again.vain, 1);
        if (tries == most || (policy != ZO_RETRY && !again_pays(&w->again))) return 0;
        if (!takes_one(&w->left)) return 0;
        atomic_fetch_add(&w->retried, 1);
    }
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
    int code = evaluate_at(w, x, f);
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
    atomic_store(&w->left, w->halt ? w->halt->spare : 0);
    pool_run(w->threads, fan->own ? fan->ncomp * set : set, evaluate, w);
    int code = atomic_load(&w->failed);
    if (code) return code;
    return zo_fan_answer(fan, w->rows, out, NULL) ? ZO_NO_MEMORY : 0;
}

zo_health whole_health(void *ctx)
{
    whole *w = ctx;
    zo_health h = w->p.health ? w->p.health(w->p.ctx) : (zo_health){0};
    h.retried += atomic_load(&w->retried);
    h.failures += atomic_load(&w->failures);
    return h;
}
