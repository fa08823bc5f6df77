/* One component along its own direction.
 * SPDX-License-Identifier: MIT */
#include "method/component/curve.h"

#include <math.h>

void curve_base(curve *c, double t, double h, double slope, double bend)
{
    c->at = t;
    c->h = h;
    c->slope = slope;
    c->bend = bend;
    c->knots = 0;
}

int curve_learn(curve *c, double t, double h, double noise, double least, double most)
{
    curve_value v = curve_at(c, t);
    double rest = h - v.h, d = t - c->at, w = d * d * d, pull = 3 / d;
    if (fabs(rest) <= noise) return 0;
    if (d == 0) return 1; /* it changed and t did not: not a function of t alone */
    for (int k = 0; k < (int)c->knots; k++) {
        double e = t - c->knot[k];
        w *= e;
        pull += 1 / e;
    }
    double fix = fabs(rest * pull); /* what the new knot adds to the slope at t */
    if (!(fix > least)) return 0;
    if (c->knots >= CURVE_KNOTS || !isfinite(rest / w) || !(fix <= most * fabs(v.slope - c->slope)))
        return 1;
    c->coef[(int)c->knots] = rest / w;
    c->knot[(int)c->knots] = t;
    c->knots++;
    return 0;
}
