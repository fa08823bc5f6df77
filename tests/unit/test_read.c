/* The LIBSVM reader: what it takes, what it refuses and how, and that neither threads nor cuts show.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memfd_create */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "slow_libsvm.h"

static zo_data *read_text(const char *text, size_t features)
{
    zo_data *data;
    zo_error err;
    if (fast_read(&data, text, strlen(text), features, 2, 0, &err)) fail_msg("%s", err.text);
    assert_int_equal(err.status, ZO_OK);
    return data;
}

/* ---- What it takes ------------------------------------------------------------------------------ */

static void small(void **state)
{
    (void)state;
    zo_data *data = read_text("+1 2:0.5 7:-1e-3\n-1 1:3\n\n# nothing\n0.25\t 9:1 # end\n", 0);
    zo_data_facts f = zo_data_look(data);
    assert_int_equal(f.n, 3);
    assert_int_equal(f.features, 9);
    assert_int_equal(f.nonzeros, 4);
    assert_int_equal(f.dense, 0);
    assert_int_equal(f.labels, 3);
    assert_true(f.least == -1 && f.greatest == 1);
    assert_true(data->label[0] == 1 && data->label[1] == -1 && data->label[2] == 0.25);
    const uint64_t row[] = {0, 2, 3, 4};
    const uint32_t col[] = {1, 6, 0, 8};
    const double val[] = {0.5, -1e-3, 3, 1};
    assert_memory_equal(data->row, row, sizeof row);
    assert_memory_equal(data->col, col, sizeof col);
    assert_memory_equal(data->val, val, sizeof val);
    zo_data_free(data);
}

static void full_rows(void **state)
{
    (void)state;
    zo_data *data = read_text("1 1:1 2:2 3:3\n2 2:5\n3 1:6 3:7\n4 3:8\n5 1:9 2:10\n", 0);
    const double all[] = {1, 2, 3, 0, 5, 0, 6, 0, 7, 0, 0, 8, 9, 10, 0};
    assert_null(data->row);
    assert_int_equal(data->nonzeros, 9);
    assert_memory_equal(data->dense, all, sizeof all);
    zo_data_free(data);
    data = read_text("1 1:1 2:2 3:3\n2 2:5\n", 8); /* one half and below is sparse */
    assert_non_null(data->row);
    assert_int_equal(data->features, 8);
    zo_data_free(data);
}

static void line_ends(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "1 1:2\n-1 4:3\n",          "1 1:2\r\n-1 4:3\r\n",      "1 1:2\n-1 4:3",
        "1 1:2\n-1 4:3\r",          "\n\r\n1 1:2 \n\t\n-1 4:3", "#a\n1 1:2#b\n -1  4:3 #\n#",
        "1 1:2 3:0\n-1 3:-0.0 4:3", "1 01:2\n-1 4:3e0\n"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        zo_data *data = read_text(texts[k], 0);
        assert_int_equal(data->n, 2);
        assert_int_equal(data->features, 4);
        assert_int_equal(data->nonzeros, 2);
        assert_true(entry_of(data, 0, 0) == 2 && entry_of(data, 1, 3) == 3);
        zo_data_free(data);
    }
}

static void largest_index(void **state)
{
    (void)state;
    zo_data *data = read_text("1 4294967294:1\n", 0);
    assert_int_equal(data->features, 4294967294u);
    assert_int_equal(data->col[0], 4294967293u);
    zo_data_free(data);
    data = read_text("1 000000000000000000012:1\n", 0); /* zeros in front count for nothing */
    assert_int_equal(data->features, 12);
    zo_data_free(data);
}

/* ---- What it refuses ---------------------------------------------------------------------------- */

typedef struct refusal {
    const char *text, *where, *why; /* where: ":line:column: " */
    size_t features;
} refusal;

