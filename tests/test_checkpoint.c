/* Checkpoints: a resumed run is the same run, and what is damaged, foreign or half written is refused.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "problem/problem.h"
#include "record.h"

#define FILE_NAME "test_checkpoint.checkpoint"

static void resumes_one(const zo_settings *s)
{
    zo_problem p;
    faulty *t = faulty_new(&p);
    static trace whole, part, joined;
    double x[FAULTY_D], y[FAULTY_D];
    straight(&p, s, 10, &whole, x);
    joined.count = 0;
    zo_error e;
    zo_report r;
    remove(FILE_NAME);
    for (int leg = 0; leg < 40; leg++) {
        zo_solver *solver = begin(&p, s);
        if (leg)
            must(zo_load(solver, FILE_NAME, &e), &e);
        else
            must(zo_start(solver, NULL, &e), &e);
        zo_control c = budget(10, &part);
        part.stop_after = 2;
        c.checkpoint = FILE_NAME;
        must(zo_run(solver, &c, &r, &e), &e);
        memcpy(y, zo_point(solver), sizeof y);
        for (size_t k = 0; k < part.count; k++)
            if (part.row[k].queries <= r.row_queries || r.reason != ZO_AT_REQUEST)
                joined.row[joined.count++] = part.row[k];
        zo_free(solver);
        if (r.reason != ZO_AT_REQUEST) break;
    }
    assert_memory_equal(x, y, sizeof x);
    assert_int_equal(whole.count, joined.count);
    assert_memory_equal(whole.row, joined.row, whole.count * sizeof whole.row[0]);
    remove(FILE_NAME);
    free(t);
}

static void resumed_runs_are_the_same_run(void **state)
{
    (void)state;
    for_every_method(resumes_one);
}

static void damaged_and_foreign_checkpoints_are_refused(void **state)
{
    (void)state;
    zo_problem p;
    faulty *t = faulty_new(&p);
    zo_settings s = zo_defaults();
    strcpy(s.method, "zpdvr");
    zo_error e;
    zo_report r;
    zo_control c = budget(3, NULL);
    c.watch = NULL;
    c.checkpoint = FILE_NAME;
    zo_solver *solver = begin(&p, &s);
    must(zo_start(solver, NULL, &e), &e);
    must(zo_run(solver, &c, &r, &e), &e);
    zo_free(solver);
    FILE *f = fopen(FILE_NAME, "rb");
    static unsigned char bytes[1 << 20];
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    assert_true(size > 100 && size < sizeof bytes);
    for (size_t bit = 0; bit < 8 * size; bit += 8 * size / 300 + 1) { /* one flipped bit, all over the file */
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        f = fopen(FILE_NAME ".bad", "wb");
        fwrite(bytes, 1, size, f);
        fclose(f);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        solver = begin(&p, &s);
        assert_int_equal(zo_load(solver, FILE_NAME ".bad", &e), ZO_MISMATCH);
        zo_free(solver);
    }
    for (size_t cut = 0; cut < size; cut += size / 50 + 1) { /* cut short */
        f = fopen(FILE_NAME ".bad", "wb");
        fwrite(bytes, 1, cut, f);
        fclose(f);
        solver = begin(&p, &s);
        assert_int_equal(zo_load(solver, FILE_NAME ".bad", &e), ZO_MISMATCH);
        zo_free(solver);
    }
    f = fopen(FILE_NAME ".bad", "wb"); /* and one byte too long */
    fwrite(bytes, 1, size, f);
    fputc(0, f);
    fclose(f);
    solver = begin(&p, &s);
    assert_int_equal(zo_load(solver, FILE_NAME ".bad", &e), ZO_MISMATCH);
    zo_free(solver);
    remove(FILE_NAME ".bad");
    zo_settings other = s;
    other.step = 0.125;
    solver = begin(&p, &other);
    assert_int_equal(zo_load(solver, FILE_NAME, &e), ZO_MISMATCH);
    assert_non_null(strstr(e.text, "step"));
    zo_free(solver);
    p.psi = zo_l1(2e-2);
    solver = begin(&p, &s);
    assert_int_equal(zo_load(solver, FILE_NAME, &e), ZO_MISMATCH);
    zo_free(solver);
    p.psi = zo_l1(1e-2);
    p.fingerprint = 5;
    solver = begin(&p, &s);
    assert_int_equal(zo_load(solver, FILE_NAME, &e), ZO_MISMATCH);
    zo_free(solver);
    p.fingerprint = 0;
    p.n = FAULTY_N - 1;
    solver = begin(&p, &s);
    assert_int_equal(zo_load(solver, FILE_NAME, &e), ZO_MISMATCH);
    assert_int_equal(zo_load(solver, "/nowhere/at/all", &e), ZO_IO);
    zo_free(solver);
    remove(FILE_NAME);
    free(t);
}

static void a_full_disk_loses_nothing(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK)) skip();
    zo_problem p;
    faulty *t = faulty_new(&p);
    zo_settings s = zo_defaults();
    strcpy(s.method, "pgd");
    zo_error e;
    zo_report r;
    zo_control c = budget(5, NULL);
    c.watch = NULL;
    c.checkpoint = "/proc/nothing-can-be-written-here";
    zo_solver *solver = begin(&p, &s);
    must(zo_start(solver, NULL, &e), &e);
    assert_int_equal(zo_run(solver, &c, &r, &e), ZO_IO);
    assert_non_null(strstr(e.text, "nothing-can-be-written-here"));
    assert_true(r.steps > 0 && r.reason == ZO_AT_FAILURE);
    zo_free(solver);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resumed_runs_are_the_same_run),
        cmocka_unit_test(damaged_and_foreign_checkpoints_are_refused),
        cmocka_unit_test(a_full_disk_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
