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

/* Factors the system over the coordinates room->active. 0: it does not fit, or is singular. */
int active_factorize(const quad *q, quad_room *room, active_set *a);
/* b = (M_AA + D)^-1 b, b over the active coordinates. */
void active_solve(const quad *q, quad_room *room, const active_set *a, double *b);

static inline double diagonal_part(const quad *q) { return q->ridge + q->damping; }

static inline const double *column(const quad *q, size_t j) { return q->col + j * q->stride; }

static inline double dot(size_t count, const double *v, const double *w)
{
    return dense_dot(count, v, w);
}

static inline void add(size_t count, double a, const double *v, double *w)
{
    dense_add(count, a, v, w);
}

#endif
