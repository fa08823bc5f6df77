/* One problem on several ranks: who evaluates what, and how the sums meet again.
 * SPDX-License-Identifier: MIT
 *
 * The blocks of the one sum (base/sum.h) are dealt out in order, and each rank's run of blocks is a few nodes of the
 * tree over all blocks. A rank sums over each of its nodes; the sums of all nodes are gathered, and every rank goes on
 * up the tree with them: the additions are those of one process, in the same order. All ranks know the fan, so they
 * know which nodes have entries, and from which rank how many numbers come. */
#include "zoprox_spread.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/share.h"
#include "base/vec.h"
#include "problem/gather.h"
#include "problem/problem.h"
#include "problem/together.h"

enum { CODE, ASKED, RETRIED, FAILURES, BAD, WISH, HEAD }; /* what a message begins with */
enum { TEXT = 512 };                                      /* bytes of a failure's words */

struct zo_spread {
    zo_problem p; /* whole, with an answer and an inside */
    callback *callback;
    zo_ranks ranks;
    sum_node *node; /* of all ranks, in rising order */
    size_t *from;   /* size + 1: where each rank's begin */
    char *present;  /* a node has entries in the fan at hand */
    size_t *count;  /* size: numbers in each rank's message */
    size_t *at;     /* size: places in all */
    double *mine, *all, *rows, *tree;
    uint64_t *comp; /* each: entries of this rank */
    double *dir;    /* own: their directions */
    size_t nmine, nall, nrows, ntree, ncomp, ndir;
    uint64_t retried, failures; /* of all ranks' problems */
    char text[TEXT];            /* of a failure */
    struct zo_together together;
    uint64_t *order; /* together: entries by block */
    size_t norder;
    double bad; /* an answer that cannot be used; 0: none */
    int wish;   /* of rank 0, to be granted to all with the next exchange */
    int granted;
};

/* ---- Who has what -------------------------------------------------------------------------------- */

/* Behind the last block there is nothing, so the last rank's nodes may reach beyond it. */
static size_t nodes_of(uint64_t blocks, int rank, int size, sum_node *node)
{
    uint64_t first = share_border(blocks, rank, size), end = share_border(blocks, rank + 1, size), round = 1;
    while (round < blocks) round *= 2;
    if (first == end) return 0;
    size_t count = sum_nodes(first, end == blocks ? round : end, node);
    while (count && node[count - 1].first >= blocks) count--;
    return count;
}

static zo_status deal(zo_spread *s, zo_error *err)
{
    size_t size = (size_t)s->ranks.size, total = 0;
    uint64_t blocks = share_blocks(s->p.n);
    sum_node some[SUM_NODES];
    s->from = mem_new(size + 1, sizeof *s->from);
    s->count = mem_new(size, sizeof *s->count);
    s->at = mem_new(size, sizeof *s->at);
    for (int r = 0; r < s->ranks.size; r++) total += nodes_of(blocks, r, s->ranks.size, some);
    s->node = mem_new(total, sizeof *s->node);
    s->present = mem_new(total, 1);
    if (!s->from || !s->count || !s->at || !s->node || !s->present) return out_of_memory(err, "ranks", size);
    for (size_t r = 0; r < size; r++) {
        size_t count = nodes_of(blocks, (int)r, s->ranks.size, some);
        memcpy(s->node + s->from[r], some, count * sizeof *some);
        s->from[r + 1] = s->from[r] + count;
    }
    return ZO_OK;
}

static size_t node_with(const zo_spread *s, uint64_t block)
{
    size_t low = 0, high = s->from[s->ranks.size];
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->node[middle].first <= block)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static size_t rank_with(const zo_spread *s, size_t component)
{
    size_t node = node_with(s, component / SUM_BLOCK), low = 0, high = (size_t)s->ranks.size;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->from[middle] <= node)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- Messages ------------------------------------------------------------------------------------ */

static int make_room(zo_spread *s)
{
    size_t total = 0;
    for (int r = 0; r < s->ranks.size; r++) {
        s->at[r] = total;
        total += s->count[r];
    }
    return gather_room((void **)&s->mine, &s->nmine, s->count[s->ranks.rank], sizeof *s->mine) &&
           gather_room((void **)&s->all, &s->nall, total, sizeof *s->all);
}

