/* Philox4x32-10 as a function of (seed, purpose, step, slot).
 * SPDX-License-Identifier: MIT
 *
 * Counter: slot (32 bits) | purpose and the slot's upper 24 bits | step (64 bits). Key: seed.
 * J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011. */
#include "base/rng.h"

#include <assert.h>

#include "base/vmath.h"
#include "base/wide.h"

/* Ten rounds; vmath_code.h has them for several counters at once. */
static rng_block philox(rng_block c, uint32_t key0, uint32_t key1)
{
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xD2511F53u * c.v[0], b = (uint64_t)0xCD9E8D57u * c.v[2];
        c = (rng_block){{(uint32_t)(b >> 32) ^ c.v[1] ^ key0, (uint32_t)b,
                         (uint32_t)(a >> 32) ^ c.v[3] ^ key1, (uint32_t)a}};
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return c;
}

rng_block rng_draw(uint64_t seed, enum purpose purpose, uint64_t step, uint64_t slot)
{
    assert(slot < (uint64_t)1 << 56);
    rng_block counter = {{(uint32_t)slot, (uint32_t)(slot >> 32) << 8 | (uint32_t)purpose,
                          (uint32_t)step, (uint32_t)(step >> 32)}};
    return philox(counter, (uint32_t)seed, (uint32_t)(seed >> 32));
}

static uint64_t join(uint32_t hi, uint32_t lo) { return (uint64_t)hi << 32 | lo; }

static double unit(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; } /* in [0, 1) */

double rng_uniform(uint64_t seed, enum purpose purpose, uint64_t step, uint64_t slot)
{
    rng_block b = rng_draw(seed, purpose, step, slot);
    return unit(join(b.v[1], b.v[0]));
}

/* bits * n / 2^64: off from uniform by at most n / 2^64. */
static uint64_t below(uint64_t bits, uint64_t n)
{
    uint64_t low;
    return wide_times(bits, n, &low);
}

void rng_indices(uint64_t seed, enum purpose purpose, uint64_t step, uint64_t n, size_t count,
                 uint64_t *out)
{
    for (size_t k = 0; k < count; k += 2) {
        rng_block b = rng_draw(seed, purpose, step, k / 2);
        out[k] = below(join(b.v[1], b.v[0]), n);
        if (k + 1 < count) out[k + 1] = below(join(b.v[3], b.v[2]), n);
    }
}

/* Floyd's sampling, then each in its drawn place: count draws, count^2/2 comparisons at worst. */
void rng_distinct(uint64_t seed, enum purpose purpose, uint64_t step, uint32_t n, size_t count,
                  uint32_t *out)
{
    assert(count <= n);
    for (size_t k = 0; k < count; k++) {
        rng_block b = rng_draw(seed, purpose, step, k);
        uint32_t top = n - (uint32_t)(count - k),
                 pick = (uint32_t)below(join(b.v[1], b.v[0]), (uint64_t)top + 1);
        for (size_t e = 0; e < k; e++)
            if (out[e] == pick) {
                pick = top;
                break;
            }
        size_t place = (size_t)below(join(b.v[3], b.v[2]), k + 1);
        out[k] = out[place];
        out[place] = pick;
    }
}

/* Slot row*2^32 + k/2 gives numbers k and k + 1; see base/vmath_code.h. */
void rng_normals(uint64_t seed, enum purpose purpose, uint64_t step, uint32_t row, size_t count,
                 double *out)
{
    assert(row < 1u << 24 && count <= (size_t)UINT32_MAX);
    vmath_best()->normals(seed, 0, row << 8 | (uint32_t)purpose, step, count, out);
}

void rng_signs(uint64_t seed, enum purpose purpose, uint64_t step, uint32_t row, size_t count,
               double *out)
{
    for (size_t k = 0; k < count; k += 128) {
        rng_block b = rng_draw(seed, purpose, step, (uint64_t)row << 32 | k / 128);
        size_t some = count - k < 128 ? count - k : 128;
        for (size_t e = 0; e < some; e++)
            out[k + e] = (double)((int)(b.v[e / 32] >> (e % 32) & 1) * 2 - 1);
    }
}
