/* Answers fans with a value function, one point of one component at a time.
 * SPDX-License-Identifier: MIT
 *
 * Entries of comp are taken block by block (base/sum.h), a chunk of them at a time. The answers of the
 * entries in a chunk are computed by any thread into rows of their own; adding the rows up is the caller's
 * work, in a fixed order, so the bytes do not depend on the number of threads. */
#include "problem/problem.h"

#include <stdatomic.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/sum.h"

enum { CHUNK_NUMBERS = 1 << 16 }; /* answers held at once, at least those of one entry */

struct callback {
    size_t n, d;
    int (*value)(void *ctx, size_t i, const double *x, double *f);
    void *ctx;
    pool *threads;
    double *points; /* one point per thread */
    double *rows;   /* the answers of a chunk */
    size_t nrows;   /* numbers in rows */
    double *tree;   /* work of the sum */
    size_t ntree;
    uint64_t *order; /* entries by block, and work for sorting */
    size_t norder;
    /* the job at hand */
    const zo_fan *fan;
    size_t first;      /* entry in order */
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
    mem_free(c->tree);
    mem_free(c->order);
    mem_free(c);
}

static int room(void **p, size_t *held, size_t wanted, size_t size)
{
    if (wanted <= *held) return 1;
    void *q = mem_new(wanted, size);
    if (!q) return 0;
    mem_free(*p);
    *p = q;
    *held = wanted;
    return 1;
}

static size_t component(const zo_fan *fan, size_t entry)
{
    return fan->comp ? (size_t)fan->comp[entry] : entry;
}

/* One set of answers: values point by point, then differences against their base unless it is known. */
static void answer_entry(void *ctx, size_t k, int who)
{
    callback *c = ctx;
    const zo_fan *fan = c->fan;
    size_t entry = fan->each || !fan->comp ? c->first + k : (size_t)c->order[c->first + k];
    size_t set = zo_fan_set(fan), per = set / fan->nbase;
    double *out = c->rows + k * set, *x = c->points + (size_t)who * c->d;
    for (size_t point = 0; point < set; point++) {
        if (atomic_load_explicit(&c->failed, memory_order_relaxed)) return;
        zo_fan_point(fan, entry, point, x);
        int code = c->value(c->ctx, component(fan, entry), x, &out[point]);
        if (code) atomic_store(&c->failed, code);
    }
    if (fan->known) return;
    for (size_t b = 0; b < fan->nbase; b++)
        for (size_t point = 1; point < per; point++) out[b * per + point] -= out[b * per];
}

static void add_rows(sum_tree *t, const callback *c, size_t count, uint64_t *block, double **leaf)
{
    for (size_t k = 0; k < count; k++) {
        size_t entry = c->fan->comp ? (size_t)c->order[c->first + k] : c->first + k;
        uint64_t b = component(c->fan, entry) / SUM_BLOCK;
        if (!*leaf || b != *block) *leaf = sum_leaf(t, b);
        *block = b;
        for (size_t a = 0; a < t->m; a++) (*leaf)[a] += c->rows[k * t->m + a];
    }
}

int callback_answer(void *ctx, const zo_fan *fan, double *out)
{
    callback *c = ctx;
    size_t set = zo_fan_set(fan), chunk = CHUNK_NUMBERS / (set ? set : 1) + 1;
    if (chunk > fan->ncomp) chunk = fan->ncomp;
    size_t sorted = fan->comp && !fan->each ? 2 * fan->ncomp : 0;
    if (!room((void **)&c->rows, &c->nrows, chunk * set, sizeof *c->rows) ||
        !room((void **)&c->tree, &c->ntree, sum_work(set), sizeof *c->tree) ||
        !room((void **)&c->order, &c->norder, sorted, sizeof *c->order))
        return ZO_NO_MEMORY;
    if (sorted) sum_order(fan->comp, fan->ncomp, c->order, c->order + fan->ncomp);
    c->fan = fan;
    atomic_store(&c->failed, 0);
    sum_tree t;
    sum_open(&t, set, c->tree);
    uint64_t block = 0;
    double *leaf = NULL;
    for (c->first = 0; c->first < fan->ncomp; c->first += chunk) {
        size_t count = fan->ncomp - c->first < chunk ? fan->ncomp - c->first : chunk;
        pool_run(c->threads, count, answer_entry, c);
        int code = atomic_load(&c->failed);
        if (code) return code;
        if (!fan->each)
            add_rows(&t, c, count, &block, &leaf);
        else
            for (size_t a = 0; a < count * set; a++) out[c->first * set + a] = c->rows[a];
    }
    if (fan->each) return 0;
    sum_close(&t, out);
    for (size_t a = 0; a < set; a++) out[a] /= (double)fan->ncomp;
    return 0;
}