/* Somebody failed: everybody learns who was the first, and why. */
static int share_failure(zo_spread *s, int own)
{
    enum { NUMBERS = TEXT / sizeof(double) };
    const char *words = s->p.health ? s->p.health(s->p.ctx).text : NULL;
    char text[TEXT] = "";
    int first = 0;
    if (own) snprintf(text, sizeof text, words ? "rank %d: %s" : "rank %d: ", s->ranks.rank, words);
    if (own && !words)
        snprintf(text, sizeof text,
                 own == ZO_NO_MEMORY ? "rank %d: out of memory in the problem"
                                     : "rank %d: the problem failed with code %d",
                 s->ranks.rank, own);
    while (s->all[s->at[first] + CODE] == 0) first++;
    int code = (int)s->all[s->at[first] + CODE];
    for (int r = 0; r < s->ranks.size; r++) s->count[r] = NUMBERS;
    if (!make_room(s)) return ZO_NO_MEMORY;
    memcpy(s->mine, text, sizeof text);
    if (s->ranks.gather(s->ranks.ctx, s->mine, s->count, s->all)) return ZO_PROBLEM;
    memcpy(s->text, s->all + s->at[first], sizeof text);
    s->text[TEXT - 1] = 0;
    return code == ZO_NO_MEMORY ? ZO_PROBLEM : code; /* the words name the rank */
}

/* mine is filled but for its head. */
static int exchange(zo_spread *s, int code)
{
    const zo_ranks *ranks = &s->ranks;
    s->mine[CODE] = code;
    s->mine[ASKED] = ranks->asked ? ranks->asked(ranks->ctx) : 0;
    zo_health h = s->p.health ? s->p.health(s->p.ctx) : (zo_health){0};
    s->mine[RETRIED] = (double)h.retried;
    s->mine[FAILURES] = (double)h.failures;
    s->mine[BAD] = s->bad;
    s->mine[WISH] = s->wish;
    s->retried = s->failures = 0;
    s->bad = 0;
    if (ranks->gather(ranks->ctx, s->mine, s->count, s->all)) {
        const char *why = ranks->why ? ranks->why(ranks->ctx) : NULL;
        snprintf(s->text, sizeof s->text,
                 why ? "%.0d%s" : "rank %d: the exchange with the other ranks failed", why ? 0 : ranks->rank,
                 why);
        return ZO_PROBLEM;
    }
    int asked = 0, failed = 0;
    for (int r = 0; r < ranks->size; r++) {
        if (!asked) asked = (int)s->all[s->at[r] + ASKED];
        failed |= s->all[s->at[r] + CODE] != 0;
        if (s->bad == 0) s->bad = s->all[s->at[r] + BAD];
        s->retried += (uint64_t)s->all[s->at[r] + RETRIED];
        s->failures += (uint64_t)s->all[s->at[r] + FAILURES];
    }
    if (asked && ranks->agreed) *ranks->agreed = asked;
    if (s->all[s->at[0] + WISH] != 0) s->granted = 1;
    return failed ? share_failure(s, code) : ZO_OK;
}

/* ---- Means --------------------------------------------------------------------------------------- */

static void find_present(zo_spread *s, const zo_fan *fan, size_t width)
{
    size_t nodes = s->from[s->ranks.size];
    memset(s->present, fan->comp == NULL, nodes);
    for (size_t e = 0; fan->comp && e < fan->ncomp; e++)
        s->present[node_with(s, fan->comp[e] / SUM_BLOCK)] = 1;
    for (int r = 0; r < s->ranks.size; r++) {
        s->count[r] = HEAD;
        for (size_t k = s->from[r]; k < s->from[r + 1]; k++) s->count[r] += s->present[k] ? width : 0;
    }
}

