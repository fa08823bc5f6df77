/* Where the system has no more to give: threads, open files, pipes; and processes and threads that end or stand still.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <errno.h>
#include <cmocka.h>

#include "base/pool.h"
#include "zoprox_box.h"
#include "zoprox_data.h"

enum { N = 300, D = 6 };

/* ---- what says no ----------------------------------------------------------------------------------- */

static int threads_left = 1000, set_flags_left = 1000;

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *arg)
{
    return threads_left-- > 0 ? __real_pthread_create(t, a, f, arg) : EAGAIN;
}

int __real_fcntl(int, int, ...);
int __wrap_fcntl(int, int, ...);
int __wrap_fcntl(int fd, int what, ...)
{
    va_list list;
    va_start(list, what);
    long value = va_arg(list, long);
    va_end(list);
    if (what == F_SETFL && set_flags_left-- <= 0) return errno = EPERM, -1;
    return __real_fcntl(fd, what, value);
}

/* ---- threads ---------------------------------------------------------------------------------------- */

static void count_up(void *ctx, size_t k, int who)
{
    (void)who;
    ((char *)ctx)[k]++;
}

static void fewer_threads_do_the_work(void **state)
{
    (void)state;
    for (int given = 0; given < 4; given++) {
        char done[100] = {0};
        threads_left = given;
        pool *p = pool_new(8);
        threads_left = 1000;
        assert_non_null(p);
        assert_in_range(pool_threads(p), 1, given + 1);
        pool_run(p, sizeof done, count_up, done);
        for (size_t k = 0; k < sizeof done; k++) assert_int_equal(done[k], 1);
        pool_free(p);
    }
}

/* ---- workers ---------------------------------------------------------------------------------------- */

static zo_status open_command(zo_command **command, zo_problem *p, int workers, zo_error *e)
{
    static const char *const argv[] = {ZO_WORKER, "/tmp", "300", "6", "0", NULL};
    zo_command_options o = {.argv = argv, .n = N, .d = D, .workers = workers, .retries = 2};
    return zo_command_new(command, &o, p, e);
}

static void ask(zo_problem *p)
{
    const double x[D] = {0};
    const uint64_t comp[2] = {0, 7};
    double out;
    zo_fan fan = {.n = N, .d = D, .nbase = 1, .base = {x}, .radius = 1, .sides = 1};
    fan.comp = comp;
    fan.ncomp = 2;
    assert_int_equal(p->answer(p->ctx, &fan, &out), 0);
}

typedef struct opening {
    zo_command *command;
    zo_problem p;
    zo_error e;
    zo_status status;
} opening;

static void *open_there(void *arg)
{
    opening *o = arg;
    o->status = open_command(&o->command, &o->p, 1, &o->e);
    return NULL;
}

/* A worker belongs to the process, not to the thread that started it. */
static void workers_outlive_a_thread(void **state)
{
    (void)state;
    opening o = {0};
    pthread_t t;
    assert_int_equal(pthread_create(&t, NULL, open_there, &o), 0);
    pthread_join(t, NULL);
    if (o.status) fail_msg("%s", o.e.text);
    ask(&o.p);
    assert_int_equal(zo_command_look(o.command).restarts, 0);
    zo_command_free(o.command);
}

static void files_are_counted_first(void **state)
{
    (void)state;
    struct rlimit before, few = {64, 64};
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    zo_command *command;
    zo_problem p;
    zo_error e;
    zo_status many = open_command(&command, &p, 17, &e), fit = ZO_OK;
    zo_error none;
    if (many) fit = open_command(&command, &p, 16, &none);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(many, ZO_BAD_ARGUMENT);
    assert_string_equal(e.text, "workers: 17 need 67 open files, and this process may have 64 "
                                "(ulimit -n): at most 16 workers");
    if (fit) fail_msg("%s", none.text);
    zo_command_free(command);
}

static void a_pipe_that_would_block_is_refused(void **state)
{
    (void)state;
    zo_command *command;
    zo_problem p;
    zo_error e;
    for (int given = 0; given < 4;
         given++) { /* the first is the guardian's, which can do without */
        set_flags_left = given;
        zo_status status = open_command(&command, &p, 1, &e);
        set_flags_left = 1000;
        assert_int_not_equal(status, ZO_OK);
        assert_non_null(strstr(e.text, "Operation not permitted"));
        assert_null(command);
    }
}

/* The guardian's process number: of our two children the one that is not the worker has no program of its own. */
static pid_t find_guardian(void)
{
    char path[64], exe[512], mine[512];
    int kids[8], count = 0;
    ssize_t size = readlink("/proc/self/exe", mine, sizeof mine);
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *f = fopen(path, "r");
    while (f && count < 8 && fscanf(f, "%d", &kids[count]) == 1) count++;
    if (f) fclose(f);
    for (int k = 0; k < count; k++) {
        snprintf(path, sizeof path, "/proc/%d/exe", kids[k]);
        if (readlink(path, exe, sizeof exe) == size && !memcmp(exe, mine, (size_t)size))
            return kids[k];
    }
    return 0;
}

/* In a process of its own, which an alarm ends if it hangs. */
static void a_stopped_guardian_holds_up_nobody(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        zo_command *command;
        zo_problem p;
        zo_error e;
        alarm(30);
        if (open_command(&command, &p, 1, &e)) _exit(1);
        pid_t guardian = find_guardian();
        if (!guardian || kill(guardian, SIGSTOP)) _exit(2);
        zo_command_free(command);
        _exit(0);
    }
    int code = -1;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewer_threads_do_the_work),
        cmocka_unit_test(workers_outlive_a_thread),
        cmocka_unit_test(files_are_counted_first),
        cmocka_unit_test(a_pipe_that_would_block_is_refused),
        cmocka_unit_test(a_stopped_guardian_holds_up_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
