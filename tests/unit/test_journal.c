/* The journal of answers: what a kill or a flipped bit costs.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* mkstemp, truncate */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

#include "problem/process/journal.h"

enum { ANSWERS = 9, VALUES = 3, RECORD = 8 * (VALUES + 4), HEAD = 16 };

static char path[] = "/tmp/zo_journal_XXXXXX";

static journal *opened(void)
{
    journal *j;
    zo_error e = {0};
    if (journal_open(&j, path, 7, &e)) fail_msg("%s", e.text);
    return j;
}

static void write_journal(void)
{
    assert_int_equal(truncate(path, 0), 0);
    journal *j = opened();
    for (uint64_t k = 0; k < ANSWERS; k++) {
        double v[VALUES] = {(double)k, 0, -1};
        assert_true(journal_add(j, (uint64_t[2]){k, ~k}, VALUES, v));
    }
    journal_close(j);
}

static void spoil(long at)
{
    FILE *f = fopen(path, "r+b");
    fseek(f, at, SEEK_SET);
    int c = fgetc(f);
    fseek(f, at, SEEK_SET);
    fputc(c ^ 4, f);
    fclose(f);
}

/* Every answer but the one that is lost, and values as they were. */
static void all_but(size_t lost)
{
    journal *j = opened();
    double v[VALUES];
    for (uint64_t k = 0; k < ANSWERS; k++) {
        int there = journal_take(j, (uint64_t[2]){k, ~k}, VALUES, v);
        if (there != (k != lost)) fail_msg("answer %d, with %d lost", (int)k, (int)lost);
        assert_true(!there || v[0] == (double)k);
    }
    journal_close(j);
}

static void a_flipped_bit_costs_one_answer(void **state)
{
    (void)state;
    for (long at = 0; at < RECORD; at += 5) { /* key, count, values and check of the third */
        write_journal();
        spoil(HEAD + 2 * RECORD + at);
        all_but(2);
        journal *j = opened(); /* what is asked again is kept again */
        double v[VALUES] = {2, 0, -1};
        assert_true(journal_add(j, (uint64_t[2]){2, ~(uint64_t)2}, VALUES, v));
        journal_close(j);
        all_but(ANSWERS);
    }
}

static void a_torn_answer_is_cut_off(void **state)
{
    (void)state;
    for (long cut = 1; cut < RECORD; cut += 7) {
        write_journal();
        assert_int_equal(truncate(path, HEAD + ANSWERS * RECORD - cut), 0);
        all_but(ANSWERS - 1);
        journal *j = opened();
        double v[VALUES] = {ANSWERS - 1, 0, -1};
        assert_true(
            journal_add(j, (uint64_t[2]){ANSWERS - 1, ~(uint64_t)(ANSWERS - 1)}, VALUES, v));
        journal_close(j);
        all_but(ANSWERS);
    }
}

static int set_up(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flipped_bit_costs_one_answer),
        cmocka_unit_test(a_torn_answer_is_cut_off),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
