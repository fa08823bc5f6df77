/* exp, log and log1p against libm over the whole range, in every build of the loops.
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/dense.h"
#include "base/isa.h"
#include "base/rng.h"
#include "base/vmath.h"

enum { COUNT = 4096 };

static const vmath *build(size_t k)
{
    static const vmath *const all[ISA_COUNT] = {&vmath_plain, &vmath_v3, &vmath_v4};
    return k <= (size_t)isa_level() ? all[k] : NULL;
}

/* |got - want| in units of the last place of want; want is a long double. */
static double ulps(double got, long double want)
{
    if (isnan((double)want) || isnan(got)) return isnan((double)want) && isnan(got) ? 0 : 1e9;
    if ((double)want == got) return 0;
    if (isinf(got) || isinf((double)want)) return 1e9;
    int e;
    frexpl(want, &e);
    return (double)(fabsl((long double)got - want) / ldexpl(1, (e > -1021 ? e : -1021) - 53));
}

static double worst(void (*loop)(size_t, const double *, double *),
                    long double (*truth)(long double), const double *in)
{
    double out[COUNT], most = 0;
    loop(COUNT, in, out);
    for (size_t k = 0; k < COUNT; k++) most = fmax(most, ulps(out[k], truth(in[k])));
    return most;
}

/* lo + (hi - lo) u over fixed draws. */
static void spread(double lo, double hi, double *in)
{
    for (size_t k = 0; k < COUNT; k++) in[k] = lo + (hi - lo) * rng_uniform(7, FOR_CHECK, 0, k);
}

static void test_exp(void **state)
{
    (void)state;
    static const double range[][2] = {{-745, 709.7}, {-40, 0},     {-1, 1},
                                      {-1e-8, 1e-8}, {-760, -700}, {700, 720}};
    for (size_t b = 0; build(b); b++) {
        double in[COUNT];
        for (size_t r = 0; r < sizeof range / sizeof *range; r++) {
            spread(range[r][0], range[r][1], in);
            assert_true(worst(build(b)->exp, expl, in) < 1.5);
        }
        static const double edge[] = {0,       -0.0,     INFINITY, -INFINITY,        NAN,
                                      DBL_MAX, -DBL_MAX, DBL_MIN,  709.782712893384, -745.2};
        static const double value[] = {
            1, 1, INFINITY, 0, NAN, INFINITY, 0, 1, 0x1.fffffffffff2ap+1023, 0};
        double out[10];
        build(b)->exp(10, edge, out);
        for (size_t k = 0; k < 10; k++) assert_true(ulps(out[k], value[k]) < (k == 8 ? 2 : 0.5));
    }
}

static void test_log(void **state)
{
    (void)state;
    for (size_t b = 0; build(b); b++) {
        double in[COUNT];
        spread(-1074, 1024, in); /* every exponent, also below the normal range */
        for (size_t k = 0; k < COUNT; k++) in[k] = exp2(in[k]);
        assert_true(worst(build(b)->log, logl, in) < 1.5);
        spread(0.5, 2, in);
        assert_true(worst(build(b)->log, logl, in) < 1.5);
        spread(1 - 1e-6, 1 + 1e-6, in);
        assert_true(worst(build(b)->log, logl, in) < 1.5);
        static const double edge[] = {
            0, -0.0, 1, INFINITY, -INFINITY, NAN, -1, 4.9406564584124654e-324, DBL_MAX};
        static const double value[] = {
            -INFINITY,           -INFINITY,         0, INFINITY, NAN, NAN, NAN,
            -744.44007192138122, 709.78271289338397};
        double out[9];
        build(b)->log(9, edge, out);
        for (size_t k = 0; k < 9; k++) assert_true(ulps(out[k], value[k]) < 1.5);
    }
}

static void test_log1p(void **state)
{
    (void)state;
    for (size_t b = 0; build(b); b++) {
        double in[COUNT];
        spread(0, 1, in);
        assert_true(worst(build(b)->log1p, log1pl, in) < 2);
        spread(-700, 0, in);
        for (size_t k = 0; k < COUNT; k++) in[k] = exp(in[k]);
        in[0] = 0;
        in[1] = 1;
        in[2] = NAN;
        assert_true(worst(build(b)->log1p, log1pl, in) < 2);
    }
}

