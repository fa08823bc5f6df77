/* Memory: zeroed, aligned to 64 bytes, sizes checked for overflow.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_BASE_MEM_H
#define ZO_BASE_MEM_H

#include <stddef.h>

/* count*size zero bytes, or NULL when that overflows or memory is out. count 0 gives a valid pointer. */
void *mem_new(size_t count, size_t size);
/* Grows to count*size bytes, keeping the first old*size; what is new is zero. On failure NULL, and p is
 * untouched. */
void *mem_grow(void *p, size_t old, size_t count, size_t size);
void mem_free(void *p); /* takes NULL */
/* The pages of what will be gone through as a whole are made now, all at once: one by one, as they are touched, costs several times
 * that, and more with threads. Takes NULL. */
void mem_touch(void *p, size_t count, size_t size);
/* All of it will be filled, here and there: in huge pages where it is large enough for them, without the bound that mem_new has.
 * Takes NULL. */
void mem_fill(void *p, size_t count, size_t size);

/* bytes of memory that this machine has; infinity where it does not say */
double mem_machine(void);

#endif
