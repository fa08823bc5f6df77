/* The same bytes on any number of ranks: ranks are threads here, and numbers are exchanged through memory.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/sum.h"
#include "rank_threads.h"
#include "settings_of.h"
#include "zoprox_data.h"
#include "zoprox_spread.h"

static const int sizes[] = {1, 2, 3, 4, 7};

/* ---- The tree, cut anywhere ------------------------------------------------------------------------ */

static double tree_over(uint64_t set, unsigned first, unsigned end)
{
    double work[SUM_DEPTH], total;
    sum_tree t;
    sum_open(&t, 1, work);
    for (unsigned b = first; b < end; b++)
        if (set >> b & 1) *sum_leaf(&t, b) = rng_uniform(5, FOR_SYNTH, b, 0);
    sum_close(&t, &total);
    return total;
}

static void push_nodes(sum_tree *t, uint64_t set, unsigned first, unsigned end)
{
    sum_node node[SUM_NODES];
    size_t count = sum_nodes(first, end, node);
    for (size_t k = 0; k < count; k++) {
        unsigned from = (unsigned)node[k].first, to = (unsigned)node[k].last + 1;
        if (set >> from & ((1u << (to - from)) - 1))
            *sum_leaf(t, node[k].first) = tree_over(set, from, to);
    }
}

static void tree_does_not_depend_on_its_cuts(void **state)
{
    (void)state;
    enum { BLOCKS = 11 };
    for (uint64_t set = 0; set < 1u << BLOCKS; set++)
        for (unsigned a = 0; a <= BLOCKS; a++)
            for (unsigned b = a; b <= BLOCKS; b++) {
                double work[SUM_DEPTH], total, want = tree_over(set, 0, BLOCKS);
                sum_tree t;
                sum_open(&t, 1, work);
                push_nodes(&t, set, 0, a);
                push_nodes(&t, set, a, b);
                push_nodes(&t, set, b, BLOCKS);
                sum_close(&t, &total);
                assert_memory_equal(&total, &want, sizeof want);
            }
}

static void shares_fill_the_components(void **state)
{
    (void)state;
    const size_t n[] = {1, 127, 128, 129, 1000, 12345, 1000003, SIZE_MAX / 2};
    for (size_t k = 0; k < sizeof n / sizeof *n; k++)
        for (int size = 1; size < 40; size++) {
            size_t end = 0, first, count;
            for (int r = 0; r < size; r++) {
                zo_share(n[k], r, size, &first, &count);
                assert_int_equal(first, end);
                assert_int_equal(first % SUM_BLOCK == 0 || count == 0, 1);
                assert_true((double)count <= (double)n[k] / size * (1 + 2.0 / 64) + SUM_BLOCK);
                end = first + count;
            }
            assert_int_equal(end, n[k]);
        }
}

/* ---- Problems --------------------------------------------------------------------------------------- */

typedef struct made {
    zo_data *data;
    zo_model *model;
    zo_problem whole, spread;
    zo_spread *s;
} made;

static int value(void *ctx, size_t i, const double *x, double *f)
{
    size_t d = *(const size_t *)ctx;
    *f = 0;
    for (size_t j = 0; j < d; j++)
        *f +=
            sin((double)(i + 1) * (double)(j + 3) * 0.7) * x[j] + x[j] * x[j] * (double)(1 + i % 5);
    return 0;
}

static const size_t by_hand = 9;

/* what: a synthetic set, or NULL for a function of the caller's. */
static made make(const char *what, zo_loss loss, int threads)
{
    made m = {0};
    zo_error err = {0};
    m.whole = (zo_problem){.n = 1333,
                           .d = by_hand,
                           .value = value,
                           .ctx = (void *)(uintptr_t)&by_hand,
                           .threads = threads};
    if (!what) return m;
    assert_int_equal(zo_data_synth(&m.data, what, &err), ZO_OK);
    assert_int_equal(zo_model_new(&m.model, m.data, loss, 0.01, threads, &m.whole, &err), ZO_OK);
    m.whole.psi = zo_l1(1e-3);
    return m;
}

static void join(made *m, place *p)
{
    zo_ranks ranks = {.rank = p->rank,
                      .size = p->w->size,
                      .ctx = p,
                      .gather = swap,
                      .agreed = &p->w->agreed[p->rank]};
    assert_int_equal(zo_spread_new(&m->s, &m->whole, &ranks, &m->spread, &p->err), ZO_OK);
}

static void unmake(made *m)
{
    zo_spread_free(m->s);
    zo_model_free(m->model);
    zo_data_free(m->data);
}

/* ---- Fans ------------------------------------------------------------------------------------------- */

typedef struct query {
    const char *what;
    zo_loss loss;
    zo_fan fan;
    int threads;
} query;

static void act_fan(place *p)
{
    const query *q = p->with;
    made m = make(q->what, q->loss, q->threads);
    join(&m, p);
    p->status = m.spread.answer(m.spread.ctx, &q->fan, p->out);
    unmake(&m);
}

