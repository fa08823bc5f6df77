/* Checkpoints: everything a run needs to go on with the same bytes, in one file that is whole or not there.
 * SPDX-License-Identifier: MIT
 *
 * The file is a sequence of 8-byte words in the machine's order: MAGIC, then sections, then a hash of all
 * words before it. A section is a name (3 words, padded with zeros), a count, a count without the zeros at
 * its end, and so many words: a method pays for what it uses of its room, not for the room. First the
 * identity (who this belongs to; compared on loading), then the solver's state, then the method's, in the
 * order in which they were registered. A new file is written beside the old one, synced and renamed over it.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/draft.h"
#include "base/error.h"
#include "base/isa.h"
#include "method/core/own.h"
#include "prox/prox.h"
#include "problem/ranks/together.h"
#include "solve/solver.h"

enum { NAME = 24, TEXT = 64 };    /* bytes of a section's name; of a text in the identity */
#define MAGIC 0x0a32706b7a6f707au /* "zpozkp2\n", and so the byte order */

/* ---- a stream of words with a running hash ------------------------------------------------------ */

enum { AT_ONCE = 8192 };
typedef struct words {
    FILE *file;      /* to read */
    const draft *to; /* to write; NULL: only the hash is wanted */
    uint64_t held[AT_ONCE];
    size_t nheld; /* words that are not written yet */
    uint64_t hash;
    int bad; /* errno of the first failure; -1: the file ended too soon */
} words;

/* Each step is one-to-one in the word, so any single changed word changes the hash. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash << 29 | hash >> 35;
}

static void flush(words *w)
{
    if (!w->bad && w->to) w->bad = draft_write(w->to, w->held, 8 * w->nheld);
    w->nheld = 0;
}

static void put(words *w, const void *at, size_t count)
{
    const unsigned char *p = at;
    for (size_t k = 0; k < count; k++) {
        uint64_t word;
        memcpy(&word, p + 8 * k, 8);
        w->hash = mix(w->hash, word);
        w->held[w->nheld++] = word;
        if (w->nheld == AT_ONCE) flush(w);
    }
}

static void get(words *w, void *at, size_t count)
{
    unsigned char *p = at;
    if (!w->bad && count && fread(at, 8, count, w->file) != count)
        w->bad = ferror(w->file) ? errno : -1;
    if (w->bad) return;
    for (size_t k = 0; k < count; k++) {
        uint64_t word;
        memcpy(&word, p + 8 * k, 8);
        w->hash = mix(w->hash, word);
    }
}

/* ---- what is in a checkpoint -------------------------------------------------------------------- */

typedef struct identity { /* plain words and padded texts: written as it stands in memory */
    char version[TEXT];
    uint64_t arithmetic, n, d, problem, psi;
    double horizon;
    char running[TEXT];   /* the method that is in it */
    char value[32][TEXT]; /* the settings as given, in the table's order */
} identity;

static void identify(const zo_solver *s, identity *id)
{
    memset(id, 0, sizeof *id);
    snprintf(id->version, TEXT, "%s", zo_version());
    id->arithmetic = ISA_ARITHMETIC;
    id->n = s->problem.n;
    id->d = s->d;
    id->problem = s->problem.fingerprint;
    id->psi = prox_hash(&s->problem.psi, s->problem.d);
    id->horizon = s->horizon;
    snprintf(id->running, TEXT, "%s", s->method->row->info.name);
    size_t count;
    const zo_setting_row *rows = zo_setting_rows(&count);
    for (size_t k = 0; k < count; k++) zo_get(&s->given, rows[k].name, id->value[k], TEXT);
}

static void put_section(words *w, const char *name, const void *at, size_t count)
{
    char padded[NAME] = "";
    snprintf(padded, NAME, "%s", name);
    const uint64_t *word = at;
    uint64_t size[2] = {count, count};
    while (size[1] > 0 && word[size[1] - 1] == 0) size[1]--;
    put(w, padded, NAME / 8);
    put(w, size, 2);
    put(w, at, (size_t)size[1]);
}

/* How many words a section has in the file. */
static size_t words_of(const zo_solver *s, const state_entry *e)
{
    return e->width ? s->problem.n * e->width : e->words;
}

