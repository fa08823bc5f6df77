/* Short lists put in order; see sort.h.
 * SPDX-License-Identifier: MIT */
#include "base/sort.h"

#include <string.h>

enum { FEW = 24 }; /* so many are put in order by insertion */

/* Does (a, i) come after (b, j)? */
static int after(double a, uint32_t i, double b, uint32_t j) { return a > b || (a == b && i > j); }

/* Gaps that shrink to 1; nearly in order, it is quick, and never far from it. */
static void shell(size_t count, double *key, uint32_t *with, size_t gap)
{
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

static void swap(double *key, uint32_t *with, size_t a, size_t b)
{
    double one = key[a];
    key[a] = key[b], key[b] = one;
    if (!with) return;
    uint32_t what = with[a];
    with[a] = with[b], with[b] = what;
}

/* Those before the last one, in front; returns how many. No branch depends on a number. */
static size_t part(size_t count, double *key, uint32_t *with)
{
    size_t at = 0, last = count - 1;
    double pivot = key[last];
    uint32_t what = with ? with[last] : 0;
    for (size_t k = 0; k < last; k++) {
        size_t less = key[k] < pivot;
        if (with) less |= (size_t)(key[k] == pivot) & (with[k] < what);
        swap(key, with, at, k);
        at += less;
    }
    swap(key, with, at, last);
    return at;
}

/* Those behind key[at] that equal it, next to it; returns the first that does not. */
static size_t gather_equal(size_t count, double *key, size_t at)
{
    size_t next = at + 1;
    for (size_t k = next; k < count; k++) {
        size_t same = key[k] == key[at];
        swap(key, NULL, next, k);
        next += same;
    }
    return next;
}

/* The middle one of three to the end. */
static void choose_pivot(size_t count, double *key, uint32_t *with)
{
    size_t a = 0, b = count / 2, c = count - 1;
    if (key[a] > key[b]) swap(key, with, a, b);
    if (key[b] > key[c]) swap(key, with, b, c);
    if (key[a] > key[b]) swap(key, with, a, b);
    swap(key, with, b, c);
}

/* Parts down to a few; one that shrinks too little is left to shell. */
static void quick(size_t count, double *key, uint32_t *with, int depth)
{
    while (count > FEW && depth-- > 0) {
        choose_pivot(count, key, with);
        size_t at = part(count, key, with), next = at + 1;
        if (!with && at < count / 8) next = gather_equal(count, key, at);
        quick(at, key, with, depth);
        key += next;
        with = with ? with + next : NULL;
        count -= next;
    }
    size_t gap = 1;
    while (count > FEW && gap < count / 3) gap = 3 * gap + 1;
    shell(count, key, with, gap);
}

void sort_pairs(size_t count, double *key, uint32_t *with)
{
    int depth = 4;
    for (size_t k = count; k > 1; k /= 2) depth += 2;
    quick(count, key, with, depth);
}

void sort_order(size_t count, double *key, uint32_t *order)
{
    for (size_t k = 0; k < count; k++) order[k] = (uint32_t)k;
    sort_pairs(count, key, order);
}

/* ---- Numbers that are near to each other ---------------------------------------------------------------- */

enum {
    DIGIT = 11, /* bits that are looked at in one pass */
    DIGITS = 1 << DIGIT,
    PASSES = 3, /* with more of them parts are as quick */
    MANY = 256  /* with fewer numbers, too */
};
#define SIGN ((uint64_t)1 << 63)

/* Whole numbers in the same order, and back. */
static uint64_t rank_of(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits & SIGN ? ~bits : bits | SIGN;
}

static double number_of(uint64_t rank)
{
    uint64_t bits = rank & SIGN ? rank & ~SIGN : ~rank;
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* By one digit, those that have the same one as they come. */
static void deal(size_t count, const uint64_t *from, uint64_t *to, int shift)
{
    uint32_t end[DIGITS] = {0}, sum = 0;
    for (size_t k = 0; k < count; k++) end[from[k] >> shift & (DIGITS - 1)]++;
    for (size_t k = 0; k < DIGITS; k++) {
        uint32_t here = end[k];
        end[k] = sum;
        sum += here;
    }
    for (size_t k = 0; k < count; k++) to[end[from[k] >> shift & (DIGITS - 1)]++] = from[k];
}

void sort_numbers(size_t count, double *key, uint64_t *work)
{
    uint64_t low = UINT64_MAX, high = 0, *from = work, *to = work + count;
    if (count < MANY) {
        sort_pairs(count, key, NULL);
        return;
    }
    for (size_t k = 0; k < count; k++) {
        from[k] = rank_of(key[k]);
        low = from[k] < low ? from[k] : low;
        high = from[k] > high ? from[k] : high;
    }
    if ((high - low) >> PASSES * DIGIT) {
        sort_pairs(count, key, NULL);
        return;
    }
    for (size_t k = 0; k < count; k++) from[k] -= low;
    for (int shift = 0; (high - low) >> shift; shift += DIGIT) {
        deal(count, from, to, shift);
        uint64_t *other = from;
        from = to, to = other;
    }
    for (size_t k = 0; k < count; k++) key[k] = number_of(from[k] + low);
}
