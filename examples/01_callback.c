/* Your own function: 1000 cases of a robust fit of 20 numbers, sparse by an l1 term.
 * SPDX-License-Identifier: MIT
 *
 *     cc 01_callback.c $(pkg-config --cflags --libs zoprox) -lm */
#include <math.h>
#include <stdio.h>

#include <zoprox.h>

enum { N = 1000, D = 20 };

/* Entry j of case i: any fixed function will do. */
static double feature(size_t i, size_t j) { return sin((double)(i * (j + 1)) + 0.5 * (double)j); }

/* f_i(x) = log cosh(z_i'x - y_i), where y_i = 3 z_i0 - 2 z_i7. */
static int value(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    double miss = 2 * feature(i, 7) - 3 * feature(i, 0);
    for (size_t j = 0; j < D; j++) miss += feature(i, j) * x[j];
    *f = log(cosh(miss));
    return 0;
}

int main(void)
{
    zo_problem p = {.n = N, .d = D, .value = value, .psi = zo_l1(1e-3)};
    zo_settings s = zo_defaults();
    zo_control c = zo_no_limits();
    c.max_units = 50;
    zo_solver *solver;
    zo_report r;
    zo_error e;
    if (zo_new(&solver, &p, &s, &e) || zo_start(solver, NULL, &e) || zo_run(solver, &c, &r, &e)) {
        fprintf(stderr, "%s\n", e.text);
        zo_free(solver);
        return 1;
    }
    printf("%s: F = %.6f after %.1f units, %zu of %d coordinates are not 0\n", r.method,
           r.objective, r.units, r.nonzeros, D);
    const double *x = zo_point(solver);
    for (size_t j = 0; j < D; j++)
        if (x[j] != 0) printf("x[%zu] = %.3f\n", j, x[j]);
    zo_free(solver);
    return 0;
}
