/* A method's own work on several threads: the same bytes, whoever does which part of it and when.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/sum.h"
#include "method/core/method.h"
#include "settings_of.h"
#include "zoprox_data.h"

/* ---- Sums of blocks --------------------------------------------------------------------------------- */

enum { MANY = 40 * SUM_BLOCK + 77, WIDTH = 3, WAVE = 7 };

static size_t parts_done;

static int forwards(void *ctx, size_t count, void (*task)(void *with, size_t k, int who),
                    void *with)
{
    (void)ctx;
    for (size_t k = 0; k < count; k++) task(with, k, 0);
    parts_done += count;
    return 2;
}

static int backwards(void *ctx, size_t count, void (*task)(void *with, size_t k, int who),
                     void *with)
{
    (void)ctx;
    for (size_t k = count; k-- > 0;) task(with, k, 0);
    parts_done += count;
    return 2;
}

static void fill(void *ctx, size_t from, size_t to, double *leaves)
{
    const method *m = ctx;
    for (size_t k = from; k < to; k++, leaves += WIDTH)
        for (uint64_t i = block_first(m, k); i < block_end(m, k); i++)
            for (size_t e = 0; e < WIDTH; e++) leaves[e] += rng_uniform(3, FOR_SYNTH, i, e) - 0.3;
}

static void sum_with(method *m, size_t room, double *total)
{
    double *tree = malloc(sum_work(WIDTH) * sizeof *tree), *leaves = malloc(room * sizeof *leaves);
    block_sum sum = {WIDTH, 1 << 20, tree, leaves, room, fill, m};
    method_sum_blocks(m, &sum, total);
    free(tree);
    free(leaves);
}

/* Blocks are those of component numbers, also where mine begin within one. */
static void sums_do_not_depend_on_who_adds(void **state)
{
    double alone[WIDTH], total[WIDTH], *rows = malloc(MANY * WIDTH * sizeof *rows),
                                       *work = malloc(sum_work(WIDTH) * sizeof *work);
    (void)state;
    method m = {.n = MANY, .count = MANY};
    for (size_t i = 0; i < MANY; i++)
        for (size_t e = 0; e < WIDTH; e++)
            rows[i * WIDTH + e] = rng_uniform(3, FOR_SYNTH, i, e) - 0.3;
    sum_rows(MANY, NULL, WIDTH, rows, alone, work, NULL);
    for (int k = 0; k < 6; k++) {
        m.helpers.share = k % 3 == 0 ? NULL : k % 3 == 1 ? forwards : backwards;
        parts_done = 0;
        sum_with(&m, WIDTH * (k < 3 ? WAVE : MANY), total);
        assert_memory_equal(alone, total, sizeof total);
        assert_true((parts_done > 1) == (k % 3 > 0));
    }
    m = (method){.n = MANY, .first = 100, .count = 300};
    assert_int_equal(method_blocks(&m), 4);
    assert_int_equal(block_first(&m, 0), 100);
    assert_int_equal(block_end(&m, 0), SUM_BLOCK);
    assert_int_equal(block_first(&m, 3), 3 * SUM_BLOCK);
    assert_int_equal(block_end(&m, 3), 400);
    free(rows);
    free(work);
}

static void count_up(void *ctx, size_t part, size_t from, size_t to)
{
    assert_true(part < METHOD_PARTS);
    unsigned char *seen = ctx;
    for (size_t k = from; k < to; k++) seen[k]++;
}

/* Everything is done once; a little is done at once. */
static void ranges_cover_all(void **state)
{
    static unsigned char seen[1000];
    (void)state;
    for (size_t count = 0; count <= 1000; count += 1 + count / 3) {
        method m = {.n = 1, .helpers = {backwards, NULL}};
        memset(seen, 0, sizeof seen);
        parts_done = 0;
        method_share(&m, count, 1 << 20, count_up, seen);
        assert_true(parts_done > 1 || count < 2);
        for (size_t k = 0; k < 1000; k++) assert_int_equal(seen[k], k < count);
        parts_done = 0;
        method_share(&m, count, 1, count_up, seen);
        assert_int_equal(parts_done, 0);
    }
}

/* Every third number is put where it belongs, and nothing beyond. */
static size_t count_thirds(void *ctx, size_t from, size_t to)
{
    (void)ctx;
    return (to + 2) / 3 - (from + 2) / 3;
}

static size_t put_thirds(void *ctx, size_t from, size_t to, size_t before)
{
    uint32_t *list = ctx;
    for (size_t k = (from + 2) / 3 * 3; k < to; k += 3) list[before++] = (uint32_t)k;
    return before;
}

