/* Built-in problems: every kind of fan against an obvious slow computation, sameness, labels.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/vmath.h"
#include "problem/kernel.h"
#include "zoprox_data.h"

/* ---- A small data set, sparse or dense ---------------------------------------------------------- */

typedef struct set {
    size_t n, features;
    double *full, *val, *label;
    uint64_t *row;
    uint32_t *col;
    zo_data *data;
} set;

static double draw(uint64_t what, uint64_t k) { return 2 * rng_uniform(11, FOR_CHECK, what, k) - 1; }

static set set_new(size_t n, size_t features, double density, size_t labels, int dense)
{
    set s = {.n = n, .features = features};
    s.full = calloc(n * features, sizeof *s.full);
    s.val = calloc(n * features, sizeof *s.val);
    s.label = calloc(n, sizeof *s.label);
    s.row = calloc(n + 1, sizeof *s.row);
    s.col = calloc(n * features, sizeof *s.col);
    for (size_t i = 0; i < n; i++) {
        s.row[i + 1] = s.row[i];
        for (size_t j = 0; j < features; j++) {
            if (draw(1, i * features + j) > 2 * density - 1) continue;
            double v = 3 * draw(2, i * features + j);
            s.full[i * features + j] = s.val[s.row[i + 1]] = v;
            s.col[s.row[i + 1]++] = (uint32_t)j;
        }
        s.label[i] =
            labels ? floor((double)labels * rng_uniform(11, FOR_CHECK, 3, i)) * 2 - 3 : 2 * draw(3, i);
    }
    zo_error e;
    zo_status status = dense ? zo_data_dense(&s.data, n, features, s.full, s.label, &e)
                             : zo_data_csr(&s.data, n, features, s.row, s.col, s.val, s.label, &e);
    assert_int_equal(status, ZO_OK);
    return s;
}

static void set_free(set *s)
{
    zo_data_free(s->data);
    free(s->full);
    free(s->val);
    free(s->label);
    free(s->row);
    free(s->col);
}

/* ---- The obvious slow way ------------------------------------------------------------------------ */

static size_t labels_of(zo_loss loss)
{
    return loss == ZO_SOFTMAX ? 4 : loss == ZO_SQUARED || loss == ZO_HUBER ? 0 : 2;
}

static long double slow_value(const set *s, zo_loss loss, double l2, uint64_t i, const double *x)
{
    size_t classes = loss == ZO_SOFTMAX ? 4 : 1, y = (size_t)((s->label[i] + 3) / 2);
    long double m[4] = {0}, ridge = 0, sum = 0;
    for (size_t c = 0; c < classes; c++)
        for (size_t j = 0; j < s->features; j++)
            m[c] += (long double)s->full[i * s->features + j] * x[c * s->features + j];
    for (size_t j = 0; j < classes * s->features; j++) ridge += (long double)x[j] * x[j];
    long double value, sign = y ? 1 : -1, r = m[0] - s->label[i], t = 1 - sign * m[0];
    for (size_t c = 0; c < classes; c++) sum += expl(m[c]);
    switch (loss) {
    case ZO_LOGISTIC: value = log1pl(expl(-sign * m[0])); break;
    case ZO_SQUARED: value = r * r / 2; break;
    case ZO_HUBER: value = fabsl(r) <= 1 ? r * r / 2 : fabsl(r) - 0.5L; break;
    case ZO_SMOOTH_HINGE: value = t <= 0 ? 0 : t < 1 ? t * t / 2 : t - 0.5L; break;
    case ZO_SIGMOID: value = 1 / (1 + expl(sign * m[0])); break;
    default: value = logl(sum) - m[y]; break;
    }
    return value + ridge * l2 / 2;
}

