/* Numbers out of the files that a program has written. SPDX-License-Identifier: MIT
 *
 *     FILE:LINE:COLUMN      counted from 1, from the end where negative; LINE may be A-B, and either may be *: all
 *     FILE:/PATTERN/        the number in the last match (in its group where it has one, else behind it); /PATTERN/ and *: in all
 *     FILE:$.a.b[3].c       out of JSON; [*] is every element
 *
 * FILE - is what the program has said on its standard output. Blanks, commas and semicolons stand between columns. 12,5 alone
 * between blanks is neither a number nor two: half of it would be taken without a word. */
#define _GNU_SOURCE
#include "files/files.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int numbers_add(numbers *n, double v)
{
    if (n->count == n->room) {
        double *grown = realloc(n->at, (2 * n->room + 64) * sizeof *grown);
        if (!grown) return 0;
        n->at = grown;
        n->room = 2 * n->room + 64;
    }
    n->at[n->count++] = v;
    return 1;
}

/* 1.5, -2e3, nan, and Fortran's 1.5D+03 and 1.5+103. */
static int number_of(const char *word, size_t size, double *v)
{
    char text[64];
    if (size == 0 || size + 2 > sizeof text) return 0;
    snprintf(text, sizeof text, "%.*s", (int)size, word);
    for (char *c = text; *c; c++)
        if (*c == 'D' || *c == 'd') *c = 'e';
    if (text_number(text, v)) return 1;
    char *sign = strpbrk(text + 1, "+-");
    if (!sign || strpbrk(text, "eE") || !isdigit((unsigned char)sign[-1])) return 0;
    memmove(sign + 1, sign, strlen(sign) + 1);
    *sign = 'e';
    return text_number(text, v);
}

/* ---- what a spec says ----------------------------------------------------------------------------------- */

enum { ALL = 0 }; /* in place of a line or column */

typedef struct spec {
    char file[256];
    const char *rest; /* behind the colon */
    long from, to, column;
} spec;

/* A number that is not 0, or *. */
static int take_index(const char **p, long *out)
{
    char *end;
    if (**p == '*') return ++*p, *out = ALL, 1;
    *out = strtol(*p, &end, 10);
    int fine = end > *p && *out != 0;
    *p = end;
    return fine;
}

static int take_places(spec *s)
{
    const char *p = s->rest;
    if (!take_index(&p, &s->from)) return 0;
    s->to = s->from;
    if (*p == '-' && s->from > 0 && (p++, !take_index(&p, &s->to))) return 0;
    return *p++ == ':' && take_index(&p, &s->column) && !*p;
}

static size_t pattern_size(const char *rest) /* between the slashes; 0: there is none */
{
    const char *end = strrchr(rest, '/');
    return end > rest && (!end[1] || !strcmp(end + 1, "*")) ? (size_t)(end - rest) - 1 : 0;
}

static int parse(spec *s, const char *text)
{
    const char *colon = strchr(text, ':');
    *s = (spec){.rest = colon ? colon + 1 : ""};
    if (!colon || colon == text || (size_t)(colon - text) >= sizeof s->file) return 0;
    snprintf(s->file, sizeof s->file, "%.*s", (int)(colon - text), text);
    if (!strcmp(s->file, "-")) snprintf(s->file, sizeof s->file, "stdout.txt");
    if (*s->rest == '$') return 1;
    return *s->rest == '/' ? pattern_size(s->rest) > 0 : take_places(s);
}

static int compile(const spec *s, regex_t *r, char *why, size_t size)
{
    char text[1024];
    snprintf(text, sizeof text, "%.*s", (int)pattern_size(s->rest), s->rest + 1);
    int bad = regcomp(r, text, REG_EXTENDED | REG_NEWLINE);
    if (bad) regerror(bad, r, why, size);
    return !bad;
}

int reader_check(const char *text)
{
    spec s;
    regex_t r;
    char why[128];
    if (!parse(&s, text) || s.file[0] == '/')
        return complain(REFUSED,
                        "--read: '%s' is not FILE:LINE:COLUMN, FILE:/PATTERN/ or FILE:$.json.path, "
                        "FILE a name in the run's folder",
                        text);
    if (*s.rest != '/') return DONE;
    if (!compile(&s, &r, why, sizeof why)) return complain(REFUSED, "--read: '%s': %s", text, why);
    regfree(&r);
    return DONE;
}

