/* The k-th allocation fails, for every k until none does: ZO_NO_MEMORY, a sentence, no crash, nothing leaked.
 * SPDX-License-Identifier: MIT
 *
 * By the three functions of mem_wrap.h. One file of a program includes this. */
#ifndef ZO_TESTS_OOM_H
#define ZO_TESTS_OOM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "mem_wrap.h"
#include "zoprox_data.h"

static long made, fails_at; /* allocations so far, the one that fails */
static atomic_long living;  /* blocks not yet freed: a thread frees its own start */

void *__wrap_mem_new(size_t count, size_t size)
{
    if (++made == fails_at) return NULL;
    void *p = __real_mem_new(count, size);
    living += p != NULL;
    return p;
}

void *__wrap_mem_grow(void *p, size_t old, size_t count, size_t size)
{
    if (++made == fails_at) return NULL;
    void *q = __real_mem_grow(p, old, count, size);
    living += q && !p;
    return q;
}

void __wrap_mem_free(void *p)
{
    living -= p != NULL;
    __real_mem_free(p);
}

/* What is tried: it frees all it made, whatever happens, and returns the first failure. */
typedef zo_status attempt(const void *what, zo_error *err);

static int may_survive; /* 1: a failed allocation may go unnoticed (a value that is shown as NaN) */

static inline void fail_each(attempt *try, const void *what, const char *name)
{
    int failed = 1;
    for (long k = 1; failed; k++) {
        zo_error err = {0};
        made = 0;
        living = 0;
        fails_at = k;
        zo_status status = try(what, &err);
        failed = made >= k;
        fails_at = 0;
        int right = status == (failed ? ZO_NO_MEMORY : ZO_OK) || (may_survive && status == ZO_OK);
        if (!right || living != 0 || (status && !*err.text) || k > 20000)
            fail_msg("%s: allocation %ld: status %s, %ld blocks not freed, \"%s\"", name, k,
                     zo_status_name(status), (long)living, err.text);
        assert_true(failed || made > 0); /* otherwise nothing was tested */
    }
}

#endif
