/* A fan cut into questions for programs: tiles of entries x points, as text there and back.
 * SPDX-License-Identifier: MIT */
#include "problem/process/question.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "data/number.h"

enum { PER_FAN = 64, MOST_VALUES = 4096 }; /* questions wanted; values in one at most */
enum { PARTS = 8 };                        /* of a question that failed */

static double *place(const questions *q, const question *a, size_t p, size_t e, int means)
{
    size_t points = zo_fan_points(q->fan);
    return means ? q->values + a->point + p : q->values + (a->entry + e) * points + a->point + p;
}

/* ---- cutting ---------------------------------------------------------------------------------------- */

static size_t at_least_one(size_t k) { return k ? k : 1; }
static size_t parts(size_t whole, size_t part) { return (whole + part - 1) / part; }

/* Tiles of ne entries and np points. */
static int cut(questions *q, const zo_fan *fan, size_t first, size_t count, size_t ne, size_t np,
               double *values)
{
    size_t points = zo_fan_points(fan), across = parts(count, ne), down = parts(points, np);
    if (!gather_room((void **)&q->at, &q->room, across * down, sizeof *q->at) ||
        !gather_room((void **)&q->back, &q->nrooms, across * down, sizeof *q->back))
        return 0;
    q->fan = fan;
    q->first = first;
    q->count = count;
    q->values = values;
    q->nquestions = across * down;
    q->next = q->nback = q->finished = 0;
    q->point_number = SIZE_MAX;
    for (size_t k = 0; k < q->nquestions; k++) {
        size_t e = k % across * ne, p = k / across * np;
        q->at[k] = (question){.entry = e,
                              .nentries = count - e < ne ? count - e : ne,
                              .point = p,
                              .npoints = points - p < np ? points - p : np};
    }
    return 1;
}

int questions_cut(questions *q, const zo_fan *fan, size_t first, size_t count, int means,
                  double *values)
{
    size_t points = zo_fan_points(fan), total = count * points;
    size_t wanted = at_least_one(parts(total, PER_FAN)), ne, np;
    if (wanted > MOST_VALUES) wanted = MOST_VALUES;
    if (fan->own) { /* a component's points are its own: they stay together */
        np = points;
        ne = at_least_one(wanted / points);
    } else if (means) {
        ne = count;
        np = at_least_one(wanted / count);
    } else { /* one point's text serves many components */
        ne = wanted < count ? wanted : count;
        np = at_least_one(wanted / ne);
    }
    return cut(q, fan, first, count, ne, np, values);
}

int questions_cut_points(questions *q, const zo_fan *fan, size_t first, size_t count,
                         double *values)
{
    return cut(q, fan, first, count, count, 1, values);
}

size_t questions_left(const questions *q) { return q->nback + q->nquestions - q->next; }
size_t questions_take(questions *q) { return q->nback ? q->back[--q->nback] : q->next++; }
void questions_return(questions *q, size_t k) { q->back[q->nback++] = k; }

void questions_done(questions *q) { q->finished++; }

/* Room for more questions, all of which may come back. 0: out of memory. */
static int make_room(questions *q, size_t more)
{
    size_t wanted = q->nquestions + more;
    if (wanted > q->room) {
        question *at = mem_grow(q->at, q->nquestions, 2 * wanted, sizeof *at);
        if (!at) return 0;
        q->at = at;
        q->room = 2 * wanted;
    }
    if (wanted > q->nrooms) {
        size_t *back = mem_grow(q->back, q->nback, 2 * wanted, sizeof *back);
        if (!back) return 0;
        q->back = back;
        q->nrooms = 2 * wanted;
    }
    return 1;
}

/* Room for parts of a question, which are asked before all others. 0: out of memory. */
static int begin_parts(questions *q, size_t parts)
{
    if (!make_room(q, parts)) return 0;
    for (size_t k = q->nquestions; k-- > q->next;) q->back[q->nback++] = k;
    q->next = q->nquestions += parts;
    return 1;
}

static void add_part(questions *q, size_t k, question part)
{
    part.part = 1;
    q->at[k] = part;
    q->back[q->nback++] = k;
}

static size_t part_size(size_t whole) { return parts(whole, PARTS); }

size_t questions_split(questions *q, size_t k, int means)
{
    question a = q->at[k];
    int by_entry = !means && (q->fan->own ? a.nentries > 1 : a.npoints == 1);
    size_t whole = by_entry ? a.nentries : a.npoints, size = part_size(whole),
           first = q->nquestions, count = parts(whole, size);
    if (whole < 2 || !begin_parts(q, count)) return 0;
    for (size_t c = count; c-- > 0;) {
        size_t from = c * size, some = whole - from < size ? whole - from : size;
        question part = {.entry = a.entry + (by_entry ? from : 0),
                         .nentries = by_entry ? some : a.nentries,
                         .point = a.point + (by_entry ? 0 : from),
                         .npoints = by_entry ? a.npoints : some};
        add_part(q, first + c, part);
    }
    questions_done(q);
    return count;
}

