/* Reads a LIBSVM file: pieces of whole lines, parsed side by side, appended in their order.
 * SPDX-License-Identifier: MIT
 *
 *     source -> bank of pieces -> rows of each piece -> one CSR -> full rows, when more than half is there
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
#include "data/parse.h"
#include "data/input.h"

enum { PIECE = 1 << 17, MOST_THREADS = 8 }; /* PIECE: text and rows of one fit the second-level cache */

typedef struct piece {
    char *text;
    size_t size, room; /* room: without the slack for the parser */
    rows rows;
    size_t row_at, entry_at; /* where its rows and entries go */
} piece;

typedef struct reader {
    const char *path;
    input *from;
    pool *threads;
    uint32_t limit; /* largest index allowed */
    size_t piece;   /* bytes */
    size_t width;   /* pieces in a bank */
    piece *bank[2];
    size_t filled[2];
    char *carry; /* the beginning of a line whose end is still to come */
    size_t carried, carry_room;
    int ended; /* the source has no more, or failed: see why */
    zo_error why;
    int at;               /* the bank that is parsed */
    uint64_t size, taken; /* bytes of text: in all (0: not known), appended */
    size_t lines;         /* in all pieces appended */
    size_t n, n_room, entries, entries_room;
    uint32_t widest;
    uint64_t *row; /* n + 1 */
    double *label;
    uint32_t *col;
    double *val;
} reader;

/* ---- Filling ------------------------------------------------------------------------------------ */

