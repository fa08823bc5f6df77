/* From a whole data set to a rank's part of it.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "data/data.h"
#include "zoprox_spread.h"

/* Moves count elements from place first to the beginning and gives the rest back. Where that cannot be done the array
 * stays as long as it was. */
static void *shorten(void *array, size_t first, size_t count, size_t size)
{
    memmove(array, (char *)array + first * size, count * size);
    void *less = mem_grow(array, count, count, size);
    return less ? less : array;
}

static void keep_rows(zo_data *data, size_t first, size_t count)
{
    if (data->dense) {
        data->dense = data->owned[1] =
            shorten(data->owned[1], first * data->features, count * data->features, sizeof(double));
        data->nonzeros = 0;
        for (size_t k = 0; k < count * data->features; k++) data->nonzeros += data->dense[k] != 0;
    } else {
        uint64_t *row = data->owned[2], from = row[first];
        data->nonzeros = (size_t)(row[first + count] - from);
        data->val = data->owned[1] =
            shorten(data->owned[1], (size_t)from, data->nonzeros, sizeof(double));
        data->col = data->owned[3] =
            shorten(data->owned[3], (size_t)from, data->nonzeros, sizeof(uint32_t));
        data->row = data->owned[2] = row = shorten(row, first, count + 1, sizeof *row);
        for (size_t i = 0; i <= count; i++) row[i] -= from;
    }
    data->label = data->owned[0] = shorten(data->owned[0], first, count, sizeof(double));
    data->n = count;
    data->first = first;
}

zo_status zo_data_keep(zo_data *data, int rank, int size, zo_error *err)
{
    if (!data) return fail(err, ZO_BAD_ARGUMENT, "data: NULL");
    if (size < 1 || rank < 0 || rank >= size)
        return fail(err, ZO_BAD_ARGUMENT, "rank: %d of %d is none", rank, size);
    if (data->whole || !data->owned[0])
        return fail(err, ZO_BAD_ARGUMENT, "data: %s",
                    data->whole ? "a part already" : "borrowed arrays");
    double *classes = mem_new(COUNTED_LABELS, sizeof *classes);
    if (!classes) return out_of_memory(err, "labels", COUNTED_LABELS);
    data->nclasses = data_labels(data, classes);
    data->classes = data->owned[4] = classes;
    data->print = data_print(data);
    data->whole = data->n;
    size_t first, count;
    zo_share(data->n, rank, size, &first, &count);
    keep_rows(data, first, count);
    return succeed(err);
}