/* ---- lines and columns ------------------------------------------------------------------------------------ */

static const char between[] = " \t\r,;";

static long columns_in(const char *line, size_t size)
{
    long count = 0;
    for (const char *p = line; p < line + size; p++)
        count += !strchr(between, *p) && (p == line || strchr(between, p[-1]));
    return count;
}

/* Size of the word at p if it looks like 12,5 or -1,53e-12, digits and one comma; 0: it does not. Words end at end. */
static size_t comma_number(const char *p, const char *end)
{
    const char digits[] = "0123456789", *from = p;
    size_t size = 0;
    while (p + size < end && !strchr(" \t\r;\n", p[size])) size++;
    end = p + size;
    p += size && strchr("+-", *p);
    size_t before = strspn(p, digits), behind = 0;
    p += before;
    if (p < end && *p == ',') behind = strspn(p + 1, digits), p += 1 + behind;
    if (behind && p < end && strchr("eEdD", *p)) {
        p += 1 + (p + 1 < end && strchr("+-", p[1]));
        p += strspn(p, digits);
    }
    return before && behind && p == end ? (size_t)(end - from) : 0;
}

static int refuse_comma(const char *word, size_t size)
{
    fprintf(stderr,
            "'%.*s' is no number: numbers have a decimal point here; run the program under "
            "LC_ALL=C, or where these are two columns, --read one by /PATTERN/ with a group\n",
            (int)size, word);
    return WORKER_HOPELESS;
}

/* Numbers of one line: that of a column, or all. DONE, or WORKER_... */
static int take_columns(const spec *s, const char *line, size_t size, numbers *out)
{
    const char *begin = line, *end = line + size;
    long at = 0, column = s->column < 0 ? s->column + columns_in(line, size) + 1 : s->column;
    double v;
    if (s->column < 0 && column < 1) return DONE; /* the line has fewer */
    while (line < end) {
        size_t length = 0;
        while (line < end && strchr(between, *line)) line++;
        while (line + length < end && !strchr(between, line[length])) length++;
        if (length && (++at == column || column == ALL) && number_of(line, length, &v)) {
            const char *word = line; /* from the end of a line its last part is met first */
            while (s->column < 0 && word > begin && !strchr(" \t\r;", word[-1])) word--;
            int alone = column != ALL && (word == begin || word[-1] != ',');
            size_t odd = alone ? comma_number(word, end) : 0;
            if (odd) return refuse_comma(word, odd);
            if (!numbers_add(out, v)) return WORKER_FAILED;
        }
        line += length;
    }
    return DONE;
}

static long count_lines(const char *text)
{
    long count = 0;
    for (const char *p = text; *p; p++) count += *p == '\n' || !p[1];
    return count;
}

static int take_lines(const spec *s, const char *text, numbers *out)
{
    long count = count_lines(text), at = 0, from = s->from, to = s->to;
    if (from < 0 && from + count < 0) return DONE; /* the text has fewer */
    if (from < 0) from = to = from + count + 1;
    if (from == ALL) from = 1, to = count;
    if (to == ALL) to = count;
    for (const char *line = text; *line;) {
        size_t size = strcspn(line, "\n");
        int code = ++at >= from && at <= to ? take_columns(s, line, size, out) : DONE;
        if (code) return code;
        line += size + (line[size] == '\n');
    }
    return DONE;
}

/* ---- a pattern ---------------------------------------------------------------------------------------------- */

/* The first number at or behind text, and where it begins; NULL: there is none. */
static const char *first_number(const char *text, size_t size, double *v)
{
    const char *end = text + size;
    while (text < end) {
        size_t length = 0;
        while (text < end && (strchr(between, *text) || strchr("=:\"'([{\n", *text))) text++;
        while (text + length < end && !strchr(between, text[length]) &&
               !strchr("=:\"')]}\n", text[length]))
            length++;
        for (size_t some = length; some; some--) /* "12.5mm" */
            if (number_of(text, some, v)) return text;
        text += length ? length : 1;
    }
    return NULL;
}

