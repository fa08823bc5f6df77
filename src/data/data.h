/* Data sets: n rows (z_i, y_i) in CSR or as full rows.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_DATA_H
#define ZO_DATA_H

#include <stddef.h>
#include <stdint.h>

#include "zoprox_data.h"

/* Exactly one of the two storages is there. Rows whose density is above one half are stored in full. */
struct zo_data {
    size_t n, features, nonzeros;
    const uint64_t *row; /* n+1 offsets; NULL: dense */
    const uint32_t *col; /* rising within a row, from 0 */
    const double *val;
    const double *dense; /* n rows of features numbers; NULL: sparse */
    const double *label; /* n */
    void *owned[4];      /* what zo_data_free releases */
};

#endif
