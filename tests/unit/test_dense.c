/* Dense linear algebra beside the loops that define it: the same bytes, from every build of it, in every shape.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/dense.h"
#include "base/isa.h"
#include "base/rng.h"

enum { MOST = 420 };

static const size_t size_of[] = {0,  1,  2,  3,  4,  5,  7,  8,  11, 12,  13, 16,
                                 17, 23, 24, 25, 31, 47, 48, 49, 97, 200, 300};
enum { SIZES = sizeof size_of / sizeof *size_of };

static double *numbers(size_t count, uint64_t step)
{
    double *v = malloc((count + 1) * sizeof *v);
    assert_non_null(v);
    rng_normals(7, FOR_CHECK, step, 0, count, v);
    for (size_t k = 0; k < count; k += 13) v[k] = k % 2 ? 0 : -0.0;
    return v;
}

static double *copied(size_t count, const double *from)
{
    double *v = malloc((count + 1) * sizeof *v);
    assert_non_null(v);
    memcpy(v, from, count * sizeof *v);
    return v;
}

/* Every build that this machine can run, one after another. */
static int next_build(int *at)
{
    isa_limit(ISA_COUNT - 1);
    if (++*at > (int)isa_level()) return 0;
    isa_limit((isa)*at);
    return 1;
}

static double slow_dot(size_t n, const double *x, const double *y)
{
    double c[4][4] = {{0}}, part[4], last = 0;
    for (size_t j = 0; j < n; j++)
        if (j < n - n % 4)
            c[j / 4 % 4][j % 4] = fma(x[j], y[j], c[j / 4 % 4][j % 4]);
        else
            last = fma(x[j], y[j], last);
    for (size_t l = 0; l < 4; l++) part[l] = (c[0][l] + c[1][l]) + (c[2][l] + c[3][l]);
    return ((part[0] + part[2]) + (part[1] + part[3])) + last;
}

static void test_vectors(void **state)
{
    (void)state;
    double *x = numbers(MOST, 1), *y = numbers(MOST, 2);
    for (int at = -1; next_build(&at);)
        for (size_t n = 0; n <= 70; n++) {
            double want = slow_dot(n, x, y), got = dense_dot(n, x, y);
            assert_memory_equal(&want, &got, sizeof want);
            double *slow = copied(MOST, y), *fast = copied(MOST, y);
            for (size_t j = 0; j < n; j++) slow[j] = fma(0.3, x[j], slow[j]);
            dense_add(n, 0.3, x, fast);
            assert_memory_equal(slow, fast, MOST * sizeof *slow);
            free(slow);
            free(fast);
        }
    free(x);
    free(y);
}

static void test_matrix_vector(void **state)
{
    (void)state;
    double *a = numbers(MOST * MOST, 3), *x = numbers(MOST, 4), *y = numbers(MOST, 5);
    for (int at = -1; next_build(&at);)
        for (size_t r = 0; r < 8; r++)
            for (size_t s = 0; s < SIZES; s++) {
                size_t rows = r, cols = size_of[s], step = cols + 3;
                double *slow = copied(MOST, y), *fast = copied(MOST, y);
                for (size_t i = 0; i < rows; i++) slow[i] = slow_dot(cols, a + i * step, x);
                dense_times(rows, cols, a, step, x, fast);
                assert_memory_equal(slow, fast, MOST * sizeof *slow);
                for (size_t i = 0; i < rows; i++)
                    for (size_t j = 0; j < cols; j++) slow[j] = fma(x[i], a[i * step + j], slow[j]);
                dense_across(rows, cols, a, step, x, fast);
                assert_memory_equal(slow, fast, MOST * sizeof *slow);
                free(slow);
                free(fast);
            }
    free(a);
    free(x);
    free(y);
}

static size_t line(dense_view v, size_t i) { return v.pick ? v.pick[i] : i; }

static void slow_product(const dense_job *q)
{
    for (size_t i = 0; i < q->m; i++)
        for (size_t j = 0; j < q->n; j++) {
            if (q->part == DENSE_UPPER ? i > j : q->part == DENSE_LOWER && i < j) continue;
            double *c = q->c + i * q->step + j;
            if (q->fresh) *c = 0;
            for (size_t k = 0; k < q->depth; k++)
                *c = fma(q->by * q->a.at[line(q->a, i) * q->a.down + k * q->a.right],
                         q->b.at[k * q->b.down + line(q->b, j) * q->b.right], *c);
        }
}

static void check_product(dense_job q, size_t room, const double *c)
{
    double *slow = copied(room, c), *fast = copied(room, c);
    q.c = slow;
    slow_product(&q);
    q.c = fast;
    dense_product(&q);
    assert_memory_equal(slow, fast, room * sizeof *slow);
    free(slow);
    free(fast);
}

