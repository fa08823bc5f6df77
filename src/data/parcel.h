/* Rows put away small, to be taken out again.
 * SPDX-License-Identifier: MIT
 *
 * An unpacker may hold tens of megabytes (64 for xz -9) until the last byte of its file has come. What has been read by
 * then waits here in a third to two thirds of its final size, so that the two together are no more than the data. */
#ifndef ZO_DATA_PARCEL_H
#define ZO_DATA_PARCEL_H

#include "data/parse.h"

typedef struct parcels {
    struct parcel *first, *last;
    size_t n, entries;           /* in all */
    size_t most_n, most_entries; /* in one piece */
    uint32_t widest;
} parcels;

int parcels_add(parcels *p, const rows *from); /* 0: out of memory */
/* The piece that was added first, which is then gone; into has room for most_n rows with most_entries. 0: no more. */
int parcels_take(parcels *p, rows *into);
void parcels_free(parcels *p);

#endif
