/* Decimal numbers that are long or carry an exponent.
 * SPDX-License-Identifier: MIT
 *
 * w 10^e = w 5^e 2^e, and 5^27 < 2^63: for w < 2^64 and |e| <= 27 the product w 5^e fits 128 bits, and the
 * quotient w / 5^-e is taken to 62 bits or more with one sticky bit for the remainder, so that the only
 * rounding is that to a double. What is longer goes to strtod in the C locale. */
#define _GNU_SOURCE /* strtod_l */
#include "data/number.h"
#include "base/wide.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

const double number_tens[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static uint64_t power_of_five(long k)
{
    uint64_t v = 1;
    while (k-- > 0) v *= 5;
    return v;
}

static int zeros_above(uint64_t v) { return __builtin_clzll(v); } /* v > 0 */

/* w / 5^k, rounded once. Both are shifted to fill 64 bits, so the quotient has 62 or 63. */
static double quotient(uint64_t w, long k)
{
    uint64_t five = power_of_five(k);
    int up = zeros_above(w), below = zeros_above(five);
    uint64_t top = w << up, divisor = five << below, rest;
    uint64_t q = wide_over(top >> 2, top << 62, divisor, &rest); /* top 2^62 / divisor */
    return ldexp((double)(q | (rest != 0)), below - up - 62);
}

/* w 5^k, rounded once: the upper 64 bits of the product, with one sticky bit for those below. */
static double product(uint64_t w, long k)
{
    uint64_t low, high = wide_times(w, power_of_five(k), &low);
    if (high == 0) return (double)low;
    int up = zeros_above(high);
    uint64_t bits = up ? high << up | low >> (64 - up) : high;
    return ldexp((double)(bits | (low << up != 0)), 64 - up);
}

static double scaled(uint64_t w, long e)
{
    if (w == 0) return 0;
    if (w >> 53 == 0 && e >= -22 && e <= 22)
        return e < 0 ? (double)w / number_tens[-e] : (double)w * number_tens[e];
    double v = e < 0 ? quotient(w, -e) : product(w, e);
    return ldexp(v, (int)e);
}

static double by_library(const char *p)
{
    locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    double v = c ? strtod_l(p, NULL, c) : strtod(p, NULL);
    if (c) freelocale(c);
    return v;
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* The exponent after the e at p; what follows it, or NULL. Far outside what a double holds it stays put. */
static const char *read_exponent(const char *p, long *out)
{
    int negative = *++p == '-';
    if (negative || *p == '+') p++;
    if (!is_digit(*p)) return NULL;
    long e = 0;
    for (; is_digit(*p); p++)
        if (e < 1000000) e = e * 10 + (*p - '0');
    *out = negative ? -e : e;
    return p;
}

const char *number_read(const char *p, double *out)
{
    const char *start = p;
    int negative = *p == '-', point = 0;
    if (negative || *p == '+') p++;
    uint64_t w = 0;
    long count = 0, places = 0,
         e = 0; /* count: digits that matter, places: digits after the point */
    const char *first = p;
    for (; is_digit(*p) || (*p == '.' && !point); p++) {
        if (*p == '.') {
            point = 1;
            continue;
        }
        places += point;
        count += w > 0 || *p != '0';
        w = w * 10 + (uint64_t)(*p - '0');
    }
    if (p - first == point) return NULL;
    if ((*p | 32) == 'e' && !(p = read_exponent(p, &e))) return NULL;
    e -= places;
    if (count > 19 || e < -27 || e > 27)
        *out = by_library(start);
    else
        *out = negative ? -scaled(w, e) : scaled(w, e);
    return p;
}
