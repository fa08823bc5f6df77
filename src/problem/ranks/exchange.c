/* Messages between ranks: whose a component is, what everybody sends, and up the tree with what has come.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "problem/gather.h"
#include "problem/ranks/spread.h"

/* ---- Who has what -------------------------------------------------------------------------------- */

size_t spread_node(const zo_spread *s, uint64_t block)
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

size_t spread_rank(const zo_spread *s, size_t component)
{
    size_t node = spread_node(s, component / SUM_BLOCK), low = 0, high = (size_t)s->ranks.size;
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

int spread_room(zo_spread *s)
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
    enum { NUMBERS = SPREAD_TEXT / sizeof(double) };
    const char *words = s->p.health ? s->p.health(s->p.ctx).text : NULL;
    char text[SPREAD_TEXT] = "";
    int first = 0;
    if (own) snprintf(text, sizeof text, words ? "rank %d: %s" : "rank %d: ", s->ranks.rank, words);
    if (own && !words)
        snprintf(text, sizeof text,
                 own == ZO_NO_MEMORY ? "rank %d: out of memory in the problem"
                                     : "rank %d: the problem failed with code %d",
                 s->ranks.rank, own);
    while (s->all[s->at[first] + SPREAD_CODE] == 0) first++;
    int code = (int)s->all[s->at[first] + SPREAD_CODE];
    for (int r = 0; r < s->ranks.size; r++) s->count[r] = NUMBERS;
    if (!spread_room(s)) return ZO_NO_MEMORY;
    memcpy(s->mine, text, sizeof text);
    if (s->ranks.gather(s->ranks.ctx, s->mine, s->count, s->all)) return ZO_PROBLEM;
    memcpy(s->text, s->all + s->at[first], sizeof text);
    s->text[SPREAD_TEXT - 1] = 0;
    return code == ZO_NO_MEMORY ? ZO_PROBLEM : code; /* the words name the rank */
}

/* mine is filled but for its head. */
int spread_exchange(zo_spread *s, int code)
{
    const zo_ranks *ranks = &s->ranks;
    s->mine[SPREAD_CODE] = code;
    s->mine[SPREAD_ASKED] = ranks->asked ? ranks->asked(ranks->ctx) : 0;
    zo_health h = s->p.health ? s->p.health(s->p.ctx) : (zo_health){0};
    s->mine[SPREAD_RETRIED] = (double)h.retried;
    s->mine[SPREAD_FAILURES] = (double)h.failures;
    s->mine[SPREAD_BAD] = s->bad;
    s->mine[SPREAD_WISH] = s->wish;
    s->retried = s->failures = 0;
    s->bad = 0;
    if (ranks->gather(ranks->ctx, s->mine, s->count, s->all)) {
        const char *why = ranks->why ? ranks->why(ranks->ctx) : NULL;
        snprintf(s->text, sizeof s->text,
                 why ? "%.0d%s" : "rank %d: the exchange with the other ranks failed",
                 why ? 0 : ranks->rank, why);
        return ZO_PROBLEM;
    }
    int asked = 0, failed = 0;
    for (int r = 0; r < ranks->size; r++) {
        if (!asked) asked = (int)s->all[s->at[r] + SPREAD_ASKED];
        failed |= s->all[s->at[r] + SPREAD_CODE] != 0;
        if (s->bad == 0) s->bad = s->all[s->at[r] + SPREAD_BAD];
        s->retried += (uint64_t)s->all[s->at[r] + SPREAD_RETRIED];
        s->failures += (uint64_t)s->all[s->at[r] + SPREAD_FAILURES];
    }
    if (asked && ranks->agreed) *ranks->agreed = asked;
    if (s->all[s->at[0] + SPREAD_WISH] != 0) s->granted = 1;
    return failed ? share_failure(s, code) : ZO_OK;
}

/* ---- Sums ---------------------------------------------------------------------------------------- */

void spread_present(zo_spread *s, const zo_fan *fan)
{
    size_t nodes = s->from[s->ranks.size];
    memset(s->present, fan->comp == NULL, nodes);
    for (size_t e = 0; fan->comp && e < fan->ncomp; e++)
        s->present[spread_node(s, fan->comp[e] / SUM_BLOCK)] = 1;
}

void spread_widths(zo_spread *s, size_t width)
{
    for (int r = 0; r < s->ranks.size; r++) {
        s->count[r] = SPREAD_HEAD;
        for (size_t k = s->from[r]; k < s->from[r + 1]; k++)
            s->count[r] += s->present[k] ? width : 0;
    }
}

/* Up the tree from the nodes of all ranks. total: the first row of the tree, when it is done. */
double *spread_climb(zo_spread *s, size_t width)
{
    sum_tree tree;
    double *total = s->tree + s->levels * width;
    sum_open(&tree, width, s->tree);
    for (int r = 0; r < s->ranks.size; r++) {
        const double *row = s->all + s->at[r] + SPREAD_HEAD;
        for (size_t k = s->from[r]; k < s->from[r + 1]; k++) {
            if (!s->present[k]) continue;
            memcpy(sum_leaf(&tree, s->node[k].first), row, width * sizeof *row);
            row += width;
        }
    }
    sum_close(&tree, total);
    return total;
}
