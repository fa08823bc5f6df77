/* zosgd's automatic step: where the curvature at the start says nothing of what comes, F must fall all the same.
 * SPDX-License-Identifier: MIT
 *
 * f_i(x) = 1 + g_i'x + 0.0005|x|^2 + 100|x|^4: a wall all around, of which the trace at 0, 0.001 d, knows nothing. */
#include "runs.h"

#include <stdio.h>

enum { N = 64, D = 40 };

typedef struct wall {
    double g[N][D];
    int edge; /* 1: f is not finite beyond |x| = 0.3 */
} wall;

static int wall_value(void *ctx, size_t i, const double *x, double *f)
{
    const wall *w = ctx;
    double square = vec_dot(D, x, x);
    *f = 1 + vec_dot(D, w->g[i], x) + 0.0005 * square + 100 * square * square;
    if (w->edge && square > 0.09) *f = NAN;
    return 0;
}

static void fill(wall *w, int edge)
{
    for (uint32_t i = 0; i < N; i++) {
        rng_normals(5, FOR_SYNTH, 1, i, D, w->g[i]);
        vec_scale(D, 0.1, w->g[i]);
        w->g[i][0] += 1;
    }
    w->edge = edge;
}

typedef struct course {
    zo_solver *solver;
    double first, last, worst; /* F; its largest rise in standard errors as stated */
} course;

/* A row for every change of the point. */
static int watch(void *ctx, const zo_row *row)
{
    course *c = ctx;
    zo_report r;
    zo_look(c->solver, &r);
    if (row->step == 0)
        c->first = row->objective;
    else
        c->worst = fmax(c->worst, (row->objective - c->last) / (r.error + 1e-12));
    c->last = row->objective;
    return 0;
}

static course follow(int edge, uint64_t seed)
{
    static wall w;
    fill(&w, edge);
    zo_problem p = {.n = N, .d = D, .value = wall_value, .ctx = &w, .psi = zo_l1(1e-3)};
    zo_settings s = settings_of("zosgd");
    zo_control c = zo_no_limits();
    c.track = ZO_TRACK_APART;
    zo_error e = {0};
    zo_report r;
    course to = {0};
    s.seed = seed;
    if (zo_new(&to.solver, &p, &s, &e) || zo_start(to.solver, NULL, &e)) fail_msg("%s", e.text);
    c.max_queries = 40000;
    c.every = 1e-9;
    c.watch = watch;
    c.watch_ctx = &to;
    if (zo_run(to.solver, &c, &r, &e)) fail_msg("%s", e.text);
    assert_int_equal(r.reason, ZO_AT_QUERIES);
    assert_true(r.error >= 0 && r.steps > 3);
    zo_free(to.solver);
    return to;
}

static void falls_where_the_trace_misleads(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++)
        for (int edge = 0; edge < 2; edge++) {
            course c = follow(edge, seed);
            if (!(c.first - c.last > 0.08) || !(c.worst < 4))
                fail_msg("seed %d, edge %d: F from %g to %g, %g errors up", (int)seed, edge,
                         c.first, c.last, c.worst);
        }
}

/* A budget without end must not make x wait for it. */
static void moves_whatever_the_horizon(void **state)
{
    (void)state;
    static wall w;
    zo_problem p = {.n = N, .d = D, .value = wall_value, .ctx = &w};
    zo_settings s = settings_of("zosgd");
    zo_control c = zo_no_limits();
    c.track = ZO_TRACK_APART;
    fill(&w, 0);
    s.horizon = 1e15;
    c.max_queries = 100000;
    zo_solver *solver = solver_of(&p, &s);
    zo_report r = run_to(solver, &c);
    assert_true(r.steps > 0);
    zo_free(solver);
}

static double first_step(double steps)
{
    static wall w;
    zo_problem p = {.n = N, .d = D, .value = wall_value, .ctx = &w};
    zo_settings s = settings_of("zosgd");
    zo_control c = zo_no_limits();
    c.track = ZO_TRACK_OFF;
    fill(&w, 0);
    s.horizon = steps * 16 * 5; /* batch, and directions with the base */
    c.max_queries = 2000;
    zo_solver *solver = solver_of(&p, &s);
    zo_report r = run_to(solver, &c);
    const char *said = strstr(r.chosen, "first step ");
    assert_non_null(said);
    double step = strtod(said + strlen("first step "), NULL);
    zo_free(solver);
    return step;
}

/* There is no time to find out how much longer steps may be. */
static void few_steps_begin_longer(void **state)
{
    (void)state;
    assert_true(fabs(first_step(500) / first_step(600) - 4) < 0.05);
}

/* Full rows, and far less than a unit. */
enum { ROWS = 100, WIDE = 2000 };

static int row_value(void *ctx, size_t i, const double *x, double *f)
{
    double z = vec_dot(WIDE, (const double *)ctx + i * WIDE, x);
    *f = fmax(z, 0) + log1p(exp(-fabs(z))) + 5e-5 * vec_dot(WIDE, x, x);
    return 0;
}

static double fall(double *rows, double step, uint64_t seed)
{
    zo_problem p = {.n = ROWS, .d = WIDE, .value = row_value, .ctx = rows};
    zo_settings s = settings_of("zosgd");
    zo_control c = zo_no_limits();
    c.track = ZO_TRACK_OFF;
    c.max_queries = 8000; /* 0.04 units */
    s.step = step;
    s.seed = seed;
    zo_solver *solver = solver_of(&p, &s);
    run_to(solver, &c);
    double sum = 0, f;
    for (size_t i = 0; i < ROWS; i++)
        row_value(rows, i, zo_point(solver), &f), sum += (log(2) - f) / ROWS;
    zo_free(solver);
    return sum;
}

static void few_steps_do_what_the_best_kept_step_does(void **state)
{
    (void)state;
    enum { SEEDS = 5 };
    static double rows[ROWS * WIDE];
    for (uint32_t i = 0; i < ROWS; i++) {
        rng_normals(7, FOR_SYNTH, 1, i, WIDE, rows + i * WIDE);
        for (size_t j = 0; j < WIDE; j++) rows[i * WIDE + j] += 0.05; /* something in common */
    }
    double best = 0, own = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) own += fall(rows, NAN, seed) / SEEDS;
    for (double step = 1e-4; step < 0.1; step *= 2) {
        double mean = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) mean += fall(rows, step, seed) / SEEDS;
        best = fmax(best, mean);
    }
    if (!(own > 0.9 * best)) fail_msg("F falls by %g, with the best kept step by %g", own, best);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(falls_where_the_trace_misleads),
                                       cmocka_unit_test(moves_whatever_the_horizon),
                                       cmocka_unit_test(few_steps_begin_longer),
                                       cmocka_unit_test(few_steps_do_what_the_best_kept_step_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
