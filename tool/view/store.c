/* Curves of a run store: each trial that is reported.
 * SPDX-License-Identifier: MIT */
#include "view/series.h"

#ifdef ZO_HAVE_SQLITE
#include <sqlite3.h>

static int add_rows(picture *p, sqlite3 *db, long long trial, const char *name)
{
    sqlite3_stmt *q;
    series *s = picture_series(p, name);
    int fine = s != NULL;
    if (!fine || sqlite3_prepare_v2(db,
                                    "SELECT queries, coalesce(gap, objective), seconds FROM rows "
                                    "WHERE trial = ? ORDER BY rowid",
                                    -1, &q, NULL))
        return 0;
    sqlite3_bind_int64(q, 1, trial);
    while (fine && sqlite3_step(q) == SQLITE_ROW)
        fine = series_add(s, sqlite3_column_double(q, 0), sqlite3_column_double(q, 1),
                          sqlite3_column_double(q, 2));
    sqlite3_finalize(q);
    return fine;
}

/* REFUSED + FAILED, without a word: it is an SQLite file, and no run store. */
int picture_store(picture *p, const char *path)
{
    static const char sql[] = "SELECT id, method, seed FROM trials WHERE role = 'report' AND "
                              "status = 'ok' ORDER BY method, seed";
    sqlite3 *db = NULL;
    sqlite3_stmt *q = NULL;
    int code = DONE;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) ||
        sqlite3_prepare_v2(db, sql, -1, &q, NULL)) {
        sqlite3_close(db);
        return REFUSED + FAILED;
    }
    sqlite3_busy_timeout(db, 5000);
    int step;
    while (!code && (step = sqlite3_step(q)) == SQLITE_ROW) {
        char name[96];
        snprintf(name, sizeof name, "%s, seed %lld", (const char *)sqlite3_column_text(q, 1),
                 sqlite3_column_int64(q, 2));
        if (!add_rows(p, db, sqlite3_column_int64(q, 0), name))
            code = complain(FAILED, "plot: '%s': %s", path, sqlite3_errmsg(db));
    }
    if (!code && step != SQLITE_DONE)
        code = complain(FAILED, "plot: '%s': %s", path, sqlite3_errmsg(db));
    if (!code && !p->count)
        code = complain(REFUSED, "plot: '%s' has no trial that is reported", path);
    sqlite3_finalize(q);
    sqlite3_close(db);
    p->x = "queries";
    p->y = "F - F*, or F";
    return code;
}
#else
int picture_store(picture *p, const char *path)
{
    (void)p;
    return complain(FAILED, "plot: '%s': this build has no SQLite", path);
}
#endif