/* Up the tree from the nodes of all ranks. total: the first row of the tree, when it is done. */
static double *climb(zo_spread *s, size_t width)
{
    sum_tree tree;
    double *total = s->tree + sum_work(width);
    sum_open(&tree, width, s->tree);
    for (int r = 0; r < s->ranks.size; r++) {
        const double *row = s->all + s->at[r] + HEAD;
        for (size_t k = s->from[r]; k < s->from[r + 1]; k++) {
            if (!s->present[k]) continue;
            memcpy(sum_leaf(&tree, s->node[k].first), row, width * sizeof *row);
            row += width;
        }
    }
    sum_close(&tree, total);
    return total;
}

static int answer_means(zo_spread *s, const zo_fan *fan, double *out)
{
    const struct zo_inside *inside = s->p.inside;
    size_t width = inside->width(fan), first = s->from[s->ranks.rank],
           count = s->from[s->ranks.rank + 1] - first;
    find_present(s, fan, width);
    if (!make_room(s) || !gather_room((void **)&s->rows, &s->nrows, count * width, sizeof *s->rows) ||
        !gather_room((void **)&s->tree, &s->ntree, sum_work(width) + width, sizeof *s->tree))
        return ZO_NO_MEMORY;
    int code = inside->sums(s->p.ctx, fan, count, s->node + first, s->rows);
    double *to = s->mine + HEAD;
    for (size_t k = 0; k < count; k++) {
        if (!s->present[first + k]) continue;
        memcpy(to, s->rows + k * width, width * sizeof *to);
        to += width;
    }
    if ((code = exchange(s, code))) return code;
    inside->means(s->p.ctx, fan, climb(s, width), out);
    return ZO_OK;
}

/* ---- One set for each entry ----------------------------------------------------------------------- */

/* The entries of this rank, and how many the others have. 0: out of memory. */
static int pick(zo_spread *s, const zo_fan *fan, zo_fan *part)
{
    size_t set = zo_fan_set(fan), rows = fan->own ? fan->ndir * fan->d : 0, me = (size_t)s->ranks.rank,
           found = 0;
    for (int r = 0; r < s->ranks.size; r++) s->count[r] = HEAD;
    for (size_t e = 0; e < fan->ncomp; e++) s->count[rank_with(s, gather_component(fan, e))] += set;
    size_t count = (s->count[me] - HEAD) / set;
    if (!gather_room((void **)&s->comp, &s->ncomp, count, sizeof *s->comp) ||
        !gather_room((void **)&s->dir, &s->ndir, count * rows, sizeof *s->dir))
        return 0;
    for (size_t e = 0; e < fan->ncomp && found < count; e++) {
        size_t component = gather_component(fan, e);
        if (rank_with(s, component) != me) continue;
        if (rows) memcpy(s->dir + found * rows, fan->dir + e * rows, rows * sizeof *s->dir);
        s->comp[found++] = component;
    }
    *part = *fan;
    part->comp = s->comp;
    part->ncomp = count;
    if (rows) part->dir = s->dir;
    return 1;
}

static int answer_each(zo_spread *s, const zo_fan *fan, double *out)
{
    size_t set = zo_fan_set(fan);
    zo_fan part;
    if (!pick(s, fan, &part) || !make_room(s)) return ZO_NO_MEMORY;
    int code = part.ncomp ? s->p.answer(s->p.ctx, &part, s->mine + HEAD) : 0;
    if ((code = exchange(s, code))) return code;
    for (int r = 0; r < s->ranks.size; r++) s->at[r] += HEAD;
    for (size_t e = 0; e < fan->ncomp; e++) {
        size_t *at = &s->at[rank_with(s, gather_component(fan, e))];
        memcpy(out + e * set, s->all + *at, set * sizeof *out);
        *at += set;
    }
    return ZO_OK;
}

