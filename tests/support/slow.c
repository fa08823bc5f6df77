/* A black box for tests that takes its time: slow N D MILLISECONDS [FILE]. f_i(x) = sum_j (1+j) (x_j - i%3)^2.
 * SPDX-License-Identifier: MIT
 *
 * So many milliseconds for every value; FILE gets a line "component x_0 ... x_{d-1}" for every value it was asked for. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static size_t n, d;
static struct timespec pause;
static FILE *seen;

static double f(size_t i, const double *x)
{
    double sum = 0;
    nanosleep(&pause, NULL);
    for (size_t j = 0; j < d; j++)
        sum += (double)(1 + j) * (x[j] - (double)(i % 3)) * (x[j] - (double)(i % 3));
    if (!seen) return sum;
    char line[8192];
    size_t at = (size_t)snprintf(line, sizeof line, "%zu", i);
    for (size_t j = 0; j < d && at < sizeof line - 64; j++)
        at += (size_t)snprintf(line + at, sizeof line - at, " %.17g", x[j]);
    fprintf(seen, "%s\n", line);
    fflush(seen);
    return sum;
}

static void point(double *x)
{
    for (size_t j = 0; j < d; j++)
        if (scanf("%lf", &x[j]) != 1) exit(3);
}

int main(int argc, char **argv)
{
    char kind[16], word[32], id[32];
    size_t npoints, ncomp;
    if (argc < 4) return 2;
    n = strtoul(argv[1], NULL, 10);
    d = strtoul(argv[2], NULL, 10);
    long ms = strtol(argv[3], NULL, 10);
    pause = (struct timespec){ms / 1000, ms % 1000 * 1000000};
    if (argc > 4) seen = fopen(argv[4], "a");
    size_t *comp = calloc(n + 100000, sizeof *comp);
    double *x = calloc(d, sizeof *x);
    double *out = calloc(1 << 20, sizeof *out);
    if (!comp || !x || !out) return 3;
    while (scanf("%15s %31s %zu %zu", kind, id, &npoints, &ncomp) == 4) {
        for (size_t e = 0; e < ncomp; e++) {
            if (scanf("%31s", word) != 1) return 3;
            if (strcmp(word, "all")) {
                comp[e] = strtoul(word, NULL, 10);
                continue;
            }
            for (size_t i = 0; i < n; i++) comp[i] = i;
            break;
        }
        int each = !strcmp(kind, "each");
        for (size_t p = 0; p < npoints && !each; p++) {
            point(x);
            for (size_t e = 0; e < ncomp; e++) out[p * ncomp + e] = f(comp[e], x);
        }
        for (size_t e = 0; e < ncomp && each; e++)
            for (size_t p = 0; p < npoints; p++) {
                point(x);
                out[p * ncomp + e] = f(comp[e], x);
            }
        printf("%s\n", id);
        for (size_t p = 0; p < npoints; p++)
            for (size_t e = 0; e < ncomp; e++)
                printf("%.17g%c", out[p * ncomp + e], e + 1 < ncomp ? ' ' : '\n');
        fflush(stdout);
    }
    return 0;
}
