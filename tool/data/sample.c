/* Every k-th row of a data set.
 * SPDX-License-Identifier: MIT */
#include "study/paper.h"

#include <stdlib.h>
#include <string.h>

#include "data/data.h"

static size_t entries_of(const zo_data *data, size_t i)
{
    return data->row ? (size_t)(data->row[i + 1] - data->row[i]) : data->features;
}

static void copy_row(sample *s, const zo_data *data, size_t i, size_t at)
{
    size_t from = data->row ? (size_t)data->row[i] : i * data->features,
           count = entries_of(data, i);
    memcpy(s->val + at, (data->row ? data->val : data->dense) + from, count * sizeof *s->val);
    if (data->row) memcpy(s->col + at, data->col + from, count * sizeof *s->col);
}

int sample_rows(sample *s, const zo_data *data, size_t every)
{
    zo_error err;
    size_t n = (data->n + every - 1) / every, total = 0;
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < data->n; i += every) total += entries_of(data, i);
    s->row = calloc(n + 1, sizeof *s->row);
    s->col = calloc(total + 1, sizeof *s->col);
    s->val = calloc(total + 1, sizeof *s->val);
    s->label = calloc(n, sizeof *s->label);
    if (!s->row || !s->col || !s->val || !s->label) {
        sample_free(s);
        return complain(FAILED, "reproduce: out of memory for a sample of %zu rows", n);
    }
    for (size_t k = 0; k < n; k++) {
        copy_row(s, data, k * every, s->row[k]);
        s->row[k + 1] = s->row[k] + entries_of(data, k * every);
        s->label[k] = data->label[k * every];
    }
    zo_status status =
        data->row ? zo_data_csr(&s->data, n, data->features, s->row, s->col, s->val, s->label, &err)
                  : zo_data_dense(&s->data, n, data->features, s->val, s->label, &err);
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
