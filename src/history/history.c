/* History: every evaluation in a file as it comes, and those of earlier runs, which are not asked again.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* access */
#include "history/history.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/draft.h"
#include "base/error.h"
#include "base/mem.h"
#include "history/parts.h"

#define SOON 0.05 /* seconds that an evaluation may wait for others before it is written */
#define SYNC 5.0  /* seconds until the disk has it */
#define LONG 1e-3 /* seconds of an evaluation that does not wait */

struct zo_history {
    size_t n, d;
    zo_outer outer;       /* on top of the values; all zero: nothing */
    const format *format; /* of the file that is written */
    writer *writer;       /* or NULL */
    pthread_mutex_t lock; /* of the writer, and what is counted */
    double flushed, synced;
    int pending, failed;
    known *known;
    uint64_t next;
    zo_history_facts facts;
    const char *file, *past; /* copies in paths */
    char paths[2][4096];
    double *best;
};

/* ---- files -------------------------------------------------------------------------------------------- */

static int ends_in(const char *path, const char *end)
{
    size_t a = strlen(path), b = strlen(end);
    return a > b && !strcmp(path + a - b, end);
}

const format *history_format(const char *path)
{
    int sqlite = ends_in(path, ".sqlite") || ends_in(path, ".sqlite3") || ends_in(path, ".db");
    return sqlite ? &history_sqlite : &history_csv;
}

typedef struct source {
    known *known;
    uint64_t from; /* added to its numbers */
} source;

/* Numbers of the past are of another run: no checkpoint of this one has them behind it. */
#define OF_THE_PAST (UINT64_C(1) << 63)

/* A value that failed may not fail again: it is asked. */
static int learn(void *ctx, const evaluation *e)
{
    const source *s = ctx;
    evaluation own = *e;
    own.number |= s->from;
    return isfinite(e->value) ? known_add(s->known, &own) : 1;
}

static zo_status read_file(zo_history *h, const char *path, const char *what, zo_error *err)
{
    source s = {h->known, path == h->past ? OF_THE_PAST : 0};
    past p = {.path = path, .what = what, .n = h->n, .d = h->d, .row = learn, .ctx = &s};
    if (access(path, R_OK))
        return fail(err, ZO_IO, "%s: cannot open '%s': %s", what, path, strerror(errno));
    zo_status status = history_format(path)->read(&p, err);
    h->facts.damaged += p.damaged;
    return status;
}

/* What was there before: of a history that goes on, and of the past. */
static zo_status read_all(zo_history *h, int goes_on, zo_error *err)
{
    zo_status status = goes_on ? read_file(h, h->file, "history", err) : ZO_OK;
    if (!status && h->past) status = read_file(h, h->past, "past", err);
    if (status) return status;
    known_sort(h->known);
    h->facts.known = known_left(h->known);
    return ZO_OK;
}

static zo_status copy_path(zo_history *h, int k, const char *from, const char **to, zo_error *err)
{
    if (!from) return ZO_OK;
    if (strlen(from) >= sizeof h->paths[k])
        return fail(err, ZO_BAD_ARGUMENT, "history: a path of %zu bytes is too long", strlen(from));
    strcpy(h->paths[k], from);
    *to = h->paths[k];
    return ZO_OK;
}

static zo_status open_all(zo_history *h, const zo_history_options *o, zo_error *err)
{
    zo_status status = copy_path(h, 0, o->file, &h->file, err);
    if (!status) status = copy_path(h, 1, o->past, &h->past, err);
    if (status) return status;
    h->known = known_new(h->n, h->d);
    h->best = mem_new(h->d, sizeof *h->best);
    if (!h->known || !h->best) return out_of_memory(err, "history", h->d);
    int there = h->file && access(h->file, F_OK) == 0;
    if (there && draft_is_device(h->file))
        return fail(err, ZO_BAD_ARGUMENT,
                    "history: '%s' is a device or a pipe, not a file that can be read again",
                    h->file);
    if (there && !o->resume)
        return fail(err, ZO_BAD_ARGUMENT,
                    "history: '%s' is already there; go on with it by resuming, or remove it",
                    h->file);
    h->format = h->file ? history_format(h->file) : NULL;
    status = read_all(h, there && h->format->begun(h->file), err);
    if (status || !h->file) return status;
    h->synced = h->flushed = clock_now();
    return h->format->open(&h->writer, o, !there, err);
}

/* Letters, digits, underscores, dots, dashes: nothing that a file would have to quote, and no other column's name. */
static int is_word(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
              *c == '_' || *c == '.' || *c == '-'))
            return 0;
    return *name && !columns_known(name, strlen(name));
}

