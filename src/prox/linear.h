/* Sets of linear equations and inequalities, for sum.c, check.c and bounds.c.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_LINEAR_H
#define ZO_LINEAR_H

#include "prox/project.h"
#include "zoprox.h"

int linear_is(const zo_prox *psi); /* 1: affine or polyhedron */
linear_row linear_row_of(const zo_prox *psi, size_t d, size_t k);
/* The nearest point of what the parts (0:d each, such sets and bounds) have in common. 0: nothing, and x is NaN. work:
 * linear_work numbers. */
size_t linear_work(const zo_block *part, size_t nparts, size_t d);
int linear_project(const zo_block *part, size_t nparts, size_t d, const double *v, double *x,
                   double *work);

#endif
