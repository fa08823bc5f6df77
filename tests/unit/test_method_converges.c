/* Where methods get to: the optimum of a small composite problem, by the steps that their pages state, and a residual
 * that says how far it is.
 * SPDX-License-Identifier: MIT */
#include "runs.h"

enum { N = TOY_N, D = TOY_D, B = 7 };

/* ---- Convergence with automatic settings, and with each kind of direction ---------------------------- */

static void automatic_settings_converge(void **state)
{
    (void)state;
    toy t;
    toy_fill(&t, 0.1);
    double best[TOY_D], l1 = 0.02, optimum = toy_optimum(&t, l1, best), zero[TOY_D] = {0};
    double start = toy_F(&t, l1, zero) - optimum;
    /* gap after 200 units as a share of the start's; without variance reduction over directions there is a floor */
    static const struct {
        const char *name;
        double share;
    } aims[] = {{"zpdvr", 1e-6},  {"zpsvrg", 0.1},  {"sega", 1e-9},  {"zosgd", 0.1}, {"pgd", 1e-11},
                {"fista", 1e-11}, {"psvrg", 1e-11}, {"saga", 1e-11}, {"auto", 1e-11}};
    for (size_t k = 0; k < sizeof aims / sizeof *aims; k++) {
        zo_problem p = toy_problem(&t, l1);
        zo_settings s = settings_of(aims[k].name);
        zo_solver *solver = solver_of(&p, &s);
        zo_report r = run_queries(solver, 200 * N * D);
        double gap = toy_F(&t, l1, zo_point(solver)) - optimum;
        if (!(gap <= aims[k].share * start))
            fail_msg("%s: gap %.2e of %.2e; %s; %s", aims[k].name, gap, start, r.chosen, r.warning);
        assert_true(*r.chosen);
        assert_string_equal(r.warning, "");
        zo_free(solver);
    }
}

static void every_kind_and_side_converges(void **state)
{
    (void)state;
    toy t;
    toy_fill(&t, 0.1);
    double best[TOY_D], l1 = 0.02, optimum = toy_optimum(&t, l1, best);
    const char *const three[] = {"zpdvr", "sega", "zpsvrg"};
    for (size_t k = 0; k < 3; k++)
        for (int kind = ZO_GAUSSIAN; kind <= ZO_ORTHOGONAL; kind++)
            for (int sides = 1; sides <= 2; sides++)
                for (int normalize = 0; normalize < 2; normalize++) {
                    zo_problem p = toy_problem(&t, l1);
                    zo_settings s = settings_of(three[k]);
                    s.step = k == 2 ? 0.02 : 0.1, s.batch = B, s.directions = 4, s.refresh = 0.3;
                    s.sides = sides, s.kind = kind, s.normalize = normalize, s.epoch = 8;
                    zo_solver *solver = solver_of(&p, &s);
                    zo_report r = run_queries(solver, 400 * N * D * (uint64_t)sides);
                    double gap = toy_F(&t, l1, zo_point(solver)) - optimum;
                    if (!(gap < (k == 2 ? 5e-3 : 1e-9)))
                        fail_msg("%s kind %d sides %d normalize %d: gap %.2e, %s", three[k], kind,
                                 sides, normalize, gap, r.chosen);
                    if (k < 2) assert_true(r.residual < 1e-3);
                    zo_free(solver);
                }
}

/* ---- pgd and fista against a plain recomputation ----------------------------------------------------- */

/* Forward differences of the mean, per component, as a reader would write them. */
static void plain_gradient(const toy *t, const double *x, double v, double *g)
{
    for (size_t j = 0; j < D; j++) {
        double e[D], s = 0;
        vec_copy(D, x, e);
        e[j] += v;
        for (size_t i = 0; i < N; i++) s += toy_f(t, i, e) - toy_f(t, i, x);
        g[j] = s / N / v;
    }
}

static void soft(const double *v, double a, double *x)
{
    for (size_t j = 0; j < D; j++) x[j] = v[j] > a ? v[j] - a : v[j] < -a ? v[j] + a : 0;
}

