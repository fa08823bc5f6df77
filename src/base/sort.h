/* Short lists put in order, without room of their own.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_BASE_SORT_H
#define ZO_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* By rising key, equal keys by rising with; both move together. with may be NULL: keys alone. */
void sort_pairs(size_t count, double *key, uint32_t *with);
/* By rising key; quicker where all are near to each other. work: 2 count numbers. */
void sort_numbers(size_t count, double *key, uint64_t *work);
/* order = 0 ... count - 1 by rising key; key is sorted with it. */
void sort_order(size_t count, double *key, uint32_t *order);

#endif
