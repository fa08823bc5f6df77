/* The nuclear norm of a matrix block: a sum of singular values of X, x holding X row by row.
 * SPDX-License-Identifier: MIT
 *
 *     prox(V) = U diag((s - step a)_+) W',   V = U diag(s) W'   (J.-F. Cai, E. Candes, Z. Shen, 2010)
 */
#include <math.h>

#include "base/dense.h"
#include "base/mem.h"
#include "base/svd.h"
#include "base/vec.h"
#include "prox/prox.h"

static size_t rank_limit(const zo_prox *psi)
{
    return psi->rows < psi->cols ? psi->rows : psi->cols;
}

/* Has no scratch to work in, and is asked for only when F is shown: it allocates, and is NaN where that
 * fails. */
static double nuclear_value(const zo_prox *psi, size_t d, const double *x)
{
    size_t k = rank_limit(psi);
    if (!vec_finite(d, x)) return NAN;
    double *space = mem_new(d + k + svd_work(psi->rows, psi->cols), sizeof *space);
    if (!space) return NAN;
    double *s = space + d, total = 0;
    vec_copy(d, x, space);
    if (svd(psi->rows, psi->cols, space, s, NULL, NULL, s + k)) total = NAN;
    for (size_t i = 0; i < k; i++) total += s[i];
    mem_free(space);
    return psi->a * total;
}

static size_t nuclear_work(const zo_prox *psi, size_t d)
{
    size_t k = rank_limit(psi);
    return d + k + k * (psi->rows + psi->cols) + svd_work(psi->rows, psi->cols);
}

/* x = sum of (s_i - t) u_i w_i' over the singular values that are above t. */
static void rebuild(const zo_prox *psi, double t, const double *s, const double *u, double *w,
                    double *x)
{
    size_t k = rank_limit(psi), rank = 0, rows = psi->rows, cols = psi->cols;
    for (; rank < k && s[rank] > t; rank++) vec_scale(cols, s[rank] - t, w + rank * cols);
    dense_job job = {.m = rows,
                     .n = cols,
                     .depth = rank,
                     .by = 1,
                     .a = {u, 1, rows},
                     .b = {w, cols, 1},
                     .c = x,
                     .step = cols,
                     .fresh = 1};
    dense_product(&job);
}

static void nuclear_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                          double *work)
{
    size_t k = rank_limit(psi), rows = psi->rows, cols = psi->cols;
    double t = step * psi->a;
    double *copy = work, *s = copy + d, *u = s + k, *w = u + k * rows, *rest = w + k * cols;
    vec_copy(d, v, copy);
    if (!vec_finite(d, v) || svd(rows, cols, copy, s, u, w, rest))
        prox_undefined(d, x);
    else if (t > 0)
        rebuild(psi, t, s, u, w, x);
    else
        vec_copy(d, v, x);
}

zo_prox zo_nuclear(double a, size_t rows, size_t cols)
{
    return (zo_prox){.name = "nuclear",
                     .value = nuclear_value,
                     .apply = nuclear_apply,
                     .work = nuclear_work,
                     .a = a,
                     .rows = rows,
                     .cols = cols};
}
