/* LIBSVM text to rows, strictly.
 * SPDX-License-Identifier: MIT
 *
 * The text ends with newlines of our own, so that no loop looks at a size. Faults are rare: the fast path
 * only notices that something is off, and a second look finds out what. */
#include "data/parse.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "data/number.h"

static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_blank(char c) { return c == ' ' || c == '\t'; }
static int ends_line(const char *p)
{
    return *p == '\n' || *p == '#' || (*p == '\r' && p[1] == '\n');
}
static int ends_token(const char *p) { return is_blank(*p) || ends_line(p); }

/* ---- Faults ------------------------------------------------------------------------------------- */

__attribute__((format(printf, 4, 5))) static const char *
fault(rows *out, const char *line, const char *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(out->fault, sizeof out->fault, format, args);
    va_end(args);
    out->fault_column = (size_t)(at - line) + 1;
    return NULL;
}

typedef struct quoted {
    char text[36];
} quoted;

/* The token at p for a message: printable, and cut when it is long. */
static quoted token(const char *p)
{
    quoted q;
    size_t k = 0;
    for (; !ends_token(p) && k < 32; p++) q.text[k++] = *p > ' ' && *p < 127 ? *p : '?';
    strcpy(q.text + k, ends_token(p) ? "" : "...");
    return q;
}

/* A byte that no text has, up to the end of the token at p? */
static const char *odd_byte(const char *p)
{
    for (; !ends_token(p); p++)
        if ((unsigned char)*p < ' ' || *p == 127) return p;
    return NULL;
}

static const char *binary(rows *out, const char *line, const char *at)
{
    if (*at == '\r')
        return fault(out, line, at, "carriage return inside a line; lines end with LF or CR LF");
    return fault(out, line, at,
                 "byte 0x%02x: this is not text, and not a kind of compression that is known",
                 (unsigned)(unsigned char)*at);
}

/* "nan", "inf" and "infinity" in any case, with or without a sign */
static int names_no_number(const char *p)
{
    static const char *const name[] = {"nan", "infinity", "inf"};
    if (*p == '-' || *p == '+') p++;
    for (size_t k = 0; k < 3; k++) {
        size_t i = 0;
        while (name[k][i] && (p[i] | 32) == name[k][i]) i++;
        if (!name[k][i] && ends_token(p + i)) return 1;
    }
    return 0;
}

/* Why the number at p, a label or a value, was not taken. */
static const char *number_fault(rows *out, const char *line, const char *p, const char *what)
{
    const char *odd = odd_byte(p);
    if (odd) return binary(out, line, odd);
    if (names_no_number(p)) return fault(out, line, p, "%s %s is not finite", what, token(p).text);
    double v;
    const char *end = number_read(p, &v);
    if (end && ends_token(end))
        return fault(out, line, p, "%s %s is too large for a double (1.8e308)", what,
                     token(p).text);
    if (ends_token(p)) return fault(out, line, p, "%s missing: a number is wanted here", what);
    return fault(out, line, p, "%s '%s' is not a number", what, token(p).text);
}

static const char *label_fault(rows *out, const char *line, const char *p)
{
    static const char mark[] = "\xef\xbb\xbf"; /* what some editors put before UTF-8 text */
    if (strncmp(p, mark, 3) == 0)
        return fault(
            out, line, p,
            "a byte order mark (0xef 0xbb 0xbf) before the label: save the file without one");
    quoted t = token(p);
    if (strchr(t.text, ':') && !odd_byte(p))
        return fault(out, line, p, "'%s' where the label belongs: a line is LABEL INDEX:VALUE ...",
                     t.text);
    if (strpbrk(t.text, ",;") && !odd_byte(p))
        return fault(
            out, line, p,
            "label '%s' is not a number: LIBSVM text is read, LABEL INDEX:VALUE ..., not CSV",
            t.text);
    return number_fault(out, line, p, "label");
}

