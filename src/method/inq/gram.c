/* inq: sums over components of squares of rows, d x d numbers.
 * SPDX-License-Identifier: MIT
 *
 *     sum_i +- R_i'R_i    over the components that are marked, R_i a few rows of d numbers
 *
 * goes along the tree of base/sum.h. A leaf is a run of blocks that holds no more than d + 1 rows, or one block: one
 * product of matrices, worth the d(d + 1)/2 additions that the tree makes of it. Where the components that are marked in a
 * leaf live on several ranks, their rows are fetched, no more numbers than two sums have, and the first of these ranks adds it.
 *
 * Short rows (row.c) are squared one by one, number by number, from where they are; a leaf of these alone may hold four
 * blocks, because d(d + 1)/2 additions are much beside so little work. */
#include <string.h>

#include "base/dense.h"
#include "base/vec.h"
#include "method/inq/row.h"

enum { MOST_ROWS = SUM_BLOCK };      /* in a product, of each sign */
enum { MOST_SHORT = 4 * SUM_BLOCK }; /* in a leaf of several blocks */

typedef struct gram {
    inq *s;
    inq_rows rows;
    size_t most;     /* rows of a component, at most */
    size_t width;    /* numbers in which ranks tell each other of a component */
    uint64_t large;  /* components that are too many for a leaf of several blocks */
    uint64_t blocks; /* in all */
    method_total sum;
    double *leaf;    /* of the sum, once this leaf has a square */
    size_t up, down; /* rows in block that wait for a product */
    int begun;       /* 1: full holds the first of this leaf */
} gram;

/* Numbers, and behind them coordinates. */
static size_t short_width(size_t kept) { return kept + (kept + 1) / 2; }

static size_t triangle(size_t d) { return d * (d + 1) / 2; }

static uint64_t end_of(const gram *g, uint64_t block)
{
    return block < g->blocks ? block * SUM_BLOCK : g->s->base.n;
}

/* ---- One leaf ---------------------------------------------------------------------------------------- */

/* Its upper triangle, row by row. */
static double *leaf_of(gram *g, uint64_t i)
{
    if (!g->leaf) g->leaf = total_leaf(&g->sum, i);
    return g->leaf;
}

/* leaf += weight u u', u has count numbers that are not 0, at these places. */
static void square(size_t d, double weight, size_t count, const double *u, const uint32_t *place,
                   double *leaf)
{
    for (size_t k = 0; k < count; k++) {
        size_t j = place[k];
        double *row = leaf + j * (2 * d - j - 1) / 2,
               by = weight * u[k]; /* row[j] is on the diagonal */
        for (size_t e = k; e < count; e++) row[place[e]] += by * u[e];
    }
}

static void multiply(gram *g, double sign, size_t count, const double *rows)
{
    size_t d = g->s->base.d;
    if (!count) return;
    dense_square(d, count, sign, rows, DENSE_UPPER, !g->begun, g->s->full, d);
    g->begun = 1;
}

static void flush(gram *g)
{
    multiply(g, 1, g->up, g->s->block);
    multiply(g, -1, g->down, g->s->block + MOST_ROWS * g->s->base.d);
    g->up = g->down = 0;
}

/* Where the next rows of a component are to be written. */
static double *next_rows(gram *g, int mark)
{
    size_t d = g->s->base.d;
    if (g->up + g->most > MOST_ROWS || g->down + g->most > MOST_ROWS) flush(g);
    return g->s->block + (mark == ADDED ? g->up : MOST_ROWS + g->down) * d;
}

/* So many have been written there. */
static void keep_rows(gram *g, int mark, size_t count)
{
    *(mark == ADDED ? &g->up : &g->down) += count;
}

/* All of its components have been here: full goes into the tree. */
static void end_leaf(gram *g, uint64_t i)
{
    size_t d = g->s->base.d;
    flush(g);
    if (g->begun) {
        double *leaf = leaf_of(g, i);
        for (size_t j = 0; j < d; j++) {
            vec_add(d - j, 1, g->s->full + j * d + j, leaf);
            leaf += d - j;
        }
    }
    g->begun = 0;
    g->leaf = NULL;
}

/* Of my components. */
static void add_mine(gram *g, uint64_t first, uint64_t last)
{
    const inq *s = g->s;
    for (uint64_t i = first; i <= last; i++) {
        int mark = s->marks[i];
        if (i + AHEAD <= last && s->marks[i + AHEAD] & SHORT_ROW) inq_fetch(s, i + AHEAD);
        if (mark & SHORT_ROW)
            square(s->base.d, inq_change(s, i), inq_kept(s, i), inq_short(s, i), inq_places(s, i),
                   leaf_of(g, first));
        else if (mark)
            keep_rows(g, mark, g->rows(s, i, next_rows(g, mark)));
    }
    end_leaf(g, first);
}

/* What other ranks are told of component i: its number of rows and these, or of a short one the number of its numbers, its
 * weight, and the row. */
