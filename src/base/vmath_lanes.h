/* exp, log, cos and sin of LANES numbers at a time, inlined where they are used.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_BASE_VMATH_LANES_H
#define ZO_BASE_VMATH_LANES_H

#include "base/lanes.h"

/* x = n ln2 + r, |r| <= ln2/2; e^r = 1 + r + r^2 q(r). Adding 1.5 * 2^52 rounds to whole numbers and leaves n
 * in the lower bits of *shifted. The upper part of ln2 has 32 bits, so n times it is exact. */
LANES_INLINE wide exp_reduced(wide x, wide *shifted)
{
    const wide magic = splatw(0x1.8p52);
    wide k = fmaw(x, splatw(0x1.71547652b82fep+0), magic), n = k - magic;
    wide r = fmaw(n, splatw(-0x1.62e42fee00000p-1), x);
    r = fmaw(n, splatw(-0x1.a39ef35793c76p-33), r);
    wide z = r * r, even = splatw(0x1.28917c9f3a495p-22),
         odd = splatw(0x1.af389eea54156p-26); /* two short chains */
    odd = fmaw(odd, z, splatw(0x1.71de0db2eb873p-19));
    even = fmaw(even, z, splatw(0x1.a019b914881bap-16));
    odd = fmaw(odd, z, splatw(0x1.a01a01a7c2f2cp-13));
    even = fmaw(even, z, splatw(0x1.6c16c17889f3cp-10));
    odd = fmaw(odd, z, splatw(0x1.11111111109b5p-7));
    even = fmaw(even, z, splatw(0x1.5555555553d68p-5));
    odd = fmaw(odd, z, splatw(0x1.5555555555556p-3));
    even = fmaw(even, z, splatw(0.5));
    *shifted = k;
    return splatw(1) + fmaw(fmaw(odd, r, even), z, r);
}

/* e^x for x <= 0, and e^-708 (about 3e-308) below -708; NaN stays NaN. */
LANES_INLINE wide exp_loww(wide x)
{
    wide k, p = exp_reduced(greaterw(splatw(-708), x), &k);
    return (wide)((wide_bits)p + ((wide_bits)k << 52));
}

/* e^x for x <= 0 to about 2^-53 absolutely, not relatively: all that 1 + e^x can use. One rounding of n ln2 is
 * enough then, and a polynomial in short chains, with 1 + r taken out. */
LANES_INLINE wide exp_nearw(wide x)
{
    const wide magic = splatw(0x1.8p52);
    x = greaterw(splatw(-708), x);
    wide k = fmaw(x, splatw(0x1.71547652b82fep+0), magic), n = k - magic;
    wide r = fmaw(n, splatw(-0x1.62e42fefa39efp-1), x);
    wide z = r * r, zz = z * z;
    wide c01 = fmaw(splatw(0x1.5555555555556p-3), r, splatw(0.5));
    wide c23 = fmaw(splatw(0x1.11111111109b5p-7), r, splatw(0x1.5555555553d68p-5));
    wide c45 = fmaw(splatw(0x1.a01a01a7c2f2cp-13), r, splatw(0x1.6c16c17889f3cp-10));
    wide c67 = fmaw(splatw(0x1.71de0db2eb873p-19), r, splatw(0x1.a019b914881bap-16));
    wide c89 = fmaw(splatw(0x1.af389eea54156p-26), r, splatw(0x1.28917c9f3a495p-22));
    wide high = fmaw(c89, zz, fmaw(c67, z, c45)), q = fmaw(high, zz, fmaw(c23, z, c01));
    return (wide)((wide_bits)fmaw(q, z, splatw(1) + r) + ((wide_bits)k << 52));
}

/* e^x for every x: 2^n in two factors, so that results below the normal range and above the largest number
 * come out by themselves. */
LANES_INLINE wide expw(wide x)
{
    wide k, p = exp_reduced(greaterw(splatw(-746), lesserw(splatw(710), x)), &k);
    wide_bits n =
        (wide_bits)(k +
                    splatw(2048)); /* n + 2048 in the lower bits: positive, so that >> halves it */
    wide_bits low = (n & 0xfffu) >> 1, high = (n & 0xfffu) - low;
    return p * (wide)((low - 1) << 52) * (wide)((high - 1) << 52);
}

/* k ln2 + log(1 + f), sqrt(1/2) <= 1 + f < sqrt(2): s = f/(2+f), log(1+f) = 2 atanh(s) = f - s(f - R) in a
 * form that keeps the leading f exact. */
