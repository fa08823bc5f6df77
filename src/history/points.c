/* The points written last: a fan asks many components at each, and mostly in turn.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/mem.h"
#include "history/parts.h"

enum { MOST_POINTS = 4096, MOST_NUMBERS = 1 << 18 };

uint64_t history_mix(uint64_t hash, const void *words, size_t count)
{
    const char *p = words;
    for (size_t k = 0; k < count; k++) {
        uint64_t word;
        memcpy(&word, p + 8 * k, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

int points_open(points *p, size_t d)
{
    size_t count = MOST_NUMBERS / d;
    *p = (points){.d = d, .count = count < 1 ? 1 : count < MOST_POINTS ? count : MOST_POINTS};
    p->x = mem_new(p->count * d, sizeof *p->x);
    p->filled = mem_new(p->count, 1);
    return p->x && p->filled;
}

void points_close(points *p)
{
    mem_free(p->x);
    mem_free(p->filled);
    *p = (points){0};
}

size_t points_find(points *p, const double *x, int *there)
{
    size_t k = (size_t)(history_mix(0, x, p->d) % p->count), size = p->d * sizeof *x;
    *there = p->filled[k] && !memcmp(p->x + k * p->d, x, size);
    if (!*there) memcpy(p->x + k * p->d, x, size);
    p->filled[k] = 1;
    return k;
}
