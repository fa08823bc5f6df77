/* Every method: exact query counts, asks that are pure, auto's choices, settings that cannot be.
 * SPDX-License-Identifier: MIT */
#include "runs.h"

#include <stdio.h>

#include "base/mem.h"
#include "method/core/method.h"
#include "problem/problem.h"

static const char *const names[] = {"zpdvr", "zpsvrg", "sega", "zosgd", "pgd",
                                    "fista", "psvrg",  "saga", "auto"};
enum { NAMES = sizeof names / sizeof *names };
enum { N = TOY_N, D = TOY_D, B = 7, Q = 3, M = 4 };

/* ---- The table --------------------------------------------------------------------------------------- */

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

/* ---- Query counts ------------------------------------------------------------------------------------ */

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
                s.step = 0.01, s.sides = sides, s.batch = B, s.directions = Q, s.kind = kind,
                s.epoch = M;
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
        run_queries(solver, N * (D + 1) + N * (Q + 1));
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
        zo_report r = run_queries(solver, 20 * N * D);
        assert_int_equal(t.calls, r.queries);
        assert_true(r.queries <= 20 * N * D && r.steps > 0);
        zo_free(solver);
    }
}

/* ---- Asks are pure, and state is all there is -------------------------------------------------------- */

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

/* ---- What auto chooses ------------------------------------------------------------------------------- */

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
    assert_string_equal(choice(60, 1e6, 100, 0), "lm");
    assert_string_equal(choice(60, 1e6, NAN, 0), "lm");
    assert_string_equal(choice(1000, 1e8, 100, 0), "inq");
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
    assert_string_equal(choice(1, 1e6, 100, 0), "mean");
    assert_string_equal(choice(1, 2000, 100, 0), "fista");
}

/* ---- Settings that cannot be ------------------------------------------------------------------------- */

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_and_rows_agree),
        cmocka_unit_test(counts_are_exact),
        cmocka_unit_test(warm_memory_costs_one_gradient),
        cmocka_unit_test(callback_counts_what_the_report_says),
        cmocka_unit_test(state_is_all_there_is),
        cmocka_unit_test(auto_chooses_by_its_rules),
        cmocka_unit_test(bad_settings_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
