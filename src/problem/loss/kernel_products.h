/* Products of rows with bases and directions: a part of kernel_code.h.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_KERNEL_PRODUCTS_H
#define ZO_KERNEL_PRODUCTS_H

#include "base/lanes.h"
#include "problem/loss/kernel.h"

/* Products of a row with a group of directions in the making: 4 fixed_vectors chains, as wide as they go. */
typedef struct slopes {
    wide most[16 / LANES];
    v4 last; /* the last four where LANES is 8 and fixed_vectors odd */
} slopes;

/* s_l += a u_l */
LANES_INLINE void slopes_add(size_t fixed_vectors, double a, const double *u, slopes *s)
{
    const size_t whole = 4 * fixed_vectors / LANES;
    for (size_t v = 0; v < whole; v++)
        s->most[v] = fmaw(splatw(a), loadw(u + LANES * v), s->most[v]);
    if (4 * fixed_vectors % LANES) s->last = fma4(splat(a), load4(u + LANES * whole), s->last);
}

/* t_l = a_l, or more by that */
LANES_INLINE void slopes_put(size_t fixed_vectors, const slopes *a, int more, double *t)
{
    const size_t whole = 4 * fixed_vectors / LANES;
    for (size_t v = 0; v < whole; v++)
        storew(t + LANES * v, more ? loadw(t + LANES * v) + a->most[v] : a->most[v]);
    if (4 * fixed_vectors % LANES)
        store4(t + LANES * whole, more ? load4(t + LANES * whole) + a->last : a->last);
}

/* ---- Products with sparse rows ------------------------------------------------------------------ */

/* A product's order is fixed: entries of the row with even and with odd place in two chains, then their sum. */

LANES_INLINE void sparse_rows(size_t fixed_nbase, size_t fixed_vectors, const zo_data *z, piece *p,
                              const double *const base[2], const double *panel)
{
    const size_t width = 4 * fixed_vectors;
    const uint32_t *col = z->col;
    const double *val = z->val;
    if (!panel) panel = base[0]; /* no directions: nothing of it is read */
    for (size_t i = 0; i < p->count; i++) {
        uint64_t k = z->row[p->row[i]], end = z->row[p->row[i] + 1];
        if (fixed_nbase && p->picked && i + FETCHED < p->count) fetch_row(z, p->row[i + FETCHED]);
        slopes even = {0}, odd = {0};
        double m0[2] = {0}, m1[2] = {0};
        for (; k + 2 <= end; k += 2) {
            const double *u = panel + col[k] * width, *w = panel + col[k + 1] * width;
            slopes_add(fixed_vectors, val[k], u, &even);
            slopes_add(fixed_vectors, val[k + 1], w, &odd);
            for (size_t s = 0; s < fixed_nbase; s++) {
                m0[s] = fma1(val[k], base[s][col[k]], m0[s]);
                m1[s] = fma1(val[k + 1], base[s][col[k + 1]], m1[s]);
            }
        }
        if (k < end) {
            slopes_add(fixed_vectors, val[k], panel + col[k] * width, &even);
            for (size_t s = 0; s < fixed_nbase; s++) m0[s] = fma1(val[k], base[s][col[k]], m0[s]);
        }
        slopes_put(fixed_vectors, &even, 0, p->t + i * width);
        slopes_put(fixed_vectors, &odd, 1, p->t + i * width);
        for (size_t s = 0; s < fixed_nbase; s++) p->m[s][i] = m0[s] + m1[s];
    }
}

#define SPARSE_CASE(nbase, vectors)                                                                \
    case (nbase)*5 + (vectors): sparse_rows(nbase, vectors, z, p, base, panel); break;

static void sparse_packed(const zo_data *z, piece *p, size_t nbase, const double *const base[2],
                          size_t vectors, const double *panel)
{
    switch (nbase * 5 + vectors) {
        SPARSE_CASE(0, 1)
        SPARSE_CASE(0, 2)
        SPARSE_CASE(0, 3)
        SPARSE_CASE(0, 4)
        SPARSE_CASE(1, 0)
        SPARSE_CASE(1, 1)
        SPARSE_CASE(1, 2)
        SPARSE_CASE(1, 3)
        SPARSE_CASE(1, 4)
        SPARSE_CASE(2, 0)
        SPARSE_CASE(2, 1)
        SPARSE_CASE(2, 2)
        SPARSE_CASE(2, 3)
        SPARSE_CASE(2, 4)
    }
}

