/* What lm keeps, for who chooses a method.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_LM_BYTES_H
#define ZO_LM_BYTES_H

#include <stddef.h>

double lm_bytes(size_t n, size_t d);

#endif
