/* A black box for tests with an edge: cliff N D EDGE HOW [CHANCE [COUNTED]].
 * SPDX-License-Identifier: MIT
 *
 * f_i(x) = log cosh(a_i'x - b_i) + |x|^2/40. Where x_0 > EDGE, and by accident once in 1/CHANCE values, it cannot be evaluated;
 * HOW says what happens then: exit (with code 3), signal (it kills itself), hang, garbage, short (a line without its last
 * value), or nan. To the file COUNTED every question adds a line, how many values it was. */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static size_t d;

static double f(size_t i, const double *x)
{
    double m = -1 - sin((double)i), s = 0;
    for (size_t j = 0; j < d; j++) {
        m += cos((double)((i + 1) * (j + 1))) * x[j] + (j == 0 ? 0.5 * x[j] : 0);
        s += x[j] * x[j];
    }
    return fabs(m) + log1p(exp(-2 * fabs(m))) - log(2) + 0.025 * s;
}

static void fall(const char *how)
{
    if (!strcmp(how, "exit")) {
        fprintf(stderr, "beyond the edge\n");
        exit(3);
    }
    if (!strcmp(how, "signal")) raise(SIGKILL);
    while (!strcmp(how, "hang")) pause();
}

/* Where there are accidents, this value of a process is one: no run is without. */
enum { CERTAIN = 40 };

int main(int argc, char **argv)
{
    if (argc < 5) return 2;
    size_t n = strtoul(argv[1], NULL, 10);
    d = strtoul(argv[2], NULL, 10);
    double edge = strtod(argv[3], NULL), chance = argc > 5 ? strtod(argv[5], NULL) : 0;
    const char *how = argv[4];
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    srand48((long)getpid() * 7919 + now.tv_nsec); /* accidents do not come back when asked again */
    double *x = malloc(d * sizeof *x);
    unsigned asked = 0;
    char kind[8], word[32];
    size_t id, points, comps;
    while (scanf("%7s %zu %zu %zu", kind, &id, &points, &comps) == 4) {
        size_t *comp = malloc((comps + n) * sizeof *comp);
        double *value = calloc(points * comps + 1, sizeof *value);
        int fell = 0;
        for (size_t k = 0; k < comps && scanf("%31s", word) == 1; k++) {
            for (size_t i = 0; *word == 'a' && i < n; i++) comp[k++] = i;
            if (*word != 'a') comp[k] = strtoul(word, NULL, 10);
        }
        size_t each = !strcmp(kind, "each") ? comps : 1;
        for (size_t row = 0; row < points * each; row++) {
            for (size_t j = 0; j < d; j++)
                if (scanf("%lf", &x[j]) != 1) return 1;
            for (size_t k = 0; k < (each > 1 ? 1 : comps); k++) {
                int falls = x[0] > edge || drand48() < chance || (chance > 0 && ++asked == CERTAIN);
                size_t at = each > 1 ? row % points * comps + row / points : row * comps + k;
                value[at] = falls ? NAN : f(comp[each > 1 ? row / points : k], x);
                fell |= falls;
            }
        }
        FILE *counted = argc > 6 ? fopen(argv[6], "a") : NULL;
        if (counted) fprintf(counted, "%zu\n", points * comps);
        if (counted) fclose(counted);
        if (fell) fall(how);
        if (fell && !strcmp(how, "garbage")) printf("what a mess\n");
        printf("%zu\n", id);
        for (size_t p = 0; p < points; p++) {
            for (size_t k = 0; k < comps - (fell && p == 0 && !strcmp(how, "short")); k++)
                printf(" %.17g", value[p * comps + k]);
            printf("\n");
        }
        fflush(stdout);
        free(comp);
        free(value);
    }
    free(x);
    return 0;
}
