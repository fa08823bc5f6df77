/* Four numbers at a time: what vmath, the fan kernels and dense.h are written in, inlined where it is used.
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

LANES_INLINE v4 abs4(v4 a) { return (v4)((u4)a & splat_bits(0x7fffffffffffffffu)); }
LANES_INLINE v4 minus_abs4(v4 a) { return (v4)((u4)a | splat_bits(0x8000000000000000u)); }
LANES_INLINE double total4(v4 a) { return (a[0] + a[2]) + (a[1] + a[3]); }

#endif
