/* A black box in C: zoprox solve --command ./worker --n 200 --dim 20. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
enum { D = 20, MOST = 1 << 16 }; /* dimensions; points in a question */

static double f(size_t i, const double *x) /* log(1 + exp(-a_i'x)) */
{
    double m = 0;
    for (size_t j = 0; j < D; j++) m += cos((double)((i + 1) * (j + 1))) * x[j];
    return log1p(exp(-m));
}

int main(void)
{
    static double x[MOST][D];
    static size_t id, points, comps, comp[MOST];
    for (char kind[8]; scanf("%7s %zu %zu %zu", kind, &id, &points, &comps) == 4; fflush(stdout)) {
        int each = kind[1] == 'a', all = 0; /* each: every component has points of its own */
        for (size_t k = 0; k < comps; k++)
            if (scanf("%zu", &comp[k]) != 1) all = 1, comp[k] = k; /* "all" is no number */
        if (all && scanf("all") == EOF) return 1;
        for (size_t k = 0; k < points * (each ? comps : 1) * D; k++)
            if (scanf("%lf", &x[k / D][k % D]) != 1) return 1;
        printf("%zu\n", id);
        for (size_t p = 0; p < points; p++)
            for (size_t k = 0; k < comps; k++)
                printf("%.17g%c", f(comp[k], x[each ? k * points + p : p]), " \n"[k + 1 == comps]);
    }
}
