/* The run store: SQLite, one transaction a trial, one writer.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "study/study.h"
#include "study/theory.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { IS_OURS = 0x7a6f7278 }; /* the file's application id */

int runs_marked(const char *head, size_t got)
{
    const unsigned char *id = (const unsigned char *)head + RUNS_HEAD - 4;
    return got == RUNS_HEAD && ((uint32_t)id[0] << 24 | (uint32_t)id[1] << 16 |
                                (uint32_t)id[2] << 8 | id[3]) == IS_OURS;
}

#ifdef ZO_HAVE_SQLITE
#include <sqlite3.h>

enum { SCHEMA = 1 }; /* version of the tables */

struct runs {
    sqlite3 *base;
    char *path;
    int lock;   /* descriptor of PATH.lock, held while we write; -1: reading */
    int failed; /* the code of the first failure that runs_next met */
    int checked;
};

static const char tables[] = "CREATE TABLE problems(id INTEGER PRIMARY KEY, text TEXT NOT NULL "
                             "UNIQUE, name TEXT NOT NULL, n INTEGER "
                             "NOT NULL,"
                             " d INTEGER NOT NULL, optimum REAL, bound REAL) STRICT;"
                             "CREATE TABLE trials(id INTEGER PRIMARY KEY, key TEXT NOT NULL "
                             "UNIQUE, problem INTEGER NOT NULL "
                             "REFERENCES problems,"
                             " role TEXT NOT NULL, method TEXT NOT NULL, settings TEXT NOT NULL, "
                             "seed INTEGER NOT NULL, budget REAL "
                             "NOT NULL,"
                             " status TEXT NOT NULL, reason TEXT NOT NULL, objective REAL, gap "
                             "REAL, units REAL NOT NULL, steps "
                             "INTEGER NOT NULL,"
                             " queries INTEGER NOT NULL, watched INTEGER NOT NULL, seconds REAL "
                             "NOT NULL, chosen TEXT NOT NULL,"
                             " warning TEXT NOT NULL, version TEXT NOT NULL) STRICT;"
                             "CREATE TABLE rows(trial INTEGER NOT NULL REFERENCES trials, step "
                             "INTEGER NOT NULL, queries INTEGER NOT "
                             "NULL,"
                             " units REAL NOT NULL, seconds REAL NOT NULL, objective REAL, gap "
                             "REAL, residual REAL, nonzeros INTEGER "
                             "NOT NULL)"
                             " STRICT;"
                             "CREATE INDEX rows_of ON rows(trial);"
                             "CREATE TABLE choices(problem INTEGER NOT NULL REFERENCES problems, "
                             "method TEXT NOT NULL, grid TEXT NOT "
                             "NULL,"
                             " budget REAL NOT NULL, settings TEXT NOT NULL, score REAL, tried "
                             "INTEGER NOT NULL, diverged INTEGER NOT "
                             "NULL,"
                             " UNIQUE(problem, method, grid, budget)) STRICT;"
                             "CREATE TABLE facts(experiment TEXT NOT NULL, line TEXT NOT NULL, "
                             "name TEXT NOT NULL, value REAL,"
                             " UNIQUE(experiment, line, name)) STRICT;";

/* Each kind of failure has its own true sentence. */
static int trouble(const runs *s)
{
    switch (sqlite3_errcode(s->base) & 0xff) {
    case SQLITE_NOTADB:
        return complain(REFUSED,
                        "store: '%s' is not a run store of zoprox, or its beginning is damaged",
                        s->path);
    case SQLITE_CORRUPT:
        return complain(REFUSED,
                        "store: '%s' is damaged: %s; 'sqlite3 FILE .recover' saves what is left",
                        s->path, sqlite3_errmsg(s->base));
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return complain(FAILED, "store: '%s': the file or its folder cannot be written: %s",
                        s->path, sqlite3_errmsg(s->base));
    case SQLITE_FULL:
        return complain(FAILED, "store: '%s': the disk is full; what was finished before is kept",
                        s->path);
    default:
        return complain(FAILED, "store: '%s': %s; what was finished before is kept", s->path,
                        sqlite3_errmsg(s->base));
    }
}