LANES_INLINE wide log_reduced(wide f, wide k)
{
    wide s = f / (splatw(2) + f), z = s * s, h = splatw(0.5) * f * f;
    wide q = splatw(0x1.2b584c6b42d60p-3);
    q = fmaw(q, z, splatw(0x1.39fe604146b74p-3));
    q = fmaw(q, z, splatw(0x1.7462b4ac441afp-3));
    q = fmaw(q, z, splatw(0x1.c71c62e57c3c4p-3));
    q = fmaw(q, z, splatw(0x1.2492492df14bcp-2));
    q = fmaw(q, z, splatw(0x1.99999999952e2p-2));
    q = fmaw(q, z, splatw(0x1.5555555555558p-1));
    wide small = fmaw(s, fmaw(q, z, h), k * splatw(0x1.a39ef35793c76p-33));
    return k * splatw(0x1.62e42fee00000p-1) - ((h - small) - f);
}

/* log x for x in the normal range. */
LANES_INLINE wide log_normalw(wide x)
{
    const wide_bits root = splat_bitsw(0x3fe6a09e667f3bcdu); /* sqrt(1/2) */
    wide_bits t = (wide_bits)x + (splat_bitsw(0x3ff0000000000000u) - root);
    wide k = (wide)((t >> 52) | splat_bitsw(0x4330000000000000u)) - splatw(0x1p52 + 1023);
    wide m = (wide)((t & splat_bitsw(0x000fffffffffffffu)) + root);
    return log_reduced(m - splatw(1), k);
}

/* log x for every x: -inf at 0, NaN below. */
LANES_INLINE wide logw(wide x)
{
    wide_mask tiny = x < splatw(0x1p-1022);
    wide r = log_normalw(selectw(tiny, x * splatw(0x1p54), x));
    r = selectw(tiny, r - splatw(0x1.2b708872320e2p+5), r); /* 54 ln2 */
    r = selectw(x == splatw(0), splatw(-INFINITY), r);
    r = selectw(x < splatw(0), splatw(NAN), r);
    return selectw((wide_mask)((x == splatw(INFINITY)) | (x != x)), x, r);
}

/* log(1 + e) for 0 <= e <= 1, to full relative accuracy; above sqrt(2) - 1 as ln2 + log((1 + e)/2). */
LANES_INLINE wide log1p_unitw(wide e)
{
    wide_mask upper = e > splatw(0x1.a827999fcef32p-2);
    wide f = selectw(upper, splatw(0.5) * (e - splatw(1)), e);
    return log_reduced(f, selectw(upper, splatw(1), splatw(0)));
}

/* cos and sin of 2 pi u, 0 <= u <= 1: quarter turns, then polynomials on [-pi/4, pi/4]. */
LANES_INLINE void turnw(wide u, wide *cosine, wide *sine)
{
    const wide magic = splatw(0x1.8p52);
    wide k = fmaw(splatw(4), u, magic),
         x = fmaw(splatw(4), u, -(k - magic)) * splatw(0x1.921fb54442d18p+0), z = x * x;
    wide s = splatw(0x1.5e0b19f8b1451p-33), c = splatw(-0x1.907da367a37cbp-37);
    s = fmaw(s, z, splatw(-0x1.ae600b02b6262p-26));
    s = fmaw(s, z, splatw(0x1.71de37968a100p-19));
    s = fmaw(s, z, splatw(-0x1.a01a019e83aaep-13));
    s = fmaw(s, z, splatw(0x1.1111111110bb2p-7));
    s = fmaw(s, z, splatw(-0x1.5555555555555p-3));
    s = fmaw(s, z * x, x);
    c = fmaw(c, z, splatw(0x1.1eeb68e93b64cp-29));
    c = fmaw(c, z, splatw(-0x1.27e4fa17da09ep-22));
    c = fmaw(c, z, splatw(0x1.a01a019f4eb01p-16));
    c = fmaw(c, z, splatw(-0x1.6c16c16c16967p-10));
    c = fmaw(c, z, splatw(0x1.5555555555555p-5));
    c = fmaw(c, z * z, fmaw(splatw(-0.5), z, splatw(1)));
    wide_bits q = (wide_bits)k;
    wide_mask odd = (wide_mask)(splat_bitsw(0) - (q & 1u));
    *cosine = (wide)((wide_bits)selectw(odd, s, c) ^
                     (((q + 1u) & 2u) << 62)); /* negative in quarters 1 and 2 */
    *sine =
        (wide)((wide_bits)selectw(odd, c, s) ^ ((q & 2u) << 62)); /* negative in quarters 2 and 3 */
}

#endif
