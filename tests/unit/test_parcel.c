/* Rows put away come out the same, bit for bit, and take less room.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "data/parcel.h"

enum { N = 700, ENTRIES = 20000 };

static rows new_rows(void)
{
    return (rows){.label = calloc(N, sizeof(double)),
                  .length = calloc(N, sizeof(uint32_t)),
                  .col = calloc(ENTRIES, sizeof(uint32_t)),
                  .val = calloc(ENTRIES, sizeof(double))};
}

static void free_rows(rows *r)
{
    free(r->label);
    free(r->length);
    free(r->col);
    free(r->val);
}

/* Numbers of every kind that data have, and those that nobody expects. */
static double some_number(rng_block b)
{
    static const double odd[] = {
        1,   -1, 0.5,      1e30, 1.0000000000000002, 5e-324, -1.7976931348623157e308, 1e39,
        0.1, -3, 16777217, 1e-46};
    double v = (double)b.v[1] / 1000 - 1e6;
    return b.v[0] % 3 ? odd[b.v[0] / 3 % 12] : v;
}

static void fill(rows *r, uint64_t seed)
{
    rng_block b = rng_draw(seed, FOR_CHECK, 1, 0);
    r->n = b.v[0] % N;
    r->entries = 0;
    r->widest = 0;
    for (size_t i = 0; i < r->n; i++) {
        rng_block c = rng_draw(seed, FOR_CHECK, 2, i);
        uint64_t column = c.v[0] % 3 ? 0 : c.v[1];
        r->label[i] = c.v[2] % 7 ? some_number(c) : -0.0;
        r->length[i] = 0;
        for (uint32_t k = 0; k < c.v[3] % 28 && column < LARGEST_INDEX; k++) {
            rng_block e = rng_draw(seed, FOR_CHECK, 3 + i, k);
            r->col[r->entries] = (uint32_t)column;
            r->val[r->entries++] = some_number(e);
            r->length[i]++;
            if (column + 1 > r->widest) r->widest = (uint32_t)column + 1;
            column += 1 + (e.v[2] % 5 ? 0 : e.v[3] >> e.v[2] % 32);
        }
    }
}

static void comes_out_the_same(void **state)
{
    (void)state;
    rows in = new_rows(), out = new_rows();
    parcels p = {0};
    size_t n = 0, entries = 0;
    for (uint64_t k = 0; k < 60; k++) { /* several parcels */
        fill(&in, k);
        assert_int_equal(parcels_add(&p, &in), 1);
        n += in.n;
        entries += in.entries;
    }
    assert_true(p.n == n && p.entries == entries && p.most_n < N && p.most_entries <= ENTRIES);
    for (uint64_t k = 0; k < 60; k++) {
        fill(&in, k);
        assert_int_equal(parcels_take(&p, &out), 1);
        assert_true(out.n == in.n && out.entries == in.entries);
        assert_memory_equal(out.label, in.label, in.n * sizeof(double));
        assert_memory_equal(out.length, in.length, in.n * sizeof(uint32_t));
        assert_memory_equal(out.col, in.col, in.entries * sizeof(uint32_t));
        assert_memory_equal(out.val, in.val, in.entries * sizeof(double));
    }
    assert_int_equal(parcels_take(&p, &out), 0);
    fill(&in, 1);
    assert_int_equal(parcels_add(&p, &in), 1); /* and again, left behind */
    parcels_free(&p);
    parcels_free(&p);
    free_rows(&in);
    free_rows(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(comes_out_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
