/* Which blocks of the one sum (base/sum.h) a rank has.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_BASE_SHARE_H
#define ZO_BASE_SHARE_H

#include <stddef.h>
#include <stdint.h>

#include "base/sum.h"

static inline uint64_t share_blocks(size_t n) { return n / SUM_BLOCK + (n % SUM_BLOCK != 0); }
/* the first block of a rank; rank = size: the end */
uint64_t share_border(uint64_t blocks, int rank, int size);

#endif