static double sparse_dot(const zo_data *z, uint64_t i, const double *u)
{
    uint64_t k = z->row[i], end = z->row[i + 1];
    double even = 0, odd = 0;
    for (; k + 2 <= end; k += 2) {
        even = fma1(z->val[k], u[z->col[k]], even);
        odd = fma1(z->val[k + 1], u[z->col[k + 1]], odd);
    }
    if (k < end) even = fma1(z->val[k], u[z->col[k]], even);
    return even + odd;
}

static void sparse(const zo_data *z, piece *p, size_t nbase, const double *const base[2],
                   const group *g)
{
    p->width = g->width;
    if (g->panel || g->width == 0) {
        sparse_packed(z, p, nbase, base, g->width / 4, g->panel);
        return;
    }
    if (nbase) sparse_packed(z, p, nbase, base, 0, NULL);
    size_t d = z->features;
    for (size_t i = 0; i < p->count; i++) {
        const double *dir = g->dir + i * g->step;
        double *t = p->t + i * g->width;
        for (size_t k = 0; k < g->count; k++) t[k] = sparse_dot(z, p->row[i], dir + k * d);
        for (size_t k = g->count; k < g->width; k++) t[k] = 0;
    }
}

/* to[j][0..4) = {u_0[j], .., u_3[j]} for j < 4: four rows of four, turned over. */
LANES_INLINE void turned(const double *const u[4], size_t j, double *to, size_t width)
{
    v4 a = load4(u[0] + j), b = load4(u[1] + j), c = load4(u[2] + j), e = load4(u[3] + j);
    v4 ab = SHUFFLE4(a, b, 0, 4, 2, 6), ba = SHUFFLE4(a, b, 1, 5, 3, 7),
       ce = SHUFFLE4(c, e, 0, 4, 2, 6), ec = SHUFFLE4(c, e, 1, 5, 3, 7);
    store4(to, SHUFFLE4(ab, ce, 0, 1, 4, 5));
    store4(to + width, SHUFFLE4(ba, ec, 0, 1, 4, 5));
    store4(to + 2 * width, SHUFFLE4(ab, ce, 2, 3, 6, 7));
    store4(to + 3 * width, SHUFFLE4(ba, ec, 2, 3, 6, 7));
}

/* panel[j][k] = u_k[j], zeros beyond count. Some columns of all directions at a time, so that what is written stays in
 * the first cache until its lines are full. */
static void pack(size_t features, size_t d, const group *g, double *panel)
{
    enum { SOME = 64 };
    static const double none[SOME];
    for (size_t from = 0, to; from < features; from = to) {
        to = features - from < SOME ? features : from + SOME;
        for (size_t k = 0; k < g->width; k += 4) {
            const double *u[4];
            for (size_t l = 0; l < 4; l++)
                u[l] = k + l < g->count ? g->dir + (k + l) * d + from : none;
            double *out = panel + from * g->width + k;
            size_t j = 0;
            for (; j + 4 <= to - from; j += 4) turned(u, j, out + j * g->width, g->width);
            for (; j < to - from; j++)
                for (size_t l = 0; l < 4; l++) out[j * g->width + l] = u[l][j];
        }
    }
}

/* ---- Products with full rows -------------------------------------------------------------------- */

/* Strips of DEEP columns, so that their part of the panel stays in the second cache, and in each strip TALL rows at a
 * time. A product's order is fixed: one chain in each strip, then the strips one after another. */
#if defined(__AVX512F__) /* twice the registers, and more */
#define DENSE_TALL 8
#else
#define DENSE_TALL 3
#endif
enum { TALL = DENSE_TALL };

