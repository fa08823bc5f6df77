/* From values at single points to the answers of a fan: differences per component, and the one sum.
 * SPDX-License-Identifier: MIT */
#include "problem/gather.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

int gather_room(void **p, size_t *held, size_t wanted, size_t size)
{
    if (wanted <= *held) return 1;
    void *q = mem_new(wanted, size);
    if (!q) return 0;
    mem_free(*p);
    *p = q;
    *held = wanted;
    return 1;
}

int gather_begin(gather *g, const zo_fan *fan, double *out)
{
    size_t set = zo_fan_set(fan), sorted = fan->comp && !fan->each ? 2 * fan->ncomp : 0;
    if (!gather_room((void **)&g->tree, &g->ntree, sum_work(set), sizeof *g->tree) ||
        !gather_room((void **)&g->order, &g->norder, sorted, sizeof *g->order))
        return 0;
    if (sorted) sum_order(fan->comp, fan->ncomp, g->order, g->order + fan->ncomp);
    g->fan = fan;
    g->out = out;
    g->leaf = NULL;
    g->node = NULL;
    g->flaw.found = 0;
    g->from = 0;
    g->to = fan->ncomp;
    sum_open(&g->sum, set, g->tree);
    return 1;
}

static uint64_t block_at(const gather *g, size_t k)
{
    return gather_component(g->fan, gather_entry(g, k)) / SUM_BLOCK;
}

int gather_begin_nodes(gather *g, const zo_fan *fan, size_t nnodes, const sum_node *node,
                       double *out)
{
    if (!gather_begin(g, fan, out)) return 0;
    if (nnodes) memset(out, 0, nnodes * g->sum.m * sizeof *out);
    g->node = node;
    if (!nnodes) g->to = 0;
    while (g->from < g->to && block_at(g, g->from) < node[0].first) g->from++;
    while (g->from < g->to && block_at(g, g->to - 1) > node[nnodes - 1].last) g->to--;
    return 1;
}

/* The node at hand is left behind when a block is not in it. */
static void enter(gather *g, uint64_t block)
{
    while (g->node && block > g->node->last) {
        if (g->leaf) sum_close(&g->sum, g->out);
        g->leaf = NULL;
        g->node++;
        g->out += g->sum.m;
    }
}

static void subtract_bases(size_t nbase, size_t per, double *row)
{
    for (size_t b = 0; b < nbase; b++) {
        double at = row[b * per];
        for (size_t k = 1; k < per; k++) row[b * per + k] -= at;
    }
}

/* A sum does not say which of its terms spoiled it. */
static void look_at(gather *g, size_t k, const double *row)
{
    int usable = 1;
    for (size_t a = 0; a < g->sum.m; a++) usable &= fabs(row[a]) <= LARGEST_ANSWER;
    if (usable || g->flaw.found) return;
    size_t a = 0;
    while (fabs(row[a]) <= LARGEST_ANSWER) a++;
    g->flaw = (flaw){1, gather_entry(g, k), a, row[a]};
}

void gather_rows(gather *g, size_t first, size_t count, double *rows)
{
    const zo_fan *fan = g->fan;
    size_t set = g->sum.m, per = set / fan->nbase;
    for (size_t k = 0; k < count; k++) {
        double *row = rows + k * set;
        if (!fan->known) subtract_bases(fan->nbase, per, row);
        if (fan->each) {
            double *out = g->out + (first + k) * set;
            if (out != row) memcpy(out, row, set * sizeof *row);
            continue;
        }
        look_at(g, first + k, row);
        uint64_t block = block_at(g, first + k);
        enter(g, block);
        if (!g->leaf || block != g->block) g->leaf = sum_leaf(&g->sum, g->block = block);
        for (size_t a = 0; a < set; a++) g->leaf[a] += row[a];
    }
}

void gather_end(gather *g)
{
    if (g->fan->each) return;
    if (g->node) {
        if (g->leaf) sum_close(&g->sum, g->out);
        return;
    }
    sum_close(&g->sum, g->out);
    for (size_t a = 0; a < g->sum.m; a++) g->out[a] /= (double)g->fan->ncomp;
}

void gather_free(gather *g)
{
    mem_free(g->order);
    mem_free(g->tree);
    *g = (gather){0};
}

zo_status zo_fan_answer(const zo_fan *fan, const double *values, double *out, zo_error *err)
{
    size_t set = zo_fan_set(fan);
    gather g = {0};
    double *row = mem_new(set, sizeof *row);
    int made = row && gather_begin(&g, fan, out);
    for (size_t k = 0; made && k < fan->ncomp; k++) {
        memcpy(row, values + gather_entry(&g, k) * set, set * sizeof *row);
        gather_rows(&g, k, 1, row);
    }
    if (made) gather_end(&g);
    gather_free(&g);
    mem_free(row);
    return made ? succeed(err) : out_of_memory(err, "answers", set);
}
