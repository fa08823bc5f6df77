/* Eigenvectors of a symmetric matrix.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_BASE_EIGEN_H
#define ZO_BASE_EIGEN_H

#include <stddef.h>

/* a = V L V': a, d x d, becomes L; v, d x d: V, whose columns are the eigenvectors. */
void eigen(size_t d, double *a, double *v);

#endif
