/* Functions of one number beside libm's, and the same bytes from every build.
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/isa.h"
#include "base/real.h"
#include "base/rng.h"

typedef struct row {
    double (*ours)(double);
    long double (*truth)(long double);
    double lo, hi, off; /* off: times 2^-53, relative to max(|truth|, floor) */
    double floor;
} row;

static double half_power(double x) { return real_pow(x, -0.5); }
static long double half_power_truth(long double x) { return powl(x, -0.5L); }

static void test_accuracy(void **state)
{
    (void)state;
    static const row rows[] = {
        {real_exp, expl, -700, 700, 3, 0},       {real_log, logl, 1e-300, 1e300, 3, 0},
        {real_log, logl, 0.5, 2, 3, 0},          {real_log1p, log1pl, -0.999, 4, 6, 0},
        {real_log1p, log1pl, -1e-8, 1e-8, 6, 0}, {real_cbrt, cbrtl, 1e-40, 1, 4, 0},
        {real_cbrt, cbrtl, 1, 1e40, 4, 0},       {real_sin, sinl, -50, 50, 80, 1},
        {real_cos, cosl, -50, 50, 80, 1},        {real_erfc, erfcl, -6, 1.25, 80, 0},
        {real_erfc, erfcl, 1.25, 6, 200, 0},     {half_power, half_power_truth, 1e-6, 1e6, 30, 0},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (uint64_t k = 0; k < 4000; k++) {
            double x = rows[r].lo + (rows[r].hi - rows[r].lo) * rng_uniform(4, FOR_CHECK, r, k);
            long double want = rows[r].truth(x), size = fmaxl(fabsl(want), rows[r].floor);
            isa_limit(ISA_COUNT - 1);
            double got = rows[r].ours(x);
            if (!(fabsl(got - want) <= rows[r].off * 0x1p-53L * size))
                fail_msg("row %zu at %.17g: %.17g, not %.17Lg", r, x, got, want);
            isa_limit(ISA_PLAIN);
            double plain = rows[r].ours(x);
            assert_memory_equal(&plain, &got, sizeof got);
        }
    isa_limit(ISA_COUNT - 1);
}

static void test_edges(void **state)
{
    (void)state;
    assert_true(real_exp(-INFINITY) == 0 && real_exp(0) == 1 && real_log(1) == 0);
    assert_true(real_log1p(0) == 0 && real_log1p(1e-300) == 1e-300);
    assert_true(real_pow(7, 0) == 1 && real_pow(0, 2) == 0 && isinf(real_pow(0, -2)));
    assert_true(real_cbrt(0) == 0 && isinf(real_cbrt(INFINITY)));
    assert_true(real_sin(0) == 0 && real_cos(0) == 1);
    assert_true(real_erfc(0) == 1 && real_erfc(-30) == 2 && real_erfc(40) == 0);
    assert_true(isnan(real_erfc(NAN)) && isnan(real_log(-1)) && isnan(real_cbrt(NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accuracy),
        cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
