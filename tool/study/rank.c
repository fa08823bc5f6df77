/* Wilcoxon's rank-sum test.
 * SPDX-License-Identifier: MIT */
#include "study/rank.h"

#include <math.h>

enum { MOST_EXACT = 12 };

/* Pairs (x in a, y in b) with y < x, ties by half: Mann and Whitney's U; *ties: whether there are any in the union. */
static double count_below(const double *a, size_t na, const double *b, size_t nb, int *ties)
{
    double u = 0;
    for (size_t i = 0; i < na; i++)
        for (size_t j = 0; j < nb; j++) {
            u += b[j] < a[i] ? 1 : b[j] == a[i] ? 0.5 : 0;
            *ties |= b[j] == a[i];
        }
    return u;
}

/* P(U <= most): arrangements by the recursion on whose is the largest, N(u; m, n) = N(u - n; m - 1, n) + N(u; m, n - 1). */
static double exact_tail(size_t na, size_t nb, size_t most)
{
    static const size_t width = MOST_EXACT * MOST_EXACT + 1;
    double ways[MOST_EXACT + 1][MOST_EXACT * MOST_EXACT + 1] = {{0}}; /* of m, as n grows */
    for (size_t m = 0; m <= na; m++) ways[m][0] = 1;                  /* n = 0 */
    for (size_t n = 1; n <= nb; n++)
        for (size_t m = 1; m <= na; m++)
            for (size_t u = width; u-- > n;) {
                /* ways[m] is that of n - 1 still, ways[m - 1] that of n already */
                ways[m][u] += ways[m - 1][u - n];
            }
    double all = 0, low = 0;
    for (size_t u = 0; u <= na * nb; u++) {
        all += ways[na][u];
        if (u <= most) low += ways[na][u];
    }
    return low / all;
}

/* Sum of t^3 - t over groups of t equal values in the union. */
static double tie_sum(const double *a, size_t na, const double *b, size_t nb)
{
    double sum = 0;
    for (size_t i = 0; i < na + nb; i++) { /* each value adds t^2 - 1 for its group of t */
        double x = i < na ? a[i] : b[i - na], t = 0;
        for (size_t j = 0; j < na; j++) t += a[j] == x;
        for (size_t j = 0; j < nb; j++) t += b[j] == x;
        sum += t * t - 1;
    }
    return sum;
}

double rank_test(const double *a, size_t na, const double *b, size_t nb)
{
    int ties = 0;
    double u = count_below(a, na, b, nb, &ties), m = (double)na, n = (double)nb;
    if (na == 0 || nb == 0) return 1;
    double near = fmin(u, m * n - u);
    if (!ties && na <= MOST_EXACT && nb <= MOST_EXACT)
        return fmin(1, 2 * exact_tail(na, nb, (size_t)near));
    double total = m + n,
           variance = m * n / 12 * (total + 1 - tie_sum(a, na, b, nb) / (total * (total - 1)));
    if (!(variance > 0)) return 1; /* all values are one */
    double z = fmax(m * n / 2 - near - 0.5, 0) / sqrt(variance);
    return erfc(z / sqrt(2));
}