LANES_INLINE void dense_tile(size_t fixed_rows, size_t fixed_vectors, const double *const *z,
                             const double *panel, size_t from, size_t to, double *t)
{
    const size_t width = 4 * fixed_vectors;
    slopes acc[TALL] = {0};
    for (size_t j = from; j < to; j++) {
        const double *u = panel + j * width;
        if (j % 8 == 0) /* the rows that come next, in time */
            for (size_t r = 0; r < fixed_rows; r++) __builtin_prefetch(z[TALL + r] + j);
        for (size_t r = 0; r < fixed_rows; r++) slopes_add(fixed_vectors, z[r][j], u, &acc[r]);
    }
    for (size_t r = 0; r < fixed_rows; r++)
        slopes_put(fixed_vectors, &acc[r], from > 0, t + r * width);
}

/* One row with a few directions as the fan has them, LANES of its strips side by side: a chain alone waits for itself,
 * and a panel pays where several rows read it. */
LANES_INLINE void dense_bare(size_t fixed_count, size_t features, const double *z, const double *u,
                             double *t)
{
    for (size_t from = 0; from < features; from += LANES * DEEP) {
        double acc[2][LANES] = {{0}};
        for (size_t k = from; k < from + DEEP && k < features; k++)
            for (size_t s = 0, j = k; s < LANES && j < features; s++, j += DEEP)
                for (size_t l = 0; l < fixed_count; l++)
                    acc[l][s] = fma1(z[j], u[l * features + j], acc[l][s]);
        for (size_t l = 0; l < fixed_count; l++)
            for (size_t s = 0; s < LANES && from + s * DEEP < features; s++)
                t[l] = from + s ? t[l] + acc[l][s] : acc[l][s];
    }
}

#define DENSE_CASE(rows, vectors)                                                                  \
    case (rows)*5 + (vectors):                                                                     \
        dense_tile(rows, vectors, z, panel, from, to, t);                                          \
        break;
#define DENSE_CASES(rows)                                                                          \
    DENSE_CASE(rows, 1) DENSE_CASE(rows, 2) DENSE_CASE(rows, 3) DENSE_CASE(rows, 4)

static void dense_any(size_t rows, size_t vectors, const double *const *z, const double *panel,
                      size_t from, size_t to, double *t)
{
    switch (rows * 5 + vectors) {
        DENSE_CASES(1)
        DENSE_CASES(2)
        DENSE_CASES(3)
#if DENSE_TALL == 8
        DENSE_CASES(4)
        DENSE_CASES(5)
        DENSE_CASES(6)
        DENSE_CASES(7)
        DENSE_CASES(8)
#endif
    }
}

static void dense_one(size_t features, const double *z, const group *g, double *t)
{
    size_t k = 0;
    for (; k + 2 <= g->count; k += 2) dense_bare(2, features, z, g->dir + k * features, t + k);
    if (k < g->count) dense_bare(1, features, z, g->dir + k * features, t + k);
    for (k = g->count; k < g->width; k++) t[k] = 0;
}

/* z'u over columns [from, to): sixteen chains, and one for what is left over. */
static double dense_dot(const double *z, const double *u, size_t from, size_t to)
{
    v4 acc[4] = {{0}};
    double last = 0;
    size_t j = from;
    for (; j + 16 <= to; j += 16)
        for (size_t v = 0; v < 4; v++)
            acc[v] = fma4(load4(z + j + 4 * v), load4(u + j + 4 * v), acc[v]);
    for (; j < to; j++) last = fma1(z[j], u[j], last);
    return total4((acc[0] + acc[1]) + (acc[2] + acc[3])) + last;
}

LANES_INLINE int are_zero(size_t vectors, const double *u)
{
    u4 any = (u4)load4(u);
    for (size_t v = 1; v < vectors; v++) any |= (u4)load4(u + 4 * v);
    return !(any[0] | any[1] | any[2] | any[3]);
}

