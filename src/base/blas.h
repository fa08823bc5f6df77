/* BLAS on one thread, and the two LAPACK routines we need, called by their Fortran names.
 * SPDX-License-Identifier: MIT
 *
 * OpenBLAS cuts products differently for different numbers of threads, and so gives other bits. Its OpenMP
 * build asks the calling thread how many it may use: a scope sets that to one and puts back what was there,
 * for this thread alone.
 *
 *     int before = blas_single();  ... cblas_..., svd ...  blas_restore(before); */
#ifndef ZO_BASE_BLAS_H
#define ZO_BASE_BLAS_H

#include <stddef.h>

int blas_single(void);
void blas_restore(int before);

/* A = U diag(s) V', A of m rows and n columns, column by column, and lost; k = min(m, n) singular values,
 * falling. u: m x k, vt: k x n, both column by column, or NULL both: values only. work: svd_work(m, n)
 * numbers. Returns 0, or another number if the iteration did not converge. On one thread. */
size_t svd_work(size_t m, size_t n);
int svd(size_t m, size_t n, double *a, double *s, double *u, double *vt, double *work);

#endif
