/* Reads a LIBSVM file again and again, for bench/read.py.
 * SPDX-License-Identifier: MIT
 *
 *     read FILE    a line THREADS on standard input is answered with: seconds, of processors, n, features,
 *                  nonzeros, sum of the values
 *
 * The counts and the sum show that both readers have read the same. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "data/data.h"

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double sum_of(const zo_data *data)
{
    double sum = 0;
    size_t count = data->dense ? data->n * data->features : data->nonzeros;
    for (size_t k = 0; k < count; k++) sum += data->dense ? data->dense[k] : data->val[k];
    return sum;
}

int main(int argc, char **argv)
{
    int threads;
    if (argc != 2) return 2;
    while (scanf("%d", &threads) == 1) {
        zo_data *data;
        zo_error err;
        double begun = seconds(CLOCK_MONOTONIC), worked = seconds(CLOCK_PROCESS_CPUTIME_ID);
        if (data_read(&data, argv[1], 0, threads, 0, &err)) {
            fprintf(stderr, "read: %s\n", err.text);
            return 1;
        }
        double took = seconds(CLOCK_MONOTONIC) - begun;
        worked = seconds(CLOCK_PROCESS_CPUTIME_ID) - worked;
        printf("%.6f %.6f %zu %zu %zu %.17g\n", took, worked, data->n, data->features,
               data->nonzeros, sum_of(data));
        fflush(stdout);
        zo_data_free(data);
    }
    return 0;
}
