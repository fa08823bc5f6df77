/* Vectorised exp, log and normals, compiled for more than one instruction set and chosen at run time: the same
 * bytes from each.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_BASE_VMATH_H
#define ZO_BASE_VMATH_H

#include <stddef.h>
#include <stdint.h>

/* One build of the loops. Each number of out depends on its own number of in alone; they may be the same
 * array. Accuracy: 2 units in the last place or better over the whole range. */
typedef struct vmath {
    void (*exp)(size_t count, const double *in, double *out);
    void (*log)(size_t count, const double *in, double *out);
    void (*log1p)(size_t count, const double *in, double *out); /* for 0 <= in <= 1 */
    double (*exp_one)(double x);
    double (*log_one)(double x);
    void (*turn)(double u, double *cosine, double *sine); /* of 2 pi u, 0 <= u <= 1 */
    /* Normals from the philox counters {first + e, word, step, step >> 32}, e = 0, 1, ...: two each. */
    void (*normals)(uint64_t seed, uint32_t first, uint32_t word, uint64_t step, size_t count,
                    double *out);
} vmath;

extern const vmath vmath_plain, vmath_v3, vmath_v4; /* for the tests; each needs its ISA */

const vmath *vmath_best(void); /* of this machine */

#endif
