/* Built-in problems give the same bytes for any number of threads, any list, any order, and to several askers at once.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <string.h>

#include <cmocka.h>

#include "small_set.h"

/* Large enough to be shared among threads. */
static void test_threads(void **state)
{
    (void)state;
    fill_numbers();
    for (int loss = ZO_LOGISTIC; loss <= ZO_SOFTMAX; loss++)
        for (int dense = 0; dense < 2; dense++) {
            set s = set_new(6000, 20, 0.3, labels_of((zo_loss)loss), dense);
            double *out[3][2];
            for (int t = 0; t < 3; t++) {
                zo_model *model;
                zo_problem problem = {0};
                assert_int_equal(
                    zo_model_new(&model, s.data, (zo_loss)loss, 0.01, t + 1, &problem, NULL),
                    ZO_OK);
                for (int each = 0; each < 2; each++) {
                    zo_fan fan = {.n = s.n,
                                  .d = problem.d,
                                  .nbase = 2,
                                  .base = {numbers, numbers + 200},
                                  .naxis = problem.d,
                                  .ndir = 17,
                                  .dir = numbers + 400,
                                  .radius = 1e-3,
                                  .sides = 1,
                                  .ncomp = s.n,
                                  .each = each};
                    size_t count = zo_fan_answers(&fan);
                    out[t][each] = calloc(count, sizeof(double));
                    assert_int_equal(problem.answer(problem.ctx, &fan, out[t][each]), 0);
                    assert_memory_equal(out[t][each], out[0][each], count * sizeof(double));
                }
                zo_model_free(model);
            }
            for (int t = 0; t < 3; t++)
                for (int each = 0; each < 2; each++) free(out[t][each]);
            set_free(&s);
        }
}

/* A list of all components gives the bytes of no list; so does a subset, on any number of threads. */
static void test_lists(void **state)
{
    (void)state;
    fill_numbers();
    set s = set_new(6000, 30, 0.3, 2, 0);
    uint64_t *all = calloc(2 * s.n, sizeof *all);
    rng_indices(6, FOR_CHECK, 1, s.n, s.n, all + s.n);
    double out[4][17] = {{0}};
    for (int t = 0; t < 2; t++) {
        zo_model *model;
        zo_problem problem = {0};
        assert_int_equal(zo_model_new(&model, s.data, ZO_LOGISTIC, 0.01, 1 + 2 * t, &problem, NULL),
                         ZO_OK);
        zo_fan fan = {.n = s.n,
                      .d = 30,
                      .nbase = 1,
                      .base = {numbers},
                      .ndir = 16,
                      .dir = numbers + 400,
                      .radius = 1e-3,
                      .sides = 1,
                      .ncomp = s.n};
        assert_int_equal(problem.answer(problem.ctx, &fan, out[0]), 0);
        for (size_t i = 0; i < s.n; i++) all[i] = i;
        fan.comp = all;
        assert_int_equal(problem.answer(problem.ctx, &fan, out[1]), 0);
        assert_memory_equal(out[0], out[1], sizeof out[0]);
        fan.comp = all + s.n;
        assert_int_equal(problem.answer(problem.ctx, &fan, out[2 + t]), 0);
        zo_model_free(model);
    }
    assert_memory_equal(out[2], out[3], sizeof out[2]);
    free(all);
    set_free(&s);
}

/* The sum over three blocks is the sum of theirs, to the last bit: few entries, few and many. So whoever owns a block
 * computes the same. (Counts are powers of two, so that means can be turned back into sums.) */
static void test_blocks(void **state)
{
    (void)state;
    fill_numbers();
    for (int dense = 0; dense < 2; dense++) {
        set s = set_new(400, 20, 0.3, 2, dense);
        const uint64_t comp[16] = {5,   90,  17,  5,   130, 255, 128, 200,
                                   256, 300, 301, 350, 383, 256, 270, 271};
        double out[4][37];
        zo_model *model;
        zo_problem problem = {0};
        assert_int_equal(zo_model_new(&model, s.data, ZO_LOGISTIC, 0, 1, &problem, NULL), ZO_OK);
        for (size_t k = 0; k < 4; k++) {
            zo_fan fan = {.n = s.n,
                          .d = 20,
                          .nbase = 1,
                          .base = {numbers},
                          .naxis = 20,
                          .ndir = 16,
                          .dir = numbers + 400,
                          .radius = 0.7,
                          .sides = 1,
                          .ncomp = k == 3   ? 16
                                   : k == 2 ? 8
                                            : 4,
                          .comp = k == 3 ? comp : comp + 4 * k};
            assert_int_equal(problem.answer(problem.ctx, &fan, out[k]), 0);
        }
        for (size_t e = 0; e < 37; e++)
            assert_true(16 * out[3][e] == (4 * out[0][e] + 4 * out[1][e]) + 8 * out[2][e]);
        zo_model_free(model);
        set_free(&s);
    }
}

