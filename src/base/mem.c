/* Memory: every allocation of the library goes through mem_new, so that a test can make the k-th fail.
 * SPDX-License-Identifier: MIT */
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };

void *mem_new(size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - ALIGN) / size) return NULL;
    size_t bytes = (count * size + ALIGN - 1) / ALIGN * ALIGN;
    if (bytes == 0) bytes = ALIGN;
    void *p = aligned_alloc(ALIGN, bytes);
    if (p) memset(p, 0, bytes);
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

void mem_free(void *p) { free(p); }
