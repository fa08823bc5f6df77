/* sparse, from outside.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_SPARSE_H
#define ZO_METHOD_SPARSE_H

#include "zoprox.h"

int sparse_suits(size_t n, size_t d, const zo_prox *psi); /* 1: it is tried first */

#endif
