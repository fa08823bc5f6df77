/* Reference optima at the edges: more coordinates than rows, features that never occur, scales far apart, what is refused.
 * SPDX-License-Identifier: MIT */
#include "little.h"

typedef struct wide {
    const char *spec;
    double l2;
    size_t d; /* above 1024 newcomers join the working set in turns */
} wide;

/* At several accuracies: the bound is what was asked for, and it holds. */
static void try_wide(const wide *w, const double *z, const double *label, size_t n)
{
    zo_data *data;
    zo_model *model;
    zo_problem problem;
    zo_optimum found;
    zo_error err;
    zo_prox psi;
    assert_int_equal(zo_data_dense(&data, n, w->d, z, label, &err), ZO_OK);
    assert_int_equal(zo_model_new(&model, data, ZO_LOGISTIC, w->l2, 1, &problem, &err), ZO_OK);
    assert_int_equal(zo_prox_parse(&psi, w->spec, w->d, &err), ZO_OK);
    double least = 0, *x = calloc(w->d, sizeof *x);
    for (double relative = 1e-13; relative < 2; relative = relative < 1e-3 ? 1e-3 : 30 * relative) {
        for (size_t j = 0; j < w->d; j++) x[j] = j % 5 ? 0 : 0.01;
        if (zo_find_optimum(&found, model, &psi, relative, x, &err)) fail_msg("%s", err.text);
        if (relative < 1e-12) least = found.objective;
        if (!(found.bound <= relative * found.objective))
            fail_msg("%s: bound %g", w->spec, found.bound);
        if (!(found.objective - least <= found.bound + 1e-15))
            fail_msg("%s: the gap is %g, the bound %g by %s", w->spec, found.objective - least,
                     found.bound, found.proof);
    }
    free(x);
    zo_prox_free(&psi);
    zo_model_free(model);
    zo_data_free(data);
}

static void test_wide(void **state)
{
    (void)state;
    enum { N = 25, D = 1100 };
    static const wide tries[] = {{"l1:0.01", 1e-3, D},
                                 {"l1:0.01", 0, D},
                                 {"group-lasso:0.01,10", 1e-3, 200},
                                 {"group-lasso:0.01,10", 0, 200}};
    static double z[N * D];
    double label[N];
    uint64_t seed = 11;
    for (size_t k = 0; k < N * D; k++)
        z[k] = k % 100 == 99 ? 0 : noise(&seed); /* D is a multiple of 100 */
    for (size_t i = 0; i < N; i++) label[i] = (double)(i % 2);
    for (size_t k = 0; k < sizeof tries / sizeof *tries; k++) try_wide(&tries[k], z, label, N);
}

/* Scales far apart: what is proved must not depend on the units of a feature. */
static void test_scales(void **state)
{
    (void)state;
    little p;
    open_little(&p, ZO_SQUARED, 0, 0);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < FEATURES; j++) p.z[i * FEATURES + j] *= pow(10, (double)j - 5);
    double x[MOST];
    zo_prox psi = zo_zero();
    zo_optimum found = find(&p, &psi, 1e-13, x, "scales");
    assert_true(found.bound <= 1e-13 * found.objective);
    close_little(&p);
}

static void test_refused(void **state)
{
    (void)state;
    little p;
    double x[MOST] = {0};
    zo_error err;
    zo_optimum found;
    open_little(&p, ZO_SIGMOID, 0.01, 0);
    assert_int_equal(zo_find_optimum(&found, p.model, NULL, 1e-13, x, &err), ZO_UNSUPPORTED);
    assert_non_null(strstr(err.text, "sigmoid"));
    close_little(&p);
    open_little(&p, ZO_LOGISTIC, 0.01, 0);
    assert_int_equal(zo_find_optimum(NULL, p.model, NULL, 1e-13, x, &err), ZO_BAD_ARGUMENT);
    assert_int_equal(zo_find_optimum(&found, NULL, NULL, 1e-13, x, &err), ZO_BAD_ARGUMENT);
    assert_int_equal(zo_find_optimum(&found, p.model, NULL, 1e-13, NULL, &err), ZO_BAD_ARGUMENT);
    assert_int_equal(zo_find_optimum(&found, p.model, NULL, 0, x, &err), ZO_BAD_ARGUMENT);
    assert_int_equal(zo_find_optimum(&found, p.model, NULL, NAN, x, &err), ZO_BAD_ARGUMENT);
    zo_prox bad = zo_l1(-1);
    assert_int_equal(zo_find_optimum(&found, p.model, &bad, 1e-13, x, &err), ZO_BAD_ARGUMENT);
    x[3] = NAN;
    assert_int_equal(zo_find_optimum(&found, p.model, NULL, 1e-13, x, &err), ZO_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "3"));
    x[3] = 0;
    assert_int_equal(zo_find_optimum(&found, p.model, NULL, 1e-13, x, &err),
                     ZO_OK); /* NULL is zero */
    close_little(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
