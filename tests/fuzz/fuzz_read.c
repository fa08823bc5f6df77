/* Any bytes as a data file, packed or not: read in full and consistent, or refused with one sentence.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memfd_create */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "data/data.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void must(int holds)
{
    if (!holds) abort();
}

static void check(const zo_data *data)
{
    zo_data_facts facts = zo_data_look(data);
    must(facts.n > 0 && facts.labels > 0 && facts.least <= facts.greatest);
    for (size_t i = 0; i < facts.n; i++) must(isfinite(data->label[i]));
    if (facts.dense) {
        for (size_t k = 0; k < facts.n * facts.features; k++) must(isfinite(data->dense[k]));
        return;
    }
    must(data->row[0] == 0 && data->row[facts.n] == facts.nonzeros);
    for (size_t i = 0; i < facts.n; i++)
        for (size_t k = data->row[i]; k < data->row[i + 1]; k++) {
            must(isfinite(data->val[k]) && data->col[k] < facts.features);
            must(k == data->row[i] || data->col[k] > data->col[k - 1]);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    int fd = memfd_create("fuzz", 0);
    must(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    zo_data *data;
    zo_error err;
    zo_status status = zo_data_read(&data, path, 0, &err);
    must((status == ZO_OK) == (data != NULL));
    if (status)
        must(status == err.status && *err.text && !strchr(err.text, '\n') &&
             (status == ZO_BAD_INPUT || status == ZO_NO_MEMORY));
    else
        check(data);
    zo_data_free(data);
    close(fd);
    return 0;
}
