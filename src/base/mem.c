/* Memory: every allocation of the library goes through mem_new and mem_grow, so that a test can make the k-th
 * fail.
 * SPDX-License-Identifier: MIT
 *
 * Small blocks come from the heap. Large ones are mapped: their pages are zero and cost nothing until they
 * are touched, and they grow and shrink by moving page tables, so that a growing array never exists twice. */
#define _GNU_SOURCE /* mremap */
#include "base/mem.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGN = 64, PAGE = 1 << 16 };
#ifdef __SANITIZE_THREAD__
#define LARGE SIZE_MAX /* ThreadSanitizer does not know mremap: what has moved would look shared */
#else
#define LARGE ((size_t)1 << 18)
#endif
enum { HUGE_FROM = 1 << 22, HUGE_TO = 1 << 23 }; /* bytes of blocks that huge pages are asked for */

/* Sits in the ALIGN bytes before what the caller sees. */
typedef struct header {
    size_t bytes; /* of the block, with the header; whole pages when it is mapped */
    int mapped;
} header;

static header *header_of(void *p) { return (header *)(void *)((char *)p - ALIGN); }

/* The size of a block for count*size bytes; 0: too many. */
static size_t block_size(size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 2 - PAGE) / size) return 0;
    size_t bytes = count * size + ALIGN, unit = bytes < LARGE ? ALIGN : PAGE;
    return (bytes + unit - 1) / unit * unit;
}

/* Huge pages make the first touch of a block several times cheaper, and rows of a table that are taken here and there. Not
 * those of large blocks: of a table that is filled here and there the rest would be cleared with it, and a virtual machine that
 * hands free memory back to its host has a few of them at hand; beyond that the first touch of one costs several times what
 * it saves. */
static header *map_block(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
#ifdef MADV_HUGEPAGE
    if (bytes >= HUGE_FROM && bytes <= HUGE_TO) madvise(p, bytes, MADV_HUGEPAGE);
#endif
    return p;
}

void *mem_new(size_t count, size_t size)
{
    size_t bytes = block_size(count, size);
    if (bytes == 0) return NULL;
    int mapped = bytes >= LARGE;
    header *h = mapped ? map_block(bytes) : aligned_alloc(ALIGN, bytes);
    if (!h) return NULL;
    if (!mapped) memset(h, 0, bytes);
    *h = (header){bytes, mapped};
    return (char *)h + ALIGN;
}

/* A mapped block that stays one; used bytes of it, header included, are kept. */
static void *remap(header *h, size_t used, size_t bytes)
{
    size_t before = h->bytes;
    header *q = bytes == before ? h : mremap(h, before, bytes, MREMAP_MAYMOVE);
    if (q == MAP_FAILED) return NULL;
    if (used < before && used < bytes)
        memset((char *)q + used, 0, (before < bytes ? before : bytes) - used);
    q->bytes = bytes;
    return (char *)q + ALIGN;
}

void *mem_grow(void *p, size_t old, size_t count, size_t size)
{
    size_t bytes = block_size(count, size);
    if (bytes == 0) return NULL;
    if (p && header_of(p)->mapped && bytes >= LARGE)
        return remap(header_of(p), old * size + ALIGN, bytes);
    void *q = mem_new(count, size);
    if (!q) return NULL;
    if (p) memcpy(q, p, (old < count ? old : count) * size);
    mem_free(p);
    return q;
}

/* Whole pages within count*size bytes; 0: there are none. */
static size_t pages_within(void *p, size_t count, size_t size, void **first)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)p,
              begin = (from + page - 1) / page * page, end = (from + count * size) / page * page;
    *first = (void *)begin;
    return p && begin < end ? end - begin : 0;
}

void mem_touch(void *p, size_t count, size_t size)
{
    void *first;
    size_t bytes = pages_within(p, count, size, &first);
#ifdef MADV_POPULATE_WRITE
    if (bytes) madvise(first, bytes, MADV_POPULATE_WRITE);
#else
    (void)bytes; /* as they are touched, then */
#endif
}

void mem_fill(void *p, size_t count, size_t size)
{
    void *first;
    size_t bytes = pages_within(p, count, size, &first);
#ifdef MADV_HUGEPAGE
    if (bytes >= HUGE_FROM) madvise(first, bytes, MADV_HUGEPAGE);
#else
    (void)bytes;
#endif
}

void mem_free(void *p)
{
    if (!p) return;
    header *h = header_of(p);
    if (h->mapped)
        munmap(h, h->bytes);
    else
        free(h);
}

double mem_machine(void)
{
    double pages = (double)sysconf(_SC_PHYS_PAGES), size = (double)sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? pages * size : INFINITY;
}