zo_status zo_history_open(zo_history **out, const zo_history_options *o, zo_error *err)
{
    if (!out || !o) return fail(err, ZO_BAD_ARGUMENT, "%s: NULL", out ? "options" : "out");
    *out = NULL;
    if (o->n < 1 || o->d < 1) return fail(err, ZO_BAD_ARGUMENT, "history: n and d are at least 1");
    for (size_t j = 0; o->names && j < o->d; j++)
        if (!is_word(o->names[j]))
            return fail(err, ZO_BAD_ARGUMENT, "history: names: '%.40s' is not a word", o->names[j]);
    zo_history *h = mem_new(1, sizeof *h);
    if (!h) return out_of_memory(err, "history", 1);
    h->n = o->n;
    h->d = o->d;
    h->outer = o->outer;
    pthread_mutex_init(&h->lock, NULL);
    zo_status status = open_all(h, o, err);
    if (status) {
        zo_history_close(h);
        return status;
    }
    *out = h;
    return succeed(err);
}

void zo_history_close(zo_history *h)
{
    if (!h) return;
    if (h->writer) {
        if (!h->failed) h->format->flush(h->writer, 1);
        h->format->close(h->writer);
    }
    pthread_mutex_destroy(&h->lock);
    known_free(h->known);
    mem_free(h->best);
    mem_free(h);
}

zo_history_facts zo_history_look(const zo_history *h) { return h->facts; }

/* ---- the best point ------------------------------------------------------------------------------------- */

typedef struct search {
    zo_history *h;
    const zo_prox *psi;
    double least;
    uint64_t hash[2];
    int found;
} search;

/* Of two that are equally good the one with the lesser hash: the order of the file has no say. */
static int look(void *ctx, const evaluation *e)
{
    search *s = ctx;
    uint64_t hash[2];
    double mean;
    if (e->component != 0 && e->component != NO_COMPONENT) return 1;
    if (!known_mean(s->h->known, &s->h->outer, e->x, &mean, hash)) return 1;
    double f = mean + (s->psi && s->psi->value ? s->psi->value(s->psi, s->h->d, e->x) : 0);
    int less = hash[0] < s->hash[0] || (hash[0] == s->hash[0] && hash[1] < s->hash[1]);
    if (!isfinite(f) || (s->found && !(f < s->least) && !(f == s->least && less))) return 1;
    s->found = 1;
    s->least = f;
    memcpy(s->hash, hash, sizeof hash);
    memcpy(s->h->best, e->x, s->h->d * sizeof *e->x);
    return 1;
}

const double *zo_history_best(zo_history *h, const zo_prox *psi, double *objective)
{
    search s = {.h = h, .psi = psi};
    past p = {.path = h->past, .what = "past", .n = h->n, .d = h->d, .row = look, .ctx = &s};
    if (!h->past || !h->facts.known || history_format(h->past)->read(&p, NULL)) return NULL;
    if (s.found && objective) *objective = s.least;
    return s.found ? h->best : NULL;
}

/* ---- a run's side --------------------------------------------------------------------------------------- */

void history_seek(zo_history *h, uint64_t number)
{
    h->next = number;
    known_forget(h->known, number);
}

uint64_t history_next(const zo_history *h) { return h->next; }
void history_answered(zo_history *h, uint64_t count) { h->next += count; }
int history_knows(const zo_history *h) { return known_left(h->known) > 0; }

int history_take(zo_history *h, const double *x, uint64_t component, double *value)
{
    if (!known_take(h->known, x, component, value)) return 0;
    h->facts.used++;
    return 1;
}

/* The kernel has it after this, so a kill loses nothing; the disk has it a few seconds later. */
static void flush(zo_history *h, double now)
{
    int sync = now - h->synced >= SYNC;
    if (!h->format->flush(h->writer, sync)) h->failed = 1;
    h->flushed = now;
    h->pending = 0;
    if (sync) h->synced = now;
}

void history_add(zo_history *h, const evaluation *e)
{
    if (!h->writer) return;
    pthread_mutex_lock(&h->lock);
    double now = clock_now();
    h->facts.written++;
    h->facts.failures += e->failure != NULL;
    if (!h->failed && !h->format->add(h->writer, e)) h->failed = 1;
    h->pending = 1;
    if (!h->failed && (e->seconds >= LONG || now - h->flushed >= SOON)) flush(h, now);
    pthread_mutex_unlock(&h->lock);
}

/* What came longer ago than that is written out. */
static void write_out(zo_history *h, double age)
{
    if (!h->writer) return;
    pthread_mutex_lock(&h->lock);
    double now = clock_now();
    if (!h->failed && h->pending && now - h->flushed >= age) flush(h, now);
    pthread_mutex_unlock(&h->lock);
}

void history_tick(zo_history *h) { write_out(h, SOON); }
void history_settle(zo_history *h) { write_out(h, 0); }

zo_status history_trouble(zo_history *h, zo_error *err)
{
    if (!h->failed) return ZO_OK;
    return fail(err, ZO_IO, "history: '%s' was not written: %s", h->file,
                h->format->why(h->writer));
}
