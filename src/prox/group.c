/* Euclidean norms, of everything and of groups: block soft thresholds.
 * SPDX-License-Identifier: MIT
 *
 *     prox of t |x|_2:                 (1 - t/|v|)_+ v
 *     prox of a |x|_1 + t |x|_2:       that, after the soft threshold at a (N. Simon et al., "A sparse-group
 *                                      lasso", 2013)
 *
 * Groups are cols neighbours each; the last one may be shorter, and is weighted by the root of its own
 * length. */
#include <math.h>

#include "base/vec.h"
#include "prox/prox.h"

static void shrink(size_t d, double t, const double *v, double *x)
{
    double norm = vec_norm(d, v);
    if (norm <= t) {
        vec_zero(d, x);
        return;
    }
    double keep = t > 0 ? 1 - t / norm : 1;
    for (size_t j = 0; j < d; j++) x[j] = keep * v[j];
}

static size_t length_at(const zo_prox *psi, size_t d, size_t from)
{
    return d - from < psi->cols ? d - from : psi->cols;
}

static double group_sum(const zo_prox *psi, size_t d, const double *x)
{
    double s = 0;
    for (size_t from = 0; from < d; from += psi->cols) {
        size_t length = length_at(psi, d, from);
        s += sqrt((double)length) * vec_norm(length, x + from);
    }
    return s;
}

static void group_shrink(const zo_prox *psi, size_t d, double t, const double *v, double *x)
{
    for (size_t from = 0; from < d; from += psi->cols) {
        size_t length = length_at(psi, d, from);
        shrink(length, t * sqrt((double)length), v + from, x + from);
    }
}

/* ---- a |x|_2 --------------------------------------------------------------------------------------- */

static double l2_value(const zo_prox *psi, size_t d, const double *x)
{
    return psi->a * vec_norm(d, x);
}

static void l2_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                     double *work)
{
    (void)work;
    shrink(d, step * psi->a, v, x);
}

zo_prox zo_l2(double a)
{
    return (zo_prox){.name = "l2", .value = l2_value, .apply = l2_apply, .a = a};
}

/* ---- a sum_g sqrt(|g|) |x_g| ------------------------------------------------------------------------- */

static double group_value(const zo_prox *psi, size_t d, const double *x)
{
    return psi->a * group_sum(psi, d, x);
}

static void group_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                        double *work)
{
    (void)work;
    group_shrink(psi, d, step * psi->a, v, x);
}

zo_prox zo_group_lasso(double a, size_t size)
{
    return (zo_prox){
        .name = "group-lasso", .value = group_value, .apply = group_apply, .a = a, .cols = size};
}

/* ---- a |x|_1 + b sum_g sqrt(|g|) |x_g| --------------------------------------------------------------- */

static double sparse_group_value(const zo_prox *psi, size_t d, const double *x)
{
    zo_prox l1 = zo_l1(psi->a);
    return l1.value(&l1, d, x) + psi->b * group_sum(psi, d, x);
}

static void sparse_group_apply(const zo_prox *psi, size_t d, double step, const double *v,
                               double *x, double *work)
{
    zo_prox l1 = zo_l1(psi->a);
    l1.apply(&l1, d, step, v, x, work);
    group_shrink(psi, d, step * psi->b, x, x);
}

zo_prox zo_sparse_group_lasso(double a, double b, size_t size)
{
    return (zo_prox){.name = "sparse-group-lasso",
                     .value = sparse_group_value,
                     .apply = sparse_group_apply,
                     .a = a,
                     .b = b,
                     .cols = size};
}
