/* The inner loops behind the built-in problems, and the scratch they work in.
 * SPDX-License-Identifier: MIT
 *
 * A fan is answered piece by piece: up to PIECE entries of comp, and up to GROUP directions at a time. For a linear
 * model the margin m = z'base and the slope t = z'u of an entry give every point of the line: m + r t. The loops are
 * compiled for more than one instruction set (kernel_code.h) and chosen at run time: the same bytes from each. */
#ifndef ZO_KERNEL_H
#define ZO_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/isa.h"
#include "base/sum.h"
#include "data/data.h"
#include "problem/loss/model.h"

enum { PIECE = SUM_BLOCK, GROUP = 16, FLAT = PIECE * GROUP };
enum { THICK = 8 };        /* entries of one block from which a piece of its own pays */
enum { DEEP = 1024 };      /* columns of a strip of full rows */
enum { FETCHED = 16 };     /* rows between one that is fetched and one that is worked on */
enum { SOFTMAX_ROWS = 8 }; /* rows of classes numbers in a thread's scratch */

/* Some of the entries of a row, at axes: t = z'e_j, and which places on the list of axes these are. */
typedef struct stretch {
    size_t entry; /* of the piece */
    size_t count;
    const double *t;
    const uint32_t *slot; /* places; NULL: they follow each other from first */
    size_t first;
} stretch;

/* Some entries of comp and what is known about them. */
typedef struct piece {
    size_t count; /* entries, at most PIECE */
    size_t first; /* number of the first entry in comp, where entries follow each other (each) */
    size_t runs;  /* sums: blocks these entries belong to, in order */
    int picked; /* sparse rows from here and there: to be fetched FETCHED before they are needed */
    int thick;  /* all of one block that has at least THICK entries */
    size_t width;          /* lanes of the group of directions at hand: 4, 8, 12 or 16 */
    uint64_t row[PIECE];   /* component, counted from the first that is here */
    uint32_t run[PIECE];   /* which of the runs */
    double y[PIECE];       /* target */
    double m[2][PIECE];    /* z'base */
    double f[2][PIECE];    /* loss at the bases */
    double peak[2][PIECE]; /* logistic: max(-y m, 0) at the bases */
    double rest[2];        /* logistic: log of the product of 1 + exp(-|m|) over the piece */
    double t[FLAT];        /* z'u: width numbers for each entry */
    double point[FLAT];    /* margins at points, then the losses there */
    double target[FLAT];   /* y of the same */
    double dot[PIECE][3];  /* own: |u|^2, base'u of one direction */
    stretch part[PIECE];   /* axes: rows in point, one after another */
    size_t parts, filled;  /* how many, and their entries together */
    double strip[FLAT];    /* their t and places, where a list of axes picks them */
    uint32_t slot[FLAT];
} piece;

/* A group of directions for the products: a panel, or rows as the fan has them. */
typedef struct group {
    size_t width;            /* lanes: count rounded up to 4 */
    size_t count;            /* directions */
    const double *panel;     /* features rows of width numbers; NULL: not packed */
    const double *dir;       /* first of count rows of d numbers */
    const zo_sparse *sparse; /* own, one direction: the rows as lists, or NULL */
    size_t step; /* from one entry's rows to the next one's (own); 0: the same rows for all */
} group;

/* The numbers of a sparse row will be needed: the first of them, if they are many. */
static inline void fetch_row(const zo_data *z, uint64_t i)
{
    enum { MOST = 64, VALUES = 8, COLUMNS = 16 }; /* the latter in a line */
    uint64_t from = z->row[i], to = z->row[i + 1];
    if (from == to) return;
    if (to > from + MOST) to = from + MOST;
    for (uint64_t k = from; k < to; k += VALUES) __builtin_prefetch(z->val + k);
    for (uint64_t k = from; k < to; k += COLUMNS) __builtin_prefetch(z->col + k);
    __builtin_prefetch(z->val + to - 1);
    __builtin_prefetch(z->col + to - 1);
}

/* A full row alone, in several strips: its directions need no panel. */
static inline int dense_alone(size_t rows, size_t features) { return rows == 1 && features > DEEP; }

typedef struct kernel_table {
    /* p->m[b] = z'base[b] for b < nbase (0: as they are), and p->t = z'u for the group (which may be empty). The
     * bits of an entry's numbers depend on the entry and the direction alone, packed or not. */
    void (*sparse)(const zo_data *z, piece *p, size_t nbase, const double *const base[2],
                   const group *g);
    void (*dense)(const zo_data *z, piece *p, size_t nbase, const double *const base[2],
                  const group *g);
    void (*pack)(size_t features, size_t d, const group *g, double *panel);
    /* point_k = m + r t_k and target_k = y, k < count */
    void (*line)(double m, double y, double r, size_t count, const double *t, double *point,
                 double *target);
    /* p->point, p->target at base[b] + r u: count <= width directions of each entry, without gaps */
    void (*points)(piece *p, size_t b, double r, size_t count);
    /* v_k = loss(m_k, y_k); v may be m */
    void (*losses)(zo_loss loss, size_t count, const double *m, const double *y, double *v);
    /* The sum of the losses at base b over the piece; prepares sums. */
    double (*base_sum)(zo_loss loss, piece *p, size_t b);
    /* out_l = sum over the piece of loss(m[b] + r t_l) - loss(m[b]), l < p->width. Logistic: one exp an entry and one
     * log a direction, by log(1 + e^a) = max(a, 0) + log(1 + e^-|a|) and the product of the second terms. */
    void (*sums)(zo_loss loss, const piece *p, size_t b, double r, double *out);
    /* Softmax where one margin moves, to a = m_c + v_c: v_c = log(rest_c e^(top - t) + e^(a - t)) + t - own, t = max(top, a),
     * c < count; own is the margin of the right class, a itself for c = y. NaN where the sum is too small to be believed.
     * Reads up to three numbers more of m, rest and v. */
    void (*moved)(size_t count, const double *m, const double *rest, double top, double own,
                  size_t y, double *v);
    /* out_k = {u_k'u_k, x_0'u_k, x_1'u_k (nbase 2)}, k < count */
    void (*dots)(size_t d, size_t count, const double *const *u, size_t nbase,
                 const double *const base[2], double (*out)[3]);
    /* The same for one and z'u of a full row z, where u is given by what is not 0 in it. */
    void (*dots_listed)(size_t d, const zo_sparse *u, size_t nbase, const double *const base[2],
                        double out[3]);
    double (*dot_listed)(size_t d, const zo_sparse *u, const double *z);
} kernel_table;

extern const kernel_table kernel_plain, kernel_v3, kernel_v4;
extern const kernel_table
    *const kernel_tables[ISA_COUNT]; /* for the tests, too; each needs its ISA */

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
    room leaves, panel, ridge, order, sums, total, start, head, next, classes;
    room margins; /* a base, and z'base of all rows, as far as they were needed (NaN: not yet) */
    int has_base; /* margins are of a base */
} kernel;

kernel *kernel_new(size_t seats); /* NULL: out of memory */
void kernel_free(kernel *k);      /* takes NULL */
/* what was in it is lost when it grows; NULL: out of memory */
void *room_for(room *r, size_t count, size_t size);

#endif
