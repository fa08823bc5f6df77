/* Any bytes as the past of a run, CSV or SQLite by the first byte: read, or refused with one sentence; a run on it ends.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memfd_create */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "zoprox.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static int value(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    *f = (x[0] - (double)i) * (x[0] - (double)i) + x[1] * x[1];
    return 0;
}

static void must(int holds)
{
    if (!holds) abort();
}

static void run_on(zo_history *h, const zo_problem *p)
{
    zo_settings s = zo_defaults();
    zo_control c = zo_no_limits();
    zo_solver *solver;
    zo_report r;
    zo_error err;
    c.max_queries = 60;
    c.history = h;
    must(zo_new(&solver, p, &s, &err) == ZO_OK);
    if (!zo_start(solver, zo_history_best(h, &p->psi, NULL), &err)) zo_run(solver, &c, &r, &err);
    zo_free(solver);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0) return 0;
    char path[64], link_[64];
    int fd = memfd_create("past", 0), sqlite = bytes[0] & 1;
    must(fd >= 0 && write(fd, bytes + 1, size - 1) == (ssize_t)(size - 1));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    snprintf(link_, sizeof link_, "/tmp/fuzz_history.%d.%s", (int)getpid(), sqlite ? "db" : "csv");
    unlink(link_);
    must(symlink(path, link_) == 0);
    zo_problem p = {.n = 3, .d = 2, .value = value};
    zo_history_options o = {.n = 3, .d = 2, .past = link_};
    zo_history *h;
    zo_error err;
    if (zo_history_open(&h, &o, &err))
        must(!h && *err.text);
    else
        run_on(h, &p);
    zo_history_close(h);
    unlink(link_);
    close(fd);
    return 0;
}
