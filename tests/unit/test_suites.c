/* The formulas of bench/suites: values at the starts and at certified solutions that others have published.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "suites/morewild.h"
#include "suites/nist.h"

/* Sums of squares at the starts, in the order of the table, ten digits. */
static const double at_start[MW_COUNT] = {72,
                                          1125,
                                          11654195,
                                          1168591235,
                                          4989195,
                                          500935635,
                                          24.2,
                                          1795769,
                                          2500,
                                          10600,
                                          215,
                                          1615400,
                                          400.5,
                                          154575360,
                                          41.68169586,
                                          1306.23355,
                                          0.005313172272,
                                          1693607809,
                                          16.43083118,
                                          2323367.372,
                                          26.90416602,
                                          8158876.625,
                                          73.67820525,
                                          20593837.27,
                                          1031.153811,
                                          4171.306162,
                                          7926693.337,
                                          3.081064285e+11,
                                          0.0464281723,
                                          0.03377063846,
                                          0.03861769829,
                                          0.02888298029,
                                          0.03376326546,
                                          0.02674060326,
                                          273.2480478,
                                          16.17411254,
                                          2.093419514,
                                          199.684679,
                                          904,
                                          1356,
                                          1582,
                                          1808,
                                          56.5,
                                          70.5625,
                                          98.6875,
                                          2539084359,
                                          6.87379526e+12,
                                          3367961146,
                                          3735127013,
                                          3991072354,
                                          1.130014998e+13,
                                          9.385672311,
                                          3.365815072e+10};

static void test_morewild(void **state)
{
    (void)state;
    for (size_t k = 0; k < MW_COUNT; k++) {
        double x[MW_MOST];
        mw_start(&mw_problems[k], x);
        double f = mw_sum(&mw_problems[k], x);
        assert_true(fabs(f - at_start[k]) <= 1e-9 * at_start[k]);
        assert_true(fabs(mw_wild(&mw_problems[k], x) / f - 1) <= 1e-3 * (1 + 1e-9));
        assert_true(mw_problems[k].best < f);
    }
}

/* Residuals at NIST's certified values give the certified sum. Lanczos1 is exact to rounding: its sum is 1e-25. */
static void test_nist(void **state)
{
    (void)state;
    static nist_set s;
    size_t read = 0;
    for (size_t k = 0; k < NIST_COUNT; k++) {
        double r[NIST_MOST_ROWS], sum = 0;
        if (nist_read(&s, nist_names[k])) continue;
        read++;
        nist_residuals(&s, s.certified, r);
        for (size_t i = 0; i < s.m; i++) sum += r[i] * r[i];
        assert_true(fabs(sum - s.best) <= 1e-9 * s.best + 1e-20);
    }
    if (!read) skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_morewild),
                                       cmocka_unit_test(test_nist)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
