/* Why the slopes of zpdvr differ from Table 1's, put to the test.
 * SPDX-License-Identifier: MIT
 *
 * If stability is what asks for eta L ~ p/d = 1/(n d), then larger steps c/(n d) must fail at the same c for every n, and
 * with the best step of a grid queries must still grow as n. If it asks so for every p, then with the best p as well,
 * found for every kappa anew, queries must grow as kappa, and not as n + kappa. */
#define _GNU_SOURCE
#include "study/growth.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 6 };

/* The steps c p/d that are tried at one p. */
typedef struct steps {
    size_t count;
    double factor[MOST];
    double units, every;
} steps;

/* Queries at every c, NaN where most seeds do not arrive, in the line row; *least: the least of them and of itself. */
static int best_step(runs *store, const request *r, growth_size at, double p, const steps *s,
                     facts *f, const char *row, double *least)
{
    trial t[MOST * GROWTH_SEEDS];
    char name[64];
    for (size_t k = 0; k < s->count * GROWTH_SEEDS; k++) {
        t[k] = growth_trial("zpdvr", s->factor[k / GROWTH_SEEDS] * p / (double)at.d, at.n,
                            k % GROWTH_SEEDS);
        t[k].set.refresh = p;
        t[k].units = s->units;
        t[k].every = s->every;
    }
    int code = growth_trials(store, r, at, t, s->count * GROWTH_SEEDS);
    for (size_t k = 0; k < s->count && !code; k++) {
        double queries = growth_middle(&t[k * GROWTH_SEEDS]);
        snprintf(name, sizeof name, "c %g", s->factor[k]);
        fact_add(f, row, name, queries);
        *least = fmin(*least, queries);
    }
    return code;
}

static int put(runs *store, FILE *out, const char *name, const char *about, facts *f, int code)
{
    if (!code && f->failed) code = complain(FAILED, "growth: out of memory");
    if (!code) code = runs_facts_put(store, name, f);
    if (!code) {
        fprintf(out, "%s", about);
        facts_print(out, f);
    }
    free(f->v);
    return code;
}

static int in_n(runs *store, FILE *out, const request *r)
{
    static const double n[GROWTH_POINTS] = {25, 50, 100, 200, 400};
    static const steps tried = {6, {0.15, 0.3, 0.6, 1.2, 2.4, 4.8}, 1e4, 20};
    double x[GROWTH_POINTS], y[GROWTH_POINTS];
    char row[64];
    facts f = {0};
    int code = DONE;
    for (size_t k = 0; k < GROWTH_POINTS && !code; k++) {
        double least = NAN;
        growth_size at = {(size_t)n[k], BASE_D, BASE_KAPPA, 0};
        snprintf(row, sizeof row, "n %g", n[k]);
        code = best_step(store, r, at, 1 / n[k], &tried, &f, row, &least);
        x[k] = log(n[k]);
        y[k] = log(least);
    }
    if (!code) fact_add(&f, "at the best c", "slope in n", growth_slope(x, y, GROWTH_POINTS));
    return put(store, out, "growth of zpdvr",
               "### zpdvr: larger steps\n\nQueries to a gap of 1e-4 with p = 1/n and the step "
               "c p/d, medians of 5 seeds, d 8, kappa 10; - where most seeds diverge or do not "
               "arrive within 10000 units.\n\n",
               &f, code);
}

static int in_kappa(runs *store, FILE *out, const request *r)
{
    static const double kappa[GROWTH_POINTS] = {5, 15, 50, 150, 500}, p[] = {0.01, 0.05, 0.25};
    static const steps tried = {4, {0.3, 0.6, 1.2, 2.4}, 1e5, 5};
    double x[GROWTH_POINTS], y[GROWTH_POINTS], stated[GROWTH_POINTS];
    char row[64];
    facts f = {0};
    int code = DONE;
    for (size_t k = 0; k < GROWTH_POINTS && !code; k++) {
        growth_size at = {BASE_N, BASE_D, kappa[k], 0};
        double least = NAN;
        for (size_t m = 0; m < sizeof p / sizeof p[0] && !code; m++) {
            snprintf(row, sizeof row, "kappa %g, p %g", kappa[k], p[m]);
            code = best_step(store, r, at, p[m], &tried, &f, row, &least);
        }
        x[k] = log(kappa[k]);
        y[k] = log(least);
        stated[k] = log(BASE_N + kappa[k]);
    }
    if (!code) {
        fact_add(&f, "at the best p and c", "slope in kappa", growth_slope(x, y, GROWTH_POINTS));
        fact_add(&f, "at the best p and c", "of n + kappa", growth_slope(x, stated, GROWTH_POINTS));
    }
    return put(store, out, "growth of zpdvr in kappa",
               "### zpdvr: the best p and step for every kappa\n\nQueries to a gap of 1e-4 with "
               "the step c p/d, medians of 5 seeds, n 100, d 8; - where most seeds diverge or do "
               "not arrive within 100000 units.\n\n",
               &f, code);
}

int growth_zpdvr(runs *store, FILE *out, const request *r)
{
    int code = in_n(store, out, r);
    return code ? code : in_kappa(store, out, r);
}
