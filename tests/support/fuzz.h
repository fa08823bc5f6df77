/* What fuzzers share: a demand, and bytes as a file with a path.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TESTS_FUZZ_H
#define ZO_TESTS_FUZZ_H

#undef _POSIX_C_SOURCE
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create; include this first */
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "zoprox.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static inline void must(int holds)
{
    if (!holds) abort();
}

/* A file in memory; path has room for 32 bytes. Close what is returned. */
static inline int memory_file(const uint8_t *bytes, size_t size, char *path)
{
    int fd = memfd_create("fuzz", 0);
    must(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
    snprintf(path, 32, "/proc/self/fd/%d", fd);
    return fd;
}

/* A refusal is a status and one sentence. */
static inline void must_be_said(zo_status status, const zo_error *err)
{
    must(status == err->status && *err->text && !strchr(err->text, '\n'));
}

#endif
