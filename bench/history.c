/* What a history costs: nanoseconds a query without one, as CSV and as SQLite. history MICROSECONDS METHOD [FILE]
 * SPDX-License-Identifier: MIT
 *
 * 10^5 queries of a function that takes so many microseconds of the processor's time, n = 500, d = 20. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "zoprox.h"

enum { N = 500, D = 20, UNITS = 10 };

static double clock_of(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int value(void *ctx, size_t i, const double *x, double *f)
{
    double sum = 0, busy = *(double *)ctx, begun = busy > 0 ? clock_of(CLOCK_THREAD_CPUTIME_ID) : 0;
    for (size_t j = 0; j < D; j++) sum += (x[j] - (double)(i % 7)) * (x[j] - (double)(i % 7));
    while (busy > 0 && clock_of(CLOCK_THREAD_CPUTIME_ID) - begun < busy) {
    }
    *f = sum;
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 3) return 2;
    double busy = 1e-6 * strtod(argv[1], NULL);
    zo_problem p = {.n = N, .d = D, .value = value, .ctx = &busy};
    zo_history_options o = {.n = N, .d = D, .file = argc > 3 ? argv[3] : NULL};
    zo_settings s = zo_defaults();
    zo_control c = zo_no_limits();
    zo_history *h = NULL;
    zo_solver *solver = NULL;
    zo_report r;
    zo_error err;
    c.max_units = UNITS;
    c.track = ZO_TRACK_OFF;
    double begun = clock_of(CLOCK_PROCESS_CPUTIME_ID);
    int failed = zo_set(&s, "method", argv[2], &err) || zo_history_open(&h, &o, &err);
    c.history = h;
    failed = failed || zo_new(&solver, &p, &s, &err) || zo_start(solver, NULL, &err) ||
             zo_run(solver, &c, &r, &err);
    zo_free(solver);
    zo_history_close(h);
    if (failed) return fprintf(stderr, "%s\n", err.text), 1;
    printf("%.0f\n", 1e9 * (clock_of(CLOCK_PROCESS_CPUTIME_ID) - begun) / (double)r.queries);
    return 0;
}
