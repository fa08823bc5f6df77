/* The loops of dense.h for x86-64 with AVX2 and FMA: see src/CMakeLists.txt. Elsewhere as plain, and not used.
 * SPDX-License-Identifier: MIT */
#define DENSE dense_v3
#include "base/dense_code.h"
