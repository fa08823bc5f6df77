/* A compressed file or standard input that several ranks share: rank 0 unpacks it, all parse, each keeps its own rows.
 * SPDX-License-Identifier: MIT
 *
 * How many rows there are, and so which rows are whose, is known at the end only. Until then the text is dealt out a
 * round at a time, one piece of whole lines to each rank, and what a rank has parsed waits there in parcels. Then the
 * rounds are gone through again: the rows of a round are shown to all ranks, and each keeps its own. No rank ever has
 * more than its share of the rows and one round. */
#define _GNU_SOURCE /* memrchr */
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "data/input.h"
#include "data/parcel.h"
#include "data/part.h"

enum { PIECE = 1 << 17 };

typedef struct stream {
    sharing *s;
    input *from; /* on rank 0 */
    char *text;  /* of a round; behind its whole lines what is carried over (rank 0) */
    size_t held, room;
    int ended;
    double *sizes; /* of the pieces of a round, for all ranks */
    size_t *want;
    char *piece; /* the one of this rank */
    size_t npiece;
    rows rows;
    parcels away;
    size_t rounds;
    zo_error why; /* what this rank will say at the next meeting */
} stream;

/* ---- Rounds of text -------------------------------------------------------------------------------- */

static int text_room(stream *t, size_t wanted)
{
    if (wanted <= t->room) return 1;
    char *more = mem_grow(t->text, t->held, wanted, 1);
    if (!more) return 0;
    t->text = more;
    t->room = wanted;
    return 1;
}

/* Reads until there are whole lines for everybody, or the end. Returns the bytes of these lines. */
static size_t fill(stream *t)
{
    size_t wanted = (size_t)t->s->meet.ranks->size * PIECE, got = 1;
    for (;; wanted *= 2) {
        if (!text_room(t, wanted)) {
            out_of_memory(&t->why, "bytes of text", wanted);
            return 0;
        }
        while (t->held < wanted && !t->ended) {
            zo_error why;
            if (input_read(t->from, t->text + t->held, wanted - t->held, &got, &why)) {
                fail(&t->why, why.status, "%.250s:%zu:1: %s", data_shown(t->s->path),
                     t->s->lines + 1, why.text);
                return 0;
            }
            t->held += got;
            t->ended = got == 0;
        }
        const char *last = t->held ? memrchr(t->text, '\n', t->held) : NULL;
        if (t->ended) return t->held;
        if (last) return (size_t)(last - t->text) + 1;
        if (memchr(t->text, 0, t->held)) return t->held; /* no text: the parser says so */
    }
}

/* Cuts size bytes of whole lines into a piece for each rank. */
static void deal(stream *t, size_t size)
{
    size_t ranks = (size_t)t->s->meet.ranks->size, at = 0;
    for (size_t r = 0; r < ranks; r++) {
        size_t end = size / ranks * (r + 1);
        const char *last = end > at && r + 1 < ranks ? memrchr(t->text + at, '\n', end - at) : NULL;
        end = r + 1 == ranks ? size : last ? (size_t)(last - t->text) + 1 : at;
        t->sizes[r] = (double)(end - at);
        at = end;
    }
}

static size_t newlines(const char *text, size_t size)
{
    size_t count = 0;
    for (const char *end = text + size; (text = memchr(text, '\n', (size_t)(end - text))); text++)
        count++;
    return count;
}

static int piece_room(stream *t, size_t size)
{
    if (size <= t->npiece && t->piece) return 1;
    rows *r = &t->rows;
    void *old[] = {t->piece, r->label, r->length, r->col, r->val};
    for (size_t k = 0; k < sizeof old / sizeof *old; k++) mem_free(old[k]);
    t->piece = mem_new(size + PARSE_SLACK, 1);
    *r = (rows){.label = mem_new(size / 2 + 1, sizeof *r->label),
                .length = mem_new(size / 2 + 1, sizeof *r->length),
                .col = mem_new(size / 4 + 1, sizeof *r->col),
                .val = mem_new(size / 4 + 1, sizeof *r->val)};
    t->npiece = size;
    return t->piece && r->label && r->length && r->col && r->val;
}

