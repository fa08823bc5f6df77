/* Panels: the curves of a plan on one data set, at each of its (batch, directions).
 * SPDX-License-Identifier: MIT */
#include "study/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/load.h"

enum { MOST_BEYOND = 6 }; /* steps beyond the ends of a grid, with --beyond */

static zo_settings base_settings(const panel *p, const curve *c)
{
    zo_settings s = zo_defaults();
    snprintf(s.method, sizeof s.method, "%s", c->method);
    s.radius = 1e-3; /* Table 2 */
    s.batch = (double)(p->batch < p->study.n ? p->batch : p->study.n);
    s.directions = (double)p->directions;
    if (!strcmp(c->method, "zpdvr") && p->set->periodic) s.refresh = ZO_PERIODIC;
    if (c->reading) zo_set(&s, "reading", c->reading, NULL);
    return s;
}

static int report_line(const plan *a, panel *p, line *l, const char *title)
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
static int halves(const plan *a, const curve *c)
{
    return a->halving && strcmp(c->method, "pgd") != 0;
}

/* What was tried, and how, as the store keeps it: choices at two (batch, directions) are two. */
static void chosen_from(const plan *a, const panel *p, const curve *c, char *text, size_t size)
{
    snprintf(text, size, "%s", p->set->grid[c->grid]);
    if (c->reading) snprintf(text + strlen(text), size - strlen(text), "; reading %s", c->reading);
    if (strcmp(c->method, "pgd"))
        snprintf(text + strlen(text), size - strlen(text), "; batch %llu, directions %llu",
                 (unsigned long long)p->batch, (unsigned long long)p->directions);
    if (halves(a, c)) snprintf(text + strlen(text), size - strlen(text), "; by halving");
    if (a->asked->beyond) snprintf(text + strlen(text), size - strlen(text), "; and beyond");
}

/* Settings that are tried: a grid's, and with --beyond such with steps beyond its ends. */
typedef struct tries {
    grid grid;
    zo_settings *set;
    size_t count;
} tries;

static int tries_open(tries *t, const char *text, const zo_settings *base)
{
    int code = grid_parse(&t->grid, text, base);
    if (code) return code;
    t->count = t->grid.count;
    t->set = calloc(t->count, sizeof *t->set);
    if (!t->set) return complain(FAILED, "reproduce: out of memory");
    for (size_t k = 0; k < t->count; k++) t->set[k] = *base, grid_at(&t->grid, k, &t->set[k]);
    return DONE;
}

static void tries_close(tries *t)
{
    free(t->set);
    grid_free(&t->grid);
}

/* sign -1: the least step that is tried; 1: the largest. */
static double end_of(const tries *t, int sign)
{
    double end = t->set[0].step;
    for (size_t k = 1; k < t->count; k++)
        if (sign * t->set[k].step > sign * end) end = t->set[k].step;
    return end;
}

/* Those at an end with the next step beyond it: 1e-3, 5e-4, 1e-4 or 1, 5, 10, as the grids go. */
static int tries_beyond(tries *t, int sign)
{
    double end = end_of(t, sign), digit = end / pow(10, floor(log10(end) + 1e-9));
    double next = sign > 0 ? end * (digit < 4.5 ? 5 : 2) : end / (digit < 4.5 ? 2 : 5);
    zo_settings *more = realloc(t->set, 2 * t->count * sizeof *more);
    if (!more) return complain(FAILED, "reproduce: out of memory");
    t->set = more;
    for (size_t k = 0, count = t->count; k < count; k++)
        if (more[k].step == end) {
            char text[32];
            more[t->count] = more[k];
            snprintf(text, sizeof text, "%.6g", next); /* 0.0005 itself, not 0.001/2 */
            zo_set(&more[t->count++], "step", text, NULL);
        }
    return DONE;
}

/* Where to go on: below where nothing is stable or the least step is best, above where the largest is; 0: nowhere. */
static int which_end(const tries *t, const choice *c)
{
    double step = t->set[c->best].step;
    if (!isfinite(c->score) || step == end_of(t, -1)) return -1;
    return step == end_of(t, 1);
}

