/* zoprox reproduce: the paper's experiment, its theory and its complexity table, run again.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "study/paper.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "data/catalogue.h"
#include "method/load.h"
#include "study/growth.h"
#include "study/map.h"
#include "study/page.h"
#include "study/theory.h"

enum {
    QUICK_UNITS = 20,
    FULL_UNITS = 100,
    QUICK_SEEDS = 3,
    FULL_SEEDS = 5,
    MAP_SEEDS = 21,
    MAP_CHOOSE = 5,
    MAX_PAIRS = 8
};

typedef struct reproduction {
    const request *asked;
    runs *store;
    char folder[4096];
    int map; /* 1: all (batch, directions) of the map, the paper's methods only */
    uint64_t batch[MAP_CELLS], directions[MAP_CELLS];
    size_t npairs, seeds, choose; /* seeds that report, and that choose */
    double units;
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

static int is_map(const char *name) { return !strcmp(name, "map"); }
static int is_theory(const char *name) { return !strcmp(name, "growth") || theory_find(name); }

static int check_words(const request *r)
{
    for (size_t k = 0; k < r->nwords; k++)
        if (!set_named(r->words[k]) && !is_theory(r->words[k]) && !is_map(r->words[k]))
            return complain(
                REFUSED, "reproduce: '%s' is unknown; there are a9a, w8a, covtype, gisette, map%s",
                r->words[k], theory_names());
    return DONE;
}

static int in_list(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (strcspn(p, ",") == length && !strncmp(p, name, length)) return 1;
    return 0;
}

static int wanted(const request *r, const char *method)
{
    return !r->methods || in_list(r->methods, method);
}

/* Any method will do: the paper's four are tuned by its grids, the others run with automatic settings. */
static int check_methods(const request *r)
{
    size_t listed = 0;
    int code = DONE;
    for (const char *p = r->methods; p && !code; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(p, ","), p);
        code = check_method("--methods", name);
        if (!code && ++listed > MAX_LINES)
            code = complain(REFUSED, "--methods: more than %d of them", MAX_LINES);
    }
    return code;
}

/* "1024x50,128x10" */
static int parse_pairs(reproduction *a)
{
    const char *text = a->asked->pairs   ? a->asked->pairs
                       : a->asked->quick ? "1024x50"
                                         : "1024x50,128x10";
    for (const char *p = text; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        char batch[24], directions[24];
        size_t k = a->npairs;
        if (k == MAX_PAIRS) return complain(REFUSED, "--pairs: more than %d of them", MAX_PAIRS);
        if (sscanf(p, "%20[0-9]x%20[0-9]", batch, directions) != 2 ||
            strlen(batch) + 1 + strlen(directions) != strcspn(p, ",") ||
            !text_whole(batch, &a->batch[k]) || !text_whole(directions, &a->directions[k]) ||
            !a->batch[k] || !a->directions[k])
            return complain(
                REFUSED, "--pairs: '%s' is not BATCHxDIRECTIONS,..., such as 1024x50,128x10", text);
        a->npairs++;
    }
    return DONE;
}

static int check(reproduction *a)
{
    const request *r = a->asked;
    int code = check_words(r);
    if (!code) code = check_methods(r);
    if (!code) code = parse_pairs(a);
    if (code) return code;
    if (r->quick && r->full) return complain(REFUSED, "--quick and --full exclude each other");
    a->units = !isinf(r->units) ? r->units : r->quick ? QUICK_UNITS : FULL_UNITS;
    for (size_t k = 0; k < r->nwords; k++) a->map |= is_map(r->words[k]);
    if (a->map && (r->pairs || r->methods))
        return complain(REFUSED,
                        "reproduce map: it has (batch, directions) and methods of its own; "
                        "--pairs and --methods do not fit");
    a->seeds = r->report_seeds ? r->report_seeds
               : a->map        ? MAP_SEEDS
               : r->quick      ? QUICK_SEEDS
                               : FULL_SEEDS;
    a->choose = a->map && r->seeds == 1 ? MAP_CHOOSE : r->seeds;
    if (a->seeds > MAX_SEEDS || r->seeds > MAX_SEEDS)
        return complain(REFUSED, "--seeds: more than %d of them", MAX_SEEDS);
    snprintf(a->folder, sizeof a->folder, "%s", r->out ? r->out : "reproduction");
    struct stat st;
    if (mkdir(a->folder, 0777) && errno != EEXIST)
        return complain(FAILED, "--out: '%s': %s", a->folder, strerror(errno));
    if (!stat(a->folder, &st) && !S_ISDIR(st.st_mode))
        return complain(REFUSED, "--out: '%s' is a file; a folder is wanted", a->folder);
    return DONE;
}

