/* BLAS on one thread, and singular values by LAPACK.
 * SPDX-License-Identifier: MIT */
#include "base/blas.h"

/* From libgomp, which OpenBLAS's OpenMP build runs on; declared here so that no compiler needs -fopenmp. */
int omp_get_max_threads(void);
void omp_set_num_threads(int threads);

/* LAPACK as Fortran exports it: everything by reference, lengths of texts at the end. */
void dgesdd_(const char *job, const int *m, const int *n, double *a, const int *lda, double *s,
             double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork,
             int *iwork, int *info, size_t job_length);

int blas_single(void)
{
    int before = omp_get_max_threads();
    if (before != 1) omp_set_num_threads(1);
    return before;
}

void blas_restore(int before)
{
    if (before != 1) omp_set_num_threads(before);
}

static size_t lesser(size_t m, size_t n) { return m < n ? m : n; }

/* The scratch LAPACK would like best for these sizes. */
static int best_work(size_t m, size_t n, const char *job)
{
    int rows = (int)m, cols = (int)n, k = (int)lesser(m, n), ask = -1, info = 0, none = 0;
    double best = 0, nothing = 0;
    dgesdd_(job, &rows, &cols, &nothing, &rows, &nothing, &nothing, &rows, &nothing, &k, &best,
            &ask, &none, &info, 1);
    return info ? 1 : (int)best;
}

static size_t whole_numbers(size_t m, size_t n)
{
    return 4 * lesser(m, n) + 1;
} /* 8 k ints, in doubles */

size_t svd_work(size_t m, size_t n)
{
    if (m == 0 || n == 0) return 0;
    int full = best_work(m, n, "S"), values = best_work(m, n, "N");
    return (size_t)(full > values ? full : values) + whole_numbers(m, n);
}

int svd(size_t m, size_t n, double *a, double *s, double *u, double *vt, double *work)
{
    if (m == 0 || n == 0) return 0;
    const char *job = u ? "S" : "N";
    int rows = (int)m, cols = (int)n, k = (int)lesser(m, n), size = best_work(m, n, job), info = 0;
    int before = blas_single();
    dgesdd_(job, &rows, &cols, a, &rows, s, u, &rows, vt, &k, work + whole_numbers(m, n), &size,
            (int *)work, &info, 1);
    blas_restore(before);
    return info;
}
