/* The base layer: the one sum, text, vectors, memory, threads.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* fork, alarm */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/pool.h"
#include "base/rng.h"
#include "base/sort.h"
#include "base/sum.h"
#include "base/text.h"
#include "base/vec.h"
#include "zoprox.h"

/* The sum over the blocks of node [lo, lo + size), by the definition of the tree. 1: there was something. */
static int tree(const uint64_t *block, const double *value, size_t count, uint64_t lo,
                uint64_t size, double *out)
{
    if (size == 1) {
        for (size_t k = 0; k < count; k++)
            if (block[k] == lo) {
                *out = value[k];
                return 1;
            }
        return 0;
    }
    double a, b;
    int left = tree(block, value, count, lo, size / 2, &a),
        right = tree(block, value, count, lo + size / 2, size / 2, &b);
    *out = left && right ? a + b : left ? a : b;
    return left || right;
}

static void sum_follows_its_tree(void **state)
{
    (void)state;
    double work[SUM_DEPTH];
    for (uint64_t trial = 0; trial < 300; trial++) {
        uint64_t block[64], count = 0;
        double value[64];
        for (uint64_t b = 0; b < 64; b++)
            if (rng_uniform(trial, FOR_CHECK, 0, b) < 0.1 + 0.003 * (double)trial) {
                block[count] = b;
                value[count++] = rng_uniform(trial, FOR_CHECK, 1, b) * pow(10, (double)(b % 30));
            }
        sum_tree t;
        sum_open(&t, 1, work);
        for (size_t k = 0; k < count; k++) *sum_leaf(&t, block[k]) = value[k];
        double total, right = 0;
        sum_close(&t, &total);
        if (!tree(block, value, count, 0, 64, &right)) right = 0;
        assert_true(total == right);
    }
}

static void sum_order_is_stable_by_block(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 50; trial++) {
        size_t count = 1 + (size_t)(trial * 7) % 200;
        uint64_t comp[200], order[200], work[200], seen[200] = {0};
        rng_indices(trial, FOR_CHECK, 2, 1000, count, comp);
        sum_order(comp, count, order, work);
        for (size_t k = 0; k < count; k++) seen[order[k]]++;
        for (size_t k = 0; k < count; k++) assert_int_equal(seen[k], 1);
        for (size_t k = 1; k < count; k++) {
            uint64_t a = comp[order[k - 1]] / SUM_BLOCK, b = comp[order[k]] / SUM_BLOCK;
            assert_true(a < b || (a == b && order[k - 1] < order[k]));
        }
    }
}

