/* Coordinates that bounds hold in one place: methods do not see them.
 * SPDX-License-Identifier: MIT
 *
 * Where lo_j = hi_j (or they are closer than rounding lets them be told apart) x_j is no unknown. The method works in the
 * others; its questions and its point are shown with all coordinates in place. */
#ifndef ZO_FIXED_H
#define ZO_FIXED_H

#include "prox/prox.h"
#include "zoprox.h"

typedef struct fixed fixed;

/* NULL and ZO_OK where nothing is fixed. */
zo_status fixed_new(fixed **out, const zo_prox *psi, size_t d, zo_error *err);
void fixed_free(fixed *f);          /* takes NULL */
size_t fixed_count(const fixed *f); /* of free coordinates; at least 1: */
int fixed_all(const fixed *f);      /* 1: there are none, and the first stands for them */
zo_prox fixed_psi(const fixed *f);  /* of the free ones */
/* all d from the free ones, and back */
void fixed_widen(const fixed *f, const double *x, double *wide);
void fixed_narrow(const fixed *f, const double *wide, double *x);
/* fan with all coordinates; NULL: out of memory */
const zo_fan *fixed_ask(fixed *f, const zo_fan *fan);

#endif
