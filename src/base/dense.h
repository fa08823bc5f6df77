/* Dense linear algebra with one result: the same bytes on every machine.
 * SPDX-License-Identifier: MIT
 *
 * Matrices lie row by row; `step` numbers from one row to the next. Every number of a result is defined by a short loop,
 * and the fast code does the same operations on it, in the same order, whatever tiles and vectors it uses:
 *
 *     chain    c = fma(a_k, b_k, c) for k = 0, 1, ...        products, squares, factors, forward solutions
 *     dot      quads of numbers go in turn to four times four such chains, the last three or fewer to one more;
 *              ((0 + 1) + (2 + 3)) over the four, (0 + 2) + (1 + 3) within, and the last
 *
 * tests/unit/test_dense.c has the loops. Everything runs on the calling thread, and takes scratch (250 KB) from its stack. */
#ifndef ZO_BASE_DENSE_H
#define ZO_BASE_DENSE_H

#include <stddef.h>

double dense_dot(size_t n, const double *x, const double *y);
void dense_add(size_t n, double a, const double *x, double *y); /* y += a x, by fma */

/* (x, y) = (c x + s y, c y - s x): fma(c, x, s y) and fma(c, y, -(s x)) */
void dense_turn(size_t n, double c, double s, double *x, double *y);

/* y = A x, each number a dot;  y += A'x, each number a chain over the rows. A: rows x cols */
void dense_times(size_t rows, size_t cols, const double *a, size_t step, const double *x,
                 double *y);
void dense_across(size_t rows, size_t cols, const double *a, size_t step, const double *x,
                  double *y);

/* A matrix or its transpose: number (i, k) is at[i * down + k * right]. With pick some of its lines in another order: of A,
 * row pick[i] stands for row i; of B, column pick[j] for column j. */
typedef struct dense_view {
    const double *at;
    size_t down, right;
    const size_t *pick;
} dense_view;

typedef enum dense_part { DENSE_ALL, DENSE_UPPER, DENSE_LOWER } dense_part;

/* The numbers of C, m x n, that are asked for: (i, j) = chain over k < depth of (by A_ik) B_kj, from 0 if fresh, else from
 * what is there. The others are left alone. */
typedef struct dense_job {
    size_t m, n, depth;
    double by;
    dense_view a, b;
    double *c;
    size_t step;
    dense_part part; /* i <= j, i >= j */
    int fresh;
} dense_job;

void dense_product(const dense_job *job);

/* C, d x d, part = or += by R'R, R of count rows with d numbers. */
void dense_square(size_t d, size_t count, double by, const double *rows, dense_part part, int fresh,
                  double *c, size_t step);

/* A = U'U: the upper triangle of A, n x n, is replaced by U: u_ij = (a_ij less the chain over k < i of u_ki u_kj)(1/u_ii),
 * u_ii the root of its own. Returns 0, or 1 when A is not positive definite (then what is there is of no use). */
int dense_cholesky(size_t n, double *a);

/* U'y = b and U y = b in place. Rows: the first for each of count rows of n numbers. */
void dense_solve_down(size_t n, const double *u, double *b);
void dense_solve_up(size_t n, const double *u, double *b);
void dense_solve_rows(size_t n, const double *u, size_t count, double *rows);

/* Rows of C that need no packing: few (below) takes so many. */
enum { DENSE_FEW = 8 };

/* One build of the loops. */
typedef struct dense_table {
    double (*dot)(size_t n, const double *x, const double *y);
    void (*add)(size_t n, double a, const double *x, double *y);
    void (*turn)(size_t n, double c, double s, double *x, double *y);
    void (*times)(size_t rows, size_t cols, const double *a, size_t step, const double *x,
                  double *y);
    void (*across)(size_t rows, size_t cols, const double *a, size_t step, const double *x,
                   double *y);
    void (*product)(const dense_job *job);
    /* The same for m = DENSE_FEW, by = -1 and part ALL or UPPER (n >= m), where A' and B lie row by row, not fresh. */
    void (*few)(const dense_job *job);
} dense_table;

extern const dense_table dense_plain, dense_v3, dense_v4;

#endif
