/* Decimal numbers, read fast and correctly rounded.
 * SPDX-License-Identifier: MIT
 *
 * A number is [+-] digits [. digits] [e [+-] digits], at least one digit before the e. Its digits make a
 * whole number w, the rest a power of ten: v = w 10^e. Up to w < 2^53 and |e| <= 22 both w and 10^|e| are
 * doubles, and one multiplication or division rounds correctly (W. Clinger, "How to read floating point
 * numbers accurately", 1990). number.c does the rest. No locale is involved. */
#ifndef ZO_DATA_NUMBER_H
#define ZO_DATA_NUMBER_H

#include <stdint.h>

extern const double number_tens[23];

/* Called when the short way does not do; p is at the sign. */
const char *number_read_long(const char *p, double *out);

/* Reads the number at p, which ends at the latest at a byte that cannot belong to one. Returns what follows
 * it, or NULL when there is none. Too large: infinite. */
static inline const char *number_read(const char *p, double *out)
{
    const char *start = p;
    int negative = *p == '-';
    if (negative || *p == '+') p++;
    const char *first = p;
    uint64_t w = 0;
    unsigned digit;
    while ((digit = (unsigned)*p - '0') < 10) {
        w = w * 10 + digit;
        p++;
    }
    long count = p - first, places = 0;
    if (*p == '.') {
        const char *point = ++p;
        while ((digit = (unsigned)*p - '0') < 10) {
            w = w * 10 + digit;
            p++;
        }
        places = p - point;
        count += places;
    }
    if (count == 0) return 0;
    if (count > 19 || w >> 53 || (*p | 32) == 'e') return number_read_long(start, out);
    double v = (double)w;
    if (places) v /= number_tens[places];
    *out = negative ? -v : v;
    return p;
}

#endif
