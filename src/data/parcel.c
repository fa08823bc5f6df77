/* Rows put away small, to be taken out again.
 * SPDX-License-Identifier: MIT
 *
 * A number x with a count c (how many columns further, or how many entries the row has) is written as 4 c + k in
 * groups of seven bits, lowest first, and then by k: 0 nothing, x = 1; 1 nothing, x = -1; 2 a float that is x; 3 x.
 * A piece is its n, then for each row the label with the length, and its values with their columns. */
#include "data/parcel.h"

#include <string.h>

#include "base/mem.h"

enum {
    PARCEL = (1 << 22) + (1 << 16),
    MOST_BYTES = 13
}; /* of a parcel: large enough to be mapped; of a number */

typedef struct parcel {
    struct parcel *next;
    size_t used, room, taken;
    unsigned char bytes[];
} parcel;

/* ---- Numbers -------------------------------------------------------------------------------------- */

static unsigned char *put_count(unsigned char *p, uint64_t v)
{
    for (; v >= 128; v >>= 7) *p++ = (unsigned char)(v | 128);
    *p++ = (unsigned char)v;
    return p;
}

static const unsigned char *take_count(const unsigned char *p, uint64_t *v)
{
    *v = 0;
    for (unsigned shift = 0;; shift += 7) {
        *v |= (uint64_t)(*p & 127) << shift;
        if (*p++ < 128) return p;
    }
}

static unsigned char *put_number(unsigned char *p, uint64_t count, double x)
{
    float small = x >= -1e30 && x <= 1e30 ? (float)x : 0;
    if (x == 1) return put_count(p, 4 * count);
    if (x == -1) return put_count(p, 4 * count + 1);
    if ((double)small == x && x != 0) {
        p = put_count(p, 4 * count + 2);
        memcpy(p, &small, sizeof small);
        return p + sizeof small;
    }
    p = put_count(p, 4 * count + 3);
    memcpy(p, &x, sizeof x);
    return p + sizeof x;
}

static const unsigned char *take_number(const unsigned char *p, uint64_t *count, double *x)
{
    float small;
    p = take_count(p, count);
    unsigned kind = *count & 3;
    *count /= 4;
    *x = kind == 0 ? 1 : -1;
    if (kind < 2) return p;
    if (kind == 3) {
        memcpy(x, p, sizeof *x);
        return p + sizeof *x;
    }
    memcpy(&small, p, sizeof small);
    *x = small;
    return p + sizeof small;
}

/* ---- Pieces --------------------------------------------------------------------------------------- */

/* The last parcel, if it has room for so many bytes, or a new one behind it. */
static parcel *parcel_for(parcels *p, size_t bytes)
{
    if (p->last && p->last->room - p->last->used >= bytes) return p->last;
    size_t room = bytes > PARCEL ? bytes : PARCEL;
    parcel *q = mem_new(1, sizeof *q + room);
    if (!q) return NULL;
    q->room = room;
    if (p->last)
        p->last->next = q;
    else
        p->first = q;
    p->last = q;
    return q;
}

int parcels_add(parcels *p, const rows *from)
{
    parcel *q = parcel_for(p, MOST_BYTES * (1 + from->n + from->entries));
    if (!q) return 0;
    unsigned char *at = put_count(q->bytes + q->used, from->n);
    size_t e = 0;
    for (size_t i = 0; i < from->n; i++) {
        uint32_t next = 0; /* the first column that is still free */
        at = put_number(at, from->length[i], from->label[i]);
        for (size_t end = e + from->length[i]; e < end; e++) {
            at = put_number(at, from->col[e] - next, from->val[e]);
            next = from->col[e] + 1;
        }
    }
    q->used = (size_t)(at - q->bytes);
    p->n += from->n;
    p->entries += from->entries;
    if (from->n > p->most_n) p->most_n = from->n;
    if (from->entries > p->most_entries) p->most_entries = from->entries;
    if (from->widest > p->widest) p->widest = from->widest;
    return 1;
}

static void drop_first(parcels *p)
{
    parcel *gone = p->first;
    p->first = gone->next;
    if (!p->first) p->last = NULL;
    mem_free(gone);
}

int parcels_take(parcels *p, rows *into)
{
    while (p->first && p->first->taken == p->first->used) drop_first(p);
    if (!p->first) return 0;
    uint64_t n, length, skipped;
    const unsigned char *at = take_count(p->first->bytes + p->first->taken, &n);
    size_t e = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t next = 0;
        at = take_number(at, &length, &into->label[i]);
        into->length[i] = (uint32_t)length;
        for (size_t end = e + length; e < end; e++) {
            at = take_number(at, &skipped, &into->val[e]);
            into->col[e] = next + (uint32_t)skipped;
            next = into->col[e] + 1;
        }
    }
    into->n = n;
    into->entries = e;
    p->first->taken = (size_t)(at - p->first->bytes);
    return 1;
}

void parcels_free(parcels *p)
{
    while (p->first) drop_first(p);
}
