/* Singular values: the same bytes on every machine.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_BASE_SVD_H
#define ZO_BASE_SVD_H

#include <stddef.h>

/* X = sum_e s_e p_e q_e', X of m rows with n numbers, and lost; k = min(m, n) singular values, falling. p: k rows of m
 * numbers, q: k rows of n; or NULL both: values only. work: svd_work(m, n) numbers. Returns 0, or 1 if X is not finite or
 * the iteration did not end. */
size_t svd_work(size_t m, size_t n);
int svd(size_t m, size_t n, double *x, double *s, double *p, double *q, double *work);

#endif
