/* zoprox selftest: known answers, in a few seconds.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "core/tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"

enum { D = 8, UNITS = 60 };

/* The published vectors of philox4x32-10: all zeros, all ones, the digits of pi. */
static int check_random(void)
{
    static const uint32_t zeros[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    static const uint32_t pi[4] = {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
    rng_block a = rng_draw(0, (enum purpose)0, 0, 0);
    rng_block b =
        rng_draw(0x299f31d0a4093822u, (enum purpose)0xd3, 0x0370734413198a2eu, 0x85a308243f6a88u);
    return !memcmp(a.v, zeros, sizeof zeros) && !memcmp(b.v, pi, sizeof pi);
}

static int near(size_t d, const double *x, const double *y)
{
    double most = 0;
    for (size_t j = 0; j < d; j++) most = fmax(most, fabs(x[j] - y[j]));
    return most <= 1e-15;
}

static int check_prox(void)
{
    const double v[3] = {3, -0.5, -2}, soft[3] = {2, 0, -1}, boxed[3] = {1, -0.5, -1},
                 corner[3] = {1, 0, 0};
    double x[3], work[64];
    zo_prox l1 = zo_l1(0.5), box = zo_box(-1, 1), simplex = zo_simplex(1);
    l1.apply(&l1, 3, 2, v, x, work);
    int good = near(3, x, soft);
    box.apply(&box, 3, 2, v, x, work);
    good &= near(3, x, boxed);
    simplex.apply(&simplex, 3, 2, v, x, work);
    return good & near(3, x, corner);
}

/* ---- A small run ----------------------------------------------------------------------------------- */

typedef struct trial {
    zo_data *data;
    zo_model *model;
    zo_problem problem;
    zo_solver *solver;
    zo_control control;
    zo_report report;
    zo_error err;
} trial;

static void close_trial(trial *t)
{
    zo_free(t->solver);
    zo_model_free(t->model);
    zo_data_free(t->data);
}

static int open_trial(trial *t, const char *method, int threads)
{
    memset(t, 0, sizeof *t);
    zo_settings set = zo_defaults();
    t->control = zo_no_limits();
    t->control.max_units = UNITS;
    return !zo_data_synth(&t->data, "n=300,d=8,seed=5", &t->err) &&
           !zo_model_new(&t->model, t->data, ZO_LOGISTIC, 1e-2, threads, &t->problem, &t->err) &&
           (t->problem.psi = zo_l1(1e-3), !zo_set(&set, "method", method, &t->err)) &&
           !zo_new(&t->solver, &t->problem, &set, &t->err);
}

static int run_trial(trial *t) { return !zo_run(t->solver, &t->control, &t->report, &t->err); }

static int check_solution(void)
{
    trial t;
    zo_optimum best;
    double x[D] = {0};
    int good = open_trial(&t, "fista", 1) && t.problem.d == D &&
               !zo_start(t.solver, NULL, &t.err) && run_trial(&t) &&
               !zo_find_optimum(&best, t.model, &t.problem.psi, 1e-13, x, &t.err) &&
               fabs(t.report.objective - best.objective) < 1e-5;
    close_trial(&t);
    return good;
}

static int count_call(void *ctx, size_t i, const double *x, double *f)
{
    ++*(uint64_t *)ctx;
    *f = 0;
    for (size_t j = 0; j < 4; j++) *f += (x[j] - (double)(i + j)) * (x[j] - (double)(i + j));
    return 0;
}

/* Every call of f is counted, and no more than the budget. */
static int check_count(void)
{
    uint64_t calls = 0;
    zo_problem p = {.n = 10, .d = 4, .value = count_call, .ctx = &calls};
    zo_settings set = zo_defaults();
    zo_control c = zo_no_limits();
    zo_report r;
    zo_error err;
    zo_solver *solver;
    c.max_queries = 1000;
    int good = !zo_set(&set, "method", "zpdvr", &err) && !zo_new(&solver, &p, &set, &err);
    if (!good) return 0;
    good = !zo_start(solver, NULL, &err) && !zo_run(solver, &c, &r, &err) && r.queries <= 1000 &&
           calls == r.queries + r.watched + r.extra;
    zo_free(solver);
    return good;
}

static int check_threads(void)
{
    trial one, two;
    int good = open_trial(&one, "zpdvr", 1);
    good &= open_trial(&two, "zpdvr", 2);
    good = good && !zo_start(one.solver, NULL, &one.err) && !zo_start(two.solver, NULL, &two.err) &&
           run_trial(&one) && run_trial(&two) &&
           !memcmp(zo_point(one.solver), zo_point(two.solver), D * sizeof(double));
    close_trial(&one);
    close_trial(&two);
    return good;
}

/* Stops a run half-way, saves it, and lets another solver go on from the file. */
static int resumes(trial *straight, trial *first, trial *second, const char *path)
{
    first->control.max_steps = 10;
    return !zo_start(straight->solver, NULL, &straight->err) && run_trial(straight) &&
           !zo_start(first->solver, NULL, &first->err) && run_trial(first) &&
           first->report.steps == 10 && !zo_save(first->solver, path, &first->err) &&
           !zo_load(second->solver, path, &second->err) && run_trial(second) &&
           second->report.steps > 10 &&
           !memcmp(zo_point(straight->solver), zo_point(second->solver), D * sizeof(double));
}

static int check_resume(void)
{
    trial t[3];
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/zoprox-selftest-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkstemp(path), good = fd >= 0;
    for (int k = 0; k < 3; k++) good &= open_trial(&t[k], "zpdvr", 1);
    good = good && resumes(&t[0], &t[1], &t[2], path);
    for (int k = 0; k < 3; k++) close_trial(&t[k]);
    if (fd < 0) return 0;
    close(fd);
    unlink(path);
    return good;
}

static const struct check {
    const char *what;
    int (*passes)(void);
} checks[] = {
    {"random numbers are philox's published ones", check_random},
    {"proximal maps give known points", check_prox},
    {"a small run finds the optimum", check_solution},
    {"every evaluation is counted, within the budget", check_count},
    {"one and two threads give the same bytes", check_threads},
    {"a resumed run gives the same bytes", check_resume},
};

int command_selftest(int argc, char **argv)
{
    request r;
    size_t failed = 0, count = sizeof checks / sizeof checks[0];
    int code = request_parse(&r, argc, argv);
    if (code) return code;
    if (r.nwords) return complain(REFUSED, "selftest: '%s' is one word too many", r.words[0]);
    for (size_t k = 0; k < count; k++) {
        int good = checks[k].passes();
        failed += !good;
        printf("%-6s %s\n", good ? "ok" : "FAILED", checks[k].what);
    }
    return failed ? complain(FAILED, "selftest: %zu of %zu checks failed", failed, count) : DONE;
}