static void pgd_and_fista_are_what_they_say(void **state)
{
    (void)state;
    toy t;
    toy_fill(&t, 0.01);
    double l1 = 0.02, eta = 0.5, v = 1e-3;
    for (int fast = 0; fast < 2; fast++) {
        zo_problem p = toy_problem(&t, l1);
        zo_settings s = settings_of(fast ? "fista" : "pgd");
        s.step = eta, s.radius = v, s.restart = 0;
        zo_solver *solver = solver_of(&p, &s);
        double x[D] = {0}, y[D] = {0}, g[D], next[D], shift[D], time = 1, residual = 0;
        for (int k = 0; k < 30; k++) {
            plain_gradient(&t, y, v, g);
            vec_step(D, y, eta, g, shift);
            soft(shift, eta * l1, next);
            residual = vec_distance(D, y, next) / eta;
            double later = 0.5 + sqrt(0.25 + time * time), push = fast ? (time - 1) / later : 0;
            for (size_t j = 0; j < D; j++) y[j] = next[j] + push * (next[j] - x[j]);
            vec_copy(D, next, x);
            time = later;
        }
        zo_report r = run_queries(solver, 30 * N * (D + 1));
        assert_int_equal(r.steps, 30);
        assert_true(vec_distance(D, x, zo_last(solver)) < 1e-10 * vec_norm(D, x));
        assert_true(fabs(residual - r.residual) < 1e-8 * residual);
        zo_free(solver);
    }
}

static void restart_helps_fista(void **state)
{
    (void)state;
    toy t;
    toy_fill(&t, 0.01);
    double best[D], l1 = 1e-4, optimum = toy_optimum(&t, l1, best), gap[2];
    for (int restart = 0; restart < 2; restart++) {
        zo_problem p = toy_problem(&t, l1);
        zo_settings s = settings_of("fista");
        s.step = 0.3, s.restart = restart;
        zo_solver *solver = solver_of(&p, &s);
        run_queries(solver, 150 * N * (D + 1));
        gap[restart] = toy_F(&t, l1, zo_point(solver)) - optimum;
        zo_free(solver);
    }
    assert_true(gap[1] < 0.1 * gap[0]);
}

/* ---- The residual is what it says -------------------------------------------------------------------- */

static double true_residual(const toy *t, double l1, double eta, const double *x)
{
    double g[D], v[D], y[D];
    toy_gradient(t, x, g);
    vec_step(D, x, eta, g, v);
    soft(v, eta * l1, y);
    return vec_distance(D, x, y) / eta;
}

/* From the first that is known on, it is of the size of the true one: --tol stops where it should. */
static void residual_is_honest(void **state)
{
    (void)state;
    toy t;
    toy_fill(&t, 0.1);
    const char *const some[] = {"pgd", "fista", "psvrg", "saga", "sega", "zpdvr"};
    double l1 = 0.02;
    for (size_t k = 0; k < 6; k++) {
        zo_problem p = toy_problem(&t, l1);
        zo_settings s = settings_of(some[k]);
        zo_solver *solver = solver_of(&p, &s);
        double low = INFINITY, high = 0;
        int known = 0;
        for (int u = 1; u <= 80; u++) {
            zo_report r = run_queries(solver, (uint64_t)u * N * D / 2);
            double truth = true_residual(&t, l1, r.settings.step, zo_point(solver));
            if (isnan(r.residual) || truth < 1e-5) continue;
            known++;
            low = fmin(low, r.residual / truth);
            high = fmax(high, r.residual / truth);
        }
        if (known < 10 || low < 0.1 || high > 100)
            fail_msg("%s: %d, %g to %g", some[k], known, low, high);
        zo_free(solver);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(automatic_settings_converge),
        cmocka_unit_test(every_kind_and_side_converges),
        cmocka_unit_test(pgd_and_fista_are_what_they_say),
        cmocka_unit_test(restart_helps_fista),
        cmocka_unit_test(residual_is_honest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
