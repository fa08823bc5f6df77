/* The kernels for x86-64 with AVX-512: see src/CMakeLists.txt for the compiler's options. Elsewhere the same as
 * plain (and not used).
 * SPDX-License-Identifier: MIT */
#define KERNEL kernel_v4
#include "problem/loss/kernel_code.h"
