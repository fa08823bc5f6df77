/* psi from text: NAME[:ARGUMENTS][@FROM:TO], several of them separated by blanks for disjoint blocks.
 * SPDX-License-Identifier: MIT
 *
 * What a parsed psi owns hangs at its ctx, which our own families leave free: the blocks, or the numbers of a
 * file. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"
#include "prox/matrix.h"
#include "prox/prox.h"
#include "prox/table.h"

/* One of the specs. Its pieces lie in a copy that is cut up; label quotes the original. */
typedef struct spec {
    char label[128];
    char *name, *arguments, *range; /* NULL: not given */
} spec;

static const char blanks[] = " \t\r\n";

static zo_status bad(const spec *s, zo_error *err, const char *what, const char *value,
                     const char *right)
{
    return fail(err, ZO_BAD_ARGUMENT, "%s: %s \"%.80s\" %s", s->label, what, value, right);
}

/* ---- numbers from a file ------------------------------------------------------------------------------ */

typedef struct table_file {
    const char *path;
    size_t rows, columns; /* that are expected; columns is 1 or 2 */
    double *to[2];
} table_file;

static zo_status read_row(const table_file *t, size_t row, char *line, zo_error *err)
{
    char *rest = line, *end = line + strlen(line);
    while (end > line && strchr(blanks, end[-1])) *--end = 0;
    for (size_t k = 0; k < t->columns; k++) {
        rest += strspn(rest, blanks);
        size_t length = strcspn(rest, blanks);
        char *next = rest + length + (rest[length] != 0);
        rest[length] = 0;
        char shown[48];
        if (row >= t->rows || !text_number(rest, &t->to[k][row]))
            return fail(err, ZO_BAD_INPUT, "%s: line %zu: \"%s\" is not %s", t->path, row + 1,
                        text_quote(rest, length, shown, sizeof shown),
                        row >= t->rows ? "expected, there are more lines than coordinates"
                                       : "a number");
        rest = next;
    }
    rest += strspn(rest, blanks);
    if (!*rest) return ZO_OK;
    return fail(err, ZO_BAD_INPUT,
                "%s: line %zu: \"%.40s\" is more than the %zu number(s) of a line", t->path,
                row + 1, rest, t->columns);
}

static zo_status read_rows(const table_file *t, FILE *file, zo_error *err)
{
    char line[512];
    size_t row = 0;
    for (; fgets(line, sizeof line, file); row++) {
        if (strlen(line) + 1 == sizeof line && line[sizeof line - 2] != '\n')
            return fail(err, ZO_BAD_INPUT, "%s: line %zu: is too long for numbers", t->path,
                        row + 1);
        zo_status status = read_row(t, row, line, err);
        if (status) return status;
    }
    if (ferror(file)) return fail(err, ZO_IO, "%s: cannot be read: %s", t->path, strerror(errno));
    if (row == t->rows) return ZO_OK;
    return fail(err, ZO_BAD_INPUT,
                "%s: has %zu lines, must have one for each of the %zu coordinates", t->path, row,
                t->rows);
}

/* Fills lo (and hi, with two columns) and owns them at ctx. */
static zo_status read_file(const spec *s, const char *path, size_t d, size_t columns, zo_prox *into,
                           zo_error *err)
{
    double *numbers = mem_new(2 * d, sizeof *numbers);
    if (!numbers) return out_of_memory(err, "numbers of a prox", d);
    into->ctx = into->lo = numbers;
    into->hi = columns == 2 ? numbers + d : NULL;
    table_file t = {path, d, columns, {numbers, numbers + d}};
    FILE *file = fopen(path, "r");
    if (!file)
        return fail(err, ZO_IO, "%s: file \"%.80s\" cannot be opened: %s", s->label, path,
                    strerror(errno));
    zo_status status = read_rows(&t, file, err);
    fclose(file);
    return status;
}

/* A row of A and b on each line; lo and hi are these, owned at ctx. */
static zo_status read_matrix(const char *path, size_t d, zo_prox *into, zo_error *err)
{
    double *numbers;
    zo_status status = matrix_read(path, d + 1, &numbers, &into->rows, err);
    into->ctx = into->lo = numbers;
    into->hi = numbers ? numbers + into->rows * d : NULL;
    return status;
}

/* ---- arguments ------------------------------------------------------------------------------------------
 */

static zo_status read_whole(const spec *s, const char *text, size_t *to, zo_error *err)
{
    uint64_t v;
    if (!text_whole(text, &v) || v > SIZE_MAX)
        return bad(s, err, "SIZE", text, "must be a whole number");
    *to = (size_t)v;
    return ZO_OK;
}