/* This rank's piece of the round, size bytes at offset of text. */
static void parse(stream *t, const char *text, size_t offset, size_t size)
{
    const sharing *s = t->s;
    if (!piece_room(t, size)) {
        out_of_memory(&t->why, "bytes of text", size);
        return;
    }
    memcpy(t->piece, text + offset, size);
    parse_rows(t->piece, size, s->features ? (uint32_t)s->features : LARGEST_INDEX, &t->rows);
    if (t->rows.fault_column)
        fail(&t->why, ZO_BAD_INPUT, "%.250s:%zu:%zu: %s", data_shown(s->path),
             s->lines + newlines(text, offset) + t->rows.lines + 1, t->rows.fault_column,
             t->rows.fault);
    else if (!parcels_add(&t->away, &t->rows))
        out_of_memory(&t->why, "rows", t->away.n);
}

/* One round: 0 in *more when there was no text any more. */
static zo_status take_round(stream *t, int *more, zo_error *err)
{
    sharing *s = t->s;
    size_t ranks = (size_t)s->meet.ranks->size, me = (size_t)s->meet.ranks->rank, size = 0,
           total = 0, offset = 0;
    const double *all;
    memset(t->want, 0, ranks * sizeof *t->want);
    if (me == 0 && !t->why.status) deal(t, size = fill(t));
    t->want[0] = ranks;
    zo_status status = meet_with(&s->meet, &t->why, t->want, t->sizes, &all, err);
    if (status) return status;
    memcpy(t->sizes, all, ranks * sizeof *t->sizes);
    for (size_t r = 0; r < ranks; r++) {
        if (r == me) offset = total;
        total += (size_t)t->sizes[r];
    }
    *more = total > 0;
    if (!total) return ZO_OK;
    t->want[0] = (total + sizeof(double) - 1) / sizeof(double); /* the room is whole numbers */
    status =
        meet_with(&s->meet, &t->why, t->want, (const double *)(const void *)t->text, &all, err);
    if (status) return status;
    parse(t, (const char *)all, offset, (size_t)t->sizes[me]);
    s->lines += newlines((const char *)all, total) + (((const char *)all)[total - 1] != '\n');
    if (me == 0) memmove(t->text, t->text + size, t->held -= size);
    t->rounds++;
    return ZO_OK;
}

/* ---- Rounds of rows -------------------------------------------------------------------------------- */

/* A piece as numbers: its labels, lengths, values and columns. */
static size_t packed(size_t n, size_t entries)
{
    return n + (n + 1) / 2 + entries + (entries + 1) / 2;
}

static void pack(const rows *r, double *to)
{
    memcpy(to, r->label, r->n * sizeof *r->label);
    memcpy(to += r->n, r->length, r->n * sizeof *r->length);
    memcpy(to += (r->n + 1) / 2, r->val, r->entries * sizeof *r->val);
    memcpy(to + r->entries, r->col, r->entries * sizeof *r->col);
}

static rows unpack(size_t n, size_t entries, double *from)
{
    rows r = {.n = n, .entries = entries, .label = from};
    r.length = (uint32_t *)(void *)(from += n);
    r.val = from += (n + 1) / 2;
    r.col = (uint32_t *)(void *)(from + entries);
    return r;
}

/* Of the rows of a piece, which are at ... of the whole, those of this rank. */
static void keep(stream *t, rows r, size_t at, uint32_t widest)
{
    sharing *s = t->s;
    size_t first, count, entry = 0, from = 0, to = 0;
    zo_share(s->n, s->meet.ranks->rank, s->meet.ranks->size, &first, &count);
    if (at + r.n <= first || at >= first + count || t->why.status) return;
    from = at < first ? first - at : 0;
    to = at + r.n > first + count ? first + count - at : r.n;
    for (size_t i = 0; i < from; i++) entry += r.length[i];
    r.label += from;
    r.length += from;
    r.col += entry;
    r.val += entry;
    r.n = to - from;
    r.entries = 0;
    for (size_t i = 0; i < r.n; i++) r.entries += r.length[i];
    store *k = &s->rows;
    if (store_grow(k, k->n + r.n, k->entries + r.entries, widest, 1, s->features, &t->why)) return;
    store_put(k, &r, k->n, k->entries);
    k->n += r.n;
    k->entries += r.entries;
}

