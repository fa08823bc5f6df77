/* Every k-th row of a data set, and every k-th of its columns.
 * SPDX-License-Identifier: MIT */
#include "study/paper.h"

#include <stdlib.h>
#include <string.h>

#include "data/data.h"

/* Of row i: column j and what stands there, entry by entry from e on; 0 behind the last. Columns that are left out are passed over, those
 * that stay are counted anew. */
static int next_entry(const zo_data *data, size_t i, size_t every, size_t *e, uint32_t *j,
                      double *v)
{
    size_t from = data->row ? (size_t)data->row[i] : i * data->features,
           count = data->row ? (size_t)(data->row[i + 1] - data->row[i]) : data->features;
    for (; *e < count; ++*e) {
        size_t column = data->row ? data->col[from + *e] : *e;
        if (column % every) continue;
        *j = (uint32_t)(column / every);
        *v = (data->row ? data->val : data->dense)[from + (*e)++];
        return 1;
    }
    return 0;
}

static size_t entries_of(const zo_data *data, size_t i, size_t every)
{
    size_t count = 0, e = 0;
    uint32_t j;
    double v;
    while (next_entry(data, i, every, &e, &j, &v)) count++;
    return count;
}

static size_t copy_row(sample *s, const zo_data *data, size_t i, size_t every, size_t at)
{
    for (size_t e = 0; next_entry(data, i, every, &e, s->col + at, s->val + at);) at++;
    return at;
}

int sample_part(sample *s, const zo_data *data, size_t rows, size_t columns)
{
    zo_error err;
    size_t n = (data->n + rows - 1) / rows, d = (data->features + columns - 1) / columns, total = 0;
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < data->n; i += rows) total += entries_of(data, i, columns);
    s->row = calloc(n + 1, sizeof *s->row);
    s->col = calloc(total + 1, sizeof *s->col);
    s->val = calloc(total + 1, sizeof *s->val);
    s->label = calloc(n, sizeof *s->label);
    if (!s->row || !s->col || !s->val || !s->label) {
        sample_free(s);
        return complain(FAILED, "reproduce: out of memory for a sample of %zu rows", n);
    }
    for (size_t k = 0; k < n; k++) {
        s->row[k + 1] = copy_row(s, data, k * rows, columns, (size_t)s->row[k]);
        s->label[k] = data->label[k * rows];
    }
    zo_status status = data->row
                           ? zo_data_csr(&s->data, n, d, s->row, s->col, s->val, s->label, &err)
                           : zo_data_dense(&s->data, n, d, s->val, s->label, &err);
    if (!status) return DONE;
    sample_free(s);
    return complain_of(&err);
}

void sample_free(sample *s)
{
    zo_data_free(s->data);
    free(s->row);
    free(s->col);
    free(s->val);
    free(s->label);
    memset(s, 0, sizeof *s);
}