/* ---- One panel ------------------------------------------------------------------------------------------ */

static void label_of(line *l, const grid *g)
{
    grid_label(g, &l->set, l->label, sizeof l->label);
    if (!*l->label) snprintf(l->label, sizeof l->label, "auto");
}

static zo_settings base_settings(const panel *p, const char *method)
{
    zo_settings s = zo_defaults();
    snprintf(s.method, sizeof s.method, "%s", method);
    s.radius = 1e-3; /* Table 2 */
    s.batch = (double)(p->batch < p->study.n ? p->batch : p->study.n);
    s.directions = (double)p->directions;
    if (!strcmp(method, "zpdvr") && p->set->periodic) s.refresh = ZO_PERIODIC;
    return s;
}

static int report_line(reproduction *a, panel *p, line *l, const char *title)
{
    double every = a->units / ROWS;
    l->seeds = a->seeds;
    l->t = calloc(a->seeds, sizeof *l->t);
    if (!l->t) return complain(FAILED, "reproduce: out of memory");
    int code = study_report(&p->study, title, &l->set, 1, a->seeds, a->units, every, l->t);
    if (!code && ranks_me() == 0) code = line_load(p, l); /* what is drawn is in the store */
    if ((code = ranks_agree(code))) return code;
    p->nlines++;
    return DONE;
}

/* pgd's grids are small, and a ninth of a budget may be a step or two of it, by which nothing can be judged. */
static int halves(const reproduction *a, size_t which)
{
    return (a->asked->halving || a->map) && strcmp(paper_methods[which], "pgd") != 0;
}

/* What was tried, and how, as the store keeps it: choices at two (batch, directions) are two. */
static void chosen_from(const panel *p, size_t which, int halving, char *text, size_t size)
{
    snprintf(text, size, "%s", p->set->grid[which]);
    if (strcmp(paper_methods[which], "pgd"))
        snprintf(text + strlen(text), size - strlen(text), "; batch %llu, directions %llu",
                 (unsigned long long)p->batch, (unsigned long long)p->directions);
    if (halving) snprintf(text + strlen(text), size - strlen(text), "; by halving");
}

/* Chooses by the appendix's grid, then reports. */
static int paper_line(reproduction *a, panel *p, size_t which)
{
    line *l = &p->line[p->nlines];
    char title[160], from[320];
    grid g;
    zo_settings base = base_settings(p, paper_methods[which]);
    int code = grid_parse(&g, p->set->grid[which], &base);
    if (code) return code;
    zo_settings *set = calloc(g.count, sizeof *set);
    if (!set) return complain(FAILED, "reproduce: out of memory");
    for (size_t k = 0; k < g.count; k++) set[k] = base, grid_at(&g, k, &set[k]);
    snprintf(l->method, sizeof l->method, "%s", paper_methods[which]);
    snprintf(title, sizeof title, "%s, %s", p->title, l->method);
    code = study_choose(&p->study, title, set, g.count, 1, a->choose, a->units, a->units / ROWS,
                        halves(a, which) ? 3 : 1, &l->choice, NULL);
    if (!code && isfinite(l->choice.score)) {
        l->set = set[l->choice.best];
        trial best = {.set = l->set, .units = a->units};
        label_of(l, &g);
        chosen_from(p, which, halves(a, which), from, sizeof from);
        if (ranks_me() == 0)
            code = runs_choice(a->store, &p->study, &best, from, l->choice.score, l->choice.tried,
                               l->choice.diverged);
        code = ranks_agree(code);
        if (!code) code = report_line(a, p, l, title);
    }
    free(set);
    grid_free(&g);
    return code;
}

