/* Every method: exact query counts, pure asks, convergence on a small composite problem, bad settings.
 * SPDX-License-Identifier: MIT */
#include "runs.h"

#include <stdio.h>

#include "base/mem.h"
#include "method/method.h"
#include "problem/problem.h"

static const char *const names[] = {"zpdvr", "zpsvrg", "sega", "zosgd", "pgd",
                                    "fista", "psvrg",  "saga", "auto"};
enum { NAMES = sizeof names / sizeof *names };

static zo_report run(zo_solver *solver, uint64_t queries)
{
    zo_control c = zo_no_limits();
    c.max_queries = queries;
    c.track = ZO_TRACK_OFF;
    return run_to(solver, &c);
}

/* ---- The table ----------------------------------------------------------------------------------- */

static void table_and_rows_agree(void **state)
{
    (void)state;
    size_t a, b, count;
    const method_row *const *table = method_table(&a);
    const zo_method_row *rows = zo_method_rows(&b);
    zo_setting_rows(&count);
    assert_int_equal(a, b);
    for (size_t k = 0; k < a; k++) {
        assert_string_equal(table[k]->info.name, rows[k].name);
        assert_ptr_equal(method_find(rows[k].name), table[k]);
        char words[256], text[64];
        zo_settings s = zo_defaults();
        snprintf(words, sizeof words, "%s", rows[k].settings);
        for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
            assert_int_equal(zo_get(&s, w, text, 64), 0);
    }
    assert_null(method_find("zpdvr "));
}

/* ---- Query counts: research.md section 2, item 6 -------------------------------------------------- */

enum { N = TOY_N, D = TOY_D, B = 7, Q = 3, M = 4 };

/* One row: how much fan number k costs; 0 ends the list. s is the number of sides. */
static uint64_t cost_of(const char *name, size_t k, uint64_t s)
{
    int outer = k % (M + 1) == 0;
    if (!strcmp(name, "pgd") || !strcmp(name, "fista")) return N * (s * D + 1);
    if (!strcmp(name, "sega")) return N * (s * Q + 1);
    if (!strcmp(name, "zosgd")) return B * (s * Q + 1);
    if (!strcmp(name, "psvrg")) return outer ? N * (s * D + 1) : 2 * B * (s * D + 1);
    if (!strcmp(name, "zpsvrg")) return outer ? N * (s * Q + 1) : 2 * B * (s * Q + 1);
    if (!strcmp(name, "saga")) return k == 0 ? N * (s * D + 1) : B * (s * D + 1);
    /* zpdvr, periodic: every ceil(n/B) = 9 steps a refresh */
    if (k == 0) return N * (s * Q + 1);
    return k % 10 == 0 ? N * (2 * s * Q + 1) : 2 * B * (s * Q + 1);
}

static void counts_are_exact(void **state)
{
    (void)state;
    toy t;
    toy_fill(&t, 0.1);
    for (size_t k = 0; k < NAMES - 1; k++)
        for (int kind = ZO_GAUSSIAN; kind <= ZO_ORTHOGONAL; kind++)
            for (int sides = 1; sides <= 2; sides++) {
                zo_problem p = toy_problem(&t, 0.01);
                callback *c;
                zo_settings s = settings_of(names[k]);
                s.step = 0.01, s.sides = sides, s.batch = B, s.directions = Q, s.kind = kind, s.epoch = M;
                s.refresh = ZO_PERIODIC, s.decay = 10;
                assert_int_equal(callback_new(&c, &p, NULL), 0);
                zo_solver *solver = solver_of(&p, &s);
                uint64_t total = 0;
                t.calls = 0;
                for (size_t f = 0; f < 45; f++) {
                    const zo_fan *fan;
                    double answers[(2 * D + 1) * N];
                    assert_int_equal(zo_ask(solver, &fan, NULL), 0);
                    assert_int_equal(zo_fan_queries(fan), cost_of(names[k], f, (uint64_t)sides));
                    assert_int_equal(callback_answer(c, fan, answers), 0);
                    total += zo_fan_queries(fan);
                    assert_int_equal(t.calls, total);
                    assert_int_equal(zo_tell(solver, answers, NULL), 0);
                }
                zo_report r;
                zo_look(solver, &r);
                assert_int_equal(r.queries, total);
                zo_free(solver);
                callback_free(c);
            }
}

static void warm_memory_costs_one_gradient(void **state)
{
    (void)state;
    toy t;
    toy_fill(&t, 0.1);
    for (size_t k = 0; k < 3; k += 2) { /* zpdvr, sega */
        zo_problem p = toy_problem(&t, 0.01);
        zo_settings s = settings_of(names[k]);
        s.step = 0.01, s.batch = B, s.directions = Q, s.refresh = 0.1, s.warm = 1;
        zo_solver *solver = solver_of(&p, &s);
        t.calls = 0;
        run(solver, N * (D + 1) + N * (Q + 1));
        assert_int_equal(t.calls, N * (D + 1) + N * (Q + 1));
        zo_free(solver);
    }
}

