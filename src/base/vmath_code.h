/* The loops of vmath, for the instruction set this is compiled for. VMATH names the table.
 * SPDX-License-Identifier: MIT */
#include "base/vmath.h"
#include "base/vmath_lanes.h"

#define VMATH_LOOP(name, lanes)                                                                    \
    static void name(size_t count, const double *in, double *out)                                  \
    {                                                                                              \
        size_t k = 0;                                                                              \
        for (; k + 4 <= count; k += 4) store4(out + k, lanes(load4(in + k)));                      \
        if (k < count) store_part(out + k, lanes(load_part(in + k, count - k)), count - k);        \
    }

VMATH_LOOP(exp_loop, exp4)
VMATH_LOOP(log_loop, log4)
VMATH_LOOP(log1p_loop, log1p_unit4)

static double exp_one(double x) { return exp4(splat(x))[0]; }

static double log_one(double x) { return log4(splat(x))[0]; }

static void turn_one(double u, double *cosine, double *sine)
{
    v4 c, s;
    turn4(splat(u), &c, &s);
    *cosine = c[0];
    *sine = s[0];
}

/* vectors of counters that go through the rounds side by side, to hide their latency */
enum { ABREAST = 2 };

/* Ten rounds of philox4x32 on four counters a vector, each word in the lower half of a lane; upper halves are left
 * dirty, as mul32 does not see them. */
LANES_INLINE void philox4(u4 c[ABREAST][4], uint32_t key0, uint32_t key1)
{
    for (int round = 0; round < 10; round++) {
        for (size_t h = 0; h < ABREAST; h++) {
            u4 a = mul32(c[h][0], splat_bits(0xD2511F53u)),
               b = mul32(c[h][2], splat_bits(0xCD9E8D57u));
            c[h][0] = (b >> 32) ^ c[h][1] ^ splat_bits(key0);
            c[h][1] = b;
            c[h][2] = (a >> 32) ^ c[h][3] ^ splat_bits(key1);
            c[h][3] = a;
        }
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
}

/* The upper 53 bits of hi:lo as a number in [0, 1), in two exact halves. */
LANES_INLINE v4 unit4(u4 hi, u4 lo)
{
    const u4 two52 = splat_bits(0x4330000000000000u);
    u4 bits = ((hi << 32) | (lo & 0xffffffffu)) >> 11;
    v4 upper = (v4)((bits >> 26) | two52) - splat(0x1p52);
    v4 lower = (v4)((bits & 0x3ffffffu) | two52) - splat(0x1p52);
    return upper * splat(0x1p-27) + lower * splat(0x1p-53);
}

/* Box-Muller: two uniforms in, two normals out. 1 - u keeps the logarithm's argument off zero. */
LANES_INLINE void normals8(const u4 c[4], double out[8])
{
    v4 r = sqrt4(splat(-2) * log_normal4(splat(1) - unit4(c[1], c[0]))), cosine, sine;
    turn4(unit4(c[3], c[2]), &cosine, &sine);
    v4 a = r * cosine, b = r * sine;
    store4(out, (v4){a[0], b[0], a[1], b[1]});
    store4(out + 4, (v4){a[2], b[2], a[3], b[3]});
}

static void normals_loop(uint64_t seed, uint32_t first, uint32_t word, uint64_t step, size_t count,
                         double *out)
{
    for (size_t k = 0; k < count; k += 8 * ABREAST) {
        u4 c[ABREAST][4];
        double some[8 * ABREAST], *to = count - k < 8 * ABREAST ? some : out + k;
        for (uint32_t h = 0, e = first + (uint32_t)(k / 2); h < ABREAST; h++, e += 4) {
            c[h][0] = (u4){e, e + 1, e + 2, e + 3};
            c[h][1] = splat_bits(word);
            c[h][2] = splat_bits((uint32_t)step);
            c[h][3] = splat_bits(step >> 32);
        }
        philox4(c, (uint32_t)seed, (uint32_t)(seed >> 32));
        for (size_t h = 0; h < ABREAST; h++) normals8(c[h], to + 8 * h);
        if (to == some) memcpy(out + k, some, (count - k) * sizeof *out);
    }
}

const vmath VMATH = {exp_loop, log_loop, log1p_loop, exp_one, log_one, turn_one, normals_loop};
