/* Data from arrays, facts, synthetic data, the catalogue.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* setenv */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data/catalogue.h"
#include "data/data.h"

/* ---- Arrays of the caller ------------------------------------------------------------------------ */

static const uint64_t row[] = {0, 2, 2, 3};
static const uint32_t col[] = {0, 3, 1};
static const double val[] = {1, -2, 0.5}, label[] = {1, -1, 1},
                    full[] = {1, 0, 0, -2, 0, 0, 0, 0, 0, 0.5, 0, 0};

static void two_storages(void **state)
{
    (void)state;
    zo_data *sparse, *dense;
    zo_error err;
    assert_int_equal(zo_data_csr(&sparse, 3, 4, row, col, val, label, &err), ZO_OK);
    assert_int_equal(zo_data_dense(&dense, 3, 4, full, label, &err), ZO_OK);
    zo_data_facts a = zo_data_look(sparse), b = zo_data_look(dense);
    assert_true(a.n == 3 && a.features == 4 && a.nonzeros == 3 && a.labels == 2 && a.least == -1 &&
                a.greatest == 1);
    assert_true(!a.dense && b.dense && b.nonzeros == 3);
    assert_true(a.fingerprint == b.fingerprint);
    zo_data_free(dense);
    double other[12];
    memcpy(other, full, sizeof full);
    other[9] = nextafter(0.5, 1);
    assert_int_equal(zo_data_dense(&dense, 3, 4, other, label, &err), ZO_OK);
    assert_true(zo_data_look(dense).fingerprint != a.fingerprint);
    zo_data_free(dense);
    zo_data_free(sparse);
    zo_data_free(NULL);
}

