/* Noisy functions: how near auto comes to the optimum, and that a saved noisy run goes on with the same bytes.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "toy.h"

#include <stdio.h>
#include <unistd.h>

#include "shaken.h"

enum { PATH = 4096 };

typedef struct shaken {
    toy of;
    double sigma;
    int frozen; /* 1: the noise is a function of the point, so that a resumed run sees it again */
} shaken;

static double noise(const shaken *s, size_t i, const double *x)
{
    return shaken_by(s->sigma, s->frozen ? bits_of(TOY_D, x) : s->of.calls, i);
}

static int component(void *ctx, size_t i, const double *x, double *f)
{
    shaken *s = ctx;
    toy_value(&s->of, i, x, f);
    *f += noise(s, i, x);
    return 0;
}

/* The mean of all as one plain function, whose noise is that of a mean. */
static int whole(void *ctx, size_t i, const double *x, double *f)
{
    shaken *s = ctx;
    s->of.calls++;
    *f = toy_F(&s->of, 0, x) + noise(s, i, x) / sqrt(TOY_N);
    return 0;
}

static zo_solver *made(const zo_problem *p, double told, uint64_t seed)
{
    zo_settings set = zo_defaults();
    zo_solver *solver;
    zo_error e = {0};
    set.seed = seed;
    if (told > 0) set.noise = told;
    if (zo_new(&solver, p, &set, &e)) fail_msg("%s", e.text);
    return solver;
}

/* F(x) - F* where a run of auto ends by itself, in noise levels of the mean of all components. */
static double gap_in_levels(int hidden, double sigma, uint64_t seed)
{
    const double l1 = 1e-2;
    shaken s = {.sigma = sigma};
    double best[TOY_D];
    toy_fill(&s.of, 1e-2);
    zo_problem p = {.n = hidden ? 1 : TOY_N,
                    .d = TOY_D,
                    .value = hidden ? whole : component,
                    .ctx = &s,
                    .psi = zo_l1(l1)};
    zo_solver *solver = made(&p, 0, seed);
    zo_control c = zo_no_limits();
    zo_report report;
    zo_error e = {0};
    c.max_units = 400;
    c.track = ZO_TRACK_OFF;
    assert_int_equal(zo_start(solver, NULL, &e), 0);
    if (zo_run(solver, &c, &report, &e)) fail_msg("%s", e.text);
    if (!hidden) assert_int_equal(report.reason, ZO_AT_NOISE); /* else values are averaged */
    double gap = toy_F(&s.of, l1, zo_point(solver)) - toy_optimum(&s.of, l1, best);
    zo_free(solver);
    return gap / (sigma / sqrt(TOY_N));
}

/* Slopes whose errors are worth d eps/256 in F on average (inq_near.c), a sum of d squares: the mean over seeds within four
 * standard errors, and as much again as the promise at which a run ends. That is far below eps, to which two values can
 * be compared. */
static void ends_below_the_noise(void **state)
{
    (void)state;
    enum { SEEDS = 32 };
    const double worth = TOY_D / 256.0,
                 most = worth * (1 + 4 * sqrt(2.0 / (SEEDS * TOY_D))) + worth;
    for (int hidden = 0; hidden < 2; hidden++)
        for (double sigma = 1e-6; sigma < 2e-4; sigma *= 100) {
            double gap = 0;
            for (uint64_t seed = 1; seed <= SEEDS; seed++)
                gap += gap_in_levels(hidden, sigma, seed) / SEEDS;
            if (!(gap < most)) fail_msg("hidden %d sigma %g: %g levels", hidden, sigma, gap);
        }
}

/* The points of a run, each saved and gone on from in another solver. */
static size_t path_of(const zo_problem *p, double told, int saving, double *out)
{
    char path[] = "/tmp/zoprox-noise-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    zo_error e = {0};
    zo_solver *solver = made(p, told, 3);
    assert_int_equal(zo_start(solver, NULL, &e), 0);
    zo_control c = zo_no_limits();
    c.track = ZO_TRACK_OFF;
    size_t count = 0;
    zo_report report = {0};
    for (uint64_t step = 1; step < PATH / TOY_D && report.reason != ZO_AT_NOISE; step++) {
        c.max_steps = step;
        if (zo_run(solver, &c, &report, &e)) fail_msg("%s", e.text);
        vec_copy(TOY_D, zo_point(solver), out + TOY_D * count++);
        if (!saving) continue;
        if (zo_save(solver, path, &e)) fail_msg("%s", e.text);
        zo_free(solver);
        solver = made(p, told, 3);
        if (zo_load(solver, path, &e)) fail_msg("%s", e.text);
    }
    assert_int_equal(report.reason, ZO_AT_NOISE);
    zo_free(solver);
    unlink(path);
    return count;
}

static void goes_on_with_the_same_bytes(void **state)
{
    (void)state;
    static double straight[PATH], resumed[PATH];
    for (int hidden = 0; hidden < 2; hidden++) {
        shaken s = {.sigma = 1e-3, .frozen = 1};
        toy_fill(&s.of, 1e-2);
        zo_problem p = {.n = hidden ? 1 : TOY_N,
                        .d = TOY_D,
                        .value = hidden ? whole : component,
                        .ctx = &s,
                        .psi = zo_l1(1e-2)};
        double told = hidden ? s.sigma / sqrt(TOY_N) : s.sigma;
        size_t count = path_of(&p, told, 0, straight);
        assert_int_equal(path_of(&p, told, 1, resumed), count);
        assert_memory_equal(straight, resumed, count * TOY_D * sizeof *straight);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends_below_the_noise),
                                       cmocka_unit_test(goes_on_with_the_same_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