static void test_product(void **state)
{
    (void)state;
    double *a = numbers(MOST * MOST, 6), *b = numbers(MOST * MOST, 7), *c = numbers(MOST * MOST, 8);
    size_t pick_of[MOST];
    for (size_t k = 0; k < MOST; k++)
        pick_of[k] = k / 2 + (k % 3 == 0); /* never above k for k > 1 */
    pick_of[0] = 0;
    static const size_t depth_of[] = {0, 1, 3, 127, 128, 129, 300};
    for (int at = -1; next_build(&at);)
        for (uint64_t k = 0; k < (at == 0 ? 60 : 400); k++) {
            uint64_t pick[8];
            rng_indices(3, FOR_CHECK, k, 1000, 8, pick);
            size_t m = size_of[pick[0] % SIZES], n = size_of[pick[1] % SIZES];
            size_t depth = depth_of[pick[2] % (at == 0 ? 4 : 7)];
            if (pick[3] % 2) n = m;
            dense_job q = {.m = m,
                           .n = n,
                           .depth = depth,
                           .by = (double[]){1, -1, 0.3}[pick[4] % 3],
                           .step = n + pick[5] % 3,
                           .part = pick[3] % 2 ? (dense_part)(pick[6] % 3) : DENSE_ALL,
                           .fresh = pick[7] & 1};
            q.a =
                pick[7] & 2 ? (dense_view){a, depth + 1, 1, NULL} : (dense_view){a, 1, m + 1, NULL};
            q.b = pick[7] & 4 ? (dense_view){b, n + 2, 1, NULL} : (dense_view){b, 1, depth, NULL};
            check_product(q, (m + 1) * (n + 3), c);
            q.a.pick = q.b.pick = pick_of;
            check_product(q, (m + 1) * (n + 3), c);
        }
    free(a);
    free(b);
    free(c);
}

static void test_square(void **state)
{
    (void)state;
    double *r = numbers(MOST * 30, 9), *c = numbers(MOST * MOST, 10);
    for (int at = -1; next_build(&at);) {
        double *slow = copied(MOST * MOST, c), *fast = copied(MOST * MOST, c);
        dense_job q = {.m = 61, .n = 61, .depth = 30, .by = -1, .part = DENSE_UPPER};
        q.a = (dense_view){r, 1, 61, NULL}, q.b = (dense_view){r, 61, 1, NULL}, q.c = slow,
        q.step = 61;
        slow_product(&q);
        dense_square(61, 30, -1, r, DENSE_UPPER, 0, fast, 61);
        assert_memory_equal(slow, fast, MOST * MOST * sizeof *slow);
        free(slow);
        free(fast);
    }
    free(r);
    free(c);
}

static int slow_cholesky(size_t n, double *a)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i; j < n; j++)
            for (size_t k = 0; k < i; k++)
                a[i * n + j] = fma(-a[k * n + i], a[k * n + j], a[i * n + j]);
        if (!(a[i * n + i] > 0)) return 1;
        a[i * n + i] = sqrt(a[i * n + i]);
        for (size_t j = i + 1; j < n; j++) a[i * n + j] *= 1 / a[i * n + i];
    }
    return 0;
}

static void slow_down(size_t n, const double *u, double *b)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) b[i] = fma(-b[k], u[k * n + i], b[i]);
        b[i] *= 1 / u[i * n + i];
    }
}

static void slow_up(size_t n, const double *u, double *b)
{
    for (size_t i = n; i-- > 0;)
        b[i] = (b[i] - slow_dot(n - i - 1, u + i * n + i + 1, b + i + 1)) * (1 / u[i * n + i]);
}

static void check_triangle(size_t n, const double *r, const double *b)
{
    double *slow = copied(n * n, r), *fast;
    dense_square(n, n + 5, 1, r, DENSE_UPPER, 1, slow, n);
    for (size_t i = 0; i < n; i++) slow[i * n + i] += 1;
    fast = copied(n * n, slow);
    assert_int_equal(slow_cholesky(n, slow), 0);
    assert_int_equal(dense_cholesky(n, fast), 0);
    assert_memory_equal(slow, fast, n * n * sizeof *slow);
    double *x = copied(n, b), *y = copied(n, b), *rows = copied(5 * n, b);
    slow_down(n, fast, x);
    dense_solve_down(n, fast, y);
    assert_memory_equal(x, y, n * sizeof *x);
    dense_solve_rows(n, fast, 5, rows);
    assert_memory_equal(rows, x, n * sizeof *x);
    double *last = copied(n, b + 4 * n);
    slow_down(n, fast, last);
    assert_memory_equal(rows + 4 * n, last, n * sizeof *last);
    slow_up(n, fast, x);
    dense_solve_up(n, fast, y);
    assert_memory_equal(x, y, n * sizeof *x);
    free(slow);
    free(fast);
    free(x);
    free(y);
    free(rows);
    free(last);
}

static void test_triangles(void **state)
{
    (void)state;
    double *r = numbers(MOST * MOST, 11), *b = numbers(5 * MOST, 12);
    for (int at = -1; next_build(&at);)
        for (size_t s = 0; s < SIZES; s++)
            if (at > 0 || size_of[s] < 60) check_triangle(size_of[s], r, b);
    double not_positive[] = {1, 2, 0, 1}, not_finite[] = {INFINITY}, undefined[] = {NAN};
    assert_int_equal(dense_cholesky(2, not_positive), 1);
    assert_int_equal(dense_cholesky(1, not_finite), 1);
    assert_int_equal(dense_cholesky(1, undefined), 1);
    free(r);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),   cmocka_unit_test(test_matrix_vector),
        cmocka_unit_test(test_product),   cmocka_unit_test(test_square),
        cmocka_unit_test(test_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
