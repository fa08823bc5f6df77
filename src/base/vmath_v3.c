/* vmath for x86-64 with AVX2 and FMA: see src/CMakeLists.txt for the compiler's options. Elsewhere the same
 * as plain (and not used).
 * SPDX-License-Identifier: MIT */
#define VMATH vmath_v3
#include "base/vmath_code.h"
