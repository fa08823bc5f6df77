/* A history as CSV: x0, ..., component, value, seconds, failure, number, check.
 * SPDX-License-Identifier: MIT
 *
 * One line an evaluation, whole or not there: a torn last line is cut off. The last column is a hash of the numbers that count, so
 * that a damaged line is passed over; where it is empty or not there, as in files of others, the line is believed. */
#define _GNU_SOURCE /* flock */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"
#include "data/number.h"
#include "history/parts.h"

/* ---- reading ------------------------------------------------------------------------------------------ */

/* A file piece by piece, line by line. */
typedef struct lines {
    int fd;
    char *text;
    size_t begin, end, room;
    uint64_t number; /* of the line at hand, from 1 */
    uint64_t at;     /* bytes of the lines so far */
} lines;

enum { PIECE = 1 << 16 };

/* More of the file behind what is left. 1: there was more, 0: the end, -1: failed. */
static int read_more(lines *l)
{
    if (l->end > l->begin) memmove(l->text, l->text + l->begin, l->end - l->begin);
    l->end -= l->begin;
    l->begin = 0;
    if (l->room - l->end < PIECE) {
        char *grown = mem_grow(l->text, l->end, 2 * l->room + 2 * PIECE, 1);
        if (!grown) return errno = ENOMEM, -1;
        l->text = grown;
        l->room = 2 * l->room + 2 * PIECE;
    }
    ssize_t got;
    while ((got = read(l->fd, l->text + l->end, l->room - l->end)) < 0 && errno == EINTR) {
    }
    if (got > 0) l->end += (size_t)got;
    return got < 0 ? -1 : got > 0;
}

/* The next whole line, ended by a 0 where its newline was. 1: here it is, 0: there is none, -1: failed. */
static int next_line(lines *l, char **line, size_t *size)
{
    size_t looked = 0;
    for (;;) {
        char *from = l->text ? l->text + l->begin : NULL;
        char *stop = from ? memchr(from + looked, '\n', l->end - l->begin - looked) : NULL;
        if (stop) {
            *line = from;
            *size = (size_t)(stop - from);
            *stop = 0;
            l->begin += *size + 1;
            l->at += *size + 1;
            l->number++;
            return 1;
        }
        looked = l->end - l->begin;
        int more = read_more(l);
        if (more <= 0) return more;
    }
}

/* A field and its size without quotes and blanks around it; *line moves behind it, to NULL behind the last. */
static char *next_field(char **line, char separator, size_t *size)
{
    char *p = *line + strspn(*line, " \r"), *end;
    if (*p == '"') {
        char *from = ++p, *to = p;
        while (*from && !(*from == '"' && from[1] != '"')) {
            if (*from == '"') from++;
            *to++ = *from++;
        }
        *size = (size_t)(to - p);
        end = strchr(from, separator);
        *line = end ? end + 1 : NULL;
        *to = 0;
        return p;
    }
    end = strchr(p, separator);
    *size = end ? (size_t)(end - p) : strlen(p);
    *line = end ? end + 1 : NULL;
    while (*size && (p[*size - 1] == ' ' || p[*size - 1] == '\r')) --*size;
    return p;
}

typedef struct table {
    past *p;
    columns columns;
    char separator;
    double *x;
    int check; /* the last column is one */
} table;

static char separator_of(const char *head)
{
    char best = ',';
    size_t most = 0;
    for (const char *s = ",;\t"; *s; s++) {
        size_t count = 0;
        for (const char *c = head; *c; c++) count += *c == *s;
        if (count > most) {
            most = count;
            best = *s;
        }
    }
    return best;
}

