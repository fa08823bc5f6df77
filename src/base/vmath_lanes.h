/* exp, log, cos and sin of four numbers at a time, inlined where they are used.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_BASE_VMATH_LANES_H
#define ZO_BASE_VMATH_LANES_H

#include "base/lanes.h"

/* x = n ln2 + r, |r| <= ln2/2; e^r = 1 + r + r^2 q(r). Adding 1.5 * 2^52 rounds to whole numbers and leaves n
 * in the lower bits of *shifted. The upper part of ln2 has 32 bits, so n times it is exact. */
LANES_INLINE v4 exp_reduced(v4 x, v4 *shifted)
{
    const v4 magic = splat(0x1.8p52);
    v4 k = fma4(x, splat(0x1.71547652b82fep+0), magic), n = k - magic;
    v4 r = fma4(n, splat(-0x1.62e42fee00000p-1), x);
    r = fma4(n, splat(-0x1.a39ef35793c76p-33), r);
    v4 z = r * r, even = splat(0x1.28917c9f3a495p-22),
       odd = splat(0x1.af389eea54156p-26); /* two short chains */
    odd = fma4(odd, z, splat(0x1.71de0db2eb873p-19));
    even = fma4(even, z, splat(0x1.a019b914881bap-16));
    odd = fma4(odd, z, splat(0x1.a01a01a7c2f2cp-13));
    even = fma4(even, z, splat(0x1.6c16c17889f3cp-10));
    odd = fma4(odd, z, splat(0x1.11111111109b5p-7));
    even = fma4(even, z, splat(0x1.5555555553d68p-5));
    odd = fma4(odd, z, splat(0x1.5555555555556p-3));
    even = fma4(even, z, splat(0.5));
    *shifted = k;
    return splat(1) + fma4(fma4(odd, r, even), z, r);
}

/* e^x for x <= 0, and e^-708 (about 3e-308) below -708; NaN stays NaN. */
LANES_INLINE v4 exp_low4(v4 x)
{
    v4 k, p = exp_reduced(greater4(splat(-708), x), &k);
    return (v4)((u4)p + ((u4)k << 52));
}

/* e^x for x <= 0 to about 2^-53 absolutely, not relatively: all that 1 + e^x can use. One rounding of n ln2 is
 * enough then, and a polynomial in short chains, with 1 + r taken out. */
LANES_INLINE v4 exp_near4(v4 x)
{
    const v4 magic = splat(0x1.8p52);
    x = greater4(splat(-708), x);
    v4 k = fma4(x, splat(0x1.71547652b82fep+0), magic), n = k - magic;
    v4 r = fma4(n, splat(-0x1.62e42fefa39efp-1), x);
    v4 z = r * r, zz = z * z;
    v4 c01 = fma4(splat(0x1.5555555555556p-3), r, splat(0.5));
    v4 c23 = fma4(splat(0x1.11111111109b5p-7), r, splat(0x1.5555555553d68p-5));
    v4 c45 = fma4(splat(0x1.a01a01a7c2f2cp-13), r, splat(0x1.6c16c17889f3cp-10));
    v4 c67 = fma4(splat(0x1.71de0db2eb873p-19), r, splat(0x1.a019b914881bap-16));
    v4 c89 = fma4(splat(0x1.af389eea54156p-26), r, splat(0x1.28917c9f3a495p-22));
    v4 high = fma4(c89, zz, fma4(c67, z, c45)), q = fma4(high, zz, fma4(c23, z, c01));
    return (v4)((u4)fma4(q, z, splat(1) + r) + ((u4)k << 52));
}

/* e^x for every x: 2^n in two factors, so that results below the normal range and above the largest number
 * come out by themselves. */
LANES_INLINE v4 exp4(v4 x)
{
    v4 k, p = exp_reduced(greater4(splat(-746), lesser4(splat(710), x)), &k);
    u4 n = (u4)(k + splat(2048)); /* n + 2048 in the lower bits: positive, so that >> halves it */
    u4 low = (n & 0xfffu) >> 1, high = (n & 0xfffu) - low;
    return p * (v4)((low - 1) << 52) * (v4)((high - 1) << 52);
}

/* k ln2 + log(1 + f), sqrt(1/2) <= 1 + f < sqrt(2): s = f/(2+f), log(1+f) = 2 atanh(s) = f - s(f - R) in a
 * form that keeps the leading f exact. */
