/* Curves: the gap over units as quartiles over seeds, from the rows in the store.
 * SPDX-License-Identifier: MIT */
#include "study/paper.h"

#include <math.h>
#include <stdlib.h>

#define LEAST 1e-16 /* gaps below are rounding */

typedef struct points {
    double *units, *gap;
    size_t count;
} points;

/* log gap is drawn straight between rows; NaN behind the last one unless the method had ended there. */
static double look(const points *p, double units, int ended)
{
    if (p->count == 0) return NAN;
    if (units >= p->units[p->count - 1]) return ended ? p->gap[p->count - 1] : NAN;
    size_t k = 1;
    while (k < p->count && p->units[k] < units) k++;
    double a = p->units[k - 1], b = p->units[k], part = b > a ? (units - a) / (b - a) : 1;
    return p->gap[k - 1] * pow(p->gap[k] / p->gap[k - 1], part);
}

static double quantile(const double *v, size_t count, double q)
{
    double at = q * (double)(count - 1);
    size_t k = (size_t)at;
    return k + 1 < count ? v[k] + (at - (double)k) * (v[k + 1] - v[k]) : v[k];
}

static int add_point(void *ctx, double units, double gap)
{
    points *p = ctx;
    double *u = realloc(p->units, (p->count + 1) * sizeof *u);
    if (u) p->units = u;
    double *g = realloc(p->gap, (p->count + 1) * sizeof *g);
    if (g) p->gap = g;
    if (!u || !g) return complain(FAILED, "reproduce: out of memory for a curve");
    u[p->count] = units;
    g[p->count++] = gap > LEAST ? gap : LEAST;
    return DONE;
}

size_t marks_of(double units, double mark[MAX_MARKS])
{
    static const double digit[] = {1, 2, 5};
    size_t count = 0;
    for (int k = 2; k < 30 && count + 1 < MAX_MARKS; k++) { /* 5, 10, 20, 50, 100, ... */
        double at = digit[k % 3] * pow(10, k / 3);
        if (at >= units * (1 - 1e-12)) break;
        if (at >= units / ROWS) mark[count++] = at; /* below, no row tells */
    }
    mark[count++] = units;
    return count;
}

static void mark_seeds(line *l, const points *p, double units)
{
    double mark[MAX_MARKS];
    size_t count = marks_of(units, mark);
    for (size_t m = 0; m < count; m++)
        for (size_t s = 0; s < l->seeds; s++) {
            double gap = look(&p[s], mark[m], l->t[s].status == TRIAL_OK);
            l->marked[m][s] = isnan(gap) ? INFINITY : gap; /* diverged */
        }
}

static void summarize(line *l, const points *p, double units)
{
    double v[MAX_SEEDS];
    for (size_t k = 0; k < CURVE_POINTS; k++) {
        size_t count = 0;
        l->units[k] = units * (double)k / (CURVE_POINTS - 1);
        for (size_t s = 0; s < l->seeds; s++) {
            double gap = look(&p[s], l->units[k], l->t[s].status == TRIAL_OK);
            if (!isnan(gap)) v[count++] = gap;
        }
        l->low[k] = l->middle[k] = l->high[k] = NAN;
        if (count < l->seeds) continue; /* quartiles are of all seeds or not at all */
        l->middle[k] = median_of(v, count);
        l->low[k] = quantile(v, count, 0.25);
        l->high[k] = quantile(v, count, 0.75);
    }
}

int line_load(const panel *p, line *l)
{
    points *of = calloc(l->seeds, sizeof *of);
    int code = of ? DONE : complain(FAILED, "reproduce: out of memory for a curve");
    for (size_t s = 0; s < l->seeds && !code; s++)
        code = runs_gaps(p->study.store, l->t[s].id, add_point, &of[s]);
    if (!code) mark_seeds(l, of, p->units);
    if (!code) summarize(l, of, p->units);
    for (size_t s = 0; s < l->seeds && of; s++) free(of[s].units), free(of[s].gap);
    free(of);
    return code;
}

double line_at(const line *l, double units, const double *which)
{
    size_t last = CURVE_POINTS - 1;
    double at = units / l->units[last] * (double)last;
    if (at > (double)last * (1 + 1e-12)) return NAN;
    size_t k = (size_t)(at + 1e-9);
    double part = at - (double)k;
    if (part < 1e-9 || k == last) return which[k];
    return which[k] * pow(which[k + 1] / which[k], part);
}