static void lists_do_not_depend_on_who_makes_them(void **state)
{
    static uint32_t list[MANY];
    (void)state;
    for (int k = 0; k < 3; k++)
        for (size_t count = 0; count <= MANY; count = 3 * count + 1) {
            method m = {.n = 1, .helpers = {k == 0 ? NULL : k == 1 ? forwards : backwards, NULL}};
            memset(list, 0xff, sizeof list);
            parts_done = 0;
            size_t found =
                method_pick(&m, count, 64, &(method_list){count_thirds, put_thirds, list});
            assert_int_equal(found, (count + 2) / 3);
            assert_true((parts_done > 0) == (k > 0 && count > 300));
            for (size_t e = 0; e < MANY; e++)
                assert_int_equal(list[e], e < found ? 3 * e : UINT32_MAX);
        }
}

/* The first part alone, and then the others. */
static int first_and_rest(void *ctx, size_t count, void (*task)(void *with, size_t k, int who),
                          void *with)
{
    unsigned char *seen = ctx;
    task(with, 0, 0);
    for (size_t k = 0; k < 1000; k++) assert_int_equal(seen[k], 1);
    for (size_t k = 1; k < count; k++) task(with, k, 0);
    return 2;
}

/* Nobody waits for a part that somebody is slow to begin: who comes first takes all that there is. */
static void early_take_all(void **state)
{
    static unsigned char seen[1000];
    (void)state;
    method m = {.n = 1, .helpers = {first_and_rest, seen}};
    method_share(&m, 1000, 1 << 20, count_up, seen);
    for (size_t k = 0; k < 1000; k++) assert_int_equal(seen[k], 1);
}

/* ---- Whole runs ------------------------------------------------------------------------------------- */

/* What a user may put around a problem of ours: everything else of it is as it was. */
typedef struct wrapped {
    unsigned char zeros[4096]; /* who takes it for a model finds no threads in it */
    zo_problem ours;
    uint64_t asked;
} wrapped;

static int count_and_answer(void *ctx, const zo_fan *fan, double *out)
{
    wrapped *w = ctx;
    w->asked++;
    return w->ours.answer(w->ours.ctx, fan, out);
}

/* The hash of every question, and of the end. */
static uint64_t path_of(const zo_data *data, const char *name, int threads, wrapped *around)
{
    zo_problem p;
    zo_model *model;
    zo_solver *solver;
    zo_report r;
    zo_settings set = settings_of(name);
    zo_control c = zo_no_limits();
    uint64_t hash = 7, word;
    assert_int_equal(zo_model_new(&model, data, ZO_LOGISTIC, 1e-3, threads, &p, NULL), 0);
    if (around) {
        around->ours = p;
        p.answer = count_and_answer;
        p.ctx = around;
    }
    p.psi = zo_l1(1e-3);
    assert_int_equal(zo_new(&solver, &p, &set, NULL), 0);
    assert_int_equal(zo_start(solver, NULL, NULL), 0);
    c.max_units = p.d < 20 ? 1.5 : 0.4;
    assert_int_equal(zo_run(solver, &c, &r, NULL), 0);
    for (size_t j = 0; j < p.d; j++) {
        memcpy(&word, zo_point(solver) + j, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    }
    zo_free(solver);
    zo_model_free(model);
    return hash ^ r.queries;
}

static void runs_are_the_same(void **state)
{
    static const char *const made[] = {
        "kind=gaussian,n=9000,d=12",               /* whole rows */
        "kind=onehot,n=20000,d=100",               /* short rows, recovered by words */
        "kind=gaussian,density=0.1,n=20000,d=100", /* by splitting */
        "kind=onehot,n=20000,d=40,density=0.1",    /* most of them repeated */
        "kind=onehot,n=140000,d=20,density=0.2",   /* and so many that pages are made ahead */
    };
    (void)state;
    for (size_t k = 0; k < sizeof made / sizeof *made; k++) {
        zo_data *data;
        zo_error e;
        if (zo_data_synth(&data, made[k], &e)) fail_msg("%s", e.text);
        uint64_t alone = path_of(data, "inq", 1, NULL);
        for (int threads = 2; threads <= 3; threads++)
            assert_true(path_of(data, "inq", threads, NULL) == alone);
        wrapped around = {.asked = 0};
        assert_true(path_of(data, "inq", 2, &around) == alone && around.asked > 0);
        zo_data_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_do_not_depend_on_who_adds), cmocka_unit_test(ranges_cover_all),
        cmocka_unit_test(lists_do_not_depend_on_who_makes_them), cmocka_unit_test(early_take_all),
        cmocka_unit_test(runs_are_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
