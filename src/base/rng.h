/* Randomness is a pure function of (seed, purpose, step, slot): nothing to save, nothing to share.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_BASE_RNG_H
#define ZO_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

/* One counter space per use, so that no two uses ever see the same numbers. Values are part of the sameness
 * promise: append, never renumber. */
enum purpose {
    FOR_DIRECTION = 0,
    FOR_REFERENCE = 1, /* directions of a full pass, where a method draws both kinds in one step */
    FOR_COMPONENT = 2,
    FOR_COIN = 3,
    FOR_CURVATURE = 4,
    FOR_SYNTH = 5,
    FOR_PERMUTATION = 6,
    FOR_CHECK = 7,
    FOR_SUPPORT = 8,
    FOR_RECOVERY = 9,
    FOR_SPREAD = 10,
    FOR_TWIN = 11
};

typedef struct rng_block {
    uint32_t v[4];
} rng_block;

rng_block rng_draw(uint64_t seed, enum purpose purpose, uint64_t step, uint64_t slot);
/* in [0, 1), 53 bits */
double rng_uniform(uint64_t seed, enum purpose purpose, uint64_t step, uint64_t slot);
/* count indices below n, uniform, with replacement; slots 0... */
void rng_indices(uint64_t seed, enum purpose purpose, uint64_t step, uint64_t n, size_t count,
                 uint64_t *out);
/* count distinct indices below n in random order; work: none. O(count) expected for count << n. */
void rng_distinct(uint64_t seed, enum purpose purpose, uint64_t step, uint32_t n, size_t count,
                  uint32_t *out);
/* count standard normals (Box-Muller on whole blocks); number k depends on (seed, purpose, step, row, k) alone. */
void rng_normals(uint64_t seed, enum purpose purpose, uint64_t step, uint32_t row, size_t count,
                 double *out);
/* count numbers +1 or -1 */
void rng_signs(uint64_t seed, enum purpose purpose, uint64_t step, uint32_t row, size_t count,
               double *out);

#endif
