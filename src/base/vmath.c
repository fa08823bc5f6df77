/* Which build of the loops.
 * SPDX-License-Identifier: MIT */
#include "base/vmath.h"

#include "base/isa.h"

const vmath *vmath_best(void)
{
    static const vmath *const all[ISA_COUNT] = {&vmath_plain, &vmath_v3, &vmath_v4};
    return all[isa_level()];
}
