/* Which build of the loops.
 * SPDX-License-Identifier: MIT */
#include "base/vmath.h"

#include "base/isa.h"

const vmath *vmath_best(void) { return isa_level() >= ISA_V3 ? &vmath_v3 : &vmath_plain; }