static zo_status read_shape(const spec *s, char *text, zo_prox *to, zo_error *err)
{
    static const char right[] = "must be two whole numbers, as in 20x30";
    uint64_t rows, cols;
    char *cross = strchr(text, 'x');
    if (!cross) return bad(s, err, "ROWSxCOLS", text, right);
    *cross = 0;
    int good = text_whole(text, &rows) && text_whole(cross + 1, &cols);
    *cross = 'x';
    if (!good) return bad(s, err, "ROWSxCOLS", text, right);
    to->rows = (size_t)rows;
    to->cols = (size_t)cols;
    return ZO_OK;
}

/* One argument by its name in the table: A, R and LO go to a, B and HI to b. */
static zo_status read_argument(const spec *s, const char *what, char *text, size_t d, zo_prox *to,
                               zo_error *err)
{
    int set = !strcmp(s->name, "affine") || !strcmp(s->name, "polyhedron");
    if (!strcmp(what, "FILE") && set) return read_matrix(text, d, to, err);
    if (!strcmp(what, "FILE"))
        return read_file(s, text, d, strcmp(s->name, "bounds") ? 1 : 2, to, err);
    if (!strcmp(what, "SIZE")) return read_whole(s, text, &to->cols, err);
    if (!strcmp(what, "ROWSxCOLS")) return read_shape(s, text, to, err);
    double *number = !strcmp(what, "B") || !strcmp(what, "HI") ? &to->b : &to->a;
    if (text_number(text, number)) return ZO_OK;
    return bad(s, err, what, text, "must be a number");
}

/* Cuts text at the first comma; returns what follows, or NULL. */
static char *cut(char *text)
{
    char *comma = strchr(text, ',');
    if (!comma) return NULL;
    *comma = 0;
    return comma + 1;
}

static zo_status read_arguments(const spec *s, const zo_prox_row *row, size_t d, zo_prox *to,
                                zo_error *err)
{
    char names[32];
    int optional = row->arguments[0] == '[';
    snprintf(names, sizeof names, "%s", row->arguments + optional);
    names[strcspn(names, "]")] = 0;
    char *what = names[0] ? names : NULL, *text = s->arguments;
    if (!text && (optional || !what)) return ZO_OK;
    while (what && text) {
        char *next_what = cut(what), *next_text = cut(text);
        zo_status status = read_argument(s, what, text, d, to, err);
        if (status) return status;
        what = next_what;
        text = next_text;
    }
    if (!what && !text) return ZO_OK;
    return fail(err, ZO_BAD_ARGUMENT, "%s: has too %s arguments, must be %s%s%s", s->label,
                what ? "few" : "many", row->name, row->arguments[0] ? ":" : "", row->arguments);
}

static zo_status read_range(const spec *s, size_t d, zo_block *block, zo_error *err)
{
    block->from = 0;
    block->to = d;
    if (!s->range) return ZO_OK;
    uint64_t from = 0, to = d;
    char *colon = strchr(s->range, ':');
    if (!colon) return bad(s, err, "range", s->range, "must be FROM:TO");
    *colon = 0;
    int good =
        (!s->range[0] || text_whole(s->range, &from)) && (!colon[1] || text_whole(colon + 1, &to));
    *colon = ':';
    if (!good) return bad(s, err, "range", s->range, "must be FROM:TO, two whole numbers");
    if (from >= to || to > d)
        return fail(err, ZO_BAD_ARGUMENT, "%s: range \"%.60s\" must have FROM < TO within 0:%zu",
                    s->label, s->range, d);
    block->from = (size_t)from;
    block->to = (size_t)to;
    return ZO_OK;
}

/* ---- one spec, and all of them ---------------------------------------------------------------------------
 */

/* On failure block->psi may own a file's numbers; the caller frees it with the rest. */
static zo_status read_spec(const spec *s, size_t d, zo_block *block, zo_error *err)
{
    size_t f = 0;
    const zo_prox_row *rows = zo_prox_rows(NULL);
    while (f < FAMILIES && strcmp(s->name, rows[f].name)) f++;
    if (f == FAMILIES) {
        const char *near = text_nearest(s->name, &rows[0].name, FAMILIES, sizeof rows[0]);
        return fail(err, ZO_BAD_ARGUMENT, "%s: name \"%.40s\" is unknown, %s%s", s->label, s->name,
                    near ? "the nearest is " : "zoprox proxes lists them", near ? near : "");
    }
    zo_status status = read_range(s, d, block, err);
    if (status) return status;
    zo_prox numbers = {.a = f == SIMPLEX ? 1 : 0};
    status = read_arguments(s, &rows[f], block->to - block->from, &numbers, err);
    block->psi = family_build((family)f, &numbers);
    block->psi.ctx = numbers.ctx;
    return status ? status : check_labelled(&block->psi, block->to - block->from, s->label, err);
}

