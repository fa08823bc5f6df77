/* inq on ranks: the same bytes in all its ways, with what it keeps of a component on one rank, and little sent. Ranks are
 * threads here.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "inq_rows.h"
#include "rank_threads.h"
#include "solve/solver.h"

#include <unistd.h>

enum { HEAD = 6, FEW = 1024 }; /* numbers before every message; values that judge a step, at most */

typedef struct order {
    const rows *r;
    const char *set; /* NAME=VALUE of a setting, or NULL */
    double units;
    int spread;
} order;

typedef struct outcome {
    double words;  /* of state */
    uint64_t most; /* numbers sent for a fan, by all ranks */
    size_t fans;
} outcome;

static outcome seen[MOST];

static void ask_for(zo_settings *set, const char *text)
{
    char name[32] = "";
    zo_error err;
    snprintf(set->method, sizeof set->method, "inq");
    if (!text) return;
    const char *value = strchr(text, '=');
    memcpy(name, text, (size_t)(value - text));
    assert_int_equal(zo_set(set, name, value + 1, &err), ZO_OK);
}

static double words_of(const zo_solver *s)
{
    double words = 0;
    for (size_t k = 0; k < s->method->nstates; k++) words += (double)s->method->state[k].words;
    return words;
}

/* Question by question, to count what each sends. */
static void go(place *p, zo_solver *solver, zo_problem *problem, outcome *o, double most)
{
    const zo_fan *fan;
    double asked = 0;
    while (!zo_ask(solver, &fan, &p->err) && fan &&
           (asked += (double)zo_fan_queries(fan)) <= most) {
        uint64_t before = p->w ? p->w->numbers : 0;
        double *answers = calloc(zo_fan_answers(fan), sizeof *answers);
        assert_int_equal(problem->answer(problem->ctx, fan, answers), 0);
        assert_int_equal(zo_tell(solver, answers, &p->err), ZO_OK);
        free(answers);
        uint64_t sent = p->w ? p->w->numbers - before : 0;
        if (sent > o->most) o->most = sent;
        o->fans++;
    }
    zo_look(solver, &p->report);
}

static void act(place *p)
{
    const order *o = p->with;
    rows own = *o->r;
    zo_problem whole = {.n = own.n, .d = own.d, .value = rows_value, .ctx = &own, .threads = 1},
               spread = whole;
    whole.psi = spread.psi = zo_l1(1e-4);
    zo_settings set = zo_defaults();
    zo_solver *solver = NULL;
    zo_spread *s = NULL;
    ask_for(&set, o->set);
    if (o->spread) {
        zo_ranks ranks = {.rank = p->rank, .size = p->w->size, .ctx = p, .gather = swap};
        assert_int_equal(zo_spread_new(&s, &whole, &ranks, &spread, &p->err), ZO_OK);
    }
    p->status = zo_new(&solver, &spread, &set, &p->err);
    assert_int_equal(p->status, ZO_OK);
    assert_int_equal(zo_start(solver, NULL, &p->err), ZO_OK);
    outcome *to = &seen[p->rank];
    *to = (outcome){.words = words_of(solver)};
    go(p, solver, o->spread ? &spread : &solver->problem, to,
       o->units * (double)own.n * (double)own.d);
    memcpy(p->out, zo_point(solver), own.d * sizeof *p->out);
    zo_free(solver);
    zo_spread_free(s);
}

static void run_alone(const order *o, place *alone)
{
    *alone = (place){.with = o, .out = calloc(o->r->d, sizeof(double))};
    act(alone);
}

static void compare(order o, const char *says, const int *sizes, size_t count)
{
    size_t d = o.r->d;
    place alone;
    run_alone(&o, &alone);
    assert_non_null(strstr(alone.report.chosen, says));
    o.spread = 1;
    for (size_t k = 0; k < count; k++) {
        place places[MOST] = {{0}};
        on_ranks(sizes[k], places, act, &o, d);
        for (int r = 0; r < sizes[k]; r++) {
            assert_memory_equal(places[r].out, alone.out, d * sizeof(double));
            assert_int_equal(places[r].report.steps, alone.report.steps);
            assert_memory_equal(&places[r].report.residual, &alone.report.residual, sizeof(double));
            assert_string_equal(places[r].report.chosen, alone.report.chosen);
        }
        release(sizes[k], places);
    }
    assert_true(alone.report.steps > 3);
    free(alone.out);
}

static void every_way_has_the_same_bytes(void **state)
{
    (void)state;
    static const int sizes[] = {2, 3, 7};
    static const struct {
        size_t n, d;
        int kind;
        const char *set;
        double units;
        const char *says; /* in the report */
    } way[] = {{1511, 12, 0, NULL, 3, ""},
               {1511, 12, 0, "own=off", 4, ""},
               {700, 13, 2, "sides=2", 4, ""},
               {1000, 12, 3, NULL, 9, "subspace models"},
               {900, 11, 3, "own=off", 9, "subspace models"},
               {700, 12, 4, NULL, 6, "subspace models"},
               {900, 12, 5, NULL, 6, "subspace models"},
               {140, 1510, 0, NULL, 1.5, ""},
               {600, 40, 6, NULL, 3, "few coordinates"}};
    for (size_t k = 0; k < sizeof way / sizeof *way; k++) {
        rows r = rows_new(way[k].n, way[k].d, way[k].kind, 1e-3);
        order o = {&r, way[k].set, way[k].units, 0};
        compare(o, way[k].says, sizes, way[k].d > 100 ? 1 : 3);
        rows_free(&r);
    }
}

static void two_ranks_keep_half_each(void **state)
{
    (void)state;
    rows r = rows_new(4096, 60, 0, 1e-3);
    order o = {&r, NULL, 0.1, 0};
    place alone, places[MOST] = {{0}};
    run_alone(&o, &alone);
    double all = seen[0].words;
    o.spread = 1;
    on_ranks(2, places, act, &o, r.d);
    for (int k = 0; k < 2; k++) assert_true(seen[k].words < 0.55 * all);
    release(2, places);
    free(alone.out);
    rows_free(&r);
}

/* One fan: its answers stay; a sum of d(d + 1)/2, and sums of vectors, from every node; marks of n bytes, rows of a leaf
 * that is cut (no more than a sum), of SPREAD components, values of FEW. With n = 2048 on 2 ranks there is one node each. */
static void answers_are_not_gathered(void **state)
{
    (void)state;
    enum { RANKS = 2, WIDTH = 160 };
    rows r = rows_new(2048, WIDTH, 0, 1e-3);
    order o = {&r, NULL, 1.2, 1};
    place places[MOST] = {{0}};
    on_ranks(RANKS, places, act, &o, r.d);
    uint64_t d = WIDTH, triangle = d * (d + 1) / 2, marks = r.n / 8;
    uint64_t most =
        RANKS * (triangle + 3 * d + 64) + triangle + 3 * marks + 256 * d + FEW + 32 * RANKS * HEAD;
    assert_true(seen[0].fans > 20);
    assert_true(seen[0].most <= most);
    assert_true(most < r.n * (d + 1) / 3); /* of a chunk of answers that was gathered */
    release(RANKS, places);
    rows_free(&r);
}

int main(void)
{
    alarm(120); /* ranks that do not ask the same wait for each other */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_has_the_same_bytes),
        cmocka_unit_test(two_ranks_keep_half_each),
        cmocka_unit_test(answers_are_not_gathered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