static int other_line(reproduction *a, panel *p, const char *method)
{
    line *l = &p->line[p->nlines];
    char title[160];
    l->set = zo_defaults();
    snprintf(l->set.method, sizeof l->set.method, "%s", method);
    if (!strcmp(method, "zpvr") || loaded_print(method)) l->set = base_settings(p, method);
    if (!strcmp(method, "psvrg") || !strcmp(method, "saga") || !strcmp(method, "fista"))
        l->set.radius = 1e-3; /* the relatives of the paper's four, with its radius */
    snprintf(l->method, sizeof l->method, "%s", method);
    snprintf(l->label, sizeof l->label, "auto");
    snprintf(title, sizeof title, "%s, %s", p->title, method);
    return report_line(a, p, l, title);
}

static int is_papers(const char *method)
{
    for (size_t k = 0; k < PAPER_METHODS; k++)
        if (!strcmp(paper_methods[k], method)) return 1;
    return 0;
}

static int fill_panel(reproduction *a, panel *p)
{
    size_t count;
    const char *const *others = paper_others(&count);
    const char *list = a->asked->methods;
    int code = study_begin(&p->study);
    for (size_t k = 0; k < PAPER_METHODS && !code; k++)
        if (wanted(a->asked, paper_methods[k])) code = paper_line(a, p, k);
    for (size_t k = 0; k < count && !list && !a->map && !code; k++)
        code = other_line(a, p, others[k]);
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t k = 0; k < count && list && !code; k++)
        if (in_list(list, rows[k].name) && !is_papers(rows[k].name))
            code = other_line(a, p, rows[k].name);
    const char *own;
    for (size_t k = 0; !a->map && !code && (own = loaded_at(k)); k++)
        if (wanted(a->asked, own)) code = other_line(a, p, own);
    return code;
}

/* ---- One data set ----------------------------------------------------------------------------------------- */

static int open_panel(reproduction *a, const paper_set *set, const char *source, const request *r,
                      const task *s, size_t k)
{
    panel *p = calloc(1, sizeof *p);
    if (!p) return complain(FAILED, "reproduce: out of memory");
    a->panel[a->npanels++] = p;
    p->set = set;
    p->units = a->units;
    p->halving = a->asked->halving || a->map;
    p->all_four = 1;
    for (size_t m = 0; m < PAPER_METHODS; m++) p->all_four &= wanted(a->asked, paper_methods[m]);
    p->batch = a->batch[k];
    p->directions = a->directions[k];
    study_name(&p->study, r, s);
    p->study.store = a->store;
    snprintf(p->name, sizeof p->name, "%s", source);
    p->study.name = p->name;
    snprintf(p->title, sizeof p->title, "%s, batch %llu, directions %llu", source,
             (unsigned long long)p->batch, (unsigned long long)p->directions);
    return fill_panel(a, p);
}

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

