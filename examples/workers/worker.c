/* A black box in C: zoprox solve --command ./worker --n 200 --dim 20. f_i(x) = log(1 + exp(-a_i'x)).
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 200, D = 20, MOST = 1 << 16 };

static double f(size_t i, const double *x)
{
    double m = 0;
    for (size_t j = 0; j < D; j++) m += cos((double)((i + 1) * (j + 1))) * x[j];
    return log1p(exp(-m));
}

int main(void)
{
    static double x[D], value[MOST];
    char kind[8], word[32];
    size_t id, points, comps, comp[N];
    while (scanf("%7s %zu %zu %zu", kind, &id, &points, &comps) == 4) {
        for (size_t k = 0; k < comps && scanf("%31s", word) == 1; k++) { /* numbers, or "all" */
            for (size_t i = 0; *word == 'a' && i < N; i++) comp[k++] = i;
            if (*word != 'a') comp[k] = strtoul(word, NULL, 10);
        }
        size_t each = *kind == 'e' && kind[1] == 'a' ? comps : 1; /* every component has points of its own */
        for (size_t row = 0; row < points * each; row++) {
            for (size_t j = 0; j < D; j++)
                if (scanf("%lf", &x[j]) != 1) return 1;
            if (each == 1)
                for (size_t k = 0; k < comps; k++) value[row * comps + k] = f(comp[k], x);
            else
                value[row % points * comps + row / points] = f(comp[row / points], x);
        }
        printf("%zu\n", id);
        for (size_t k = 0; k < points * comps; k++)
            printf("%.17g%c", value[k], k % comps + 1 < comps ? ' ' : '\n');
        fflush(stdout);
    }
    return 0;
}
