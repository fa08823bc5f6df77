/* inq: own directions, whole or short, for the files that use them as such.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_COMPONENT_ROW_H
#define ZO_METHOD_COMPONENT_ROW_H

#include <stdatomic.h>

#include "base/dense.h"
#include "method/core/gram.h"
#include "method/component/state.h"

enum { AHEAD = 6 }; /* rows are fetched so many components before they are needed */
enum { SOON = 24 }; /* and numbers of components that are taken in a random order */

/* u_i = J - mu z of the difference gradient J in the answers, normalised; returns what its length was. */
double inq_learn_row(inq *s, uint64_t i, const double *answers);
double inq_take_row(inq *s, uint64_t i, const double *slope); /* whole, of these slopes */
/* The same of a gradient that was recovered. */
double inq_put_row(inq *s, uint64_t i, const recovered *g);
void inq_row_put(const inq *s, uint64_t i, double scale, double *to); /* to = scale u_i */
/* s->own's row e = scale u_i, and s->list_of[e]. */
void inq_row_show(const inq *s, uint64_t i, double scale, size_t e);
/* What its gradient by differences over r at a point may be off by: rounding, what is left of the forward error, and in a short
 * row what counted as 0; far = |x|. */
double inq_row_error(const inq *s, uint64_t i, double r, double far, double f, double bend);
/* A slope of nothing but forward error over r is at most so many times r and the bend along u_i. */
double inq_row_bent(const inq *s, uint64_t i);
void inq_row_square(const inq *s, uint64_t i, double weight, gram *g); /* g += weight u_i u_i' */
/* u_i = scale u_i + more z, where it is not 0, normalised; returns what its length was. */
double inq_row_change(inq *s, uint64_t i, double scale, double more, const double *z);
/* u_i = size u_i less the error of forward differences, normalised; the same. */
double inq_row_unbias(inq *s, uint64_t i, double radius, double size, double bend);
/* As it is kept, in at most d + 1 numbers; and one that is the same, bit for bit. */
void inq_row_pack(const inq *s, uint64_t i, double *to);
void inq_row_unpack(inq *s, uint64_t i, const double *from);
int inq_rows_whole(const inq *s, uint64_t first, size_t count); /* do all of them have d numbers? */
int inq_widen(inq *s);                                          /* now all have; 0: no room */
/* Will the rows of all components fit, if they are as those of the sample? */
int inq_rows_fit(inq *s);

/* Sums of squares of rows go into full; work, block and tree are in use meanwhile. */
static inline gram inq_gram(const inq *s)
{
    return (gram){
        .m = &s->base, .tree = s->tree, .block = s->block, .scale = s->work, .full = s->full};
}

/* A short row: at most so many numbers that are not 0, and behind them their coordinates. In factor form it is in the pool; else on
 * the shelf of its block, so that rows that are gone through in their order share lines and pages, or where that is full where a
 * whole one would be. */
static inline size_t inq_few(const inq *s) { return s->base.d / SPARSE_PART; }
static inline size_t inq_short_size(size_t kept) { return kept + (kept + 1) / 2; }
static inline size_t inq_kept(const inq *s, uint64_t i) { return (size_t)s->kept[inq_at(s, i)]; }
/* The first component of i's block, among mine: blocks are not cut. */
static inline size_t inq_block(const inq *s, uint64_t i)
{
    return inq_at(s, i) / SUM_BLOCK * SUM_BLOCK;
}
static inline double *inq_shelf(const inq *s, uint64_t i)
{
    return s->shelves + inq_block(s, i) * s->depth;
}
/* So many numbers, and what is left of their last line of the cache. */
static inline size_t inq_lines(size_t numbers) { return (numbers + 7) / 8 * 8; }
/* Numbers that there is room for on it. */
static inline size_t inq_shelf_size(const inq *s, uint64_t i)
{
    size_t first = inq_block(s, i), left = s->base.count - first;
    return (left < SUM_BLOCK ? left : SUM_BLOCK) * s->depth;
}
static inline double *inq_short(const inq *s, uint64_t i)
{
    if (s->pool) return s->pool + s->slot[i];
    uint32_t at = s->shelf[inq_at(s, i)].at;
    return at == IN_ROWS ? inq_row(s, i) : inq_shelf(s, i) + at;
}
static inline uint32_t *inq_behind(const double *row, size_t kept)
{
    return (uint32_t *)(row + kept);
}
static inline uint32_t *inq_places(const inq *s, uint64_t i)
{
    return inq_behind(inq_short(s, i), inq_kept(s, i));
}
static inline int inq_is_short(const inq *s, uint64_t i) { return inq_kept(s, i) <= inq_few(s); }
/* Rows are far apart in memory: one that is needed a little later is fetched. One that is not there yet will be put on its
 * shelf, most likely. */
