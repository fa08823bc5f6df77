/* A data set that several ranks share: what its readers have in common.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_DATA_PART_H
#define ZO_DATA_PART_H

#include "data/meet.h"
#include "data/store.h"

typedef struct sharing {
    const char *path;
    size_t features; /* asked for; 0: as many as there are */
    int threads;
    meeting meet;
    store rows; /* of this rank */
    size_t n;   /* of all */
    size_t first;
    size_t lines; /* of the text */
} sharing;

/* Each fills rows, n, first and lines, or fails on all ranks. */
/* plain, of so many bytes on this rank */
zo_status part_of_file(sharing *s, uint64_t size, zo_error *err);
struct input;
/* *from: on rank 0; closed soon */
zo_status part_of_stream(sharing *s, struct input **from, zo_error *err);

#endif