/* The end of the rows is one thing, a failure another. */
int runs_next(runs *s, sqlite3_stmt *q)
{
    int code = q ? sqlite3_step(q) : SQLITE_ERROR;
    if (code != SQLITE_ROW && code != SQLITE_DONE && !s->failed) s->failed = trouble(s);
    return code == SQLITE_ROW;
}

int runs_failed(const runs *s) { return s->failed; }
void runs_be_checked(runs *s) { s->checked = 1; }
int runs_is_checked(const runs *s) { return s->checked; }

static int do_all(runs *s, const char *text)
{
    return sqlite3_exec(s->base, text, NULL, NULL, NULL) == SQLITE_OK ? DONE : trouble(s);
}

/* 0, or what sqlite says is wrong. */
static int ask_number(runs *s, const char *text, long long *v)
{
    sqlite3_stmt *q = NULL;
    int code = sqlite3_prepare_v2(s->base, text, -1, &q, NULL);
    if (code == SQLITE_OK && (code = sqlite3_step(q)) == SQLITE_ROW) {
        *v = sqlite3_column_int64(q, 0);
        code = SQLITE_OK;
    }
    sqlite3_finalize(q);
    return code & 0xff;
}

/* ---- Opening -------------------------------------------------------------------------------------- */

static int take_lock(runs *s)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.lock", s->path);
    s->lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (s->lock < 0) return complain(FAILED, "store: '%s': %s", path, strerror(errno));
    if (flock(s->lock, LOCK_EX | LOCK_NB) == 0) return DONE;
    return complain(
        FAILED,
        "store: '%s' is being written by another run; wait for its end, or give another --store",
        s->path);
}

/* Every page is where it should be: a damaged one would be trials that are silently missing. */
static int look_whole(runs *s)
{
    sqlite3_stmt *q = NULL;
    int code = DONE;
    if (sqlite3_prepare_v2(s->base, "PRAGMA quick_check(1)", -1, &q, NULL) != SQLITE_OK ||
        sqlite3_step(q) != SQLITE_ROW)
        code = trouble(s);
    const char *found = code ? NULL : (const char *)sqlite3_column_text(q, 0);
    if (found && strcmp(found, "ok"))
        code = complain(REFUSED,
                        "store: '%s' is damaged: %.*s; 'sqlite3 FILE .recover' saves what is left",
                        s->path, (int)strcspn(found, "\n"), found);
    sqlite3_finalize(q);
    return code;
}

/* Is this a store of ours, in the version that we know? A new file becomes one. */
static int look_inside(runs *s, int write)
{
    long long pages = 0, whose = 0, version = 0;
    if (ask_number(s, "SELECT count(*) FROM sqlite_master", &pages) ||
        ask_number(s, "PRAGMA application_id", &whose) ||
        ask_number(s, "PRAGMA user_version", &version))
        return trouble(s);
    if ((pages > 0 && whose != IS_OURS) || (pages == 0 && !write))
        return complain(REFUSED, "store: '%s' is not a run store of zoprox", s->path);
    if (pages > 0 && version != SCHEMA)
        return complain(
            REFUSED, "store: '%s' has version %lld, and this build knows %d; give another --store",
            s->path, version, SCHEMA);
    if (pages > 0) return look_whole(s);
    char mark[128];
    snprintf(mark, sizeof mark, "PRAGMA application_id = %d; PRAGMA user_version = %d;", IS_OURS,
             SCHEMA);
    int code = do_all(s, "BEGIN IMMEDIATE");
    if (!code) code = do_all(s, mark);
    if (!code) code = do_all(s, tables);
    return code ? code : do_all(s, "COMMIT");
}

static int read_only(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[4096];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1,
             slash ? path : ".");
    return access(folder, W_OK) != 0;
}

/* A store that cannot be written is read as it stands: SQLite would want files of its own beside it. Where a writer was
 * killed and left some, they are needed, and SQLite says what it lacks. */
