/* Rows of a plain file without reading them: how many begin in a stretch of bytes, and where.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_DATA_SCAN_H
#define ZO_DATA_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "zoprox.h"

/* What begins in a stretch of bytes. A line begins at the beginning of the file and behind every newline; a row is a
 * line with more than blanks and a comment. */
typedef struct scan {
    uint64_t lines, rows, print; /* print: checksum of the bytes */
} scan;

/* A row that is looked for, counted from the first that begins in the stretch: where its line begins, and how many
 * lines begin before it in the stretch. */
typedef struct mark {
    uint64_t row, offset, lines;
} mark;

/* The bytes from ... to - 1; size: of the file. nmarks marks in rising order of row are filled in. */
zo_status scan_range(const char *path, uint64_t from, uint64_t to, uint64_t size, size_t nmarks,
                     mark *marks, scan *out, zo_error *err);

#endif