/* Fills zo_fan_answers numbers, point by point. */
static void slow_answer(const set *s, zo_loss loss, double l2, const zo_fan *fan, double *out)
{
    size_t points = zo_fan_points(fan), per = points / fan->nbase;
    double *x = calloc(fan->d, sizeof *x);
    long double *mean = calloc(points, sizeof *mean), base = 0;
    for (size_t e = 0; e < fan->ncomp; e++)
        for (size_t p = 0; p < points; p++) {
            uint64_t i = fan->comp ? fan->comp[e] : e;
            zo_fan_point(fan, e, p, x);
            long double v = slow_value(s, loss, l2, i, x);
            if (p % per == 0) base = v;
            if (!fan->known && p % per) v -= base;
            if (fan->each) out[e * points + p] = (double)v;
            mean[p] += v / (long double)fan->ncomp;
        }
    for (size_t p = 0; p < points && !fan->each; p++) out[p] = (double)mean[p];
    free(mean);
    free(x);
}

/* ---- Every kind of fan --------------------------------------------------------------------------- */

static double numbers[2 * 200 + 70 * 40 * 100];
static uint64_t listed[400];
static uint32_t axes[9] = {3, 0, 7, 3, 11, 1, 3, 19, 2};

static void fill_numbers(void)
{
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) numbers[k] = draw(4, k);
}

static void check_fan(const set *s, zo_model *model, const zo_problem *problem, const zo_fan *fan)
{
    size_t count = zo_fan_answers(fan);
    double *got = malloc((count + 1) * sizeof *got), *want = malloc((count + 1) * sizeof *want);
    got[count] = 42;
    for (size_t k = 0; k < count; k++) got[k] = NAN;
    assert_int_equal(problem->answer(problem->ctx, fan, got), 0);
    slow_answer(s, model->loss, model->l2, fan, want);
    for (size_t k = 0; k < count; k++)
        if (!(fabs(got[k] - want[k]) < 2e-13 * (1 + fabs(want[k]))))
            fail_msg("loss %d dense %d nbase %zu naxis %zu%s ndir %zu own %d sides %d known %d ncomp %zu%s "
                     "each %d: "
                     "answer %zu is %.17g, not %.17g",
                     (int)model->loss, model->data->dense != NULL, fan->nbase, fan->naxis,
                     fan->axis ? " listed" : "", fan->ndir, fan->own, fan->sides, fan->known, fan->ncomp,
                     fan->comp ? " listed" : "", fan->each, k, got[k], want[k]);
    assert_true(got[count] == 42);
    free(got);
    free(want);
}

/* Shapes come from the digits of k in mixed radix, so that every combination is met. */
static zo_fan fan_shape(size_t k, size_t n, size_t d)
{
    static const size_t dirs[] = {0, 1, 5, 16, 19, 33};
    zo_fan f = {.n = n, .d = d, .radius = 0.125, .base = {numbers, numbers + 200}, .comp = listed};
    f.nbase = 1 + k % 2, k /= 2;
    f.sides = 1 + (int)(k % 2), k /= 2;
    f.known = k % 2, k /= 2;
    f.ncomp = k % 2 ? 24 : 3, k /= 2;
    size_t kind = k % 3; /* means, each, own */
    k /= 3;
    f.each = kind > 0;
    f.own = kind == 2;
    f.ndir = dirs[k % 6], k /= 6;
    f.dir = f.ndir ? numbers + 400 : NULL;
    f.naxis = k % 3 == 0 ? 0 : k % 3 == 1 ? d : 9;
    f.axis = k % 3 == 2 ? axes : NULL;
    if (k % 3 == 0 && f.ndir == 5 && f.ncomp == 24 && !f.own)
        f.ncomp = 400;                                /* more in a block than a piece holds */
    if (k % 3 == 0 && f.ndir == 0 && f.ncomp == 24) { /* the objective */
        f.ncomp = n;
        f.comp = NULL;
    }
    return f;
}

enum { SHAPES = 2 * 2 * 2 * 2 * 3 * 6 * 3 };