/* Why the index at p was not taken; end is the first byte after its digits. */
static const char *index_fault(rows *out, const char *line, const char *p, const char *end)
{
    const char *odd = odd_byte(p);
    if (odd) return binary(out, line, odd);
    quoted t = token(p);
    const char *colon = strchr(t.text, ':');
    if (!colon && ends_token(end))
        return fault(out, line, end, "colon missing after '%s': INDEX:VALUE is wanted", t.text);
    if (!colon) return fault(out, line, p, "'%s' is not INDEX:VALUE", t.text);
    return fault(out, line, p, "index '%.*s' is not a whole number from 1 to %u",
                 (int)(colon - t.text), t.text, LARGEST_INDEX);
}

static const char *order_fault(rows *out, const char *line, const char *p, uint64_t index,
                               uint64_t last, uint32_t limit)
{
    unsigned long long i = index, before = last;
    if (index == 0) return fault(out, line, p, "index 0: indices begin at 1");
    if (index == last) return fault(out, line, p, "index %llu is repeated in its line", i);
    if (index < last)
        return fault(out, line, p, "index %llu comes after %llu: indices must rise within a line",
                     i, before);
    if (limit < LARGEST_INDEX)
        return fault(out, line, p, "index %llu is larger than %u, the number of features asked for",
                     i, limit);
    return fault(out, line, p, "index '%.*s' is larger than %u, the largest there is",
                 (int)strcspn(token(p).text, ":"), token(p).text, LARGEST_INDEX);
}

/* ---- The fast path ------------------------------------------------------------------------------ */

static const char *read_index(const char *p, uint64_t *out)
{
    uint64_t v = 0;
    unsigned digit;
    const char *first = p;
    while ((digit = (unsigned)*p - '0') < 10) {
        v = v * 10 + digit;
        p++;
    }
    if (p - first > 18) {
        while (*first == '0') first++; /* they count for nothing */
        if (p - first > 18) v = UINT64_MAX;
    }
    *out = v;
    return p;
}

/* The entries after the label; p is behind it. Returns where the line's content ends, NULL after a fault. */
static const char *read_entries(const char *line, const char *p, uint32_t limit, rows *out)
{
    uint64_t last = 0;
    uint32_t *col = out->col + out->entries;
    double *val = out->val + out->entries;
    for (;;) {
        p += *p == ' '; /* nearly always all there is between two entries */
        if (!is_digit(*p)) {
            while (is_blank(*p)) p++;
            if (ends_line(p)) break;
        }
        uint64_t index;
        const char *end = read_index(p, &index);
        if (*end != ':' || end == p) return index_fault(out, line, p, end);
        if (index <= last || index > limit) return order_fault(out, line, p, index, last, limit);
        last = index;
        decimal v;
        p = decimal_read(end + 1, &v);
        if (!p || !ends_token(p)) return number_fault(out, line, end + 1, "value");
        *col = (uint32_t)(index - 1);
        *val = v.value;
        col += v.nonzero;
        val += v.nonzero;
    }
    out->entries = (size_t)(val - out->val);
    if (last > out->widest) out->widest = (uint32_t)last;
    return p;
}

/* Returns where the next line begins, NULL after a fault. */
static const char *read_line(const char *line, uint32_t limit, rows *out)
{
    const char *p = line;
    while (is_blank(*p)) p++;
    if (!ends_line(p)) {
        decimal label;
        const char *end = decimal_read(p, &label);
        if (!end || !ends_token(end)) return label_fault(out, line, p);
        size_t before = out->entries;
        p = read_entries(line, end, limit, out);
        if (!p) return NULL;
        out->label[out->n] = label.value;
        out->length[out->n++] = (uint32_t)(out->entries - before);
    }
    if (*p == '#')
        while (*p != '\n') p++;
    return p + (*p == '\r') + 1;
}

void parse_rows(char *text, size_t size, uint32_t limit, rows *out)
{
    out->n = out->entries = out->lines = 0;
    out->widest = 0;
    out->fault_column = 0;
    memset(text + size, '\n', PARSE_SLACK);
    for (const char *p = text; p && p < text + size;) {
        p = read_line(p, limit, out);
        out->lines += p != NULL;
    }
}
