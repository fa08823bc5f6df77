/* inq: curvature within a span by all second differences, along each direction and along the sum of two.
 * SPDX-License-Identifier: MIT */
#include "method/subspaces/shape.h"

static size_t all_count(size_t rank) { return rank * (rank + 1) / 2; }

/* Point q: directions j <= k; j = k: that one alone. */
static void pair_of(size_t rank, size_t q, size_t *j, size_t *k)
{
    *j = *k = q;
    if (q < rank) return;
    for (*k = 1, q -= rank; q >= *k; ++*k) q -= *k;
    *j = q;
}

static void all_points(size_t rank, size_t q, double *c)
{
    size_t j, k;
    pair_of(rank, q, &j, &k);
    c[j] = c[k] = 1;
}

static void from_all(size_t rank, const double *half, double b[SPAN][SPAN])
{
    for (size_t q = 0, j, k; q < all_count(rank); q++) {
        pair_of(rank, q, &j, &k);
        b[j][k] = b[k][j] = j == k ? 2 * half[q] : half[q] - half[j] - half[k];
    }
}

const shape_curvature all_second_differences = {all_count, all_points, from_all};
