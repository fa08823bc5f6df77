/* Rows of a plain file without reading them.
 * SPDX-License-Identifier: MIT */
#include "data/scan.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"
#include "data/input.h"

enum { BUFFER = 1 << 18 };
enum {
    INSIDE,
    BEGIN,
    RETURN
}; /* of a line: known what it is; only blanks so far; a carriage return behind them */

typedef struct scanner {
    scan found;
    uint64_t at, from, to; /* offset of the next byte; the stretch */
    uint64_t line;         /* where the line at hand begins */
    int state;
    mark *marks;
    size_t nmarks;
} scanner;

static void found_row(scanner *s)
{
    s->state = INSIDE;
    while (s->nmarks && s->marks->row == s->found.rows) {
        s->marks->offset = s->line;
        s->marks->lines = s->found.lines - 1;
        s->marks++;
        s->nmarks--;
    }
    s->found.rows++;
}

/* A newline was the byte before s->at. */
static void next_line(scanner *s)
{
    s->state = s->at < s->to ? BEGIN : INSIDE; /* behind the stretch nothing is of interest */
    s->line = s->at;
    s->found.lines += s->at < s->to;
}

/* One byte where it is not yet known what its line is. */
static void look(scanner *s, char c)
{
    s->at++;
    if (c == '\n')
        next_line(s);
    else if (s->state == RETURN) /* inside a line: the parser will say so */
        found_row(s);
    else if (c == '\r')
        s->state = RETURN;
    else if (c == '#')
        s->state = INSIDE;
    else if (c != ' ' && c != '\t')
        found_row(s);
}

static void scan_bytes(scanner *s, const char *text, size_t size)
{
    const char *p = text, *end = text + size;
    while (p < end) {
        if (s->state != INSIDE) {
            look(s, *p++);
            continue;
        }
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        s->at += (uint64_t)((newline ? newline + 1 : end) - p);
        p = newline ? newline + 1 : end;
        if (newline) next_line(s);
    }
}

/* A few bytes a cycle; the last ones are filled up with zeros. */
static uint64_t mix(uint64_t h, const char *bytes, size_t size)
{
    uint64_t word;
    for (; size; size -= size < sizeof word ? size : sizeof word, bytes += sizeof word) {
        word = 0;
        memcpy(&word, bytes, size < sizeof word ? size : sizeof word);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    return h;
}

/* Until the stretch has been seen, and what the last line in it is. */
static zo_status scan_all(scanner *s, const char *path, input *from, char *buffer, zo_error *err)
{
    zo_error why;
    for (;;) {
        size_t size = 0, got = 1;
        while (size < BUFFER &&
               got) { /* whole buffers: the checksum must not depend on how reads come */
            if (input_read(from, buffer + size, BUFFER - size, &got, &why))
                return fail(err, why.status, "%.250s: %s", path, why.text);
            size += got;
        }
        size_t inside = s->at >= s->to ? 0 : s->to - s->at < size ? (size_t)(s->to - s->at) : size;
        s->found.print = mix(s->found.print, buffer, inside);
        scan_bytes(s, buffer, size);
        if (size < BUFFER || (s->at >= s->to && s->state == INSIDE)) return ZO_OK;
    }
}

zo_status scan_range(const char *path, uint64_t from, uint64_t to, uint64_t size, size_t nmarks,
                     mark *marks, scan *out, zo_error *err)
{
    scanner s = {.found = {.print = TEXT_HASH}, .from = from, .to = to, .at = from, .marks = marks};
    input *file = NULL;
    s.nmarks = nmarks;
    s.state = INSIDE;
    char *buffer = mem_new(BUFFER, 1), before = '\n';
    zo_status status = buffer ? ZO_OK : out_of_memory(err, "bytes to read into", BUFFER);
    if (!status && from) { /* does a line begin here? */
        size_t got;
        status = input_open_range(&file, path, from - 1, from, err);
        if (!status) status = input_read(file, &before, 1, &got, err);
        input_close(file);
        file = NULL;
    }
    if (!status && before == '\n') next_line(&s);
    if (!status) status = input_open_range(&file, path, from, size, err);
    if (!status) status = scan_all(&s, path, file, buffer, err);
    input_close(file);
    mem_free(buffer);
    *out = s.found;
    return status;
}
