/* zoprox report: one page with everything in it, from a run store.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "study/page.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/theory.h"

extern const char page_template[]; /* page.html, by cmake/embed.cmake */

/* What a setting is when nobody says anything. */
static json_t *defaults_json(void)
{
    size_t count;
    const zo_setting_row *rows = zo_setting_rows(&count);
    zo_settings set = zo_defaults();
    json_t *all = json_object();
    for (size_t k = 0; k < count; k++) {
        char text[64];
        zo_get(&set, rows[k].name, text, sizeof text);
        json_object_set_new(all, rows[k].name, json_string(text));
    }
    return all;
}

/* What a page has at least. */
static json_t *empty_json(void)
{
    json_t *all = json_object();
    json_object_set_new(all, "version", json_string(zo_version()));
    json_object_set_new(all, "defaults", defaults_json());
    for (const char *const *list =
             (const char *const[]){"panels", "choices", "diverged", "facts", "versions", NULL};
         *list; list++)
        json_object_set_new(all, *list, json_array());
    json_object_set_new(all, "trials", json_integer(0));
    return all;
}

#ifdef ZO_HAVE_SQLITE
#include <sqlite3.h>

#define LEAST 1e-16 /* gaps below are rounding */

/* A text, whatever stands there. */
static const char *plain(sqlite3_stmt *q, int k)
{
    const char *text = (const char *)sqlite3_column_text(q, k);
    return text ? text : "";
}

static json_t *text_at(sqlite3_stmt *q, int k) { return json_text(plain(q, k)); }

static json_t *number_at(sqlite3_stmt *q, int k)
{
    return sqlite3_column_type(q, k) == SQLITE_NULL ? json_null()
                                                    : json_number(sqlite3_column_double(q, k));
}

/* Settings are kept as JSON. */
static json_t *object_at(sqlite3_stmt *q, int k)
{
    const char *text = (const char *)sqlite3_column_text(q, k);
    json_t *value = text ? json_loads(text, 0, NULL) : NULL;
    return value ? value : json_object();
}

static sqlite3_stmt *prepare(runs *s, const char *text)
{
    sqlite3_stmt *q = NULL;
    sqlite3_prepare_v2(runs_base(s), text, -1, &q, NULL);
    return q;
}

/* ---- Curves ------------------------------------------------------------------------------------------------ */

static json_t *trial_json(runs *s, sqlite3_stmt *from)
{
    json_t *one = json_object(), *units = json_array(), *seconds = json_array(),
           *gap = json_array();
    sqlite3_stmt *q = prepare(
        s, "SELECT units, seconds, coalesce(gap, objective - (SELECT min(o.objective) FROM rows "
           "o JOIN trials t ON t.id = o.trial WHERE t.problem = (SELECT problem FROM trials "
           "WHERE id = ?1))) FROM rows WHERE trial = ?1 ORDER BY rowid");
    sqlite3_bind_int64(q, 1, sqlite3_column_int64(from, 0));
    while (runs_next(s, q)) {
        if (sqlite3_column_type(q, 2) == SQLITE_NULL) continue;
        json_array_append_new(units, number_at(q, 0));
        json_array_append_new(seconds, number_at(q, 1));
        json_array_append_new(gap, json_real(fmax(sqlite3_column_double(q, 2), LEAST)));
    }
    sqlite3_finalize(q);
    json_object_set_new(one, "seed", json_integer(sqlite3_column_int64(from, 9)));
    json_object_set_new(one, "status", text_at(from, 10));
    json_object_set_new(one, "units", units);
    json_object_set_new(one, "seconds", seconds);
    json_object_set_new(one, "gap", gap);
    return one;
}

static json_t *panel_json(sqlite3_stmt *q)
{
    json_t *one = json_object();
    char title[256];
    snprintf(title, sizeof title, "%s, %g units", plain(q, 2), sqlite3_column_double(q, 6));
    json_object_set_new(one, "title", json_text(title));
    json_object_set_new(one, "n", json_integer(sqlite3_column_int64(q, 3)));
    json_object_set_new(one, "d", json_integer(sqlite3_column_int64(q, 4)));
    snprintf(title, sizeof title, "%.12g",
             sqlite3_column_double(q, 5)); /* more digits than a curve needs */
    json_object_set_new(one, "optimum",
                        json_string(sqlite3_column_type(q, 5) == SQLITE_NULL
                                        ? "not known; above the least that was seen"
                                        : title));
    json_object_set_new(one, "budget", number_at(q, 6));
    json_object_set_new(one, "bound", number_at(q, 11));
    json_object_set_new(one, "lines", json_array());
    return one;
}

