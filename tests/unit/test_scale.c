/* Units do not matter: where bounds or the user say how large coordinates are, methods see them in that scale.
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

enum { D = 3, N = 12 };

/* Curved components in y_j = x_j / unit_j. */
typedef struct measured {
    double unit[D];
    uint64_t calls;
} measured;

static int value(void *ctx, size_t i, const double *x, double *f)
{
    measured *t = ctx;
    double y[D], phase = 0.4 * (double)i;
    for (size_t j = 0; j < D; j++) y[j] = x[j] / t->unit[j];
    double bend = y[1] - 0.25 * y[0] * y[0] - 0.1 * cos(phase),
           rest = y[2] - 0.7 - 0.2 * sin(phase);
    *f = bend * bend + rest * rest + 0.5 * (y[0] - 1.3) * (y[0] - 1.3);
    t->calls++;
    return 0;
}

static zo_report run(measured *t, zo_problem p, const char *method, double units, double *x)
{
    zo_settings set = settings_of(method);
    zo_control c = zo_no_limits();
    zo_solver *solver;
    zo_report r;
    double start[D];
    for (size_t j = 0; j < D; j++) start[j] = 0.5 * t->unit[j];
    c.max_units = units;
    t->calls = 0;
    assert_int_equal(zo_new(&solver, &p, &set, NULL), ZO_OK);
    assert_int_equal(zo_start(solver, start, NULL), ZO_OK);
    assert_int_equal(zo_run(solver, &c, &r, NULL), ZO_OK);
    for (size_t j = 0; j < D; j++) x[j] = zo_point(solver)[j] / t->unit[j];
    zo_free(solver);
    return r;
}

/* Two sets of units, both far from 1, give the same questions and the same point, digit for digit. */
static void bounds_say_how_large(void **state)
{
    (void)state;
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t k = 0; k < count; k++) {
        double x[2][D];
        zo_report r[2];
        for (int far = 0; far < 2; far++) {
            measured t = {.unit = {ldexp(1, far ? -60 : -40), ldexp(1, far ? 50 : 30), 1}};
            double lo[D], hi[D];
            for (size_t j = 0; j < D; j++) lo[j] = 0.1 * t.unit[j], hi[j] = 4 * t.unit[j];
            zo_problem p = {.n = N, .d = D, .value = value, .ctx = &t, .psi = zo_bounds(lo, hi)};
            r[far] = run(&t, p, rows[k].name, 30, x[far]);
        }
        assert_memory_equal(x[0], x[1], sizeof x[0]);
        assert_int_equal(r[0].queries, r[1].queries);
        assert_true(r[0].objective == r[1].objective);
    }
}

/* Picofarads between bounds are no constants, and are found. */
static void tiny_bounds_are_no_constants(void **state)
{
    (void)state;
    measured t = {.unit = {1e-12, 3e11, 1}};
    double lo[D], hi[D], x[D];
    for (size_t j = 0; j < D; j++) lo[j] = 0.1 * t.unit[j], hi[j] = 4 * t.unit[j];
    zo_problem p = {.n = N, .d = D, .value = value, .ctx = &t, .psi = zo_bounds(lo, hi)};
    zo_report r = run(&t, p, "auto", 1000, x);
    assert_int_equal(r.reason, ZO_AT_END);
    assert_true(fabs(x[0] - 1.3) < 1e-4 && fabs(x[2] - 0.7) < 0.1);
}

/* Nor are bounds too large for a double's next power of two. */
static int nowhere_far(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    (void)i;
    assert_true(x[0] == 1.7e308 && x[1] >= 1e308 && x[1] <= 1.5e308 && isfinite(x[2]));
    *f = 1e-308 * x[1] + x[2] * x[2];
    return 0;
}

static void the_largest_bounds(void **state)
{
    (void)state;
    measured t = {.unit = {1, 1, 1}};
    double lo[D] = {1.7e308, 1e308, -1}, hi[D] = {1.7e308, 1.5e308, 1}, x[D];
    zo_problem p = {.n = 1, .d = D, .value = nowhere_far, .psi = zo_bounds(lo, hi)};
    zo_report r = run(&t, p, "auto", 50, x);
    assert_true(isfinite(r.objective));
}

/* f = |y - 2|^2/2 with psi = 0.3 |y|_1, told in units and with their scale: y = 1.7. */
static int distance(void *ctx, size_t i, const double *x, double *f)
{
    measured *t = ctx;
    (void)i;
    *f = 0;
    for (size_t j = 0; j < D; j++) *f += 0.5 * pow(x[j] / t->unit[j] - 2, 2);
    return 0;
}

static void psi_keeps_its_units(void **state)
{
    (void)state;
    static const char *const methods[] = {"pgd", "fista", "mean", "inq"};
    measured t = {.unit = {1e-6, 1, 1e7}};
    double weight[D], x[D];
    for (size_t j = 0; j < D; j++) weight[j] = 1 / t.unit[j];
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        zo_problem p = {.n = 1, .d = D, .value = distance, .ctx = &t, .scale = t.unit};
        p.psi = zo_weighted_l1(0.3, weight);
        zo_report r = run(&t, p, methods[k], 200, x);
        for (size_t j = 0; j < D; j++) assert_true(fabs(x[j] - 1.7) < 1e-6);
        assert_true(fabs(r.objective - D * (0.045 + 0.51)) < 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_say_how_large), cmocka_unit_test(tiny_bounds_are_no_constants),
        cmocka_unit_test(the_largest_bounds), cmocka_unit_test(psi_keeps_its_units)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
