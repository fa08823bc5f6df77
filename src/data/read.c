/* Reads a LIBSVM file: pieces of whole lines, parsed side by side, appended in their order.
 * SPDX-License-Identifier: MIT
 *
 *     input -> bank of pieces -> rows of each piece -> store
 *
 * While the pieces of one bank are parsed the other bank is filled. What comes out depends on the text alone,
 * and the fault that is reported is the first one in the file. Beside the arrays it returns, a reader holds
 * its banks: 1.3 MB for each piece (more only when one line is longer than a piece). */
#define _GNU_SOURCE /* memrchr */
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/pool.h"
#include "data/data.h"
#include "data/input.h"
#include "data/parcel.h"
#include "data/store.h"

enum {
    PIECE = 1 << 17,
    MOST_THREADS = 8
}; /* PIECE: text and rows of one fit the second-level cache */

typedef struct piece {
    char *text;
    size_t size, room; /* room: without the slack for the parser */
    rows rows;
    size_t row_at, entry_at; /* where its rows and entries go */
} piece;

typedef struct reader {
    const char *path;
    const extent *part; /* NULL: all of it */
    input *from;
    pool *threads;
    size_t features; /* asked for; 0: as many as there are */
    uint32_t limit;  /* largest index allowed */
    size_t piece;    /* bytes */
    size_t width;    /* pieces in a bank */
    piece *bank[2];
    size_t filled[2];
    char *carry; /* the beginning of a line whose end is still to come */
    size_t carried, carry_room;
    int ended; /* the source has no more, or failed: see why */
    zo_error why;
    int at;               /* the bank that is parsed */
    uint64_t size, taken; /* bytes of text: in all (0: not known), appended */
    size_t lines;         /* in all pieces appended */
    int unpacks; /* the text comes out of an unpacker: rows are put away until that is done */
    parcels away;
    store kept;
} reader;

const char *data_shown(const char *path) { return strcmp(path, "-") ? path : "standard input"; }

zo_status data_check_text(const char *path, size_t n, size_t features, size_t widest, size_t lines,
                          zo_error *err)
{
    if (n && !features && !widest)
        return fail(err, ZO_BAD_INPUT, "%.300s: no row has a feature", data_shown(path));
    if (n) return ZO_OK;
    if (lines)
        return fail(err, ZO_BAD_INPUT, "%.300s: no data in %zu lines, only blanks and comments",
                    data_shown(path), lines);
    return fail(err, ZO_BAD_INPUT, "%.300s: empty; a line is LABEL INDEX:VALUE ...",
                data_shown(path));
}

/* ---- Filling ------------------------------------------------------------------------------------ */

static void rows_free(rows *r)
{
    mem_free(r->label);
    mem_free(r->length);
    mem_free(r->col);
    mem_free(r->val);
}

/* Keeps the first size bytes of text. */
static int piece_room(piece *p, size_t room)
{
    if (room <= p->room) return 1;
    char *text = mem_grow(p->text, p->size, room + PARSE_SLACK, 1);
    if (!text) return 0;
    p->text = text;
    rows_free(&p->rows);
    p->rows.label = mem_new(room / 2 + 1, sizeof *p->rows.label);
    p->rows.length = mem_new(room / 2 + 1, sizeof *p->rows.length);
    p->rows.col = mem_new(room / 4 + 1, sizeof *p->rows.col);
    p->rows.val = mem_new(room / 4 + 1, sizeof *p->rows.val);
    if (!p->rows.label || !p->rows.length || !p->rows.col || !p->rows.val) return 0;
    p->room = room;
    return 1;
}

static void piece_free(piece *p)
{
    mem_free(p->text);
    rows_free(&p->rows);
}

/* The end, for want of memory: p is left empty. */
static void give_up(reader *r, piece *p)
{
    out_of_memory(&r->why, "bytes of text", p->room + r->piece);
    r->ended = 1;
    p->size = 0;
}

/* Keeps what follows the last whole line for the next piece; 0: out of memory. */
static int carry_over(reader *r, piece *p, size_t whole)
{
    size_t rest = p->size - whole;
    if (rest > r->carry_room) {
        char *carry = mem_grow(r->carry, 0, rest, 1);
        if (!carry) return 0;
        r->carry = carry;
        r->carry_room = rest;
    }
    if (rest) memcpy(r->carry, p->text + whole, rest);
    r->carried = rest;
    p->size = whole;
    return 1;
}

