/* Short lists put in order; see sort.h.
 * SPDX-License-Identifier: MIT */
#include "base/sort.h"

/* Does (a, i) come after (b, j)? */
static int after(double a, uint32_t i, double b, uint32_t j) { return a > b || (a == b && i > j); }

void sort_pairs(size_t count, double *key, uint32_t *with)
{
    size_t gap = 1;
    while (gap < count / 3) gap = 3 * gap + 1;
    for (; gap; gap /= 3)
        for (size_t k = gap; k < count; k++) {
            double one = key[k];
            uint32_t what = with ? with[k] : 0;
            size_t at = k;
            for (; at >= gap && after(key[at - gap], with ? with[at - gap] : 0, one, what);
                 at -= gap) {
                key[at] = key[at - gap];
                if (with) with[at] = with[at - gap];
            }
            key[at] = one;
            if (with) with[at] = what;
        }
}

void sort_order(size_t count, double *key, uint32_t *order)
{
    for (size_t k = 0; k < count; k++) order[k] = (uint32_t)k;
    sort_pairs(count, key, order);
}
