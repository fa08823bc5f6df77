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

/* (a'z - 1)^2/2 + lambda |z|_1, a = (1, 2, ...): the last coordinate alone is best, and sweeps hardly move along a'z = 1. */
static void one_row_leaves_one_coordinate(void **state)
{
    enum { FEW_UNKNOWNS = 7 };
    double m[FEW_UNKNOWNS * FEW_UNKNOWNS], g[FEW_UNKNOWNS], x[FEW_UNKNOWNS] = {0};
    double z[FEW_UNKNOWNS] = {0}, last = FEW_UNKNOWNS;
    (void)state;
    for (int j = 0; j < FEW_UNKNOWNS; j++) {
        g[j] = -(j + 1);
        for (int k = 0; k < FEW_UNKNOWNS; k++) m[j * FEW_UNKNOWNS + k] = (j + 1) * (k + 1);
        m[j * FEW_UNKNOWNS + j] += 1e-13;
    }
    zo_prox psi = zo_l1(1e-6);
    quad q = {.d = FEW_UNKNOWNS, .matrix = m, .g = g, .x = x, .psi = &psi};
    quad_room room;
    assert_int_equal(quad_open(&room, FEW_UNKNOWNS, 0, FEW_UNKNOWNS), 0);
    quad_solve(&q, &room, (quad_effort){100, 0, 1e-13}, z);
    for (int j = 0; j + 1 < FEW_UNKNOWNS; j++)
        if (z[j] != 0) fail_msg("z_%d = %g", j, z[j]);
    assert_true(fabs(z[FEW_UNKNOWNS - 1] - 1 / last) < 1e-6);
    quad_close(&room);
}

enum { WIDE = 700, TALL = 300, FEW = 256 };

/* A factor of TALL rows by columns, its matrix, and gradients J. */
typedef struct spread_case {
    double col[WIDE * TALL], matrix[WIDE * WIDE], j[FEW * WIDE], work[FEW * WIDE];
    double g[WIDE], x[WIDE], z[WIDE];
} spread_case;

static void make_spread(spread_case *c)
{
    for (size_t k = 0; k < WIDE; k++) {
        rng_normals(6, FOR_SYNTH, k, 0, TALL, c->col + k * TALL);
        vec_scale(TALL, 0.02, c->col + k * TALL);
        c->z[k] = k % 7 != 0;
    }
    for (size_t k = 0; k < WIDE; k++)
        for (size_t e = 0; e < WIDE; e++)
            c->matrix[k * WIDE + e] = vec_dot(TALL, c->col + k * TALL, c->col + e * TALL);
    for (size_t e = 0; e < FEW; e++) rng_normals(6, FOR_SYNTH, WIDE + e, 0, WIDE, c->j + e * WIDE);
}

/* The trace by the factor beside that by the matrix. Of many rows a few sums with random signs tell it, within a tenth; of fewer
 * it is exact. */
static void spread_of_many_rows_is_near(void **state)
{
    spread_case *c = calloc(1, sizeof *c);
    quad_room room;
    zo_prox psi = zo_l1(lambda);
    (void)state;
    make_spread(c);
    quad q = {
        .d = WIDE, .rows = TALL, .stride = TALL, .col = c->col, .g = c->g, .x = c->x, .psi = &psi};
    assert_int_equal(quad_open(&room, WIDE, TALL, WIDE), 0);
    for (int k = 0; k < 2; k++) {
        size_t count = k ? FEW : FEW - 1;
        q.damping = k ? 0.01 : 1;
        q.matrix = NULL;
        double by_factor = quad_spread(&q, &room, c->z, count, c->j, c->work);
        q.matrix = c->matrix;
        double exact = quad_spread(&q, &room, c->z, count, c->j, c->work);
        assert_true(exact > 0);
        double off = fabs(by_factor / exact - 1);
        if (!(off < (k ? 0.1 : 1e-9))) fail_msg("%zu rows: off by %g", count, off);
    }
    quad_close(&room);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(signs_that_are_wrong_are_mended),
                                       cmocka_unit_test(one_row_leaves_one_coordinate),
                                       cmocka_unit_test(spread_of_many_rows_is_near)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