static int panels_of(reproduction *a, const paper_set *set, const char *name, request *r, task *s)
{
    int code = DONE;
    if (a->map) a->npairs = map_cells(s->problem.n, s->problem.d, a->batch, a->directions);
    for (size_t k = 0; k < a->npairs && !code && a->npanels < MAX_PANELS; k++)
        code = open_panel(a, set, name, r, s, k);
    return code;
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
    size_t every = a->asked->quick && set->quick ? set->quick : 1;
    if (r.rows) every = (s.problem.n + r.rows - 1) / (size_t)r.rows;
    snprintf(name, sizeof name, every > 1 ? "%s, every %zuth row" : "%s", source, every);
    if (every > 1) {
        task cut = s;
        zo_error err;
        cut.model = NULL;
        code = sample_rows(&thin, s.data, every);
        if (!code && zo_model_new(&cut.model, thin.data, r.loss, r.l2, 1, &cut.problem, &err))
            code = complain_of(&err);
        code = ranks_agree(code);
        cut.problem.psi = s.problem.psi;
        cut.data = thin.data;
        r.words[0] = name;
        if (!code) code = panels_of(a, set, name, &r, &cut);
        zo_model_free(cut.model);
    } else
        code = panels_of(a, set, name, &r, &s);
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
    if (!code && shown) fwrite(d->text, 1, d->size, stdout);
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

static int reproduce_all(reproduction *a)
{
    const request *r = a->asked;
    size_t count;
    int code = DONE;
    const paper_set *sets = paper_sets(&count);
    for (size_t k = 0; k < count && !code; k++) {
        int named = 0;
        for (size_t w = 0; w < r->nwords; w++) named |= !strcmp(r->words[w], sets[k].name);
        int all = r->nwords == 0 || (a->map && r->nwords == 1);
        all &= sets[k].quick != SET_FURTHER;
        if (named || (all && (!r->quick || sets[k].quick))) code = reproduce_set(a, &sets[k]);
    }
    for (size_t w = 0; w < r->nwords && !code; w++)
        if (is_theory(r->words[w]) && ranks_me() == 0) code = run_theory(a, r->words[w]);
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

/* Printed, and kept as DIR/map.md and DIR/map-SET.svg. */
static int leave_map(const reproduction *a)
{
    draft d;
    int code = draft_open(&d);
    if (code) return code;
    code = map_leave(d.out, a->store, a->folder, a->panel, a->npanels);
    return draft_close(&d, a, "map", code, 1);
}

static int leave(const reproduction *a)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/report.html", a->folder);
    int code = a->map ? leave_map(a) : a->npanels ? write_summary(a) : DONE;
    if (!code && !a->map) code = figure_draw(a->folder, a->panel, a->npanels, a->asked->quiet);
    if (!code) code = page_write(a->store, NULL, path);
    if (code) return code;
    if (a->map && !a->asked->json) {
        printf("Left in %s: report.html, map.md, map-SET.svg\n", a->folder);
        return finish_output(DONE);
    }
    if (a->asked->json) return finish_output(print_json(summary_json(a->panel, a->npanels)));
    summary_print(stdout, a->panel, a->npanels);
    printf("Left in %s: report.html%s\n", a->folder,
           a->npanels ? ", summary.md, figure.svg, figure.png, figure.pdf" : "");
    return finish_output(DONE);
}

static void release(reproduction *a)
{
    for (size_t k = 0; k < a->npanels; k++) {
        for (size_t m = 0; m < a->panel[k]->nlines; m++) free(a->panel[k]->line[m].t);
        free(a->panel[k]);
    }
    runs_close(a->store);
}

int command_reproduce(int argc, char **argv)
{
    request r;
    reproduction a = {.asked = &r};
    char path[4200];
    int code = request_parse(&r, argc, argv);
    if (!code) code = check(&a);
    code = ranks_agree(code);
    if (!code) code = ranks_same_line(&r);
    if (!code) code = ranks_group(&r);
    if (code) return code;
    snprintf(path, sizeof path, "%s/zoprox.runs", a.folder);
    catch_signals();
    if (ranks_me() == 0) code = runs_open(&a.store, r.store ? r.store : path, 1);
    code = ranks_agree(code);
    if (!code) code = reproduce_all(&a);
    int nothing = a.skipped && a.npanels == 0;
    if (!code && ranks_me() == 0) code = nothing ? FAILED : leave(&a);
    release(&a);
    return code;
}
