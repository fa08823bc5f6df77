/* Which blocks of the one sum a rank has.
 * SPDX-License-Identifier: MIT */
#include "base/share.h"

#include "zoprox_spread.h"

enum { BALANCE = 64 }; /* a border may be off by so small a part of a share */

/* Near an even share, the border that the largest power of 2 divides: fewer and larger nodes. */
uint64_t share_border(uint64_t blocks, int rank, int size)
{
    uint64_t ranks = (uint64_t)size, r = (uint64_t)rank, grain = 1;
    if (r == 0 || r == ranks) return r ? blocks : 0;
    uint64_t even = blocks / ranks * r + blocks % ranks * r / ranks, off = blocks / ranks / BALANCE;
    while ((even + off) / (2 * grain) * (2 * grain) >= even - off && 2 * grain <= even + off)
        grain *= 2;
    return (even + off) / grain * grain;
}

void zo_share(size_t n, int rank, int size, size_t *first, size_t *count)
{
    uint64_t blocks = share_blocks(n);
    size_t from = (size_t)share_border(blocks, rank, size) * SUM_BLOCK;
    size_t to = rank + 1 == size ? n : (size_t)share_border(blocks, rank + 1, size) * SUM_BLOCK;
    *first = from;
    *count = to - from;
}
