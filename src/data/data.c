/* Data sets: from arrays of the caller, facts, release.
 * SPDX-License-Identifier: MIT */
#include "data/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

/* ---- Borrowed arrays ---------------------------------------------------------------------------- */

static zo_status check_labels(size_t n, const double *label, zo_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(label[i]))
            return fail(err, ZO_BAD_INPUT, "label[%zu]: %g is not finite", i, label[i]);
    return ZO_OK;
}

static zo_status check_shape(size_t n, size_t features, zo_error *err)
{
    if (n == 0) return fail(err, ZO_BAD_ARGUMENT, "n: 0, at least one row is needed");
    if (features == 0 || features > UINT32_MAX - 1)
        return fail(err, ZO_BAD_ARGUMENT, "features: %zu is outside [1, %u]", features,
                    UINT32_MAX - 1);
    return ZO_OK;
}

static zo_status check_row(size_t i, size_t features, const uint64_t *row, const uint32_t *col,
                           const double *val, zo_error *err)
{
    for (uint64_t k = row[i]; k < row[i + 1]; k++) {
        unsigned long long at = k;
        if (col[k] >= features)
            return fail(err, ZO_BAD_INPUT, "col[%llu]: %u in row %zu is not below features, %zu",
                        at, col[k], i, features);
        if (k > row[i] && col[k] <= col[k - 1])
            return fail(err, ZO_BAD_INPUT, "col[%llu]: %u in row %zu follows %u, columns must rise",
                        at, col[k], i, col[k - 1]);
        if (!isfinite(val[k]))
            return fail(err, ZO_BAD_INPUT, "val[%llu]: %g in row %zu is not finite", at, val[k], i);
    }
    return ZO_OK;
}

static zo_status make(zo_data **out, zo_data from, zo_error *err)
{
    *out = mem_new(1, sizeof **out);
    if (!*out) return out_of_memory(err, "data", 1);
    **out = from;
    return succeed(err);
}

zo_status zo_data_csr(zo_data **out, size_t n, size_t features, const uint64_t *row,
                      const uint32_t *col, const double *val, const double *label, zo_error *err)
{
    if (!out) return fail(err, ZO_BAD_ARGUMENT, "out: NULL");
    *out = NULL;
    if (!row || !label) return fail(err, ZO_BAD_ARGUMENT, "%s: NULL", row ? "label" : "row");
    zo_status status = check_shape(n, features, err);
    if (status) return status;
    if (row[0] != 0)
        return fail(err, ZO_BAD_INPUT, "row[0]: %llu, the first offset is 0",
                    (unsigned long long)row[0]);
    for (size_t i = 0; i < n; i++) /* all of them before any is used */
        if (row[i + 1] < row[i]) return fail(err, ZO_BAD_INPUT, "row[%zu]: offsets fall", i + 1);
    if (row[n] && (!col || !val))
        return fail(err, ZO_BAD_ARGUMENT, "%s: NULL", col ? "val" : "col");
    for (size_t i = 0; i < n && !status; i++) status = check_row(i, features, row, col, val, err);
    if (!status) status = check_labels(n, label, err);
    if (status) return status;
    return make(out,
                (zo_data){.n = n,
                          .features = features,
                          .nonzeros = row[n],
                          .row = row,
                          .col = col,
                          .val = val,
                          .label = label},
                err);
}

zo_status zo_data_dense(zo_data **out, size_t n, size_t features, const double *val,
                        const double *label, zo_error *err)
{
    if (!out) return fail(err, ZO_BAD_ARGUMENT, "out: NULL");
    *out = NULL;
    if (!val || !label) return fail(err, ZO_BAD_ARGUMENT, "%s: NULL", val ? "label" : "val");
    zo_status status = check_shape(n, features, err);
    if (status) return status;
    if (n > SIZE_MAX / sizeof *val / features)
        return fail(err, ZO_BAD_ARGUMENT,
                    "n: %zu rows of %zu numbers are more than memory can hold", n, features);
    size_t nonzeros = 0;
    for (size_t k = 0; k < n * features; k++) {
        if (!isfinite(val[k]))
            return fail(err, ZO_BAD_INPUT, "val[%zu]: %g in row %zu is not finite", k, val[k],
                        k / features);
        nonzeros += val[k] != 0;
    }
    status = check_labels(n, label, err);
    if (status) return status;
    return make(
        out,
        (zo_data){.n = n, .features = features, .nonzeros = nonzeros, .dense = val, .label = label},
        err);
}

void zo_data_free(zo_data *data)
{
    if (!data) return;
    for (size_t k = 0; k < sizeof data->owned / sizeof *data->owned; k++) mem_free(data->owned[k]);
    mem_free(data);
}

/* ---- Facts -------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static uint64_t bits(double v)
{
    uint64_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}

/* Column and value of every nonzero and the label of every row: the same for both storages. */
static uint64_t fingerprint(const zo_data *data)
{
    uint64_t h = mix(mix(1, data->n), data->features);
    for (size_t i = 0; i < data->n; i++) {
        uint64_t k = data->row ? data->row[i] : 0,
                 end = data->row ? data->row[i + 1] : data->features;
        const double *val = data->row ? data->val : data->dense + i * data->features;
        h = mix(h, bits(data->label[i]));
        for (; k < end; k++)
            if (val[k] != 0) h = mix(h + (data->row ? data->col[k] : k), bits(val[k]));
    }
    return h;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

size_t data_add_label(double *seen, size_t count, double y)
{
    if (count == COUNTED_LABELS || bsearch(&y, seen, count, sizeof y, by_value)) return count;
    size_t at = count++;
    for (; at > 0 && seen[at - 1] > y; at--) seen[at] = seen[at - 1];
    seen[at] = y;
    return count;
}

size_t data_labels(const zo_data *data, double *seen)
{
    size_t count = 0;
    for (size_t i = 0; i < data->n && count < COUNTED_LABELS; i++)
        if (i == 0 || data->label[i] != data->label[i - 1])
            count = data_add_label(seen, count, data->label[i]);
    return count;
}

zo_data_facts zo_data_look(const zo_data *data)
{
    double seen[COUNTED_LABELS];
    zo_data_facts f = {.n = data->n,
                       .features = data->features,
                       .nonzeros = data->nonzeros,
                       .dense = data->dense != NULL};
    if (data->whole) f.n = data->whole;
    f.least = f.greatest = data->n ? data->label[0] : NAN;
    for (size_t i = 1; i < data->n; i++) {
        f.least = fmin(f.least, data->label[i]);
        f.greatest = fmax(f.greatest, data->label[i]);
    }
    f.labels = data_labels(data, seen);
    f.fingerprint = fingerprint(data);
    return f;
}
