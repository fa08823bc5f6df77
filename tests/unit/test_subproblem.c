/* The step's sub-problem: solved to its optimality conditions, where coordinates alone would crawl.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/vec.h"
#include "subproblem/quad.h"

enum { D = 60, ROWS = 4 * D };
static const double lambda = 3e-5;

/* M = mean of a a', rows a of 1 + 0.05 N(0, 1): one direction that all share, 2e4 times as steep as the others. */
static void make_matrix(double *m)
{
    double a[D];
    vec_zero((size_t)D * D, m);
    for (size_t i = 0; i < ROWS; i++) {
        rng_normals(5, FOR_SYNTH, i, 0, D, a);
        for (size_t j = 0; j < D; j++) a[j] = 1 + 0.05 * a[j];
        for (size_t j = 0; j < D; j++) vec_add(D, a[j] / ROWS, a, m + j * D);
    }
}

/* From a point with the wrong signs: |r_j + lambda sign(z_j)|, or what |r_j| is above lambda where z_j = 0, beside the first. */
static void signs_that_are_wrong_are_mended(void **state)
{
    static double m[D * D], g[D], x[D], z[D], best[D], r[D];
    (void)state;
    make_matrix(m);
    for (size_t j = 0; j < D; j++) {
        x[j] = rng_uniform(5, FOR_SYNTH, ROWS, j) - 0.5;
        best[j] = rng_uniform(5, FOR_SYNTH, ROWS + 1, j) - 0.5;
        g[j] = 0;
    }
    for (size_t j = 0; j < D; j++)
        for (size_t k = 0; k < D; k++) g[j] += m[j * D + k] * (x[k] - best[k]);
    zo_prox psi = zo_l1(lambda);
    quad q = {.d = D, .matrix = m, .g = g, .x = x, .psi = &psi};
    quad_room room;
    assert_int_equal(quad_open(&room, D, 0, D), 0);
    vec_copy(D, x, z);
    quad_solve(&q, &room, (quad_effort){20, 0, 1e-13}, z); /* few sweeps: it has to be the polish */
    double most = 0;
    size_t crossed = 0;
    for (size_t j = 0; j < D; j++) {
        r[j] = g[j];
        for (size_t k = 0; k < D; k++) r[j] += m[j * D + k] * (z[k] - x[k]);
        double off = z[j] == 0 ? fmax(fabs(r[j]) - lambda, 0) : fabs(r[j] + copysign(lambda, z[j]));
        most = fmax(most, off);
        crossed += z[j] * x[j] < 0;
    }
    assert_true(crossed > D / 8);
    if (!(most < 1e-6)) fail_msg("%zu crossed, a slope is off by %g", crossed, most);
    quad_close(&room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(signs_that_are_wrong_are_mended)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
