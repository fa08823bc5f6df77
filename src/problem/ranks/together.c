/* What ranks do together for methods that keep something for every component: sums, marks, a few rows.
 * SPDX-License-Identifier: MIT */
#include "problem/ranks/together.h"

#include <string.h>

#include "base/vec.h"
#include "problem/gather.h"
#include "problem/ranks/spread.h"

enum {
    PIECE_NUMBERS = 1 << 21,
    LEAST_PIECE = 1024
}; /* a long sum is exchanged in pieces: they bound the memory */

static size_t my_first(const zo_spread *s) { return s->from[s->ranks.rank]; }
static size_t my_nodes(const zo_spread *s) { return s->from[s->ranks.rank + 1] - my_first(s); }

static size_t piece_of(const zo_spread *s, size_t m)
{
    size_t piece = PIECE_NUMBERS / s->from[s->ranks.size];
    if (piece < LEAST_PIECE) piece = LEAST_PIECE;
    return m < piece ? m : piece;
}

static int same(void *ctx, size_t i, size_t k)
{
    return spread_rank(ctx, i) == spread_rank(ctx, k);
}

static int reserve(void *ctx, size_t m, size_t ncomp)
{
    zo_spread *s = ctx;
    size_t nodes = s->from[s->ranks.size], piece = piece_of(s, m), ranks = (size_t)s->ranks.size;
    size_t most = nodes * piece > TOGETHER_AT_ONCE ? nodes * piece : TOGETHER_AT_ONCE;
    return gather_room((void **)&s->mine, &s->nmine, SPREAD_HEAD + my_nodes(s) * piece,
                       sizeof *s->mine) &&
           gather_room((void **)&s->all, &s->nall, ranks * SPREAD_HEAD + most, sizeof *s->all) &&
           gather_room((void **)&s->sums, &s->nsums, my_nodes(s) * m, sizeof *s->sums) &&
           gather_room((void **)&s->tree, &s->ntree, s->levels * (ncomp ? m : piece) + piece,
                       sizeof *s->tree) &&
           gather_room((void **)&s->order, &s->norder, 2 * ncomp, sizeof *s->order);
}

static int reserve_rows(void *ctx, size_t numbers)
{
    zo_spread *s = ctx;
    size_t ranks = (size_t)s->ranks.size, marks = s->p.n / 8 + 2;
    if (numbers < marks) numbers = marks;
    return gather_room((void **)&s->mine, &s->nmine, SPREAD_HEAD + numbers, sizeof *s->mine) &&
           gather_room((void **)&s->all, &s->nall, ranks * (SPREAD_HEAD + 1) + numbers,
                       sizeof *s->all);
}

/* ---- Sums ------------------------------------------------------------------------------------------ */

static void open_sum(void *ctx, size_t m, double *work)
{
    zo_spread *s = ctx;
    s->inside = 0;
    s->expected = 0;
    s->leaf = NULL;
    sum_open(&s->sum, m, work);
}

/* The node at hand is left behind, with its sum. */
static void leave_node(zo_spread *s)
{
    size_t m = s->sum.m;
    double *to = s->sums + s->inside++ * m;
    if (s->leaf)
        sum_close(&s->sum, to);
    else
        vec_zero(m, to);
    s->leaf = NULL;
}

static double *leaf_of(void *ctx, uint64_t block)
{
    zo_spread *s = ctx;
    while (block > s->node[my_first(s) + s->inside].last) leave_node(s);
    if (!s->leaf || block != s->block) s->leaf = sum_leaf(&s->sum, s->block = block);
    return s->leaf;
}

/* The sums of my nodes that are present meet those of the others. */
static void meet(zo_spread *s, double *total)
{
    size_t m = s->sum.m, nodes = my_nodes(s), piece = piece_of(s, m);
    while (s->inside < nodes) leave_node(s);
    for (size_t from = 0; from < m; from += piece) {
        size_t count = m - from < piece ? m - from : piece;
        spread_widths(s, count);
        int ready = spread_room(s);
        double *to = s->mine + SPREAD_HEAD;
        for (size_t k = 0; k < nodes && ready; k++) {
            if (!s->present[my_first(s) + k]) continue;
            vec_copy(count, s->sums + k * m + from, to);
            to += count;
        }
        if (!ready || spread_exchange(s, 0))
            vec_zero(count, total + from);
        else
            vec_copy(count, spread_climb(s, count), total + from);
    }
}

