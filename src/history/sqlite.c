/* A history as an SQLite file: points, evaluations, and a view 'history' with a row of both for each evaluation.
 * SPDX-License-Identifier: MIT
 *
 * Written in transactions of a moment's evaluations with a write-ahead log, so that others read while a run goes on. */
#include "history/parts.h"

#ifdef ZO_HAVE_SQLITE
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

enum { MOST_COLUMNS = 1900 }; /* SQLite's own limit is 2000 */

/* ---- text of statements --------------------------------------------------------------------------------- */

/* "FIRST "x0" MIDDLE, "x1" MIDDLE, ... LAST"; mem_free takes it. NULL: out of memory. */
static char *with_columns(const zo_history_options *o, const char *first, const char *prefix,
                          const char *middle, const char *last)
{
    size_t d = o->d,
           size = strlen(first) + strlen(last) + d * (strlen(prefix) + strlen(middle) + 28) + 8, at;
    for (size_t j = 0; o->names && j < d; j++) size += strlen(o->names[j]);
    char *text = mem_new(size, 1);
    if (!text) return NULL;
    at = (size_t)snprintf(text, size, "%s", first);
    for (size_t j = 0; j < d; j++) {
        char plain[32];
        snprintf(plain, sizeof plain, "x%zu", j);
        at += (size_t)snprintf(text + at, size - at, "%s%s\"%s\"%s", j ? ", " : "", prefix,
                               o->names ? o->names[j] : plain, middle);
    }
    snprintf(text + at, size - at, "%s", last);
    return text;
}

/* ---- reading ------------------------------------------------------------------------------------------ */

static zo_status trouble(const past *p, sqlite3 *db, zo_error *err)
{
    return fail(err, ZO_IO, "%s: cannot read '%s': %s", p->what, p->path, sqlite3_errmsg(db));
}

static size_t width_of(sqlite3_stmt *s)
{
    size_t most = 0, named = 0;
    int inside = 1; /* before the first of the other columns */
    for (int k = 0; k < sqlite3_column_count(s); k++) {
        const char *name = sqlite3_column_name(s, k);
        size_t width = name ? columns_width(name, strlen(name)) : 0;
        if (width > most) most = width;
        inside = inside && name && !columns_known(name, strlen(name));
        named += (size_t)inside;
    }
    return most || inside ? most : named;
}

static int name_columns(columns *c, sqlite3_stmt *s, size_t d)
{
    if (!columns_open(c, d, (size_t)sqlite3_column_count(s))) return 0;
    for (size_t k = 0; k < c->count; k++) {
        const char *name = sqlite3_column_name(s, (int)k);
        columns_name(c, k, name ? name : "", name ? strlen(name) : 0);
    }
    return 1;
}

static double real(sqlite3_stmt *s, int k)
{
    int type = sqlite3_column_type(s, k);
    return type == SQLITE_FLOAT || type == SQLITE_INTEGER ? sqlite3_column_double(s, k) : NAN;
}

static zo_status take_row(past *p, sqlite3_stmt *s, const columns *c, double *x, zo_error *err)
{
    evaluation e = {
        .x = x, .component = p->n == 1 ? 0 : NO_COMPONENT, .value = NAN, .seconds = NAN};
    for (size_t k = 0; k < c->count; k++) {
        size_t role = c->role[k];
        double v = real(s, (int)k);
        if (role < p->d) {
            if (!isfinite(v))
                return fail(err, ZO_BAD_INPUT, "%s: '%s': x%zu of row %llu is not a number",
                            p->what, p->path, role, (unsigned long long)p->rows + 1);
            x[role] = v;
        } else if (role == p->d + IS_VALUE) {
            e.value = v;
        } else if (role == p->d + IS_SECONDS) {
            e.seconds = v;
        } else if (role == p->d + IS_FAILURE) {
            e.failure = (const char *)sqlite3_column_text(s, (int)k);
        } else if (role == p->d + IS_NUMBER && v >= 0) {
            e.number = (uint64_t)v;
        } else if (role == p->d + IS_COMPONENT && !isnan(v)) {
            if (!(v >= 0 && v == floor(v)) || (p->n && v >= (double)p->n))
                return fail(err, ZO_BAD_INPUT, "%s: '%s': %g is not a component of this problem",
                            p->what, p->path, v);
            e.component = (uint64_t)v;
        }
    }
    p->rows++;
    p->from++;
    return p->row(p->ctx, &e) ? ZO_OK : out_of_memory(err, p->what, p->rows);
}