/* The same number where u is 0 for the most part: what is added there is 0, and the row need not be read. */
static double dense_dot_some(const double *z, const double *u, size_t to)
{
    v4 acc[4] = {{0}};
    double last = 0;
    size_t j = 0;
    for (; j + 16 <= to; j += 16) {
        if (are_zero(4, u + j)) continue;
        for (size_t v = 0; v < 4; v++)
            acc[v] = fma4(load4(z + j + 4 * v), load4(u + j + 4 * v), acc[v]);
    }
    for (; j < to; j++) last = fma1(z[j], u[j], last);
    return total4((acc[0] + acc[1]) + (acc[2] + acc[3])) + last;
}

/* Number j of a dot goes to chain j % chains, those behind the last whole round to one more. */
LANES_INLINE void listed_some(size_t fixed_nbase, size_t d, const zo_sparse *u,
                              const double *const base[2], double out[3])
{
    double acc[3][9] = {{0}};
    for (size_t k = 0; k < u->count; k++) {
        size_t j = u->place[k], chain = j < d / 8 * 8 ? j % 8 : 8;
        double v = u->value[k];
        acc[0][chain] = fma1(v, v, acc[0][chain]);
        for (size_t b = 0; b < fixed_nbase; b++)
            acc[1 + b][chain] = fma1(v, base[b][j], acc[1 + b][chain]);
    }
    for (size_t b = 0; b <= fixed_nbase; b++)
        out[b] = total4(load4(acc[b]) + load4(acc[b] + 4)) + acc[b][8];
}

/* Fans have one base or two. */
static void dots_listed(size_t d, const zo_sparse *u, size_t nbase, const double *const base[2],
                        double out[3])
{
    if (nbase == 1)
        listed_some(1, d, u, base, out);
    else
        listed_some(2, d, u, base, out);
}

static double dot_listed(size_t d, const zo_sparse *u, const double *z)
{
    double acc[16] = {0}, last = 0;
    for (size_t k = 0; k < u->count; k++) {
        size_t j = u->place[k];
        double *to = j < d / 16 * 16 ? acc + j % 16 : &last;
        *to = fma1(z[j], u->value[k], *to);
    }
    return total4((load4(acc) + load4(acc + 4)) + (load4(acc + 8) + load4(acc + 12))) + last;
}

static void dense_strip(const zo_data *z, piece *p, size_t nbase, const double *const base[2],
                        const group *g, int alone, size_t from, size_t to)
{
    for (size_t i = 0, rows; i < p->count; i += rows) {
        const double *row[2 * TALL]; /* and those after them */
        rows = p->count - i < TALL ? p->count - i : TALL;
        for (size_t r = 0; r < rows; r++) {
            row[r] = z->dense + p->row[i + r] * z->features;
            row[TALL + r] =
                i + TALL + r < p->count ? z->dense + p->row[i + TALL + r] * z->features : row[r];
            for (size_t b = 0; b < nbase; b++) {
                double part = dense_dot(row[r], base[b], from, to);
                p->m[b][i + r] = from ? p->m[b][i + r] + part : part;
            }
        }
        if (g->panel && !alone)
            dense_any(rows, g->width / 4, row, g->panel, from, to, p->t + i * g->width);
    }
}

static void dense(const zo_data *z, piece *p, size_t nbase, const double *const base[2],
                  const group *g)
{
    int own = g->step > 0, alone = dense_alone(p->count, z->features) && !own;
    p->width = g->width;
    for (size_t from = 0, to; from < z->features; from = to) {
        to = from + DEEP < z->features ? from + DEEP : z->features;
        dense_strip(z, p, nbase, base, g, alone, from, to);
    }
    if (alone) dense_one(z->features, z->dense + p->row[0] * z->features, g, p->t);
    for (size_t i = 0; i < p->count && own; i++)
        for (size_t k = 0; k < g->width; k++) {
            const double *row = z->dense + p->row[i] * z->features,
                         *u = g->dir + i * g->step + k * z->features;
            double *t = p->t + i * g->width + k;
            if (k == 0 && g->sparse && g->sparse[i].count)
                *t = dot_listed(z->features, &g->sparse[i], row);
            else
                *t = k < g->count ? dense_dot_some(row, u, z->features) : 0;
        }
}

#endif