static const refusal refusals[] = {
    {"1 0:1\n", ":1:3: ", "index 0: indices begin at 1", 0},
    {"1 1:1\n1 3:1 3:2\n", ":2:7: ", "index 3 is repeated", 0},
    {"1 5:1 3:2\n", ":1:7: ", "index 3 comes after 5", 0},
    {"1 5:1\n", ":1:3: ", "index 5 is larger than 4, the number of features", 4},
    {"1 4294967295:1\n", ":1:3: ", "larger than 4294967294", 0},
    {"1 99999999999999999999999:1\n", ":1:3: ", "larger than 4294967294", 0},
    {"1 -3:1\n", ":1:3: ", "index '-3' is not a whole number", 0},
    {"1 2.5:1\n", ":1:3: ", "index '2.5' is not a whole number", 0},
    {"1 qid:4 1:1\n", ":1:3: ", "index 'qid' is not a whole number", 0},
    {"1 :1\n", ":1:3: ", "index '' is not a whole number", 0},
    {"1 7\n", ":1:4: ", "colon missing after '7'", 0},
    {"1 1:1 7 8:1\n", ":1:8: ", "colon missing after '7'", 0},
    {"1 a\n", ":1:3: ", "'a' is not INDEX:VALUE", 0},
    {"1 3:\n", ":1:5: ", "value missing", 0},
    {"1 3: 4\n", ":1:5: ", "value missing", 0},
    {"1 3:nan\n", ":1:5: ", "value nan is not finite", 0},
    {"1 3:-Inf\n", ":1:5: ", "value -Inf is not finite", 0},
    {"1 3:infinity\n", ":1:5: ", "is not finite", 0},
    {"NaN 3:1\n", ":1:1: ", "label NaN is not finite", 0},
    {"1 3:1e400\n", ":1:5: ", "value 1e400 is too large", 0},
    {"-1e400 3:1\n", ":1:1: ", "label -1e400 is too large", 0},
    {"1 3:4x\n", ":1:5: ", "value '4x' is not a number", 0},
    {"1 3:4:5\n", ":1:5: ", "value '4:5' is not a number", 0},
    {"1 3:0x10\n", ":1:5: ", "value '0x10' is not a number", 0},
    {"1 3:1e\n", ":1:5: ", "value '1e' is not a number", 0},
    {"one 3:1\n", ":1:1: ", "label 'one' is not a number", 0},
    {"1,2 3:1\n", ":1:1: ", "label '1,2' is not a number: LIBSVM text is read, LABEL INDEX:VALUE",
     0},
    {"1 1:1\n  3:1 4:1\n", ":2:3: ", "'3:1' where the label belongs", 0},
    {"1 3:1\r4:1\n", ":1:6: ", "carriage return", 0},
    {"1 3:1\001\n", ":1:6: ", "byte 0x01", 0},
    {"\xef\xbb\xbf+1 3:1\n", ":1:1: ", "a byte order mark (0xef 0xbb 0xbf) before the label", 0},
    {"<html>\n", ":1:1: ", "label '<html>' is not a number", 0},
    {"\x80\x81 1:1\n", ":1:1: ",
     "label '?"
     "?' is not a number",
     0},
    {"1 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:1\n", ":1:3: ", "aaa...", 0},
    {"", ": ", "empty", 0},
    {"\n \n# 1 1:1\n", ": ", "no data in 3 lines", 0},
    {"1\n2\n", ": ", "no row has a feature", 0},
};

static void refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++)
        for (size_t cut = 0; cut < 20; cut++) {
            const refusal *r = &refusals[k];
            zo_data *data = (zo_data *)&data;
            zo_error err;
            zo_status status = fast_read(&data, r->text, strlen(r->text), r->features,
                                         1 + (int)cut % 3, cut, &err);
            if (status != ZO_BAD_INPUT || err.status != status || data ||
                !strstr(err.text, r->where) || !strstr(err.text, r->why) ||
                strncmp(err.text, "/proc/self/fd/", 14))
                fail_msg("%s gave %d, %s", r->text, status, err.text);
        }
}

