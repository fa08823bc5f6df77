/* Four numbers at a time, or as many as the instructions take (wide): what vmath, the fan kernels and dense.h are
 * written in, inlined where it is used.
 * SPDX-License-Identifier: MIT
 *
 * Every lane goes through the same operations whatever its neighbours hold and whatever the machine: its bits depend on
 * its own numbers alone. A fused multiply-add is one on every machine, emulated where there is no instruction for it. */
#ifndef ZO_BASE_LANES_H
#define ZO_BASE_LANES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

typedef double v4 __attribute__((vector_size(32)));
typedef int64_t i4 __attribute__((vector_size(32)));
typedef uint64_t u4 __attribute__((vector_size(32)));

#define LANES_INLINE static inline __attribute__((always_inline, unused))

#if defined(__clang__)
#define SHUFFLE4(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE4(a, b, ...) __builtin_shuffle(a, b, (i4){__VA_ARGS__})
#endif

LANES_INLINE v4 splat(double a) { return (v4){a, a, a, a}; }
LANES_INLINE u4 splat_bits(uint64_t a) { return (u4){a, a, a, a}; }

LANES_INLINE v4 load4(const double *p)
{
    v4 r;
    memcpy(&r, p, sizeof r);
    return r;
}

LANES_INLINE void store4(double *p, v4 a) { memcpy(p, &a, sizeof a); }

/* The first count < 4 numbers; the other lanes are 0, or not stored. */
LANES_INLINE v4 load_part(const double *p, size_t count)
{
    double r[4] = {0};
    for (size_t l = 0; l < count; l++) r[l] = p[l];
    return load4(r);
}

LANES_INLINE void store_part(double *p, v4 a, size_t count)
{
    for (size_t l = 0; l < count; l++) p[l] = a[l];
}

#if defined(__AVX2__) && defined(__FMA__)
LANES_INLINE double fma1(double a, double b, double c) { return __builtin_fma(a, b, c); }
LANES_INLINE v4 fma4(v4 a, v4 b, v4 c) { return _mm256_fmadd_pd(a, b, c); }
LANES_INLINE v4 greater4(v4 a, v4 b) { return _mm256_max_pd(a, b); } /* a > b ? a : b */
LANES_INLINE v4 lesser4(v4 a, v4 b) { return _mm256_min_pd(a, b); }  /* a < b ? a : b */
LANES_INLINE v4 sqrt4(v4 a) { return _mm256_sqrt_pd(a); }
LANES_INLINE v4 select4(i4 mask, v4 a, v4 b) { return _mm256_blendv_pd(b, a, (v4)mask); }
LANES_INLINE u4 mul32(u4 a, u4 b)
{
    return (u4)_mm256_mul_epu32((__m256i)a, (__m256i)b);
} /* of the lower halves */
#else
LANES_INLINE v4 select4(i4 mask, v4 a, v4 b) { return (v4)((mask & (i4)a) | (~mask & (i4)b)); }
LANES_INLINE v4 greater4(v4 a, v4 b) { return select4(a > b, a, b); }
LANES_INLINE v4 lesser4(v4 a, v4 b) { return select4(a < b, a, b); }
LANES_INLINE v4 sqrt4(v4 a) { return (v4){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])}; }
LANES_INLINE u4 mul32(u4 a, u4 b) { return (a & 0xffffffffu) * (b & 0xffffffffu); }
#endif

#if defined(__aarch64__)
LANES_INLINE double fma1(double a, double b, double c) { return __builtin_fma(a, b, c); }
LANES_INLINE v4 fma4(v4 a, v4 b, v4 c)
{
    double to[4], x[4], y[4], z[4];
    store4(x, a), store4(y, b), store4(z, c);
    vst1q_f64(to, vfmaq_f64(vld1q_f64(z), vld1q_f64(x), vld1q_f64(y)));
    vst1q_f64(to + 2, vfmaq_f64(vld1q_f64(z + 2), vld1q_f64(x + 2), vld1q_f64(y + 2)));
    return load4(to);
}
#elif !(defined(__AVX2__) && defined(__FMA__))
#include "base/fma_lanes.h"
LANES_INLINE double fma1(double a, double b, double c)
{
    return exact_fma4(splat(a), splat(b), splat(c))[0];
}
LANES_INLINE v4 fma4(v4 a, v4 b, v4 c) { return exact_fma4(a, b, c); }
#endif

LANES_INLINE double total4(v4 a) { return (a[0] + a[2]) + (a[1] + a[3]); }

/* ---- As many as the instructions take ----------------------------------------------------------- */

#if defined(__AVX512F__) && defined(__AVX512DQ__)
enum { LANES = 8 };
typedef double wide __attribute__((vector_size(64)));
typedef int64_t wide_mask __attribute__((vector_size(64)));
typedef uint64_t wide_bits __attribute__((vector_size(64)));

