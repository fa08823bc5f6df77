/* The families by number, for table.c, check.c and parse.c.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_PROX_TABLE_H
#define ZO_PROX_TABLE_H

#include "zoprox.h"

typedef enum family {
    ZERO,
    L1,
    WEIGHTED_L1,
    L2,
    SQUARED_L2,
    ELASTIC_NET,
    NONNEGATIVE,
    BOX,
    BOUNDS,
    L1_BALL,
    L2_BALL,
    SIMPLEX,
    LINF,
    GROUP_LASSO,
    SPARSE_GROUP_LASSO,
    TV,
    NUCLEAR,
    AFFINE,
    POLYHEDRON,
    FAMILIES,          /* so many have a row and a name for the parser */
    BLOCKS = FAMILIES, /* made by SPEC@FROM:TO instead */
    SUM,               /* made by specs on the same coordinates */
    OWN                /* a user's */
} family;

family family_of(const zo_prox *psi);
/* The family with the numbers and arrays of from. */
zo_prox family_build(family f, const zo_prox *from);

/* zo_prox_check whose sentences begin with label. */
zo_status check_labelled(const zo_prox *psi, size_t d, const char *label, zo_error *err);

#endif
