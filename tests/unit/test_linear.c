/* Linear equations, inequalities and bounds beside f: every method keeps its point inside, and those that arrive without them
 * arrive at the optimum with them.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "settings_of.h"
#include "zoprox.h"

enum { N = 20, D = 4 };

/* f_i(x) = |x - c_i|^2 (1 + i % 3)/2: the minimizer over a set is the nearest point to the weighted mean of the c_i. */
static int value(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    *f = 0;
    for (size_t j = 0; j < D; j++) {
        double c = 2 * sin((double)(i * D + j)) + (double)j - 1;
        *f += 0.5 * (1 + (double)(i % 3)) * (x[j] - c) * (x[j] - c);
    }
    return 0;
}

static void optimum(const zo_prox *psi, double *x)
{
    double sum = 0, work[2048];
    memset(x, 0, D * sizeof *x);
    for (size_t i = 0; i < N; i++) {
        double w = 1 + (double)(i % 3);
        sum += w;
        for (size_t j = 0; j < D; j++) x[j] += w * (2 * sin((double)(i * D + j)) + (double)j - 1);
    }
    for (size_t j = 0; j < D; j++) x[j] /= sum;
    assert_true(psi->work(psi, D) <= 2048);
    psi->apply(psi, D, 1, x, x, work);
}

static void every_method(void **state)
{
    (void)state;
    const double a[] = {1, 1, 1, 1, 1, -1, 0, 0.5}, b[] = {1, 0.2};
    zo_block both[] = {{0, D, zo_affine(a, b, 1)},
                       {0, D, zo_polyhedron(a + D, b + 1, 1)},
                       {0, D, zo_box(-0.5, 1)}};
    zo_prox sets[] = {zo_affine(a, b, 2), zo_polyhedron(a, b, 2), zo_sum(both, 3)};
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t m = 0; m < count; m++)
        for (size_t k = 0; k < 3; k++) {
            zo_problem p = {.n = N, .d = D, .value = value, .psi = sets[k]};
            zo_settings set = settings_of(rows[m].name);
            zo_control c = zo_no_limits();
            zo_solver *solver;
            zo_report r;
            zo_error e = {0};
            double best[D];
            c.max_units = 150;
            optimum(&sets[k], best);
            if (zo_new(&solver, &p, &set, &e) || zo_start(solver, NULL, &e) ||
                zo_run(solver, &c, &r, &e))
                fail_msg("%s: %s", set.method, e.text);
            const double *x = zo_point(solver);
            double away = 0;
            for (size_t j = 0; j < D; j++) away = fmax(away, fabs(x[j] - best[j]));
            if (sets[k].value(&sets[k], D, x) != 0) fail_msg("%s leaves set %zu", set.method, k);
            int exact = !strstr("zosgd zpdvr zpsvrg zpvr lm", set.method);
            if (!(away < (exact ? 1e-3 : 2)))
                fail_msg("%s, set %zu: %g from the optimum, %s", set.method, k, away,
                         zo_reason_name(r.reason));
            zo_free(solver);
        }
}

/* More rows than dimensions, next to dependent and against each other: nothing is written beyond the room asked for. */
static void nearly_dependent_rows_keep_to_their_room(void **state)
{
    enum { ROWS = 5, DIM = 3, MARGIN = 64 };
    uint64_t seed = 1;
    (void)state;
    for (int trial = 0; trial < 20000; trial++) {
        double a[ROWS * DIM], b[ROWS], x[DIM] = {3, -1, 0.5}, work[1024];
        for (size_t k = 0; k < ROWS * DIM + ROWS; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            double number = (double)(seed >> 60) * (seed >> 40 & 1 ? 1 : 1e-5);
            *(k < ROWS * DIM ? a + k : b + k - ROWS * DIM) = number;
        }
        zo_block both[] = {{0, DIM, zo_affine(a, b, ROWS)}, {0, DIM, zo_box(0, INFINITY)}};
        zo_prox psi = zo_sum(both, 2);
        size_t room = psi.work(&psi, DIM);
        assert_true(room + MARGIN <= sizeof work / sizeof *work);
        for (size_t k = 0; k < MARGIN; k++) work[room + k] = 7;
        psi.apply(&psi, DIM, 1, x, x, work);
        for (size_t k = 0; k < MARGIN; k++) assert_true(work[room + k] == 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_method),
                                       cmocka_unit_test(nearly_dependent_rows_keep_to_their_room)};
    return cmocka_run_group_tests_name("linear", tests, NULL, NULL);
}
