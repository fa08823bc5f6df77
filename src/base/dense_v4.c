/* The loops of dense.h for x86-64 with AVX-512: see src/CMakeLists.txt. Elsewhere as plain, and not used.
 * SPDX-License-Identifier: MIT */
#define DENSE dense_v4
#include "base/dense_code.h"
