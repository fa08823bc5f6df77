/* Rows that come in pieces, until they are a data set.
 * SPDX-License-Identifier: MIT */
#include "data/store.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"

/* Changes an array's room, keeping the old one's contents; 0: out of memory. */
static int resize(void *array, size_t old, size_t room, size_t size)
{
    void **at = array, *p = mem_grow(*at, old, room, size);
    if (p) *at = p;
    return p != NULL;
}

static int mostly_there(size_t entries, size_t n, size_t features)
{
    return (double)entries > 0.5 * (double)n * (double)features;
}

/* ---- One storage into the other ------------------------------------------------------------------- */

/* From full rows to CSR, first row first: a number moves to where it is or before. */
static int pack(store *s)
{
    uint32_t *col = mem_new(s->room, sizeof *col);
    if (!col) return 0;
    size_t at = 0;
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = 0; j < s->full; j++) {
            double v = s->val[i * s->full + j];
            if (v == 0) continue;
            col[at] = (uint32_t)j;
            s->val[at++] = v;
        }
    mem_free(s->col); /* there is one when the first rows to come had nothing in them */
    s->col = col;
    s->full = 0;
    return 1;
}

/* From CSR to full rows, last row first: entry k moves to i*features + col[k], which is k or behind. The columns that
 * are done with are given back on the way. */
static int spread(store *s, size_t features)
{
    size_t step = (size_t)1 << 20, keep = s->room;
    if (!resize(&s->val, s->room, s->n * features, sizeof *s->val)) return 0;
    for (size_t i = s->n; i-- > 0;) {
        double *to = s->val + i * features;
        size_t end = features;
        for (size_t k = s->row[i + 1]; k-- > s->row[i];) {
            double v = s->val[k];
            size_t j = s->col[k];
            while (end > j + 1) to[--end] = 0;
            to[end = j] = v;
        }
        while (end > 0) to[--end] = 0;
        if (keep - s->row[i] > step && resize(&s->col, s->row[i], s->row[i] + 1, sizeof *s->col))
            keep = s->row[i];
    }
    s->full = features;
    s->room = s->n * features;
    return 1;
}

/* ---- Growing -------------------------------------------------------------------------------------- */

/* Room that is not used costs nothing, and mem_grow moves no bytes of a large array: so an eighth more than needed, or
 * as many times as the caller expects. */
static size_t roomy(size_t count, double more)
{
    return (size_t)((double)count * (more > 1.125 ? more : 1.125)) + 1;
}

/* The first rows decide on the storage; later ones may end that of full rows, when they are wider or emptier. */
static int choose_storage(store *s, size_t n, size_t entries, uint32_t widest, size_t features)
{
    if (s->n == 0 && s->full == 0) {
        size_t width = features ? features : widest;
        s->full = n && mostly_there(entries, n, width) ? width : 0;
    } else if (s->full && (widest > s->full || !mostly_there(entries, n, s->full))) {
        return pack(s);
    }
    return 1;
}

zo_status store_grow(store *s, size_t n, size_t entries, uint32_t widest, double more,
                     size_t features, zo_error *err)
{
    if (!choose_storage(s, n, entries, widest, features))
        return out_of_memory(err, "nonzeros", s->room);
    if (n > s->n_room || !s->row) {
        size_t room = roomy(n, more), offsets = s->row ? s->n_room + 1 : 0;
        if (!resize(&s->label, s->n_room, room, sizeof *s->label) ||
            !resize(&s->row, offsets, room + 1, sizeof *s->row))
            return out_of_memory(err, "rows", n);
        s->n_room = room;
    }
    size_t numbers = s->full ? n * s->full : entries;
    if (numbers > s->room || !s->val) {
        size_t room = roomy(numbers, more);
        if ((!s->full && !resize(&s->col, s->room, room, sizeof *s->col)) ||
            !resize(&s->val, s->room, room, sizeof *s->val))
            return out_of_memory(err, "numbers", numbers);
        s->room = room;
    }
    if (widest > s->widest) s->widest = widest;
    return ZO_OK;
}

void store_put(store *s, const rows *from, size_t row_at, size_t entry_at)
{
    uint64_t at = entry_at;
    const uint32_t *col = from->col;
    const double *val = from->val;
    for (size_t i = 0; i < from->n; i++) {
        s->label[row_at + i] = from->label[i];
        at += from->length[i];
        s->row[row_at + i + 1] = at;
        double *to = s->val + (row_at + i) * s->full;
        for (uint32_t k = 0; s->full && k < from->length[i]; k++) to[*col++] = *val++;
    }
    if (s->full || !from->entries) return;
    memcpy(s->col + entry_at, from->col, from->entries * sizeof *s->col);
    memcpy(s->val + entry_at, from->val, from->entries * sizeof *s->val);
}

/* ---- The end -------------------------------------------------------------------------------------- */

/* The storage that the whole set asks for, and no room to spare. */
static int settle(store *s, size_t features, int dense)
{
    if (s->full && (!dense || s->full != features) && !pack(s)) return 0;
    if (dense && !s->full && !spread(s, features)) return 0;
    size_t numbers = s->full ? s->n * s->full : s->entries;
    return resize(&s->label, s->n, s->n, sizeof *s->label) &&
           resize(&s->row, s->n + 1, s->n + 1, sizeof *s->row) &&
           resize(&s->val, numbers, numbers, sizeof *s->val) &&
           (s->full || resize(&s->col, s->entries, s->entries, sizeof *s->col));
}

zo_status store_finish(store *s, zo_data *data, size_t features, zo_error *err)
{
    return store_finish_part(s, data, features ? features : s->widest, s->n, s->entries, err);
}

zo_status store_finish_part(store *s, zo_data *data, size_t features, size_t n, size_t entries,
                            zo_error *err)
{
    if (!settle(s, features, mostly_there(entries, n, features)))
        return out_of_memory(err, "numbers", s->entries);
    *data = (zo_data){.n = s->n, .features = features, .nonzeros = s->entries, .label = s->label};
    data->owned[0] = s->label;
    data->owned[1] = s->val;
    if (s->full) {
        data->dense = s->val;
    } else {
        data->row = data->owned[2] = s->row;
        data->col = data->owned[3] = s->col;
        data->val = s->val;
        s->row = NULL;
        s->col = NULL;
    }
    s->label = s->val = NULL;
    return ZO_OK;
}

void store_free(store *s)
{
    mem_free(s->row);
    mem_free(s->col);
    mem_free(s->val);
    mem_free(s->label);
    *s = (store){0};
}
