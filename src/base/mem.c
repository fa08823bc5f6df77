/* Memory: every allocation of the library goes through mem_new, so that a test can make the k-th fail.
 * SPDX-License-Identifier: MIT
 *
 * calloc leaves fresh pages untouched until they are used; the pointer it gave is kept just before ours. */
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };

void *mem_new(size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - 2 * ALIGN) / size) return NULL;
    char *raw = calloc(1, count * size + 2 * ALIGN);
    if (!raw) return NULL;
    char *p = raw + 2 * ALIGN - (uintptr_t)raw % ALIGN; /* at least one ALIGN behind raw */
    memcpy(p - sizeof raw, &raw, sizeof raw);
    return p;
}

void *mem_grow(void *p, size_t old, size_t count, size_t size)
{
    void *q = mem_new(count, size);
    if (!q) return NULL;
    if (p) memcpy(q, p, (old < count ? old : count) * size);
    mem_free(p);
    return q;
}

void mem_free(void *p)
{
    if (!p) return;
    char *raw;
    memcpy(&raw, (char *)p - sizeof raw, sizeof raw);
    free(raw);
}
