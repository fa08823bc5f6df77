/* Checkpoints: a resumed run is the same run, and what is damaged, foreign or half written is refused.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

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
        memcpy(y, zo_last(solver), sizeof y);
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

/* A short run that leaves a checkpoint. */
static zo_status run_saving(const zo_problem *p, const zo_settings *s, const char *file,
                            zo_report *r, zo_error *e)
{
    zo_solver *solver = begin(p, s);
    zo_control c = zo_no_limits();
    c.max_units = 5;
    c.checkpoint = file;
    must(zo_start(solver, NULL, e), e);
    zo_status status = zo_run(solver, &c, r, e);
    zo_free(solver);
    return status;
}

/* FILE_NAME, of the problem that is filled in and returned to be freed. */
static faulty *leave_checkpoint(zo_problem *p, const zo_settings *s)
{
    faulty *t = faulty_new(p);
    zo_error e;
    zo_report r;
    must(run_saving(p, s, FILE_NAME, &r, &e), &e);
    return t;
}

static void refuses(const zo_problem *p, const zo_settings *s, const char *file, zo_error *e)
{
    zo_solver *solver = begin(p, s);
    assert_int_equal(zo_load(solver, file, e), ZO_MISMATCH);
    zo_free(solver);
}

static void write_bytes(const char *file, const unsigned char *bytes, size_t size)
{
    FILE *f = fopen(file, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static void damaged_checkpoints_are_refused(void **state)
{
    (void)state;
    zo_problem p;
    zo_settings s = settings_of("zpdvr");
    zo_error e;
    faulty *t = leave_checkpoint(&p, &s);
    static unsigned char bytes[1 << 20];
    FILE *f = fopen(FILE_NAME, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    assert_true(size > 100 && size < sizeof bytes);
    for (size_t bit = 0; bit < 8 * size;
         bit += 8 * size / 300 + 1) { /* one flipped bit, all over the file */
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        write_bytes(FILE_NAME ".bad", bytes, size);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        refuses(&p, &s, FILE_NAME ".bad", &e);
    }
    for (size_t cut = 0; cut < size; cut += size / 50 + 1) { /* cut short */
        write_bytes(FILE_NAME ".bad", bytes, cut);
        refuses(&p, &s, FILE_NAME ".bad", &e);
    }
    bytes[size] = 0; /* and one byte too long */
    write_bytes(FILE_NAME ".bad", bytes, size + 1);
    refuses(&p, &s, FILE_NAME ".bad", &e);
    remove(FILE_NAME ".bad");
    remove(FILE_NAME);
    free(t);
}

static void foreign_checkpoints_are_refused(void **state)
{
    (void)state;
    zo_problem p;
    zo_settings s = settings_of("zpdvr");
    zo_error e;
    faulty *t = leave_checkpoint(&p, &s);
    zo_settings other = s;
    other.step = 0.125;
    refuses(&p, &other, FILE_NAME, &e);
    assert_non_null(strstr(e.text, "step"));
    zo_problem sparser = p, marked = p, smaller = p;
    sparser.psi = zo_l1(2e-2);
    refuses(&sparser, &s, FILE_NAME, &e);
    marked.fingerprint = 5;
    refuses(&marked, &s, FILE_NAME, &e);
    smaller.n = FAULTY_N - 1;
    refuses(&smaller, &s, FILE_NAME, &e);
    zo_solver *solver = begin(&p, &s);
    assert_int_equal(zo_load(solver, "/nowhere/at/all", &e), ZO_IO);
    zo_free(solver);
    remove(FILE_NAME);
    free(t);
}

/* A limit that does not fit the problem is refused before the file is taken. */
static void a_refused_run_leaves_the_file_free(void **state)
{
    (void)state;
    zo_problem p;
    faulty *t = faulty_new(&p);
    zo_settings s = zo_defaults();
    zo_error e;
    zo_report r;
    zo_solver *solver = begin(&p, &s);
    zo_control c = zo_no_limits();
    c.checkpoint = FILE_NAME;
    c.max_points = 3; /* of a problem that is paid by component */
    must(zo_start(solver, NULL, &e), &e);
    assert_int_equal(zo_run(solver, &c, &r, &e), ZO_BAD_ARGUMENT);
    must(run_saving(&p, &s, FILE_NAME, &r, &e), &e);
    zo_free(solver);
    remove(FILE_NAME);
    free(t);
}

/* As /dev/null: a device is neither replaced by a file, nor waited for. */
static void a_device_is_no_checkpoint(void **state)
{
    (void)state;
    zo_problem p;
    faulty *t = faulty_new(&p);
    zo_settings s = zo_defaults();
    zo_error e;
    zo_report r;
    struct stat st;
    remove(FILE_NAME);
    assert_int_equal(mkfifo(FILE_NAME, 0600), 0);
    assert_int_equal(run_saving(&p, &s, FILE_NAME, &r, &e), ZO_BAD_ARGUMENT);
    assert_non_null(strstr(e.text, "is a device or a pipe"));
    zo_solver *solver = begin(&p, &s);
    assert_int_equal(zo_load(solver, FILE_NAME, &e), ZO_BAD_ARGUMENT);
    must(zo_start(solver, NULL, &e), &e);
    assert_int_equal(zo_save(solver, FILE_NAME, &e), ZO_BAD_ARGUMENT);
    assert_int_equal(stat(FILE_NAME, &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
    zo_free(solver);
    remove(FILE_NAME);
    free(t);
}

static void what_cannot_be_written_is_named(void **state)
{
    (void)state;
    zo_problem p;
    faulty *t = faulty_new(&p);
    zo_settings s = settings_of("pgd");
    zo_error e;
    zo_report r;
    assert_int_equal(run_saving(&p, &s, "/proc/nothing-can-be-written-here", &r, &e), ZO_IO);
    assert_non_null(strstr(e.text, "nothing-can-be-written-here"));
    assert_true(r.steps > 0 && r.reason == ZO_AT_FAILURE);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resumed_runs_are_the_same_run),
        cmocka_unit_test(damaged_checkpoints_are_refused),
        cmocka_unit_test(foreign_checkpoints_are_refused),
        cmocka_unit_test(a_refused_run_leaves_the_file_free),
        cmocka_unit_test(a_device_is_no_checkpoint),
        cmocka_unit_test(what_cannot_be_written_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