/* State that lives with its components, from all ranks, a little at a time. */
static void put_shared(words *w, const zo_solver *s, const state_entry *e)
{
    const struct zo_together *t = s->problem.together;
    const uint64_t *word = e->at;
    size_t held = e->words, before = t->first * e->width;
    while (held > 0 && word[held - 1] == 0) held--;
    double chunk[TOGETHER_AT_ONCE];
    char padded[NAME] = "";
    snprintf(padded, NAME, "%s", e->name);
    uint64_t size[2] = {words_of(s, e),
                        (uint64_t)t->most(t->ctx, held ? (double)(before + held) : 0)};
    put(w, padded, NAME / 8);
    put(w, size, 2);
    for (uint64_t at = 0; at < size[1]; at += TOGETHER_AT_ONCE) {
        size_t count = size[1] - at < TOGETHER_AT_ONCE ? (size_t)(size[1] - at) : TOGETHER_AT_ONCE;
        if (t->show(t->ctx, e->width, e->at, (size_t)at, count, chunk)) w->bad = EIO;
        put(w, chunk, count);
    }
}

static void put_all(const zo_solver *s, words *w)
{
    uint64_t magic = MAGIC;
    identity id;
    identify(s, &id);
    put(w, &magic, 1);
    put_section(w, "identity", &id, sizeof id / 8);
    for (size_t k = 0; k < s->nstates; k++)
        put_section(w, s->state[k].name, s->state[k].at, s->state[k].words);
    const method *m = s->method;
    for (size_t k = 0; k < m->nstates; k++)
        if (m->state[k].width && m->together)
            put_shared(w, s, &m->state[k]);
        else
            put_section(w, m->state[k].name, m->state[k].at, m->state[k].words);
    uint64_t hash = w->hash;
    put(w, &hash, 1);
    flush(w);
}

/* ---- saving -------------------------------------------------------------------------------------- */

static zo_status io_failed(zo_error *err, const char *doing, const char *path, int code)
{
    return fail(err, ZO_IO, "checkpoint: cannot %s '%s': %s", doing, path, strerror(code));
}

/* /dev/null is not to become a file, nor is a pipe waited for. */
static zo_status no_file(zo_error *err, const char *path)
{
    return fail(err, ZO_BAD_ARGUMENT,
                "checkpoint: '%s' is a device or a pipe, not a file that can be read again", path);
}

/* Where components are spread over ranks all of them take part, and rank 0 writes. */
zo_status zo_save(const zo_solver *s, const char *path, zo_error *err)
{
    if (!s || !path) return fail(err, ZO_BAD_ARGUMENT, "%s: NULL", s ? "path" : "solver");
    if (!s->started) return fail(err, ZO_BAD_STATE, "save: the solver has not been started");
    const struct zo_together *t = s->problem.together;
    double nothing = 0;
    /* ranks that have lost each other save nothing: what one of them has may be half told */
    if (t && t->show(t->ctx, 1, &nothing, 0, 0, &nothing))
        return io_failed(err, "take part in", path, EIO);
    draft new = {.fd = -1};
    int writes = !t || t->rank == 0, made = writes ? draft_open(&new, path) : 0;
    words w;
    w.bad = 0;
    w.nheld = 0;
    w.hash = 0;
    w.to = writes && !made ? &new : NULL;
    put_all(s, &w);
    if (made == ENAMETOOLONG)
        return fail(err, ZO_BAD_ARGUMENT, "checkpoint: the path '%.60s...' is too long", path);
    if (made == ENODEV) return no_file(err, path);
    if (made) return io_failed(err, "create", path, made);
    if (!writes) return w.bad ? io_failed(err, "take part in", path, w.bad) : succeed(err);
    if (w.bad)
        draft_drop(&new);
    else
        w.bad = draft_keep(&new);
    return w.bad ? io_failed(err, "write", path, w.bad) : succeed(err);
}

/* Two runs must not write one checkpoint in turns. Of ranks the first writes. */
zo_status solver_hold(const zo_solver *s, const char *path, hold *h, zo_error *err)
{
    const struct zo_together *t = s->problem.together;
    *h = (hold){.fd = -1};
    if (!path || s->held) return ZO_OK;
    int bad = t && t->rank ? 0 : draft_is_device(path) ? ENODEV : hold_take(h, path);
    int refused = bad == EBUSY || bad == EEXIST || bad == ENODEV;
    int all = t ? t->most(t->ctx, refused) > 0 : refused;
    if (!all) return ZO_OK;
    hold_release(h);
    if (bad == ENODEV) return no_file(err, path);
    if (bad == EEXIST)
        return fail(err, ZO_IO, "checkpoint: '%s' is in the way: it is no lock of zoprox", h->path);
    return fail(err, ZO_IO, "checkpoint: '%s' is being written by another run; wait for its end",
                path);
}

/* ---- loading ------------------------------------------------------------------------------------- */

static zo_status damaged(zo_error *err, const char *path, const char *how)
{
    return fail(err, ZO_MISMATCH, "checkpoint '%s' is %s", path, how);
}