/* One component alone, in a small batch and among all: the same bytes, packed or not, on one thread or more. */
static void test_each_alone(void **state)
{
    (void)state;
    fill_numbers();
    for (int loss = ZO_LOGISTIC; loss <= ZO_SOFTMAX; loss++)
        for (int dense = 0; dense < 2; dense++) {
            set s = set_new(3000, 20, 0.3, labels_of((zo_loss)loss), dense);
            zo_model *model;
            zo_problem problem = {0};
            assert_int_equal(zo_model_new(&model, s.data, (zo_loss)loss, 0.01, 2, &problem, NULL),
                             ZO_OK);
            zo_fan fan = {.n = s.n,
                          .d = problem.d,
                          .nbase = 2,
                          .base = {numbers, numbers + 200},
                          .naxis = 9,
                          .axis = axes,
                          .ndir = 7,
                          .dir = numbers + 400,
                          .radius = 0.7,
                          .sides = 2,
                          .ncomp = s.n,
                          .each = 1};
            size_t set_size = zo_fan_set(&fan);
            double *all = calloc(s.n * set_size, sizeof *all), some[5 * 2 * 33];
            assert_int_equal(problem.answer(problem.ctx, &fan, all), 0);
            for (uint64_t i = 0; i < 40; i += 4) {
                uint64_t comp[5] = {i, i + 1, 2999 - i, i, 2};
                fan.comp = comp;
                for (fan.ncomp = 1; fan.ncomp <= 5; fan.ncomp += 2) {
                    assert_int_equal(problem.answer(problem.ctx, &fan, some), 0);
                    for (size_t e = 0; e < fan.ncomp; e++)
                        assert_memory_equal(some + e * set_size, all + comp[e] * set_size,
                                            set_size * sizeof *all);
                }
            }
            free(all);
            zo_model_free(model);
            set_free(&s);
        }
}

/* ---- Solvers in several threads that share a model ------------------------------------------------ */

typedef struct customer {
    const zo_problem *problem;
    double x[8], first, wrong;
} customer;

static double value_at(const zo_problem *p, const double *x)
{
    double f = NAN;
    zo_fan fan = {
        .n = p->n, .d = p->d, .nbase = 1, .base = {x}, .radius = 1, .sides = 1, .ncomp = p->n};
    p->answer(p->ctx, &fan, &f);
    return f;
}

static void *ask_again_and_again(void *arg)
{
    customer *c = arg;
    for (int k = 0; k < 300; k++) c->wrong += value_at(c->problem, c->x) != c->first;
    return NULL;
}

static void test_shared(void **state)
{
    (void)state;
    enum { SHARERS = 3 };
    set s = set_new(4000, 8, 1, 2, 1);
    zo_model *model;
    zo_problem p;
    assert_int_equal(zo_model_new(&model, s.data, ZO_LOGISTIC, 0.1, 2, &p, NULL), ZO_OK);
    customer c[SHARERS];
    pthread_t thread[SHARERS];
    for (size_t t = 0; t < SHARERS; t++) {
        c[t] = (customer){.problem = &p};
        for (size_t j = 0; j < 8; j++) c[t].x[j] = draw(20 + t, j);
        c[t].first = value_at(&p, c[t].x);
    }
    for (size_t t = 0; t < SHARERS; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, ask_again_and_again, &c[t]), 0);
    for (size_t t = 0; t < SHARERS; t++) {
        pthread_join(thread[t], NULL);
        assert_true(c[t].wrong == 0);
    }
    zo_model_free(model);
    set_free(&s);
}

static void answer_afresh(const set *s, const zo_fan *fan, double *out)
{
    zo_model *model;
    zo_problem problem = {0};
    assert_int_equal(zo_model_new(&model, s->data, ZO_LOGISTIC, 0.01, 1, &problem, NULL), ZO_OK);
    assert_int_equal(problem.answer(problem.ctx, fan, out), 0);
    zo_model_free(model);
}

/* Rows of their own that are mostly 0 give the same bytes told as lists, and at a base that was asked before; lists of other
 * rows are not looked at. */
static void test_sparse_rows(void **state)
{
    (void)state;
    enum { COUNT = 300, WIDE = 45, FEW = 7 };
    static double dir[COUNT * WIDE], value[COUNT][FEW], want[COUNT], got[COUNT];
    static uint32_t place[COUNT][FEW];
    static zo_sparse list[COUNT];
    fill_numbers();
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t k = 0; k < FEW; k++) {
            place[i][k] = (uint32_t)(k * 6 + (i + k) % 6 + (k == FEW - 1 ? 3 : 0));
            dir[i * WIDE + place[i][k]] = value[i][k] = numbers[(i * FEW + k) % 400];
        }
        list[i] = (zo_sparse){i % 5 ? FEW : 0, place[i], value[i]};
    }
    for (int dense = 0; dense < 2; dense++) {
        set s = set_new(COUNT, WIDE, dense ? 1 : 0.3, 2, dense);
        zo_model *model;
        zo_problem problem = {0};
        assert_int_equal(zo_model_new(&model, s.data, ZO_LOGISTIC, 0.01, 2, &problem, NULL), ZO_OK);
        zo_fan fan = {.n = COUNT,
                      .d = WIDE,
                      .nbase = 1,
                      .ndir = 1,
                      .dir = dir,
                      .own = 1,
                      .known = 1,
                      .radius = 3,
                      .sides = 1,
                      .ncomp = COUNT,
                      .each = 1};
        for (int k = 0; k < 4;
             k++) { /* two bases in turn: margins of one are not those of the other */
            fan.base[0] = numbers + 50 * (k / 2 % 2);
            fan.sparse = NULL;
            answer_afresh(&s, &fan, want);
            fan.sparse = list;
            fan.sparse_of = dir;
            assert_int_equal(problem.answer(problem.ctx, &fan, got), 0);
            assert_memory_equal(want, got, sizeof want);
        }
        fan.dir = numbers; /* other rows */
        assert_int_equal(problem.answer(problem.ctx, &fan, got), 0);
        fan.sparse = NULL;
        answer_afresh(&s, &fan, want);
        assert_memory_equal(want, got, sizeof want);
        zo_model_free(model);
        set_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads), cmocka_unit_test(test_lists),
        cmocka_unit_test(test_blocks),  cmocka_unit_test(test_each_alone),
        cmocka_unit_test(test_shared),  cmocka_unit_test(test_sparse_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