static zo_status check_overlap(const spec *s, const zo_block *part, size_t k, zo_error *err)
{
    for (size_t e = 0; e < k; e++) {
        if (part[k].from == part[e].from && part[k].to == part[e].to) continue; /* they are added */
        if (part[k].from < part[e].to && part[e].from < part[k].to)
            return fail(err, ZO_BAD_ARGUMENT,
                        "%s: its coordinates %zu:%zu overlap those of %s, %zu:%zu; blocks must be "
                        "disjoint, or the same",
                        s->label, part[k].from, part[k].to, part[e].psi.name, part[e].from,
                        part[e].to);
    }
    return ZO_OK;
}

/* Cuts the spec that begins at text into its pieces. Returns what follows it. */
static char *next_spec(char *text, spec *s)
{
    size_t length = strcspn(text, blanks);
    char *rest = text + length + (text[length] != 0);
    text[length] = 0;
    *s = (spec){.name = text};
    snprintf(s->label, sizeof s->label, "prox \"%.100s\"", text);
    if ((s->range = strrchr(text, '@'))) *s->range++ = 0;
    if ((s->arguments = strchr(text, ':'))) *s->arguments++ = 0;
    return rest + strspn(rest, blanks);
}

static size_t count_specs(const char *text)
{
    size_t count = 0;
    for (text += strspn(text, blanks); *text; count++) {
        text += strcspn(text, blanks);
        text += strspn(text, blanks);
    }
    return count;
}

static zo_status read_specs(zo_block *part, char *text, size_t d, zo_error *err)
{
    text += strspn(text, blanks);
    for (size_t k = 0; *text; k++) {
        spec s;
        text = next_spec(text, &s);
        zo_status status = read_spec(&s, d, &part[k], err);
        if (!status) status = check_overlap(&s, part, k, err);
        if (status) return status;
    }
    return ZO_OK;
}

/* Blocks on the same coordinates as part[k], k among them, become one block with their sum; *count falls. */
static zo_status add_same(zo_block *part, size_t k, size_t *count, zo_error *err)
{
    size_t same = 0, kept = k + 1, length = part[k].to - part[k].from;
    for (size_t e = k; e < *count; e++)
        same += part[e].from == part[k].from && part[e].to == part[k].to;
    if (same < 2) return ZO_OK;
    zo_block *all = mem_new(same, sizeof *all);
    if (!all) return out_of_memory(err, "blocks of a prox", same);
    zo_block whole = part[k];
    same = 0;
    for (int bounds = 0; bounds < 2; bounds++) /* they come last */
        for (size_t e = k; e < *count; e++)
            if (part[e].from == whole.from && part[e].to == whole.to &&
                prox_is_box(&part[e].psi) == bounds)
                all[same++] = (zo_block){0, length, part[e].psi};
    for (size_t e = k + 1; e < *count; e++)
        if (part[e].from != whole.from || part[e].to != whole.to) part[kept++] = part[e];
    for (size_t e = kept; e < *count; e++) part[e] = (zo_block){0};
    *count = kept;
    part[k].psi = zo_sum(all, same);
    part[k].psi.ctx = all;
    return check_labelled(&part[k].psi, length, "prox, specs on the same coordinates", err);
}

/* One psi for everything needs no blocks around it. */
static zo_prox joined(zo_block *part, size_t count, size_t d)
{
    zo_prox psi = zo_blocks(part, count);
    psi.ctx = part;
    if (count == 1 && part[0].from == 0 && part[0].to == d) {
        psi = part[0].psi;
        mem_free(part);
    }
    return psi;
}

static void parts_free(zo_block *part, size_t count) /* takes NULL */
{
    for (size_t k = 0; part && k < count; k++) zo_prox_free(&part[k].psi);
    mem_free(part);
}

zo_status zo_prox_parse(zo_prox *out, const char *text, size_t d, zo_error *err)
{
    if (!out) return fail(err, ZO_BAD_ARGUMENT, "out: is NULL, must be a zo_prox to fill");
    *out = (zo_prox){0};
    size_t count = text ? count_specs(text) : 0;
    if (count == 0)
        return fail(err, ZO_BAD_ARGUMENT, "prox: names nothing, \"zero\" means no regulariser");
    zo_block *part = mem_new(count, sizeof *part);
    char *copy = mem_new(strlen(text) + 1, 1);
    zo_status status = ZO_OK;
    if (!part || !copy)
        status = out_of_memory(err, "blocks of a prox", count);
    else {
        memcpy(copy, text, strlen(text) + 1);
        status = read_specs(part, copy, d, err);
        for (size_t k = 0; k < count && !status; k++) status = add_same(part, k, &count, err);
    }
    mem_free(copy);
    if (status) {
        parts_free(part, count);
        return status;
    }
    *out = joined(part, count, d);
    return succeed(err);
}

void zo_prox_free(zo_prox *psi)
{
    if (!psi) return;
    if (psi->ctx && family_of(psi) != OWN) {
        if (psi->ctx == psi->part)
            parts_free((zo_block *)psi->part, psi->nparts);
        else
            mem_free((void *)psi->ctx);
    }
    *psi = (zo_prox){0};
}
