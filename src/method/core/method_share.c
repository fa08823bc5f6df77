/* A method's own work on several threads, with the same bytes on any number of them.
 * SPDX-License-Identifier: MIT
 *
 * Work is cut into ranges, each done by one thread. What is summed over components is summed within each block (base/sum.h) by
 * whoever has it, and blocks are put together by the caller in their order. */
#include <string.h>

#include "method/core/method.h"

enum { LEAST = 1 << 16 }; /* numbers: less is done before others are awake */

typedef struct shared_work {
    size_t count, parts;
    method_work work;
    void *ctx;
} shared_work;

static void do_part(void *ctx, size_t k, int who)
{
    const shared_work *s = ctx;
    (void)who;
    s->work(s->ctx, k, k * s->count / s->parts, (k + 1) * s->count / s->parts);
}

void method_share(const method *m, size_t count, size_t numbers, method_work work, void *ctx)
{
    size_t parts = count < METHOD_PARTS ? count : METHOD_PARTS;
    if (count == 0) return;
    if (!m->helpers.share || parts == 1 || count < LEAST / (numbers + 1)) {
        work(ctx, 0, 0, count);
        return;
    }
    m->helpers.share(m->helpers.ctx, parts, do_part, &(shared_work){count, parts, work, ctx});
}

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

/* Blocks begin ... in the leaves. */
typedef struct wave {
    const block_sum *sum;
    size_t begin;
} wave;

static void fill_some(void *ctx, size_t part, size_t from, size_t to)
{
    (void)part;
    const wave *w = ctx;
    const block_sum *b = w->sum;
    double *leaves = b->leaves + from * b->width;
    memset(leaves, 0, (to - from) * b->width * sizeof *leaves);
    b->fill(b->ctx, w->begin + from, w->begin + to, leaves);
}

void method_sum_blocks(const method *m, const block_sum *b, double *total)
{
    size_t blocks = method_blocks(m), most = b->room / b->width;
    method_total sum;
    total_open(&sum, m, b->width, b->tree);
    for (size_t k = 0; k < blocks && !m->helpers.share; k++)
        b->fill(b->ctx, k, k + 1, total_leaf(&sum, block_first(m, k)));
    for (size_t k = 0, count; k < blocks && m->helpers.share; k += count) {
        count = blocks - k < most ? blocks - k : most;
        method_share(m, count, b->numbers, fill_some, &(wave){b, k});
        for (size_t e = 0; e < count; e++)
            memcpy(total_leaf(&sum, block_first(m, k + e)), b->leaves + e * b->width,
                   b->width * sizeof *total);
    }
    total_close(&sum, total);
}
