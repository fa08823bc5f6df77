/* One problem on several ranks: who evaluates what, and how the sums meet again.
 * SPDX-License-Identifier: MIT
 *
 * The blocks of the one sum (base/sum.h) are dealt out in order, and each rank's run of blocks is a few nodes of the
 * tree over all blocks. A rank sums over each of its nodes; the sums of all nodes are gathered, and every rank goes on
 * up the tree with them: the additions are those of one process, in the same order. All ranks know the fan, so they
 * know which nodes have entries, and from which rank how many numbers come. */
#include "problem/ranks/spread.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/share.h"
#include "base/vec.h"
#include "problem/gather.h"

/* ---- Who has what -------------------------------------------------------------------------------- */

/* Behind the last block there is nothing, so the last rank's nodes may reach beyond it. */
static size_t nodes_of(uint64_t blocks, int rank, int size, sum_node *node)
{
    uint64_t first = share_border(blocks, rank, size), end = share_border(blocks, rank + 1, size),
             round = 1;
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
    if (!s->from || !s->count || !s->at || !s->node || !s->present)
        return out_of_memory(err, "ranks", size);
    for (size_t r = 0; r < size; r++) {
        size_t count = nodes_of(blocks, (int)r, s->ranks.size, some);
        memcpy(s->node + s->from[r], some, count * sizeof *some);
        s->from[r + 1] = s->from[r] + count;
    }
    return ZO_OK;
}

/* ---- Means --------------------------------------------------------------------------------------- */

static int answer_means(zo_spread *s, const zo_fan *fan, double *out)
{
    const struct zo_inside *inside = s->p.inside;
    size_t width = inside->width(fan), first = s->from[s->ranks.rank],
           count = s->from[s->ranks.rank + 1] - first;
    spread_present(s, fan);
    spread_widths(s, width);
    if (!spread_room(s) ||
        !gather_room((void **)&s->rows, &s->nrows, count * width, sizeof *s->rows) ||
        !gather_room((void **)&s->tree, &s->ntree, s->levels * width + width, sizeof *s->tree))
        return ZO_NO_MEMORY;
    int code = inside->sums(s->p.ctx, fan, count, s->node + first, s->rows);
    double *to = s->mine + SPREAD_HEAD;
    for (size_t k = 0; k < count; k++) {
        if (!s->present[first + k]) continue;
        memcpy(to, s->rows + k * width, width * sizeof *to);
        to += width;
    }
    if ((code = spread_exchange(s, code))) return code;
    inside->means(s->p.ctx, fan, spread_climb(s, width), out);
    return ZO_OK;
}

/* ---- One set for each entry ----------------------------------------------------------------------- */

