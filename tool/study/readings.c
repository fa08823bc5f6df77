/* The readings of Algorithm 1 on data: what each comes to at a few budgets, and what a step of it costs.
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

int readings_leave(FILE *out, runs *store, panel *const *p, size_t count)
{
    int code = DONE;
    for (size_t k = 0; k < count && !code; k++) code = leave_panel(out, store, p[k]);
    return code;
}