static void wrong_arrays(void **state)
{
    (void)state;
    const uint64_t falls[] = {0, 2, 1, 3}, late[] = {1, 2, 2, 3};
    const uint32_t wide[] = {0, 4, 1}, repeated[] = {3, 3, 1};
    const double nan_val[] = {1, NAN, 2}, inf_label[] = {1, INFINITY, 1};
    const struct {
        const uint64_t *row;
        const uint32_t *col;
        const double *val, *label;
        size_t n, features;
        const char *text;
    } cases[] = {
        {falls, col, val, label, 3, 4, "row[2]: offsets fall"},
        {late, col, val, label, 3, 4, "row[0]: 1, the first offset is 0"},
        {row, wide, val, label, 3, 4, "col[1]: 4 in row 0 is not below features, 4"},
        {row, repeated, val, label, 3, 4, "col[1]: 3 in row 0 follows 3"},
        {row, col, nan_val, label, 3, 4, "val[1]: nan in row 0 is not finite"},
        {row, col, val, inf_label, 3, 4, "label[1]: inf is not finite"},
        {row, col, val, label, 0, 4, "n: 0"},
        {row, col, val, label, 3, 0, "features: 0"},
        {NULL, col, val, label, 3, 4, "row: NULL"},
        {row, NULL, val, label, 3, 4, "col: NULL"},
        {row, col, NULL, label, 3, 4, "val: NULL"},
        {row, col, val, NULL, 3, 4, "label: NULL"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        zo_data *data = (zo_data *)&data;
        zo_error err;
        zo_status status = zo_data_csr(&data, cases[k].n, cases[k].features, cases[k].row,
                                       cases[k].col, cases[k].val, cases[k].label, &err);
        assert_true(status == ZO_BAD_ARGUMENT || status == ZO_BAD_INPUT);
        assert_null(data);
        if (!strstr(err.text, cases[k].text))
            fail_msg("'%s' instead of '%s'", err.text, cases[k].text);
    }
    zo_data *data;
    zo_error err;
    assert_int_equal(zo_data_dense(&data, 1, 3, nan_val, label, &err), ZO_BAD_INPUT);
    assert_non_null(strstr(err.text, "val[1]: nan in row 0 is not finite"));
    assert_int_equal(zo_data_dense(&data, SIZE_MAX / 4, 64, full, label, &err), ZO_BAD_ARGUMENT);
    assert_int_equal(zo_data_dense(NULL, 1, 3, full, label, &err), ZO_BAD_ARGUMENT);
    assert_int_equal(zo_data_csr(NULL, 3, 4, row, col, val, label, NULL), ZO_BAD_ARGUMENT);
}

static void many_labels(void **state)
{
    (void)state;
    enum { N = 3000 };
    static double numbers[N], labels[N];
    for (size_t different = 1; different <= N; different += 499) {
        for (size_t i = 0; i < N; i++) labels[i] = (double)(i % different) - 5;
        zo_data *data;
        assert_int_equal(zo_data_dense(&data, N, 1, numbers, labels, NULL), ZO_OK);
        assert_int_equal(zo_data_look(data).labels, different < 1001 ? different : 1001);
        zo_data_free(data);
    }
}

/* ---- Synthetic data ------------------------------------------------------------------------------ */

static zo_data *synth(const char *spec)
{
    zo_data *data;
    zo_error err;
    if (zo_data_synth(&data, spec, &err)) fail_msg("%s: %s", spec, err.text);
    return data;
}

static uint64_t print_of(const char *spec)
{
    zo_data *data = synth(spec);
    uint64_t print = zo_data_look(data).fingerprint;
    zo_data_free(data);
    return print;
}

/* Sized and shaped like a9a: 13.87 ones in a row, 24 % are +1. */
static void like_a9a(void **state)
{
    (void)state;
    zo_data *data = synth("");
    zo_data_facts f = zo_data_look(data);
    assert_true(f.n == 32561 && f.features == 123 && !f.dense && f.labels == 2 && f.least == -1 &&
                f.greatest == 1);
    assert_true(fabs((double)f.nonzeros / (double)f.n - 13.87) < 0.05);
    size_t positive = 0;
    double often[123] = {0};
    for (size_t i = 0; i < f.n; i++) {
        positive += data->label[i] > 0;
        for (uint64_t k = data->row[i]; k < data->row[i + 1]; k++) {
            assert_true(data->val[k] == 1 &&
                        (k == data->row[i] || data->col[k] > data->col[k - 1]));
            often[data->col[k]]++;
        }
    }
    assert_true(fabs((double)positive / (double)f.n - 0.24) < 1e-3);
    double most = 0, least = INFINITY;
    for (size_t j = 0; j < 123; j++) {
        most = fmax(most, often[j] / (double)f.n);
        least = fmin(least, often[j] / (double)f.n);
    }
    assert_true(most > 0.6 && most < 0.95 && least < 0.01); /* skewed */
    zo_data_free(data);
}

static void same_seed_same_data(void **state)
{
    (void)state;
    static const char *const specs[] = {"n=500", "n=500,kind=gaussian",
                                        "n=500,kind=gaussian,density=0.1", "n=500,kind=regression",
                                        "n=500,kind=multiclass,classes=4"};
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        char seven[80];
        snprintf(seven, sizeof seven, "%s,seed=7", specs[k]);
        assert_true(print_of(specs[k]) == print_of(specs[k]));
        assert_true(print_of(specs[k]) != print_of(seven));
    }
    /* A row does not depend on how many there are. */
    zo_data *small = synth("n=20,d=30,kind=gaussian"), *large = synth("n=90,d=30,kind=gaussian");
    assert_memory_equal(small->dense, large->dense, 20 * 30 * sizeof *small->dense);
    zo_data_free(small);
    zo_data_free(large);
}

/* Mean 0, and the trace of the covariance is the sum of the spectrum, whatever the rotation. */
static void spectrum(void **state)
{
    (void)state;
    enum { N = 4000, D = 20 };
    zo_data *data = synth("n=4000,d=20,kind=gaussian,kappa=1000");
    double want = 0, squares = 0, mean = 0, cross = 0;
    for (size_t j = 0; j < D; j++) want += pow(1000, -(double)j / (D - 1));
    for (size_t k = 0; k < N * D; k++) {
        squares += data->dense[k] * data->dense[k] / N;
        mean += data->dense[k] / N;
    }
    for (size_t i = 0; i < N; i++) cross += data->dense[i * D] * data->dense[i * D + 1] / N;
    assert_true(fabs(squares - want) <
                4 * sqrt(2 * want / N)); /* var of g'S^2 g = 2 sum s^4 <= 2 want */
    assert_true(fabs(mean) < 4 * sqrt(D * want / N));
    assert_true(fabs(cross) > 1e-3); /* columns are correlated */
    zo_data_free(data);
}

