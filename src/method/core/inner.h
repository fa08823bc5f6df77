/* What methods with a reference point w share: a batch asked at x and at w along the same random directions, and the
 * coin that renews w.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_INNER_H
#define ZO_METHOD_INNER_H

#include "direction/direction.h"
#include "method/core/method.h"

/* Fills in the fan of an inner step: batch components (drawn into comp) at x and w along dirs, drawn anew. */
void inner_ask(method *m, directions *dirs, const double *w, size_t batch, uint64_t *comp,
               zo_fan *fan);
/* slope_j = D_j(x; batch) - D_j(w; batch), from the answers to such a fan. */
void inner_slopes(const method *m, const double *answers, size_t q, double *slope);

/* The share of steps that end in a refresh: p, or 1/period with a period of ceil(n/batch). */
double inner_refresh_rate(const method *m, size_t batch);
/* 1: this step ends in a refresh. */
int inner_toss(const method *m, size_t batch);
/* For check: what is wrong with a refresh that was read from a file; NULL: nothing. */
const char *inner_check(const method *m);

#endif