static void check_shapes(zo_loss loss, int dense, const kernel_table *table, size_t every)
{
    size_t features = loss == ZO_SOFTMAX ? 20 : 43;
    set s = set_new(300, features, 0.3, labels_of(loss), dense);
    zo_model *model;
    zo_problem problem = {0};
    zo_error e;
    assert_int_equal(zo_model_new(&model, s.data, loss, 0.01, 2, &problem, &e), ZO_OK);
    assert_int_equal(problem.n, 300);
    assert_int_equal(problem.d, loss == ZO_SOFTMAX ? 80 : features);
    model->kernel->table = table;
    for (size_t k = 0; k < SHAPES; k += every) {
        zo_fan fan = fan_shape(k, s.n, problem.d);
        if (fan.known && fan.naxis + fan.ndir == 0) continue;
        check_fan(&s, model, &problem, &fan);
    }
    zo_model_free(model);
    set_free(&s);
}

static void test_every_fan(void **state)
{
    (void)state;
    fill_numbers();
    rng_indices(5, FOR_CHECK, 0, 300, 400, listed);
    listed[2] = listed[0];
    const kernel_table *best = isa_v3() ? &kernel_v3 : &kernel_plain;
    for (int loss = ZO_LOGISTIC; loss <= ZO_SOFTMAX; loss++)
        for (int dense = 0; dense < 2; dense++) {
            check_shapes((zo_loss)loss, dense, best,
                         loss == ZO_LOGISTIC ? 1 : 5); /* 5: no divisor of a radix */
            check_shapes((zo_loss)loss, dense, &kernel_plain, 25);
        }
}

/* Rows longer than the strips that products and axes are cut into. */
static void test_long_rows(void **state)
{
    (void)state;
    enum { WIDE = 2500 };
    static uint32_t many[WIDE];
    fill_numbers();
    for (uint32_t k = 0; k < WIDE; k++) many[k] = (k * 7) % (WIDE - 1); /* one of them twice */
    for (int dense = 0; dense < 2; dense++) {
        set s = set_new(9, WIDE, 0.93, 2, dense);
        zo_model *model;
        zo_problem problem = {0};
        assert_int_equal(zo_model_new(&model, s.data, ZO_LOGISTIC, 0.01, 2, &problem, NULL), ZO_OK);
        double *base = calloc(2 * WIDE, sizeof *base);
        for (size_t k = 0; k < 2 * WIDE; k++) base[k] = 0.02 * numbers[k];
        for (int k = 0; k < 8; k++) {
            zo_fan fan = {.n = 9,
                          .d = WIDE,
                          .nbase = 2,
                          .base = {base, base + WIDE},
                          .naxis = k < 4 ? WIDE : 0,
                          .axis = k % 4 < 2 ? many : NULL,
                          .ndir = k < 4 ? 0 : 17,
                          .dir = k < 4 ? NULL : numbers,
                          .own = k >= 6 && k % 2,
                          .radius = 1e-2,
                          .sides = 1,
                          .ncomp = 2,
                          .comp = (uint64_t[]){7, 3},
                          .each = k % 2};
            check_fan(&s, model, &problem, &fan);
        }
        free(base);
        zo_model_free(model);
        set_free(&s);
    }
}