/* How many coordinates the first line names. */
static size_t width_of(const char *line, char separator)
{
    size_t most = 0, named = 0;
    int inside = 1; /* before the first of the other columns */
    for (const char *end; line; line = *end ? end + 1 : NULL) {
        end = strchr(line, separator);
        if (!end) end = line + strlen(line);
        const char *from = line, *to = end;
        while (from < to && (*from == ' ' || *from == '"')) from++;
        while (to > from && (to[-1] == ' ' || to[-1] == '"' || to[-1] == '\r')) to--;
        size_t width = columns_width(from, (size_t)(to - from));
        if (width > most) most = width;
        inside = inside && !columns_known(from, (size_t)(to - from));
        named += (size_t)inside;
    }
    return most || inside ? most : named;
}

static zo_status read_head(table *t, char *line, zo_error *err)
{
    t->separator = separator_of(line);
    size_t count = 1, size;
    if (!strncmp(line, "\xef\xbb\xbf", 3)) line += 3; /* a mark that some tools put first */
    for (const char *c = line; *c; c++) count += *c == t->separator;
    if (!t->p->d) t->p->d = width_of(line, t->separator);
    if (!t->p->d)
        return fail(err, ZO_BAD_INPUT, "%s: '%s' has no columns x0, x1, ...", t->p->what,
                    t->p->path);
    t->x = mem_new(t->p->d, sizeof *t->x);
    if (!t->x) return out_of_memory(err, t->p->what, t->p->d);
    if (!columns_open(&t->columns, t->p->d, count)) return out_of_memory(err, t->p->what, count);
    for (size_t k = 0; k < count && line; k++) {
        char *name = next_field(&line, t->separator, &size);
        columns_name(&t->columns, k, name, size);
    }
    t->check = t->columns.role[count - 1] == t->p->d + IS_CHECK;
    return columns_check(&t->columns, t->p, err);
}

static int is_number(const char *text, size_t size, double *out)
{
    const char *after = size ? number_read(text, out) : NULL;
    if (after == text + size) return 1;
    *out = NAN;
    return 0;
}

static uint64_t check_of(const evaluation *e, size_t d)
{
    const uint64_t rest[] = {e->component, e->number};
    double value = e->value;
    uint64_t hash = history_mix(d, e->x, d);
    return history_mix(history_mix(hash, rest, 2), &value, isnan(value) ? 0U : 1U);
}

/* Is the line as it was written? check is its last field. */
static int is_whole(const evaluation *e, size_t d, const char *check, size_t size)
{
    char wanted[17];
    if (size == 0) return 1;
    snprintf(wanted, sizeof wanted, "%016llx", (unsigned long long)check_of(e, d));
    return size == 16 && !memcmp(check, wanted, 16);
}

static zo_status bad_field(const table *t, const lines *l, const char *what, const char *text,
                           size_t size, zo_error *err)
{
    char seen[64];
    text_quote(text, size, seen, sizeof seen);
    return fail(err, ZO_BAD_INPUT, "%s: '%s', line %llu: '%s' is not %s", t->p->what, t->p->path,
                (unsigned long long)l->number, seen, what);
}

/* One field into the evaluation. */
static zo_status take_field(table *t, const lines *l, size_t role, const char *text, size_t size,
                            evaluation *e, zo_error *err)
{
    size_t d = t->p->d;
    double v;
    int fine = is_number(text, size, &v), whole = fine && v >= 0 && v < 0x1p53 && v == floor(v);
    if (role < d) {
        t->x[role] = v;
        return fine && isfinite(v) ? ZO_OK : bad_field(t, l, "a coordinate", text, size, err);
    }
    if (role == d + IS_VALUE) e->value = v;
    if (role == d + IS_SECONDS) e->seconds = v;
    if (role == d + IS_FAILURE) e->failure = size ? text : NULL;
    if (role == d + IS_NUMBER && whole) e->number = (uint64_t)v;
    if (role == d + IS_COMPONENT && size) {
        if (!whole || (t->p->n && v >= (double)t->p->n))
            return bad_field(t, l, "a component of this problem", text, size, err);
        e->component = (uint64_t)v;
    }
    return ZO_OK;
}