static int open_as_it_is(runs *s)
{
    char uri[3 * 4096 + 32] = "file:", *to = uri + 5;
    char beside[4096 + 8];
    snprintf(beside, sizeof beside, "%s-wal", s->path);
    for (const unsigned char *p = (const unsigned char *)s->path; *p && to < uri + 3 * 4096; p++)
        to += sprintf(to, strchr("%?#", *p) ? "%%%02x" : "%c", *p);
    if (access(beside, F_OK)) strcpy(to, "?immutable=1");
    return sqlite3_open_v2(uri, &s->base,
                           SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_FULLMUTEX, NULL);
}

/* SQLite may wait for a reader; it does not create what is only to be read. */
static int open_base(runs *s, int write)
{
    int flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE;
    if (!write && access(s->path, R_OK))
        return complain(REFUSED, "store: '%s': %s", s->path, strerror(errno));
    if (!write && (read_only(s->path) || access(s->path, W_OK)))
        return open_as_it_is(s) ? trouble(s) : look_inside(s, write);
    if (sqlite3_open_v2(s->path, &s->base, flags | SQLITE_OPEN_FULLMUTEX, NULL) != SQLITE_OK)
        return trouble(s);
    sqlite3_busy_timeout(s->base, 10000);
    int code = look_inside(s, write);
    return code || !write ? code
                          : do_all(s, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
}

int runs_open(runs **out, const char *path, int write)
{
    runs *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s || !(s->path = strdup(path))) {
        free(s);
        return complain(FAILED, "store: out of memory");
    }
    s->lock = -1;
    int code = write ? file_check(path, "store") : DONE;
    if (!code && write) code = take_lock(s);
    if (!code) code = open_base(s, write);
    if (code)
        runs_close(s);
    else
        *out = s;
    return code;
}

void runs_close(runs *s)
{
    if (!s) return;
    sqlite3_close(s->base);
    if (s->lock >= 0) close(s->lock);
    free(s->path);
    free(s);
}

struct sqlite3 *runs_base(runs *s) { return s->base; }

/* ---- Statements ------------------------------------------------------------------------------------- */

/* Binds by letters: t text, i whole number, r number (NULL unless finite). */
static int prepare(runs *s, sqlite3_stmt **q, const char *text)
{
    return sqlite3_prepare_v2(s->base, text, -1, q, NULL) == SQLITE_OK ? DONE : trouble(s);
}

static void bind_text(sqlite3_stmt *q, int k, const char *v)
{
    sqlite3_bind_text(q, k, v, -1, SQLITE_TRANSIENT);
}
static void bind_whole(sqlite3_stmt *q, int k, uint64_t v)
{
    sqlite3_bind_int64(q, k, (sqlite3_int64)v);
}
static void bind_number(sqlite3_stmt *q, int k, double v)
{
    if (isfinite(v))
        sqlite3_bind_double(q, k, v);
    else
        sqlite3_bind_null(q, k);
}

static int finish(runs *s, sqlite3_stmt *q)
{
    int good = sqlite3_step(q) == SQLITE_DONE, code = good ? DONE : trouble(s);
    sqlite3_finalize(q);
    return code;
}

static double number_at(sqlite3_stmt *q, int k)
{
    return sqlite3_column_type(q, k) == SQLITE_NULL ? NAN : sqlite3_column_double(q, k);
}

static void text_at(sqlite3_stmt *q, int k, char *out, size_t size)
{
    const char *text = (const char *)sqlite3_column_text(q, k);
    snprintf(out, size, "%s", text ? text : "");
}

/* ---- Problems --------------------------------------------------------------------------------------- */

int runs_problem(runs *s, study *u)
{
    sqlite3_stmt *q;
    if (prepare(s, &q, "INSERT OR IGNORE INTO problems(text, name, n, d) VALUES(?, ?, ?, ?)"))
        return FAILED;
    bind_text(q, 1, u->text);
    bind_text(q, 2, u->name);
    bind_whole(q, 3, u->n);
    bind_whole(q, 4, u->d);
    if (finish(s, q) || prepare(s, &q, "SELECT id, optimum, bound FROM problems WHERE text = ?"))
        return FAILED;
    bind_text(q, 1, u->text);
    int found = sqlite3_step(q) == SQLITE_ROW;
    if (found) u->id = sqlite3_column_int64(q, 0);
    if (found && isnan(u->optimum)) {
        u->optimum = number_at(q, 1);
        u->known = number_at(q, 2);
    }
    sqlite3_finalize(q);
    return found ? DONE : trouble(s);
}

