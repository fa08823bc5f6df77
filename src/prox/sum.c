/* Sums of psi on the same coordinates: one that is separable, or sets of linear rows, and bounds.
 * SPDX-License-Identifier: MIT
 *
 * In one dimension the prox of g plus bounds is the prox of g, cut off at the bounds: g + (x - v)^2/(2t) is convex, so that
 * its least value between them is at its minimizer or at the bound nearest to it. Sets are projected on together. */
#include <math.h>

#include "prox/linear.h"
#include "prox/prox.h"

static double sum_value(const zo_prox *psi, size_t d, const double *x)
{
    double s = 0;
    for (size_t k = 0; k < psi->nparts; k++) s += prox_value(&psi->part[k].psi, d, x);
    return s;
}

/* Bounds come last (check.c sees to it), so that they hold to the last bit. */
static double sum_one(const zo_prox *psi, size_t j, double step, double v)
{
    for (size_t k = 0; k < psi->nparts; k++) v = prox_one(&psi->part[k].psi, j, step, v);
    return v;
}

static void sum_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                      double *work)
{
    if (!psi->one)
        linear_project(psi->part, psi->nparts, d, v, x, work);
    else
        for (size_t j = 0; j < d; j++) x[j] = sum_one(psi, j, step, v[j]);
}

static size_t sets_work(const zo_prox *psi, size_t d)
{
    return linear_work(psi->part, psi->nparts, d);
}

zo_prox zo_sum(const zo_block *part, size_t nparts)
{
    int sets = 0;
    for (size_t k = 0; part && k < nparts; k++) sets |= linear_is(&part[k].psi);
    return (zo_prox){.name = "sum",
                     .value = sum_value,
                     .apply = sum_apply,
                     .work = sets ? sets_work : NULL,
                     .one = sets ? NULL : sum_one,
                     .part = part,
                     .nparts = nparts};
}