static zo_status read_table(past *p, sqlite3 *db, const char *name, zo_error *err)
{
    sqlite3_stmt *s = NULL;
    columns c = {0};
    double *x = NULL;
    char *sql = sqlite3_mprintf("SELECT * FROM \"%w\" LIMIT -1 OFFSET %llu", name,
                                (unsigned long long)p->from);
    zo_status status = sql ? ZO_OK : out_of_memory(err, p->what, 1);
    if (!status && sqlite3_prepare_v2(db, sql, -1, &s, NULL)) status = trouble(p, db, err);
    if (!status && !p->d) p->d = width_of(s);
    if (!status && !(x = mem_new(p->d, sizeof *x))) status = out_of_memory(err, p->what, p->d);
    if (!status && !name_columns(&c, s, p->d)) status = out_of_memory(err, p->what, p->d);
    if (!status) status = columns_check(&c, p, err);
    int step = SQLITE_DONE;
    while (!status && (step = sqlite3_step(s)) == SQLITE_ROW) status = take_row(p, s, &c, x, err);
    if (!status && step != SQLITE_DONE) status = trouble(p, db, err);
    sqlite3_finalize(s);
    sqlite3_free(sql);
    columns_close(&c);
    mem_free(x);
    return status;
}

/* The table or view with the columns of a history: 'history', or the first that has a value and x0. */
static zo_status find_table(const past *p, sqlite3 *db, char *name, size_t size, zo_error *err)
{
    static const char sql[] =
        "SELECT m.name FROM sqlite_master m WHERE m.type IN ('table', 'view') AND 2 = (SELECT "
        "count(*) FROM pragma_table_info(m.name) WHERE name IN ('value', 'x0')) "
        "OR m.name = 'history' "
        "ORDER BY m.name <> 'history', m.rowid LIMIT 1";
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL)) return trouble(p, db, err);
    int step = sqlite3_step(s);
    if (step == SQLITE_ROW) snprintf(name, size, "%s", (const char *)sqlite3_column_text(s, 0));
    sqlite3_finalize(s);
    if (step == SQLITE_ROW) return ZO_OK;
    if (step != SQLITE_DONE) return trouble(p, db, err);
    return fail(err, ZO_BAD_INPUT, "%s: '%s' has no table with columns x0, ... and value", p->what,
                p->path);
}

static zo_status sqlite_read(past *p, zo_error *err)
{
    sqlite3 *db = NULL;
    char name[512];
    zo_status status = ZO_OK;
    if (sqlite3_open_v2(p->path, &db, SQLITE_OPEN_READONLY, NULL)) status = trouble(p, db, err);
    if (!status) sqlite3_busy_timeout(db, 5000);
    if (!status) status = find_table(p, db, name, sizeof name, err);
    if (!status) status = read_table(p, db, name, err);
    sqlite3_close(db);
    return status;
}

/* Whether there are tables at all; what cannot be read has begun, and who reads says what is wrong. */
static int has_tables(sqlite3 *db)
{
    sqlite3_stmt *s = NULL;
    int none = !sqlite3_prepare_v2(db, "SELECT 1 FROM sqlite_master LIMIT 1", -1, &s, NULL) &&
               sqlite3_step(s) == SQLITE_DONE;
    sqlite3_finalize(s);
    return !none;
}

static int sqlite_begun(const char *path)
{
    sqlite3 *db = NULL;
    int begun = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) || has_tables(db);
    sqlite3_close(db);
    return begun;
}

/* ---- writing ------------------------------------------------------------------------------------------ */

struct writer {
    sqlite3 *db;
    sqlite3_stmt *point, *row;
    size_t d;
    points points; /* that have these numbers: */
    sqlite3_int64 *id;
    int begun; /* a transaction is open */
};

static int run(writer *w, const char *sql) { return !sqlite3_exec(w->db, sql, NULL, NULL, NULL); }

static int begin(writer *w)
{
    if (!w->begun) w->begun = run(w, "BEGIN");
    return w->begun;
}

/* The number of a point; one that was added lately is not added again. 0: failed. */
static sqlite3_int64 add_point(writer *w, const double *x)
{
    int there;
    size_t k = points_find(&w->points, x, &there);
    if (there) return w->id[k];
    for (size_t j = 0; j < w->d; j++) sqlite3_bind_double(w->point, (int)j + 1, x[j]);
    int done = sqlite3_step(w->point) == SQLITE_DONE;
    sqlite3_reset(w->point);
    return w->id[k] = done ? sqlite3_last_insert_rowid(w->db) : 0;
}

static int sqlite_add(writer *w, const evaluation *e)
{
    sqlite3_int64 point = begin(w) ? add_point(w, e->x) : 0;
    if (!point) return 0;
    sqlite3_stmt *s = w->row;
    sqlite3_bind_int64(s, 1, (sqlite3_int64)e->number);
    sqlite3_bind_int64(s, 2, point);
    if (e->component == NO_COMPONENT)
        sqlite3_bind_null(s, 3);
    else
        sqlite3_bind_int64(s, 3, (sqlite3_int64)e->component);
    sqlite3_bind_double(s, 4, e->value); /* NaN is NULL */
    sqlite3_bind_double(s, 5, e->seconds);
    sqlite3_bind_text(s, 6, e->failure, -1, SQLITE_STATIC); /* NULL is NULL */
    int done = sqlite3_step(s) == SQLITE_DONE;
    sqlite3_reset(s);
    return done;
}