static void compare_fan(query *q)
{
    size_t answers = zo_fan_answers(&q->fan);
    double *want = calloc(answers, sizeof *want);
    made m = make(q->what, q->loss, 1);
    if (m.whole.answer) {
        assert_int_equal(m.whole.answer(m.whole.ctx, &q->fan, want), 0);
    } else {
        double *values = calloc(q->fan.ncomp * zo_fan_points(&q->fan), sizeof *values), x[64];
        for (size_t e = 0; e < q->fan.ncomp; e++)
            for (size_t k = 0; k < zo_fan_points(&q->fan); k++) {
                zo_fan_point(&q->fan, e, k, x);
                value(m.whole.ctx, q->fan.comp ? q->fan.comp[e] : e, x,
                      &values[e * zo_fan_points(&q->fan) + k]);
            }
        assert_int_equal(zo_fan_answer(&q->fan, values, want, NULL), ZO_OK);
        free(values);
    }
    unmake(&m);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (q->threads = 1; q->threads <= 2; q->threads++) {
            place places[MOST] = {{0}};
            on_ranks(sizes[k], places, act_fan, q, answers);
            for (int r = 0; r < sizes[k]; r++) {
                assert_int_equal(places[r].status, 0);
                assert_memory_equal(places[r].out, want, answers * sizeof *want);
            }
            release(sizes[k], places);
        }
    free(want);
}

static void fans_have_the_same_bytes(void **state)
{
    (void)state;
    struct {
        const char *what;
        zo_loss loss;
        size_t n, d;
    } of[] = {{"n=1333,d=30,seed=5,density=0.2", ZO_LOGISTIC, 1333, 30},
              {"n=3001,d=12,seed=6", ZO_LOGISTIC, 3001, 12},
              {"n=777,d=7,seed=7,kind=regression", ZO_SQUARED, 777, 7},
              {NULL, ZO_LOGISTIC, 1333, by_hand}};
    uint64_t comp[700];
    double base[2][64], dir[700 * 2 * 30];
    uint32_t axis[3] = {4, 0, 4};
    rng_normals(1, FOR_SYNTH, 0, 0, 700 * 2 * 30, dir);
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        rng_normals(2, FOR_SYNTH, k, 0, 64, base[0]);
        rng_normals(3, FOR_SYNTH, k, 0, 64, base[1]);
        rng_indices(9, FOR_SYNTH, k, of[k].n, 700, comp);
        zo_fan plain = {.n = of[k].n,
                        .d = of[k].d,
                        .nbase = 1,
                        .base = {base[0], base[1]},
                        .radius = 1e-3,
                        .sides = 1,
                        .ncomp = of[k].n};
        for (int kind = 0; kind < 8; kind++) {
            query q = {of[k].what, of[k].loss, plain, 1};
            zo_fan *f = &q.fan;
            f->ndir = kind & 1 ? 2 : 0;
            f->dir = dir;
            f->naxis = kind & 2 ? 3 : 0;
            f->axis = axis;
            f->nbase = kind & 4 ? 2 : 1;
            f->sides = kind & 4 ? 2 : 1;
            f->known = kind == 7;
            compare_fan(&q);
            f->radii = (const double[]){1e-3, -2e-3, 1e-2, -1e-1, 1e-4};
            compare_fan(&q);
            f->radii = NULL;
            f->each = kind == 5;
            f->comp = comp;
            f->ncomp = kind == 3 ? 700 : kind == 1 ? 1 : 17;
            compare_fan(&q);
        }
        query own = {of[k].what, of[k].loss, plain, 1};
        own.fan.each = own.fan.own = 1;
        own.fan.ndir = 2;
        own.fan.dir = dir;
        own.fan.comp = comp;
        own.fan.ncomp = 700;
        compare_fan(&own);
    }
}

/* ---- Runs -------------------------------------------------------------------------------------------- */

typedef struct order {
    const char *what, *method;
    int threads, spread;
} order;

static void solve(made *m, const char *method, double units, place *p)
{
    zo_settings set = settings_of(method);
    zo_control c = zo_no_limits();
    zo_solver *solver = NULL;
    c.max_units = units;
    zo_problem *problem = m->s ? &m->spread : &m->whole;
    if (p->w) c.stop = &p->w->agreed[p->rank];
    p->status = zo_new(&solver, problem, &set, &p->err);
    if (!p->status) p->status = zo_start(solver, NULL, &p->err);
    if (!p->status) p->status = zo_run(solver, &c, &p->report, &p->err);
    if (solver) memcpy(p->out, zo_point(solver), problem->d * sizeof *p->out);
    zo_free(solver);
}

static void act_run(place *p)
{
    const order *o = p->with;
    made m = make(o->what, ZO_LOGISTIC, o->threads);
    if (o->spread) join(&m, p);
    solve(&m, o->method, 2, p);
    unmake(&m);
}

