/* What a built-in problem is made from: labels, arguments, the fingerprint.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "small_set.h"

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

/* More classes than are looked at when a label is looked up among the last that were new. */
static void test_many_labels(void **state)
{
    (void)state;
    enum { ROWS = 600, CLASSES = 40 };
    static double val[ROWS], label[ROWS];
    zo_data *data;
    zo_model *model;
    zo_problem problem = {0};
    for (size_t i = 0; i < ROWS; i++)
        label[i] = 0.5 * (double)(i * i * 7 % CLASSES) - (double)(i % 2);
    for (size_t i = 0; i < CLASSES; i++) label[ROWS - 1 - i] = (double)(CLASSES - i);
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++) {
        size_t e = 0;
        while (e < i && label[e] != label[i]) e++;
        count += e == i;
    }
    assert_true(count > CLASSES);
    assert_int_equal(zo_data_dense(&data, ROWS, 1, val, label, NULL), ZO_OK);
    assert_int_equal(zo_model_new(&model, data, ZO_SOFTMAX, 0, 1, &problem, NULL), ZO_OK);
    assert_int_equal(problem.d, count);
    zo_model_free(model);
    zo_data_free(data);
}

static void test_arguments(void **state)
{
    (void)state;
    zo_error e;
    zo_loss loss;
    zo_model *model;
    zo_problem problem = {0};
    set s = set_new(10, 3, 0.5, 2, 0);
    assert_int_equal(zo_model_new(&model, s.data, ZO_LOGISTIC, -1, 1, &problem, &e),
                     ZO_BAD_ARGUMENT);
    assert_non_null(strstr(e.text, "l2: -1"));
    assert_null(model);
    assert_int_equal(zo_model_new(&model, s.data, ZO_LOGISTIC, NAN, 1, &problem, &e),
                     ZO_BAD_ARGUMENT);
    assert_int_equal(zo_model_new(&model, s.data, ZO_LOGISTIC, 0, -1, &problem, &e),
                     ZO_BAD_ARGUMENT);
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
    set s = set_new(1000, 5, 0.5, 2, 0);
    zo_problem p[6] = {{0}};
    zo_model *model;
    for (int k = 0; k < 6; k++) {
        if (k == 2) s.val[7] += 1e-9;
        if (k == 3) s.val[7] -= 1e-9, s.label[5] = 10 + s.label[5];
        for (size_t i = 0; i < s.n && k == 3; i++) s.label[i] = s.label[i] > 0 ? 7 : -1;
        assert_int_equal(zo_model_new(&model, s.data, k == 4 ? ZO_SIGMOID : ZO_LOGISTIC,
                                      k == 5 ? 0.5 : 0.1, k == 1 ? 2 : 1, &p[k], NULL),
                         ZO_OK);
        zo_model_free(model);
    }
    assert_true(p[0].fingerprint == p[1].fingerprint);
    for (int k = 2; k < 6; k++)
        for (int e = 1; e < k; e++) assert_true(p[k].fingerprint != p[e].fingerprint);
    set_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_many_labels),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_fingerprint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