size_t question_bad(const questions *q, size_t k)
{
    const question *a = &q->at[k];
    size_t bad = 0;
    for (size_t p = 0; p < a->npoints; p++)
        for (size_t e = 0; e < a->nentries; e++) bad += isfinite(*place(q, a, p, e, 0)) ? 0 : 1;
    return bad;
}

size_t questions_single_out(questions *q, size_t k)
{
    question a = q->at[k];
    size_t bad = question_bad(q, k), next = q->nquestions;
    if (bad == 0 || bad == a.npoints * a.nentries || !begin_parts(q, bad)) return 0;
    for (size_t p = 0; p < a.npoints; p++)
        for (size_t e = 0; e < a.nentries; e++)
            if (!isfinite(*place(q, &a, p, e, 0)))
                add_part(q, next++,
                         (question){.entry = a.entry + e,
                                    .nentries = 1,
                                    .point = a.point + p,
                                    .npoints = 1,
                                    .tries = 1});
    questions_done(q);
    return bad;
}

int question_at(const questions *q, size_t k, const question *a)
{
    const question *b = &q->at[k];
    return b->npoints == 1 && b->point == a->point && (!q->fan->own || b->entry == a->entry);
}

void question_give_up(questions *q, size_t k, int means)
{
    const question *a = &q->at[k];
    for (size_t p = 0; p < a->npoints; p++)
        for (size_t e = 0; e < (means ? 1 : a->nentries); e++) *place(q, a, p, e, means) = NAN;
    questions_done(q);
}

size_t questions_give_up_at(questions *q, size_t k, int means)
{
    question a = q->at[k];
    size_t kept = 0, values = question_values(q, k, means);
    question_give_up(q, k, means);
    while (q->next < q->nquestions) q->back[q->nback++] = q->next++;
    for (size_t b = 0; b < q->nback; b++) {
        size_t other = q->back[b];
        if (question_at(q, other, &a)) {
            values += question_values(q, other, means);
            question_give_up(q, other, means);
        } else {
            q->back[kept++] = other;
        }
    }
    q->nback = kept;
    return values;
}

size_t questions_give_up_rest(questions *q, int means)
{
    size_t values = 0;
    while (questions_left(q)) {
        size_t k = questions_take(q);
        values += question_values(q, k, means);
        question_give_up(q, k, means);
    }
    return values;
}

int questions_finished(const questions *q) { return q->finished == q->nquestions; }

void questions_free(questions *q)
{
    mem_free(q->at);
    mem_free(q->back);
    bytes_free(&q->point);
    *q = (questions){0};
}

/* ---- writing ---------------------------------------------------------------------------------------- */

/* A point is written once for the questions in a row that share it. */
static int write_point(questions *q, size_t entry, size_t number, double *x, bytes *text)
{
    const zo_fan *fan = q->fan;
    if (number != q->point_number || (fan->own && entry != q->point_entry)) {
        zo_fan_point(fan, entry, number, x);
        q->point.begin = q->point.end = 0;
        if (!bytes_reserve(&q->point, 32 * fan->d + 32)) return 0;
        for (size_t j = 0; j < fan->d; j++) {
            char *to = q->point.at + q->point.end;
            text_exact(x[j], to, 32);
            size_t size = strlen(to);
            to[size] = j + 1 < fan->d ? ' ' : '\n';
            q->point.end += size + 1;
        }
        q->point_number = number;
        q->point_entry = entry;
    }
    return bytes_add(text, q->point.at, q->point.end);
}

int question_write(questions *q, size_t k, uint64_t id, const gather *g, double *x, bytes *text)
{
    const question *a = &q->at[k];
    const zo_fan *fan = q->fan;
    char line[96];
    int all = !fan->comp && a->nentries == fan->n;
    snprintf(line, sizeof line, "%s %llu %zu %zu\n", fan->own ? "each" : "eval",
             (unsigned long long)id, a->npoints, a->nentries);
    text->begin = text->end = 0;
    if (!bytes_add(text, line, strlen(line)) || (all && !bytes_add(text, "all\n", 4))) return 0;
    for (size_t e = 0; !all && e < a->nentries; e++) {
        size_t i = gather_component(fan, gather_entry(g, q->first + a->entry + e));
        snprintf(line, sizeof line, "%zu%c", i, e + 1 < a->nentries ? ' ' : '\n');
        if (!bytes_add(text, line, strlen(line))) return 0;
    }
    for (size_t e = 0; e < (fan->own ? a->nentries : 1); e++)
        for (size_t p = 0; p < a->npoints; p++)
            if (!write_point(q, gather_entry(g, q->first + a->entry + e), a->point + p, x, text))
                return 0;
    return 1;
}

/* ---- reading ---------------------------------------------------------------------------------------- */

