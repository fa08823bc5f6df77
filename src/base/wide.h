/* Products and quotients of 128 bits, where the compiler has such a type and where it has none (32-bit processors).
 * SPDX-License-Identifier: MIT */
#ifndef ZO_WIDE_H
#define ZO_WIDE_H

#include <stdint.h>

/* a b = high 2^64 + low, from the products of halves; returns high. */
static inline uint64_t wide_times_by_halves(uint64_t a, uint64_t b, uint64_t *low)
{
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
    uint64_t middle = (p00 >> 32) + (uint32_t)p01 + (uint32_t)p10; /* below 3 2^32 */
    *low = middle << 32 | (uint32_t)p00;
    return p11 + (p01 >> 32) + (p10 >> 32) + (middle >> 32);
}

/* (high 2^64 + low) / divisor for high < divisor, bit by bit; the rest goes to *rest. */
static inline uint64_t wide_over_by_bits(uint64_t high, uint64_t low, uint64_t divisor,
                                         uint64_t *rest)
{
    uint64_t quotient = 0;
    for (int bit = 63; bit >= 0; bit--) {
        uint64_t carry = high >> 63;
        high = high << 1 | (low >> bit & 1);
        quotient <<= 1;
        if (carry || high >= divisor) {
            high -= divisor;
            quotient |= 1;
        }
    }
    *rest = high;
    return quotient;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

static inline uint64_t wide_times(uint64_t a, uint64_t b, uint64_t *low)
{
    wide product = (wide)a * b;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
}

static inline uint64_t wide_over(uint64_t high, uint64_t low, uint64_t divisor, uint64_t *rest)
{
    wide top = (wide)high << 64 | low, quotient = top / divisor;
    *rest = (uint64_t)(top - quotient * divisor);
    return (uint64_t)quotient;
}
#else
static inline uint64_t wide_times(uint64_t a, uint64_t b, uint64_t *low)
{
    return wide_times_by_halves(a, b, low);
}

static inline uint64_t wide_over(uint64_t high, uint64_t low, uint64_t divisor, uint64_t *rest)
{
    return wide_over_by_bits(high, low, divisor, rest);
}
#endif
#endif
