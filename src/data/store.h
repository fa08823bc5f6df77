/* Rows that come in pieces, until they are a data set.
 * SPDX-License-Identifier: MIT
 *
 * The storage is chosen as rows come in: full rows as long as more than half of the numbers are there, CSR otherwise.
 * One turns into the other in place, so that at no time there is much more than the data themselves. */
#ifndef ZO_DATA_STORE_H
#define ZO_DATA_STORE_H

#include "data/data.h"
#include "data/parse.h"

typedef struct store {
    size_t n, entries;   /* so far */
    size_t full;         /* numbers in a full row; 0: CSR */
    uint32_t widest;     /* largest index so far, from 1 */
    size_t n_room, room; /* of label and row, of val (and of col in CSR) */
    uint64_t *row;       /* n + 1 offsets, in full rows too */
    uint32_t *col;
    double *val, *label;
} store;

/* Makes room for what is to come, up to n rows with so many entries and indices up to widest in all. more >= 1 says how
 * many times that the whole may be. features: the final number of columns, 0 if not known yet. */
zo_status store_grow(store *s, size_t n, size_t entries, uint32_t widest, double more,
                     size_t features, zo_error *err);
/* Puts rows in place; they begin with row row_at and entry entry_at. Different pieces may be put at the same time. */
void store_put(store *s, const rows *from, size_t row_at, size_t entry_at);
/* Hands all over to data, which owns it from then on. features: 0 means the largest index. */
zo_status store_finish(store *s, zo_data *data, size_t features, zo_error *err);
/* The same for a part of a set, which as a whole has n rows with so many entries. */
zo_status store_finish_part(store *s, zo_data *data, size_t features, size_t n, size_t entries,
                            zo_error *err);
void store_free(store *s);

/* Some whole lines of a file: the bytes from ... to - 1, with so many lines before them. */
typedef struct extent {
    uint64_t from, to;
    size_t lines;
} extent;

/* What data_read does but for the last step; part: NULL for all of it. A part may have no rows. */
zo_status data_read_rows(store *out, const char *path, const extent *part, size_t features,
                         int threads, size_t cut, zo_error *err);
/* Is there anything in a text with so many rows and lines, and widest as the largest index? */
zo_status data_check_text(const char *path, size_t n, size_t features, size_t widest, size_t lines,
                          zo_error *err);
const char *data_shown(const char *path); /* as messages name it */

#endif