static json_t *line_json(sqlite3_stmt *q)
{
    json_t *one = json_object();
    json_object_set_new(one, "method", text_at(q, 7));
    json_object_set_new(one, "settings", object_at(q, 8));
    json_object_set_new(one, "trials", json_array());
    return one;
}

/* A map has many curves on one problem: its page shows what they come to, not them. */
#define FEW_LINES                                                                                  \
    "(SELECT problem, budget FROM (SELECT DISTINCT problem, budget, method, settings FROM trials " \
    "WHERE role = 'report') JOIN problems ON id = problem GROUP BY problem, budget HAVING "        \
    "count(*) <= 16 OR NOT EXISTS (SELECT 1 FROM facts WHERE experiment = 'map of ' || name OR "   \
    "experiment GLOB 'map of ' || name || ', beyond*' OR "                                         \
    "experiment GLOB 'map of ' || name || ', to *'))"

/* Report trials come sorted by problem, budget, method and settings: a change of one opens a panel or a line. */
static json_t *panels_json(runs *s)
{
    json_t *panels = json_array(), *panel = NULL, *one = NULL;
    char seen_panel[64] = "", seen_line[1200] = "";
    sqlite3_stmt *q = prepare(
        s, "SELECT t.id, p.id, p.name, p.n, p.d, p.optimum, t.budget, t.method, t.settings, "
           "t.seed, t.status, "
           "p.bound FROM " FEW_LINES " few JOIN trials t ON t.problem = few.problem AND t.budget = "
           "few.budget JOIN problems p ON p.id = t.problem WHERE t.role = 'report' "
           "ORDER BY p.id, t.budget, t.method, t.settings, t.seed");
    while (runs_next(s, q)) {
        char now_panel[64], now_line[1200];
        snprintf(now_panel, sizeof now_panel, "%lld %.17g", sqlite3_column_int64(q, 1),
                 sqlite3_column_double(q, 6));
        snprintf(now_line, sizeof now_line, "%s %s", plain(q, 7), plain(q, 8));
        int new_panel = !panel || strcmp(now_panel, seen_panel);
        if (new_panel) json_array_append_new(panels, panel = panel_json(q));
        if (new_panel || strcmp(now_line, seen_line))
            json_array_append_new(json_object_get(panel, "lines"), one = line_json(q));
        json_array_append_new(json_object_get(one, "trials"), trial_json(s, q));
        strcpy(seen_panel, now_panel);
        strcpy(seen_line, now_line);
    }
    sqlite3_finalize(q);
    return panels;
}

/* ---- Tables ------------------------------------------------------------------------------------------------ */

/* One object a row; kinds: t text, n number, o settings. */
static json_t *rows_json(runs *s, const char *text, const char *kinds)
{
    json_t *all = json_array();
    sqlite3_stmt *q = prepare(s, text);
    while (runs_next(s, q)) {
        json_t *one = json_object();
        for (int k = 0; kinds[k]; k++)
            json_object_set_new(one, sqlite3_column_name(q, k),
                                kinds[k] == 't'   ? text_at(q, k)
                                : kinds[k] == 'n' ? number_at(q, k)
                                                  : object_at(q, k));
        json_array_append_new(all, one);
    }
    sqlite3_finalize(q);
    return all;
}

static json_t *facts_json(runs *s)
{
    json_t *all = json_array();
    sqlite3_stmt *q =
        prepare(s, "SELECT experiment FROM facts GROUP BY experiment ORDER BY min(rowid)");
    while (runs_next(s, q)) {
        facts f = {0};
        if (!runs_facts_get(s, plain(q, 0), &f)) {
            json_t *one = facts_as_json(&f);
            const char *title, *about;
            theory_about(plain(q, 0), &title, &about);
            json_object_set_new(one, "experiment", text_at(q, 0));
            json_object_set_new(one, "title", title ? json_string(title) : json_null());
            json_object_set_new(one, "about", about ? json_string(about) : json_null());
            json_array_append_new(all, one);
        }
        free(f.v);
    }
    sqlite3_finalize(q);
    return all;
}