/* nan and inf are values too: what becomes of them is the solver's policy. Returns what follows, or NULL. */
static const char *read_value(const char *p, double *out)
{
    const char *after = number_read(p, out);
    if (after) return after;
    double sign = *p == '-' ? -1 : 1;
    if (*p == '-' || *p == '+') p++;
    char word[9] = "";
    size_t size = 0;
    while (size < 8 && isalpha((unsigned char)p[size])) {
        word[size] = (char)tolower((unsigned char)p[size]);
        size++;
    }
    if (!strcmp(word, "nan")) return *out = NAN, p + 3;
    if (!strcmp(word, "inf")) return *out = sign * INFINITY, p + 3;
    if (!strcmp(word, "infinity")) return *out = sign * INFINITY, p + 8;
    return NULL;
}

static int blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* One line of values. Returns 0 with words in why when it is not one. */
static int read_line(questions *q, const question *a, size_t p, int means, const char *line,
                     char *why, size_t size)
{
    size_t wanted = means ? 1 : a->nentries, got = 0;
    char seen[64];
    for (;; got++) {
        while (blank(*line)) line++;
        if (*line == '\n') break;
        double v;
        const char *after = read_value(line, &v);
        if (!after || (!blank(*after) && *after != '\n')) {
            text_quote(line, 64, seen, sizeof seen);
            snprintf(
                why, size,
                "where value %zu of line %zu should be, a number such as -1.5e-3, it wrote '%s'",
                got + 1, p + 1, seen);
            return 0;
        }
        if (got < wanted) *place(q, a, p, got, means) = v;
        line = after;
    }
    if (got == wanted) return 1;
    snprintf(why, size, "line %zu of its answer has %zu value%s; %zu %s asked for%s", p + 1, got,
             got == 1 ? "" : "s", wanted, wanted == 1 ? "was" : "were",
             got == 1 && !means ? " (a program that answers means writes zoprox-means first)" : "");
    return 0;
}

int question_read(questions *q, size_t k, uint64_t id, int means, bytes *from, char *why,
                  size_t size)
{
    const question *a = &q->at[k];
    char *p = from->at + from->begin, *end = from->at + from->end,
         *first = memchr(p, '\n', (size_t)(end - p));
    char name[32], seen[64];
    snprintf(name, sizeof name, "%llu", (unsigned long long)id);
    if (!first && end - p > 64)
        return snprintf(why, size, "where the ID should be, it wrote a long line"), -1;
    if (!first) return 0;
    size_t length = (size_t)(first - p);
    while (length && blank(p[length - 1])) length--;
    if (length != strlen(name) || memcmp(p, name, length)) {
        text_quote(p, (size_t)(end - p), seen, sizeof seen);
        return snprintf(why, size, "it answered '%s' where the ID %s of the question should be",
                        seen, name),
               -1;
    }
    char *line = first + 1;
    for (size_t row = 0; row < a->npoints; row++) { /* all there? */
        char *stop = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
        if (!stop)
            return (size_t)(end - line) > 64 * (a->nentries + 64)
                       ? (snprintf(why, size, "line %zu of its answer is far too long", row + 1),
                          -1)
                       : 0;
        line = stop + 1;
    }
    char *after = line;
    line = first + 1;
    for (size_t row = 0; row < a->npoints; row++) {
        if (!read_line(q, a, row, means, line, why, size)) return -1;
        line = (char *)memchr(line, '\n', (size_t)(after - line)) + 1;
    }
    from->begin = (size_t)(after - from->at);
    return 1;
}

/* ---- values ------------------------------------------------------------------------------------------ */

void question_key(const questions *q, size_t k, const bytes *text, uint64_t key[2])
{
    const question *a = &q->at[k];
    const uint64_t shape[3] = {(uint64_t)q->fan->own, a->npoints, a->nentries};
    const char *line = text->at + text->begin;
    size_t size = text->end - text->begin, head = (size_t)((char *)memchr(line, '\n', size) - line);
    key[0] = text_hash(text_hash(TEXT_HASH, shape, sizeof shape), line + head, size - head);
    key[1] = text_hash(text_hash(~TEXT_HASH, shape, sizeof shape), line + head, size - head);
}

size_t question_values(const questions *q, size_t k, int means)
{
    return q->at[k].npoints * (means ? 1 : q->at[k].nentries);
}

void question_get(const questions *q, size_t k, int means, double *values)
{
    const question *a = &q->at[k];
    for (size_t p = 0; p < a->npoints; p++)
        for (size_t e = 0; e < (means ? 1 : a->nentries); e++)
            *values++ = *place(q, a, p, e, means);
}

void question_put(questions *q, size_t k, int means, const double *values)
{
    const question *a = &q->at[k];
    for (size_t p = 0; p < a->npoints; p++)
        for (size_t e = 0; e < (means ? 1 : a->nentries); e++)
            *place(q, a, p, e, means) = *values++;
}

int question_finite(const questions *q, size_t k, int means)
{
    const question *a = &q->at[k];
    for (size_t p = 0; p < a->npoints; p++)
        for (size_t e = 0; e < (means ? 1 : a->nentries); e++)
            if (!isfinite(*place(q, a, p, e, means))) return 0;
    return 1;
}