/* The answers stay where they are; only one that cannot be used is heard of everywhere, as the first of all. */
static int answer_mine(zo_spread *s, const zo_fan *fan, double *out)
{
    size_t set = zo_fan_set(fan), me = (size_t)s->ranks.rank, found = 0;
    zo_fan part;
    if (!pick(s, fan, &part)) return ZO_NO_MEMORY;
    for (int r = 0; r < s->ranks.size; r++) s->count[r] = HEAD;
    if (!make_room(s) || !gather_room((void **)&s->rows, &s->nrows, part.ncomp * set, sizeof *s->rows))
        return ZO_NO_MEMORY;
    part.each = 1;
    int code = part.ncomp ? s->p.answer(s->p.ctx, &part, s->rows) : 0;
    s->bad = 0;
    for (size_t k = 0; k < part.ncomp * set && !code && s->bad == 0; k++)
        if (!(fabs(s->rows[k]) <= LARGEST_ANSWER)) s->bad = s->rows[k];
    memset(out, 0, fan->ncomp * set * sizeof *out);
    for (size_t e = 0; e < fan->ncomp && found < part.ncomp; e++)
        if (rank_with(s, gather_component(fan, e)) == me)
            memcpy(out + e * set, s->rows + found++ * set, set * sizeof *out);
    code = exchange(s, code);
    if (s->bad != 0) out[0] = s->bad;
    s->bad = 0;
    return code;
}

/* ---- Together: for methods that keep something for every component --------------------------------- */

static int reserve(void *ctx, size_t m, size_t ncomp)
{
    zo_spread *s = ctx;
    size_t nodes = s->from[s->ranks.size], mine = s->from[s->ranks.rank + 1] - s->from[s->ranks.rank];
    size_t ranks = (size_t)s->ranks.size, most = nodes * m > TOGETHER_AT_ONCE ? nodes * m : TOGETHER_AT_ONCE;
    return gather_room((void **)&s->mine, &s->nmine, HEAD + mine * m, sizeof *s->mine) &&
           gather_room((void **)&s->all, &s->nall, ranks * HEAD + most, sizeof *s->all) &&
           gather_room((void **)&s->tree, &s->ntree, sum_work(m) + m, sizeof *s->tree) &&
           gather_room((void **)&s->order, &s->norder, 2 * ncomp, sizeof *s->order);
}

/* The sum over the entries of one node, in the order of sum_rows; *e: the next entry by block. */
static void sum_node_rows(zo_spread *s, sum_node node, size_t ncomp, const uint64_t *comp, size_t m,
                          const double *rows, size_t *e, double *out)
{
    sum_tree tree;
    double *leaf = NULL;
    uint64_t last = UINT64_MAX;
    size_t first = s->together.first;
    sum_open(&tree, m, s->tree);
    for (; *e < ncomp; ++*e) {
        size_t at = comp ? (size_t)s->order[*e] : *e;
        uint64_t block = (comp ? comp[at] : at) / SUM_BLOCK;
        if (block > node.last) break;
        if (block < node.first) continue;
        if (block != last) leaf = sum_leaf(&tree, last = block);
        vec_add(m, 1, rows + (comp ? at : at - first) * m, leaf);
    }
    sum_close(&tree, out);
}

static void sum_together(void *ctx, size_t ncomp, const uint64_t *comp, size_t m, const double *rows,
                         double *total)
{
    zo_spread *s = ctx;
    zo_fan fan = {.ncomp = ncomp, .comp = comp};
    size_t first = s->from[s->ranks.rank], end = s->from[s->ranks.rank + 1], e = comp ? 0 : s->together.first;
    find_present(s, &fan, m);
    if (comp) sum_order(comp, ncomp, s->order, s->order + ncomp);
    int ready = make_room(s);
    double *to = s->mine + HEAD;
    for (size_t k = first; k < end && ready; k++) {
        if (!s->present[k]) continue;
        sum_node_rows(s, s->node[k], ncomp, comp, m, rows, &e, to);
        to += m;
    }
    if (!ready || exchange(s, 0))
        memset(total, 0, m * sizeof *total);
    else
        memcpy(total, climb(s, m), m * sizeof *total);
}

static double most_together(void *ctx, double mine)
{
    zo_spread *s = ctx;
    for (int r = 0; r < s->ranks.size; r++) s->count[r] = 1;
    if (!make_room(s) || s->ranks.gather(s->ranks.ctx, &mine, s->count, s->all)) return mine;
    for (int r = 0; r < s->ranks.size; r++) mine = s->all[r] > mine ? s->all[r] : mine;
    return mine;
}

