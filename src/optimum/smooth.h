/* The smooth part f(x) = (1/n) sum_i loss(z_i'x, y_i) + (l2/2)|x|^2 with its derivatives.
 * SPDX-License-Identifier: MIT
 *
 * Derivatives on the data: for reference optima only, never for a method. One thread, fixed order. With
 * softmax there are `classes` margins for each row, and x has one row of features for each class. */
#ifndef ZO_OPTIMUM_SMOOTH_H
#define ZO_OPTIMUM_SMOOTH_H

#include <stddef.h>
#include <stdint.h>

#include "problem/loss/model.h"

enum { SMOOTH_ROWS = 64 }; /* dense rows taken together in the Hessian */

typedef struct smooth {
    const zo_data *data;
    const double *target; /* n */
    zo_loss loss;
    double l2;
    size_t n, d, features, classes;
    size_t leaf;      /* rows summed in one leaf of the tree */
    double top;       /* at least the largest eigenvalue of the Hessian of f, anywhere: its trace */
    double *diagonal; /* d: at least the Hessian's diagonal, anywhere */
    double *tree;     /* scratch of the sums */
    double *rows;     /* scratch of the Hessian: rows in the working set */
    uint32_t *place;  /* and where their entries are */
} smooth;

zo_status smooth_new(smooth *f, const zo_model *model, zo_error *err);
void smooth_free(smooth *f); /* takes half-built ones */

void smooth_margins(const smooth *f, const double *x, double *margin); /* n*classes */
double smooth_loss(const smooth *f, const double *margin);             /* the mean, compensated */
/* d loss / d margin, n*classes */
void smooth_slopes(const smooth *f, const double *margin, double *slope);
/* (1/n) Z' slope, without l2 */
void smooth_gradient(const smooth *f, const double *slope, double *g);
/* Second derivatives in the margin: n numbers, or n*classes probabilities for softmax. */
void smooth_curvatures(const smooth *f, const double *margin, double *curve);
/* hess = (1/n) Z_W' C Z_W for count rising coordinates W; index has d numbers: the place of each coordinate
 * in W, UINT32_MAX elsewhere. Without l2. count rows of count numbers, symmetric. */
void smooth_hessian(const smooth *f, const double *curve, size_t count, const uint32_t *index,
                    double *hess);
/* out = (1/n) Z' C Z u + l2 u; margin: n*classes numbers of scratch. */
void smooth_times(const smooth *f, const double *curve, const double *u, double *out,
                  double *margin);
double smooth_row_square(const smooth *f, size_t i); /* |z_i|^2 */
/* doubt_j: what rounding may have done to coordinate j of a gradient at x. */
void smooth_doubt(const smooth *f, const double *x, const double *slope, double *doubt);
/* F without psi, as exactly as can be had: everything in long double. */
long double smooth_exact(const smooth *f, const double *x);

#endif
