/* mean, from outside.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_MEAN_H
#define ZO_METHOD_MEAN_H

#include <stddef.h>

double mean_bytes(size_t d); /* memory that mean needs */
int mean_suits(size_t d);    /* 1: its matrix and systems of d unknowns are no burden */

#endif
