/* Rows of numbers from a file.
 * SPDX-License-Identifier: MIT */
#include "prox/matrix.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"

static const char between[] = " \t\r,";
enum { LONGEST = 64 }; /* bytes of a number */

typedef struct reading {
    const char *path;
    FILE *file;
    size_t width, rows; /* numbers in a line; lines read */
    double *numbers;
    size_t room;
    zo_error *err;
} reading;

/* The next word of the line into word. 1: a word, 0: the line ends, -1: the file does, -2: it is too long. */
static int next_word(FILE *file, char *word)
{
    int c = getc(file);
    while (c != EOF && c != '\n' && strchr(between, c)) c = getc(file);
    if (c == EOF || c == '\n') return c == EOF ? -1 : 0;
    size_t size = 0;
    for (; c != EOF && c != '\n' && !strchr(between, c); c = getc(file)) {
        if (size + 1 == LONGEST) return -2;
        word[size++] = (char)c;
    }
    if (c == '\n') ungetc(c, file);
    word[size] = 0;
    return 1;
}

static zo_status complain(const reading *r, const char *word, const char *what)
{
    char shown[80];
    return fail(r->err, ZO_BAD_INPUT, "%s: line %zu: \"%s\" is not %s", r->path, r->rows + 1,
                text_quote(word, strlen(word), shown, sizeof shown), what);
}

static int make_room(reading *r)
{
    size_t used = r->rows * r->width;
    if (used + r->width <= r->room) return 1;
    size_t room = 2 * (used + r->width);
    double *more = mem_grow(r->numbers, used, room, sizeof *more);
    if (!more) return 0;
    r->numbers = more;
    r->room = room;
    return 1;
}

/* One line; *ended: there is none. Empty lines are passed over. */
static zo_status read_line(reading *r, int *ended)
{
    char word[LONGEST] = "";
    size_t got = 0;
    for (int there; (there = next_word(r->file, word)) != 0 || got == 0;) {
        if (there == 0) continue;
        if (there == -2)
            return fail(r->err, ZO_BAD_INPUT, "%s: line %zu: is too long for numbers", r->path,
                        r->rows + 1);
        if (there == -1) break;
        if (got == 0 && !make_room(r)) return out_of_memory(r->err, "numbers of a prox", r->room);
        if (got == r->width)
            return complain(
                r, word,
                "expected: a row has as many numbers as there are coordinates, and one more");
        if (!text_number(word, &r->numbers[r->rows * r->width + got]))
            return complain(r, word, "a number");
        got++;
    }
    *ended = got == 0;
    if (*ended) return ZO_OK;
    if (got < r->width)
        return fail(r->err, ZO_BAD_INPUT,
                    "%s: line %zu: has %zu numbers, must have %zu: one for each coordinate, and "
                    "what the row is compared with",
                    r->path, r->rows + 1, got, r->width);
    r->rows++;
    return ZO_OK;
}

static zo_status read_lines(reading *r)
{
    zo_status status = ZO_OK;
    for (int ended = 0; !status && !ended;) status = read_line(r, &ended);
    if (!status && ferror(r->file))
        return fail(r->err, ZO_IO, "%s: cannot be read: %s", r->path, strerror(errno));
    if (!status && !r->rows) return fail(r->err, ZO_BAD_INPUT, "%s: has no rows", r->path);
    return status;
}

/* The last column behind the others. */
static double *split(const reading *r)
{
    size_t d = r->width - 1;
    double *out = mem_new(r->rows * r->width, sizeof *out);
    for (size_t k = 0; out && k < r->rows; k++) {
        memcpy(out + k * d, r->numbers + k * r->width, d * sizeof *out);
        out[r->rows * d + k] = r->numbers[k * r->width + d];
    }
    return out;
}

zo_status matrix_read(const char *path, size_t width, double **out, size_t *rows, zo_error *err)
{
    reading r = {.path = path, .width = width, .err = err};
    *out = NULL;
    if (!(r.file = fopen(path, "r")))
        return fail(err, ZO_IO, "file \"%.80s\" cannot be opened: %s", path, strerror(errno));
    zo_status status = read_lines(&r);
    fclose(r.file);
    if (!status && !(*out = split(&r))) status = out_of_memory(err, "numbers of a prox", width);
    *rows = r.rows;
    mem_free(r.numbers);
    return status;
}
