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
    void *owned[5];      /* what zo_data_free releases */
    /* A part of a set that several processes share (part.c): these n rows are the rows first ... of whole. */
    size_t whole; /* 0: all of it is here */
    size_t first;
    uint64_t print; /* data_print of the whole */
    /* nclasses different labels of the whole in rising order, at most COUNTED_LABELS */
    const double *classes;
    size_t nclasses;
};

enum { COUNTED_LABELS = 1001 };

static inline size_t data_rows(const zo_data *data) { return data->whole ? data->whole : data->n; }

/* A checksum that is the sum (modulo 2^64) of those of the blocks of the one sum: parts can be added up. */
uint64_t data_print(const zo_data *data);
uint64_t data_print_part(const zo_data *data, size_t part, size_t parts); /* of some blocks */
/* The different labels in rising order, up to COUNTED_LABELS: returns how many. */
size_t data_labels(const zo_data *data, double *seen);
/* Puts y in its place among count labels in rising order, unless it is there; returns how many there are then. */
size_t data_add_label(double *seen, size_t count, double y);

/* One more feature that is 1 in every row. What was there stays there after a failure. */
zo_status data_add_ones(zo_data *data, zo_error *err);

/* zo_data_read on so many threads, cut into pieces of so many bytes (0: as usual); what it gives depends on
 * neither. */
zo_status data_read(zo_data **out, const char *path, size_t features, int threads, size_t cut,
                    zo_error *err);

#endif
