/* A built-in problem when memory runs out: in construction, and in a fan that needs more scratch.
 * SPDX-License-Identifier: MIT */
#include "oom.h"

/* Makes a model over a data set, asks two fans, and frees all of it. */
static zo_status make_and_ask(const void *what, zo_error *err)
{
    const double x[6] = {0.1, 0.2}, dir[3 * 6] = {1, 2, 3};
    const uint64_t comp[] = {2, 0, 1};
    const uint32_t axis[] = {1, 0};
    const zo_data *data = what;
    zo_loss loss = zo_data_look(data).labels > 2 ? ZO_SOFTMAX : ZO_LOGISTIC;
    zo_model *model;
    zo_problem p = {0};
    double out[64];
    zo_status status = zo_model_new(&model, data, loss, 0.1, 2, &p, err);
    zo_fan fan = {.n = 3,
                  .d = p.d,
                  .nbase = 1,
                  .base = {x},
                  .naxis = 2,
                  .axis = axis,
                  .ndir = 3,
                  .dir = dir,
                  .radius = 1e-3,
                  .sides = 2,
                  .ncomp = 3,
                  .comp = comp};
    for (int each = 0; each < 2 && !status; each++) {
        fan.each = each;
        status = (zo_status)p.answer(p.ctx, &fan, out);
        if (status) snprintf(err->text, sizeof err->text, "a fan");
    }
    zo_model_free(model);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    const uint64_t row[] = {0, 2, 4, 5};
    const uint32_t col[] = {0, 1, 0, 1, 1};
    const double val[] = {1, 2, 3, -1, 0.5}, label[] = {1, 2, 1}, classes[] = {1, 2, 3};
    for (int k = 0; k < 2; k++) {
        zo_data *data;
        assert_int_equal(zo_data_csr(&data, 3, 2, row, col, val, k ? classes : label, NULL), ZO_OK);
        fail_each(make_and_ask, data, k ? "softmax" : "logistic");
        zo_data_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
