/* The factor by its numbers that are not 0, and systems that are not written down.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/vec.h"
#include "subproblem/quad_active.h"

enum { MOST_ITERATIONS = 400 };

/* S - I = sum over the active columns of b_j b_j'/D_j */
void sparse_outer(const quad *q, quad_room *room, const active_set *a, double *s)
{
    const quad_sparse *f = q->sparse;
    for (size_t k = 0; k < a->count; k++) {
        size_t from = f->col[room->active[k]], to = f->col[room->active[k] + 1];
        double part = 1 / diagonal_at(q, room, a, k);
        for (size_t e = from; e < to; e++) {
            double by = part * f->by_col[e], *line = s + f->row_of[e] * q->rows;
            for (size_t g = e; g < to; g++) line[f->row_of[g]] += by * f->by_col[g];
        }
    }
}

/* B_A'B_A, row after row of the factor */
void sparse_inner(const quad *q, quad_room *room, const active_set *a, double *s)
{
    const quad_sparse *f = q->sparse;
    vec_zero(a->count * a->count, s);
    for (size_t j = 0; j < q->d; j++) room->place[j] = q->d;
    for (size_t k = 0; k < a->count; k++) room->place[room->active[k]] = k;
    for (size_t i = 0; i < q->rows; i++) {
        size_t count = 0, *at = room->some;
        double *v = room->spare;
        for (size_t e = f->row[i]; e < f->row[i + 1]; e++) {
            at[count] = room->place[f->col_of[e]];
            v[count] = f->by_row[e];
            count += at[count] < q->d;
        }
        for (size_t e = 0; e < count; e++) {
            double by = v[e], *line = s + at[e] * a->count;
            for (size_t g = e; g < count; g++) line[at[g]] += by * v[g];
        }
    }
    room->kept = 0; /* places are not those of gram any more */
}

/* to = (M_AA + D) v */
static void times(const quad *q, quad_room *room, const active_set *a, const double *v, double *to)
{
    double *t = room->inner;
    vec_zero(q->rows, t);
    for (size_t k = 0; k < a->count; k++)
        if (v[k] != 0) column_add(q, room->active[k], v[k], t);
    for (size_t k = 0; k < a->count; k++)
        to[k] = column_dot(q, room->active[k], t) + diagonal_at(q, room, a, k) * v[k];
}

/* z = r over the diagonal; returns r'z */
static double precondition(const quad *q, quad_room *room, const active_set *a, const double *r,
                           double *z)
{
    double s = 0;
    for (size_t k = 0; k < a->count; k++) {
        z[k] = r[k] / (room->square[room->active[k]] + diagonal_at(q, room, a, k));
        s += r[k] * z[k];
    }
    return s;
}

void active_iterate(const quad *q, quad_room *room, const active_set *a, double part, double *b)
{
    double *v = room->best, *p = room->r, *z = room->spare;
    for (size_t k = 0; k < a->count; k++)
        room->square[room->active[k]] = column_square(q, room->active[k]);
    double now = precondition(q, room, a, b, p), least = part * part * now;
    vec_zero(a->count, v);
    for (int k = 0; k < MOST_ITERATIONS && now > least; k++) {
        times(q, room, a, p, z);
        double by = now / vec_dot(a->count, p, z), before = now;
        vec_add(a->count, by, p, v);
        vec_add(a->count, -by, z, b);
        now = precondition(q, room, a, b, z);
        for (size_t e = 0; e < a->count; e++) p[e] = z[e] + now / before * p[e];
    }
    vec_copy(a->count, v, b);
}