/* Rows of rank 3: any four of them are dependent, three are not. */
static void rows_of_a_rank(void **state)
{
    (void)state;
    enum { D = 20, RANK = 3 };
    zo_data *data = synth("n=40,d=20,kind=gaussian,kappa=10,rank=3");
    double base[RANK][D];
    for (size_t i = 0; i < 40; i++) {
        double z[D], left = 0;
        for (size_t j = 0; j < D; j++) z[j] = data->dense[i * D + j];
        for (size_t k = 0; k < RANK && k < i; k++) {
            double along = 0;
            for (size_t j = 0; j < D; j++) along += z[j] * base[k][j];
            for (size_t j = 0; j < D; j++) z[j] -= along * base[k][j];
        }
        for (size_t j = 0; j < D; j++) left += z[j] * z[j];
        assert_true(i < RANK ? left > 1e-4 : left < 1e-20);
        for (size_t j = 0; i < RANK && j < D; j++) base[i][j] = z[j] / sqrt(left);
    }
    zo_data_free(data);
}

static void densities(void **state)
{
    (void)state;
    static const double want[] = {0.01, 0.3, 0.5, 0.51, 0.9};
    for (size_t k = 0; k < 5; k++) {
        char spec[80];
        snprintf(spec, sizeof spec, "n=1000,d=200,kind=gaussian,density=%g", want[k]);
        zo_data *data = synth(spec);
        double got = (double)data->nonzeros / 200000;
        assert_true(fabs(got - want[k]) < 4 * sqrt(want[k] * (1 - want[k]) / 200000));
        assert_int_equal(data->dense != NULL, want[k] > 0.5);
        for (size_t i = 0; data->row && i < 1000; i++)
            for (uint64_t e = data->row[i]; e < data->row[i + 1]; e++)
                assert_true(data->col[e] < 200 &&
                            (e == data->row[i] || data->col[e] > data->col[e - 1]));
        zo_data_free(data);
    }
}

static void kinds_of_labels(void **state)
{
    (void)state;
    zo_data *data = synth("kind=multiclass,classes=7,n=3000");
    zo_data_facts f = zo_data_look(data);
    assert_true(f.labels == 7 && f.least == 1 && f.greatest == 7);
    zo_data_free(data);
    data = synth("kind=regression,n=3000");
    assert_true(zo_data_look(data).labels == 1001);
    zo_data_free(data);
    data = synth("kind=gaussian,n=1000,positive=0.1");
    size_t positive = 0;
    for (size_t i = 0; i < 1000; i++) positive += data->label[i] > 0;
    assert_int_equal(positive, 100);
    zo_data_free(data);
    for (size_t d = 1; d < 40; d++) { /* every small size works */
        char spec[80];
        snprintf(spec, sizeof spec, "n=%zu,d=%zu", d % 3 + 1, d);
        zo_data_free(synth(spec));
        snprintf(spec, sizeof spec, "n=%zu,d=%zu,kind=gaussian,density=%g", d % 3 + 1, d,
                 (double)d / 40);
        zo_data_free(synth(spec));
    }
}

static void wrong_specs(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"m=3", "no key 'm'"},
        {"densty=0.1", "did you mean density?"},
        {"n", "'n' is not KEY=VALUE"},
        {"n=", "n: '' is not a number"},
        {"n=ten", "n: 'ten' is not a number"},
        {"n=0", "n: 0 is outside [1, 4294967295]"},
        {"n=2.5", "n: 2.5 is not a whole number"},
        {"d=-1", "d: -1 is outside"},
        {"density=0", "density: 0 is outside (0, 1]"},
        {"density=nan", "density: nan is outside (0, 1]"},
        {"noise=-1", "noise: -1 is outside"},
        {"classes=1", "classes: 1 is outside"},
        {"kappa=0.5", "kappa: 0.5 is outside"},
        {"kind=gaussan", "did you mean gaussian?"},
        {"n=3,", "nothing after the last comma"},
        {",", "'' is not KEY=VALUE"},
        {"kind=onehot,d=10,density=0.8", "density: 0.8 is above 0.5"},
        {"n=4000000000,d=4000000000,kind=gaussian", "1.28e+20 bytes, do not fit in the memory"},
        {"n=1e9,d=1e9",
         "do not fit in the memory"}, /* at once: it was made for hours before that showed */
        {"n=1111111111111111111111111111111111111111111111111111111111111111111111", "too long"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        zo_data *data;
        zo_error err;
        zo_status status = zo_data_synth(&data, cases[k][0], &err);
        if ((status != ZO_BAD_ARGUMENT && status != ZO_NO_MEMORY) || data ||
            !strstr(err.text, cases[k][1]))
            fail_msg("%s gave %d, %s", cases[k][0], status, err.text);
    }
    assert_int_equal(zo_data_synth(NULL, "", NULL), ZO_BAD_ARGUMENT);
}