/* Reads until p is full or the source ends. */
static void read_piece(reader *r, piece *p)
{
    while (!r->ended && p->size < p->room) {
        size_t got;
        if (input_read(r->from, p->text + p->size, p->room - p->size, &got, &r->why) || got == 0)
            r->ended = 1;
        p->size += got;
    }
}

/* A line that is no text: a zero byte that is not in a comment. */
static int is_binary(const piece *p)
{
    const char *zero = memchr(p->text, 0, p->size);
    return zero && !memchr(p->text, '#', (size_t)(zero - p->text));
}

/* Whole lines, beginning with what was carried over. A line longer than a piece is read on, unless it is no
 * text: the parser says so at once. */
static void fill_piece(reader *r, piece *p)
{
    p->size = 0;
    if (!piece_room(p, r->carried + r->piece)) {
        give_up(r, p);
        return;
    }
    if (r->carried) memcpy(p->text, r->carry, r->carried);
    p->size = r->carried;
    r->carried = 0;
    const char *last = NULL;
    for (;;) {
        read_piece(r, p);
        last = p->size ? memrchr(p->text, '\n', p->size) : NULL;
        if (last || r->ended || is_binary(p)) break;
        if (!piece_room(p, 2 * p->room)) {
            give_up(r, p);
            return;
        }
    }
    if (!last && !r->ended) r->ended = 1;
    if (r->ended && !r->why.status) return;
    if (!carry_over(r, p, last ? (size_t)(last - p->text) + 1 : 0)) give_up(r, p);
}

static void fill_bank(reader *r, int which)
{
    r->filled[which] = 0;
    while (!r->ended && r->filled[which] < r->width)
        fill_piece(r, &r->bank[which][r->filled[which]++]);
}

/* ---- Parsing and appending ---------------------------------------------------------------------- */

/* Task 0 fills the other bank, the others parse a piece of this one each. */
static void fill_or_parse(void *ctx, size_t k, int who)
{
    reader *r = ctx;
    (void)who;
    if (k == 0) {
        fill_bank(r, !r->at);
        return;
    }
    piece *p = &r->bank[r->at][k - 1];
    if (p->text) parse_rows(p->text, p->size, r->limit, &p->rows);
}

static void put_piece(void *ctx, size_t k, int who)
{
    reader *r = ctx;
    piece *p = &r->bank[r->at][k];
    (void)who;
    store_put(&r->kept, &p->rows, p->row_at, p->entry_at);
}

static const char *shown(const reader *r) { return data_shown(r->path); }

/* Where the rows of each piece go, or the first fault. */
static zo_status place_bank(reader *r, store *total, zo_error *err)
{
    for (size_t k = 0; k < r->filled[r->at]; k++) {
        piece *p = &r->bank[r->at][k];
        if (p->rows.fault_column)
            return fail(err, ZO_BAD_INPUT, "%.250s:%zu:%zu: %s", shown(r),
                        r->lines + p->rows.lines + 1, p->rows.fault_column, p->rows.fault);
        p->row_at = total->n;
        p->entry_at = total->entries;
        total->n += p->rows.n;
        total->entries += p->rows.entries;
        r->lines += p->rows.lines;
        r->taken += p->size;
        if (p->rows.widest > total->widest) total->widest = p->rows.widest;
    }
    return ZO_OK;
}

static zo_status append_bank(reader *r, zo_error *err)
{
    store total = r->kept; /* as it will be */
    zo_status status = place_bank(r, &total, err);
    if (status) return status;
    for (size_t k = 0; r->unpacks && k < r->filled[r->at]; k++)
        if (!parcels_add(&r->away, &r->bank[r->at][k].rows))
            return out_of_memory(err, "rows", r->away.n);
    if (r->unpacks) return ZO_OK;
    double more =
        1.02 * (double)r->size / (double)(r->taken + 1); /* the file goes on as it began */
    status = store_grow(&r->kept, total.n, total.entries, total.widest, more, r->features, err);
    if (status) return status;
    pool_run(r->threads, r->filled[r->at], put_piece, r);
    r->kept.n = total.n;
    r->kept.entries = total.entries;
    return ZO_OK;
}

