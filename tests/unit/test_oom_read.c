/* The reader and the generators when memory runs out.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memfd_create */
#include "oom.h"
#include "slow_libsvm.h"

typedef struct reading {
    const char *bytes;
    size_t size, cut;
    int threads;
} reading;

static zo_status read_once(const void *what, zo_error *err)
{
    const reading *r = what;
    zo_data *data;
    zo_status status = fast_read(&data, r->bytes, r->size, 0, r->threads, r->cut, err);
    assert_true((status == ZO_OK) == (data != NULL));
    zo_data_free(data);
    return status;
}

/* Sparse and full rows, lines longer than a piece, more pieces than a bank has. */
static void plain(void **state)
{
    (void)state;
    char text[2000] = "";
    static const char *const line[] = {"1 3:5 90:1\n", "-1 1:0.25 2:1 3:1\n"};
    for (size_t kind = 0; kind < 2; kind++) {
        size_t size = 0;
        for (size_t k = 0; k < 60; k++) size += (size_t)sprintf(text + size, "%s", line[kind]);
        for (size_t cut = 0; cut < 200; cut = cut ? cut * 5 : 5) {
            reading one = {text, size, cut, 1}, three = {text, size, cut, 3};
            fail_each(read_once, &one, "one thread");
            fail_each(read_once, &three, "three threads");
        }
    }
}

/* Nothing, then full rows, then rows with nothing in them: every storage in turn. */
static void changing(void **state)
{
    (void)state;
    char text[2000];
    size_t size = 0;
    for (size_t k = 0; k < 120; k++)
        size += (size_t)sprintf(text + size, "%s", k < 40 ? "\n" : k < 60 ? "1 1:1 2:2\n" : "3\n");
    for (size_t cut = 10; cut < 100; cut += 10) {
        reading r = {text, size, cut, 1};
        fail_each(read_once, &r, "changing storage");
    }
}

/* "1 1:0.5 3:1\n-1 2:1 3:2\n1 1:4\n" */
static const unsigned char gzipped[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x33, 0x54, 0x30, 0xb4, 0x32, 0xd0,
    0x33, 0x55, 0x30, 0xb6, 0x32, 0xe4, 0xd2, 0x35, 0x54, 0x30, 0xb2, 0x32, 0x04, 0x32, 0x8d, 0xb8,
    0x0c, 0x81, 0xc2, 0x26, 0x5c, 0x00, 0xc6, 0xea, 0x63, 0x83, 0x1d, 0x00, 0x00, 0x00};

static void packed(void **state)
{
    (void)state;
    reading r = {(const char *)gzipped, sizeof gzipped, 0, 1};
    zo_error err;
    if (read_once(&r, &err) == ZO_UNSUPPORTED) skip();
    fail_each(read_once, &r, "gzip");
}

static zo_status make_once(const void *what, zo_error *err)
{
    zo_data *data;
    zo_status status = zo_data_synth(&data, what, err);
    zo_data_free(data);
    return status;
}

static void synth(void **state)
{
    (void)state;
    static const char *const specs[] = {"n=40,d=9", "n=40,d=9,kind=gaussian",
                                        "n=40,d=9,kind=gaussian,density=0.2",
                                        "n=40,d=9,kind=regression", "n=40,d=9,kind=multiclass"};
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++)
        fail_each(make_once, specs[k], specs[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plain), cmocka_unit_test(changing),
                                       cmocka_unit_test(packed), cmocka_unit_test(synth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
