/* The formulas of bench/suites: values at the starts and at certified solutions that others have published.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "suites/morewild.h"
#include "suites/nist.h"
#include "suites/separable.h"
#include "suites/suite.h"

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

/* Sums at the starts; those of the CUTE collection agree with what its own files give (ten digits). */
/* clang-format off */
static const double separable_at_start[PS_COUNT] = {
    147, 21696, 245.721725, 111, 210.190526, 1800, 86.88067363, 25312.23541, 856, 665.5833333, 8, 177282, 16907892, 128851,
    -41.23207826, 2891, 3604, 19, 49056.5, 113.5290902, 2650, 58500, 0.0001253722121, 3316.536408, 11604, 46, 3225,
    -280.286425, 0.6561, 868.8286419, 2420, 442, 0.81, 5049, 479800};
/* clang-format on */

/* The least values that the collection's files state, to the digits they have. */
static const struct {
    const char *name;
    double least, error;
} stated[] = {{"bdqrtic", 378.769, 5e-4},       {"cragg-levy", 15.372, 6e-4},
              {"edensch", 219.28, 5e-3},        {"freudenstein-roth", 5881.0, 0.05},
              {"noncvxun", 23.168084, 1e-6},    {"schmidt-vetters", -294, 0},
              {"rosenbrock generalised", 1, 0}, {"dixon-maany a", 1, 0}};

static void test_separable(void **state)
{
    (void)state;
    for (size_t k = 0; k < PS_COUNT; k++) {
        const ps_problem *p = &ps_problems[k];
        double x[PS_MOST], f0 = separable_at_start[k];
        assert_true(p->d <= PS_MOST && p->d <= SUITE_MOST && p->n <= SUITE_MOST_PARTS);
        p->start(p->d, x);
        assert_true(fabs(ps_sum(p, x) - f0) <= 1e-9 * fabs(f0));
        assert_true(p->best < f0);
        for (size_t s = 0; s < sizeof stated / sizeof *stated; s++)
            if (!strcmp(stated[s].name, p->name))
                assert_true(fabs(p->best - stated[s].least) <= stated[s].error);
    }
}

/* Every problem of every suite opens by name, and its F is what its parts say. */
static void test_by_name(void **state)
{
    static const char *const names[] = {"morewild", "l1", "spectrum", "separable", "rough"};
    (void)state;
    for (size_t s = 0; s < sizeof names / sizeof *names; s++)
        for (size_t k = 0; k < suite_size(names[s]); k++) {
            suite_problem p;
            double v[SUITE_MOST_PARTS], sum = 0;
            assert_int_equal(suite_open(names[s], k, &p), 0);
            suite_parts(&p, p.start, v);
            for (size_t i = 0; i < p.m; i++) sum += p.squares ? v[i] * v[i] : v[i];
            for (size_t j = 0; j < p.d; j++) sum += p.lambda * fabs(p.start[j]);
            assert_true(fabs(suite_value(&p, p.start) - sum) <= 1e-12 * fabs(sum));
            assert_true(p.best < sum);
        }
    assert_int_equal(suite_size("none"), 0);
}

/* Sums of absolute values are bounded by their squares': |r|_2 <= |r|_1 <= sqrt(m) |r|_2. */
static void test_absolute(void **state)
{
    (void)state;
    for (size_t k = 0; k < MW_COUNT; k++) {
        const mw_problem *p = &mw_problems[k];
        assert_true(mw_least_absolute[k] >= sqrt(p->best) * (1 - 1e-9));
        assert_true(mw_least_absolute[k] <= sqrt((double)p->m * p->best) * (1 + 1e-9));
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_morewild), cmocka_unit_test(test_nist),
                                       cmocka_unit_test(test_separable),
                                       cmocka_unit_test(test_by_name),
                                       cmocka_unit_test(test_absolute)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