static int show_together(void *ctx, size_t width, const double *at, size_t from, size_t count, double *out)
{
    zo_spread *s = ctx;
    const double *mine = at;
    for (int r = 0; r < s->ranks.size; r++) {
        size_t first, held;
        zo_share(s->p.n, r, s->ranks.size, &first, &held);
        size_t low = first * width > from ? first * width : from, high = (first + held) * width;
        if (high > from + count) high = from + count;
        s->count[r] = high > low ? high - low : 0;
        if (r == s->ranks.rank && high > low) mine = at + (low - first * width);
    }
    return s->ranks.gather(s->ranks.ctx, mine, s->count, out);
}

static int grant(void *ctx, int wish)
{
    zo_spread *s = ctx;
    int granted = s->granted;
    s->granted = 0;
    s->wish = granted ? 0 : wish && s->ranks.rank == 0;
    return granted;
}

static void come_together(zo_spread *s)
{
    s->together = (struct zo_together){.ctx = s,
                                       .rank = s->ranks.rank,
                                       .reserve = reserve,
                                       .sum = sum_together,
                                       .most = most_together,
                                       .show = show_together,
                                       .grant = grant};
    zo_share(s->p.n, s->ranks.rank, s->ranks.size, &s->together.first, &s->together.count);
}

/* ---- The problem ---------------------------------------------------------------------------------- */

static int answer(void *ctx, const zo_fan *fan, double *out)
{
    zo_spread *s = ctx;
    if (fan->each == ZO_MINE) return answer_mine(s, fan, out);
    return fan->each ? answer_each(s, fan, out) : answer_means(s, fan, out);
}

static zo_health health(void *ctx)
{
    zo_spread *s = ctx;
    return (zo_health){s->retried, s->failures, *s->text ? s->text : NULL};
}

static zo_status check(const zo_problem *whole, const zo_ranks *ranks, zo_error *err)
{
    if (ranks->size < 1 || ranks->rank < 0 || ranks->rank >= ranks->size)
        return fail(err, ZO_BAD_ARGUMENT, "ranks: rank %d of %d is none", ranks->rank, ranks->size);
    if (whole->n < (size_t)ranks->size)
        return fail(err, ZO_BAD_ARGUMENT, "ranks: %d are more than the %zu components", ranks->size,
                    whole->n);
    if (!whole->inside && !whole->value && !whole->values)
        return fail(err, ZO_UNSUPPORTED,
                    "problem: a problem that answers fans by itself cannot be spread over ranks; give value "
                    "or values");
    return ZO_OK;
}

zo_status zo_spread_new(zo_spread **out, const zo_problem *whole, const zo_ranks *ranks, zo_problem *problem,
                        zo_error *err)
{
    *out = NULL;
    zo_status status = check(whole, ranks, err);
    if (status) return status;
    zo_spread *s = mem_new(1, sizeof *s);
    if (!s) return out_of_memory(err, "ranks", 1);
    s->p = *whole;
    s->ranks = *ranks;
    if (!s->p.inside && !(status = callback_new(&s->callback, whole, err))) {
        s->p.answer = callback_answer;
        s->p.ctx = s->callback;
        s->p.inside = &callback_inside;
        s->p.health = NULL;
    }
    if (!status) status = deal(s, err);
    come_together(s);
    if (status) {
        zo_spread_free(s);
        return status;
    }
    *problem = *whole;
    problem->answer = answer;
    problem->value = NULL;
    problem->values = NULL;
    problem->pairs = NULL;
    problem->ctx = s;
    problem->health = health;
    problem->heed = NULL; /* ranks stop together, between fans */
    problem->inside = NULL;
    problem->together = ranks->size > 1 ? &s->together : NULL;
    *out = s;
    return succeed(err);
}

void zo_spread_free(zo_spread *s)
{
    if (!s) return;
    callback_free(s->callback);
    void *all[] = {s->node, s->from, s->present, s->count, s->at,  s->mine,
                   s->all,  s->rows, s->tree,    s->comp,  s->dir, s->order};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
    mem_free(s);
}
