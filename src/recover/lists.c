/* Questions as lists; see lists.h.
 * SPDX-License-Identifier: MIT */
#include "recover/lists.h"

#include <string.h>

#include "base/mem.h"

enum {
    ROOM =
        32, /* times d numbers in all lists: halves of halves of d coordinates, with a few weights */
    SLOTS = 8192, /* of the table */
    MOST = 6000   /* lists */
};

typedef struct slot {
    list_key key;
    uint32_t there;
    size_t at; /* where it begins */
} slot;

struct lists {
    size_t d, used, count;
    int full;
    slot *slot;
    uint32_t *place;
    double *value;
    uint64_t *bit; /* d: scratch */
};

static size_t words(size_t d) { return (d + 63) / 64; }

size_t lists_bytes(size_t d) { return ROOM * d * 12 + SLOTS * sizeof(slot) + 8 * words(d); }

lists *lists_new(size_t d)
{
    lists *l = mem_new(1, sizeof *l);
    if (!l) return NULL;
    l->d = d;
    l->slot = mem_new(SLOTS, sizeof *l->slot);
    l->place = mem_new(ROOM * d, sizeof *l->place);
    l->value = mem_new(ROOM * d, sizeof *l->value);
    l->bit = mem_new(words(d), sizeof *l->bit);
    if (l->slot && l->place && l->value && l->bit) return l;
    lists_free(l);
    return NULL;
}

void lists_free(lists *l)
{
    if (!l) return;
    mem_free(l->slot);
    mem_free(l->place);
    mem_free(l->value);
    mem_free(l->bit);
    mem_free(l);
}

void lists_forget(lists *l)
{
    memset(l->slot, 0, SLOTS * sizeof *l->slot);
    l->used = l->count = 0;
    l->full = 0;
}

void lists_begin(lists *l)
{
    if (l->full) lists_forget(l);
}

static slot *find(lists *l, list_key key)
{
    uint32_t at = (key.from * 0x9e3779b1u ^ key.to * 0x85ebca6bu ^ key.which * 0xc2b2ae35u) >> 7;
    for (;; at++) {
        slot *s = &l->slot[at % SLOTS];
        if (!s->there || !memcmp(&s->key, &key, sizeof key)) return s;
    }
}

/* The coordinates in rising order, by their bits. */
static void fill(lists *l, const slot *s, const uint32_t *order, const double *w, double by)
{
    size_t at = s->at;
    for (size_t k = s->key.from; k < s->key.to; k++)
        l->bit[order[k] / 64] |= (uint64_t)1 << order[k] % 64;
    for (size_t k = 0; k < words(l->d); k++) {
        for (uint64_t left = l->bit[k]; left; left &= left - 1, at++) {
            size_t j = 64 * k + (size_t)__builtin_ctzll(left);
            l->place[at] = (uint32_t)j;
            l->value[at] = by * w[j];
        }
        l->bit[k] = 0;
    }
}

zo_sparse lists_row(lists *l, list_key key, const uint32_t *order, const double *w, double by)
{
    size_t count = key.to - key.from;
    if (2 * count > l->d) return (zo_sparse){0};
    slot *s = find(l, key);
    if (!s->there) {
        l->full |= l->used + count > ROOM * l->d || l->count == MOST;
        if (l->full) return (zo_sparse){0};
        *s = (slot){key, 1, l->used};
        l->used += count;
        l->count++;
        fill(l, s, order, w, by);
    }
    return (zo_sparse){count, l->place + s->at, l->value + s->at};
}
