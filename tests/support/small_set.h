/* A small data set of random numbers, sparse or dense, and points to ask it at.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TESTS_SMALL_SET_H
#define ZO_TESTS_SMALL_SET_H

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "zoprox_data.h"

typedef struct set {
    size_t n, features;
    double *full, *val, *label;
    uint64_t *row;
    uint32_t *col;
    zo_data *data;
} set;

static inline double draw(uint64_t what, uint64_t k)
{
    return 2 * rng_uniform(11, FOR_CHECK, what, k) - 1;
}

static inline set set_new(size_t n, size_t features, double density, size_t labels, int dense)
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
        s.label[i] = labels ? floor((double)labels * rng_uniform(11, FOR_CHECK, 3, i)) * 2 - 3
                            : 2 * draw(3, i);
    }
    zo_error e;
    zo_status status = dense ? zo_data_dense(&s.data, n, features, s.full, s.label, &e)
                             : zo_data_csr(&s.data, n, features, s.row, s.col, s.val, s.label, &e);
    assert_int_equal(status, ZO_OK);
    return s;
}

static inline void set_free(set *s)
{
    zo_data_free(s->data);
    free(s->full);
    free(s->val);
    free(s->label);
    free(s->row);
    free(s->col);
}

static inline size_t labels_of(zo_loss loss)
{
    return loss == ZO_SOFTMAX ? 4 : loss == ZO_SQUARED || loss == ZO_HUBER ? 0 : 2;
}

static double numbers[2 * 200 + 70 * 40 * 100];
static const uint32_t axes[9] = {3, 0, 7, 3, 11, 1, 3, 19, 2};

static inline void fill_numbers(void)
{
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) numbers[k] = draw(4, k);
}

#endif
