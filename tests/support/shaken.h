/* Noise for answers, of its own at every call, or a function of the point so that a resumed run sees it again.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TESTS_SHAKEN_H
#define ZO_TESTS_SHAKEN_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/rng.h"

static inline uint64_t bits_of(size_t d, const double *x)
{
    uint64_t h = 7, w;
    for (size_t j = 0; j < d; j++) {
        memcpy(&w, x + j, 8);
        h = (h ^ w) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h;
}

/* Uniform, with mean 0 and standard deviation sigma. */
static inline double shaken_by(double sigma, uint64_t when, size_t i)
{
    return sigma * sqrt(12) * (rng_uniform(9, FOR_CHECK, when, i) - 0.5);
}

#endif
