/* A history when memory runs out, and how far a run has come, in C.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* mkdtemp, usleep */
#include "oom.h"

#include <pthread.h>

static int value(void *ctx, size_t i, const double *x, double *f)
{
    if (ctx) ++*(int *)ctx;
    *f = (x[0] - (double)i) * (x[0] - (double)i) + x[1] * x[1];
    return 0;
}

static int values(void *ctx, size_t npoints, const double *x, size_t ncomp, const uint64_t *comp,
                  double *f)
{
    for (size_t p = 0; p < npoints; p++)
        for (size_t k = 0; k < ncomp; k++)
            if (value(ctx, comp[k], x + 2 * p, &f[p * ncomp + k])) return 1;
    return 0;
}

typedef struct files {
    const char *file, *past;
    int many; /* values, not value */
} files;

/* Whoever hears of the end of a run finds every evaluation of it in the file, though it is still open. */
static void all_is_out(const char *file, uint64_t written)
{
    char line[256];
    uint64_t rows = 0;
    FILE *in = fopen(file, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) rows += strchr("-0123456789", *line) != NULL;
    fclose(in);
    assert_int_equal(rows, written);
}

static zo_status run(const files *f, int *calls, double *x, zo_error *err)
{
    zo_problem p = {.n = 5, .d = 2, .ctx = calls};
    zo_history_options o = {.n = 5, .d = 2, .file = f->file, .past = f->past};
    zo_settings s = zo_defaults();
    zo_control c = zo_no_limits();
    zo_history *h = NULL;
    zo_solver *solver = NULL;
    zo_report r;
    if (f->many)
        p.values = values;
    else
        p.value = value;
    strcpy(s.method, "fista");
    c.max_queries = 200;
    if (f->file) remove(f->file);
    zo_status status = zo_history_open(&h, &o, err);
    c.history = h;
    if (!status) status = zo_new(&solver, &p, &s, err);
    if (!status) status = zo_start(solver, NULL, err);
    if (!status) status = zo_run(solver, &c, &r, err);
    if (!status && x) memcpy(x, zo_point(solver), 2 * sizeof *x);
    if (!status && x && f->file) all_is_out(f->file, zo_history_look(h).written);
    zo_free(solver);
    zo_history_close(h);
    return status;
}

static zo_status attempt_run(const void *what, zo_error *err) { return run(what, NULL, NULL, err); }

static void memory_runs_out(void **state)
{
    char folder[] = "/tmp/zoprox-history-XXXXXX", file[64], past[64];
    zo_error err;
    (void)state;
    assert_non_null(mkdtemp(folder));
    static const char *const kind[] = {"csv", "db"};
    for (int k = 0; k < 2; k++) {
        snprintf(file, sizeof file, "%s/h.%s", folder, kind[k]);
        snprintf(past, sizeof past, "%s/p.%s", folder, kind[k]);
        zo_status status = run(&(files){past, NULL, 0}, NULL, NULL, &err);
        if (status == ZO_UNSUPPORTED) break; /* a build without SQLite */
        assert_int_equal(status, ZO_OK);
        for (int many = 0; many < 2; many++) {
            fail_each(attempt_run, &(files){file, NULL, many}, "a file");
            fail_each(attempt_run, &(files){NULL, past, many}, "a past");
        }
        remove(file);
        remove(past);
    }
    rmdir(folder);
}

/* Written and read back by both kinds of functions: the same bytes, and nothing is asked again. */
static void the_same(void **state)
{
    char folder[] = "/tmp/zoprox-history-XXXXXX", file[64];
    zo_error err;
    double plain[2], x[2];
    int calls = 0, asked = 0;
    (void)state;
    fails_at = -1;
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/h.csv", folder);
    assert_int_equal(run(&(files){NULL, NULL, 0}, &calls, plain, &err), ZO_OK);
    for (int many = 0; many < 2; many++) {
        assert_int_equal(run(&(files){file, NULL, many}, NULL, x, &err), ZO_OK);
        assert_memory_equal(x, plain, sizeof x);
        assert_int_equal(run(&(files){NULL, file, !many}, &asked, x, &err), ZO_OK);
        assert_memory_equal(x, plain, sizeof x);
    }
    assert_true(calls > 50);
    assert_int_equal(asked, 0);
    remove(file);
    rmdir(folder);
}

static int answer(void *ctx, const zo_fan *fan, double *out)
{
    (void)ctx;
    memset(out, 0, zo_fan_answers(fan) * sizeof *out);
    return 0;
}

static void refused(void **state)
{
    zo_problem p = {.n = 5, .d = 2, .answer = answer};
    zo_history_options o = {.n = 5, .d = 2, .past = "/dev/null"}, none = {.n = 5, .d = 2};
    zo_settings s = zo_defaults();
    zo_control c = zo_no_limits();
    zo_solver *solver;
    zo_history *h;
    zo_report r;
    zo_error err;
    (void)state;
    fails_at = -1;
    assert_int_equal(zo_history_open(&h, &o, &err), ZO_BAD_INPUT);
    assert_null(h);
    assert_int_equal(zo_history_open(&h, &none, &err), ZO_OK);
    c.history = h;
    assert_int_equal(zo_new(&solver, &p, &s, &err), ZO_OK);
    assert_int_equal(zo_start(solver, NULL, &err), ZO_OK);
    assert_int_equal(zo_run(solver, &c, &r, &err), ZO_UNSUPPORTED);
    assert_non_null(strstr(err.text, "single values are not seen"));
    zo_free(solver);
    zo_history_close(h);
}

typedef struct watcher {
    pthread_t thread;
    int calls, within;
    double share;
} watcher;

static void on_progress(void *ctx, const zo_progress *now)
{
    watcher *w = ctx;
    w->calls++;
    w->within += now->answered > 0 && now->answered < now->asked;
    assert_true(pthread_equal(w->thread, pthread_self()));
    assert_true(now->share >= w->share && now->share <= 1 && !(now->left < 0));
    assert_true(now->answered <= now->asked);
    w->share = now->share;
}

static int slow(void *ctx, size_t i, const double *x, double *f)
{
    usleep(2000); /* the function under watch takes its time; nothing is measured */
    return value(ctx, i, x, f);
}

/* Within a question, from the caller's thread, whatever the number of threads. */
static void how_far(void **state)
{
    (void)state;
    fails_at = -1;
    for (int threads = 1; threads <= 3; threads += 2) {
        zo_problem p = {.n = 100, .d = 2, .value = slow, .threads = threads};
        zo_settings s = zo_defaults();
        zo_control c = zo_no_limits();
        watcher w = {.thread = pthread_self()};
        zo_solver *solver;
        zo_report r;
        zo_error err;
        strcpy(s.method, "pgd");
        s.step = 0.1;
        c.max_queries = 320;
        c.track = ZO_TRACK_OFF;
        c.progress = on_progress;
        c.progress_ctx = &w;
        assert_int_equal(zo_new(&solver, &p, &s, &err), ZO_OK);
        assert_int_equal(zo_start(solver, NULL, &err), ZO_OK);
        assert_int_equal(zo_run(solver, &c, &r, &err), ZO_OK);
        assert_true(r.queries >= 300 && w.within > 0);
        zo_free(solver);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_runs_out),
                                       cmocka_unit_test(the_same), cmocka_unit_test(refused),
                                       cmocka_unit_test(how_far)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