static void callback_counts_what_the_report_says(void **state)
{
    (void)state;
    toy t;
    toy_fill(&t, 0.1);
    for (size_t k = 0; k < NAMES; k++) { /* all auto: the curvature is charged too */
        zo_problem p = toy_problem(&t, 0.01);
        zo_settings s = settings_of(names[k]);
        zo_solver *solver = solver_of(&p, &s);
        t.calls = 0;
        zo_report r = run(solver, 20 * N * D);
        assert_int_equal(t.calls, r.queries);
        assert_true(r.queries <= 20 * N * D && r.steps > 0);
        zo_free(solver);
    }
}

/* ---- Convergence with automatic settings, and with each kind of direction -------------------------- */

static void automatic_settings_converge(void **state)
{
    (void)state;
    toy t;
    toy_fill(&t, 0.1);
    double best[TOY_D], l1 = 0.02, optimum = toy_optimum(&t, l1, best), zero[TOY_D] = {0};
    double start = toy_F(&t, l1, zero) - optimum;
    /* gap after 200 units as a share of the start's; without variance reduction over directions there is a floor */
    const double share[NAMES] = {1e-6, 0.1, 1e-9, 0.1, 1e-11, 1e-11, 1e-11, 1e-11, 1e-11};
    for (size_t k = 0; k < NAMES; k++) {
        zo_problem p = toy_problem(&t, l1);
        zo_settings s = settings_of(names[k]);
        zo_solver *solver = solver_of(&p, &s);
        zo_report r = run(solver, 200 * N * D);
        double gap = toy_F(&t, l1, zo_point(solver)) - optimum;
        if (!(gap <= share[k] * start))
            fail_msg("%s: gap %.2e of %.2e; %s; %s", names[k], gap, start, r.chosen, r.warning);
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
                    zo_report r = run(solver, 400 * N * D * (uint64_t)sides);
                    double gap = toy_F(&t, l1, zo_point(solver)) - optimum;
                    if (!(gap < (k == 2 ? 5e-3 : 1e-9)))
                        fail_msg("%s kind %d sides %d normalize %d: gap %.2e, %s", three[k], kind, sides,
                                 normalize, gap, r.chosen);
                    if (k < 2) assert_true(r.residual < 1e-3);
                    zo_free(solver);
                }
}

/* ---- Asks are pure, and state is all there is ------------------------------------------------------ */

static void copy_state(const method *from, method *to)
{
    assert_int_equal(from->nstates, to->nstates);
    for (size_t k = 0; k < from->nstates; k++) {
        assert_string_equal(from->state[k].name, to->state[k].name);
        assert_int_equal(from->state[k].words, to->state[k].words);
        memcpy(to->state[k].at, from->state[k].at, 8 * from->state[k].words);
    }
}

/* Everything a fan says, as one number. */
static double digest(const zo_fan *f)
{
    double s = f->radius + 3 * (double)f->sides + 5 * (double)f->ncomp + 7 * (double)f->each;
    for (size_t b = 0; b < f->nbase; b++)
        for (size_t j = 0; j < f->d; j++) s += (double)(b + j + 1) * f->base[b][j];
    for (size_t k = 0; f->axis && k < f->naxis; k++) s += (double)(k + 1) * f->axis[k];
    for (size_t k = 0; k < f->ndir * f->d; k++) s += (double)(k + 1) * f->dir[k];
    for (size_t k = 0; f->comp && k < f->ncomp; k++) s += (double)(k + 1) * (double)f->comp[k];
    return s;
}

static void state_is_all_there_is(void **state)
{
    (void)state;
    toy t;
    toy_fill(&t, 0.1);
    zo_problem p = toy_problem(&t, 0.01);
    callback *c;
    assert_int_equal(callback_new(&c, &p, NULL), 0);
    double *answers = mem_new((2 * D + 1) * N * 2, sizeof *answers);
    for (size_t k = 0; k < NAMES; k++) {
        zo_settings s = settings_of(names[k]);
        s.horizon = 1e6;
        method *m, *twin;
        assert_int_equal(method_new(&m, &p, &s, NULL), 0);
        method_start(m, NULL);
        for (int f = 0; f < 40 && method_ask(m); f++) { /* inq comes to its end */
            double first = digest(method_ask(m)), second = digest(method_ask(m));
            assert_true(first == second);
            assert_int_equal(method_new(&twin, &p, &s, NULL), 0);
            copy_state(m, twin);
            assert_true(digest(method_ask(twin)) == first);
            callback_answer(c, &m->fan, answers);
            method_tell(twin, answers);
            method_tell(m, answers);
            assert_memory_equal(m->x, twin->x, D * sizeof *m->x);
            int ended = !method_ask(m);
            assert_int_equal(ended, !method_ask(twin));
            assert_true(ended || digest(method_ask(m)) == digest(method_ask(twin)));
            method_free(twin);
        }
        method_free(m);
    }
    mem_free(answers);
    callback_free(c);
}

