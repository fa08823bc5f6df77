/* What a reproduction found: the gaps at a few budgets, the winner at each, and the claim.
 * SPDX-License-Identifier: MIT */
#include "study/paper.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "study/rank.h"

static int in_paper(const line *l)
{
    for (size_t k = 0; k < PAPER_METHODS; k++)
        if (!strcmp(paper_methods[k], l->method)) return 1;
    return 0;
}

verdict panel_verdict(const panel *p, size_t mark)
{
    verdict v = {0};
    double least = INFINITY, gap[MAX_SEEDS];
    for (size_t k = 0; k < p->nlines; k++) {
        const line *l = &p->line[k];
        memcpy(gap, l->marked[mark], l->seeds * sizeof *gap);
        double middle = median_of(gap, l->seeds);
        if (in_paper(l) && middle < least) v.best = l, least = middle;
    }
    for (size_t k = 0; k < p->nlines && v.best; k++) {
        const line *l = &p->line[k];
        if (l == v.best || !in_paper(l)) continue;
        if (rank_test(l->marked[mark], l->seeds, v.best->marked[mark], v.best->seeds) > RANK_TIE)
            v.tie[v.nties++] = l;
    }
    return v;
}

static int names(const verdict *v, const char *method)
{
    int found = !strcmp(v->best->method, method);
    for (size_t k = 0; k < v->nties; k++) found |= !strcmp(v->tie[k]->method, method);
    return found;
}

static void print_line(FILE *out, const panel *p, const line *l)
{
    fprintf(out, "| %s%s | %s |", l->name, in_paper(l) ? "" : " (not in the paper's figure)",
            l->label);
    double marks[MAX_MARKS];
    size_t count = marks_of(p->units, marks);
    for (size_t m = 0; m < count; m++) {
        double middle = line_at(l, marks[m], l->middle);
        if (isnan(middle))
            fprintf(out, " - |");
        else
            fprintf(out, " %.1e (%.1e..%.1e) |", middle, line_at(l, marks[m], l->low),
                    line_at(l, marks[m], l->high));
    }
    if (l->choice.tried)
        fprintf(out, " %zu of %zu |\n", l->choice.diverged, l->choice.tried);
    else
        fprintf(out, " nothing tried |\n");
}

/* Best: ahead, or tied with whoever has the least median, at every mark. */
static void print_claim(FILE *out, const panel *p)
{
    double marks[MAX_MARKS];
    size_t count = marks_of(p->units, marks);
    fprintf(out,
            "\nAhead among the paper's methods (medians of %zu report seeds; a tie where the rank "
            "test has p > %g):",
            p->line[0].seeds, RANK_TIE);
    int all = 1, any = 0;
    for (size_t m = 0; m < count; m++) {
        verdict v = panel_verdict(p, m);
        if (!v.best) continue;
        fprintf(out, "%s %s", any ? "," : "", v.best->method);
        for (size_t k = 0; k < v.nties; k++) fprintf(out, " = %s", v.tie[k]->method);
        fprintf(out, " at %g units", marks[m]);
        all &= names(&v, "zpdvr");
        any = 1;
    }
    fprintf(out, ". \"ZPDVR is best\" %s here.\n\n",
            !p->all_four || !any ? "cannot be judged"
            : all                ? "holds (ties included)"
                                 : "does not hold");
}

static const line *line_of(const panel *p, const char *method)
{
    for (size_t k = 0; k < p->nlines; k++)
        if (!strcmp(p->line[k].method, method)) return &p->line[k];
    return NULL;
}

/* The version that works beside the one as written. */
static void print_zpvr(FILE *out, const panel *p)
{
    const line *own = line_of(p, "zpvr"), *other = line_of(p, "zpdvr");
    double marks[MAX_MARKS];
    size_t count = own && other ? marks_of(p->units, marks) : 0;
    for (size_t m = 0; m < count; m++)
        fprintf(out, "%s %.2g at %g units%s", m ? "," : "zpvr and zpdvr by the rank test: p =",
                rank_test(own->marked[m], own->seeds, other->marked[m], other->seeds), marks[m],
                m + 1 < count ? "" : ".\n\n");
}

void summary_print(FILE *out, panel *const *p, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        fprintf(out,
                "### %s\n\nn %zu, d %zu, l1 %g, l2 %g, radius %s, F* = %.12g (at most %.1e above "
                "the least)\n\n",
                p[k]->title, p[k]->study.n, p[k]->study.d, p[k]->set->l1, p[k]->set->l2,
                PAPER_RADIUS, p[k]->study.optimum, p[k]->study.known);
        if (p[k]->halving)
            fprintf(
                out,
                "Settings were chosen by successive halving over the grids, those of pgd by all of "
                "its grid.\n\n");
        if (p[k]->beyond) fprintf(out, BEYOND);
        fprintf(out, "| gap at units: median (quartiles) | settings |");
        double marks[MAX_MARKS];
        size_t columns = marks_of(p[k]->units, marks);
        for (size_t m = 0; m < columns; m++) fprintf(out, " %g |", marks[m]);
        fprintf(out, " diverged trials |\n|---|---|");
        for (size_t m = 0; m <= columns; m++) fprintf(out, "---|");
        fprintf(out, "\n");
        for (size_t m = 0; m < p[k]->nlines; m++) print_line(out, p[k], &p[k]->line[m]);
        print_claim(out, p[k]);
        print_zpvr(out, p[k]);
    }
}

static json_t *line_json(const panel *p, const line *l)
{
    json_t *one = json_object(), *gaps = json_object();
    double marks[MAX_MARKS];
    size_t count = marks_of(p->units, marks);
    for (size_t m = 0; m < count; m++) {
        char name[16];
        snprintf(name, sizeof name, "%g", marks[m]);
        json_object_set_new(gaps, name, json_number(line_at(l, marks[m], l->middle)));
    }
    json_object_set_new(one, "method", json_string(l->method));
    json_object_set_new(one, "settings", json_string(l->label));
    json_object_set_new(one, "seeds", json_integer((json_int_t)l->seeds));
    json_object_set_new(one, "tried", json_integer((json_int_t)l->choice.tried));
    json_object_set_new(one, "diverged", json_integer((json_int_t)l->choice.diverged));
    json_object_set_new(one, "gap", gaps);
    return one;
}

json_t *summary_json(panel *const *p, size_t count)
{
    json_t *all = json_array();
    for (size_t k = 0; k < count; k++) {
        json_t *one = json_object(), *lines = json_array();
        for (size_t m = 0; m < p[k]->nlines; m++)
            json_array_append_new(lines, line_json(p[k], &p[k]->line[m]));
        json_object_set_new(one, "title", json_string(p[k]->title));
        json_object_set_new(one, "set", json_string(p[k]->name));
        json_object_set_new(one, "optimum", json_number(p[k]->study.optimum));
        json_object_set_new(one, "methods", lines);
        json_array_append_new(all, one);
    }
    return all;
}
