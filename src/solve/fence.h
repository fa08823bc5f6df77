/* The fence: no question leaves the box of psi, or its set.
 * SPDX-License-Identifier: MIT
 *
 * What a method asks is looked at before it goes out. Where a point x + p lies outside of the bounds, others inside are
 * asked instead, and the method is told what a smooth f would have there:
 *
 *   along a line with room on one side:  D(p) from D(ap), or D(ap) and D(2ap), with x + ap, x + 2ap inside (a may be
 *       negative: the difference turns round);
 *   at corners, where both sides of p leave:  P the nearest point inside, e = x + p - P, and f(P + e) from P, P - e and
 *       P - 2e;
 *   methods that only want differences around a base, along many directions: the base is moved inwards, the radius
 *       shrinks where the box is narrow.
 *
 * Small differences (slopes) are extended by the line through two values, others by the parabola through three: first and
 * second differences are then the one-sided ones. Where everything is inside nothing changes.
 *
 * With inside the same holds for every set of psi's: fence_region.c says how. */
#ifndef ZO_FENCE_H
#define ZO_FENCE_H

#include "method/core/method.h"
#include "zoprox.h"

typedef struct fence fence;

/* NULL and ZO_OK where psi has no bounds. inside: 0: sets that are more than a box are kept as the box around them. */
zo_status fence_new(fence **out, const zo_prox *psi, size_t d, int inside,
                    const struct zo_together *together, zo_error *err);
void fence_free(fence *f); /* takes NULL */
/* What is asked instead of fan, which m asks; fan itself where all of it is inside. NULL: out of memory. */
const zo_fan *fence_ask(fence *f, const method *m, const zo_fan *fan);
/* The answers to the method's fan, from those to what fence_ask gave. */
const double *fence_tell(fence *f, const double *answers);

#endif