int runs_optimum(runs *s, const study *u)
{
    sqlite3_stmt *q;
    if (prepare(s, &q, "UPDATE problems SET optimum = ?, bound = ? WHERE id = ?")) return FAILED;
    bind_number(q, 1, u->optimum);
    bind_number(q, 2, u->known);
    bind_whole(q, 3, (uint64_t)u->id);
    return finish(s, q);
}

/* ---- Trials ----------------------------------------------------------------------------------------- */

static const char *const status_name[] = {"ok", "diverged", "failed"};
static const char *const role_name[] = {"select", "report", "growth"};

int runs_find(runs *s, const char *key, trial *t)
{
    sqlite3_stmt *q;
    if (prepare(s, &q,
                "SELECT status, reason, objective, units, steps, queries, watched, seconds, "
                "chosen, warning, id "
                "FROM trials WHERE key = ?"))
        return FAILED;
    bind_text(q, 1, key);
    int found = runs_next(s, q);
    if (found) {
        char status[16];
        text_at(q, 0, status, sizeof status);
        while (t->status < TRIAL_FAILED && strcmp(status, status_name[t->status])) t->status++;
        text_at(q, 1, t->reason, sizeof t->reason);
        t->objective = number_at(q, 2);
        t->used = number_at(q, 3);
        t->steps = (uint64_t)sqlite3_column_int64(q, 4);
        t->queries = (uint64_t)sqlite3_column_int64(q, 5);
        t->watched = (uint64_t)sqlite3_column_int64(q, 6);
        t->seconds = number_at(q, 7);
        text_at(q, 8, t->chosen, sizeof t->chosen);
        text_at(q, 9, t->warning, sizeof t->warning);
        t->id = sqlite3_column_int64(q, 10);
        t->done = 1;
    }
    sqlite3_finalize(q);
    return s->failed;
}

static int put_trial(runs *s, const study *u, const char *key, const trial *t)
{
    sqlite3_stmt *q;
    char settings[1024];
    trial_settings(t, settings, sizeof settings);
    if (prepare(s, &q,
                "INSERT INTO trials(key, problem, role, method, settings, seed, budget, status, "
                "reason, "
                "objective, gap,"
                " units, steps, queries, watched, seconds, chosen, warning, version)"
                " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"))
        return FAILED;
    int k = 0;
    bind_text(q, ++k, key);
    bind_whole(q, ++k, (uint64_t)u->id);
    bind_text(q, ++k, role_name[t->role]);
    bind_text(q, ++k, t->set.method);
    bind_text(q, ++k, settings);
    bind_whole(q, ++k, t->set.seed);
    bind_number(q, ++k, t->units);
    bind_text(q, ++k, status_name[t->status]);
    bind_text(q, ++k, t->reason);
    bind_number(q, ++k, t->objective);
    bind_number(q, ++k, t->objective - u->optimum);
    bind_number(q, ++k, t->used);
    bind_whole(q, ++k, t->steps);
    bind_whole(q, ++k, t->queries);
    bind_whole(q, ++k, t->watched);
    bind_number(q, ++k, t->seconds);
    bind_text(q, ++k, t->chosen);
    bind_text(q, ++k, t->warning);
    bind_text(q, ++k, zo_version());
    return finish(s, q);
}

