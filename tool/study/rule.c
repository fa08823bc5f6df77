/* The rule behind the map, without a look at any gap.
 * SPDX-License-Identifier: MIT
 *
 * With steps eta that are small enough a method follows the flow x' = -grad F, whatever it is made of, for a time of eta a
 * step. So ahead is who goes farthest for n d queries, over the grid's settings that are stable:
 *
 *     farthest = max eta (n d/price of a step) (1 - frozen/2)       where frozen < 2 and noise < 2
 *     frozen   = eta steps trace/q       steps for which directions are frozen: 1/p of zpdvr, m of zpsvrg; none otherwise
 *     noise    = eta (trace/q + top + each (d+q+1)/(q B))           of one step; of pgd eta top
 *
 * trace and top are the mean Hessian's at x = 0, where that of a logistic loss is largest, each that of a component. The limit
 * is that of quadratics, in mean square: a step of x - eta uu'Hx is stable where eta (trace/q + top) < 2, and m steps along
 * the same directions multiply E|x|^2 by 1 - 2 m eta (1 - frozen/2), to first order in m eta. Nothing is fitted to a map;
 * which of the maps were known when this rule was chosen is said in docs/reproduction.md. */
#include "study/rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/rank.h"
#include "study/theory.h"

#define LIMIT 2

/* One setting of a method with a step of 1: what it costs, and what it puts up with. */
typedef struct move {
    double price, frozen, noise;
} move;

static move move_of(const panel *p, const zo_settings *s)
{
    double n = (double)p->study.n, d = (double)p->study.d, q = fmin(s->directions, d),
           B = fmin(s->batch, n), inner = 2 * B * (q + 1);
    const spectrum *at = &p->spectrum;
    double alone = at->trace / q + at->top, sampled = alone + at->each * (d + q + 1) / (q * B);
    if (!strcmp(s->method, "pgd")) return (move){n * (d + 1), 0, at->top};
    if (!strcmp(s->method, "sega")) return (move){n * (q + 1), 0, alone};
    if (!strcmp(s->method, "zpsvrg"))
        return (move){inner + n * (q + 1) / s->epoch, s->epoch * at->trace / q, sampled};
    double rate = s->refresh > 0 ? s->refresh : 1 / ceil(n / B);
    return (move){inner + rate * n * (2 * q + 1), at->trace / (rate * q), sampled};
}

/* The farthest of a method in its cell; 0 where no setting of its grid is stable, NaN after a line. */
static double farthest(const panel *p, int which)
{
    grid g;
    double best = 0;
    zo_settings base = zo_defaults();
    snprintf(base.method, sizeof base.method, "%s", paper_methods[which]);
    base.batch = (double)p->batch;
    base.directions = (double)p->directions;
    if (p->set->periodic) base.refresh = ZO_PERIODIC;
    if (grid_parse(&g, p->set->grid[which], &base)) return NAN;
    for (size_t k = 0; k < g.count; k++) {
        zo_settings s = base;
        grid_at(&g, k, &s);
        move m = move_of(p, &s);
        double frozen = s.step * m.frozen / LIMIT;
        if (frozen >= 1 || s.step * m.noise >= LIMIT) continue;
        best =
            fmax(best, s.step * (double)p->study.n * (double)p->study.d / m.price * (1 - frozen));
    }
    grid_free(&g);
    return best;
}

/* zpdvr's over the best other's; above 1 it is foretold to be ahead. */
static double foretold(const panel *p)
{
    double own = NAN, other = 0;
    for (int k = 0; k < PAPER_METHODS; k++) {
        double far = farthest(p, k);
        if (!strcmp(paper_methods[k], "zpdvr"))
            own = far;
        else
            other = fmax(other, far);
    }
    return own / other;
}

/* Spearman's: the correlation of ranks, ties by halves. */
static double rank_correlation(const double *x, const double *y, size_t count)
{
    double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0, n = (double)count;
    for (size_t i = 0; i < count; i++) {
        double rx = 0, ry = 0;
        for (size_t j = 0; j < count; j++) {
            rx += x[j] < x[i] ? 1 : x[j] == x[i] ? 0.5 : 0;
            ry += y[j] < y[i] ? 1 : y[j] == y[i] ? 0.5 : 0;
        }
        sx += rx, sy += ry, sxx += rx * rx, syy += ry * ry, sxy += rx * ry;
    }
    return (sxy - sx * sy / n) / sqrt((sxx - sx * sx / n) * (syy - sy * sy / n));
}

int rule_leave(FILE *out, runs *store, panel *const *p, size_t count)
{
    double mark[MAX_MARKS], told[MAP_CELLS], seen[MAP_CELLS];
    size_t which[MAX_MARKS], last = map_marks(p[0]->units, mark, which) - 1, known = 0, right = 0,
                             decided = 0, ahead = 0;
    facts f = {0};
    char name[MAP_TITLE + 8], title[MAP_TITLE];
    for (size_t k = 0; k < count && known < MAP_CELLS; k++) {
        cell c = map_cell(p[k], which[last]);
        double t = foretold(p[k]);
        if (isnan(c.ratio) || !isfinite(t)) continue;
        snprintf(name, sizeof name, "batch %llu, directions %llu", (unsigned long long)p[k]->batch,
                 (unsigned long long)p[k]->directions);
        fact_add(&f, name, "farthest: zpdvr over the best other", t);
        fact_add(&f, name, "gap: the best other over zpdvr", 1 / c.ratio);
        fact_add(&f, name, "tie", c.tie);
        told[known] = t;
        seen[known++] = 1 / c.ratio;
        if (c.tie) continue;
        decided++;
        ahead += c.ratio < 1;
        right += (t > 1) == (c.ratio < 1);
    }
    double together = known > 2 ? rank_correlation(told, seen, known) : NAN;
    fact_add(&f, "all cells", "foretold rightly", (double)right);
    fact_add(&f, "all cells", "of cells that are no tie", (double)decided);
    fact_add(&f, "all cells", "of them zpdvr ahead", (double)ahead);
    fact_add(&f, "all cells", "rank correlation", together);
    map_title(p[0], title, sizeof title);
    snprintf(name, sizeof name, "rule on %s", title);
    int code = f.failed ? complain(FAILED, "reproduce: out of memory") : DONE;
    if (!code) code = runs_facts_put(store, name, &f);
    if (!code)
        fprintf(out,
                "The rule (trace %.3g, top %.3g, each %.3g at x = 0), at %g units: of %zu cells "
                "that are no tie, "
                "%zu with zpdvr ahead, %zu are foretold rightly; rank correlation of what is "
                "foretold and measured over all %zu: %.2f.\n\n",
                p[0]->spectrum.trace, p[0]->spectrum.top, p[0]->spectrum.each, mark[last], decided,
                ahead, right, known, together);
    free(f.v);
    return code;
}
