/* An allocator whose k-th call fails, in place of base/mem.c. Include it in one test program: the linker then
 * leaves the library's own out.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TESTS_FAILING_H
#define ZO_TESTS_FAILING_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static size_t failing_at;   /* the call that fails, from 1; 0: none */
static size_t failing_done; /* calls so far */
static size_t failing_held; /* blocks not yet freed */

static inline void failing_start(size_t k)
{
    failing_at = k;
    failing_done = 0;
}

static inline int failing_hit(void) { return failing_at && failing_done >= failing_at; }

void *mem_new(size_t count, size_t size)
{
    enum { ALIGN = 64 };
    if (++failing_done == failing_at || (size && count > (SIZE_MAX - ALIGN) / size)) return NULL;
    size_t bytes = (count * size + ALIGN) / ALIGN * ALIGN; /* never 0 */
    void *p = aligned_alloc(ALIGN, bytes);
    if (!p) return NULL;
    memset(p, 0, bytes);
    failing_held++;
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
    if (p) failing_held--;
    free(p);
}

#endif
