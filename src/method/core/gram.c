/* Sums over components of squares of rows.
 * SPDX-License-Identifier: MIT */
#include "method/core/gram.h"

#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/vec.h"

typedef double pair __attribute__((vector_size(16)));

/* v to a multiple of 2^-51, |v| <= 1: 3 + v has no smaller digits. */
static double on_grid(double v) { return (v + 3) - 3; }
static pair both_on_grid(pair v) { return (v + 3) - 3; }

enum { STRIP = 64 }; /* entries of a sparse row that are scaled at once */

/* Row j of the triangle, so shifted that entry k is at k >= j. */
static double *triangle_row(const gram *g, size_t j)
{
    return g->leaf + j * (2 * g->m->d - j - 1) / 2;
}

/* Entries from, ... of a sparse row with those behind them, scaled. */
static void add_strip(gram *g, double w, size_t from, size_t count, const double *row,
                      const uint32_t *place)
{
    double scaled[STRIP];
    size_t some = count - from < STRIP ? count - from : STRIP;
    for (size_t e = 0; e < some; e++) scaled[e] = row[from + e] * g->scale[place[from + e]];
    for (size_t k = 0; k < from + some; k++) {
        double *to = triangle_row(g, place[k]), by = w * (row[k] * g->scale[place[k]]);
        size_t e = k > from ? k - from : 0;
        for (; e + 2 <= some; e += 2) {
            pair v;
            memcpy(&v, scaled + e, sizeof v);
            v = both_on_grid(by * v);
            to[place[from + e]] += v[0];
            to[place[from + e + 1]] += v[1];
        }
        if (e < some) to[place[from + e]] += on_grid(by * scaled[e]);
    }
}

static void add_sparse(gram *g, double w, size_t count, const double *row, const uint32_t *place)
{
    for (size_t from = 0; from < count; from += STRIP) add_strip(g, w, from, count, row, place);
}

/* The rows that wait, of one sign: one product of matrices. */
static void flush(gram *g, int sign)
{
    size_t d = g->m->d;
    if (!g->held[sign]) return;
    dense_square(d, g->held[sign], sign ? -1 : 1, g->block + (sign ? SUM_BLOCK * d : 0),
                 DENSE_UPPER, 1, g->full, d);
    g->held[sign] = 0;
    for (size_t j = 0; j < d; j++) {
        double *to = triangle_row(g, j), by = g->scale[j];
        for (size_t k = j; k < d; k++) to[k] += on_grid(g->full[j * d + k] * by * g->scale[k]);
    }
}

void gram_add(gram *g, double w, size_t count, const double *row, const uint32_t *place)
{
    size_t d = g->m->d;
    int sign = w < 0;
    if (!g->known) {
        for (size_t k = 0; k < count; k++)
            g->leaf[place ? place[k] : k] += fabs(w) * row[k] * row[k];
    } else if (place) {
        add_sparse(g, w, count, row, place);
    } else {
        if (g->held[sign] == SUM_BLOCK) flush(g, sign);
        double *to = g->block + ((sign ? SUM_BLOCK : 0) + g->held[sign]++) * d,
               root = sqrt(fabs(w));
        for (size_t j = 0; j < d; j++) to[j] = root * row[j];
    }
}

/* 1/p_j, p_j a power of two above sqrt(D_jj), twice that at least: D_jj is rounded too. */
static void find_scales(gram *g, const double *diagonal)
{
    for (size_t j = 0; j < g->m->d; j++) {
        int exponent = 0;
        frexp(2 * sqrt(diagonal[j]), &exponent);
        g->scale[j] = ldexp(1, -exponent);
    }
}

/* From rows of the triangle, one behind the other, to a matrix: the last first, none is overwritten before it was read; and to the
 * scale of the rows. */
static void unpack(const gram *g)
{
    size_t d = g->m->d;
    for (size_t j = d, at = d * (d + 1) / 2; j-- > 0;) {
        double *to = g->full + j * d, by = 1 / g->scale[j];
        at -= d - j;
        memmove(to + j, g->full + at, (d - j) * sizeof *to);
        for (size_t k = j; k < d; k++) to[k] *= by / g->scale[k];
    }
}