static void numbers_are_read_strictly(void **state)
{
    (void)state;
    double v = 7;
    uint64_t w = 7;
    static const char *const bad[] = {"", " 1", "1 ", "1x", "x", "1e999", "--1", "0x", "1,5"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        assert_int_equal(text_number(bad[k], &v), 0);
    assert_true(v == 7);
    assert_true(text_number("1e-4", &v) && v == 1e-4);
    assert_true(text_number("-inf", &v) && v == -INFINITY);
    assert_true(text_number("1e-320", &v) && v > 0);
    static const char *const unwhole[] = {"", "-1", "+1", "1.5", "18446744073709551616", "1 "};
    for (size_t k = 0; k < sizeof unwhole / sizeof unwhole[0]; k++)
        assert_int_equal(text_whole(unwhole[k], &w), 0);
    assert_true(text_whole("18446744073709551615", &w) && w == UINT64_MAX);
}

static void numbers_are_written_exactly(void **state)
{
    (void)state;
    char text[32];
    for (uint64_t k = 0; k < 2000; k++) {
        rng_block b = rng_draw(3, FOR_CHECK, 0, k);
        uint64_t bits = (uint64_t)b.v[0] << 32 | b.v[1];
        double v, back;
        memcpy(&v, &bits, 8);
        if (!isfinite(v)) continue;
        assert_true(text_number(text_exact(v, text, sizeof text), &back) && back == v);
        assert_true(text_number(text_short(v, text, sizeof text), &back) && back == v);
    }
    assert_string_equal(text_short(0.1, text, sizeof text), "0.1");
    assert_string_equal(text_short(NAN, text, sizeof text), "nan");
    assert_string_equal(text_short(-INFINITY, text, sizeof text), "-inf");
}

static void quotes_show_what_cannot_be_seen(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *shown;
    } rows[] = {{"1,5", 3, "1,5"},
                {"0\r\nnext", 7, "0"},
                {"\xef\xbb\xbf"
                 "0",
                 4, "\\xef\\xbb\\xbf0"},
                {"0\0", 2, "0\\x00"},
                {"\xff\xfe"
                 "0\0",
                 4, "\\xff\\xfe0\\x00"},
                {"\x1b[1m\t\x7f", 6, "\\x1b[1m\\x09\\x7f"},
                {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
                {"\xc3", 1, "\\xc3"},
                {"1234567890123456789012345678901234567890", 40,
                 "1234567890123456789012345678901234567890"},
                {"123456789012345678901234567890123456789\xc3\xa9", 41,
                 "123456789012345678901234567890123456789..."},
                {"", 0, ""}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char to[44];
        assert_string_equal(text_quote(rows[k].bytes, rows[k].size, to, sizeof to), rows[k].shown);
    }
}

static void nearest_name(void **state)
{
    (void)state;
    static const char *const names[] = {"step", "radius", "directions"};
    assert_string_equal(text_nearest("raduis", names, 3, sizeof names[0]), "radius");
    assert_string_equal(text_nearest("direction", names, 3, sizeof names[0]), "directions");
    assert_null(text_nearest("zzzz", names, 3, sizeof names[0]));
}

static void vectors(void **state)
{
    (void)state;
    double x[37], y[37], plain = 0;
    rng_normals(1, FOR_CHECK, 0, 0, 37, x);
    rng_normals(1, FOR_CHECK, 0, 1, 37, y);
    for (size_t j = 0; j < 37; j++) plain += x[j] * y[j];
    assert_true(fabs(vec_dot(37, x, y) - plain) < 1e-13);
    double big[2] = {3e200, 4e200}, tiny[2] = {3e-200, 4e-200};
    assert_true(fabs(vec_norm(2, big) / 5e200 - 1) < 1e-15);
    assert_true(fabs(vec_norm(2, tiny) / 5e-200 - 1) < 1e-15);
    assert_true(vec_finite(37, x));
    x[36] = NAN;
    assert_false(vec_finite(37, x));
    x[36] = -INFINITY;
    assert_false(vec_finite(37, x));
}

static void memory_is_zero_aligned_and_bounded(void **state)
{
    (void)state;
    assert_null(mem_new(SIZE_MAX / 4, 8));
    assert_null(mem_new(SIZE_MAX, 1));
    for (size_t count = 0; count < 300; count += 37) {
        char *p = mem_new(count, 1);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 64, 0);
        for (size_t k = 0; k < count; k++) assert_int_equal(p[k], 0);
        if (count) memset(p, 1, count);
        char *q = mem_grow(p, count, count + 10, 1);
        for (size_t k = 0; k < count + 10; k++) assert_int_equal(q[k], k < count);
        mem_free(q);
    }
    mem_free(NULL);
}

/* What is there stays, and what is beside it is not touched. */
static void touched_memory_is_as_it_was(void **state)
{
    (void)state;
    size_t count = 1 << 17;
    double *p = mem_new(count, sizeof *p);
    for (size_t k = 0; k < count; k += 1000) p[k] = (double)k;
    mem_touch(p + 1, count - 2, sizeof *p);
    mem_touch(p + 5, 3, sizeof *p);
    mem_touch(NULL, 10, sizeof *p);
    for (size_t k = 0; k < count; k++) assert_int_equal((size_t)p[k], k % 1000 == 0 ? k : 0);
    mem_free(p);
}

static void mark(void *ctx, size_t k, int who)
{
    (void)who;
    ((unsigned char *)ctx)[k]++;
}

static void pool_runs_every_task_once(void **state)
{
    (void)state;
    unsigned char done[1000];
    for (int threads = 1; threads <= 4; threads++) {
        pool *p = pool_new(threads);
        assert_non_null(p);
        for (int round = 0; round < 200; round++) {
            memset(done, 0, sizeof done);
            size_t count = (size_t)(round * 5) % 1000;
            pool_run(p, count, mark, done);
            for (size_t k = 0; k < 1000; k++) assert_int_equal(done[k], k < count);
        }
        pool_free(p);
    }
}

