/* vmath for every machine of the architecture.
 * SPDX-License-Identifier: MIT */
#define VMATH vmath_plain
#include "base/vmath_code.h"
