/* The loops of vmath, for the instruction set this is compiled for. VMATH names the table.
 * SPDX-License-Identifier: MIT */
#include "base/vmath.h"
#include "base/vmath_lanes.h"

#define VMATH_LOOP(name, lanes)                                                                    \
    static void name(size_t count, const double *in, double *out)                                  \
    {                                                                                              \
        size_t k = 0;                                                                              \
        for (; k + LANES <= count; k += LANES) storew(out + k, lanes(loadw(in + k)));              \
        if (k < count) store_partw(out + k, lanes(load_partw(in + k, count - k)), count - k);      \
    }

VMATH_LOOP(exp_loop, expw)
VMATH_LOOP(log_loop, logw)
VMATH_LOOP(log1p_loop, log1p_unitw)

static double exp_one(double x) { return expw(splatw(x))[0]; }

static double log_one(double x) { return logw(splatw(x))[0]; }

static void turn_one(double u, double *cosine, double *sine)
{
    wide c, s;
    turnw(splatw(u), &c, &s);
    *cosine = c[0];
    *sine = s[0];
}

/* vectors of counters that go through the rounds side by side, to hide their latency */
enum { ABREAST = 3 };

/* Ten rounds of philox4x32 on LANES counters a vector, each word in the lower half of a lane; upper halves are left
 * dirty, as mul32w does not see them. */
LANES_INLINE void philoxw(wide_bits c[ABREAST][4], uint32_t key0, uint32_t key1)
{
    for (int round = 0; round < 10; round++) {
        for (size_t h = 0; h < ABREAST; h++) {
            wide_bits a = mul32w(c[h][0], splat_bitsw(0xD2511F53u)),
                      b = mul32w(c[h][2], splat_bitsw(0xCD9E8D57u));
            c[h][0] = upper32w(b) ^ c[h][1] ^ splat_bitsw(key0);
            c[h][1] = b;
            c[h][2] = upper32w(a) ^ c[h][3] ^ splat_bitsw(key1);
            c[h][3] = a;
        }
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
}

/* The upper 53 bits of hi:lo as a number in [0, 1). */
LANES_INLINE wide unitw(wide_bits hi, wide_bits lo)
{
    return number53w(((hi << 32) | (lo & 0xffffffffu)) >> 11) * splatw(0x1p-53);
}

/* Box-Muller: two uniforms in, two normals out. 1 - u keeps the logarithm's argument off zero. All roots first: they
 * and their quotients are slow, and the turns need not wait for them. */
LANES_INLINE void normals_of(const wide_bits c[ABREAST][4], double *out)
{
    wide r[ABREAST], cosine, sine;
    for (size_t h = 0; h < ABREAST; h++)
        r[h] = sqrtw(splatw(-2) * log_normalw(splatw(1) - unitw(c[h][1], c[h][0])));
    for (size_t h = 0; h < ABREAST; h++, out += 2 * LANES) {
        turnw(unitw(c[h][3], c[h][2]), &cosine, &sine);
        wide a = r[h] * cosine, b = r[h] * sine;
        storew(out, zip_lowerw(a, b));
        storew(out + LANES, zip_upperw(a, b));
    }
}

static void normals_loop(uint64_t seed, uint32_t first, uint32_t word, uint64_t step, size_t count,
                         double *out)
{
    enum { SOME = 2 * LANES * ABREAST };
    for (size_t k = 0; k < count; k += SOME) {
        wide_bits c[ABREAST][4];
        double some[SOME], *to = count - k < SOME ? some : out + k;
        for (uint32_t h = 0, e = first + (uint32_t)(k / 2); h < ABREAST; h++, e += LANES) {
            c[h][0] = (wide_bits){PLACES} + splat_bitsw(e);
            c[h][1] = splat_bitsw(word);
            c[h][2] = splat_bitsw((uint32_t)step);
            c[h][3] = splat_bitsw(step >> 32);
        }
        philoxw(c, (uint32_t)seed, (uint32_t)(seed >> 32));
        normals_of((const wide_bits(*)[4])c, to);
        if (to == some) memcpy(out + k, some, (count - k) * sizeof *out);
    }
}

const vmath VMATH = {exp_loop, log_loop, log1p_loop, exp_one, log_one, turn_one, normals_loop};