static zo_status read_all(reader *r, zo_error *err)
{
    fill_bank(r, 0);
    for (r->at = 0; r->filled[r->at]; r->at = !r->at) {
        pool_run(r->threads, r->filled[r->at] + 1, fill_or_parse, r);
        zo_status status = append_bank(r, err);
        if (status) return status;
    }
    if (r->why.status == ZO_NO_MEMORY) return fail(err, ZO_NO_MEMORY, "%s", r->why.text);
    if (r->why.status)
        return fail(err, r->why.status, "%.250s:%zu:%zu: %s", shown(r), r->lines + 1,
                    r->carried + 1, r->why.text);
    if (r->part) return ZO_OK; /* it may be empty */
    return r->unpacks
               ? data_check_text(r->path, r->away.n, r->features, r->away.widest, r->lines, err)
               : data_check_text(r->path, r->kept.n, r->features, r->kept.widest, r->lines, err);
}

/* ---- The whole ---------------------------------------------------------------------------------- */

static zo_status reader_open(reader *r, int threads, zo_error *err)
{
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    zo_status status = r->part
                           ? input_open_range(&r->from, r->path, r->part->from, r->part->to, err)
                           : input_open(&r->from, r->path, err);
    if (status) return status;
    if (r->part) r->lines = r->part->lines;
    r->size = input_size(r->from);
    r->unpacks = input_unpacks(r->from);
    r->width = threads > 1 ? 2 * (size_t)threads : 1;
    r->threads = pool_new(threads);
    r->bank[0] = mem_new(r->width, sizeof **r->bank);
    r->bank[1] = mem_new(r->width, sizeof **r->bank);
    if (!r->threads || !r->bank[0] || !r->bank[1])
        return out_of_memory(err, "pieces of text", r->width);
    return ZO_OK;
}

static void reader_close(reader *r)
{
    for (size_t b = 0; b < 2; b++) {
        for (size_t k = 0; r->bank[b] && k < r->width; k++) piece_free(&r->bank[b][k]);
        mem_free(r->bank[b]);
        r->bank[b] = NULL;
    }
    mem_free(r->carry);
    r->carry = NULL;
    pool_free(r->threads);
    r->threads = NULL;
    input_close(r->from);
    r->from = NULL;
}

/* What was put away goes to the store; the unpacker is gone by now. */
static zo_status take_out(reader *r, zo_error *err)
{
    parcels *p = &r->away;
    zo_status status = store_grow(&r->kept, p->n, p->entries, p->widest, 1, r->features, err);
    if (status) return status;
    rows part = {.label = mem_new(p->most_n, sizeof *part.label),
                 .length = mem_new(p->most_n, sizeof *part.length),
                 .col = mem_new(p->most_entries, sizeof *part.col),
                 .val = mem_new(p->most_entries, sizeof *part.val)};
    if (!part.label || !part.length || !part.col || !part.val)
        status = out_of_memory(err, "rows", p->most_n);
    while (!status && parcels_take(p, &part)) {
        store_put(&r->kept, &part, r->kept.n, r->kept.entries);
        r->kept.n += part.n;
        r->kept.entries += part.entries;
    }
    rows_free(&part);
    return status;
}

zo_status data_read_rows(store *out, const char *path, const extent *part, size_t features,
                         int threads, size_t cut, zo_error *err)
{
    if (features > LARGEST_INDEX)
        return fail(err, ZO_BAD_ARGUMENT, "features: %zu is more than %u", features, LARGEST_INDEX);
    reader r = {.path = path,
                .part = part,
                .features = features,
                .limit = features ? (uint32_t)features : LARGEST_INDEX,
                .piece = cut ? cut : PIECE};
    zo_status status = reader_open(&r, threads, err);
    if (!status) status = read_all(&r, err);
    reader_close(&r); /* before the last allocations: its banks are not needed any more */
    if (!status && r.unpacks) status = take_out(&r, err);
    parcels_free(&r.away);
    if (status)
        store_free(&r.kept);
    else
        *out = r.kept;
    return status;
}

zo_status data_read(zo_data **out, const char *path, size_t features, int threads, size_t cut,
                    zo_error *err)
{
    *out = NULL;
    store kept = {0};
    zo_data *data = mem_new(1, sizeof *data);
    if (!data) return out_of_memory(err, "data", 1);
    zo_status status = data_read_rows(&kept, path, NULL, features, threads, cut, err);
    if (!status) status = store_finish(&kept, data, features, err);
    store_free(&kept);
    if (status) {
        mem_free(data);
        return status;
    }
    *out = data;
    return succeed(err);
}

zo_status zo_data_read(zo_data **out, const char *path, size_t features, zo_error *err)
{
    if (!out) return fail(err, ZO_BAD_ARGUMENT, "out: NULL");
    *out = NULL;
    if (!path) return fail(err, ZO_BAD_ARGUMENT, "path: NULL");
    return data_read(out, path, features, pool_cores(), 0, err);
}