/* The whole file is read once for its hash before anything is believed. */
static zo_status check_whole(FILE *file, const char *path, zo_error *err)
{
    uint64_t block[AT_ONCE], hash = 0, last = 0, first = 0, seen = 0;
    size_t count;
    while ((count = fread(block, 8, AT_ONCE, file)) > 0)
        for (size_t k = 0; k < count; k++, seen++) {
            if (seen == 0) first = block[k];
            if (seen > 0) hash = mix(hash, last);
            last = block[k];
        }
    if (ferror(file)) return io_failed(err, "read", path, errno);
    if (ftell(file) != (long)(8 * seen))
        return damaged(err, path, "damaged: it does not end where it should");
    if (seen < 8 || first != MAGIC)
        return damaged(err, path, "not a checkpoint of zoprox on this kind of machine");
    if (hash != last) return damaged(err, path, "damaged: its checksum does not fit its contents");
    rewind(file);
    return ZO_OK;
}

static zo_status compare(const zo_solver *s, const identity *had, const char *path, zo_error *err)
{
    identity now;
    identify(s, &now);
    if (strncmp(had->version, now.version, TEXT))
        return fail(err, ZO_MISMATCH, "checkpoint '%s' was written by version %.20s, this is %s",
                    path, had->version, now.version);
    if (had->arithmetic != now.arithmetic)
        return fail(err, ZO_MISMATCH,
                    "checkpoint '%s' was written by a build that computes otherwise (arithmetic "
                    "%llu, this is %llu)",
                    path, (unsigned long long)had->arithmetic, (unsigned long long)now.arithmetic);
    if (had->n != now.n || had->d != now.d)
        return fail(
            err, ZO_MISMATCH,
            "checkpoint '%s' is of a problem with n = %llu, d = %llu; this one has %llu, %llu",
            path, (unsigned long long)had->n, (unsigned long long)had->d, (unsigned long long)now.n,
            (unsigned long long)now.d);
    if (had->problem != now.problem)
        return fail(err, ZO_MISMATCH, "checkpoint '%s' is of another problem: %s", path,
                    s->problem.free_looks ? "data, loss or l2 differ" /* a built-in loss */
                                          : "the program or its files differ");
    if (had->psi != now.psi)
        return fail(err, ZO_MISMATCH,
                    "checkpoint '%s' is of another problem: the prox differs from '%s'", path,
                    s->problem.psi.name);
    size_t count;
    const zo_setting_row *rows = zo_setting_rows(&count);
    for (size_t k = 0; k < count; k++)
        if (strncmp(had->value[k], now.value[k], TEXT))
            return fail(err, ZO_MISMATCH,
                        "checkpoint '%s' was made with %s = %.40s; this run has %s", path,
                        rows[k].name, had->value[k], now.value[k]);
    return ZO_OK;
}

/* The next section must be this one: same name, same size. Returns how many words of it follow. */
static size_t get_head(words *w, const char *name, size_t count)
{
    char padded[NAME] = "", found[NAME];
    snprintf(padded, NAME, "%s", name);
    uint64_t size[2] = {0};
    get(w, found, NAME / 8);
    get(w, size, 2);
    if (!w->bad && (memcmp(found, padded, NAME) || size[0] != count || size[1] > count))
        w->bad = -1;
    return w->bad ? 0 : (size_t)size[1];
}

static void get_section(words *w, const char *name, void *at, size_t count)
{
    size_t given = get_head(w, name, count);
    uint64_t *word = at;
    get(w, at, given);
    for (size_t k = given; k < count; k++) /* room that was never used is not touched */
        if (word[k] != 0) word[k] = 0;
}

/* Of state that lives with its components, those of mine. */
static void get_shared(words *w, const zo_solver *s, const state_entry *e)
{
    uint64_t *word = e->at;
    size_t given = get_head(w, e->name, words_of(s, e)), before = s->method->first * e->width,
           mine = 0;
    long here = ftell(w->file);
    if (given > before) mine = given - before < e->words ? given - before : e->words;
    if (!w->bad && mine && fseek(w->file, here + (long)(8 * before), SEEK_SET)) w->bad = errno;
    get(w, word, mine);
    for (size_t k = mine; k < e->words; k++)
        if (word[k] != 0) word[k] = 0;
    if (!w->bad && fseek(w->file, here + (long)(8 * given), SEEK_SET)) w->bad = errno;
}

