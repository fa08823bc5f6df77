/* Panels: the curves of a plan on one data set, at each of its (batch, directions).
 * SPDX-License-Identifier: MIT */
#include "study/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/load.h"

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
}

/* Chooses by the appendix's grid, then reports. */
static int tuned_line(const plan *a, panel *p, const curve *c, line *l, const char *title)
{
    char from[384];
    grid g;
    zo_settings base = base_settings(p, c);
    int code = grid_parse(&g, p->set->grid[c->grid], &base);
    if (code) return code;
    zo_settings *set = calloc(g.count, sizeof *set);
    if (!set) return complain(FAILED, "reproduce: out of memory");
    for (size_t k = 0; k < g.count; k++) set[k] = base, grid_at(&g, k, &set[k]);
    code = study_choose(&p->study, title, set, g.count, 1, a->choose, a->units, a->units / ROWS,
                        halves(a, c) ? 3 : 1, &l->choice, NULL);
    if (!code && isfinite(l->choice.score)) {
        l->set = set[l->choice.best];
        trial best = {.set = l->set, .units = a->units};
        grid_label(&g, &l->set, l->label, sizeof l->label);
        chosen_from(a, p, c, from, sizeof from);
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