/* A fork has the pool without its threads. */
static void a_fork_works_alone(void **state)
{
    (void)state;
    unsigned char done[100] = {0};
    pool *p = pool_new(3);
    pool_run(p, 100, mark, done);
    pid_t child = fork();
    if (child == 0) {
        int wrong = 0;
        alarm(20); /* it used to wait for ever */
        pool_run(p, 100, mark, done);
        for (size_t k = 0; k < 100; k++) wrong |= done[k] != 2;
        pool_free(p);
        _exit(wrong);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    pool_free(p);
}

static void distinct_indices(void **state)
{
    (void)state;
    for (uint32_t n = 1; n < 40; n++) {
        uint32_t pick[40];
        unsigned char seen[40] = {0};
        rng_distinct(5, FOR_CHECK, n, n, n, pick);
        for (uint32_t k = 0; k < n; k++) assert_true(pick[k] < n && !seen[pick[k]]++);
    }
    /* Every coordinate in every place equally often: 5 of 9, 9000 draws, four standard errors of a count. */
    int count[5][9] = {{0}};
    for (uint64_t draw = 0; draw < 9000; draw++) {
        uint32_t pick[5];
        rng_distinct(6, FOR_CHECK, draw, 9, 5, pick);
        for (int k = 0; k < 5; k++) count[k][pick[k]]++;
    }
    double error = sqrt(9000 * (1 / 9.0) * (8 / 9.0));
    for (int k = 0; k < 5; k++)
        for (int j = 0; j < 9; j++) assert_true(abs(count[k][j] - 1000) < 4 * error);
}

static void a_sentence_is_one_line(void **state)
{
    (void)state;
    zo_error e;
    zo_settings s = zo_defaults();
    assert_int_equal(zo_set(&s, "s\nt\x01p", "1", &e), ZO_BAD_ARGUMENT);
    assert_null(strpbrk(e.text, "\n\x01"));
    assert_non_null(strstr(e.text, "'s t p'"));
}

/* Equal keys stay in the order of what goes with them. */
static void lists_are_put_in_order(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    double key[COUNT], alone[COUNT];
    uint32_t order[COUNT], seen[COUNT] = {0};
    for (size_t k = 0; k < COUNT; k++)
        key[k] = alone[k] = floor(50 * rng_uniform(1, FOR_PERMUTATION, 0, k));
    sort_order(COUNT, key, order);
    sort_pairs(COUNT, alone, NULL);
    for (size_t k = 0; k < COUNT; k++) {
        seen[order[k]]++;
        assert_true(key[k] == floor(50 * rng_uniform(1, FOR_PERMUTATION, 0, order[k])));
        assert_true(key[k] == alone[k]);
        if (k)
            assert_true(key[k - 1] < key[k] || (key[k - 1] == key[k] && order[k - 1] < order[k]));
    }
    for (size_t k = 0; k < COUNT; k++) assert_int_equal(seen[k], 1);
}

/* Near to each other, on both sides of 1 and of 0, far apart, all the same, few: as sort_pairs has them. */
static void numbers_are_put_in_order(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static const double middle[] = {1, 0, -1, 3, 1}, wide[] = {1e-9, 1e-300, 1e-9, 100, 0};
    double key[COUNT], same[COUNT];
    uint64_t work[2 * COUNT];
    for (size_t k = 0; k < 5; k++)
        for (size_t count = 1; count <= COUNT; count = 3 * count + 1) {
            for (size_t e = 0; e < count; e++)
                key[e] = same[e] =
                    middle[k] + wide[k] * (rng_uniform(2, FOR_PERMUTATION, k, e) - 0.5);
            sort_numbers(count, key, work);
            sort_pairs(count, same, NULL);
            assert_memory_equal(key, same, count * sizeof *key);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sum_follows_its_tree),
        cmocka_unit_test(sum_order_is_stable_by_block),
        cmocka_unit_test(a_sentence_is_one_line),
        cmocka_unit_test(numbers_are_put_in_order),
        cmocka_unit_test(numbers_are_read_strictly),
        cmocka_unit_test(numbers_are_written_exactly),
        cmocka_unit_test(quotes_show_what_cannot_be_seen),
        cmocka_unit_test(nearest_name),
        cmocka_unit_test(vectors),
        cmocka_unit_test(memory_is_zero_aligned_and_bounded),
        cmocka_unit_test(touched_memory_is_as_it_was),
        cmocka_unit_test(pool_runs_every_task_once),
        cmocka_unit_test(a_fork_works_alone),
        cmocka_unit_test(distinct_indices),
        cmocka_unit_test(lists_are_put_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
