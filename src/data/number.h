/* Decimal numbers, read fast and correctly rounded.
 * SPDX-License-Identifier: MIT
 *
 * A number is [+-] digits [. digits] [e [+-] digits], at least one digit before the e. Its digits make a
 * whole number w, the rest a power of ten: v = w 10^e. Up to w < 2^53 and |e| <= 22 both w and 10^|e| are
 * doubles, and one multiplication or division rounds correctly (W. Clinger, "How to read floating point
 * numbers accurately", 1990). number.c does the rest. No locale is involved. */
#ifndef ZO_DATA_NUMBER_H
#define ZO_DATA_NUMBER_H

#include <math.h>
#include <stdint.h>
#include <string.h>

extern const double number_tens[23];

/* Bytes behind a number that decimal_read may look at. */
enum { DECIMAL_SLACK = 8 };

typedef struct decimal {
    double value;
    int nonzero; /* known before the value is, whose division takes its time */
} decimal;

/* Any number; p is at the sign, nothing behind the number is looked at. Returns what follows it, or NULL when there is none. What is too large
 * for a double is infinite. */
const char *number_read(const char *p, double *out);

/* The digits at p, at most seven, join w: less than eight bytes that are all looked at together. Minus '0' everywhere,
 * the first byte that is no digit is the lowest one above 9: adding 0x76 carries into its top bit. The digits are then
 * shifted up, zeros come before them, and neighbours are joined: 10 a + b, 100 a + b, 10000 a + b. */
static inline const char *decimal_digits(const char *p, uint64_t *w)
{
    static const uint64_t ten[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    uint64_t x;
    memcpy(&x, p, sizeof x);
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) x = __builtin_bswap64(x);
    x ^= 0x3030303030303030u;
    uint64_t over = ((x + 0x7676767676767676u) | x) & 0x8080808080808080u;
    if (!over) return p;
    unsigned bits = (unsigned)__builtin_ctzll(over) & ~7u; /* 8 for each digit */
    x = x << 1 << (63 - bits);
    x = (x & 0x0f0f0f0f0f0f0f0fu) * (10 * 256 + 1) >> 8;
    x = (x & 0x00ff00ff00ff00ffu) * (100 * 65536 + 1) >> 16;
    x = (x & 0x0000ffff0000ffffu) * (10000 * (UINT64_C(1) << 32) + 1) >> 32;
    *w = *w * ten[bits / 8] + x;
    return p + bits / 8;
}

/* The same for text with slack behind it, at full speed; NULL also when it is too large for a double. */
static inline const char *decimal_read(const char *p, decimal *out)
{
    const char *start = p;
    int negative = *p == '-';
    if (negative || *p == '+') p++;
    const char *first = p;
    uint64_t w = 0;
    unsigned digit;
    for (; (digit = (unsigned)*p - '0') < 10; p++) w = w * 10 + digit;
    long count = p - first, places = 0;
    if (*p == '.') {
        const char *point = ++p;
        p = decimal_digits(p, &w);
        for (; (digit = (unsigned)*p - '0') < 10; p++) w = w * 10 + digit;
        places = p - point;
        count += places;
    }
    if (count == 0) return NULL;
    if (count > 19 || w >> 53 || (*p | 32) == 'e') {
        double v;
        p = number_read(start, &v);
        *out = (decimal){v, v != 0};
        return p && isfinite(v) ? p : NULL;
    }
    double v = (double)w;
    if (places) v /= number_tens[places];
    *out = (decimal){negative ? -v : v, w != 0};
    return p;
}

#endif