/* ---- pgd and fista against a plain recomputation --------------------------------------------------- */

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
        zo_report r = run(solver, 30 * N * (D + 1));
        assert_int_equal(r.steps, 30);
        assert_true(vec_distance(D, x, zo_point(solver)) < 1e-10 * vec_norm(D, x));
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
        run(solver, 150 * N * (D + 1));
        gap[restart] = toy_F(&t, l1, zo_point(solver)) - optimum;
        zo_free(solver);
    }
    assert_true(gap[1] < 0.1 * gap[0]);
}

/* ---- The residual is what it says ------------------------------------------------------------------ */

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
            zo_report r = run(solver, (uint64_t)u * N * D / 2);
            double truth = true_residual(&t, l1, r.settings.step, zo_point(solver));
            if (isnan(r.residual) || truth < 1e-5) continue;
            known++;
            low = fmin(low, r.residual / truth);
            high = fmax(high, r.residual / truth);
        }
        if (known < 10 || low < 0.1 || high > 100) fail_msg("%s: %d, %g to %g", some[k], known, low, high);
        zo_free(solver);
    }
}

/* ---- Settings that cannot be ---------------------------------------------------------------------- */

static void refused(const char *name, const char *key, const char *value, const char *says)
{
    toy t;
    toy_fill(&t, 0.1);
    zo_problem p = toy_problem(&t, 0.01);
    zo_settings s = settings_of(name);
    zo_error e = {0};
    zo_solver *solver;
    if (key) assert_int_equal(zo_set(&s, key, value, &e), 0);
    if (!strcmp(name, "sega")) s.kind = ZO_ORTHOGONAL;
    assert_int_equal(zo_new(&solver, &p, &s, &e), ZO_BAD_ARGUMENT);
    assert_null(solver);
    if (!strstr(e.text, says)) fail_msg("'%s' does not say '%s'", e.text, says);
}

static void bad_settings_are_named(void **state)
{
    (void)state;
    refused("psvrg", "batch", "61", "batch");
    refused("saga", "batch", "61", "61");
    refused("zpdvr", "batch", "1000", "1000");
    refused("sega", "directions", "9", "directions: 9 is outside [1, 8]");
    refused("zpdrv", NULL, NULL, "zpdvr");
    toy t;
    toy_fill(&t, 0.1);
    zo_problem p = toy_problem(&t, 0.01);
    zo_settings s = settings_of("saga");
    zo_error e = {0};
    method *m;
    s.memory = 1000;
    assert_int_equal(method_new(&m, &p, &s, &e), ZO_BAD_ARGUMENT);
    assert_null(m);
    assert_non_null(strstr(e.text, "60 x 9 numbers, 4320 bytes, and memory allows 1000"));
}

/* ---- saga in chunks, auto's choices ---------------------------------------------------------------- */

