/* Data sets: n rows (z_i, y_i) in CSR or as full rows.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_DATA_H
#define ZO_DATA_H

#include <stddef.h>
#include <stdint.h>

#include "zoprox_data.h"

/* Exactly one of the two storages is there. Rows whose density is above one half are stored in full. */
struct zo_data {
    size_t n, features, nonzeros; /* nonzeros: entries of val, or numbers in dense that are not 0 */
    const uint64_t *row;          /* n+1 offsets; NULL: dense */
    const uint32_t *col;          /* rising within a row, from 0 */
    const double *val;
    const double *dense; /* n rows of features numbers; NULL: sparse */
    const double *label; /* n */
    void *owned[4];      /* what zo_data_free releases */
};

/* zo_data_read on so many threads, cut into pieces of so many bytes (0: as usual); what it gives depends on
 * neither. */
zo_status data_read(zo_data **out, const char *path, size_t features, int threads, size_t cut, zo_error *err);

#endif
