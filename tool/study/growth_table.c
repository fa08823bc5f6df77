/* The complexity table, measured: how queries to a gap of 1e-4 grow with d, n and kappa.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "study/growth.h"

#include <math.h>
#include <stdlib.h>

/* The rows of Table 1, and zpvr. */
static const char *const methods[] = {"pgd", "psvrg", "sega", "zpdvr", "zpvr"};
enum { NMETHODS = 5 };
static const double every[] = {0.1, 0.1, 2, 20, 0.2}; /* units between two looks at F */

/* Steps as the theory has them where that is stable; for zpdvr what keeps it stable, eta L d/(p q) = 0.3; for zpvr four
 * times what its theorem asks. */
static double step_of(size_t method, growth_size at)
{
    double n = (double)at.n, d = (double)at.d,
           step[] = {1, 0.25, 0.25 / d, 0.3 / (n * d), 0.5 / ((d + 2) * COMPONENT_TOP)};
    return step[method];
}

static int is_additive(size_t method) { return method == 1 || method >= 3; }

/* What Table 1 states, up to a constant. */
static double stated(size_t method, growth_size at)
{
    double n = (double)at.n, d = (double)at.d;
    return is_additive(method) ? d * (n + at.kappa) : d * n * at.kappa;
}

static double per_step(size_t method, double n,
                       double d) /* Table 1's last column, up to a constant */
{
    return method == 0 ? n * d : method == 1 ? d : method == 2 ? n : 1; /* zpvr: 1 too */
}

typedef struct result {
    double log_x, log_stated[NMETHODS], log_queries[NMETHODS][GROWTH_SEEDS], steps[NMETHODS];
} result;

/* One trial of every method on each of GROWTH_SEEDS instances, its seed another one each time. */
static int measure(runs *store, const request *r, growth_size at, result *out)
{
    int code = DONE;
    for (size_t s = 0; s < GROWTH_SEEDS && !code; s++) {
        trial t[NMETHODS];
        at.instance = s;
        for (size_t m = 0; m < NMETHODS; m++) {
            t[m] = growth_trial(methods[m], step_of(m, at), at.n, s);
            t[m].every = every[m];
        }
        t[NMETHODS - 1].set.refresh = 1 / (double)(at.n * at.d);
        code = growth_trials(store, r, at, t, NMETHODS);
        for (size_t m = 0; m < NMETHODS && !code; m++) {
            double queries = growth_queries(&t[m]);
            out->log_queries[m][s] = log(queries);
            out->steps[m] = queries / (double)t[m].steps;
            out->log_stated[m] = log(stated(m, at));
        }
    }
    return code;
}

static void add_slopes(facts *f, const char *what, const result *v)
{
    char name[64];
    for (size_t m = 0; m < NMETHODS; m++) {
        double x[GROWTH_POINTS], y[GROWTH_POINTS], of_table[GROWTH_POINTS], slope[GROWTH_SEEDS],
            half;
        for (size_t s = 0; s < GROWTH_SEEDS; s++) {
            for (size_t k = 0; k < GROWTH_POINTS; k++) {
                x[k] = v[k].log_x;
                y[k] = v[k].log_queries[m][s];
                of_table[k] = v[k].log_stated[m];
            }
            slope[s] = growth_slope(x, y, GROWTH_POINTS);
        }
        snprintf(name, sizeof name, "in %s", what);
        fact_add(f, methods[m], name, growth_mean(slope, &half));
        snprintf(name, sizeof name, "+- (%s)", what);
        fact_add(f, methods[m], name, half);
        snprintf(name, sizeof name, "Table 1 (%s)", what);
        fact_add(f, methods[m], name, growth_slope(x, of_table, GROWTH_POINTS));
    }
}

static int series(runs *store, const request *r, int which, facts *f, result *v)
{
    static const char *const what[] = {"d", "n", "kappa"};
    static const double d[] = {4, 8, 16, 32, 64}, n[] = {25, 50, 100, 200, 400},
                        kappa[] = {5, 15, 50, 150, 500};
    int code = DONE;
    for (size_t k = 0; k < GROWTH_POINTS && !code; k++) {
        growth_size at = {which == 1 ? (size_t)n[k] : BASE_N, which == 0 ? (size_t)d[k] : BASE_D,
                          which == 2 ? kappa[k] : BASE_KAPPA, 0};
        code = measure(store, r, at, &v[k]);
        v[k].log_x = log(which == 0 ? d[k] : which == 1 ? n[k] : kappa[k]);
    }
    if (!code) add_slopes(f, what[which], v);
    return code;
}

static void add_steps(facts *f, const result *v) /* v: that at the base point */
{
    for (size_t m = 0; m < NMETHODS; m++) {
        fact_add(f, methods[m], "queries to 1e-4 at the base point", exp(v->log_queries[m][0]));
        fact_add(f, methods[m], "queries a step", v->steps[m]);
        fact_add(f, methods[m], "Table 1: O of", per_step(m, BASE_N, BASE_D));
    }
}

static int table_1(runs *store, FILE *out, const request *r)
{
    facts f = {0};
    result v[GROWTH_POINTS];
    int code = DONE;
    for (int which = 0; which < 3 && !code; which++) {
        code = series(store, r, which, &f, v);
        if (which == 0 && !code) add_steps(&f, &v[1]); /* d = 8 is the base point */
    }
    if (!code) code = runs_facts_put(store, "growth", &f);
    if (!code) {
        fprintf(
            out,
            "### Table 1 as measured\n\nSlopes of log queries to a gap of %g over %d sizes, "
            "means over %d instances with half of a 95 %% interval, around n %d, d %d, kappa "
            "%d; beside them the slope of what Table 1 states, over the same sizes. zpdvr runs "
            "at the largest kind of step that is stable, eta L d/(p q) = 0.3: at the theorem's "
            "it diverges for n > 28. zpvr, which is not in Table 1, runs at 4 times the step of "
            "its theorem, beside d(n + kappa).\n\n",
            GROWTH_GAP, GROWTH_POINTS, GROWTH_SEEDS, BASE_N, BASE_D, BASE_KAPPA);
        facts_print(out, &f);
    }
    free(f.v);
    return code;
}

int growth_run(runs *store, FILE *out, const request *r)
{
    int code = table_1(store, out, r);
    if (!code) code = growth_psvrg(store, out, r);
    if (!code) code = growth_zpdvr(store, out, r);
    return code ? code : growth_zpvr(store, out, r);
}
