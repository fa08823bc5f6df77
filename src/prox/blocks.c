/* Sums over disjoint blocks of coordinates, each with a psi of its own; 0 elsewhere.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/vec.h"
#include "prox/prox.h"

static size_t length_of(const zo_block *part) { return part->to - part->from; }

static double blocks_value(const zo_prox *psi, size_t d, const double *x)
{
    (void)d;
    double s = 0;
    for (size_t k = 0; k < psi->nparts; k++)
        s += prox_value(&psi->part[k].psi, length_of(&psi->part[k]), x + psi->part[k].from);
    return s;
}

static void blocks_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                         double *work)
{
    vec_copy(d, v, x);
    for (size_t k = 0; k < psi->nparts; k++) {
        const zo_block *part = &psi->part[k];
        double *at = x + part->from;
        prox_apply(&part->psi, length_of(part), step, at, at, work);
    }
}

/* One after another, so they share the scratch. */
static size_t blocks_work(const zo_prox *psi, size_t d)
{
    (void)d;
    size_t most = 0;
    for (size_t k = 0; k < psi->nparts; k++) {
        size_t needs = prox_work(&psi->part[k].psi, length_of(&psi->part[k]));
        if (needs > most) most = needs;
    }
    return most;
}

static double blocks_one(const zo_prox *psi, size_t j, double step, double v)
{
    for (size_t k = 0; k < psi->nparts; k++) {
        const zo_block *part = &psi->part[k];
        if (j >= part->from && j < part->to) return prox_one(&part->psi, j - part->from, step, v);
    }
    return v;
}

zo_prox zo_blocks(const zo_block *part, size_t nparts)
{
    int separable = 1;
    for (size_t k = 0; part && k < nparts; k++)
        separable = separable && prox_separable(&part[k].psi);
    return (zo_prox){.name = "blocks",
                     .value = blocks_value,
                     .apply = blocks_apply,
                     .work = blocks_work,
                     .one = separable ? blocks_one : NULL,
                     .part = part,
                     .nparts = nparts};
}
