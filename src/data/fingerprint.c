/* A checksum of a data set that parts of it can be added up to.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/sum.h"
#include "base/text.h"
#include "data/data.h"

/* Four interleaved chains of multiply and add over words: a few bytes a cycle. */
static uint64_t mix(uint64_t seed, const void *bytes, size_t size)
{
    uint64_t h[4] = {seed, seed + 1, seed + 2, seed + 3}, word[4];
    const unsigned char *p = bytes;
    for (; size >= sizeof word; size -= sizeof word, p += sizeof word) {
        memcpy(word, p, sizeof word);
        for (size_t l = 0; l < 4; l++) {
            h[l] = (h[l] ^ word[l]) * 0x9e3779b97f4a7c15u;
            h[l] ^= h[l] >> 32;
        }
    }
    seed = text_hash(seed, h, sizeof h);
    return size ? text_hash(seed, p, size) : seed;
}

/* Of the rows from ... to - 1, which are the block number block. */
static uint64_t block_print(const zo_data *z, uint64_t block, size_t from, size_t to)
{
    uint64_t length[SUM_BLOCK], h = mix(TEXT_HASH, &block, sizeof block);
    if (z->row) {
        size_t first = (size_t)z->row[from], count = (size_t)z->row[to] - first;
        for (size_t i = from; i < to; i++) length[i - from] = z->row[i + 1] - z->row[i];
        h = mix(h, length, (to - from) * sizeof *length);
        h = mix(h, z->col + first, count * sizeof *z->col);
        h = mix(h, z->val + first, count * sizeof *z->val);
    } else {
        h = mix(h, z->dense + from * z->features, (to - from) * z->features * sizeof *z->dense);
    }
    return mix(h, z->label + from, (to - from) * sizeof *z->label);
}

uint64_t data_print_part(const zo_data *z, size_t part, size_t parts)
{
    uint64_t sum = 0;
    size_t blocks = z->n / SUM_BLOCK + (z->n % SUM_BLOCK != 0);
    for (size_t k = part * blocks / parts; k < (part + 1) * blocks / parts; k++) {
        size_t i = k * SUM_BLOCK;
        sum += block_print(z, (z->first + i) / SUM_BLOCK, i,
                           z->n - i < SUM_BLOCK ? z->n : i + SUM_BLOCK);
    }
    return sum;
}

uint64_t data_print(const zo_data *z) { return data_print_part(z, 0, 1); }
