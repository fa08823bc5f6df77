/* A region within its files. region.h says what it is.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_REGION_PARTS_H
#define ZO_REGION_PARTS_H

#include "prox/linear.h"
#include "prox/region.h"
#include "prox/table.h"

/* Coordinates from, ..., from + count - 1. */
typedef struct piece {
    family kind; /* L1_BALL, L2_BALL, SIMPLEX, or POLYHEDRON for rows of both kinds */
    size_t from, count;
    double radius;
    double reach; /* balls: the longest displacement */
    /* rows: */
    size_t m;
    double *a, *b;        /* m x count, m */
    double *norm;         /* m: |a| */
    double *size;         /* m: |b| and what else it is the difference of */
    unsigned char *equal; /* m: 1, or 0: a'x <= b */
    double *towards;      /* m: the longest displacement, a'p */
    double *deep;         /* count: a point with room to all inequalities */
    size_t nnormal;       /* of the affine hull: orthonormal rows */
    double *normal;       /* nnormal x count */
    double *low, *top;    /* count: bounds made smaller */
    double *work;
    double shrink; /* rows are made smaller by towards times it */
} piece;

struct region {
    size_t d, npieces;
    piece *piece;
    double *lo, *hi;   /* d */
    double *up, *down; /* d: the longest displacements along each coordinate */
    double *work;      /* d */
};

/* What keeps a point that is reached so far within [lo, hi], rounding and all. */
double region_margin(double reach, double lo, double hi);

/* ---- region_rows.c ------------------------------------------------------------------------------- */

/* Makes room for m rows; 0: out of memory. */
int rows_room(piece *p, size_t m);
void rows_free(piece *p);
/* Finds the affine hull and a point deep inside. lo, hi: of its coordinates. 0: the set is empty. */
int rows_settle(piece *p, const double *lo, const double *hi);
int rows_have(const piece *p, const double *x);
/* The nearest point of the rows and bounds made smaller by s times what was reached. 0: there is none. */
int rows_nearest(piece *p, const double *lo, const double *hi, const double *up, const double *down,
                 double s, const double *x, double *y);
/* The largest s <= 1 that leaves the deep point its room. */
double rows_scale(const piece *p, const double *lo, const double *hi, const double *up,
                  const double *down);

#endif