static inline void inq_fetch_new(const inq *s, uint64_t i)
{
    const shelf_place *first = &s->shelf[inq_block(s, i)];
    vec_fetch(s->depth, inq_shelf(s, i) + atomic_load_explicit(&first->end, memory_order_relaxed));
    __builtin_prefetch(&s->shelf[inq_at(s, i)], 1);
    __builtin_prefetch(&s->kept[inq_at(s, i)], 1);
}
static inline void inq_fetch_curve(const inq *s, uint64_t i)
{
    const double *numbers = &inq_curve(s, i)->at;
    __builtin_prefetch(numbers, 1);
    __builtin_prefetch(numbers + 8, 1);
}
/* Where its row is, which has to be known before that is fetched. */
static inline void inq_fetch_place(const inq *s, uint64_t i)
{
    __builtin_prefetch(&s->kept[inq_at(s, i)]);
    if (s->shelf) __builtin_prefetch(&s->shelf[inq_at(s, i)]);
}
static inline void inq_fetch(const inq *s, uint64_t i)
{
    size_t kept = inq_kept(s, i);
    if (kept <= inq_few(s))
        vec_fetch(inq_short_size(kept), inq_short(s, i));
    else
        vec_fetch(kept, inq_row(s, i));
}
/* The next of a question's entries, from e on, that is of my components; 0: there is none. */
static inline int inq_entry(const inq *s, const zo_fan *fan, size_t *e, uint64_t *i)
{
    for (; *e < fan->ncomp; ++*e) {
        *i = fan->comp ? fan->comp[*e] : *e;
        if (!method_mine(&s->base, *i)) continue;
        size_t later = *e + AHEAD;
        if (fan->comp && later < fan->ncomp && method_mine(&s->base, fan->comp[later]))
            inq_fetch(s, fan->comp[later]);
        return 1;
    }
    return 0;
}

/* ---- What every pass over the sample does with a row --------------------------------------------------- */

/* A row as it is kept: count numbers, at these places or, NULL, at all. */
typedef struct own_row {
    size_t count;
    double *u;
    uint32_t *place;
} own_row;

static inline own_row row_of(const inq *s, uint64_t i)
{
    size_t kept = inq_kept(s, i);
    if (kept > inq_few(s)) return (own_row){kept, inq_row(s, i), NULL};
    return (own_row){kept, inq_short(s, i), inq_places(s, i)};
}

/* u_i'x */
static inline double inq_row_dot(const inq *s, uint64_t i, const double *x)
{
    own_row r = row_of(s, i);
    if (!r.place) return vec_dot(r.count, r.u, x);
    double even = 0, odd = 0;
    size_t pairs = r.count / 2 * 2;
    for (size_t k = 0; k < pairs; k += 2) {
        even += r.u[k] * x[r.place[k]];
        odd += r.u[k + 1] * x[r.place[k + 1]];
    }
    if (pairs < r.count) even += r.u[pairs] * x[r.place[pairs]];
    return even + odd;
}

/* to += scale u_i */
static inline void inq_row_add(const inq *s, uint64_t i, double scale, double *to)
{
    own_row r = row_of(s, i);
    if (!r.place) {
        dense_add(r.count, scale, r.u, to);
        return;
    }
    size_t pairs = r.count / 2 * 2;
    for (size_t k = 0; k < pairs; k += 2) {
        to[r.place[k]] += scale * r.u[k];
        to[r.place[k + 1]] += scale * r.u[k + 1];
    }
    if (pairs < r.count) to[r.place[pairs]] += scale * r.u[pairs];
}

#endif