static zo_status read_row(table *t, const lines *l, char *line, size_t size, zo_error *err)
{
    size_t count = t->columns.count, had = 0, length = 0, d = t->p->d;
    const char *check = "";
    evaluation e = {
        .x = t->x, .component = t->p->n == 1 ? 0 : NO_COMPONENT, .value = NAN, .seconds = NAN};
    if (size == 0 || (size == 1 && *line == '\r')) return ZO_OK;
    zo_status status = ZO_OK;
    for (char *rest = line; rest && had < count && !status; had++) {
        char *field = next_field(&rest, t->separator, &length);
        if (t->columns.role[had] == d + IS_FAILURE && rest) field[length] = 0; /* words end there */
        status = take_field(t, l, t->columns.role[had], field, length, &e, err);
        check = field;
    }
    if (t->check && (status || had < count || !is_whole(&e, d, check, length)))
        return status == ZO_NO_MEMORY ? status : (t->p->damaged++, ZO_OK);
    if (status) return status;
    if (had < count)
        return fail(err, ZO_BAD_INPUT, "%s: '%s', line %llu has %zu of %zu fields", t->p->what,
                    t->p->path, (unsigned long long)l->number, had, count);
    t->p->rows++;
    return t->p->row(t->p->ctx, &e) ? ZO_OK : out_of_memory(err, t->p->what, t->p->rows);
}

static zo_status unread(const past *p, zo_error *err)
{
    return fail(err, errno == ENOMEM ? ZO_NO_MEMORY : ZO_IO, "%s: cannot read '%s': %s", p->what,
                p->path, strerror(errno));
}

static zo_status read_lines(table *t, lines *l, zo_error *err)
{
    past *p = t->p;
    char *line;
    size_t size;
    int there = next_line(l, &line, &size);
    if (there < 0) return unread(p, err);
    if (there == 0)
        return fail(err, ZO_BAD_INPUT, "%s: '%s' has no first line with names of columns", p->what,
                    p->path);
    zo_status status = read_head(t, line, err);
    if (!status && p->from > l->at) { /* the lines before were read already */
        l->begin = l->end = 0;
        l->at = p->from;
        if (lseek(l->fd, (off_t)l->at, SEEK_SET) < 0) return unread(p, err);
    }
    while (!status && (there = next_line(l, &line, &size)) > 0)
        status = read_row(t, l, line, size, err);
    p->from = l->at;
    return !status && there < 0 ? unread(p, err) : status;
}

static zo_status csv_read(past *p, zo_error *err)
{
    lines l = {.fd = open(p->path, O_RDONLY | O_CLOEXEC)};
    if (l.fd < 0)
        return fail(err, ZO_IO, "%s: cannot open '%s': %s", p->what, p->path, strerror(errno));
    table t = {.p = p};
    zo_status status = read_lines(&t, &l, err);
    columns_close(&t.columns);
    mem_free(t.x);
    mem_free(l.text);
    close(l.fd);
    return status;
}

/* A first line that is whole. */
static int csv_begun(const char *path)
{
    lines l = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
    char *line;
    size_t size;
    int begun = l.fd < 0 || next_line(&l, &line, &size) != 0; /* who reads says what is wrong */
    mem_free(l.text);
    if (l.fd >= 0) close(l.fd);
    return begun;
}

/* ---- writing ------------------------------------------------------------------------------------------ */

typedef struct words { /* a number as text, kept for as long as the number stays */
    double v;
    unsigned size;
    char text[28];
} words;

struct writer {
    int fd, error;
    size_t d;
    words *x;               /* d: of the point written last */
    points points;          /* whose text is kept, */
    char *kept;             /* in rows of so many bytes, */
    size_t nkept, *size_of; /* of which so many are used */
    char *text;
    size_t size, room;
    off_t good; /* bytes of whole lines */
};

static void put(writer *w, const char *text, size_t size)
{
    memcpy(w->text + w->size, text, size);
    w->size += size;
}