static json_t *store_json(runs *s)
{
    json_t *all = empty_json(), *versions;
    double trials = 0;
    json_object_set_new(all, "panels", panels_json(s));
    json_object_set_new(
        all, "choices",
        rows_json(s,
                  "SELECT p.name AS problem, c.method, c.grid, c.budget, c.settings, c.score, "
                  "p.optimum, c.tried, "
                  "c.diverged FROM choices c JOIN problems p ON p.id = c.problem ORDER BY c.rowid",
                  "tttnonnnn"));
    json_object_set_new(
        all, "diverged",
        rows_json(
            s,
            "SELECT p.name AS problem, t.method, t.settings, count(*) AS count, avg(t.units) AS "
            "units FROM trials t JOIN problems p ON p.id = t.problem WHERE t.status = 'diverged' "
            "GROUP BY p.id, t.method, t.settings ORDER BY p.id, t.method, t.settings",
            "ttonn"));
    json_object_set_new(all, "facts", facts_json(s));
    versions = rows_json(s,
                         "SELECT version, count(*) AS trials, sum(role = 'select') AS \"select\" "
                         "FROM trials GROUP BY "
                         "version",
                         "tnn");
    for (size_t k = 0; k < json_array_size(versions); k++)
        trials += json_number_value(json_object_get(json_array_get(versions, k), "trials"));
    json_object_set_new(all, "versions", versions);
    json_object_set_new(all, "trials", json_integer((json_int_t)trials));
    return all;
}

#else

static json_t *store_json(runs *s)
{
    (void)s;
    return empty_json();
}

#endif

/* Neither "</script>" nor "<!--" may occur inside the data: '<' is written \u003c, which JSON reads the same. */
static int write_safely(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '<')
            fputs("\\u003c", out);
        else
            fputc(*text, out);
    return ferror(out);
}

int page_write(runs *s, json_t *more, const char *path)
{
    static const char mark[] = "@DATA@";
    json_t *all = s ? store_json(s) : empty_json();
    if (more) json_array_append_new(json_object_get(all, "panels"), more);
    char *text = json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(6));
    const char *cut = strstr(page_template, mark);
    json_decref(all);
    if (s && runs_failed(s)) { /* a page with trials missing would be a lie */
        free(text);
        return runs_failed(s);
    }
    if (!text || !cut) {
        free(text);
        return complain(FAILED, "report: out of memory");
    }
    char *page = NULL;
    size_t size = 0;
    errno = 0;
    FILE *out = open_memstream(&page, &size);
    int bad = !out;
    if (out) {
        fwrite(page_template, 1, (size_t)(cut - page_template), out);
        write_safely(out, text);
        fputs(cut + strlen(mark), out);
        bad = ferror(out);
        bad = fclose(out) || bad || file_replace(path, page, size);
    }
    int kept = errno;
    free(text);
    free(page);
    return bad ? complain(FAILED, "report: '%s': %s", path, strerror(kept ? kept : EIO)) : DONE;
}

/* Traces and histories are text; an SQLite history says so by its name, unless it bears a store's mark. The rest is a store, whole
 * or damaged, or says what is wrong when it is opened as one. */
static int is_store(const char *path)
{
    const char *dot = strrchr(path, '.');
    char head[RUNS_HEAD] = "";
    FILE *in = fopen(path, "re");
    if (!in) return 1;
    size_t got = fread(head, 1, sizeof head, in), at = 0;
    fclose(in);
    if (dot && (!strcmp(dot, ".sqlite") || !strcmp(dot, ".sqlite3") || !strcmp(dot, ".db")))
        return runs_marked(head, got);
    while (at < got && (head[at] == '\n' || (head[at] >= ' ' && head[at] <= '~'))) at++;
    return got == 0 || at < got;
}

/* Words into a store and other files. DONE, or REFUSED after a line. */
static int sort_words(const request *r, const char **store, const char **file, size_t *count)
{
    *store = NULL;
    for (size_t k = 0; k < r->nwords; k++) {
        if (!is_store(r->words[k])) {
            file[(*count)++] = r->words[k];
            continue;
        }
        if (*store)
            return complain(REFUSED, "report takes one STORE, but '%s' and '%s' were given", *store,
                            r->words[k]);
        *store = r->words[k];
    }
    return DONE;
}

int command_report(int argc, char **argv)
{
    request r;
    runs *s = NULL;
    json_t *more = NULL;
    const char *store, *file[MAX_WORDS];
    size_t count = 0;
    int code = request_parse(&r, argc, argv);
    if (code) return code;
    if (!r.nwords)
        return complain(REFUSED,
                        "report takes a run store, traces and histories; see 'zoprox report "
                        "--help'");
    const char *path = r.out ? r.out : "report.html";
    code = file_check(path, "out");
    if (!code) code = sort_words(&r, &store, file, &count);
    if (!code && store) code = runs_open(&s, store, 0);
    if (!code && count) code = page_files(&more, file, count, &r);
    if (!code) code = page_write(s, more, path);
    runs_close(s);
    if (!code) printf("%s\n", path);
    return finish_output(code);
}