static int sqlite_flush(writer *w, int sync)
{
    (void)sync; /* the log is synced when it is copied back: often enough */
    if (!w->begun) return 1;
    w->begun = 0;
    return run(w, "COMMIT");
}

static const char *sqlite_why(const writer *w) { return sqlite3_errmsg(w->db); }

static void sqlite_close_writer(writer *w)
{
    if (!w) return;
    sqlite3_finalize(w->point);
    sqlite3_finalize(w->row);
    sqlite3_close(w->db);
    points_close(&w->points);
    mem_free(w->id);
    mem_free(w);
}

static int make_tables(writer *w, const zo_history_options *o, int fresh)
{
    char *table =
        with_columns(o, "CREATE TABLE points (id INTEGER PRIMARY KEY, ", "", " REAL NOT NULL", ")");
    char *view = with_columns(o, "CREATE VIEW history AS SELECT ", "p.", "",
                              ", e.component, e.value, e.seconds, e.failure, e.number FROM "
                              "evaluations e JOIN points p ON p.id = e.point ORDER BY e.id");
    char about[160];
    snprintf(about, sizeof about,
             "CREATE TABLE about (n INTEGER, d INTEGER); INSERT INTO about VALUES (%zu, %zu)", o->n,
             w->d);
    int fine = table && view;
    if (fine && fresh)
        fine = run(w, "PRAGMA journal_mode = WAL") && run(w, "BEGIN") && run(w, table) &&
               run(w, "CREATE TABLE evaluations (id INTEGER PRIMARY KEY, number INTEGER NOT NULL, "
                      "point INTEGER NOT NULL REFERENCES points, component INTEGER, value REAL, "
                      "seconds REAL, failure TEXT)") &&
               run(w, view) && run(w, about) && run(w, "COMMIT");
    mem_free(table);
    mem_free(view);
    return fine && run(w, "PRAGMA synchronous = NORMAL");
}

static int prepare(writer *w, const zo_history_options *o)
{
    char *names = with_columns(o, "INSERT INTO points (", "", "", ") VALUES (?");
    size_t size = names ? strlen(names) : 0;
    char *sql = names ? mem_grow(names, size, size + 2 * w->d + 8, 1) : NULL;
    if (!sql) return mem_free(names), 0;
    for (size_t j = 1; j < w->d; j++) memcpy(sql + size, ",?", 2), size += 2;
    sql[size] = ')';
    int fine = !sqlite3_prepare_v2(w->db, sql, -1, &w->point, NULL) &&
               !sqlite3_prepare_v2(w->db,
                                   "INSERT INTO evaluations (number, point, component, value, "
                                   "seconds, failure) VALUES (?,?,?,?,?,?)",
                                   -1, &w->row, NULL);
    mem_free(sql);
    return fine;
}

static zo_status sqlite_open(writer **out, const zo_history_options *o, int fresh, zo_error *err)
{
    const char *path = o->file;
    size_t d = o->d;
    *out = NULL;
    if (d > MOST_COLUMNS)
        return fail(
            err, ZO_UNSUPPORTED,
            "history: %zu parameters are more than SQLite has columns for, %d; use a name that "
            "ends in .csv",
            d, MOST_COLUMNS);
    writer *w = mem_new(1, sizeof *w);
    if (!w) return out_of_memory(err, "history", 1);
    w->d = d;
    if (points_open(&w->points, d)) w->id = mem_new(w->points.count, sizeof *w->id);
    int flags = SQLITE_OPEN_READWRITE | (fresh ? SQLITE_OPEN_CREATE : 0);
    int fine = w->id && !sqlite3_open_v2(path, &w->db, flags, NULL);
    if (fine) sqlite3_busy_timeout(w->db, 5000);
    fine = fine && make_tables(w, o, fresh || !has_tables(w->db)) && prepare(w, o);
    if (!fine) {
        int ours =
            !w->db || sqlite3_errcode(w->db) == SQLITE_OK; /* it has nothing to complain of */
        zo_status status =
            ours ? out_of_memory(err, "history", d)
                 : fail(err, ZO_IO, "history: cannot write '%s': %s", path, sqlite3_errmsg(w->db));
        sqlite_close_writer(w);
        return status;
    }
    *out = w;
    return ZO_OK;
}

const format history_sqlite = {sqlite_begun, sqlite_read, sqlite_open,        sqlite_add,
                               sqlite_flush, sqlite_why,  sqlite_close_writer};

#else
#include "base/error.h"

static zo_status no_read(past *p, zo_error *err)
{
    return fail(err, ZO_UNSUPPORTED,
                "%s: '%s' is an SQLite file by its name, and this build has no SQLite; use CSV",
                p->what, p->path);
}

static zo_status no_open(writer **out, const zo_history_options *o, int fresh, zo_error *err)
{
    past p = {.path = o->file, .what = "history", .n = o->n, .d = o->d};
    (void)fresh;
    *out = NULL;
    return no_read(&p, err);
}

static int no_begun(const char *path)
{
    (void)path;
    return 1;
}

const format history_sqlite = {.begun = no_begun, .read = no_read, .open = no_open};
#endif