/* Keeps the first size bytes of text. */
static int piece_room(piece *p, size_t room)
{
    if (room <= p->room) return 1;
    char *text = mem_grow(p->text, p->size, room + PARSE_SLACK, 1);
    if (!text) return 0;
    p->text = text;
    mem_free(p->rows.label);
    mem_free(p->rows.length);
    mem_free(p->rows.col);
    mem_free(p->rows.val);
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
    mem_free(p->rows.label);
    mem_free(p->rows.length);
    mem_free(p->rows.col);
    mem_free(p->rows.val);
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
    while (!r->ended && r->filled[which] < r->width) fill_piece(r, &r->bank[which][r->filled[which]++]);
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

static void copy_piece(void *ctx, size_t k, int who)
{
    reader *r = ctx;
    piece *p = &r->bank[r->at][k];
    (void)who;
    uint64_t at = p->entry_at;
    for (size_t i = 0; i < p->rows.n; i++) {
        r->label[p->row_at + i] = p->rows.label[i];
        at += p->rows.length[i];
        r->row[p->row_at + i + 1] = at;
    }
    if (!p->rows.entries) return;
    memcpy(r->col + p->entry_at, p->rows.col, p->rows.entries * sizeof *r->col);
    memcpy(r->val + p->entry_at, p->rows.val, p->rows.entries * sizeof *r->val);
}

/* Changes an array's room, keeping the old one's contents; 0: out of memory. */
static int resize(void *array, size_t old, size_t room, size_t size)
{
    void **at = array, *p = mem_grow(*at, old, room, size);
    if (p) *at = p;
    return p != NULL;
}

/* Room for count things: as many as the whole file seems to hold, if its size is known, and otherwise an eighth more
 * than needed. Room that is not used costs nothing, and mem_grow moves no bytes of a large array. */
static size_t enough(const reader *r, size_t count)
{
    double all = 1.02 * (double)count * (double)r->size / (double)(r->taken + 1);
    size_t more = count + count / 8;
    return all > (double)more ? (size_t)all : more;
}

static zo_status make_room(reader *r, size_t n, size_t entries, zo_error *err)
{
    if (n > r->n_room) {
        size_t room = enough(r, n);
        if (!resize(&r->label, r->n_room, room, sizeof *r->label) ||
            !resize(&r->row, r->n_room + 1, room + 1, sizeof *r->row))
            return out_of_memory(err, "rows", n);
        r->n_room = room;
    }
    if (entries > r->entries_room) {
        size_t room = enough(r, entries);
        if (!resize(&r->col, r->entries_room, room, sizeof *r->col) ||
            !resize(&r->val, r->entries_room, room, sizeof *r->val))
            return out_of_memory(err, "nonzeros", entries);
        r->entries_room = room;
    }
    return ZO_OK;
}

static const char *shown(const reader *r) { return strcmp(r->path, "-") ? r->path : "standard input"; }

static zo_status append_bank(reader *r, zo_error *err)
{
    size_t n = r->n, entries = r->entries, pieces = r->filled[r->at];
    for (size_t k = 0; k < pieces; k++) {
        piece *p = &r->bank[r->at][k];
        if (p->rows.fault_column)
            return fail(err, ZO_BAD_INPUT, "%.250s:%zu:%zu: %s", shown(r), r->lines + p->rows.lines + 1,
                        p->rows.fault_column, p->rows.fault);
        p->row_at = n;
        p->entry_at = entries;
        n += p->rows.n;
        entries += p->rows.entries;
        r->lines += p->rows.lines;
        r->taken += p->size;
        if (p->rows.widest > r->widest) r->widest = p->rows.widest;
    }
    zo_status status = make_room(r, n, entries, err);
    if (status) return status;
    pool_run(r->threads, pieces, copy_piece, r);
    r->n = n;
    r->entries = entries;
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
        return fail(err, r->why.status, "%.250s:%zu:%zu: %s", shown(r), r->lines + 1, r->carried + 1,
                    r->why.text);
    if (r->n) return ZO_OK;
    if (r->lines)
        return fail(err, ZO_BAD_INPUT, "%.300s: no data in %zu lines, only blanks and comments", shown(r),
                    r->lines);
    return fail(err, ZO_BAD_INPUT, "%.300s: empty; a line is LABEL INDEX:VALUE ...", shown(r));
}

/* ---- The result --------------------------------------------------------------------------------- */

/* From CSR to full rows in place, last row first: entry k of row i goes from row[i] + k to i*features + col
 * >= it. The columns that are done with are given back on the way. */
static int spread_out(reader *r, size_t features)
{
    size_t step = (size_t)1 << 20, keep = r->entries;
    if (!resize(&r->val, r->entries, r->n * features, sizeof *r->val)) return 0;
    for (size_t i = r->n; i-- > 0;) {
        double *to = r->val + i * features;
        size_t end = features;
        for (size_t k = r->row[i + 1]; k-- > r->row[i];) {
            double v = r->val[k];
            size_t j = r->col[k];
            while (end > j + 1) to[--end] = 0;
            to[end = j] = v;
        }
        while (end > 0) to[--end] = 0;
        if (keep - r->row[i] > step && resize(&r->col, r->row[i], r->row[i] + 1, sizeof *r->col))
            keep = r->row[i];
    }
    return 1;
}

static zo_status hand_over(reader *r, zo_data *data, size_t features, zo_error *err)
{
    if (!features) features = r->widest;
    if (!features) return fail(err, ZO_BAD_INPUT, "%.300s: no row has a feature", shown(r));
    int dense = (double)r->entries > 0.5 * (double)r->n * (double)features;
    int done = resize(&r->label, r->n, r->n, sizeof *r->label) &&
               resize(&r->row, r->n + 1, r->n + 1, sizeof *r->row) &&
               (dense ? spread_out(r, features)
                      : resize(&r->col, r->entries, r->entries, sizeof *r->col) &&
                            resize(&r->val, r->entries, r->entries, sizeof *r->val));
    if (!done) return out_of_memory(err, "numbers", dense ? r->n * features : r->entries);
    *data = (zo_data){.n = r->n, .features = features, .nonzeros = r->entries, .label = r->label};
    data->owned[0] = r->label;
    data->owned[1] = r->val;
    r->label = NULL;
    if (dense) {
        data->dense = r->val;
    } else {
        data->row = data->owned[2] = r->row;
        data->col = data->owned[3] = r->col;
        data->val = r->val;
        r->row = NULL;
        r->col = NULL;
    }
    r->val = NULL;
    return ZO_OK;
}

static zo_status reader_open(reader *r, int threads, zo_error *err)
{
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    zo_status status = input_open(&r->from, r->path, err);
    if (status) return status;
    r->size = input_size(r->from);
    r->width = threads > 1 ? 2 * (size_t)threads : 1;
    r->threads = pool_new(threads);
    r->bank[0] = mem_new(r->width, sizeof **r->bank);
    r->bank[1] = mem_new(r->width, sizeof **r->bank);
    r->row = mem_new(1, sizeof *r->row);
    if (!r->threads || !r->bank[0] || !r->bank[1] || !r->row)
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

zo_status data_read(zo_data **out, const char *path, size_t features, int threads, size_t cut, zo_error *err)
{
    *out = NULL;
    if (features > LARGEST_INDEX)
        return fail(err, ZO_BAD_ARGUMENT, "features: %zu is more than %u", features, LARGEST_INDEX);
    zo_data *data = mem_new(1, sizeof *data);
    if (!data) return out_of_memory(err, "data", 1);
    reader r = {
        .path = path, .limit = features ? (uint32_t)features : LARGEST_INDEX, .piece = cut ? cut : PIECE};
    zo_status status = reader_open(&r, threads, err);
    if (!status) status = read_all(&r, err);
    reader_close(&r); /* before the last allocations: its banks are not needed any more */
    if (!status) status = hand_over(&r, data, features, err);
    mem_free(r.row);
    mem_free(r.label);
    mem_free(r.col);
    mem_free(r.val);
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