static int take_pattern(const spec *s, const char *text, numbers *out)
{
    regex_t r;
    regmatch_t m[2];
    char why[128];
    const char *all = text;
    double v, last = NAN;
    int every = s->rest[strlen(s->rest) - 1] == '*', found = 0, code = DONE;
    if (!compile(s, &r, why, sizeof why)) return WORKER_FAILED;
    for (int flags = 0; !code && !regexec(&r, text, 2, m, flags); flags = REG_NOTBOL) {
        int group = r.re_nsub > 0 && m[1].rm_so >= 0;
        const char *from = text + (group ? m[1].rm_so : m[0].rm_eo);
        size_t size = group ? (size_t)(m[1].rm_eo - m[1].rm_so) : strcspn(from, "\n");
        const char *at = first_number(from, size, &v);
        size_t odd = at && (at == all || at[-1] != ',') ? comma_number(at, from + size) : 0;
        if (odd) code = refuse_comma(at, odd);
        if (at && !odd) {
            if (every && !numbers_add(out, v)) code = WORKER_FAILED;
            last = v;
            found = 1;
        }
        text += m[0].rm_eo;
        if (!*text) break;
        if (m[0].rm_eo == m[0].rm_so) text++;
    }
    regfree(&r);
    if (!code && found && !every && !numbers_add(out, last)) code = WORKER_FAILED;
    return code;
}

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

static int take_json(json_t *v, const char *path, numbers *out)
{
    char key[128];
    size_t size = 0;
    if (!v) return 1; /* it is not there */
    if (!*path) return !json_is_number(v) || numbers_add(out, json_number_value(v));
    if (*path == '[' && path[1] == '*') {
        for (size_t k = 0; k < json_array_size(v); k++)
            if (!take_json(json_array_get(v, k), path + 2 + (path[2] == ']'), out)) return 0;
        return 1;
    }
    if (*path == '[') {
        char *end;
        long k = strtol(path + 1, &end, 10);
        if (k < 0) k += (long)json_array_size(v);
        return take_json(k < 0 ? NULL : json_array_get(v, (size_t)k), end + (*end == ']'), out);
    }
    path += *path == '.';
    size = strcspn(path, ".[");
    if (!size) return 1;
    snprintf(key, sizeof key, "%.*s", (int)size, path);
    return take_json(json_object_get(v, key), path + size, out);
}

static int take_document(const spec *s, const char *text, numbers *out)
{
    json_error_t e;
    json_t *all = json_loads(text, JSON_DECODE_ANY, &e);
    if (!all) {
        fprintf(stderr, "%s is not JSON: line %d: %s\n", s->file, e.line, e.text);
        return WORKER_MISTAKEN;
    }
    int fine = take_json(all, s->rest + 1, out);
    json_decref(all);
    return fine ? DONE : WORKER_FAILED;
}

/* ---- nothing was found -------------------------------------------------------------------------------------------- */

/* Of lines and columns: what there is instead. */
static void say_what_is_there(const spec *s, const char *text, char *out, size_t size)
{
    char shown[64];
    long count = count_lines(text), at = s->from < 0 ? s->from + count + 1 : s->from;
    const char *line = text;
    for (long k = 1; k < at && k < count; k++) line += strcspn(line, "\n") + 1;
    size_t length = strcspn(line, "\n");
    long columns = columns_in(line, length);
    if (at < 1 || at > count)
        snprintf(out, size, ", which has %ld line%s", count, count == 1 ? "" : "s");
    else
        snprintf(out, size, ": line %ld has %ld column%s, '%s'", at, columns,
                 columns == 1 ? "" : "s", text_quote(line, length, shown, sizeof shown));
}

/* ---- all three ---------------------------------------------------------------------------------------------------- */

int reader_take(const char *text, const folder *f, numbers *out)
{
    spec s;
    char path[LONGEST_PATH];
    size_t size, before = out->count;
    if (!parse(&s, text)) return WORKER_FAILED;
    folder_in(f, s.file, path);
    char *content = read_whole(path, &size);
    if (!content) {
        fprintf(stderr, "the program left no %s: %s\n", path, strerror(errno));
        return WORKER_MISTAKEN;
    }
    int code = *s.rest == '$'   ? take_document(&s, content, out)
               : *s.rest == '/' ? take_pattern(&s, content, out)
                                : take_lines(&s, content, out);
    if (!code && out->count == before) {
        char instead[160] = "";
        if (!strchr("$/", *s.rest)) say_what_is_there(&s, content, instead, sizeof instead);
        fprintf(stderr, "no number at '%s' in %s%s\n", s.rest, path, instead);
        code = WORKER_MISTAKEN;
    }
    free(content);
    return code;
}
