/* The fence within its files. fence.h says what it is.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_FENCE_PARTS_H
#define ZO_FENCE_PARTS_H

#include "prox/region.h"
#include "solve/fence.h"
#include "solve/fence_line.h"

enum { PLAIN, MOVED, LISTED, PAIRED }; /* how what is asked differs from the fan */

/* f(x + p) = base f(x) + sum_k c_k a_k of answers a: as a recipe, where more than a box is kept. */
typedef struct mix {
    size_t count;
    double base, c[6];
    size_t at[6];
} mix;

struct fence {
    box box;
    double *bounds; /* 2 d */
    const struct zo_together *together;
    int how;
    zo_fan of, fan; /* what the method asked, and what is asked instead */
    double value;   /* mean f(base), where the method has told it */
    double (*each)(const method *m, uint64_t i); /* f_i(base), likewise; or NULL */
    const method *m;
    double shrunk;   /* MOVED: radius over that of the method */
    double *base;    /* 2 d */
    double *point;   /* d */
    recipe *recipes; /* one for each point but bases: of the fan, with own of each entry */
    uint32_t *axis;
    double *radii, *rows, *answers;
    uint64_t *comp;
    size_t *counts;       /* PAIRED: evaluations of each entry */
    unsigned char *marks; /* 2 n, with ranks: what is heard of them */
    size_t ncounts, nrecipes, naxis, nradii, nrows, nanswers, ncomp;
    size_t zero;    /* LISTED: where f(base) comes, or SIZE_MAX */
    region *region; /* NULL: the box is all that is kept */
    mix *mixes;     /* in place of recipes */
    size_t nmixes;
    double *spare; /* 3 d */
};

/* ---- fence_points.c: points of a question ---------------------------------------------------------- */

static inline size_t fence_axis(const zo_fan *fan, size_t k)
{
    return fan->axis ? fan->axis[k] : k;
}
/* Differences over so much at x are for slopes alone. */
int fence_is_fine(const fence *f, const double *x, double reach);
/* p = a point of the fan, less its base; */
void fence_displacement(fence *f, size_t entry, size_t point, double *p);
/* and what it is made of, within bounds. */
recipe fence_recipe(fence *f, size_t entry, size_t point);
/* Its value, of answers a and f(base). */
double fence_mix(const recipe *r, const double *a, double base);

/* ---- fence_pairs.c: the question in pairs of a component and a point ---------------------------- */

/* 0: out of memory. */
int fence_pair(fence *f, int *changed); /* *changed: some point was outside */
void fence_tell_paired(fence *f, const double *answers);

/* ---- fence_region.c: within a set that is more than a box ---------------------------------------- */

/* What is asked instead, of all components alike. 0: out of memory. */
int fence_into(fence *f, int may_move);
/* The points of an entry as rows (or NULL: only counted), and mixes that say what of; how many there are. *wants: f_i(base)
 * too; *changed: 1 where they are not what was asked. */
size_t fence_entry_into(fence *f, size_t entry, double *rows, int *wants, int *changed);
double mix_of(const mix *m, const double *a, double base);

#endif
