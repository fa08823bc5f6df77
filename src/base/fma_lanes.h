/* a b + c rounded once, four numbers at a time, for machines that have no instruction for it.
 * SPDX-License-Identifier: MIT
 *
 * a b = p + e and c + e = t + l, p + t = v + m without error (T. Dekker 1971, D. Knuth 1969); l + m is rounded to odd,
 * so that the last sum rounds as if it had seen all digits (S. Boldo and G. Melquiond, "Emulation of FMA and
 * correctly rounded sums", 2008). That holds while no part leaves the normal range: elsewhere libm's fma, which is exact. */
#ifndef ZO_BASE_FMA_LANES_H
#define ZO_BASE_FMA_LANES_H

/* high + low = a, 26 bits each */
LANES_INLINE v4 upper_half(v4 a)
{
    v4 big = a * splat(0x1p27 + 1);
    return big - (big - a);
}

/* The error of s = a + b. */
LANES_INLINE v4 sum_error(v4 a, v4 b, v4 s)
{
    v4 part = s - a;
    return (a - (s - part)) + (b - part);
}

/* a + b rounded to odd: where it is not exact, of its two neighbours the one with an odd last bit. */
LANES_INLINE v4 odd_sum(v4 a, v4 b)
{
    v4 s = a + b, e = sum_error(a, b, s);
    u4 bits = (u4)s, even = (bits & 1u) - 1u; /* all ones where the last bit is 0 */
    i4 inexact = e != splat(0), away = (i4)((u4)e ^ bits) >= 0; /* the rest lies beyond s */
    u4 step = (u4)(away & 1) - (u4)(~away & 1);
    return (v4)(bits + (step & even & (u4)inexact));
}

/* All ones where a is 0 or of such a size. */
LANES_INLINE i4 within(v4 a, double low, double high)
{
    v4 size = (v4)((u4)a & splat_bits(0x7fffffffffffffffu));
    return ((size >= splat(low)) & (size <= splat(high))) | (size == splat(0));
}

static __attribute__((noinline, unused)) v4 exact_fma4(v4 a, v4 b, v4 c)
{
    i4 in =
        within(a, 0x1p-450, 0x1p450) & within(b, 0x1p-450, 0x1p450) & within(c, 0x1p-900, 0x1p900);
    if (!(in[0] & in[1] & in[2] & in[3]))
        return (v4){fma(a[0], b[0], c[0]), fma(a[1], b[1], c[1]), fma(a[2], b[2], c[2]),
                    fma(a[3], b[3], c[3])};
    v4 p = a * b, simple = p + c;
    v4 ah = upper_half(a), bh = upper_half(b), al = a - ah, bl = b - bh;
    v4 e = al * bl - (((p - ah * bh) - al * bh) - ah * bl);
    v4 t = c + e, l = sum_error(c, e, t), v = p + t, m = sum_error(p, t, v);
    i4 nothing = p == splat(0); /* the sign of 0 comes from a b and c */
    return (v4)((nothing & (i4)simple) | (~nothing & (i4)(v + odd_sum(l, m))));
}

#endif
