/* The inner loops behind the built-in problems, and the scratch they work in.
 * SPDX-License-Identifier: MIT
 *
 * A fan is answered piece by piece: up to PIECE entries of comp, and up to GROUP directions at a time. For a linear
 * model the margin m = z'base and the slope t = z'u of an entry give every point of the line: m + r t. The loops are
 * compiled for more than one instruction set (kernel_code.h) and chosen at run time. */
#ifndef ZO_KERNEL_H
#define ZO_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/sum.h"
#include "data/data.h"
#include "problem/model.h"

enum { PIECE = SUM_BLOCK, GROUP = 16, STRIP = 256 };
enum { SOFTMAX_ROWS = 7 }; /* rows of classes numbers in a thread's scratch */

/* Some entries of comp and what is known about them. */
typedef struct piece {
    size_t count;            /* entries, at most PIECE */
    size_t first;            /* number of the first entry in comp, where entries follow each other (each) */
    size_t width;            /* lanes of the group of directions at hand: 4, 8, 12 or 16 */
    uint64_t row[PIECE];     /* component */
    double y[PIECE];         /* target */
    double m[2][PIECE];      /* z'base */
    double f[2][PIECE];      /* loss at the bases */
    double peak[2][PIECE];   /* logistic: max(-y m, 0) at the bases */
    double rest[2];          /* logistic: log of the product of 1 + exp(-|m|) over the piece */
    double t[PIECE * GROUP]; /* z'u: width numbers for each entry */
    double v[STRIP];         /* losses along a row */
    double strip[STRIP];     /* entries of a row at the axes asked for */
    uint32_t slot[STRIP];    /* and which axes these are */
} piece;

/* A group of directions for the products: a panel, or rows as the fan has them. */
typedef struct group {
    size_t width;        /* lanes: count rounded up to 4 */
    size_t count;        /* directions */
    const double *panel; /* features rows of width numbers; NULL: not packed */
    const double *dir;   /* first of count rows of d numbers */
    size_t step;         /* from one entry's rows to the next one's (own); 0: the same rows for all */
} group;

typedef struct kernel_table {
    const char *isa;
    /* p->m[b] = z'base[b] for b < nbase (0: as they are), and p->t = z'u for the group (which may be empty). The
     * bits of an entry's numbers depend on the entry and the direction alone, packed or not. */
    void (*sparse)(const zo_data *z, piece *p, size_t nbase, const double *const base[2], const group *g);
    void (*dense)(const zo_data *z, piece *p, size_t nbase, const double *const base[2], const group *g);
    void (*pack)(size_t features, size_t d, const group *g, double *panel);
    /* v_k = loss(m + r t_k, y), k < count */
    void (*along)(zo_loss loss, double m, double y, double r, size_t count, const double *t, double *v);
    /* p->f[b] = loss(m[b], y) for all entries */
    void (*at)(zo_loss loss, piece *p, size_t b);
    /* The sum of the losses at base b over the piece; prepares sums. */
    double (*base_sum)(zo_loss loss, piece *p, size_t b);
    /* out_l = sum over the piece of loss(m[b] + r t_l) - loss(m[b]), l < p->width. Logistic: one exp an entry and one
     * log a direction, by log(1 + e^a) = max(a, 0) + log(1 + e^-|a|) and the product of the second terms. */
    void (*sums)(zo_loss loss, const piece *p, size_t b, double r, double *out);
    /* out = {u'u, x_0'u, x_1'u (nbase 2)} */
    void (*dots)(size_t d, const double *u, size_t nbase, const double *const base[2], double out[3]);
} kernel_table;

extern const kernel_table kernel_plain, kernel_v3; /* for the tests; kernel_v3 needs isa_v3() */

const char *kernel_isa(void); /* "x86-64-v3", "baseline": what answers of this process are computed with */

/* Scratch that is grown when a fan needs more, and kept. */
typedef struct room {
    void *at;
    size_t bytes;
} room;

typedef struct kernel {
    const kernel_table *table;
    size_t seats; /* threads */
    piece *piece; /* one for each */
    room tree;    /* sum trees, one for each seat */
    room panel, ridge, order, sums, start, head, next, classes;
} kernel;

kernel *kernel_new(size_t seats); /* NULL: out of memory */
void kernel_free(kernel *k);      /* takes NULL */
void *room_for(room *r, size_t count,
               size_t size); /* what was in it is lost when it grows; NULL: out of memory */

#endif
