/* Singular values, and eigenvectors: what they promise, for every shape, rank and size of numbers, and the same bytes from every build.
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/eigen.h"
#include "base/isa.h"
#include "base/rng.h"
#include "base/svd.h"
#include "base/vec.h"

typedef struct parts {
    size_t m, n, k;
    double *x, *s, *p, *q, *work;
} parts;

static double *room(size_t count)
{
    double *v = calloc(count + 1, sizeof *v);
    assert_non_null(v);
    return v;
}

static parts open(size_t m, size_t n)
{
    size_t k = m < n ? m : n;
    return (parts){m, n, k, room(m * n), room(k), room(k * m), room(k * n), room(svd_work(m, n))};
}

static void close(parts *a)
{
    double *all[] = {a->x, a->s, a->p, a->q, a->work};
    for (size_t e = 0; e < 5; e++) free(all[e]);
}

/* The largest entry of |V V' - I|, V of k rows. */
static double skew(size_t k, size_t width, const double *v)
{
    double most = 0;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j <= i; j++)
            most = fmax(most, fabs(vec_dot(width, v + i * width, v + j * width) - (i == j)));
    return most;
}

static void check(size_t m, size_t n, const double *x)
{
    parts a = open(m, n), b = open(m, n);
    double top = 0, off = 0;
    for (size_t e = 0; e < m * n; e++) top = fmax(top, fabs(x[e]));
    vec_copy(m * n, x, a.x);
    vec_copy(m * n, x, b.x);
    assert_int_equal(svd(m, n, a.x, a.s, a.p, a.q, a.work), 0);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t e = 0; e < a.k; e++) sum += a.p[e * m + i] * a.s[e] * a.q[e * n + j];
            off = fmax(off, fabs(sum - x[i * n + j]));
        }
    double size = (double)(m + n);
    assert_true(off <= 4 * size * DBL_EPSILON * top);
    assert_true(skew(a.k, m, a.p) < 4 * size * DBL_EPSILON);
    assert_true(skew(a.k, n, a.q) < 4 * size * DBL_EPSILON);
    for (size_t e = 0; e < a.k; e++) assert_true(a.s[e] >= 0 && (e == 0 || a.s[e] <= a.s[e - 1]));
    assert_int_equal(svd(m, n, b.x, b.s, NULL, NULL, b.work), 0); /* values alone: the same */
    assert_memory_equal(a.s, b.s, a.k * sizeof *a.s);
    isa_limit(ISA_PLAIN);
    vec_copy(m * n, x, b.x);
    assert_int_equal(svd(m, n, b.x, b.s, b.p, b.q, b.work), 0);
    isa_limit(ISA_COUNT - 1);
    assert_memory_equal(a.s, b.s, a.k * sizeof *a.s);
    assert_memory_equal(a.p, b.p, a.k * m * sizeof *a.p);
    assert_memory_equal(a.q, b.q, a.k * n * sizeof *a.q);
    close(&a);
    close(&b);
}

/* Kinds: full, rank 2, graded rows, whole numbers with many zeros, an identity, bidiagonal with zeros, all equal. */
static void fill(size_t kind, size_t m, size_t n, double *x)
{
    rng_normals(3, FOR_CHECK, kind, 0, m * n, x);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double *v = x + i * n + j, a = (double)i, b = (double)j;
            if (kind == 1) *v = (a + 1) * (b - 2) + a * a - 3 * b;
            if (kind == 2) *v *= ldexp(1, -7 * (int)i);
            if (kind == 3) *v = *v > 1 ? 2 : 0;
            if (kind == 4) *v = i == j;
            if (kind == 5) *v = (i == j && i % 3 != 1) || j == i + 1;
            if (kind == 6) *v = 1;
            if (kind == 7) *v = 0;
        }
}

static void test_definition(void **state)
{
    (void)state;
    static const size_t side[] = {1, 2, 3, 5, 8, 13, 21, 40};
    double *x = room(40 * 40);
    for (size_t kind = 0; kind < 8; kind++)
        for (size_t i = 0; i < 8; i++)
            for (size_t j = 0; j < 8; j++) {
                fill(kind, side[i], side[j], x);
                check(side[i], side[j], x);
            }
    free(x);
}

static void test_sizes(void **state)
{
    (void)state;
    static const double by[] = {1e-300, 1e-160, 1e150, 1e300};
    double x[6 * 9];
    for (size_t e = 0; e < 4; e++) {
        fill(0, 6, 9, x);
        vec_scale(54, by[e], x);
        check(6, 9, x);
    }
}

/* |X|_F^2 = sum of s^2, and of diag(3, -4) with a column of zeros the values are known. */
static void test_values(void **state)
{
    (void)state;
    double x[] = {3, 0, 0, 0, -4, 0}, s[2], work[64];
    assert_true(svd_work(2, 3) <= 64);
    assert_int_equal(svd(2, 3, x, s, NULL, NULL, work), 0);
    assert_true(s[0] == 4 && s[1] == 3);
    double bad[] = {1, NAN, 0, 1};
    assert_int_equal(svd(2, 2, bad, s, NULL, NULL, work), 1);
    assert_int_equal(svd(0, 5, bad, s, NULL, NULL, work), 0);
}

/* A = V L V', V orthogonal and L diagonal. */
static void test_eigen(void **state)
{
    (void)state;
    enum { MOST = 9 };
    for (size_t d = 1; d <= MOST; d++) {
        double g[MOST * MOST], a[MOST * MOST], l[MOST * MOST], v[MOST * MOST], off = 0, beside = 0;
        rng_normals(5, FOR_SYNTH, d, 0, d * d, g);
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < d; j++) a[i * d + j] = g[i * d + j] + g[j * d + i];
        vec_copy(d * d, a, l);
        eigen(d, l, v);
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < d; j++) {
                double sum = 0;
                for (size_t k = 0; k < d; k++) sum += v[i * d + k] * l[k * d + k] * v[j * d + k];
                off = fmax(off, fabs(sum - a[i * d + j]));
                if (i != j) beside = fmax(beside, fabs(l[i * d + j]));
            }
        assert_true(off < 1e-13 && beside < 1e-15 && skew(d, d, v) < 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_eigen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
