/* Randomness: published philox vectors, the law of the normals, and what a number may depend on.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/isa.h"
#include "base/rng.h"
#include "base/wide.h"
#include "base/vmath.h"

/* The known answers published with Random123: zeros, ones, digits of pi. */
static void test_philox_known(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed, step, slot;
        unsigned purpose;
        rng_block answer;
    } known[] = {
        {0, 0, 0, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
        {~(uint64_t)0,
         ~(uint64_t)0,
         0xffffffffffffff,
         0xff,
         {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
        {0x299f31d0a4093822,
         0x0370734413198a2e,
         0x85a308243f6a88,
         0xd3,
         {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
    };
    for (size_t k = 0; k < 3; k++) {
        rng_block b =
            rng_draw(known[k].seed, (enum purpose)known[k].purpose, known[k].step, known[k].slot);
        assert_memory_equal(&b, &known[k].answer, sizeof b);
    }
}

static double unit_of(uint32_t hi, uint32_t lo)
{
    return (double)(((uint64_t)hi << 32 | lo) >> 11) * 0x1p-53;
}

/* Number by number from rng_draw and libm, for every build of the loop. */
static void test_normals_formula(void **state)
{
    (void)state;
    const uint64_t seed = 0x123456789abcdef0, step = 0xfedcba9876543210;
    const uint32_t row = 0xabcdef;
    double got[1001];
    const vmath *builds[ISA_COUNT] = {&vmath_plain, &vmath_v3, &vmath_v4};
    for (size_t b = 0; b <= (size_t)isa_level(); b++) {
        builds[b]->normals(seed, 0, row << 8 | FOR_CURVATURE, step, 1001, got);
        for (size_t k = 0; k < 1001; k += 2) {
            rng_block v = rng_draw(seed, FOR_CURVATURE, step, (uint64_t)row << 32 | k / 2);
            double r = sqrt(-2 * log(1 - unit_of(v.v[1], v.v[0])));
            double t = 6.283185307179586477 * unit_of(v.v[3], v.v[2]);
            assert_true(fabs(got[k] - r * cos(t)) < 1e-14);
            if (k < 1000) assert_true(fabs(got[k + 1] - r * sin(t)) < 1e-14);
        }
    }
}

/* Moments 1 to 4 within four standard errors: var x = 1, x^2 = 2, x^3 = 15, x^4 = 96; neighbours
 * uncorrelated. */
static void test_normals_moments(void **state)
{
    (void)state;
    enum { N = 200000 };
    static double x[N];
    rng_normals(3, FOR_DIRECTION, 1, 2, N, x);
    double m[4] = {0}, c = 0, root = sqrt(N);
    for (size_t k = 0; k < N; k++) {
        double v = x[k];
        m[0] += v / N;
        m[1] += v * v / N;
        m[2] += v * v * v / N;
        m[3] += v * v * v * v / N;
        if (k) c += v * x[k - 1] / N;
    }
    assert_true(fabs(m[0]) < 4 / root);
    assert_true(fabs(m[1] - 1) < 4 * sqrt(2) / root);
    assert_true(fabs(m[2]) < 4 * sqrt(15) / root);
    assert_true(fabs(m[3] - 3) < 4 * sqrt(96) / root);
    assert_true(fabs(c) < 4 / root);
}

/* Number k depends on (seed, purpose, step, row, k): not on count; and it does depend on each of them. */
static void test_normals_counter(void **state)
{
    (void)state;
    double all[100], part[100];
    rng_normals(1, FOR_DIRECTION, 5, 9, 100, all);
    for (size_t count = 0; count < 100; count++) {
        part[count] = 42;
        rng_normals(1, FOR_DIRECTION, 5, 9, count, part);
        assert_memory_equal(part, all, count * sizeof *part);
        assert_true(part[count] == 42);
    }
    rng_normals(2, FOR_DIRECTION, 5, 9, 100, part);
    assert_true(part[0] != all[0]);
    rng_normals(1, FOR_REFERENCE, 5, 9, 100, part);
    assert_true(part[0] != all[0]);
    rng_normals(1, FOR_DIRECTION, (uint64_t)1 << 32 | 5, 9, 100, part);
    assert_true(part[0] != all[0]);
    rng_normals(1, FOR_DIRECTION, 5, 8, 100, part);
    assert_true(part[0] != all[0] && part[2] != all[0]);
}

static void test_indices(void **state)
{
    (void)state;
    enum { N = 10, COUNT = 100000 };
    static uint64_t index[COUNT];
    size_t seen[N] = {0};
    rng_indices(4, FOR_COMPONENT, 0, N, COUNT, index);
    for (size_t k = 0; k < COUNT; k++) {
        assert_true(index[k] < N);
        seen[index[k]]++;
    }
    for (size_t k = 0; k < N; k++)
        assert_true(fabs((double)seen[k] - COUNT / N) < 4 * sqrt(COUNT * 0.09));
    uint32_t pick[N];
    rng_distinct(4, FOR_COMPONENT, 1, N, N, pick);
    size_t mask = 0;
    for (size_t k = 0; k < N; k++) mask |= (size_t)1 << pick[k];
    assert_true(mask == (1 << N) - 1);
}

/* What stands in for 128 bits where the compiler has none gives the same. */
static void test_wide(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 2000; k++) {
        rng_block b = rng_draw(5, FOR_CHECK, 0, k);
        uint64_t u = (uint64_t)b.v[0] << 32 | b.v[1], v = (uint64_t)b.v[2] << 32 | b.v[3];
        u = k % 7 ? u >> k % 61 : UINT64_MAX;
        v = k % 11 ? v >> k % 59 | 1 : UINT64_MAX;
        uint64_t low, low_too, rest, rest_too;
        assert_true(wide_times(u, v, &low) == wide_times_by_halves(u, v, &low_too));
        assert_true(low == low_too && low == u * v);
        uint64_t high = u % v, q = wide_over(high, low, v, &rest), back;
        assert_true(q == wide_over_by_bits(high, low, v, &rest_too) && rest == rest_too);
        assert_true(rest < v); /* q v + rest = high 2^64 + low */
        high -= wide_times(q, v, &back);
        assert_true(back + rest == low && high == (back + rest < back));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_philox_known),    cmocka_unit_test(test_normals_formula),
        cmocka_unit_test(test_normals_moments), cmocka_unit_test(test_normals_counter),
        cmocka_unit_test(test_indices),         cmocka_unit_test(test_wide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