static void put_number(writer *w, double v)
{
    char text[32];
    if (!isnan(v)) put(w, text, strlen(text_exact(v, text, sizeof text)));
}

static void put_whole(writer *w, uint64_t v)
{
    char text[24], *p = text + sizeof text;
    do {
        *--p = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    put(w, p, (size_t)(text + sizeof text - p));
}

/* Microseconds are enough. */
static void put_seconds(writer *w, double seconds)
{
    char text[8] = ".";
    uint64_t micro = seconds > 0 && seconds < 1e12 ? (uint64_t)(1e6 * seconds + 0.5) : 0;
    put_whole(w, micro / 1000000);
    micro %= 1000000;
    for (int k = 6; k > 0; k--, micro /= 10) text[k] = (char)('0' + micro % 10);
    put(w, text, 7);
}

static void put_hex(writer *w, uint64_t v)
{
    for (int k = 60; k >= 0; k -= 4) w->text[w->size++] = "0123456789abcdef"[v >> k & 15];
}

/* In one line and without what would need quotes. */
static void put_failure(writer *w, const char *text)
{
    for (size_t k = 0; text[k] && k < 200; k++) {
        char c = text[k];
        w->text[w->size++] = c == ','                 ? ' '
                             : c == ';'               ? ':'
                             : c == '"'               ? '\''
                             : (unsigned char)c < ' ' ? ' '
                                                      : c;
    }
}

/* All coordinates, each with its comma; those that stayed as they were are not made again. */
static void print_point(writer *w, const double *x)
{
    for (size_t j = 0; j < w->d; j++) {
        words *t = &w->x[j];
        if (memcmp(&t->v, &x[j], sizeof t->v) || !t->size) {
            t->v = x[j];
            t->size = (unsigned)strlen(text_exact(x[j], t->text, sizeof t->text));
        }
        put(w, t->text, t->size);
        w->text[w->size++] = ',';
    }
}

static void put_point(writer *w, const double *x)
{
    int there;
    size_t k = points_find(&w->points, x, &there), from = w->size;
    if (there) {
        put(w, w->kept + k * w->nkept, w->size_of[k]);
        return;
    }
    print_point(w, x);
    w->size_of[k] = w->size - from;
    memcpy(w->kept + k * w->nkept, w->text + from, w->size - from);
}

/* What could not be written whole is cut off again. */
static int csv_flush(writer *w, int sync)
{
    size_t done = 0;
    while (done < w->size && !w->error) {
        ssize_t wrote = write(w->fd, w->text + done, w->size - done);
        if (wrote < 0 && errno != EINTR) w->error = errno;
        if (wrote == 0) w->error = ENOSPC;
        if (wrote > 0) done += (size_t)wrote;
    }
    if (!w->error) w->good += (off_t)w->size;
    if (w->error && ftruncate(w->fd, w->good)) return 0;
    w->size = 0;
    if (sync && !w->error && fdatasync(w->fd) && errno != EINVAL && errno != EROFS)
        w->error = errno;
    return !w->error;
}

static size_t longest_line(size_t d) { return 29 * d + 400; }

static int csv_add(writer *w, const evaluation *e)
{
    if (w->room - w->size < longest_line(w->d) && !csv_flush(w, 0)) return 0;
    put_point(w, e->x);
    if (e->component != NO_COMPONENT) put_whole(w, e->component);
    put(w, ",", 1);
    put_number(w, e->value);
    put(w, ",", 1);
    put_seconds(w, e->seconds);
    put(w, ",", 1);
    if (e->failure) put_failure(w, e->failure);
    put(w, ",", 1);
    put_whole(w, e->number);
    put(w, ",", 1);
    put_hex(w, check_of(e, w->d));
    put(w, "\n", 1);
    return 1;
}

static const char *csv_why(const writer *w) { return strerror(w->error); }

static void csv_close(writer *w)
{
    if (!w) return;
    if (w->fd >= 0) close(w->fd);
    points_close(&w->points);
    mem_free(w->kept);
    mem_free(w->size_of);
    mem_free(w->x);
    mem_free(w->text);
    mem_free(w);
}

static void put_head(writer *w, const char *const *names)
{
    static const char rest[] = "component,value,seconds,failure,number,check\n";
    for (size_t j = 0; j < w->d; j++) {
        char name[32];
        snprintf(name, sizeof name, "x%zu", j);
        put(w, names ? names[j] : name, strlen(names ? names[j] : name));
        put(w, ",", 1);
    }
    put(w, rest, sizeof rest - 1);
}

/* Behind the last whole line, where the file is a history at all: its first line says so. */
static zo_status go_on(writer *w, const char *path, zo_error *err)
{
    struct stat st;
    if (fstat(w->fd, &st))
        return fail(err, ZO_IO, "history: cannot read '%s': %s", path, strerror(errno));
    size_t head = w->size;
    char *had = mem_new(head + 1, 1), last = 0;
    if (!had) return out_of_memory(err, "history", head);
    ssize_t size = pread(w->fd, had, head, 0);
    int ours = size >= 0 && !memcmp(had, w->text, (size_t)size);
    mem_free(had);
    if (ours && size < (ssize_t)head) /* it ended before the first line was whole */
        return !ftruncate(w->fd, 0) && csv_flush(w, 0)
                   ? ZO_OK
                   : fail(err, ZO_IO, "history: cannot write '%s': %s", path, strerror(errno));
    if (!ours)
        return fail(err, ZO_MISMATCH,
                    "history: '%s' is not a history of this problem: its first line is another",
                    path);
    w->good = st.st_size;
    while (w->good > (off_t)head && pread(w->fd, &last, 1, w->good - 1) == 1 && last != '\n')
        w->good--;
    w->size = 0;
    if (w->good < st.st_size && ftruncate(w->fd, w->good))
        return fail(err, ZO_IO, "history: cannot write '%s': %s", path, strerror(errno));
    return ZO_OK;
}

static zo_status open_file(writer *w, const zo_history_options *o, int fresh, zo_error *err)
{
    const char *path = o->file;
    int flags = O_RDWR | O_APPEND | O_CLOEXEC | (fresh ? O_CREAT | O_EXCL : 0);
    w->fd = open(path, flags, 0666);
    if (w->fd < 0) return fail(err, ZO_IO, "history: cannot open '%s': %s", path, strerror(errno));
    if (flock(w->fd, LOCK_EX | LOCK_NB))
        return fail(err, ZO_IO, "history: '%s' is in use by another run", path);
    put_head(w, o->names);
    if (!fresh) return go_on(w, path, err);
    if (csv_flush(w, 0)) return ZO_OK;
    return fail(err, ZO_IO, "history: cannot write '%s': %s", path, csv_why(w));
}

static zo_status csv_open(writer **out, const zo_history_options *o, int fresh, zo_error *err)
{
    size_t d = o->d;
    *out = NULL;
    writer *w = mem_new(1, sizeof *w);
    if (!w) return out_of_memory(err, "history", 1);
    w->fd = -1;
    w->d = d;
    w->x = mem_new(d, sizeof *w->x);
    w->room = PIECE + 2 * longest_line(d);
    for (size_t j = 0; o->names && j < d; j++) w->room += strlen(o->names[j]);
    w->text = mem_new(w->room, 1);
    w->nkept = 26 * d;
    int fine = points_open(&w->points, d);
    if (fine) {
        w->kept = mem_new(w->points.count * w->nkept, 1);
        w->size_of = mem_new(w->points.count, sizeof *w->size_of);
    }
    fine = fine && w->x && w->text && w->kept && w->size_of;
    zo_status status = fine ? open_file(w, o, fresh, err) : out_of_memory(err, "history", d);
    if (status)
        csv_close(w);
    else
        *out = w;
    return status;
}

const format history_csv = {csv_begun, csv_read, csv_open, csv_add, csv_flush, csv_why, csv_close};