/* A number's bits do not depend on where it stands, nor on how many there are. */
static void test_place(void **state)
{
    (void)state;
    for (size_t b = 0; build(b); b++) {
        double in[64], out[64], part[64];
        for (size_t k = 0; k < 64; k++) in[k] = -30 + 29.9 * rng_uniform(8, FOR_CHECK, 0, k);
        build(b)->exp(64, in, out);
        for (size_t from = 0; from < 8; from++)
            for (size_t count = 0; count < 12; count++) {
                part[count] = 42;
                build(b)->exp(count, in + from, part);
                assert_memory_equal(part, out + from, count * sizeof *part);
                assert_true(part[count] == 42);
            }
    }
}

/* All builds give the same bytes, whatever the number and however many. */
static void test_builds(void **state)
{
    (void)state;
    if (isa_level() < ISA_V3) skip();
    static double in[COUNT], a[COUNT], b[COUNT];
    for (size_t k = 0; k < COUNT; k++) {
        uint64_t bits[1];
        rng_indices(9, FOR_CHECK, k, UINT64_MAX, 1, bits);
        if (k % 2)
            memcpy(in + k, bits, sizeof *in); /* any exponent, NaN and infinity too */
        else
            in[k] = -800 + 1600 * rng_uniform(9, FOR_CHECK, COUNT, k);
    }
    for (size_t v = 1; build(v); v++) {
        void (*const loop[][2])(size_t, const double *,
                                double *) = {{vmath_plain.exp, build(v)->exp},
                                             {vmath_plain.log, build(v)->log},
                                             {vmath_plain.log1p, build(v)->log1p}};
        for (size_t f = 0; f < 3; f++) {
            loop[f][0](COUNT, in, a);
            loop[f][1](COUNT, in, b);
            for (size_t k = 0; k < COUNT; k++)
                assert_true(isnan(a[k]) ? isnan(b[k]) : !memcmp(a + k, b + k, sizeof *a));
        }
        for (size_t count = COUNT; count > COUNT - 70; count--) {
            vmath_plain.normals(5, UINT32_MAX - 9, 77, 99, count, a);
            memset(b, 0, sizeof b);
            build(v)->normals(5, UINT32_MAX - 9, 77, 99, count, b);
            assert_memory_equal(a, b, count * sizeof *a);
            for (size_t k = count; k < COUNT; k++) assert_true(b[k] == 0);
        }
    }
}

/* The fused multiply-add of machines that have none: exact, as libm's is, over all exponents and close to ties. */
static void test_fma(void **state)
{
    (void)state;
    for (size_t k = 0; k < 200000; k++) {
        double v[4], got;
        uint64_t bits[4];
        rng_indices(10, FOR_CHECK, k, UINT64_MAX, 4, bits);
        memcpy(v, bits, sizeof v);
        for (size_t e = 0; e < 3 && k % 4; e++) /* middling sizes, few digits: ties, cancellation */
            v[e] = ldexp((double)(bits[e] >> (11 + bits[3] % 40)), (int)(bits[e] % 60) - 50);
        if (k % 4 == 2) v[2] = -v[0] * v[1];
        if (k % 4 == 3 && k % 8 == 3) v[2] = ldexp(v[0] * v[1], -53 - (int)(bits[3] % 3));
        if (k % 97 == 0) v[k % 3] = k % 2 ? 0 : -0.0;
        double want = fma(v[0], v[1], v[2]);
        dense_plain.add(1, v[0], v + 1, &v[2]);
        got = v[2];
        assert_true(isnan(want) ? isnan(got) : !memcmp(&want, &got, sizeof got));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exp),   cmocka_unit_test(test_log),    cmocka_unit_test(test_log1p),
        cmocka_unit_test(test_place), cmocka_unit_test(test_builds), cmocka_unit_test(test_fma),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