static void write_rows(const gram *g, uint64_t i, double *to)
{
    const inq *s = g->s;
    if (s->marks[i] & SHORT_ROW) {
        to[0] = s->kept[inq_at(s, i)];
        to[1] = inq_change(s, i);
        memcpy(to + 2, inq_short(s, i), short_width(inq_kept(s, i)) * sizeof *to);
    } else {
        to[0] = (double)g->rows(s, i, to + 1);
    }
}

static void read_rows(gram *g, uint64_t first, int mark, const double *from)
{
    size_t d = g->s->base.d, count = (size_t)from[0];
    if (mark & SHORT_ROW) {
        square(d, from[1], count, from + 2, inq_behind(from + 2, count), leaf_of(g, first));
    } else {
        vec_copy(count * d, from + 1, next_rows(g, mark));
        keep_rows(g, mark, count);
    }
}

/* Of components of several ranks. */
static void add_fetched(gram *g, uint64_t first, uint64_t last)
{
    inq *s = g->s;
    size_t count = 0;
    for (uint64_t i = first; i <= last; i++) {
        if (!s->marks[i]) continue;
        if (method_mine(&s->base, i)) write_rows(g, i, s->dir + count * g->width);
        s->comp[count++] = i;
    }
    method_rows(&s->base, count, s->comp, g->width, s->dir);
    if (!method_mine(&s->base, first)) return;
    for (size_t e = 0; e < count; e++)
        read_rows(g, first, s->marks[s->comp[e]], s->dir + e * g->width);
    end_leaf(g, first);
}

/* ---- The tree ---------------------------------------------------------------------------------------- */

static void add_leaf(gram *g, uint64_t block, uint64_t end)
{
    const inq *s = g->s;
    uint64_t first = block * SUM_BLOCK, last = end_of(g, end) - 1;
    while (!s->marks[first]) first++;
    while (!s->marks[last]) last--;
    total_expect(&g->sum, first);
    if (!method_same(&s->base, first, last))
        add_fetched(g, first, last);
    else if (method_mine(&s->base, first))
        add_mine(g, first, last);
}

/* The node of size blocks from block on. */
static void visit(gram *g, uint64_t block, uint64_t size)
{
    uint64_t end = block + size < g->blocks ? block + size : g->blocks;
    if (block >= g->blocks || g->s->upto[end] == g->s->upto[block]) return;
    if (size == 1 || g->s->upto[end] - g->s->upto[block] <= g->large) {
        add_leaf(g, block, end);
        return;
    }
    visit(g, block, size / 2);
    visit(g, block + size / 2, size / 2);
}

/* upto; returns how many of the rows are short. */
static uint64_t count_marks(gram *g)
{
    const inq *s = g->s;
    uint64_t narrow = 0;
    s->upto[0] = 0;
    for (uint64_t b = 0; b < g->blocks; b++) {
        uint64_t count = 0;
        for (uint64_t i = b * SUM_BLOCK; i < end_of(g, b + 1); i++) {
            count += s->marks[i] != LEFT_OUT;
            narrow += s->marks[i] >= SHORT_ROW;
        }
        s->upto[b + 1] = s->upto[b] + count;
    }
    return narrow;
}

/* How many components a leaf of several blocks may hold, and how many numbers are fetched for each: dir has room for
 * SPREAD d. */
static void size_leaves(gram *g, int narrow)
{
    size_t d = g->s->base.d,
           rows = narrow ? SPREAD * d / (2 + short_width(inq_few(g->s))) : (d + 1) / g->most;
    size_t most = narrow ? MOST_SHORT : MOST_ROWS / g->most;
    g->width = narrow ? 2 + short_width(inq_few(g->s)) : 1 + g->most * d;
    g->large = rows < 1 ? 1 : rows < most ? rows : most;
}

/* From rows of the triangle, one behind the other, to a matrix: the last first, none is overwritten before it was read. */
static void unpack(size_t d, double *full)
{
    for (size_t j = d, at = triangle(d); j-- > 0;) {
        at -= d - j;
        memmove(full + j * d + j, full + at, (d - j) * sizeof *full);
    }
}

void inq_gram(inq *s, inq_rows rows, size_t most)
{
    size_t d = s->base.d;
    gram g = {
        .s = s, .rows = rows, .most = most, .blocks = (s->base.n + SUM_BLOCK - 1) / SUM_BLOCK};
    uint64_t size = 1;
    method_marks(&s->base, s->mark, s->marks);
    uint64_t narrow = count_marks(&g);
    size_leaves(&g, narrow == s->upto[g.blocks]);
    if (s->upto[g.blocks] == 0) {
        vec_zero(d * d, s->full);
        return;
    }
    while (size < g.blocks) size *= 2;
    total_open(&g.sum, &s->base, triangle(d), s->tree);
    visit(&g, 0, size);
    total_close(&g.sum, s->full);
    unpack(d, s->full);
}
