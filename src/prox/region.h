/* The set that psi keeps x in, where it is more than a box: a product of balls, simplexes and sets of linear rows.
 * SPDX-License-Identifier: MIT
 *
 * What it can tell: is a point in it; the nearest point; what of p stays within its affine hull; and, for displacements p_k
 * that were added, a point y near x and a factor s <= 1 with y + s p_k in the set for all k. That is the nearest point of the
 * set made smaller by what the p_k reach:
 *
 *     {a'y <= b - s max_k (a'p_k)+},   |y| <= r - s max_k |p_k|,   y >= s max_k (-p_k)+, sum y = r
 *
 * which is empty for no s that leaves its room to a point deep inside. */
#ifndef ZO_REGION_H
#define ZO_REGION_H

#include "zoprox.h"

typedef struct region region;

/* NULL and ZO_OK where psi has a box, or no constraint. A psi of somebody's own is refused: its set is not known. */
zo_status region_new(region **out, const zo_prox *psi, size_t d, zo_error *err);
void region_free(region *r); /* takes NULL */

int region_has(const region *r,
               const double *x); /* up to rounding, as psi's value; bounds exactly */
void region_box(const region *r, double *lo,
                double *hi); /* bounds beside its pieces: d numbers each */
void region_nearest(region *r, const double *x, double *y);
void region_flatten(const region *r, double *p); /* p within the affine hull */

/* Displacements: none; one more, times factor; and the nearest point from which all can be gone, s times. */
void region_clear(region *r);
void region_reach(region *r, const double *p, double factor);
double region_inwards(region *r, const double *x, double *y);

#endif
