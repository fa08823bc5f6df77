/* zoprox reproduce: the paper's experiment, its theory and its complexity table, run again.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "study/paper.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "data/catalogue.h"
#include "study/archive.h"
#include "study/growth.h"
#include "study/page.h"
#include "study/plan.h"
#include "study/print.h"
#include "study/rule.h"

typedef struct reproduction {
    const request *asked;
    runs *store;
    const char *folder;
    int silent; /* 1: files only */
    plan plan;
    panel *panel[MAX_PANELS];
    size_t npanels, skipped;
} reproduction;

/* ---- What is asked for --------------------------------------------------------------------------------- */

static const paper_set *set_named(const char *name)
{
    size_t count;
    const paper_set *sets = paper_sets(&count);
    for (size_t k = 0; k < count; k++)
        if (!strcmp(sets[k].name, name)) return &sets[k];
    return NULL;
}

static int is_theory(const char *name) { return !strcmp(name, "growth") || theory_find(name); }

static int has_word(const request *r, const char *word)
{
    for (size_t k = 0; k < r->nwords; k++)
        if (!strcmp(r->words[k], word)) return 1;
    return 0;
}

static size_t sets_named(const request *r)
{
    size_t count = 0;
    for (size_t k = 0; k < r->nwords; k++) count += set_named(r->words[k]) != NULL;
    return count;
}

/* map is a plan for sets, and so is readings where sets stand beside it. */
static enum plan_kind kind_of(const request *r)
{
    if (has_word(r, "map")) return PLAN_MAP;
    return has_word(r, "readings") && sets_named(r) ? PLAN_READINGS : PLAN_FIGURE;
}

static int check(reproduction *a)
{
    const request *r = a->asked;
    for (size_t k = 0; k < r->nwords; k++)
        if (!set_named(r->words[k]) && !is_theory(r->words[k]) && strcmp(r->words[k], "map"))
            return complain(REFUSED,
                            "reproduce: '%s' is unknown; there are a9a, w8a, covtype, gisette; "
                            "german, phishing, mushrooms; map%s",
                            r->words[k], theory_names());
    if (r->quick && r->full) return complain(REFUSED, "--quick and --full exclude each other");
    return plan_make(&a->plan, r, kind_of(r));
}

static int make_folder(const char *path)
{
    struct stat st;
    if (mkdir(path, 0777) && errno != EEXIST)
        return complain(FAILED, "--out: '%s': %s", path, strerror(errno));
    if (!stat(path, &st) && !S_ISDIR(st.st_mode))
        return complain(REFUSED, "--out: '%s' is a file; a folder is wanted", path);
    return DONE;
}

/* ---- One data set ----------------------------------------------------------------------------------------- */

/* Where the file of the set is, or that of its stand-in; NULL after a line that says how to get it. */
static const char *source_of(const reproduction *a, const paper_set *set)
{
    char path[4096];
    if (!data_find(set->name, path, sizeof path, NULL)) return set->name;
    if (set->stand_in && !data_find(set->stand_in, path, sizeof path, NULL)) {
        if (!a->asked->quiet)
            fprintf(stderr,
                    "zoprox: reproduce: %s is not here, %s stands in for it; 'zoprox data fetch "
                    "%s' gets it\n",
                    set->name, set->stand_in, set->name);
        return set->stand_in;
    }
    complain(DONE, "reproduce: %s is skipped: it is not here; 'zoprox data fetch %s' gets it",
             set->name, set->name);
    return NULL;
}

/* 1st, 2nd, 3rd, 4th, ..., 11th, 12th, 13th, ..., 21st */
static const char *ordinal(size_t k)
{
    static const char *const ending[] = {"th", "st", "nd", "rd"};
    size_t last = k / 10 % 10 == 1 ? 0 : k % 10;
    return ending[last < 4 ? last : 0];
}

static void name_part(char *to, size_t size, const char *source, size_t rows, size_t columns)
{
    int used = snprintf(to, size, "%s", source);
    if (rows > 1)
        used += snprintf(to + used, size - (size_t)used, ", every %zu%s row", rows, ordinal(rows));
    if (columns > 1)
        snprintf(to + used, size - (size_t)used, "%s %zu%s column", rows > 1 ? " and" : ", every",
                 columns, ordinal(columns));
}

