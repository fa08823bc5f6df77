/* psi of the coordinates that are free, the others being held where they are; each in a scale s_j of its own:
 *
 *     prox of psi_j(s_j x_j):   argmin psi_j(s_j x) + (x - v)^2/(2t) = prox_j(s_j v, s_j^2 t) / s_j
 *
 * SPDX-License-Identifier: MIT */
#include "prox/prox.h"

#include "base/vec.h"

static const prox_free *of(const zo_prox *psi) { return psi->ctx; }

static double scale_of(const prox_free *f, size_t k) { return f->scale ? f->scale[k] : 1; }

void prox_widen(const prox_free *f, const double *x, double *wide)
{
    if (wide != f->full) vec_copy(f->d, f->full, wide);
    for (size_t k = 0; k < f->count; k++) wide[f->at[k]] = scale_of(f, k) * x[k];
}

static double free_value(const zo_prox *psi, size_t d, const double *x)
{
    const prox_free *f = of(psi);
    (void)d;
    prox_widen(f, x, f->full);
    return prox_value(&psi->part->psi, f->d, f->full);
}

static double free_one(const zo_prox *psi, size_t j, double step, double v)
{
    const prox_free *f = of(psi);
    double s = scale_of(f, j);
    return prox_one(&psi->part->psi, f->at[j], step * s * s, s * v) / s;
}

static void free_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                       double *work)
{
    const prox_free *f = of(psi);
    if (f->scale) {
        for (size_t k = 0; k < d; k++) x[k] = free_one(psi, k, step, v[k]);
        return;
    }
    prox_widen(f, v, work);
    prox_apply(&psi->part->psi, f->d, step, work, work, work + f->d);
    for (size_t k = 0; k < d; k++) x[k] = work[f->at[k]];
}

static size_t free_work(const zo_prox *psi, size_t d)
{
    (void)d;
    return of(psi)->d + prox_work(&psi->part->psi, of(psi)->d);
}

zo_prox prox_of_free(const prox_free *f, const zo_block *whole, const double *lo, const double *hi)
{
    return (zo_prox){.name = whole->psi.name,
                     .value = free_value,
                     .apply = free_apply,
                     .work = free_work,
                     .one = prox_separable(&whole->psi) ? free_one : NULL,
                     .lo = lo,
                     .hi = hi,
                     .part = whole,
                     .nparts = 1,
                     .ctx = f};
}

int prox_is_of_free(const zo_prox *psi) { return psi->apply == free_apply; }
