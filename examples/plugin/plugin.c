/* A black box as a shared object: cc -shared -fPIC plugin.c -o plugin.so; zoprox solve --plugin ./plugin.so --arg 50
 * SPDX-License-Identifier: MIT
 *
 * f_i(x) = (x_j - j)^2, j = i mod 5, for as many components as the argument says. */
#include <stdio.h>
#include <stdlib.h>
#include <zoprox.h>

static int value(void *ctx, size_t i, const double *x, double *f)
{
    double miss = x[i % 5] - (double)(i % 5);
    (void)ctx;
    *f = miss * miss;
    return 0;
}

int zoprox_open(int argc, char **argv, zo_problem *problem, char *error, size_t size);

int zoprox_open(int argc, char **argv, zo_problem *problem, char *error, size_t size)
{
    size_t n = argc > 0 ? strtoul(argv[0], NULL, 10) : 100;
    if (n < 5) {
        snprintf(error, size, "%zu components; 5 or more are needed", n);
        return 1;
    }
    *problem = (zo_problem){.n = n, .d = 5, .value = value};
    return 0;
}