LANES_INLINE wide splatw(double a) { return _mm512_set1_pd(a); }
LANES_INLINE wide_bits splat_bitsw(uint64_t a) { return (wide_bits)_mm512_set1_epi64((int64_t)a); }
LANES_INLINE wide loadw(const double *p) { return _mm512_loadu_pd(p); }
LANES_INLINE void storew(double *p, wide a) { _mm512_storeu_pd(p, a); }
LANES_INLINE wide load_partw(const double *p, size_t count)
{
    return _mm512_maskz_loadu_pd((__mmask8)((1u << count) - 1), p);
}
LANES_INLINE void store_partw(double *p, wide a, size_t count)
{
    _mm512_mask_storeu_pd(p, (__mmask8)((1u << count) - 1), a);
}
LANES_INLINE wide fmaw(wide a, wide b, wide c) { return _mm512_fmadd_pd(a, b, c); }
LANES_INLINE wide greaterw(wide a, wide b) { return _mm512_max_pd(a, b); }
LANES_INLINE wide lesserw(wide a, wide b) { return _mm512_min_pd(a, b); }
LANES_INLINE wide sqrtw(wide a) { return _mm512_sqrt_pd(a); }
LANES_INLINE wide selectw(wide_mask mask, wide a, wide b)
{
    return _mm512_mask_blend_pd(_mm512_movepi64_mask((__m512i)mask), b, a);
}
LANES_INLINE wide_bits mul32w(wide_bits a, wide_bits b)
{
    return (wide_bits)_mm512_mul_epu32((__m512i)a, (__m512i)b);
}
LANES_INLINE wide_bits upper32w(wide_bits a) /* a shuffle: shifts share their port with products */
{
    return (wide_bits)_mm512_shuffle_epi32((__m512i)a, 0xF5);
}
LANES_INLINE wide number53w(wide_bits a) { return _mm512_cvtepu64_pd((__m512i)a); }
#define PLACES 0, 1, 2, 3, 4, 5, 6, 7
/* {a_0, b_0, a_1, ...}, from the lower halves and from the upper ones */
LANES_INLINE wide zip_lowerw(wide a, wide b)
{
    return _mm512_permutex2var_pd(a, (__m512i)(wide_bits){0, 8, 1, 9, 2, 10, 3, 11}, b);
}
LANES_INLINE wide zip_upperw(wide a, wide b)
{
    return _mm512_permutex2var_pd(a, (__m512i)(wide_bits){4, 12, 5, 13, 6, 14, 7, 15}, b);
}
LANES_INLINE v4 half4(wide a, size_t fixed_half) /* lanes 4 fixed_half ... */
{
    return fixed_half ? _mm512_extractf64x4_pd(a, 1) : _mm512_castpd512_pd256(a);
}
#else
enum { LANES = 4 };
typedef v4 wide;
typedef i4 wide_mask;
typedef u4 wide_bits;

LANES_INLINE wide splatw(double a) { return splat(a); }
LANES_INLINE wide_bits splat_bitsw(uint64_t a) { return splat_bits(a); }
LANES_INLINE wide loadw(const double *p) { return load4(p); }
LANES_INLINE void storew(double *p, wide a) { store4(p, a); }
LANES_INLINE wide load_partw(const double *p, size_t count) { return load_part(p, count); }
LANES_INLINE void store_partw(double *p, wide a, size_t count) { store_part(p, a, count); }
LANES_INLINE wide fmaw(wide a, wide b, wide c) { return fma4(a, b, c); }
LANES_INLINE wide greaterw(wide a, wide b) { return greater4(a, b); }
LANES_INLINE wide lesserw(wide a, wide b) { return lesser4(a, b); }
LANES_INLINE wide sqrtw(wide a) { return sqrt4(a); }
LANES_INLINE wide selectw(wide_mask mask, wide a, wide b) { return select4(mask, a, b); }
LANES_INLINE wide_bits mul32w(wide_bits a, wide_bits b) { return mul32(a, b); }
/* the upper half of a lane, in its lower half; what is above is anything */
LANES_INLINE wide_bits upper32w(wide_bits a) { return a >> 32; }
LANES_INLINE wide number53w(wide_bits a) /* a < 2^53 as a number, by two exact halves */
{
    const wide_bits two52 = splat_bitsw(0x4330000000000000u);
    wide upper = (wide)((a >> 26) | two52) - splatw(0x1p52);
    wide lower = (wide)((a & 0x3ffffffu) | two52) - splatw(0x1p52);
    return upper * splatw(0x1p26) + lower;
}
#define PLACES 0, 1, 2, 3
LANES_INLINE wide zip_lowerw(wide a, wide b) { return (wide){a[0], b[0], a[1], b[1]}; }
LANES_INLINE wide zip_upperw(wide a, wide b) { return (wide){a[2], b[2], a[3], b[3]}; }
LANES_INLINE v4 half4(wide a, size_t fixed_half)
{
    (void)fixed_half;
    return a;
}
#endif

/* The first count numbers, or all; up to three numbers more are read. */
LANES_INLINE wide load_nearw(const double *p, size_t count)
{
    return LANES > 4 && count < LANES ? load_partw(p, count) : loadw(p);
}

/* The first count numbers, or all. */
LANES_INLINE wide load_somew(const double *p, size_t count)
{
    return count < LANES ? load_partw(p, count) : loadw(p);
}

LANES_INLINE void store_somew(double *p, wide a, size_t count)
{
    if (count < LANES)
        store_partw(p, a, count);
    else
        storew(p, a);
}

LANES_INLINE wide absw(wide a) { return (wide)((wide_bits)a & splat_bitsw(0x7fffffffffffffffu)); }
LANES_INLINE wide minus_absw(wide a)
{
    return (wide)((wide_bits)a | splat_bitsw(0x8000000000000000u));
}

#endif