static void saga_fills_its_table_in_chunks(void **state)
{
    (void)state;
    toy t;
    toy_fill(&t, 0.1);
    zo_problem p = toy_problem(&t, 0.01);
    double x[2][D];
    for (int small = 0; small < 2; small++) {
        zo_settings s = settings_of("saga");
        s.step = 0.1, s.batch = 3;
        if (small) s.memory = 8 * N * (D + 1) + 17 * 8 * (D + 1); /* room for 17 components at once */
        method *m;
        callback *c;
        assert_int_equal(method_new(&m, &p, &s, NULL), 0);
        assert_int_equal(callback_new(&c, &p, NULL), 0);
        method_start(m, NULL);
        size_t fans = 0;
        double answers[N * (D + 1)];
        for (; m->step < 50; fans++) {
            const zo_fan *fan = method_ask(m);
            assert_true(!small || fan->ncomp <= 17);
            callback_answer(c, fan, answers);
            method_tell(m, answers);
        }
        assert_int_equal(fans, small ? 54 : 51);
        vec_copy(D, m->x, x[small]);
        method_free(m);
        callback_free(c);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
}

static double *state_of(const method *m, const char *name)
{
    for (size_t k = 0; k < m->nstates; k++)
        if (!strcmp(m->state[k].name, name)) return m->state[k].at;
    fail_msg("no state %s", name);
    return NULL;
}

/* The definition, step by step, with batches in which most components are drawn several times: the row of a component is that
 * of its last draw, the gradient takes the table before, and the mean stays that of the table. */
static void saga_is_what_it_says(void **state)
{
    (void)state;
    enum { BATCH = 50 };
    toy t;
    toy_fill(&t, 0.1);
    zo_problem p = toy_problem(&t, 0);
    zo_settings s = settings_of("saga");
    s.step = 0.1, s.batch = BATCH;
    method *m;
    callback *c;
    assert_int_equal(method_new(&m, &p, &s, NULL), 0);
    assert_int_equal(callback_new(&c, &p, NULL), 0);
    method_start(m, NULL);
    double answers[N * (D + 1)], kept[N * D], x[D];
    const double *table = state_of(m, "table"), *mean = state_of(m, "mean");
    for (int k = 0; k < 12; k++) {
        const zo_fan *fan = method_ask(m);
        callback_answer(c, fan, answers);
        vec_copy(D, m->x, x);
        vec_copy(N * D, table, kept);
        uint64_t before = m->step;
        for (size_t j = 0; m->stage && j < D; j++) { /* x - step (mean_B(G_i - table_i) + mean) */
            double g = 0;
            for (size_t e = 0; e < BATCH; e++)
                g += (answers[e * (D + 1) + 1 + j] / fan->radius - kept[fan->comp[e] * D + j]) / BATCH;
            x[j] -= s.step * (g + mean[j]);
        }
        size_t ncomp = fan->ncomp;
        for (size_t e = 0; e < ncomp; e++)
            for (size_t j = 0; j < D; j++)
                kept[(fan->comp ? fan->comp[e] : e) * D + j] = answers[e * (D + 1) + 1 + j] / fan->radius;
        method_tell(m, answers);
        assert_memory_equal(kept, table, sizeof kept);
        for (size_t j = 0; j < D; j++) {
            double sum = 0;
            for (size_t i = 0; i < N; i++) sum += table[i * D + j] / N;
            assert_true(fabs(sum - mean[j]) < 1e-12);
            assert_true(m->step == before || fabs(m->x[j] - x[j]) < 1e-12);
        }
    }
    assert_int_equal(m->step, 11);
    method_free(m);
    callback_free(c);
}

static const char *choice(size_t n, double memory, double units, int means_only)
{
    toy t;
    toy_fill(&t, 0.1);
    zo_problem p = toy_problem(&t, 0.01);
    zo_settings s = settings_of("auto");
    p.n = n, p.means_only = means_only;
    s.memory = memory, s.horizon = units * (double)(n * D);
    method *m;
    assert_int_equal(method_new(&m, &p, &s, NULL), 0);
    const char *name = m->row->info.name;
    assert_non_null(strstr(m->chosen, name));
    method_free(m);
    return name;
}

static void auto_chooses_by_its_rules(void **state)
{
    (void)state;
    assert_string_equal(choice(60, 1e6, 100, 0), "inq");
    assert_string_equal(choice(60, 1e6, NAN, 0), "inq");
    assert_string_equal(choice(60, 1e6, 0.9, 0), "inq");
    assert_string_equal(choice(6000, 1e6, 100, 0), "sinq");
    assert_string_equal(choice(6000, 1e6, 0.002, 0), "sinq");
    assert_string_equal(choice(60, 2000, 100, 0), "psvrg");
    assert_string_equal(choice(60, 1e6, 100, 1), "psvrg");
    assert_string_equal(choice(60, 1e6, 0.1, 0), "inq");
    assert_string_equal(choice(60, 1e6, 0.05, 0), "zosgd");
    assert_string_equal(choice(3, 1e6, 0.9, 0),
                        "zosgd"); /* few components beside d, and not a gradient of each */
    assert_string_equal(choice(3, 1e6, 1.3, 0), "inq");
    assert_string_equal(choice(1, 1e6, 100, 0), "inq");
    assert_string_equal(choice(1, 2000, 100, 0), "fista");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_and_rows_agree),
        cmocka_unit_test(counts_are_exact),
        cmocka_unit_test(warm_memory_costs_one_gradient),
        cmocka_unit_test(callback_counts_what_the_report_says),
        cmocka_unit_test(automatic_settings_converge),
        cmocka_unit_test(every_kind_and_side_converges),
        cmocka_unit_test(state_is_all_there_is),
        cmocka_unit_test(pgd_and_fista_are_what_they_say),
        cmocka_unit_test(restart_helps_fista),
        cmocka_unit_test(residual_is_honest),
        cmocka_unit_test(bad_settings_are_named),
        cmocka_unit_test(saga_fills_its_table_in_chunks),
        cmocka_unit_test(saga_is_what_it_says),
        cmocka_unit_test(auto_chooses_by_its_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
