/* Is an automatic step too long? A free check for methods that ask f and its gradient at every base.
 * SPDX-License-Identifier: MIT
 *
 * Between two bases a, b the curvature that was met is L = 2 (f(b) - f(a) - g(a)'(b - a)) / |b - a|^2. A step
 * above 1/L is shortened to 0.9/L, and the method goes on from a. Steps that the user gave are left alone. */
#ifndef ZO_WATCH_H
#define ZO_WATCH_H

#include "method/core/method.h"

typedef struct watch {
    int settles;       /* 1: no growth after a step that was too long; set it before watch_open */
    uint64_t on, full; /* on: the step was auto; full: last and g are set (state) */
    uint64_t grows;    /* 1: steps may still grow (state) */
    double f;          /* at last (state) */
    double *last, *g;  /* d: the base before, and its gradient (state) */
} watch;

zo_status watch_open(method *m, watch *w, zo_error *err);
/* f and g were measured at base. 1: the step was too long; set.step is shorter now, and the method should
 * step from w->last along w->g. 0: they are kept for the next time. */
int watch_step(method *m, watch *w, const double *base, double f, const double *g);

#endif