static int choose(const plan *a, panel *p, const curve *c, line *l, const char *title, tries *t)
{
    int code = DONE, end = 0;
    for (int k = 0; k <= MOST_BEYOND && !code; k++) {
        if (end) code = tries_beyond(t, end);
        if (!code)
            code = study_choose(&p->study, title, t->set, t->count, 1, a->choose, a->units,
                                a->units / ROWS, halves(a, c) ? a->rungs : 1, &l->choice, NULL);
        if (code || !a->asked->beyond || !(end = which_end(t, &l->choice))) break;
    }
    return code;
}

/* Chooses by the appendix's grid, then reports. */
static int tuned_line(const plan *a, panel *p, const curve *c, line *l, const char *title)
{
    char from[384];
    tries t = {.set = NULL};
    zo_settings base = base_settings(p, c);
    int code = tries_open(&t, p->set->grid[c->grid], &base);
    if (!code) code = choose(a, p, c, l, title, &t);
    if (!code && isfinite(l->choice.score)) {
        l->set = t.set[l->choice.best];
        trial best = {.set = l->set, .units = a->units};
        grid_label(&t.grid, &l->set, l->label, sizeof l->label);
        chosen_from(a, p, c, from, sizeof from);
        if (ranks_me() == 0)
            code = runs_choice(a->store, &p->study, &best, from, l->choice.score, l->choice.tried,
                               l->choice.diverged);
        code = ranks_agree(code);
        if (!code) code = report_line(a, p, l, title);
    }
    tries_close(&t);
    return code;
}

static int other_line(const plan *a, panel *p, const curve *c, line *l, const char *title)
{
    l->set = zo_defaults();
    snprintf(l->set.method, sizeof l->set.method, "%s", c->method);
    if (!strcmp(c->method, "zpvr") || loaded_print(c->method)) l->set = base_settings(p, c);
    if (!strcmp(c->method, "psvrg") || !strcmp(c->method, "saga") || !strcmp(c->method, "fista"))
        l->set.radius = 1e-3; /* the relatives of the paper's four, with its radius */
    snprintf(l->label, sizeof l->label, "auto");
    return report_line(a, p, l, title);
}

static int add_line(const plan *a, panel *p, const curve *c)
{
    line *l = &p->line[p->nlines];
    char title[200];
    snprintf(l->method, sizeof l->method, "%s", c->method);
    snprintf(l->name, sizeof l->name, "%s%s%s", c->method, c->reading ? ", " : "",
             c->reading ? c->reading : "");
    snprintf(title, sizeof title, "%s, %s", p->title, l->name);
    return (c->grid < 0 ? other_line : tuned_line)(a, p, c, l, title);
}

static int has_all_four(const plan *a)
{
    size_t found = 0;
    for (size_t k = 0; k < a->ncurves; k++) found += a->curve[k].grid >= 0 && !a->curve[k].reading;
    return found == PAPER_METHODS;
}

static int run_panel(const plan *a, panel *p)
{
    int code = study_begin(&p->study);
    for (size_t k = 0; k < a->ncurves && !code; k++) code = add_line(a, p, &a->curve[k]);
    return code;
}

int plan_run(const plan *a, const paper_set *set, const char *name, const request *r, const task *s,
             panel **panels, size_t *count)
{
    uint64_t batch[MAP_CELLS], directions[MAP_CELLS];
    size_t cells = a->npairs;
    memcpy(batch, a->batch, sizeof batch);
    memcpy(directions, a->directions, sizeof directions);
    if (!cells) cells = map_cells(s->problem.n, s->problem.d, batch, directions);
    int code = DONE;
    spectrum at = a->kind == PLAN_MAP ? spectrum_of(s->data) : (spectrum){0, 0, 0};
    for (size_t k = 0; k < cells && !code && *count < MAX_PANELS; k++) {
        panel *p = calloc(1, sizeof *p);
        if (!p) return complain(FAILED, "reproduce: out of memory");
        panels[(*count)++] = p;
        p->set = set;
        p->units = a->units;
        p->halving = a->halving;
        p->beyond = a->asked->beyond;
        p->all_four = has_all_four(a);
        p->batch = batch[k];
        p->directions = directions[k];
        p->spectrum = at;
        study_name(&p->study, r, s);
        p->study.store = a->store;
        snprintf(p->name, sizeof p->name, "%s", name);
        p->study.name = p->name;
        snprintf(p->title, sizeof p->title, "%s, batch %llu, directions %llu", name,
                 (unsigned long long)p->batch, (unsigned long long)p->directions);
        code = run_panel(a, p);
    }
    return code;
}