/* The entries of this rank, and how many the others have. 0: out of memory. */
static int pick(zo_spread *s, const zo_fan *fan, zo_fan *part)
{
    size_t set = zo_fan_set(fan), rows = fan->own ? fan->ndir * fan->d : 0,
           me = (size_t)s->ranks.rank, found = 0;
    for (int r = 0; r < s->ranks.size; r++) s->count[r] = SPREAD_HEAD;
    for (size_t e = 0; e < fan->ncomp; e++)
        s->count[spread_rank(s, gather_component(fan, e))] += set;
    size_t count = (s->count[me] - SPREAD_HEAD) / set;
    if (!gather_room((void **)&s->comp, &s->ncomp, count, sizeof *s->comp) ||
        !gather_room((void **)&s->dir, &s->ndir, count * rows, sizeof *s->dir))
        return 0;
    for (size_t e = 0; e < fan->ncomp && found < count; e++) {
        size_t component = gather_component(fan, e);
        if (spread_rank(s, component) != me) continue;
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
    if (!pick(s, fan, &part) || !spread_room(s)) return ZO_NO_MEMORY;
    int code = part.ncomp ? s->p.answer(s->p.ctx, &part, s->mine + SPREAD_HEAD) : 0;
    if ((code = spread_exchange(s, code))) return code;
    for (int r = 0; r < s->ranks.size; r++) s->at[r] += SPREAD_HEAD;
    for (size_t e = 0; e < fan->ncomp; e++) {
        size_t *at = &s->at[spread_rank(s, gather_component(fan, e))];
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
    for (int r = 0; r < s->ranks.size; r++) s->count[r] = SPREAD_HEAD;
    if (!spread_room(s) ||
        !gather_room((void **)&s->rows, &s->nrows, part.ncomp * set, sizeof *s->rows))
        return ZO_NO_MEMORY;
    part.each = 1;
    int code = part.ncomp ? s->p.answer(s->p.ctx, &part, s->rows) : 0;
    s->bad = 0;
    for (size_t k = 0; k < part.ncomp * set && !code && s->bad == 0; k++)
        if (!(fabs(s->rows[k]) <= LARGEST_ANSWER)) s->bad = s->rows[k];
    memset(out, 0, fan->ncomp * set * sizeof *out);
    size_t other = 0; /* an entry that is not mine: where nobody reads */
    for (size_t e = 0; e < fan->ncomp; e++)
        if (spread_rank(s, gather_component(fan, e)) == me)
            memcpy(out + e * set, s->rows + found++ * set, set * sizeof *out);
        else
            other = e;
    code = spread_exchange(s, code);
    if (s->bad != 0 && found < fan->ncomp) out[other * set] = s->bad;
    s->bad = 0;
    return code;
}

/* ---- The problem ---------------------------------------------------------------------------------- */

static int answer(void *ctx, const zo_fan *fan, double *out)
{
    zo_spread *s = ctx;
    s->halt.spare = s->outer ? s->outer->spare / (uint64_t)s->ranks.size : 0;
    s->halt.begun = s->outer ? s->outer->begun : 0;
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
    const struct zo_inside *inside = problem_inside(whole);
    if (!(inside && inside->sums) && !whole->value && !whole->values)
        return fail(err, ZO_UNSUPPORTED,
                    "problem: one with a function `answer` cannot be spread over ranks; "
                    "give value "
                    "or values");
    return ZO_OK;
}

static int never(void *ctx)
{
    (void)ctx;
    return 0;
}

/* Ranks stop together, between fans; how far this one's part is may be told meanwhile. */
static void heed(void *ctx, const zo_halt *halt)
{
    zo_spread *s = ctx;
    s->outer = halt;
    s->halt = (zo_halt){.asked = never,
                        .ctx = halt ? halt->ctx : NULL,
                        .told = halt ? halt->told : NULL,
                        .nonfinite = halt ? halt->nonfinite : ZO_STOP};
    if (s->p.heed) s->p.heed(s->p.ctx, halt ? &s->halt : NULL);
}

zo_status zo_spread_new(zo_spread **out, const zo_problem *whole, const zo_ranks *ranks,
                        zo_problem *problem, zo_error *err)
{
    *out = NULL;
    zo_status status = check(whole, ranks, err);
    if (status) return status;
    zo_spread *s = mem_new(1, sizeof *s);
    if (!s) return out_of_memory(err, "ranks", 1);
    s->p = *whole;
    s->p.inside = problem_inside(whole);
    s->ranks = *ranks;
    s->levels = sum_levels(whole->n);
    if (!(s->p.inside && s->p.inside->sums) && !(status = callback_new(&s->callback, whole, err))) {
        s->p.answer = callback_answer;
        s->p.heed = callback_heed;
        s->p.ctx = s->callback;
        s->p.inside = &callback_inside;
        s->p.health = callback_health;
    }
    if (!status) status = deal(s, err);
    spread_come_together(s);
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
    problem->heed = heed;
    problem->inside = NULL;
    problem->together = ranks->size > 1 ? &s->together : NULL;
    *out = s;
    return succeed(err);
}

void zo_spread_free(zo_spread *s)
{
    if (!s) return;
    callback_free(s->callback);
    void *all[] = {s->node, s->from, s->present, s->count, s->at,    s->mine, s->all,
                   s->rows, s->tree, s->comp,    s->dir,   s->order, s->sums};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
    mem_free(s);
}
