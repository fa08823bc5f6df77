/* Without SQLite there is no store: opening one says so, and nothing else is ever called.
 * SPDX-License-Identifier: MIT */
#include "study/study.h"
#include "study/theory.h"

#ifndef ZO_HAVE_SQLITE

int runs_open(runs **out, const char *path, int write)
{
    (void)write;
    *out = NULL;
    return complain(FAILED,
                    "store: '%s': this build has no SQLite; build again with libsqlite3-dev", path);
}

void runs_close(runs *s) { (void)s; }

int runs_problem(runs *s, study *u) { return s || u ? FAILED : DONE; }
int runs_optimum(runs *s, const study *u) { return s || u ? FAILED : DONE; }
int runs_find(runs *s, const char *key, trial *t) { return s || key || t ? FAILED : DONE; }
int runs_put(runs *s, const study *u, const char *key, trial *t)
{
    return s || u || key || t ? FAILED : DONE;
}

int runs_choice(runs *s, const study *u, const trial *best, const char *from, double score,
                size_t tried, size_t diverged)
{
    return s || u || best || from || score > 0 || tried || diverged ? FAILED : DONE;
}

int runs_gaps(runs *s, long long id, int (*take)(void *ctx, double units, double gap), void *ctx)
{
    return s || id || take || ctx ? FAILED : DONE;
}

int runs_call(runs *s, const char *line) { return s || line ? FAILED : DONE; }
int runs_again_wants(runs *s, trial *t) { return s || t ? FAILED : DONE; }
int runs_compare(runs *s, const trial *t) { return s || t ? FAILED : DONE; }

int runs_facts_put(runs *s, const char *experiment, const facts *f)
{
    return s || experiment || f ? FAILED : DONE;
}

int runs_facts_get(runs *s, const char *experiment, facts *f)
{
    return s || experiment || f ? FAILED : DONE;
}

#endif
