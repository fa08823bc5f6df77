/* The kernels for every machine of the architecture.
 * SPDX-License-Identifier: MIT */
#define KERNEL kernel_plain
#include "problem/loss/kernel_code.h"