static void no_such_file(void **state)
{
    (void)state;
    zo_data *data;
    zo_error err;
    assert_int_equal(zo_data_read(&data, "/nowhere/at/all", 0, &err), ZO_IO);
    assert_string_equal(err.text, "/nowhere/at/all: cannot be opened: No such file or directory");
    assert_int_equal(zo_data_read(&data, "/", 0, &err), ZO_IO);
    assert_non_null(strstr(err.text, "/: cannot be read: Is a directory"));
    assert_int_equal(zo_data_read(&data, NULL, 0, &err), ZO_BAD_ARGUMENT);
    assert_int_equal(zo_data_read(NULL, "/", 0, &err), ZO_BAD_ARGUMENT);
    assert_int_equal(zo_data_read(&data, "/", (size_t)1 << 40, NULL), ZO_BAD_ARGUMENT);
}

/* A file without an end and without a line must not eat the memory. */
static void zeros_for_ever(void **state)
{
    (void)state;
    zo_data *data;
    zo_error err;
    assert_int_equal(zo_data_read(&data, "/dev/zero", 0, &err), ZO_BAD_INPUT);
    assert_non_null(strstr(err.text, "/dev/zero:1:1: byte 0x00"));
}

/* The first fault is reported, whoever finds another one earlier. */
static void first_fault(void **state)
{
    (void)state;
    char *text = calloc(9 * 100000 + 1, 1);
    for (size_t k = 0; k < 100000; k++) memcpy(text + 9 * k, "1 2:0.25\n", 9);
    text[9 * 40000 + 2] = '0';
    text[9 * 99000] = 'x';
    text[9 * 70000] = 'y';
    for (int threads = 1; threads <= 4; threads++) {
        zo_data *data;
        zo_error err;
        assert_int_equal(
            fast_read(&data, text, strlen(text), 0, threads, threads == 4 ? 1000 : 0, &err),
            ZO_BAD_INPUT);
        assert_non_null(strstr(err.text, ":40001:3: index 0"));
    }
    free(text);
}

/* ---- Sameness ----------------------------------------------------------------------------------- */

typedef struct text {
    char *bytes;
    size_t size;
} text;

/* So many rows, some long, some empty, with numbers of all kinds. */
static text random_text(uint64_t seed, size_t rows, size_t features, double density)
{
    text t = {calloc(rows + 2, 60 * features + 200), 0};
    char *p = t.bytes;
    for (size_t i = 0; i < rows; i++) {
        rng_block b = rng_draw(seed, FOR_CHECK, i, 0);
        p += sprintf(p, "%.*g", (int)(b.v[0] % 20), (double)b.v[1] / (1 + b.v[2] % 100) - 1e7);
        for (size_t j = 0; j < features; j++) {
            rng_block e = rng_draw(seed, FOR_CHECK, i, j + 1);
            if ((double)e.v[0] >= density * 4294967296.0) continue;
            p += sprintf(p, "%*s%zu:%.*e", 1 + e.v[2] % 2, "", j + 1, (int)(e.v[1] % 20),
                         (e.v[2] - 2e9) / (1 + e.v[3] % 999));
        }
        p += sprintf(p, "%s", b.v[3] % 5 == 0 ? " # five\r\n" : b.v[3] % 5 == 1 ? "\n\n" : "\n");
    }
    t.size = (size_t)(p - t.bytes);
    return t;
}

static void threads_and_cuts(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        text t = random_text(seed, 400, seed % 2 ? 7 : 60, seed < 3 ? 0.2 : 0.8);
        static const size_t cuts[] = {1, 2, 7, 64, 1000, 4096, 0};
        for (size_t c = 0; c < 7; c++)
            for (int threads = 1; threads <= 3; threads++) {
                const char *difference = readers_differ(t.bytes, t.size, 0, threads, cuts[c]);
                if (difference)
                    fail_msg("seed %d, cut %zu, threads %d: %s", (int)seed, cuts[c], threads,
                             difference);
            }
        free(t.bytes);
    }
}