static int put_rows(runs *s, const study *u, const trial *t)
{
    sqlite3_stmt *q;
    if (prepare(s, &q, "INSERT INTO rows VALUES(?,?,?,?,?,?,?,?,?)")) return FAILED;
    int good = 1;
    for (size_t k = 0; k < t->nrows && good; k++) {
        const trial_row *row = &t->row[k];
        sqlite3_bind_int64(q, 1, t->id);
        bind_whole(q, 2, row->step);
        bind_whole(q, 3, row->queries);
        bind_number(q, 4, row->units);
        bind_number(q, 5, row->seconds);
        bind_number(q, 6, row->objective);
        bind_number(q, 7, row->objective - u->optimum);
        bind_number(q, 8, row->residual);
        bind_whole(q, 9, row->nonzeros);
        good = sqlite3_step(q) == SQLITE_DONE;
        sqlite3_reset(q);
    }
    int code = good ? DONE : trouble(s);
    sqlite3_finalize(q);
    return code;
}

/* All of it or nothing: a kill between two trials loses the unfinished ones only. */
int runs_put(runs *s, const study *u, const char *key, trial *t)
{
    if (do_all(s, "BEGIN IMMEDIATE")) return FAILED;
    int bad = put_trial(s, u, key, t);
    t->id = sqlite3_last_insert_rowid(s->base);
    if (!bad && t->role != GROWTH)
        bad = put_rows(s, u, t); /* where growth ended is all that it is about */
    if (bad) {
        sqlite3_exec(s->base, "ROLLBACK", NULL, NULL, NULL);
        return FAILED;
    }
    return do_all(s, "COMMIT");
}

int runs_choice(runs *s, const study *u, const trial *best, const char *from, double score,
                size_t tried, size_t diverged)
{
    sqlite3_stmt *q;
    char settings[1024];
    trial_settings(best, settings, sizeof settings);
    if (prepare(s, &q, "INSERT OR REPLACE INTO choices VALUES(?,?,?,?,?,?,?,?)")) return FAILED;
    bind_whole(q, 1, (uint64_t)u->id);
    bind_text(q, 2, best->set.method);
    bind_text(q, 3, from);
    bind_number(q, 4, best->units);
    bind_text(q, 5, settings);
    bind_number(q, 6, score);
    bind_whole(q, 7, tried);
    bind_whole(q, 8, diverged);
    return finish(s, q);
}

int runs_gaps(runs *s, long long id, int (*take)(void *ctx, double units, double gap), void *ctx)
{
    sqlite3_stmt *q;
    int code = DONE;
    if (prepare(s, &q,
                "SELECT units, gap FROM rows WHERE trial = ? AND gap IS NOT NULL ORDER BY rowid"))
        return FAILED;
    sqlite3_bind_int64(q, 1, id);
    while (!code && runs_next(s, q))
        code = take(ctx, sqlite3_column_double(q, 0), sqlite3_column_double(q, 1));
    sqlite3_finalize(q);
    return code ? code : s->failed;
}

/* ---- Facts ------------------------------------------------------------------------------------------- */

static int put_fact(runs *s, const char *experiment, const fact *a)
{
    sqlite3_stmt *q;
    if (prepare(s, &q, "INSERT OR REPLACE INTO facts VALUES(?,?,?,?)")) return FAILED;
    bind_text(q, 1, experiment);
    bind_text(q, 2, a->line);
    bind_text(q, 3, a->name);
    bind_number(q, 4, a->value);
    return finish(s, q);
}

int runs_facts_put(runs *s, const char *experiment, const facts *f)
{
    int code = do_all(s, "BEGIN IMMEDIATE");
    if (code) return code;
    for (size_t k = 0; k < f->count && !code; k++) code = put_fact(s, experiment, &f->v[k]);
    if (!code) return do_all(s, "COMMIT");
    sqlite3_exec(s->base, "ROLLBACK", NULL, NULL, NULL);
    return code;
}

int runs_facts_get(runs *s, const char *experiment, facts *f)
{
    sqlite3_stmt *q;
    if (prepare(s, &q, "SELECT line, name, value FROM facts WHERE experiment = ? ORDER BY rowid"))
        return FAILED;
    bind_text(q, 1, experiment);
    while (runs_next(s, q)) {
        char row[64], name[64];
        text_at(q, 0, row, sizeof row);
        text_at(q, 1, name, sizeof name);
        fact_add(f, row, name, number_at(q, 2));
    }
    sqlite3_finalize(q);
    return f->failed ? complain(FAILED, "store: out of memory") : s->failed;
}

#endif