static void expect(void *ctx, uint64_t block)
{
    zo_spread *s = ctx;
    if (!s->expected) memset(s->present, 0, s->from[s->ranks.size]);
    s->expected = 1;
    s->present[spread_node(s, block)] = 1;
}

static void close_sum(void *ctx, double *total)
{
    zo_spread *s = ctx;
    if (!s->expected) memset(s->present, 1, s->from[s->ranks.size]);
    meet(s, total);
}

static void sum_together(void *ctx, size_t ncomp, const uint64_t *comp, size_t m,
                         const double *rows, double *total)
{
    zo_spread *s = ctx;
    zo_fan fan = {.ncomp = ncomp, .comp = comp};
    size_t first = s->together.first, count = s->together.count;
    spread_present(s, &fan);
    if (comp) sum_order(comp, ncomp, s->order, s->order + ncomp);
    open_sum(s, m, s->tree);
    for (size_t e = 0; e < (comp ? ncomp : count); e++) {
        size_t at = comp ? (size_t)s->order[e] : e, i = comp ? (size_t)comp[at] : first + e;
        if (i - first < count) vec_add(m, 1, rows + at * m, leaf_of(s, i / SUM_BLOCK));
    }
    meet(s, total);
}

static double most_together(void *ctx, double mine)
{
    zo_spread *s = ctx;
    for (int r = 0; r < s->ranks.size; r++) s->count[r] = 1;
    if (!spread_room(s) || s->ranks.gather(s->ranks.ctx, &mine, s->count, s->all)) return mine;
    for (int r = 0; r < s->ranks.size; r++) mine = s->all[r] > mine ? s->all[r] : mine;
    return mine;
}

/* ---- Marks and rows ---------------------------------------------------------------------------------- */

static void mark_together(void *ctx, const unsigned char *mine, unsigned char *all)
{
    zo_spread *s = ctx;
    size_t first, held;
    for (int r = 0; r < s->ranks.size; r++) {
        zo_share(s->p.n, r, s->ranks.size, &first, &held);
        s->count[r] = SPREAD_HEAD + (held + 7) / 8;
    }
    memset(all, 0, s->p.n);
    if (!spread_room(s)) return;
    memcpy(s->mine + SPREAD_HEAD, mine, s->together.count);
    if (spread_exchange(s, 0)) return;
    for (int r = 0; r < s->ranks.size; r++) {
        zo_share(s->p.n, r, s->ranks.size, &first, &held);
        memcpy(all + first, s->all + s->at[r] + SPREAD_HEAD, held);
    }
}

static void rows_together(void *ctx, size_t ncomp, const uint64_t *comp, size_t m, double *rows)
{
    zo_spread *s = ctx;
    size_t me = (size_t)s->ranks.rank;
    for (int r = 0; r < s->ranks.size; r++) s->count[r] = SPREAD_HEAD;
    for (size_t e = 0; e < ncomp; e++) s->count[spread_rank(s, (size_t)comp[e])] += m;
    int ready = spread_room(s);
    double *to = s->mine + SPREAD_HEAD;
    for (size_t e = 0; e < ncomp && ready; e++) {
        if (spread_rank(s, (size_t)comp[e]) != me) continue;
        vec_copy(m, rows + e * m, to);
        to += m;
    }
    if (!ready || spread_exchange(s, 0)) {
        vec_zero(ncomp * m, rows);
        return;
    }
    for (int r = 0; r < s->ranks.size; r++) s->at[r] += SPREAD_HEAD;
    for (size_t e = 0; e < ncomp; e++) {
        size_t *at = &s->at[spread_rank(s, (size_t)comp[e])];
        vec_copy(m, s->all + *at, rows + e * m);
        *at += m;
    }
}

/* ---- Checkpoints ------------------------------------------------------------------------------------- */

static int show_together(void *ctx, size_t width, const double *at, size_t from, size_t count,
                         double *out)
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

void spread_come_together(zo_spread *s)
{
    s->together = (struct zo_together){.ctx = s,
                                       .rank = s->ranks.rank,
                                       .same = same,
                                       .reserve = reserve,
                                       .reserve_rows = reserve_rows,
                                       .sum = sum_together,
                                       .open = open_sum,
                                       .leaf = leaf_of,
                                       .expect = expect,
                                       .close = close_sum,
                                       .most = most_together,
                                       .marks = mark_together,
                                       .rows = rows_together,
                                       .show = show_together,
                                       .grant = grant};
    zo_share(s->p.n, s->ranks.rank, s->ranks.size, &s->together.first, &s->together.count);
}
