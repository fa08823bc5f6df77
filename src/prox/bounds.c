/* The box that a psi keeps x in.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "prox/linear.h"
#include "prox/prox.h"
#include "prox/table.h"

/* [lo, hi] becomes what it has in common with [low, high]. */
static void narrow(double low, double high, double *lo, double *hi)
{
    *lo = fmax(*lo, low);
    *hi = fmin(*hi, high);
}

/* A row with one coefficient is a bound. */
static void narrow_by_row(const linear_row *row, size_t d, double *lo, double *hi)
{
    size_t count = 0, at = 0;
    for (size_t j = 0; j < d; j++) {
        if (row->a[j] == 0) continue;
        count++;
        at = j;
    }
    if (count != 1) return;
    double edge = row->b / row->a[at];
    narrow(row->equal || row->a[at] < 0 ? edge : -INFINITY,
           row->equal || row->a[at] > 0 ? edge : INFINITY, &lo[at], &hi[at]);
}

static void narrow_all(const zo_prox *psi, size_t d, double *lo, double *hi)
{
    switch (family_of(psi)) {
    case NONNEGATIVE:
    case BOX:
        for (size_t j = 0; j < d; j++) narrow(psi->a, psi->b, &lo[j], &hi[j]);
        break;
    case BOUNDS:
        for (size_t j = 0; j < d; j++) narrow(psi->lo[j], psi->hi[j], &lo[j], &hi[j]);
        break;
    case SIMPLEX:
        for (size_t j = 0; j < d; j++) narrow(0, psi->a, &lo[j], &hi[j]);
        break;
    case L1_BALL:
    case L2_BALL:
        for (size_t j = 0; j < d; j++) narrow(-psi->a, psi->a, &lo[j], &hi[j]);
        break;
    case AFFINE:
    case POLYHEDRON:
        for (size_t k = 0; k < psi->rows; k++) {
            linear_row row = linear_row_of(psi, d, k);
            narrow_by_row(&row, d, lo, hi);
        }
        break;
    case SUM:
        for (size_t k = 0; k < psi->nparts; k++) narrow_all(&psi->part[k].psi, d, lo, hi);
        break;
    case BLOCKS:
        for (size_t k = 0; k < psi->nparts; k++) {
            const zo_block *part = &psi->part[k];
            narrow_all(&part->psi, part->to - part->from, lo + part->from, hi + part->from);
        }
        break;
    case OWN:
        for (size_t j = 0; prox_is_of_free(psi) && j < d; j++)
            narrow(psi->lo[j], psi->hi[j], &lo[j], &hi[j]);
        break;
    default: break;
    }
}

int prox_is_box(const zo_prox *psi)
{
    family f = family_of(psi);
    return f == NONNEGATIVE || f == BOX || f == BOUNDS;
}

/* Of what is separable: is there a bound? */
static int is_bounded(const zo_prox *psi, size_t d)
{
    family f = family_of(psi);
    int any = (f == NONNEGATIVE || f == BOX) && (isfinite(psi->a) || isfinite(psi->b));
    if (f == BOUNDS || prox_is_of_free(psi))
        for (size_t j = 0; j < d && !any; j++) any = isfinite(psi->lo[j]) || isfinite(psi->hi[j]);
    for (size_t k = 0; (f == SUM || f == BLOCKS) && k < psi->nparts && !any; k++)
        any = is_bounded(&psi->part[k].psi, psi->part[k].to - psi->part[k].from);
    return any;
}

int prox_is_loose(const zo_prox *psi, size_t d)
{
    return prox_separable(psi) && !is_bounded(psi, d);
}

int prox_bounds(const zo_prox *psi, size_t d, double *lo, double *hi)
{
    int any = 0;
    for (size_t j = 0; j < d; j++) lo[j] = -INFINITY, hi[j] = INFINITY;
    narrow_all(psi, d, lo, hi);
    for (size_t j = 0; j < d; j++) any |= isfinite(lo[j]) || isfinite(hi[j]);
    return any;
}

double prox_step(double x, double r, double lo, double hi)
{
    double y = x + r;
    if (y >= lo && y <= hi) return r;
    r = (y < lo ? lo : hi) - x;
    for (int k = 0; k < 8 && !(x + r >= lo && x + r <= hi); k++) r = nextafter(r, 0);
    return x + r >= lo && x + r <= hi ? r : 0;
}

double prox_turn(double x, double r, double lo, double hi)
{
    if (x + r >= lo && x + r <= hi) return r;
    double way = hi - x >= x - lo ? fmin(fabs(r), hi - x) : -fmin(fabs(r), x - lo);
    return prox_step(x, way, lo, hi);
}
