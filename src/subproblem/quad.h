/* The step's sub-problem: a quadratic model plus psi, solved without a query.
 * SPDX-License-Identifier: MIT
 *
 *     minimize  g'(z - x) + (z - x)'(M + (ridge + damping) I)(z - x)/2 + psi(z)
 *
 * M is a d x d matrix, or where d is large sum_k a_k a_k' with the rows a_k stored by columns: all of their numbers, or those
 * that are not 0. */
#ifndef ZO_METHOD_QUAD_H
#define ZO_METHOD_QUAD_H

#include <stddef.h>
#include <stdint.h>

#include "zoprox.h"

/* A factor of which most numbers are 0, by rows and by columns. */
typedef struct quad_sparse {
    size_t *row, *col;         /* rows + 1, d + 1: where each begins */
    uint32_t *col_of, *row_of; /* coordinates of a row, rows of a column: rising */
    double *by_row, *by_col;   /* the numbers there */
} quad_sparse;

typedef struct quad {
    size_t d;
    const double *matrix;      /* d x d, both triangles; NULL: the factor below */
    const quad_sparse *sparse; /* the factor; NULL: */
    const double *col; /* d columns of the factor, stride numbers apart, rows numbers each */
    size_t rows, stride;
    double ridge, damping; /* ridge belongs to the model, damping only shortens the step */
    const double *g, *x;   /* d each */
    const zo_prox *psi;
    double *prox_work;
} quad;

/* Scratch for quads of at most d unknowns and rows rows. */
typedef struct quad_room {
    size_t d, rows, order;                 /* order: largest dense system that fits */
    double *r;                             /* d: gradient of the smooth part at z */
    double *q;                             /* rows: A(z - x), factor form */
    double *diagonal;                      /* d */
    double *best, *move, *bend, *momentum; /* d each */
    double *system;                        /* order^2 */
    double *slice, *across;                /* 256 x rows each: columns of the factor */
    double *inner;                         /* rows */
    double *spare, *square;                /* d each, factor form */
    size_t *active;                        /* d */
    size_t *some;                          /* d, factor form */
    unsigned char *moved;                  /* d */
    /* Factor form: products of the model's columns, kept until quad_forget. Each is a function of the columns alone, so
     * that it does not matter when it was made. */
    /* order^2: A A' over all columns; or of columns with each other, by their places */
    double *gram;
    size_t *held, *place; /* order, d: the columns that have a place there, and which (d: none) */
    size_t kept;          /* how many; of rows, where it is A A' */
    int is_outer;         /* 1: it is A A' */
} quad_room;

/* order: at most so large a dense system is solved. 0, or -1 when memory is out (close it all the same). */
int quad_open(quad_room *room, size_t d, size_t rows, size_t order);
void quad_close(quad_room *room);
/* To be called when the columns of the factor have changed. */
void quad_forget(quad_room *room);
double quad_bytes(size_t d, size_t rows, size_t order);

/* How much work a solution is worth: it is good enough when no coordinate's step gains more than tol, or than this
 * part of what the whole step gains. */
typedef struct quad_effort {
    int sweeps; /* at most, where Newton's polish has not ended it */
    double tol, part;
} quad_effort;

/* z: where to begin, and the minimizer. */
void quad_solve(const quad *q, quad_room *room, quad_effort effort, double *z);

/* The decrease the model promises: -(g'(z-x) + (z-x)'(M + ridge)(z-x)/2 + psi(z) - psi(x)). */
double quad_decrease(const quad *q, quad_room *room, const double *z);

/* out = M v;  b = (M + (ridge + damping) I)^-1 b, left alone where that cannot be solved. */
void quad_multiply(const quad *q, quad_room *room, const double *v, double *out);
void quad_inverse(const quad *q, quad_room *room, double *b);
/* out[e] = v'(M + (ridge + damping) I)^-1 v of count rows v, over coordinates that z or x has; a matrix. work: count x d. */
void quad_compliance(const quad *q, quad_room *room, const double *z, size_t count,
                     const double *rows, double *work, double *out);

/* matrix += y y'/(y's) - Bs(Bs)'/(s'Bs), B = matrix + mu I: BFGS. Left alone unless s'Bs > 0 and y's > least s'Bs. work: d. */
void quad_update(size_t d, double *matrix, double mu, const double *s, const double *y,
                 double least, double *work);

/* A small B, rows of stride numbers, changes so that B s = y and stays positive: by the symmetric update of rank one where
 * it falls short along s by more than short_fall, a cosine, else by BFGS's. Not at all where y says nothing: it bends
 * less along s than least_bend, a cosine, or B foretells all but news, squared. work: 2 n. */
typedef struct quad_doubts {
    double least_bend, news, short_fall;
} quad_doubts;
void quad_secant(size_t n, size_t stride, double *b, const double *s, const double *y,
                 quad_doubts doubts, double *work);

/* BFGS for the last kept of total pairs (s, y) in a ring of 2 d numbers each. */
void quad_chain(size_t d, double *matrix, double mu, const double *pairs, uint64_t kept,
                uint64_t total, double *work);

/* trace(J (M + (ridge + damping) I)^-1 J') over the coordinates that z or x use (all where psi is not separable), J of
 * count rows with d columns; work: as many numbers. Of many rows by a factor it is an estimate. NaN: the system does not fit. */
double quad_spread(const quad *q, quad_room *room, const double *z, size_t count, const double *j,
                   double *work);

#endif
