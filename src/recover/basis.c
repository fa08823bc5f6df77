/* The span of earlier gradients; see basis.h. Gram and Schmidt's way, the row farthest from the span so far first, says how many
 * dimensions there are; then all rows A have their say, B = orth(A'A B), which averages their errors.
 * SPDX-License-Identifier: MIT */
#include "recover/basis.h"

#include <math.h>

#include "base/dense.h"
#include "base/vec.h"

enum {
    MORE = 16,
    SOME = BASIS_MOST + 1 + MORE
};                                  /* rows that tell at once of too many dimensions */
static const double clearly = 1e-2; /* of a row's length: so far from the others' span */
static const double within = 1e-4;  /* of a row's length: so near to the span it is in it */

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

/* Row k of the basis without the rows before it, of unit length; twice is enough. */
static void straighten_row(basis *b, size_t k)
{
    double *unit = b->row + k * b->d;
    for (int twice = 0; twice < 2; twice++)
        for (size_t e = 0; e < k; e++) take_off(b->d, b->row + e * b->d, unit);
    vec_scale(b->d, 1 / vec_norm(b->d, unit), unit);
}

/* The number of dimensions; most + 1: more. Leaves in rows what is across them. */
static size_t find_rank(basis *b, size_t most, size_t count, double *rows)
{
    size_t d = b->d, rank = 0;
    double size;
    for (;; rank++) {
        size_t k = farthest(d, count, rows, &size);
        if (size <= within) return rank;
        if (rank == most) return most + 1;
        vec_copy(d, rows + k * d, b->row + rank * d);
        straighten_row(b, rank);
        for (size_t e = 0; e < count; e++) take_off(d, b->row + rank * d, rows + e * d);
    }
}

/* B = orth(A'A B); spare: d numbers. */
static void refine(basis *b, size_t rank, size_t count, const double *rows, double *spare)
{
    size_t d = b->d;
    for (size_t e = 0; e < rank; e++) {
        double *unit = b->row + e * d;
        vec_zero(d, spare);
        for (size_t k = 0; k < count; k++)
            vec_add(d, vec_dot(d, unit, rows + k * d), rows + k * d, spare);
        vec_copy(d, spare, unit);
    }
    for (size_t e = 0; e < rank; e++) straighten_row(b, e);
}

/* The mean square of what is across the basis in rows. */
static double across(const basis *b, size_t rank, size_t count, double *rows)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        for (size_t e = 0; e < rank; e++) take_off(b->d, b->row + e * b->d, rows + k * b->d);
        sum += vec_dot(b->d, rows + k * b->d, rows + k * b->d);
    }
    return sum / (double)count;
}

/* Have these rows more than most dimensions, without a doubt? From their products G = L L', the row farthest from those before
 * first: l_e = (g_ke - sum l_pk l_pe)/l_kk, and left_e = g_ee - sum l_pe^2 is the square of what is across. Most sets have no
 * small span, and this costs a small part of taking rows off each other. */
static int surely_more(size_t d, size_t most, size_t count, const double *rows)
{
    double g[SOME * SOME], l[BASIS_MOST * SOME], left[SOME];
    dense_product(&(dense_job){.m = count,
                               .n = count,
                               .depth = d,
                               .by = 1,
                               .a = {rows, d, 1, NULL},
                               .b = {rows, 1, d, NULL},
                               .c = g,
                               .step = count,
                               .fresh = 1});
    for (size_t e = 0; e < count; e++) left[e] = g[e * count + e];
    for (size_t rank = 0;; rank++) {
        size_t k = 0;
        for (size_t e = 1; e < count; e++)
            if (left[e] > left[k]) k = e;
        if (!(left[k] > clearly * clearly)) return 0;
        if (rank == most) return 1;
        double *to = l + rank * count, size = sqrt(left[k]);
        vec_copy(count, g + k * count, to);
        for (size_t p = 0; p < rank; p++) vec_add(count, -l[p * count + k], l + p * count, to);
        vec_scale(count, 1 / size, to);
        for (size_t e = 0; e < count; e++) left[e] -= to[e] * to[e];
    }
}

static void fetch_all(size_t d, size_t count, book_row row, const void *ctx, uint32_t *place,
                      double *work)
{
    for (size_t k = 0; k < count; k++) fetch(d, k, row, ctx, place, work + count * d, work + k * d);
}

size_t basis_learn(basis *b, size_t most, size_t count, book_row row, const void *ctx, double *work,
                   uint32_t *place)
{
    size_t d = b->d;
    if (isinf(b->rank[1])) return 0; /* more rows do not have fewer dimensions */
    if (count > BASIS_ROWS) count = BASIS_ROWS;
    if (most > BASIS_MOST) most = BASIS_MOST;
    if (most > count / 2) most = count / 2;
    size_t some = count < most + 1 + MORE ? count : most + 1 + MORE, rank = most + 1;
    fetch_all(d, some, row, ctx, place, work);
    if (!surely_more(d, most, some, work)) {
        fetch_all(d, count, row, ctx, place, work);
        rank = find_rank(b, most, count, work);
    }
    if (rank > BASIS_MOST) b->rank[1] = INFINITY;
    if (rank > most) rank = 0;
    b->rank[0] = (double)rank;
    if (rank == 0) return 0;
    fetch_all(d, count, row, ctx, place, work);
    refine(b, rank, count, work, work + count * d);
    b->rank[1] = sqrt(across(b, rank, count, work));
    return rank;
}
