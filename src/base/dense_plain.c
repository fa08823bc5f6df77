/* The loops of dense.h for every machine of the architecture.
 * SPDX-License-Identifier: MIT */
#define DENSE dense_plain
#include "base/dense_code.h"