static int reproduce_set(reproduction *a, const paper_set *set)
{
    request r = *a->asked;
    task s;
    sample thin = {0};
    char name[64];
    const char *source = source_of(a, set);
    if (ranks_any(!source)) {
        a->skipped++;
        return DONE;
    }
    r.words[0] = source;
    r.nwords = 1;
    r.l1 = set->l1;
    r.l2 = set->l2;
    int code = ranks_agree(task_open(&s, &r));
    if (code) return code;
    size_t every = a->asked->quick && set->quick ? set->quick : 1, columns = 1;
    if (r.rows) every = (s.problem.n + r.rows - 1) / (size_t)r.rows;
    if (r.columns) columns = (s.problem.d + r.columns - 1) / (size_t)r.columns;
    name_part(name, sizeof name, source, every, columns);
    if (every > 1 || columns > 1) {
        task cut = s;
        zo_error err;
        cut.model = NULL;
        code = sample_part(&thin, s.data, every, columns);
        if (!code && zo_model_new(&cut.model, thin.data, r.loss, r.l2, 1, &cut.problem, &err))
            code = complain_of(&err);
        code = ranks_agree(code);
        cut.problem.psi = s.problem.psi;
        cut.data = thin.data;
        r.words[0] = name;
        if (!code) code = plan_run(&a->plan, set, name, &r, &cut, a->panel, &a->npanels);
        zo_model_free(cut.model);
    } else
        code = plan_run(&a->plan, set, name, &r, &s, a->panel, &a->npanels);
    sample_free(&thin);
    task_close(&s);
    return code;
}

/* A page in the making, which becomes DIR/NAME.md in full or not at all. */
typedef struct draft {
    FILE *out;
    char *text;
    size_t size;
} draft;

static int draft_open(draft *d)
{
    *d = (draft){0};
    d->out = open_memstream(&d->text, &d->size);
    return d->out ? DONE : complain(FAILED, "reproduce: out of memory");
}

/* Writes it unless code says that it is none; shown: prints it too. */
static int draft_close(draft *d, const reproduction *a, const char *name, int code, int shown)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s.md", a->folder, name);
    if (fclose(d->out) && !code) code = complain(FAILED, "reproduce: out of memory");
    if (!code && file_replace(path, d->text, d->size))
        code = complain(FAILED, "reproduce: '%s': %s", path, strerror(errno));
    if (!code && shown && !a->silent) fwrite(d->text, 1, d->size, stdout);
    free(d->text);
    return code;
}

/* Printed, and kept as DIR/NAME.md. */
static int run_theory(reproduction *a, const char *name)
{
    draft d;
    int code = draft_open(&d);
    if (code) return code;
    code = strcmp(name, "growth") ? theory_run(name, a->store, d.out, a->asked)
                                  : growth_run(a->store, d.out, a->asked);
    return draft_close(&d, a, name, code, !a->asked->json);
}

/* Without words: the paper's sets, with --quick those that are quick. */
static int is_asked(const reproduction *a, const paper_set *set)
{
    const request *r = a->asked;
    int all = r->nwords == 0 || (a->plan.kind == PLAN_MAP && !sets_named(r));
    return has_word(r, set->name) || (all && !set->further && (!r->quick || set->quick));
}

static int reproduce_all(reproduction *a)
{
    const request *r = a->asked;
    size_t count;
    int code = DONE;
    const paper_set *sets = paper_sets(&count);
    for (size_t k = 0; k < count && !code; k++)
        if (is_asked(a, &sets[k])) code = reproduce_set(a, &sets[k]);
    for (size_t w = 0; w < r->nwords && !code; w++) {
        int taken = a->plan.kind == PLAN_READINGS && !strcmp(r->words[w], "readings");
        if (is_theory(r->words[w]) && !taken && ranks_me() == 0) code = run_theory(a, r->words[w]);
    }
    return ranks_agree(code);
}

/* ---- What it leaves ---------------------------------------------------------------------------------------- */

static int write_summary(const reproduction *a)
{
    draft d;
    int code = draft_open(&d);
    if (code) return code;
    summary_print(d.out, a->panel, a->npanels);
    return draft_close(&d, a, "summary", DONE, 0);
}