/* Every section from here on is the one expected, and the hash comes next. */
static int sections_fit(const zo_solver *s, words *w)
{
    long here = ftell(w->file);
    const method *m = s->method;
    for (size_t k = 0; k < s->nstates + m->nstates && !w->bad; k++) {
        const state_entry *e = k < s->nstates ? &s->state[k] : &m->state[k - s->nstates];
        size_t given = get_head(w, e->name, words_of(s, e));
        if (!w->bad && fseek(w->file, (long)(8 * given), SEEK_CUR)) w->bad = errno;
    }
    uint64_t hash, beyond;
    get(w, &hash, 1);
    int ends = !w->bad && fread(&beyond, 1, 1, w->file) == 0;
    return ends && !fseek(w->file, here, SEEK_SET);
}

/* The solver's own numbers; text: SENTENCE bytes, what is wrong. */
static int solver_fits(const zo_solver *s, char *text)
{
    for (size_t k = 0; k < s->nstates; k++)
        if (!entry_fits(&s->state[k], text)) return 0;
    const char *why = NULL;
    if (!(s->row_due >= 0 && s->row_due < INFINITY)) why = "'row_due' is no number of queries";
    if (!(s->seconds >= 0 && s->seconds < INFINITY)) why = "'seconds' is no time";
    if (s->row_queries > s->queries) why = "'row_queries' is beyond 'queries'";
    if (why) snprintf(text, SENTENCE, "%s", why);
    return !why;
}

/* The sums fit, but who made them? Nothing of what was read is used before it is known to be safe. */
static zo_status check_state(const zo_solver *s, const char *path, zo_error *err)
{
    char why[SENTENCE];
    if (solver_fits(s, why) && method_check(s->method, why)) return ZO_OK;
    return fail(err, ZO_MISMATCH, "checkpoint '%s' cannot be gone on with: %s", path, why);
}

/* The method as it was planned, or the one that it handed over to. */
static zo_status plan_as(zo_solver *s, identity *had, const char *path, zo_error *err)
{
    had->running[TEXT - 1] = 0;
    const method_row *row = method_find(had->running);
    if (!isnan(had->horizon) && !(had->horizon >= 1 && had->horizon < INFINITY))
        return damaged(err, path, "of another kind: its horizon is no number of queries");
    int own = s->own && !strcmp(s->own->row.info.name, had->running);
    if (!own && (!row || row->choose))
        return damaged(err, path, "of another kind: its method is not known");
    zo_status status = solver_plan(s, had->horizon, err);
    if (!status) status = solver_resume_as(s, had->running, err);
    return status && status != ZO_NO_MEMORY
               ? damaged(err, path, "of another kind: its method does not fit the problem")
               : status;
}

static zo_status read_all(zo_solver *s, words *w, const char *path, zo_error *err)
{
    uint64_t magic;
    identity had;
    get(w, &magic, 1);
    get_section(w, "identity", &had, sizeof had / 8);
    if (w->bad) return damaged(err, path, "of another version: its identity has another form");
    zo_status status = compare(s, &had, path, err);
    if (status || (status = plan_as(s, &had, path, err))) return status;
    if (!sections_fit(s, w)) return damaged(err, path, "of another version: its sections differ");
    method_start(s->method, s->previous);
    for (size_t k = 0; k < s->nstates; k++)
        get_section(w, s->state[k].name, s->state[k].at, s->state[k].words);
    method *m = s->method;
    for (size_t k = 0; k < m->nstates; k++)
        if (m->state[k].width)
            get_shared(w, s, &m->state[k]);
        else
            get_section(w, m->state[k].name, m->state[k].at, m->state[k].words);
    if (w->bad) return damaged(err, path, "no longer what it was a moment ago");
    if ((status = check_state(s, path, err))) return status;
    return ZO_OK;
}

static zo_status load(zo_solver *s, const char *path, zo_error *err)
{
    if (draft_is_device(path)) return no_file(err, path);
    FILE *file = fopen(path, "rb");
    if (!file) return io_failed(err, "read", path, errno);
    zo_status status = check_whole(file, path, err);
    words w;
    w.file = file;
    w.hash = 0;
    w.bad = 0;
    if (!status) status = read_all(s, &w, path, err);
    fclose(file);
    if (status) solver_forget(s);
    return status;
}

zo_status zo_load(zo_solver *s, const char *path, zo_error *err)
{
    if (!s || !path) return fail(err, ZO_BAD_ARGUMENT, "%s: NULL", s ? "path" : "solver");
    if (s->started) return fail(err, ZO_BAD_STATE, "load: this solver has been started already");
    zo_status status = load(s, path, err);
    const struct zo_together *t = s->problem.together; /* ranks go on together, or none does */
    if (t && t->most(t->ctx, status ? 1 : 0) > 0 && !status)
        status = damaged(err, path, "not what another rank can go on with");
    if (status) return status;
    s->started = 1;
    return succeed(err);
}