static void every_method_has_the_same_bytes(void **state)
{
    (void)state;
    size_t count, d = 20;
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t k = 0; k < 2 * count; k++) {
        order o = {k % 2 ? NULL : "n=1333,d=20,seed=8,density=0.3", rows[k / 2].name, 1, 0};
        place alone = {.with = &o, .out = calloc(d, sizeof(double))};
        act_run(&alone);
        assert_int_equal(alone.status, ZO_OK);
        o.spread = 1;
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            place places[MOST] = {{0}};
            o.threads = 1 + (int)(s % 2);
            on_ranks(sizes[s], places, act_run, &o, d);
            for (int r = 0; r < sizes[s]; r++) {
                assert_int_equal(places[r].status, ZO_OK);
                assert_memory_equal(places[r].out, alone.out, d * sizeof(double));
                assert_int_equal(places[r].report.queries, alone.report.queries);
                assert_memory_equal(&places[r].report.objective, &alone.report.objective,
                                    sizeof(double));
                assert_string_equal(places[r].report.chosen, alone.report.chosen);
            }
            release(sizes[s], places);
        }
        free(alone.out);
    }
}

/* ---- What is exchanged, failures, refusals ------------------------------------------------------------ */

static void messages_do_not_grow_with_the_dimension(void **state)
{
    (void)state;
    static const char *const what[] = {"n=1000,d=20,seed=8", "n=1000,d=2000,seed=8"};
    static const double base[2000], dir[3 * 2000];
    uint64_t numbers[2];
    for (size_t w = 0; w < 2; w++) {
        zo_fan fan = {.n = 1000,
                      .nbase = 2,
                      .base = {base, base},
                      .ndir = 3,
                      .dir = dir,
                      .radius = 1,
                      .sides = 1,
                      .ncomp = 1000};
        fan.d = w ? 2000 : 20;
        query q = {what[w], ZO_LOGISTIC, fan, 1};
        place places[MOST] = {{0}};
        numbers[w] = on_ranks(3, places, act_fan, &q, zo_fan_answers(&fan));
        release(3, places);
    }
    assert_int_equal(numbers[0], numbers[1]);
    assert_true(numbers[0] <=
                3 * (4 + 4 * 8)); /* a rank: a head of 4, and at most 4 nodes of 8 sums */
}

static int fails_late(void *ctx, size_t i, const double *x, double *f)
{
    place *p = ctx;
    *f = x[0];
    return i == 700 && ++p->fails > 3 ? ZO_PROBLEM : 0;
}

static void act_failure(place *p)
{
    made m = {.whole = {.n = 1000, .d = 2, .value = fails_late, .ctx = p}};
    join(&m, p);
    solve(&m, "pgd", 50, p);
    unmake(&m);
}

static void one_rank_fails_and_all_say_so(void **state)
{
    (void)state;
    place places[MOST] = {{0}};
    on_ranks(3, places, act_failure, NULL, 2);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(places[r].status, ZO_PROBLEM);
        assert_string_equal(places[r].err.text, "rank 2: the problem failed with code -6");
    }
    release(3, places);
}

static int no_answer(void *ctx, const zo_fan *fan, double *out)
{
    (void)ctx, (void)fan, (void)out;
    return 1;
}

static void what_cannot_be_spread_is_refused(void **state)
{
    (void)state;
    zo_spread *s;
    zo_problem got, p = {.n = 2, .d = 2, .value = value};
    zo_error err;
    zo_ranks ranks = {.rank = 0, .size = 3};
    assert_int_equal(zo_spread_new(&s, &p, &ranks, &got, &err), ZO_BAD_ARGUMENT);
    assert_string_equal(err.text, "ranks: 3 are more than the 2 components");
    ranks.rank = 3;
    assert_int_equal(zo_spread_new(&s, &p, &ranks, &got, &err), ZO_BAD_ARGUMENT);
    assert_string_equal(err.text, "ranks: rank 3 of 3 is none");
    p = (zo_problem){.n = 20, .d = 2, .answer = no_answer};
    ranks.rank = 0;
    assert_int_equal(zo_spread_new(&s, &p, &ranks, &got, &err), ZO_UNSUPPORTED);
    assert_null(s);
}

/* A function of a user's around one of our problems has a ctx of its own, which our sums must never see. */
static void what_is_within_another_is_not_taken_apart(void **state)
{
    (void)state;
    zo_spread *s;
    zo_data *data;
    zo_model *model;
    zo_problem p, got;
    zo_ranks ranks = {.rank = 0, .size = 1};
    assert_int_equal(zo_data_synth(&data, "kind=gaussian,n=20,d=3", NULL), 0);
    assert_int_equal(zo_model_new(&model, data, ZO_LOGISTIC, 0, 1, &p, NULL), 0);
    p.answer = no_answer;
    p.ctx = NULL;
    assert_int_equal(zo_spread_new(&s, &p, &ranks, &got, NULL), ZO_UNSUPPORTED);
    zo_model_free(model);
    zo_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree_does_not_depend_on_its_cuts),
        cmocka_unit_test(shares_fill_the_components),
        cmocka_unit_test(fans_have_the_same_bytes),
        cmocka_unit_test(every_method_has_the_same_bytes),
        cmocka_unit_test(messages_do_not_grow_with_the_dimension),
        cmocka_unit_test(one_rank_fails_and_all_say_so),
        cmocka_unit_test(what_cannot_be_spread_is_refused),
        cmocka_unit_test(what_is_within_another_is_not_taken_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
