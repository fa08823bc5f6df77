/* Systems over some of the coordinates, for the files of quad.h.
 * SPDX-License-Identifier: MIT
 *
 *     (M_AA + D) v = b,   A the active coordinates, D = ridge + damping + bend
 *
 * Either that matrix itself, or where the factor B has fewer rows than there are active coordinates
 *     (D + B'B)^-1 = D^-1 - D^-1 B' S^-1 B D^-1,   S = I + B D^-1 B'. */
#ifndef ZO_METHOD_QUAD_ACTIVE_H
#define ZO_METHOD_QUAD_ACTIVE_H

#include "base/dense.h"

#include "subproblem/quad.h"

enum { SLICE = 256 }; /* columns of the factor handled at a time */

typedef struct active_set {
    size_t count;
    int outer;          /* 1: the system is S, of rows x rows */
    const double *bend; /* d: added to the diagonal; or NULL */
} active_set;

/* Does the system over the coordinates room->active fit, at less work than iterations take? */
int active_fits(const quad *q, const quad_room *room, active_set *a);
/* Factors it. 0: it does not fit, or is singular. */
int active_factorize(const quad *q, quad_room *room, active_set *a);
/* b = (M_AA + D)^-1 b, b over the active coordinates. */
void active_solve(const quad *q, quad_room *room, const active_set *a, double *b);

/* The same by conjugate gradients, to a part of the residual, of a factor; r, best, spare and inner are in use. */
void active_iterate(const quad *q, quad_room *room, const active_set *a, double part, double *b);
/* The system of a sparse factor: its upper triangle. */
void sparse_outer(const quad *q, quad_room *room, const active_set *a, double *s);
void sparse_inner(const quad *q, quad_room *room, const active_set *a, double *s);

static inline double diagonal_part(const quad *q) { return q->ridge + q->damping; }

static inline const double *column(const quad *q, size_t j) { return q->col + j * q->stride; }

static inline double diagonal_at(const quad *q, const quad_room *room, const active_set *a,
                                 size_t k)
{
    return diagonal_part(q) + (a->bend ? a->bend[room->active[k]] : 0);
}

static inline double dot(size_t count, const double *v, const double *w)
{
    return dense_dot(count, v, w);
}

static inline void add(size_t count, double a, const double *v, double *w)
{
    dense_add(count, a, v, w);
}

/* Of column j of the factor: with v; into v, by a; with itself. */
static inline double column_dot(const quad *q, size_t j, const double *v)
{
    const quad_sparse *f = q->sparse;
    double sum[2] = {0};
    if (!f) return dot(q->rows, column(q, j), v);
    for (size_t k = f->col[j]; k < f->col[j + 1]; k++) sum[k % 2] += f->by_col[k] * v[f->row_of[k]];
    return sum[0] + sum[1];
}

static inline void column_add(const quad *q, size_t j, double a, double *v)
{
    const quad_sparse *f = q->sparse;
    if (!f) add(q->rows, a, column(q, j), v);
    for (size_t k = f ? f->col[j] : 0; f && k < f->col[j + 1]; k++)
        v[f->row_of[k]] += a * f->by_col[k];
}

static inline double column_square(const quad *q, size_t j)
{
    const quad_sparse *f = q->sparse;
    double sum = 0;
    if (!f) return dot(q->rows, column(q, j), column(q, j));
    for (size_t k = f->col[j]; k < f->col[j + 1]; k++) sum += f->by_col[k] * f->by_col[k];
    return sum;
}

#endif
