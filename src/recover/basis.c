/* The span of earlier gradients; see basis.h. Gram and Schmidt's way, the row farthest from the span so far first.
 * SPDX-License-Identifier: MIT */
#include "recover/basis.h"

#include "base/vec.h"

static const double within = 1e-4; /* of a row's length: so near to the span it is in it */

/* Row k of unit length, or 0 where it has none. */
static void fetch(size_t d, size_t k, book_row row, const void *ctx, uint32_t *place, double *value,
                  double *to)
{
    size_t held = row(ctx, k, place, value);
    vec_zero(d, to);
    for (size_t e = 0; e < held; e++) to[place[e]] = value[e];
    double size = vec_norm(d, to);
    if (size > 0) vec_scale(d, 1 / size, to);
}

static size_t farthest(size_t d, size_t count, const double *rows, double *size)
{
    size_t best = 0;
    *size = 0;
    for (size_t k = 0; k < count; k++) {
        double here = vec_norm(d, rows + k * d);
        if (here > *size) *size = here, best = k;
    }
    return best;
}

static void take_off(size_t d, const double *unit, double *v)
{
    vec_add(d, -vec_dot(d, unit, v), unit, v);
}

size_t basis_learn(basis *b, size_t most, size_t count, book_row row, const void *ctx, double *work,
                   uint32_t *place)
{
    size_t d = b->d, rank = 0;
    double size;
    if (count > BASIS_ROWS) count = BASIS_ROWS;
    if (most > BASIS_MOST) most = BASIS_MOST;
    if (most > count / 2) most = count / 2;
    for (size_t k = 0; k < count; k++) fetch(d, k, row, ctx, place, b->row, work + k * d);
    *b->rank = 0;
    for (;;) {
        size_t k = farthest(d, count, work, &size);
        if (size <= within) break;
        if (rank == most) return 0;
        double *unit = b->row + rank * d;
        vec_copy(d, work + k * d, unit);
        for (size_t e = 0; e < rank; e++) take_off(d, b->row + e * d, unit);
        vec_scale(d, 1 / vec_norm(d, unit), unit);
        for (size_t e = 0; e < count; e++) take_off(d, unit, work + e * d);
        rank++;
    }
    *b->rank = (double)rank;
    return rank;
}
