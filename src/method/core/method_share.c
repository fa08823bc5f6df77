/* A method's own work on several threads, with the same bytes on any number of them.
 * SPDX-License-Identifier: MIT
 *
 * Work is cut into ranges, each done by one thread. What is summed over components is summed within each block (base/sum.h) by
 * whoever has it, and blocks are put together by the caller in their order. */
#include <stdatomic.h>
#include <string.h>

#include "base/vec.h"
#include "method/core/method.h"

enum {
    LEAST = 1 << 14, /* numbers: less is done before others are awake */
    RANGES = 64      /* so many: who is done first waits for a small part of the work at most */
};

typedef struct shared_work {
    size_t count, ranges, parts;
    method_work work;
    void *ctx;
    atomic_size_t next[METHOD_PARTS]; /* range to take, of those of each part */
} shared_work;

/* Who has part k takes its ranges, and then what is left of the others': a component is mostly looked after by the same thread. */
static void do_part(void *ctx, size_t k, int who)
{
    shared_work *s = ctx;
    (void)who;
    for (size_t other = 0; other < s->parts; other++) {
        size_t p = (k + other) % s->parts, from = p * s->ranges / s->parts,
               end = (p + 1) * s->ranges / s->parts;
        for (size_t e; (e = from + atomic_fetch_add(&s->next[p], 1)) < end;)
            s->work(s->ctx, k, e * s->count / s->ranges, (e + 1) * s->count / s->ranges);
    }
}

void method_share(const method *m, size_t count, size_t numbers, method_work work, void *ctx)
{
    if (count == 0) return;
    if (!m->helpers.share || count == 1 || count < LEAST / (numbers + 1)) {
        work(ctx, 0, 0, count);
        return;
    }
    shared_work s = {.count = count, .ranges = count < RANGES ? count : RANGES};
    s.parts = s.ranges < METHOD_PARTS ? s.ranges : METHOD_PARTS;
    s.work = work;
    s.ctx = ctx;
    m->helpers.share(m->helpers.ctx, s.parts, do_part, &s);
}

/* ---- Lists ------------------------------------------------------------------------------------------- */

typedef struct picking {
    const method_list *list;
    size_t count, pieces, found[RANGES]; /* of each piece; then how many there are before it */
    int put;
} picking;

static void pick_some(void *ctx, size_t part, size_t from, size_t to)
{
    picking *p = ctx;
    (void)part;
    for (size_t k = from; k < to; k++) {
        size_t first = k * p->count / p->pieces, end = (k + 1) * p->count / p->pieces;
        if (p->put)
            p->list->put(p->list->ctx, first, end, p->found[k]);
        else
            p->found[k] = p->list->count(p->list->ctx, first, end);
    }
}

size_t method_pick(const method *m, size_t count, size_t numbers, const method_list *list)
{
    picking p = {.list = list, .count = count, .pieces = RANGES};
    size_t before = 0;
    if (!m->helpers.share || count < LEAST / (numbers + 1))
        return list->put(list->ctx, 0, count, 0);
    method_share(m, p.pieces, count / p.pieces * numbers, pick_some, &p);
    for (size_t k = 0; k < p.pieces; k++) {
        size_t found = p.found[k];
        p.found[k] = before;
        before += found;
    }
    p.put = 1;
    method_share(m, p.pieces, count / p.pieces * numbers, pick_some, &p);
    return before;
}

/* ---- Sums -------------------------------------------------------------------------------------------- */

size_t method_blocks(const method *m)
{
    return m->count ? (m->first + m->count - 1) / SUM_BLOCK - m->first / SUM_BLOCK + 1 : 0;
}

uint64_t block_first(const method *m, size_t k)
{
    return k ? ((uint64_t)(m->first / SUM_BLOCK) + k) * SUM_BLOCK : m->first;
}

uint64_t block_end(const method *m, size_t k)
{
    uint64_t end = block_first(m, k) / SUM_BLOCK * SUM_BLOCK + SUM_BLOCK,
             mine = m->first + m->count;
    return end < mine ? end : mine;
}

/* Blocks that are added up by who fills them: aligned by their number, so that their sum is one of the tree's (base/sum.h). */
enum { RUN = 8 };

/* Blocks begin ... begin + count - 1 are in the leaves, in runs of so many. */
typedef struct wave {
    const block_sum *sum;
    size_t begin, count, run;
} wave;

/* The sum of so many leaves, in the tree's order, in the first of them. */
static void add_run(size_t count, size_t width, double *leaves)
{
    for (size_t step = 1; step < count; step *= 2)
        for (size_t k = 0; k + step < count; k += 2 * step)
            vec_add(width, 1, leaves + (k + step) * width, leaves + k * width);
}

/* Runs from ... to - 1 of the wave. */
static void fill_some(void *ctx, size_t part, size_t from, size_t to)
{
    (void)part;
    const wave *w = ctx;
    const block_sum *b = w->sum;
    size_t first = from * w->run, end = to * w->run < w->count ? to * w->run : w->count;
    double *leaves = b->leaves + first * b->width;
    memset(leaves, 0, (end - first) * b->width * sizeof *leaves);
    b->fill(b->ctx, w->begin + first, w->begin + end, leaves);
    for (size_t k = first; k < end; k += w->run)
        add_run(end - k < w->run ? end - k : w->run, b->width, b->leaves + k * b->width);
}

void method_sum_blocks(const method *m, const block_sum *b, double *total)
{
    size_t blocks = method_blocks(m), most = b->room / b->width;
    wave w = {.sum = b, .run = m->together || m->first || most < RUN ? 1 : RUN};
    method_total sum;
    most -= most % w.run;
    total_open(&sum, m, b->width, b->tree);
    for (size_t k = 0; k < blocks && !m->helpers.share; k++)
        b->fill(b->ctx, k, k + 1, total_leaf(&sum, block_first(m, k)));
    for (; w.begin < blocks && m->helpers.share; w.begin += w.count) {
        w.count = blocks - w.begin < most ? blocks - w.begin : most;
        size_t runs = (w.count + w.run - 1) / w.run;
        method_share(m, runs, w.run * b->numbers, fill_some, &w);
        for (size_t e = 0; e < w.count; e += w.run)
            memcpy(total_leaf(&sum, block_first(m, w.begin + e)), b->leaves + e * b->width,
                   b->width * sizeof *total);
    }
    total_close(&sum, total);
}