/* Rows that begin full and get sparse, get wider, or the other way round: the storage follows. */
static void changing_storage(void **state)
{
    (void)state;
    static const char *const line[] = {"1 1:1 2:2 3:3 4:4\n", "2 2:5\n", "3 1:1 40:2\n", "4\n",
                                       "5 2:1 3:2 4:3\n"};
    for (uint64_t k = 0; k < 3000; k++) {
        char bytes[1000];
        size_t size = 0;
        for (uint32_t part = 0; part < 4; part++) {
            rng_block b = rng_draw(k, FOR_CHECK, 9, part);
            for (uint32_t i = 0; i < b.v[0] % 9; i++)
                size += (size_t)sprintf(bytes + size, "%s", line[b.v[1] % 5]);
        }
        if (size == 0) continue;
        const char *difference = readers_differ(bytes, size, k % 4 == 0 ? 40 : 0, 1, 8 + k % 50);
        if (difference) fail_msg("case %d, '%.*s': %s", (int)k, (int)size, bytes, difference);
    }
}

/* Large enough for mapped memory, growing arrays and full rows made in place. */
static void large(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        size_t n = 120000, size = 0;
        char *bytes = malloc(n * 120);
        for (size_t i = 0; i < n; i++) {
            size += (size_t)sprintf(bytes + size, "%zu", i % 3);
            for (size_t j = 0; j < 12; j++)
                if ((i * 7 + j * j * 13) % 10 < (dense ? 9 : 4))
                    size += (size_t)sprintf(bytes + size, " %zu:%zu", j + 1, i % 100 + 1);
            bytes[size++] = '\n';
        }
        const char *difference = readers_differ(bytes, size, 0, 2, 0);
        if (difference) fail_msg("dense %d: %s", dense, difference);
        free(bytes);
    }
}

/* ---- A small fuzzer ----------------------------------------------------------------------------- */

/* Changes a few bytes: other bytes of the alphabet, holes, doubled parts. */
static size_t mutate(char *bytes, size_t size, uint64_t seed)
{
    static const char alphabet[] = "0123456789:::...eE+-  \t\n\n\r#\0naif\x7f\x80";
    rng_block b = rng_draw(seed, FOR_CHECK, 7, 0);
    for (uint32_t k = 0; k < 1 + b.v[0] % 4 && size > 0; k++) {
        rng_block c = rng_draw(seed, FOR_CHECK, 7, k + 1);
        size_t at = c.v[0] % size, length = 1 + c.v[1] % 6;
        if (length > size - at) length = size - at;
        if (c.v[2] % 4 == 0) {
            memmove(bytes + at, bytes + at + length, size - at - length);
            size -= length;
        } else if (c.v[2] % 4 == 1) {
            memmove(bytes + at + length, bytes + at, size - at);
            size += length;
        } else {
            bytes[at] = alphabet[c.v[3] % (sizeof alphabet - 1)];
        }
    }
    return size;
}

static void mutations(void **state)
{
    (void)state;
    static const char *const seeds[] = {
        "+1 1:0.5 3:-2\n-1 2:1e-5\n", "1 1:1 2:2 3:3\r\n2 1:.5 # c\n\n3 3:7", "0\n1 4294967294:1\n",
        "-1 10:1 11:1 12:1\n+1 9:1.5 13:1e3\n1 1:12345678901234567890\n"};
    for (uint64_t k = 0; k < 20000; k++) {
        char bytes[256], copy[256];
        size_t size = strlen(seeds[k % 4]);
        memcpy(bytes, seeds[k % 4], size);
        size = mutate(bytes, size, k);
        memcpy(copy, bytes, size);
        const char *difference = readers_differ(bytes, size, k % 5 == 0 ? 12 : 0, 1, 1 + k % 60);
        if (difference) fail_msg("mutation %d, '%.*s': %s", (int)k, (int)size, copy, difference);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small),
        cmocka_unit_test(full_rows),
        cmocka_unit_test(line_ends),
        cmocka_unit_test(largest_index),
        cmocka_unit_test(refused),
        cmocka_unit_test(no_such_file),
        cmocka_unit_test(zeros_for_ever),
        cmocka_unit_test(first_fault),
        cmocka_unit_test(threads_and_cuts),
        cmocka_unit_test(changing_storage),
        cmocka_unit_test(large),
        cmocka_unit_test(mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
