/* Which instruction set to use.
 * SPDX-License-Identifier: MIT */
#include "base/vmath.h"

int isa_v3(void)
{
#if defined(ZO_BUILD_V3)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#else
    return 0;
#endif
}

const vmath *vmath_best(void) { return isa_v3() ? &vmath_v3 : &vmath_plain; }
