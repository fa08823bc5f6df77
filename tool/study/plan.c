/* From words and options to what is run.
 * SPDX-License-Identifier: MIT */
#include "study/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "method/load.h"

enum {
    QUICK_UNITS = 20,
    FULL_UNITS = 100,
    QUICK_SEEDS = 3,
    FULL_SEEDS = 5,
    MAP_SEEDS = 21,
    MAP_CHOOSE = 5,
    LONG_UNITS = 81 /* from here on a map's first rung has a 27th, which is 3 units at least */
};

/* ---- Curves --------------------------------------------------------------------------------------------- */

static const char *next_name(const char *list)
{
    const char *comma = strchr(list, ',');
    return comma ? comma + 1 : NULL;
}

static int in_list(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *p = list; p; p = next_name(p))
        if (strcspn(p, ",") == length && !strncmp(p, name, length)) return 1;
    return 0;
}

/* Any method will do: the paper's four are tuned by its grids, the others run with automatic settings. */
static int check_methods(const char *list)
{
    size_t listed = 0;
    int code = DONE;
    for (const char *p = list; p && !code; p = next_name(p)) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(p, ","), p);
        code = check_method("--methods", name);
        if (!code && ++listed > MAX_LINES)
            code = complain(REFUSED, "--methods: more than %d of them", MAX_LINES);
    }
    return code;
}

static void add_curve(plan *p, const char *method, int row, const char *reading)
{
    p->curve[p->ncurves++] = (curve){method, row, reading};
}

static int grid_of(const char *method)
{
    for (int k = 0; k < PAPER_METHODS; k++)
        if (!strcmp(paper_methods[k], method)) return k;
    return -1;
}

/* The paper's methods, then the others: those that are listed, or else some that its figure does not show; --load's. */
static void add_methods(plan *p, const char *list)
{
    size_t count;
    for (int k = 0; k < PAPER_METHODS; k++)
        if (!list || in_list(list, paper_methods[k])) add_curve(p, paper_methods[k], k, NULL);
    const char *const *others = paper_others(&count);
    for (size_t k = 0; k < count && !list && p->kind == PLAN_FIGURE; k++)
        add_curve(p, others[k], -1, NULL);
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t k = 0; k < count && list; k++)
        if (in_list(list, rows[k].name) && grid_of(rows[k].name) < 0)
            add_curve(p, rows[k].name, -1, NULL);
    const char *own; /* methods from outside */
    for (size_t k = 0; p->kind == PLAN_FIGURE && p->ncurves < MAX_LINES && (own = loaded_at(k));
         k++)
        if (!list || in_list(list, own)) add_curve(p, own, -1, NULL);
}

static void add_readings(plan *p)
{
    static const char *const readings[] = {"written", "redrawn", "literal", "new", "memory"};
    for (size_t k = 0; k < sizeof readings / sizeof readings[0]; k++)
        add_curve(p, "zpdvr", grid_of("zpdvr"), readings[k]);
}

/* ---- Cells and seeds ------------------------------------------------------------------------------------ */

/* "1024x50,128x10" */
static int parse_pairs(plan *p, const char *text)
{
    for (const char *at = text; at; at = next_name(at)) {
        char batch[24], directions[24];
        size_t k = p->npairs;
        if (k == MAP_CELLS) return complain(REFUSED, "--pairs: more than %d of them", MAP_CELLS);
        if (sscanf(at, "%20[0-9]x%20[0-9]", batch, directions) != 2 ||
            strlen(batch) + 1 + strlen(directions) != strcspn(at, ",") ||
            !text_whole(batch, &p->batch[k]) || !text_whole(directions, &p->directions[k]) ||
            !p->batch[k] || !p->directions[k])
            return complain(
                REFUSED, "--pairs: '%s' is not BATCHxDIRECTIONS,..., such as 1024x50,128x10", text);
        p->npairs++;
    }
    return DONE;
}

static int choose_pairs(plan *p)
{
    if (p->asked->pairs) return parse_pairs(p, p->asked->pairs);
    if (p->kind == PLAN_MAP) return DONE;
    return parse_pairs(p, p->asked->quick ? "1024x50" : "1024x50,128x10");
}

static int choose_seeds(plan *p)
{
    const request *r = p->asked;
    int map = p->kind == PLAN_MAP;
    p->seeds = r->report_seeds ? r->report_seeds
               : map           ? MAP_SEEDS
               : r->quick      ? QUICK_SEEDS
                               : FULL_SEEDS;
    p->choose = map && r->seeds == 1 ? MAP_CHOOSE : r->seeds;
    if (p->seeds > MAX_SEEDS || p->choose > MAX_SEEDS)
        return complain(REFUSED, "--seeds: more than %d of them", MAX_SEEDS);
    return DONE;
}

int plan_make(plan *p, const request *r, enum plan_kind kind)
{
    *p = (plan){.kind = kind, .asked = r};
    if (kind != PLAN_FIGURE && r->methods)
        return complain(REFUSED, "reproduce %s: it has methods of its own; --methods does not fit",
                        kind == PLAN_MAP ? "map" : "readings");
    p->units = !isinf(r->units) ? r->units : r->quick ? QUICK_UNITS : FULL_UNITS;
    p->halving = r->halving || kind == PLAN_MAP;
    p->rungs = kind == PLAN_MAP && p->units >= LONG_UNITS ? 4 : 3;
    int code = check_methods(r->methods);
    if (!code) code = choose_pairs(p);
    if (!code) code = choose_seeds(p);
    if (!code && kind == PLAN_READINGS)
        add_readings(p);
    else if (!code)
        add_methods(p, r->methods);
    return code;
}
