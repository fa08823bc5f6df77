/* A checkpoint with bytes changed, cut off or added: refused with one sentence, or loaded; never a crash.
 * SPDX-License-Identifier: MIT
 *
 * The input is a list of changes (position, byte) to a good checkpoint. An odd first byte puts the hash at the
 * end right again, so that the changes get past it. */
#define _GNU_SOURCE /* memfd_create */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "zoprox.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { N = 9, D = 3, MOST = 1 << 16 };

static void must(int holds)
{
    if (!holds) abort();
}

static int value(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    *f = (x[i % D] - 1) * (x[i % D] - 1);
    return 0;
}

static zo_solver *fresh(void)
{
    zo_problem p = {.n = N, .d = D, .value = value, .psi = zo_l1(0.1)};
    zo_settings s = zo_defaults();
    zo_solver *solver;
    snprintf(s.method, sizeof s.method, "zpdvr");
    must(zo_new(&solver, &p, &s, NULL) == ZO_OK);
    return solver;
}

/* The bytes of a good checkpoint. */
static size_t good(uint8_t *file)
{
    char path[] = "fuzz-XXXXXX";
    int fd = mkstemp(path);
    zo_control c = zo_no_limits();
    c.max_units = 10;
    zo_solver *solver = fresh();
    must(fd >= 0 && !zo_start(solver, NULL, NULL) && !zo_run(solver, &c, NULL, NULL) &&
         !zo_save(solver, path, NULL));
    zo_free(solver);
    close(fd);
    FILE *f = fopen(path, "rb");
    size_t size = f ? fread(file, 1, MOST, f) : 0;
    must(size > 0 && size < MOST && !fclose(f) && !remove(path));
    return size;
}

/* As in solve/checkpoint.c: over all words but the last, which holds it. */
static void put_right(uint8_t *file, size_t size)
{
    uint64_t hash = 0, word;
    for (size_t k = 0; k + 8 < size; k += 8) {
        memcpy(&word, file + k, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash = hash << 29 | hash >> 35;
    }
    if (size >= 8) memcpy(file + size - 8, &hash, 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static uint8_t pristine[MOST], file[MOST];
    static size_t whole;
    if (!whole) whole = good(pristine);
    if (size < 3) return 0;
    memcpy(file, pristine, whole);
    size_t length = bytes[1] % 8 ? whole : whole * bytes[2] / 256;
    for (size_t k = 3; k + 3 <= size; k += 3)
        file[(bytes[k] | (size_t)bytes[k + 1] << 8) % whole] = bytes[k + 2];
    if (bytes[0] % 2) put_right(file, length);
    int fd = memfd_create("fuzz", 0);
    must(fd >= 0 && write(fd, file, length) == (ssize_t)length);
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    zo_solver *solver = fresh();
    zo_error err;
    zo_status status = zo_load(solver, path, &err);
    if (status) must(status == err.status && *err.text);
    zo_free(solver);
    close(fd);
    return 0;
}