enum { N, ENTRIES, SHAPE };

static zo_status give_round(stream *t, size_t *at, uint32_t widest, zo_error *err)
{
    sharing *s = t->s;
    size_t ranks = (size_t)s->meet.ranks->size;
    const double *all;
    t->rows.n = t->rows.entries = 0;
    if (!t->why.status) parcels_take(&t->away, &t->rows);
    double mine[SHAPE] = {(double)t->rows.n, (double)t->rows.entries}, *sent = NULL;
    zo_status status = meet(&s->meet, &t->why, SHAPE, mine, &all, err);
    if (status) return status;
    double *shape = mem_new(ranks * SHAPE, sizeof *shape);
    if (shape) memcpy(shape, all, ranks * SHAPE * sizeof *shape);
    for (size_t r = 0; r < ranks; r++)
        t->want[r] = packed((size_t)all[r * SHAPE + N], (size_t)all[r * SHAPE + ENTRIES]);
    sent = mem_new(packed(t->rows.n, t->rows.entries), sizeof *sent);
    if (sent && shape)
        pack(&t->rows, sent);
    else
        out_of_memory(&t->why, "rows", t->rows.n);
    status = meet_with(&s->meet, &t->why, t->want, sent, &all, err);
    double *piece = s->meet.all;
    for (size_t r = 0; r < ranks && !status; r++) {
        size_t n = (size_t)shape[r * SHAPE + N], entries = (size_t)shape[r * SHAPE + ENTRIES];
        keep(t, unpack(n, entries, piece), *at, widest);
        *at += n;
        piece += t->want[r];
    }
    mem_free(sent);
    mem_free(shape);
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------------- */

static zo_status share_rows(stream *t, zo_error *err)
{
    sharing *s = t->s;
    double mine[2] = {(double)t->away.n, t->away.widest};
    size_t at = 0, count;
    uint32_t widest = 0;
    const double *all;
    if (!piece_room(t, 4 * t->away.most_entries + 2 * t->away.most_n + 2))
        out_of_memory(&t->why, "rows", t->away.most_n);
    zo_status status = meet(&s->meet, &t->why, 2, mine, &all, err);
    for (int r = 0; r < s->meet.ranks->size && !status; r++) {
        s->n += (size_t)all[2 * r];
        if ((uint32_t)all[2 * r + 1] > widest) widest = (uint32_t)all[2 * r + 1];
    }
    if (!status && s->n == 0) status = data_check_text(s->path, 0, 0, 0, s->lines, err);
    if (status) return status;
    zo_share(s->n, s->meet.ranks->rank, s->meet.ranks->size, &s->first, &count);
    for (size_t k = 0; k < t->rounds && !status; k++) status = give_round(t, &at, widest, err);
    return status ? status : meet(&s->meet, &t->why, 0, NULL, &all, err);
}

zo_status part_of_stream(sharing *s, input **from, zo_error *err)
{
    size_t ranks = (size_t)s->meet.ranks->size;
    stream t = {.s = s, .from = *from};
    const double *all;
    int more = 1;
    t.sizes = mem_new(ranks, sizeof *t.sizes);
    t.want = mem_new(ranks, sizeof *t.want);
    if (!t.sizes || !t.want) out_of_memory(&t.why, "ranks", ranks);
    zo_status status = meet(&s->meet, &t.why, 0, NULL, &all, err);
    while (!status && more) status = take_round(&t, &more, err);
    mem_free(t.text);
    input_close(*from); /* an unpacker holds as much as some data sets */
    *from = NULL;
    if (!status) status = share_rows(&t, err);
    void *owned[] = {t.sizes, t.want, t.piece, t.rows.label, t.rows.length, t.rows.col, t.rows.val};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) mem_free(owned[k]);
    parcels_free(&t.away);
    return status;
}