typedef struct visiting {
    const gram *g;
    gram_visit visit;
    void *ctx;
    unsigned char used[METHOD_PARTS]; /* triangles that something was added to */
} visiting;

static void visit_blocks(const visiting *v, size_t from, size_t to, double *leaf, size_t step)
{
    gram mine = *v->g;
    mine.leaf = leaf;
    for (size_t k = from; k < to; k++, mine.leaf += step)
        v->visit(v->ctx, &mine, block_first(mine.m, k), block_end(mine.m, k));
}

static void fill_diagonals(void *ctx, size_t from, size_t to, double *leaves)
{
    const visiting *v = ctx;
    visit_blocks(v, from, to, leaves, v->g->m->d);
}

static void add_squares(void *ctx, size_t part, size_t from, size_t to)
{
    visiting *v = ctx;
    size_t numbers = v->g->m->d * (v->g->m->d + 1) / 2;
    double *mine = v->g->tree + (1 + part) * numbers;
    if (!v->used[part]) vec_zero(numbers, mine);
    v->used[part] = 1;
    visit_blocks(v, from, to, mine, 0);
}

/* Triangles for everybody, behind the one they are added to. */
static int has_triangles(const gram *g)
{
    return g->at_once && g->m->helpers.share && !g->m->together &&
           sum_levels(g->m->n) > METHOD_PARTS;
}

enum { TOUCHED = 64 * SUM_BLOCK }; /* numbers, by the rows of a block, about */

/* The sum is exact: it does not matter who adds what. */
static void add_at_once(gram *g, visiting *v)
{
    size_t numbers = g->m->d * (g->m->d + 1) / 2;
    method_share(g->m, method_blocks(g->m), TOUCHED, add_squares, v);
    for (size_t k = 0; k < METHOD_PARTS; k++)
        if (v->used[k]) vec_add(numbers, 1, g->tree + (1 + k) * numbers, g->leaf);
}

/* D: one leaf for a block, as every sum. */
static void sum_diagonal(gram *g, gram_visit visit, void *ctx)
{
    const method *m = g->m;
    method_total sum;
    g->known = 0;
    if (g->at_once) {
        block_sum all = {.width = m->d,
                         .numbers = TOUCHED,
                         .tree = g->tree,
                         .leaves = g->block,
                         .room = 2 * SUM_BLOCK * m->d,
                         .fill = fill_diagonals,
                         .ctx = &(visiting){.g = g, .visit = visit, .ctx = ctx}};
        method_sum_blocks(m, &all, g->block);
    } else {
        total_open(&sum, m, m->d, g->tree);
        for (size_t k = 0; k < method_blocks(m); k++) {
            g->leaf = total_leaf(&sum, block_first(m, k));
            visit(ctx, g, block_first(m, k), block_end(m, k));
        }
        total_close(&sum, g->block);
    }
    find_scales(g, g->block);
}

void gram_sum(gram *g, gram_visit visit, void *ctx)
{
    const method *m = g->m;
    method_total sum;
    sum_diagonal(g, visit, ctx);
    g->known = 1;
    g->held[0] = g->held[1] = 0;
    total_open(&sum, m, m->d * (m->d + 1) / 2, g->tree);
    for (uint64_t i = 0; i < m->n; i += SUM_BLOCK) /* one leaf for a rank, of its first block */
        if (i == 0 || !method_same(m, i - 1, i)) total_expect(&sum, i);
    if (m->count) g->leaf = total_leaf(&sum, m->first);
    if (has_triangles(g)) add_at_once(g, &(visiting){.g = g, .visit = visit, .ctx = ctx});
    for (size_t k = 0; k < method_blocks(m) && !has_triangles(g); k++) {
        visit(ctx, g, block_first(m, k), block_end(m, k));
        flush(g, 0);
        flush(g, 1);
    }
    total_close(&sum, g->full);
    unpack(g);
}
