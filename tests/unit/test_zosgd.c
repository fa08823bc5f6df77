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

static double fall(double *rows, double step, uint64_t queries, uint64_t seed)
{
    zo_problem p = {.n = ROWS, .d = WIDE, .value = row_value, .ctx = rows};
    zo_settings s = settings_of("zosgd");
    zo_control c = zo_no_limits();
    c.track = ZO_TRACK_OFF;
    c.max_queries = queries;
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

/* The mean fall of F, over that with the best of ten kept steps. */
static double beside_kept(uint64_t queries, uint64_t seeds)
{
    static double rows[ROWS * WIDE];
    for (uint32_t i = 0; i < ROWS; i++) {
        rng_normals(7, FOR_SYNTH, 1, i, WIDE, rows + i * WIDE);
        for (size_t j = 0; j < WIDE; j++) rows[i * WIDE + j] += 0.05; /* something in common */
    }
    double best = 0, own = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) own += fall(rows, NAN, queries, seed);
    for (double step = 1e-4; step < 0.1; step *= 2) {
        double sum = 0;
        for (uint64_t seed = 1; seed <= seeds; seed++) sum += fall(rows, step, queries, seed);
        best = fmax(best, sum);
    }
    return own / best;
}

static void few_steps_do_what_the_best_kept_step_does(void **state)
{
    (void)state;
    double part = beside_kept(8000, 5); /* 0.04 units */
    if (!(part > 1.1)) fail_msg("F falls by %g of what the best kept step brings", part);
}

/* Twenty components a look: what they say of a window's line is mostly chance. */
static void looks_that_tell_little_change_little(void **state)
{
    (void)state;
    double part = beside_kept(3000, 20);
    if (!(part > 0.9)) fail_msg("F falls by %g of what the best kept step brings", part);
}

/* ---- bowls: |x - c_i|^2/2, so that every window falls ---------------------------------------------- */

typedef struct bowls {
    double at[ROWS]; /* every coordinate of c_i */
    unsigned asked[ROWS];
} bowls;

static int bowl_value(void *ctx, size_t i, const double *x, double *f)
{
    bowls *b = ctx;
    double sum = 0;
    for (size_t j = 0; j < WIDE; j++) sum += (x[j] - b->at[i]) * (x[j] - b->at[i]);
    *f = 0.5 * sum;
    b->asked[i]++;
    return 0;
}

static zo_report run_bowls(bowls *b, double step, double queries, double *fell)
{
    *b = (bowls){0};
    for (size_t i = 0; i < ROWS; i++) b->at[i] = 1 + 0.2 * (double)(i % 5);
    zo_problem p = {.n = ROWS, .d = WIDE, .value = bowl_value, .ctx = b};
    zo_settings s = settings_of("zosgd");
    zo_control c = zo_no_limits();
    c.track = ZO_TRACK_OFF;
    c.max_queries = (uint64_t)queries;
    s.step = step;
    zo_solver *solver = solver_of(&p, &s);
    zo_report r = run_to(solver, &c);
    *fell = 0;
    for (size_t j = 0; j < WIDE; j++) { /* the mean of c_i is 1.4 */
        double x = zo_point(solver)[j];
        *fell += 0.5 * (1.4 * 1.4 - (x - 1.4) * (x - 1.4));
    }
    zo_free(solver);
    return r;
}

/* The trace costs 136 queries of 5000, and the last of eight windows was not paid for. */
static void the_last_window_is_looked_at(void **state)
{
    (void)state;
    static bowls b;
    double fell;
    for (double queries = 3000; queries < 40000; queries *= 1.3) {
        zo_report r = run_bowls(&b, NAN, floor(queries), &fell);
        assert_int_equal(r.steps, 8);
    }
}

/* 58 steps of four: some of a hundred components would not be asked at all. A component's turn in the walk is 17 values. */
static void components_take_turns(void **state)
{
    (void)state;
    static bowls b;
    double fell;
    run_bowls(&b, NAN, 5000, &fell);
    for (size_t i = 0; i < ROWS; i++)
        if (b.asked[i] < 2 * 17) fail_msg("component %zu is asked %u values", i, b.asked[i]);
}

/* Beyond what pays for 512 steps, too, windows that are directions bring more than steps that are followed up. */
static void some_thousand_steps_do_what_the_best_kept_step_does(void **state)
{
    (void)state;
    static bowls b;
    double own, best = 0, fell;
    run_bowls(&b, NAN, 60000, &own);
    for (double step = 1e-4; step < 0.1; step *= 2) {
        run_bowls(&b, step, 60000, &fell);
        best = fmax(best, fell);
    }
    if (!(own > best)) fail_msg("F falls by %g, with the best kept step by %g", own, best);
}

/* l1 takes of every coordinate that a line moves: with it, steps are followed up sooner. */
static void psi_leaves_lines_sooner(void **state)
{
    (void)state;
    static bowls b;
    zo_problem p = {.n = ROWS, .d = WIDE, .value = bowl_value, .ctx = &b};
    for (int with = 0; with < 2; with++) {
        zo_settings s = settings_of("zosgd");
        zo_control c = zo_no_limits();
        if (with) p.psi = zo_l1(1e-4);
        s.horizon = 70000;
        c.max_queries = 200;
        c.track = ZO_TRACK_OFF;
        zo_solver *solver = solver_of(&p, &s);
        zo_report r = run_to(solver, &c);
        assert_non_null(strstr(r.chosen, with ? "batch 16" : "batch 4;"));
        zo_free(solver);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falls_where_the_trace_misleads),
        cmocka_unit_test(moves_whatever_the_horizon),
        cmocka_unit_test(few_steps_begin_longer),
        cmocka_unit_test(few_steps_do_what_the_best_kept_step_does),
        cmocka_unit_test(looks_that_tell_little_change_little),
        cmocka_unit_test(the_last_window_is_looked_at),
        cmocka_unit_test(components_take_turns),
        cmocka_unit_test(psi_leaves_lines_sooner),
        cmocka_unit_test(some_thousand_steps_do_what_the_best_kept_step_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
