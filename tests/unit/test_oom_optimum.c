/* The reference optimum when memory runs out.
 * SPDX-License-Identifier: MIT */
#include "oom.h"

static const double dense[] = {1, 2, 0.5, 3, -1, 1, 0, 0.5, -2, 1, 1, 1}, label[] = {1, 2, 1, 2};

static zo_status make_and_find(const void *what, zo_error *err)
{
    zo_data *data;
    zo_model *model = NULL;
    zo_problem p = {0};
    zo_optimum found;
    double x[3] = {0};
    zo_status status = zo_data_dense(&data, 4, 3, dense, label, err);
    if (!status) status = zo_model_new(&model, data, ZO_LOGISTIC, 0.1, 1, &p, err);
    if (!status) status = zo_find_optimum(&found, model, what, 1e-13, x, err);
    zo_model_free(model);
    zo_data_free(data);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    zo_prox psi[] = {zo_l1(0.01), zo_l2(0.01)}; /* by coordinates, and all at once */
    for (size_t k = 0; k < 2; k++) fail_each(make_and_find, &psi[k], psi[k].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
