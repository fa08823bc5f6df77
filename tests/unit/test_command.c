/* Programs as black boxes: the same bytes as a function in this process, whatever the workers do.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "problem/problem.h"
#include "settings_of.h"
#include "zoprox_box.h"

enum { N = 300, D = 6 };

static int value(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    double m = 0;
    for (size_t j = 0; j < D; j++) m += cos((double)((i + 1) * (j + 1))) * x[j];
    *f = log1p(exp(-m));
    return 0;
}

static char folder[] = "/tmp/zoprox-test-XXXXXX";

static zo_command_options options(const char *const *argv, int workers)
{
    return (zo_command_options){
        .argv = argv, .n = N, .d = D, .workers = workers, .timeout = 1, .retries = 5};
}

/* steps: so many, whatever is asked again; 0: as many as 8 units pay for. */
static void run(zo_problem *p, const char *method, uint64_t steps, double *x, zo_report *r)
{
    zo_settings s = settings_of(method);
    zo_control c = zo_no_limits();
    zo_solver *solver;
    zo_error e;
    p->psi = zo_l1(1e-3);
    s.step = 0.3;
    s.batch = 7;
    s.directions = 4;
    s.horizon = 8.0 * N * D;
    c.max_units = steps ? INFINITY : 8;
    if (steps) c.max_steps = steps;
    if (zo_new(&solver, p, &s, &e) || zo_start(solver, NULL, &e) || zo_run(solver, &c, r, &e))
        fail_msg("%s", e.text);
    memcpy(x, zo_point(solver), D * sizeof *x);
    zo_free(solver);
}

static void same_bytes(const char *every, int workers, uint64_t *faults)
{
    static const char *const methods[] = {"zpdvr", "saga", "pgd"};
    const char *argv[] = {ZO_WORKER, folder, "300", "6", every, NULL};
    for (size_t k = 0; k < 3; k++) {
        zo_problem mine = {.n = N, .d = D, .value = value}, theirs;
        double x[D], y[D];
        zo_report r, q;
        zo_command *command;
        zo_error e;
        zo_command_options o = options(argv, workers);
        if (!strcmp(every, "0"))
            o.timeout = 0; /* nothing goes wrong here, however busy the machine is */
        run(&mine, methods[k], 0, x, &r);
        if (zo_command_new(&command, &o, &theirs, &e)) fail_msg("%s", e.text);
        run(&theirs, methods[k], r.steps, y, &q);
        assert_memory_equal(x, y, sizeof x);
        assert_int_equal(r.queries, q.queries);
        assert_true(q.objective == r.objective);
        *faults += q.failures;
        zo_command_free(command);
    }
}

static void workers_give_the_same_bytes(void **state)
{
    (void)state;
    uint64_t faults = 0;
    for (int workers = 1; workers <= 3; workers++) same_bytes("0", workers, &faults);
    assert_int_equal(faults, 0);
}

static unsigned long number_in(const char *name)
{
    char path[256];
    unsigned long k = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%lu", &k) != 1) k = 0;
    if (f) fclose(f);
    return k;
}

static size_t descriptors(void)
{
    size_t count = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (readdir(dir)) count++;
    closedir(dir);
    return count;
}