LANES_INLINE v4 log_reduced(v4 f, v4 k)
{
    v4 s = f / (splat(2) + f), z = s * s, h = splat(0.5) * f * f;
    v4 q = splat(0x1.2b584c6b42d60p-3);
    q = fma4(q, z, splat(0x1.39fe604146b74p-3));
    q = fma4(q, z, splat(0x1.7462b4ac441afp-3));
    q = fma4(q, z, splat(0x1.c71c62e57c3c4p-3));
    q = fma4(q, z, splat(0x1.2492492df14bcp-2));
    q = fma4(q, z, splat(0x1.99999999952e2p-2));
    q = fma4(q, z, splat(0x1.5555555555558p-1));
    v4 small = fma4(s, fma4(q, z, h), k * splat(0x1.a39ef35793c76p-33));
    return k * splat(0x1.62e42fee00000p-1) - ((h - small) - f);
}

/* log x for x in the normal range. */
LANES_INLINE v4 log_normal4(v4 x)
{
    const u4 root = splat_bits(0x3fe6a09e667f3bcdu); /* sqrt(1/2) */
    u4 t = (u4)x + (splat_bits(0x3ff0000000000000u) - root);
    v4 k = (v4)((t >> 52) | splat_bits(0x4330000000000000u)) - splat(0x1p52 + 1023);
    v4 m = (v4)((t & splat_bits(0x000fffffffffffffu)) + root);
    return log_reduced(m - splat(1), k);
}

/* log x for every x: -inf at 0, NaN below. */
LANES_INLINE v4 log4(v4 x)
{
    i4 tiny = x < splat(0x1p-1022);
    v4 r = log_normal4(select4(tiny, x * splat(0x1p54), x));
    r = select4(tiny, r - splat(0x1.2b708872320e2p+5), r); /* 54 ln2 */
    r = select4(x == splat(0), splat(-INFINITY), r);
    r = select4(x < splat(0), splat(NAN), r);
    return select4((i4)((x == splat(INFINITY)) | (x != x)), x, r);
}

/* log(1 + e) for 0 <= e <= 1, to full relative accuracy; above sqrt(2) - 1 as ln2 + log((1 + e)/2). */
LANES_INLINE v4 log1p_unit4(v4 e)
{
    i4 upper = e > splat(0x1.a827999fcef32p-2);
    v4 f = select4(upper, splat(0.5) * (e - splat(1)), e);
    return log_reduced(f, select4(upper, splat(1), splat(0)));
}

/* cos and sin of 2 pi u, 0 <= u <= 1: quarter turns, then polynomials on [-pi/4, pi/4]. */
LANES_INLINE void turn4(v4 u, v4 *cosine, v4 *sine)
{
    const v4 magic = splat(0x1.8p52);
    v4 k = fma4(splat(4), u, magic),
       x = fma4(splat(4), u, -(k - magic)) * splat(0x1.921fb54442d18p+0), z = x * x;
    v4 s = splat(0x1.5e0b19f8b1451p-33), c = splat(-0x1.907da367a37cbp-37);
    s = fma4(s, z, splat(-0x1.ae600b02b6262p-26));
    s = fma4(s, z, splat(0x1.71de37968a100p-19));
    s = fma4(s, z, splat(-0x1.a01a019e83aaep-13));
    s = fma4(s, z, splat(0x1.1111111110bb2p-7));
    s = fma4(s, z, splat(-0x1.5555555555555p-3));
    s = fma4(s, z * x, x);
    c = fma4(c, z, splat(0x1.1eeb68e93b64cp-29));
    c = fma4(c, z, splat(-0x1.27e4fa17da09ep-22));
    c = fma4(c, z, splat(0x1.a01a019f4eb01p-16));
    c = fma4(c, z, splat(-0x1.6c16c16c16967p-10));
    c = fma4(c, z, splat(0x1.5555555555555p-5));
    c = fma4(c, z * z, fma4(splat(-0.5), z, splat(1)));
    u4 q = (u4)k;
    i4 odd = (i4)(splat_bits(0) - (q & 1u));
    *cosine =
        (v4)((u4)select4(odd, s, c) ^ (((q + 1u) & 2u) << 62)); /* negative in quarters 1 and 2 */
    *sine = (v4)((u4)select4(odd, c, s) ^ ((q & 2u) << 62));    /* negative in quarters 2 and 3 */
}

#endif