/* ---- Sameness ------------------------------------------------------------------------------------ */

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
                assert_int_equal(zo_model_new(&model, s.data, (zo_loss)loss, 0.01, t + 1, &problem, NULL),
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
        assert_int_equal(zo_model_new(&model, s.data, ZO_LOGISTIC, 0.01, 1 + 2 * t, &problem, NULL), ZO_OK);
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

/* Entries here and there, so that some threads get none of a stretch of blocks: still the same bytes. */
static void test_gaps(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    fill_numbers();
    set s = set_new(20000, 20, 0.3, 2, 0);
    static uint64_t comp[COUNT];
    double out[3][18];
    for (uint64_t k = 0; k < COUNT; k++) comp[k] = (k * k * 7) % 5000 + (k % 3 ? 0 : 14000);
    for (int t = 0; t < 3; t++) {
        zo_model *model;
        zo_problem problem = {0};
        assert_int_equal(zo_model_new(&model, s.data, ZO_LOGISTIC, 0, 1 + t, &problem, NULL), ZO_OK);
        zo_fan fan = {.n = s.n,
                      .d = 20,
                      .nbase = 1,
                      .base = {numbers},
                      .ndir = 17,
                      .dir = numbers + 400,
                      .radius = 0.7,
                      .sides = 1,
                      .ncomp = COUNT,
                      .comp = comp};
        assert_int_equal(problem.answer(problem.ctx, &fan, out[t]), 0);
        assert_memory_equal(out[t], out[0], sizeof out[0]);
        if (t == 0) check_fan(&s, model, &problem, &fan);
        zo_model_free(model);
    }
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
        const uint64_t comp[16] = {5, 90, 17, 5, 130, 255, 128, 200, 256, 300, 301, 350, 383, 256, 270, 271};
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
            assert_int_equal(zo_model_new(&model, s.data, (zo_loss)loss, 0.01, 2, &problem, NULL), ZO_OK);
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

/* ---- Far from the middle -------------------------------------------------------------------------- */

/* Huge margins neither overflow nor lose the loss, NaN goes through, and tiny losses keep their digits. */
static void test_extremes(void **state)
{
    (void)state;
    double val[] = {1, 1}, label[] = {-1, 1}, x[] = {0}, out[2];
    zo_data *data;
    zo_model *model;
    zo_problem problem = {0};
    assert_int_equal(zo_data_dense(&data, 2, 1, val, label, NULL), ZO_OK);
    assert_int_equal(zo_model_new(&model, data, ZO_LOGISTIC, 0, 1, &problem, NULL), ZO_OK);
    zo_fan fan = {.n = 2, .d = 1, .nbase = 1, .base = {x}, .sides = 1, .ncomp = 2, .each = 1};
    for (int each = 0; each < 2; each++) {
        fan.each = each;
        x[0] = 1e6;
        assert_int_equal(problem.answer(problem.ctx, &fan, out), 0);
        assert_true(each ? out[0] == 1e6 && out[1] < 1e-300 : out[0] == 5e5);
        x[0] = NAN;
        assert_int_equal(problem.answer(problem.ctx, &fan, out), 0);
        assert_true(isnan(out[0]));
    }
    x[0] = 50;
    assert_int_equal(problem.answer(problem.ctx, &fan, out), 0);
    assert_true(fabs(out[1] / exp(-50) - 1) < 1e-15);
    zo_model_free(model);
    zo_data_free(data);
}

/* ---- Construction --------------------------------------------------------------------------------- */

static zo_status try_labels(zo_loss loss, size_t count, const double *label, zo_error *err)
{
    double val[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    zo_data *data;
    zo_model *model;
    zo_problem problem = {0};
    assert_int_equal(zo_data_dense(&data, count, 1, val, label, NULL), ZO_OK);
    zo_status status = zo_model_new(&model, data, loss, 0, 1, &problem, err);
    assert_true((status == ZO_OK) == (model != NULL));
    zo_model_free(model);
    zo_data_free(data);
    return status;
}

static void test_labels(void **state)
{
    (void)state;
    zo_error e;
    const double three[] = {1, 2, 2, 3}, two[] = {2, 1, 1, 2}, one[] = {1, 1};
    assert_int_equal(try_labels(ZO_LOGISTIC, 4, three, &e), ZO_BAD_INPUT);
    assert_non_null(strstr(e.text, "logistic"));
    assert_non_null(strstr(e.text, "two classes"));
    assert_non_null(strstr(e.text, "3 different labels"));
    assert_int_equal(try_labels(ZO_SIGMOID, 4, three, &e), ZO_BAD_INPUT);
    assert_int_equal(try_labels(ZO_SMOOTH_HINGE, 4, three, &e), ZO_BAD_INPUT);
    assert_int_equal(try_labels(ZO_SOFTMAX, 4, three, &e), ZO_OK);
    assert_int_equal(try_labels(ZO_SQUARED, 4, three, &e), ZO_OK);
    assert_int_equal(try_labels(ZO_LOGISTIC, 4, two, &e), ZO_OK);
    assert_int_equal(try_labels(ZO_LOGISTIC, 2, one, &e), ZO_OK);
    assert_int_equal(try_labels(ZO_SOFTMAX, 2, one, &e), ZO_BAD_INPUT);
    assert_non_null(strstr(e.text, "softmax"));
}

static void test_arguments(void **state)
{
    (void)state;
    zo_error e;
    zo_loss loss;
    zo_model *model;
    zo_problem problem = {0};
    set s = set_new(10, 3, 0.5, 2, 0);
    assert_int_equal(zo_model_new(&model, s.data, ZO_LOGISTIC, -1, 1, &problem, &e), ZO_BAD_ARGUMENT);
    assert_non_null(strstr(e.text, "l2: -1"));
    assert_null(model);
    assert_int_equal(zo_model_new(&model, s.data, ZO_LOGISTIC, NAN, 1, &problem, &e), ZO_BAD_ARGUMENT);
    assert_int_equal(zo_model_new(&model, s.data, ZO_LOGISTIC, 0, -1, &problem, &e), ZO_BAD_ARGUMENT);
    assert_non_null(strstr(e.text, "threads: -1"));
    assert_int_equal(zo_model_new(&model, NULL, ZO_LOGISTIC, 0, 1, &problem, &e), ZO_BAD_ARGUMENT);
    set_free(&s);
    size_t count;
    const zo_loss_row *rows = zo_loss_rows(&count);
    assert_int_equal(count, ZO_SOFTMAX + 1);
    for (size_t k = 0; k < count; k++) {
        assert_int_equal(zo_loss_parse(&loss, rows[k].name, &e), ZO_OK);
        assert_int_equal(loss, k);
    }
    assert_int_equal(zo_loss_parse(&loss, "logistics", &e), ZO_BAD_ARGUMENT);
    assert_non_null(strstr(e.text, "'logistic'"));
}

/* Another value, label, loss or ridge is another problem; another number of threads is not. */
static void test_fingerprint(void **state)
{
    (void)state;
    set s = set_new(100, 5, 0.5, 2, 0);
    zo_problem p[6] = {{0}};
    zo_model *model;
    for (int k = 0; k < 6; k++) {
        if (k == 2) s.val[7] += 1e-9;
        if (k == 3) s.val[7] -= 1e-9, s.label[5] = 10 + s.label[5];
        for (size_t i = 0; i < s.n && k == 3; i++) s.label[i] = s.label[i] > 0 ? 7 : -1;
        assert_int_equal(zo_model_new(&model, s.data, k == 4 ? ZO_SIGMOID : ZO_LOGISTIC, k == 5 ? 0.5 : 0.1,
                                      k == 1 ? 2 : 1, &p[k], NULL),
                         ZO_OK);
        zo_model_free(model);
    }
    assert_true(p[0].fingerprint == p[1].fingerprint);
    for (int k = 2; k < 6; k++)
        for (int e = 1; e < k; e++) assert_true(p[k].fingerprint != p[e].fingerprint);
    set_free(&s);
}

/* ---- Solvers in several threads that share a model ------------------------------------------------ */

typedef struct customer {
    const zo_problem *problem;
    double x[8], first, wrong;
} customer;

static double value_at(const zo_problem *p, const double *x)
{
    double f = NAN;
    zo_fan fan = {.n = p->n, .d = p->d, .nbase = 1, .base = {x}, .radius = 1, .sides = 1, .ncomp = p->n};
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

/* Derivatives against differences. */
static void test_derivatives(void **state)
{
    (void)state;
    for (int loss = ZO_LOGISTIC; loss < ZO_SOFTMAX; loss++)
        for (double m = -3.03; m < 3; m += 0.25)
            for (double y = -1; y <= 1; y += 2) {
                zo_loss l = (zo_loss)loss;
                double r = 1e-5, up = loss_value(l, m + r, y), down = loss_value(l, m - r, y);
                assert_true(fabs((up - down) / (2 * r) - loss_slope(l, m, y)) < 1e-9);
                double bend = (loss_slope(l, m + r, y) - loss_slope(l, m - r, y)) / (2 * r);
                assert_true(fabs(bend - loss_curvature(l, m, y)) < 1e-9);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_fan),   cmocka_unit_test(test_long_rows),
        cmocka_unit_test(test_threads),     cmocka_unit_test(test_lists),
        cmocka_unit_test(test_gaps),        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_each_alone),  cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_labels),      cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_fingerprint), cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