static void faults_change_nothing(void **state)
{
    (void)state;
    uint64_t faults = 0;
    size_t before = descriptors();
    same_bytes("607", 2, &faults);
    assert_true(number_in("faults") > 5);
    assert_true(faults >= number_in("faults")); /* more, where a busy machine makes a worker late */
    assert_int_equal(descriptors(), before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nobody is left behind */
}

static void means_are_understood(void **state)
{
    (void)state;
    const char *argv[] = {ZO_WORKER, folder, "300", "6", "0", "means", NULL};
    zo_problem mine = {.n = N, .d = D, .value = value}, theirs;
    zo_command *command;
    zo_command_options o = options(argv, 2);
    zo_error e;
    double x[D], y[D];
    zo_report r, q;
    if (zo_command_new(&command, &o, &theirs, &e)) fail_msg("%s", e.text);
    assert_int_equal(theirs.means_only, 1);
    run(&mine, "pgd", 0, x, &r);
    run(&theirs, "pgd", r.steps, y, &q);
    for (size_t j = 0; j < D; j++) assert_true(fabs(x[j] - y[j]) < 1e-6);
    zo_settings s = settings_of("saga");
    zo_solver *solver;
    const zo_fan *fan;
    s.step = 0.1;
    s.batch = 1;
    zo_status status = zo_new(&solver, &theirs, &s, &e);
    if (!status) status = zo_start(solver, NULL, &e);
    if (!status) status = zo_ask(solver, &fan, &e);
    assert_true(status != ZO_OK);
    assert_non_null(strstr(e.text, "means"));
    zo_free(solver);
    zo_command_free(command);
}

static void bad_programs_are_described(void **state)
{
    (void)state;
    static const struct {
        const char *argv[4], *word;
    } bad[] = {{{"/no/such/program"}, "No such file"},
               {{"/bin/true"}, "exited with code 0"},
               {{"/bin/sh", "-c", "echo oops >&2; exit 3"}, "oops"},
               {{"/bin/sh", "-c", "echo hello; cat >/dev/null"}, "'hello'"},
               {{"/bin/sh", "-c", "exec sleep 100"}, "not answered within"},
               {{""}, "no program"}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        zo_problem p;
        zo_command *command;
        zo_error e;
        zo_command_options o = options(bad[k].argv, 1);
        o.timeout = 0.3;
        o.retries = 0;
        assert_true(zo_command_new(&command, &o, &p, &e) != ZO_OK);
        if (!strstr(e.text, bad[k].word)) fail_msg("%s", e.text);
        assert_null(command);
    }
}

static void bad_answers_are_described(void **state)
{
    (void)state;
    static const struct {
        const char *answer, *word;
    } bad[] = {{"echo $id; echo 1 2 x; echo 1", "'x'"},
               {"echo $id; echo 1", "1 value; 33 were asked for"},
               {"echo 99; echo 1", "where the ID"},
               {"kill -9 $$", "signal 9"}};
    for (size_t a = 0; a < 2 * (sizeof bad / sizeof bad[0]); a++) {
        size_t k = a / 2;
        int policy = a % 2 ? ZO_STOP : ZO_REJECT; /* they fail at the start: no policy helps */
        char script[512];
        snprintf(script, sizeof script,
                 "read w id p c; read l; echo $id; while read w id p c; do read l; n=0; "
                 "while [ $n -lt $p ]; do read l; n=$((n+1)); done; %s; done",
                 bad[k].answer);
        const char *argv[] = {"/bin/sh", "-c", script, NULL};
        zo_problem p;
        zo_command *command;
        zo_solver *solver;
        zo_error e;
        zo_report r;
        zo_settings s = settings_of("pgd");
        zo_control c = zo_no_limits();
        zo_command_options o = options(argv, 1);
        o.retries = 1;
        if (zo_command_new(&command, &o, &p, &e)) fail_msg("%s", e.text);
        s.step = 0.1;
        c.max_units = 3;
        c.track = ZO_TRACK_OFF;
        s.nonfinite = policy;
        if (zo_new(&solver, &p, &s, &e) || zo_start(solver, NULL, &e)) fail_msg("%s", e.text);
        assert_int_equal(zo_run(solver, &c, &r, &e), ZO_PROBLEM);
        assert_int_equal(r.reason, ZO_AT_FAILURE);
        if (!strstr(e.text, bad[k].word)) fail_msg("%s", e.text);
        zo_free(solver);
        zo_command_free(command);
    }
}

/* A process that is killed takes its workers with it. */
static void nobody_survives_us(void **state)
{
    (void)state;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        const char *argv[] = {"/bin/sh", "-c",
                              "read a; read b; echo 0; echo $$ >&2; sleep 1000 & wait", NULL};
        dup2(pipes[1],
             2); /* not the worker's: it has a pipe of its own; the test reads its process number */
        zo_problem p;
        zo_command *command;
        zo_error e;
        zo_command_options o = options(argv, 1);
        if (zo_command_new(&command, &o, &p, &e)) _exit(1);
        if (write(pipes[1], "up", 2) != 2) _exit(1);
        for (;;) pause();
    }
    char up[3] = "";
    assert_int_equal(read(pipes[0], up, 2), 2);
    char children[256] = "";
    snprintf(children, sizeof children, "/proc/%d/task/%d/children", (int)child, (int)child);
    FILE *f = fopen(children, "r");
    int kids[8], count = 0;
    while (f && count < 8 && fscanf(f, "%d", &kids[count]) == 1) count++;
    if (f) fclose(f);
    assert_int_equal(count, 2); /* the guardian and the worker */
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(pipes[1]);
    /* The end of the last holder of the pipe's other end is the end of all of them: no waiting by the clock. */
    while (read(pipes[0], up, 1) > 0) {
    }
    close(pipes[0]);
    for (int k = 0; k < count; k++)
        for (int turn = 0; turn < 10000000 && kill(kids[k], 0) == 0; turn++) sched_yield();
    for (int k = 0; k < count; k++) assert_true(kill(kids[k], 0) != 0);
}

static int open_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

/* A process may have closed its own standard streams: the pipes to a worker then get their numbers. */
static void closed_streams_do_no_harm(void **state)
{
    (void)state;
    for (int closed = 0; closed < 8; closed++) {
        pid_t child = fork();
        if (child == 0) {
            static const char *const argv[] = {ZO_WORKER, folder, "300", "6", "0", NULL};
            zo_command_options o = options(argv, 1);
            zo_command *command;
            zo_problem p;
            zo_error e;
            o.timeout = 0; /* half a minute for the first word */
            for (int fd = 0; fd < 3; fd++)
                if (closed >> fd & 1) close(fd);
            zo_status status = zo_command_new(&command, &o, &p, &e);
            if (!status) zo_command_free(command);
            _exit(status ? 1 : 0);
        }
        int code = -1;
        assert_int_equal(waitpid(child, &code, 0), child);
        assert_int_equal(code, 0);
    }
}

static void null_is_named(void **state)
{
    (void)state;
    static const char *const argv[] = {"true", NULL};
    zo_command_options o = options(argv, 1);
    zo_command *command;
    zo_problem p;
    zo_error e;
    assert_int_equal(zo_command_new(NULL, &o, &p, &e), ZO_BAD_ARGUMENT);
    assert_int_equal(zo_command_new(&command, NULL, &p, &e), ZO_BAD_ARGUMENT);
    assert_string_equal(e.text, "options: NULL");
    assert_int_equal(zo_command_new(&command, &o, NULL, &e), ZO_BAD_ARGUMENT);
    assert_string_equal(e.text, "problem: NULL");
}

static int close_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"asked", "faults"};
    for (size_t k = 0; k < 2; k++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        remove(path);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_give_the_same_bytes), cmocka_unit_test(faults_change_nothing),
        cmocka_unit_test(means_are_understood),        cmocka_unit_test(bad_programs_are_described),
        cmocka_unit_test(bad_answers_are_described),   cmocka_unit_test(nobody_survives_us),
        cmocka_unit_test(closed_streams_do_no_harm),   cmocka_unit_test(null_is_named),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
