/* Which blocks of the one sum a rank has.
 * SPDX-License-Identifier: MIT */
#include "base/share.h"

#include "zoprox_spread.h"

enum { BALANCE = 64 }; /* blocks of a rank, from which borders are rounded */

/* Where a rank has many blocks, borders are rounded: fewer and larger nodes. */
uint64_t share_border(uint64_t blocks, int rank, int size)
{
    uint64_t grain = 1, ranks = (uint64_t)size, r = (uint64_t)rank;
    while (2 * grain * BALANCE * ranks <= blocks) grain *= 2;
    if (r == ranks) return blocks;
    return (blocks / ranks * r + blocks % ranks * r / ranks) / grain * grain;
}

void zo_share(size_t n, int rank, int size, size_t *first, size_t *count)
{
    uint64_t blocks = share_blocks(n);
    size_t from = (size_t)share_border(blocks, rank, size) * SUM_BLOCK;
    size_t to = rank + 1 == size ? n : (size_t)share_border(blocks, rank + 1, size) * SUM_BLOCK;
    *first = from;
    *count = to - from;
}
