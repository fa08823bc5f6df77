/* Does the automatic radius suit f? Judged by the first differences that are asked for.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_GAUGE_H
#define ZO_METHOD_GAUGE_H

#include "method/core/method.h"

/* gauged; ZOOMED: a smaller radius is on trial */
enum { NOT_GAUGED, GAUGED, ZOOMED, GAUGE_LAST = ZOOMED };
int gauge_reserve(const method *m); /* in open; 0: out of memory */
/* 1: these answers are not told, but asked again at another radius. */
int gauge_again(method *m, const double *answers);

/* 1: all of these values come rounded, from single precision or from printed digits. */
int gauge_coarse(size_t count, const double *values);

#endif
