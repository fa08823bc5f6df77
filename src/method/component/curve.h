/* A component along its own direction: a function of one number, known by interpolation.
 * SPDX-License-Identifier: MIT
 *
 * f_i(x) = h(t) + (mu/2)|x|^2 with t = u'x, u a unit vector. h is known at one place with slope and bend, and
 * by its value at up to CURVE_KNOTS more:
 *
 *     p(t) = h + slope D + bend D^2/2 + sum_k coef_k w_k(t),   D = t - at,
 *     w_0 = D^3,  w_{k+1} = w_k (t - knot_k)
 *
 * (Newton's form of Hermite's interpolation). A value at a new place costs one query, which the test of a
 * step pays for anyway, and corrects slope and bend there: with m knots the slope at the last knot is off by
 * O(D^3 ...) instead of O(D^2). */
#ifndef ZO_METHOD_COMPONENT_CURVE_H
#define ZO_METHOD_COMPONENT_CURVE_H

#include "method/component/rules.h"

typedef struct curve { /* numbers only: an array of these is state */
    double at, h, slope, bend;
    double knot[CURVE_KNOTS], coef[CURVE_KNOTS], knots;
    double now;   /* t at the method's x */
    double f;     /* f_i(x) there, the last value told */
    double size;  /* |grad f_i(z) - mu z| where the direction was found */
    double angle; /* by which the direction found there may be off: rounding over slope */
    double point; /* 1 + number of that z among the kept points; 0: not asked yet */
} curve;

typedef struct curve_value {
    double h, slope, bend;
} curve_value;

static inline curve_value curve_at(const curve *c, double t)
{
    double d = t - c->at;
    curve_value v = {c->h + d * (c->slope + 0.5 * c->bend * d), c->slope + c->bend * d, c->bend};
    double w = d * d * d, w1 = 3 * d * d, w2 = 6 * d;
    for (int k = 0; k < (int)c->knots; k++) {
        v.h += c->coef[k] * w;
        v.slope += c->coef[k] * w1;
        v.bend += c->coef[k] * w2;
        double e = t - c->knot[k];
        w2 = w2 * e + 2 * w1;
        w1 = w1 * e + w;
        w *= e;
    }
    return v;
}

void curve_base(curve *c, double t, double h, double slope, double bend); /* forget the rest */

/* The value h at t is told. Adds a knot when it says something above rounding (noise: the size of what says
 * nothing). Returns 1 when the curve cannot be trusted there: the slope had to be corrected by more than
 * most times its whole change since `at` and by more than least, or there is no room for a knot. */
int curve_learn(curve *c, double t, double h, double noise, double least, double most);

#endif
