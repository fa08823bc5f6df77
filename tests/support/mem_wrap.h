/* The linker sends every call of mem_new, mem_grow and mem_free in the library to __wrap_... (--wrap, see
 * CMakeLists.txt), which one file of a program defines.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TESTS_MEM_WRAP_H
#define ZO_TESTS_MEM_WRAP_H

#include <stddef.h>

void *__real_mem_new(size_t count, size_t size);
void *__real_mem_grow(void *p, size_t old, size_t count, size_t size);
void __real_mem_free(void *p);
void *__wrap_mem_new(size_t count, size_t size);
void *__wrap_mem_grow(void *p, size_t old, size_t count, size_t size);
void __wrap_mem_free(void *p);

#endif
