/* Without SQLite there is no store: opening one says so, and nothing else is ever called.
 * SPDX-License-Identifier: MIT */
#include "study.h"

#ifndef ZO_HAVE_SQLITE

int runs_open(runs **out, const char *path, int write)
{
    (void)write;
    *out = NULL;
    return complain(FAILED, "store: '%s': this build has no SQLite; build again with libsqlite3-dev", path);
}

void runs_close(runs *s) { (void)s; }

int runs_problem(runs *s, study *u) { return s || u ? FAILED : DONE; }
int runs_optimum(runs *s, const study *u) { return s || u ? FAILED : DONE; }
int runs_find(runs *s, const char *key, trial *t) { return s || key || t ? FAILED : DONE; }
int runs_put(runs *s, const study *u, const char *key, const trial *t)
{
    return s || u || key || t ? FAILED : DONE;
}

int runs_choice(runs *s, const study *u, const trial *best, const char *from, double score, size_t tried,
                size_t diverged)
{
    return s || u || best || from || score > 0 || tried || diverged ? FAILED : DONE;
}

int runs_fact(runs *s, const char *table, const char *row, const char *column, double value)
{
    return s || table || row || column || value > 0 ? FAILED : DONE;
}

int runs_facts_clear(runs *s, const char *table) { return s || table ? FAILED : DONE; }

#endif
