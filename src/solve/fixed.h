/* What methods see of x: the coordinates that are free, each in a scale of its own.
 * SPDX-License-Identifier: MIT
 *
 * Where lo_j = hi_j (or they agree to nine digits) x_j is no unknown. Where the user says what a large change of x_j is, or
 * its bounds allow nothing near 1 (picofarads, gigapascals), x_j is measured in that: methods take 1 for an ordinary size.
 * The method works in the free ones; its questions and its point are shown with all coordinates in place and as they are. */
#ifndef ZO_FIXED_H
#define ZO_FIXED_H

#include "prox/prox.h"
#include "zoprox.h"

typedef struct fixed fixed;

/* NULL and ZO_OK where nothing is fixed or scaled. said: how large coordinates are, d numbers, or NULL. */
zo_status fixed_new(fixed **out, const zo_prox *psi, size_t d, const double *said, zo_error *err);
void fixed_free(fixed *f);          /* takes NULL */
size_t fixed_count(const fixed *f); /* of free coordinates; at least 1: */
int fixed_all(const fixed *f);      /* 1: there are none, and the first stands for them */
zo_prox fixed_psi(const fixed *f);  /* of the free ones */
/* all d from the free ones, and back */
void fixed_widen(const fixed *f, const double *x, double *wide);
void fixed_narrow(const fixed *f, const double *wide, double *x);
/* a row of slopes by all d from those by the free ones; 0 by what is fixed */
void fixed_widen_slopes(const fixed *f, const double *slopes, double *wide);
/* fan with all coordinates; NULL: out of memory */
const zo_fan *fixed_ask(fixed *f, const zo_fan *fan);

#endif
