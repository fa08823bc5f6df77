/* What a store knows of its own making: the calls, and a sample of trials that are run again and compared.
 * SPDX-License-Identifier: MIT */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef ZO_HAVE_SQLITE
#include <sqlite3.h>

static sqlite3_stmt *prepare(runs *s, const char *text)
{
    sqlite3_stmt *q = NULL;
    sqlite3_prepare_v2(runs_base(s), text, -1, &q, NULL);
    return q;
}

/* One statement with at most one text. */
static int execute(runs *s, const char *text, const char *value)
{
    sqlite3_stmt *q = prepare(s, text);
    if (value) sqlite3_bind_text(q, 1, value, -1, SQLITE_TRANSIENT);
    runs_next(s, q);
    sqlite3_finalize(q);
    return runs_failed(s);
}

/* ---- Calls ------------------------------------------------------------------------------------------------- */

static const char calls[] = "CREATE TABLE IF NOT EXISTS calls(line TEXT PRIMARY KEY) STRICT";

int runs_call(runs *s, const char *line)
{
    int code = execute(s, calls, NULL);
    return code ? code : execute(s, "INSERT OR REPLACE INTO calls VALUES(?)", line);
}

int runs_calls(runs *s, int (*take)(void *ctx, const char *line), void *ctx)
{
    int code = execute(s, calls, NULL);
    if (code) return code;
    sqlite3_stmt *q = prepare(s, "SELECT line FROM calls ORDER BY rowid");
    while (!code && runs_next(s, q)) code = take(ctx, (const char *)sqlite3_column_text(q, 0));
    sqlite3_finalize(q);
    return code ? code : runs_failed(s);
}

/* ---- A sample ---------------------------------------------------------------------------------------------- */

typedef struct candidate {
    uint64_t hash;
    long long id;
} candidate;

/* FNV-1a: a sample that depends on nothing but the trials. */
static uint64_t hash_of(const char *text)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return h;
}

static int by_hash(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

static int list_all(runs *s, candidate **list, size_t *count)
{
    size_t room = 0;
    int code = DONE;
    sqlite3_stmt *q = prepare(s, "SELECT id, key FROM trials WHERE seconds < 60");
    while (!code && runs_next(s, q)) {
        if (*count == room) {
            room = room ? 2 * room : 256;
            candidate *more = realloc(*list, room * sizeof *more);
            if (!more) code = complain(FAILED, "check: out of memory");
            if (more) *list = more;
        }
        if (!code)
            (*list)[(*count)++] = (candidate){hash_of((const char *)sqlite3_column_text(q, 1)),
                                              sqlite3_column_int64(q, 0)};
    }
    sqlite3_finalize(q);
    return code ? code : runs_failed(s);
}

int runs_again(runs *s, size_t count)
{
    candidate *list = NULL;
    size_t all = 0;
    char text[120];
    int code = list_all(s, &list, &all);
    if (!code && all) qsort(list, all, sizeof *list, by_hash);
    if (!code)
        code = execute(s, "CREATE TEMP TABLE again(trial INTEGER PRIMARY KEY, same INTEGER)", NULL);
    for (size_t k = 0; k < all && k < count && !code; k++) {
        snprintf(text, sizeof text, "INSERT INTO temp.again VALUES(%lld, NULL)", list[k].id);
        code = execute(s, text, NULL);
    }
    free(list);
    if (!code) runs_be_checked(s);
    return code;
}

int runs_again_wants(runs *s, trial *t)
{
    if (!runs_is_checked(s)) return DONE;
    if (!t->done)
        return complain(FAILED,
                        "check: a trial of %s is not in the archive; was it made by "
                        "another version of zoprox than %s?",
                        t->set.method, zo_version());
    sqlite3_stmt *q = prepare(s, "SELECT 1 FROM temp.again WHERE trial = ? AND same IS NULL");
    sqlite3_bind_int64(q, 1, t->id);
    if (runs_next(s, q)) t->done = 0, t->status = TRIAL_OK;
    sqlite3_finalize(q);
    return runs_failed(s);
}

/* Bit for bit; what is not finite is kept as NULL. */
static int same_number(sqlite3_stmt *q, int k, double v)
{
    if (sqlite3_column_type(q, k) == SQLITE_NULL) return !isfinite(v);
    double stored = sqlite3_column_double(q, k);
    return !memcmp(&stored, &v, sizeof v);
}

static int same_whole(sqlite3_stmt *q, int k, uint64_t v)
{
    return (uint64_t)sqlite3_column_int64(q, k) == v;
}

static int same_end(runs *s, const trial *t)
{
    sqlite3_stmt *q =
        prepare(s, "SELECT reason, objective, units, steps, queries FROM trials WHERE id = ?");
    sqlite3_bind_int64(q, 1, t->id);
    int same = runs_next(s, q) && !strcmp((const char *)sqlite3_column_text(q, 0), t->reason) &&
               same_number(q, 1, t->objective) && same_number(q, 2, t->used) &&
               same_whole(q, 3, t->steps) && same_whole(q, 4, t->queries);
    sqlite3_finalize(q);
    return same;
}

static int same_rows(runs *s, const trial *t)
{
    sqlite3_stmt *q = prepare(s, "SELECT step, queries, units, objective, residual, nonzeros FROM "
                                 "rows WHERE trial = ? ORDER BY rowid");
    sqlite3_bind_int64(q, 1, t->id);
    size_t k = 0;
    int same = 1;
    for (; same && runs_next(s, q); k++) {
        if (k >= t->nrows) break;
        const trial_row *row = &t->row[k];
        same = same_whole(q, 0, row->step) && same_whole(q, 1, row->queries) &&
               same_number(q, 2, row->units) && same_number(q, 3, row->objective) &&
               same_number(q, 4, row->residual) && same_whole(q, 5, row->nonzeros);
    }
    sqlite3_finalize(q);
    return same && k == t->nrows;
}

int runs_compare(runs *s, const trial *t)
{
    char text[120];
    int same = same_end(s, t) && (t->role == GROWTH || same_rows(s, t));
    if (runs_failed(s)) return runs_failed(s);
    if (!same)
        complain(DONE, "check: %s, seed %llu, trial %lld of the store: other numbers than there",
                 t->set.method, (unsigned long long)t->set.seed, t->id);
    snprintf(text, sizeof text, "UPDATE temp.again SET same = %d WHERE trial = %lld", same, t->id);
    return execute(s, text, NULL);
}

int runs_again_count(runs *s, size_t *wanted, size_t *run, size_t *same)
{
    sqlite3_stmt *q =
        prepare(s, "SELECT count(*), count(same), coalesce(sum(same), 0) FROM temp.again");
    if (runs_next(s, q)) {
        *wanted = (size_t)sqlite3_column_int64(q, 0);
        *run = (size_t)sqlite3_column_int64(q, 1);
        *same = (size_t)sqlite3_column_int64(q, 2);
    }
    sqlite3_finalize(q);
    return runs_failed(s);
}

#endif