/* Printed, and kept as DIR/NAME.md; so are the next two. */
static int leave_readings(const reproduction *a)
{
    draft d;
    int code = draft_open(&d);
    if (code) return code;
    code = readings_leave(d.out, a->store, a->panel, a->npanels);
    return draft_close(&d, a, "readings", code, !a->asked->json);
}

static int leave_map(const reproduction *a, panel *const *p, size_t count)
{
    draft d;
    char name[MAP_TITLE + 8];
    int code = draft_open(&d);
    if (code) return code;
    code = map_leave(d.out, a->store, a->folder, p, count);
    if (!code) code = rule_leave(d.out, a->store, p, count);
    map_file(p[0], name, sizeof name);
    return draft_close(&d, a, name, code, !a->asked->json);
}

static int leave_maps(const reproduction *a)
{
    int code = DONE;
    for (size_t k = 0, many; k < a->npanels && !code; k += many) {
        many = map_same_set(a->panel + k, a->npanels - k);
        code = leave_map(a, a->panel + k, many);
    }
    return code;
}

static int leave_figure(const reproduction *a)
{
    int code = a->npanels ? write_summary(a) : DONE;
    return code ? code : figure_draw(a->folder, a->panel, a->npanels, a->asked->quiet || a->silent);
}

static int leave(const reproduction *a)
{
    static const char *const left[] = {"summary.md, figure.svg, figure.png, figure.pdf",
                                       "map-SET.md, map-SET.svg", "readings.md"};
    char path[4200];
    snprintf(path, sizeof path, "%s/report.html", a->folder);
    enum plan_kind kind = a->plan.kind;
    int code = kind == PLAN_FIGURE ? leave_figure(a)
               : kind == PLAN_MAP  ? leave_maps(a)
                                   : leave_readings(a);
    if (!code) code = page_write(a->store, NULL, path);
    if (code || a->silent) return code;
    if (a->asked->json) return finish_output(print_json(summary_json(a->panel, a->npanels)));
    if (kind == PLAN_FIGURE) summary_print(stdout, a->panel, a->npanels);
    printf("Left in %s: report.html%s%s\n", a->folder, a->npanels ? ", " : "",
           a->npanels ? left[kind] : "");
    return finish_output(DONE);
}

static void release(reproduction *a)
{
    for (size_t k = 0; k < a->npanels; k++) {
        for (size_t m = 0; m < a->panel[k]->nlines; m++) free(a->panel[k]->line[m].t);
        free(a->panel[k]);
    }
}

static int run(reproduction *a)
{
    int code = check(a);
    if (code) return code;
    a->plan.store = a->store;
    code = reproduce_all(a);
    int nothing = a->skipped && (a->npanels == 0 || a->silent); /* a check wants all of it */
    if (!code && ranks_me() == 0) code = nothing ? FAILED : leave(a);
    release(a);
    return code;
}

/* The same call again, from a store that has all of its trials: files, and nothing printed. */
static int reproduce_again(const request *r, runs *store, const char *folder)
{
    reproduction a = {.asked = r, .store = store, .folder = folder, .silent = 1};
    return run(&a);
}

static int reproduce_new(request *r, int argc, char **argv)
{
    char path[4200];
    reproduction a = {.asked = r, .folder = r->out ? r->out : "reproduction"};
    int code = check(&a);
    if (!code) code = make_folder(a.folder);
    code = ranks_agree(code);
    if (!code) code = ranks_same_line(r);
    if (!code) code = ranks_group(r);
    if (code) return code;
    snprintf(path, sizeof path, "%s/zoprox.runs", a.folder);
    const char *store = r->store ? r->store : path;
    if (ranks_me() == 0) code = runs_open(&a.store, store, 1);
    code = ranks_agree(code);
    if (!code) code = run(&a);
    if (!code && ranks_me() == 0) code = archive_note_call(a.store, argc, argv);
    if (!code && ranks_me() == 0 && r->archive) {
        code = page_print(a.folder, r->quiet);
        if (!code) code = archive_write(a.store, a.folder, r->archive);
    }
    runs_close(a.store);
    return code;
}

int command_reproduce(int argc, char **argv)
{
    request r;
    int code = ranks_agree(request_parse(&r, argc, argv));
    if (code) return code;
    catch_signals();
    return r.check ? archive_check(&r, reproduce_again) : reproduce_new(&r, argc, argv);
}
