/* Templates: a text with {NAME}, {NAME:%12.5e} and {case} in it.
 * SPDX-License-Identifier: MIT
 *
 * Braces around anything else are left as they are: input files have braces of their own. */
#include "files/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- one place ------------------------------------------------------------------------------------------ */

enum { NOTHING = -2, THE_CASE = -1 }; /* or a parameter's number */
enum { EXACT = 17 };                  /* digits */

typedef struct place {
    long which;
    char format[24]; /* "": all digits */
    size_t size;     /* of the text between the braces, and they */
} place;

static long named(const char *name, size_t size, const values *v)
{
    char digits[24];
    uint64_t j;
    if (size == 4 && !memcmp(name, "case", 4)) return THE_CASE;
    for (size_t k = 0; v->known && k < v->d; k++)
        if (strlen(v->known->names[k]) == size && !memcmp(name, v->known->names[k], size))
            return (long)k;
    if (size < 2 || size > 12 || name[0] != 'x') return NOTHING;
    snprintf(digits, sizeof digits, "%.*s", (int)size - 1, name + 1);
    return text_whole(digits, &j) && j < v->d ? (long)j : NOTHING;
}

/* At an opening brace. */
static place place_at(const char *text, const values *v)
{
    place p = {.which = NOTHING};
    size_t name = strcspn(text + 1, ":}{\n"), all = strcspn(text + 1, "}{\n");
    if (text[1 + all] != '}' || all - name > sizeof p.format) return p;
    p.which = named(text + 1, name, v);
    if (all > name)
        snprintf(p.format, sizeof p.format, "%.*s", (int)(all - name - 1), text + name + 2);
    p.size = all + 2;
    return p;
}

/* %[flags][width][.digits] and one of e, f, g: anything else would not be a number, or worse. The digits that it keeps of a
 * number near 1; 0: no format. */
static int digits_of(const char *format)
{
    const char *f = format;
    int digits = 6;
    if (*f++ != '%') return 0;
    f += strspn(f, "-+ 0");
    if (strspn(f, "0123456789") > 3) return 0;
    f += strspn(f, "0123456789");
    if (*f == '.') {
        size_t many = strspn(++f, "0123456789");
        if (many < 1 || many > 3) return 0;
        digits = atoi(f);
        f += many;
    }
    if (!*f || !strchr("eEfgG", *f) || f[1]) return 0;
    return *f == 'g' || *f == 'G' ? (digits ? digits : 1) : digits + 1;
}

static size_t letters(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.-[]");
}

/* Braces that nothing stands for, but were meant so: {x7} beyond the last, {NAME:%g}. A shell's ${x7} is its own. */
static int is_amiss(const char *text, const char *brace)
{
    size_t digits = brace[1] == 'x' ? strspn(brace + 2, "0123456789") : 0,
           name = letters(brace + 1);
    if (brace > text && brace[-1] == '$') return 0;
    if (digits && brace[2 + digits] == '}') return 1;
    if (!name || strchr("0123456789.-[]", brace[1]) || strncmp(brace + 1 + name, ":%", 2)) return 0;
    return brace[1 + strcspn(brace + 1, "}{\n")] == '}';
}

static void complain_amiss(const char *where, const char *brace, const values *v)
{
    char names[400];
    size_t at = 0, k = 0;
    for (; v->known && k < v->d && at + LONGEST_NAME + 8 < sizeof names; k++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", k ? ", " : "",
                               v->known->names[k]);
    if (v->known && k < v->d) snprintf(names + at, sizeof names - at, ", ...");
    if (!v->known) at = (size_t)snprintf(names, sizeof names, "x0");
    if (!v->known && v->d > 1) snprintf(names + at, sizeof names - at, " to x%zu", v->d - 1);
    complain(REFUSED, "template: %s: nothing stands for '%.*s'; there %s %s", where,
             (int)strcspn(brace, "}\n") + 1, brace, v->d == 1 ? "is only" : "are", names);
}

/* ---- a text --------------------------------------------------------------------------------------------- */

int template_names(const char *text, const char *where, const values *v, unsigned char *used,
                   int *digits)
{
    int by_case = 0;
    for (const char *p = strchr(text, '{'); p; p = strchr(p + 1, '{')) {
        place at = place_at(p, v);
        if (at.which == NOTHING && !is_amiss(text, p)) continue;
        if (at.which == NOTHING) return complain_amiss(where, p, v), -1;
        int kept = *at.format ? digits_of(at.format) : EXACT;
        if (!kept || (at.which == THE_CASE && *at.format)) {
            complain(REFUSED, "template: '%.*s' has no format of a number, such as %%12.5e or %%g",
                     (int)at.size, p);
            return -1;
        }
        if (at.which == THE_CASE)
            by_case = 1;
        else
            used[at.which] = 1;
        if (kept < *digits) *digits = kept;
    }
    return by_case;
}

static size_t write_place(const place *at, const values *v, char *text, size_t size)
{
    if (at->which == THE_CASE) return (size_t)snprintf(text, size, "%zu", v->component);
    double x = v->x[at->which];
    if (!*at->format) return strlen(text_exact(x, text, size));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* digits_of has looked at it */
    return (size_t)snprintf(text, size, at->format, x);
#pragma GCC diagnostic pop
}

char *template_fill(const char *text, const values *v, size_t *size)
{
    enum { WIDEST = 1400 }; /* of a number in a format */
    size_t room = strlen(text) + 1, at = 0;
    for (const char *p = text; *p; p++) room += *p == '{' ? WIDEST : 0;
    char *out = malloc(room);
    while (out && *text) {
        place p = *text == '{' ? place_at(text, v) : (place){.which = NOTHING};
        if (p.which == NOTHING) {
            out[at++] = *text++;
            continue;
        }
        at += write_place(&p, v, out + at, WIDEST);
        text += p.size;
    }
    if (out) out[at] = 0;
    *size = at;
    return out;
}

int template_open(template *t, const char *spec)
{
    char path[LONGEST_PATH];
    const char *equals = strrchr(spec, '=');
    *t = (template){0};
    if (!equals || equals == spec || !equals[1] || strchr(equals, '/') ||
        strlen(equals) > sizeof t->file || (size_t)(equals - spec) >= sizeof path)
        return complain(REFUSED,
                        "--template: '%s' is not TEMPLATE=FILE, FILE a name in the run's folder",
                        spec);
    snprintf(path, sizeof path, "%.*s", (int)(equals - spec), spec);
    snprintf(t->file, sizeof t->file, "%s", equals + 1);
    t->text = read_once(path, &t->size);
    if (!t->text)
        return complain(REFUSED, "--template: '%s' cannot be read: %s", path, strerror(errno));
    if (strlen(t->text) != t->size)
        return complain(REFUSED, "--template: '%s' is not a text", path);
    return DONE;
}

void template_close(template *t)
{
    free(t->text);
    t->text = NULL;
}