/* ---- The catalogue ------------------------------------------------------------------------------- */

static void catalogue(void **state)
{
    (void)state;
    size_t count;
    const data_set *sets = data_sets(&count);
    assert_true(count >= 14);
    for (size_t k = 0; k < count; k++) {
        assert_ptr_equal(data_set_find(sets[k].name), &sets[k]);
        if (sets[k].alias) assert_ptr_equal(data_set_find(sets[k].alias), &sets[k]);
        assert_true(sets[k].n > 0 && sets[k].d > 0 && *sets[k].about && sets[k].place[0] != '/');
        assert_true(!sets[k].exact || sets[k].sha256);
        if (!sets[k].sha256) continue;
        assert_int_equal(strlen(sets[k].sha256), 64);
        assert_int_equal(strspn(sets[k].sha256, "0123456789abcdef"), 64);
    }
    assert_string_equal(data_set_find("covtype")->name, "covtype.libsvm.binary.scale");
    assert_string_equal(data_set_find("gisette")->name, "gisette_scale");
    assert_string_equal(data_set_find("gisette.t")->name, "gisette_scale.t");
    assert_null(data_set_find("nothing"));
    assert_string_equal(data_set_near("mushroom"), "mushrooms");
}

static void folders(void **state)
{
    (void)state;
    char path[100], name[200];
    zo_error err;
    setenv("HOME", "/nobody", 1);
    unsetenv("XDG_DATA_HOME");
    assert_int_equal(data_folder(path, sizeof path, &err), ZO_OK);
    assert_string_equal(path, "/nobody/.local/share/zoprox");
    setenv("XDG_DATA_HOME", "/elsewhere", 1);
    assert_int_equal(data_folder(path, sizeof path, &err), ZO_OK);
    assert_string_equal(path, "/elsewhere/zoprox");
    assert_int_not_equal(data_folder(path, 5, &err), ZO_OK);
    unsetenv("XDG_DATA_HOME");
    unsetenv("HOME");
    assert_int_equal(data_folder(path, sizeof path, &err), ZO_BAD_STATE);
    unsetenv("ZOPROX_DATA");
    assert_int_equal(data_find("a9a-not-here", path, sizeof path, &err), ZO_IO);
    assert_non_null(strstr(err.text, "$ZOPROX_DATA (not set)"));
    memset(name, 'x', sizeof name - 1);
    name[199] = 0;
    assert_int_equal(data_find(name, path, sizeof path, &err), ZO_BAD_ARGUMENT);
    assert_int_equal(data_find("", path, sizeof path, &err), ZO_BAD_ARGUMENT);
    unsetenv("ZOPROX_MIRROR");
    assert_string_equal(data_base_url(NULL), CATALOGUE_URL);
    setenv("ZOPROX_MIRROR", "http://near", 1);
    assert_string_equal(data_base_url(NULL), "http://near");
    assert_string_equal(data_base_url("http://nearer"), "http://nearer");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_storages),        cmocka_unit_test(wrong_arrays),
        cmocka_unit_test(many_labels),         cmocka_unit_test(like_a9a),
        cmocka_unit_test(same_seed_same_data), cmocka_unit_test(spectrum),
        cmocka_unit_test(rows_of_a_rank),      cmocka_unit_test(densities),
        cmocka_unit_test(kinds_of_labels),     cmocka_unit_test(wrong_specs),
        cmocka_unit_test(catalogue),           cmocka_unit_test(folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
