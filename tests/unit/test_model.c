/* Built-in problems: every kind of fan against an obvious slow computation.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/isa.h"
#include "problem/loss/kernel.h"
#include "small_set.h"

/* ---- The obvious slow way ------------------------------------------------------------------------ */

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

static uint64_t listed[400];

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
            fail_msg("loss %d dense %d nbase %zu naxis %zu%s ndir %zu own %d sides %d known %d "
                     "ncomp %zu%s "
                     "each %d: "
                     "answer %zu is %.17g, not %.17g",
                     (int)model->loss, model->data->dense != NULL, fan->nbase, fan->naxis,
                     fan->axis ? " listed" : "", fan->ndir, fan->own, fan->sides, fan->known,
                     fan->ncomp, fan->comp ? " listed" : "", fan->each, k, got[k], want[k]);
    assert_true(got[count] == 42);
    free(got);
    free(want);
}

/* Every build of the loops gives the same bytes. */
static void check_builds(zo_model *model, const zo_problem *problem, const zo_fan *fan)
{
    size_t count = zo_fan_answers(fan);
    double *got[ISA_COUNT];
    isa_limit(ISA_COUNT - 1);
    isa most = isa_level();
    for (isa at = ISA_PLAIN; at <= most; at++) {
        got[at] = malloc((count + 1) * sizeof **got);
        isa_limit(at);
        model->kernel->table = kernel_tables[at];
        assert_int_equal(problem->answer(problem->ctx, fan, got[at]), 0);
        assert_memory_equal(got[ISA_PLAIN], got[at], count * sizeof **got);
    }
    for (isa at = ISA_PLAIN; at <= most; at++) free(got[at]);
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

/* A radius for each direction, signed. */
static const double *some_radii(void)
{
    static double radii[200];
    for (int k = 0; k < 200; k++) radii[k] = (k % 2 ? -0.02 : 0.01) * (1 + k % 13);
    return radii;
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
        fan.radii = some_radii();
        check_fan(&s, model, &problem, &fan);
        if (table == &kernel_plain) check_builds(model, &problem, &fan);
        model->kernel->table = table;
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
    const kernel_table *best = kernel_tables[isa_level()];
    for (int loss = ZO_LOGISTIC; loss <= ZO_SOFTMAX; loss++)
        for (int dense = 0; dense < 2; dense++) {
            check_shapes((zo_loss)loss, dense, best,
                         loss == ZO_LOGISTIC ? 1 : 5); /* 5: no divisor of a radix */
            check_shapes((zo_loss)loss, dense, &kernel_plain, 25);
        }
}

/* With each, the first entry's numbers are the same bytes whoever is asked beside it. */
static void check_alone(const zo_problem *problem, zo_fan fan)
{
    size_t count = zo_fan_answers(&fan), one = count / fan.ncomp;
    double *all = malloc(count * sizeof *all), *alone = malloc(one * sizeof *alone);
    assert_int_equal(problem->answer(problem->ctx, &fan, all), 0);
    fan.ncomp = 1;
    assert_int_equal(problem->answer(problem->ctx, &fan, alone), 0);
    assert_memory_equal(all, alone, one * sizeof *alone);
    free(all);
    free(alone);
}

/* Rows longer than the strips that products and axes are cut into. */
static void test_long_rows(void **state)
{
    (void)state;
    enum { WIDE = 8200 }; /* more than eight of the strips */
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
                          .comp = (uint64_t[]){7, 3, 0, 1, 2, 4, 5, 6, 8, 8, 7},
                          .each = k % 2};
            check_fan(&s, model, &problem, &fan);
            if (fan.each && !fan.own) check_alone(&problem, fan);
            for (fan.ncomp = 1; fan.ncomp <= 11 && k >= 4 && !fan.own; fan.ncomp++)
                for (fan.ndir = 1; fan.ndir <= 17; fan.ndir += 4)
                    check_builds(model, &problem, &fan);
            model->kernel->table = kernel_tables[isa_level()];
        }
        free(base);
        zo_model_free(model);
        set_free(&s);
    }
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
        assert_int_equal(zo_model_new(&model, s.data, ZO_LOGISTIC, 0, 1 + t, &problem, NULL),
                         ZO_OK);
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
        cmocka_unit_test(test_gaps),        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_derivatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
