/* The readings of Algorithm 1 on data: what each comes to at a few budgets, and what a step of it costs; and beside it for
 * which n it keeps the theorem's bound, where the store has that.
 * SPDX-License-Identifier: MIT */
#include "study/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/rank.h"
#include "study/theory.h"

static double middle_at(const line *l, size_t mark)
{
    double gap[MAX_SEEDS];
    memcpy(gap, l->marked[mark], l->seeds * sizeof *gap);
    double m = median_of(gap, l->seeds);
    return isinf(m) ? NAN : m; /* diverged */
}

/* Of all its report trials together. */
static double queries_a_step(const line *l)
{
    double queries = 0, steps = 0;
    for (size_t s = 0; s < l->seeds; s++) {
        queries += (double)l->t[s].queries;
        steps += (double)l->t[s].steps;
    }
    return queries / steps;
}

static void add_line(facts *f, const panel *p, const line *l)
{
    double mark[MAX_MARKS];
    size_t which[MAX_MARKS], count = map_marks(p->units, mark, which);
    const line *written = &p->line[0];
    char name[64];
    fact_add(f, l->name, "seeds", (double)l->seeds);
    fact_add(f, l->name, "queries a step", queries_a_step(l));
    for (size_t m = 0; m < count; m++) {
        snprintf(name, sizeof name, "gap at %g units", mark[m]);
        fact_add(f, l->name, name, middle_at(l, which[m]));
        snprintf(name, sizeof name, "p against written (%g)", mark[m]);
        if (l != written)
            fact_add(f, l->name, name,
                     rank_test(l->marked[which[m]], l->seeds, written->marked[which[m]],
                               written->seeds));
    }
}

static int leave_panel(FILE *out, runs *store, const panel *p)
{
    facts f = {0};
    char name[160];
    for (size_t k = 0; k < p->nlines; k++) add_line(&f, p, &p->line[k]);
    snprintf(name, sizeof name, "readings on %s", p->title);
    int code = f.failed ? complain(FAILED, "reproduce: out of memory") : DONE;
    if (!code) code = runs_facts_put(store, name, &f);
    if (!code) {
        fprintf(out,
                "### Readings of Algorithm 1 on %s\n\nn %zu, d %zu; each reading tuned by the "
                "appendix's grid of zpdvr%s, medians; p: the rank test against the reading as "
                "written. A reading all of whose trials diverged is left out.\n\n",
                p->title, p->study.n, p->study.d, p->halving ? " by halving" : "");
        facts_print(out, &f);
    }
    free(f.v);
    return code;
}

/* ---- Together ---------------------------------------------------------------------------------------------- */

static double fact_of(const facts *f, const char *row, const char *name)
{
    for (size_t k = 0; k < f->count; k++)
        if (!strcmp(f->v[k].line, row) && !strcmp(f->v[k].name, name)) return f->v[k].value;
    return NAN;
}

/* How many of the theory's n keep the bound after 20000 steps; NaN where that was not run. lyapunov says frozen for
 * written. */
static void add_bound(facts *to, const char *name, const char *reading, const facts *theory)
{
    static const int n[] = {15, 25, 35, 60, 100, 1000};
    char row[64], column[64];
    for (size_t k = 0; k < sizeof n / sizeof n[0]; k++) {
        snprintf(row, sizeof row, "n %d, %s", n[k],
                 strcmp(reading, "written") ? reading : "frozen");
        double bound = fact_of(theory, row, "k 20000: bound"),
               mean = fact_of(theory, row, "k 20000: mean");
        snprintf(column, sizeof column, "mean over bound, n %d", n[k]);
        fact_add(to, name, column, mean / bound);
    }
}

static void add_gaps(facts *f, const panel *p, const line *l)
{
    double mark[MAX_MARKS];
    size_t which[MAX_MARKS], count = map_marks(p->units, mark, which);
    char name[64];
    snprintf(name, sizeof name, "%.*s: queries a step", (int)strcspn(p->name, ","), p->name);
    fact_add(f, l->name, name, queries_a_step(l));
    for (size_t m = 0; m < count; m++) {
        if (mark[m] < 20) continue;
        snprintf(name, sizeof name, "%.*s: gap at %g", (int)strcspn(p->name, ","), p->name,
                 mark[m]);
        fact_add(f, l->name, name, middle_at(l, which[m]));
    }
}

/* One row a reading over all panels, which must have the same (batch, directions). */
static int leave_together(FILE *out, runs *store, panel *const *p, size_t count)
{
    facts f = {0}, theory = {0};
    int code = runs_facts_get(store, "lyapunov", &theory);
    if (!code) code = runs_facts_get(store, "readings", &theory);
    for (size_t m = 0; m < p[0]->nlines && !code; m++) {
        const char *name = p[0]->line[m].name;
        if (theory.count) add_bound(&f, name, name + strlen("zpdvr, "), &theory);
        for (size_t k = 0; k < count; k++)
            for (size_t j = 0; j < p[k]->nlines; j++)
                if (!strcmp(p[k]->line[j].name, name)) add_gaps(&f, p[k], &p[k]->line[j]);
    }
    if (!code && (f.failed || theory.failed)) code = complain(FAILED, "reproduce: out of memory");
    if (!code) code = runs_facts_put(store, "readings together", &f);
    if (!code) {
        fprintf(out,
                "### Readings together\n\nThe Lyapunov function's mean over Theorem 4.6's bound "
                "after 20000 steps (above 1 the bound fails), and medians on data.\n\n");
        facts_print(out, &f);
    }
    free(f.v);
    free(theory.v);
    return code;
}

int readings_leave(FILE *out, runs *store, panel *const *p, size_t count)
{
    int code = DONE;
    for (size_t k = 0; k < count && !code; k++) code = leave_panel(out, store, p[k]);
    return code || !count ? code : leave_together(out, store, p, count);
}
