/* One more feature that is 1 in every row: its coefficient is the intercept.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "data/data.h"

/* new takes the place of old among what the data owns. */
static void own_instead(zo_data *z, const void *old, void *new)
{
    enum { SLOTS = sizeof z->owned / sizeof *z->owned };
    size_t slot = SLOTS;
    for (size_t k = 0; k < SLOTS; k++)
        if (z->owned[k] == old) slot = k;
    for (size_t k = 0; slot == SLOTS && k < SLOTS; k++)
        if (!z->owned[k]) slot = k; /* old was borrowed, and so took none */
    mem_free(z->owned[slot]);
    z->owned[slot] = new;
}

static int widen_dense(zo_data *z)
{
    size_t d = z->features;
    double *wide = mem_new(z->n * (d + 1), sizeof *wide);
    if (!wide) return 0;
    for (size_t i = 0; i < z->n; i++) {
        memcpy(wide + i * (d + 1), z->dense + i * d, d * sizeof *wide);
        wide[i * (d + 1) + d] = 1;
    }
    own_instead(z, z->dense, wide);
    z->dense = wide;
    return 1;
}

static int widen_sparse(zo_data *z)
{
    size_t count = (size_t)z->row[z->n] + z->n;
    uint64_t *row = mem_new(z->n + 1, sizeof *row);
    uint32_t *col = mem_new(count, sizeof *col);
    double *val = mem_new(count, sizeof *val);
    if (!row || !col || !val) {
        mem_free(row);
        mem_free(col);
        mem_free(val);
        return 0;
    }
    for (size_t i = 0; i < z->n; i++) {
        size_t from = (size_t)z->row[i], size = (size_t)z->row[i + 1] - from, to = from + i;
        memcpy(col + to, z->col + from, size * sizeof *col);
        memcpy(val + to, z->val + from, size * sizeof *val);
        col[to + size] = (uint32_t)z->features;
        val[to + size] = 1;
        row[i + 1] = to + size + 1;
    }
    own_instead(z, z->row, row);
    own_instead(z, z->col, col);
    own_instead(z, z->val, val);
    z->row = row;
    z->col = col;
    z->val = val;
    return 1;
}

zo_status data_add_ones(zo_data *z, zo_error *err)
{
    if (z->features >= UINT32_MAX)
        return fail(err, ZO_BAD_ARGUMENT, "intercept: %zu features leave no room", z->features);
    if (!(z->dense ? widen_dense(z) : widen_sparse(z)))
        return out_of_memory(err, "the intercept's column", z->n);
    z->features++;
    z->nonzeros += z->n;
    z->print ^= 0x9e3779b97f4a7c15u; /* of a part: another set than without it */
    return ZO_OK;
}
