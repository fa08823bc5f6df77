/* Why the slopes of psvrg and zpdvr differ from Table 1's, put to the test.
 * SPDX-License-Identifier: MIT
 *
 * psvrg. An epoch costs 3n(d+1) queries. Where n is far above kappa it shrinks the gap by a constant, where n is far
 * below by about exp(-n eta mu), so that queries are d(a n + b kappa) with a and b of different size. Table 1 leaves
 * constants out: a and b are fitted on the table's own sizes, and the fit must then hold far outside of them.
 *
 * zpdvr. If stability is what asks for eta L ~ p/d = 1/(n d), then larger steps c/(n d) must fail at the same c for every
 * n, and with the best step of a grid queries must still grow as n. */
#define _GNU_SOURCE
#include "study/growth.h"

#include <math.h>
#include <stdlib.h>

static double middle(const trial *t)
{
    double v[GROWTH_SEEDS];
    for (size_t s = 0; s < GROWTH_SEEDS; s++) {
        v[s] = growth_queries(&t[s]);
        if (isnan(v[s])) v[s] = INFINITY;
    }
    double m = median_of(v, GROWTH_SEEDS);
    return isinf(m) ? NAN : m;
}

/* ---- psvrg ------------------------------------------------------------------------------------------------- */

enum { SWEEPS = 4 };

typedef struct sweep {
    const char *name;
    int in_n;
    double size[GROWTH_POINTS];
    double queries[GROWTH_POINTS];
} sweep;

static growth_size size_at(const sweep *s, size_t k)
{
    growth_size at = {BASE_N, BASE_D, BASE_KAPPA};
    if (s->in_n)
        at.n = (size_t)s->size[k];
    else
        at.kappa = s->size[k];
    return at;
}

static int run_sweep(runs *store, const request *r, sweep *s)
{
    int code = DONE;
    for (size_t k = 0; k < GROWTH_POINTS && !code; k++) {
        growth_size at = size_at(s, k);
        trial t[GROWTH_SEEDS];
        for (size_t j = 0; j < GROWTH_SEEDS; j++) {
            t[j] = growth_trial("psvrg", 0.25, at.n, j);
            t[j].every = 0.1;
        }
        code = growth_trials(store, r, at, t, GROWTH_SEEDS);
        s->queries[k] = code ? NAN : middle(t);
    }
    return code;
}

/* Least squares of (a n + b kappa) d/queries on 1, over the two sweeps of Table 1. */
static void fit(const sweep *s, double *a, double *b)
{
    double nn = 0, nk = 0, kk = 0, n1 = 0, k1 = 0;
    for (size_t m = 0; m < 2 * GROWTH_POINTS; m++) {
        const sweep *one = &s[m / GROWTH_POINTS];
        growth_size at = size_at(one, m % GROWTH_POINTS);
        double q = one->queries[m % GROWTH_POINTS] / (double)at.d, n = (double)at.n / q,
               k = at.kappa / q;
        nn += n * n, nk += n * k, kk += k * k, n1 += n, k1 += k;
    }
    double det = nn * kk - nk * nk;
    *a = (n1 * kk - k1 * nk) / det;
    *b = (k1 * nn - n1 * nk) / det;
}

static void add_sweep(facts *f, const sweep *s, double a, double b)
{
    double x[GROWTH_POINTS], y[GROWTH_POINTS], fitted[GROWTH_POINTS], stated[GROWTH_POINTS], half,
        worst = 1;
    for (size_t k = 0; k < GROWTH_POINTS; k++) {
        growth_size at = size_at(s, k);
        double n = (double)at.n, guess = (double)at.d * (a * n + b * at.kappa);
        x[k] = log(s->size[k]);
        y[k] = log(s->queries[k]);
        fitted[k] = log(guess);
        stated[k] = log(n + at.kappa);
        worst = fmax(worst, fmax(s->queries[k] / guess, guess / s->queries[k]));
    }
    fact_add(f, s->name, "slope", growth_slope(x, y, GROWTH_POINTS, &half));
    fact_add(f, s->name, "of d(n + kappa)", growth_slope(x, stated, GROWTH_POINTS, &half));
    fact_add(f, s->name, "of d(a n + b kappa)", growth_slope(x, fitted, GROWTH_POINTS, &half));
    fact_add(f, s->name, "fit off by at most (times)", worst);
}

int growth_psvrg(runs *store, FILE *out, const request *r)
{
    sweep s[SWEEPS] = {{"n 25 to 400", 1, {25, 50, 100, 200, 400}, {0}},
                       {"kappa 5 to 80", 0, {5, 10, 20, 40, 80}, {0}},
                       {"n 800 to 12800", 1, {800, 1600, 3200, 6400, 12800}, {0}},
                       {"kappa 160 to 2560", 0, {160, 320, 640, 1280, 2560}, {0}}};
    facts f = {0};
    double a, b;
    int code = DONE;
    for (size_t k = 0; k < SWEEPS && !code; k++) code = run_sweep(store, r, &s[k]);
    if (code) return code;
    fit(s, &a, &b);
    for (size_t k = 0; k < SWEEPS; k++) add_sweep(&f, &s[k], a, b);
    fact_add(&f, "fit", "a", a);
    fact_add(&f, "fit", "b", b);
    code = runs_facts_put(store, "growth of psvrg", &f);
    if (!code) {
        fprintf(out,
                "### psvrg: the constants before n and kappa\n\nMedians of %d seeds; a and b are "
                "fitted on the "
                "first two lines alone.\n\n",
                GROWTH_SEEDS);
        facts_print(out, &f);
    }
    free(f.v);
    return code;
}

/* ---- zpdvr ------------------------------------------------------------------------------------------------- */

enum { STEPS = 6 };
static const double factor[STEPS] = {0.15, 0.3, 0.6, 1.2, 2.4, 4.8};

/* Queries at every step c/(n d), NaN where most seeds do not arrive; the least of them. */
static int best_step(runs *store, const request *r, size_t n, facts *f, double *least)
{
    growth_size at = {n, BASE_D, BASE_KAPPA};
    trial t[STEPS * GROWTH_SEEDS];
    char row[64], name[64];
    for (size_t k = 0; k < STEPS * GROWTH_SEEDS; k++) {
        t[k] = growth_trial("zpdvr", factor[k / GROWTH_SEEDS] / ((double)n * BASE_D), n,
                            k % GROWTH_SEEDS);
        t[k].units = 1e4;
        t[k].every = 20;
    }
    int code = growth_trials(store, r, at, t, STEPS * GROWTH_SEEDS);
    snprintf(row, sizeof row, "n %zu", n);
    *least = NAN;
    for (size_t k = 0; k < STEPS && !code; k++) {
        double queries = middle(&t[k * GROWTH_SEEDS]);
        snprintf(name, sizeof name, "c %g", factor[k]);
        fact_add(f, row, name, queries);
        *least = fmin(*least, queries);
    }
    return code;
}

int growth_zpdvr(runs *store, FILE *out, const request *r)
{
    static const double n[GROWTH_POINTS] = {25, 50, 100, 200, 400};
    double x[GROWTH_POINTS], y[GROWTH_POINTS], least, half;
    facts f = {0};
    int code = DONE;
    for (size_t k = 0; k < GROWTH_POINTS && !code; k++) {
        code = best_step(store, r, (size_t)n[k], &f, &least);
        x[k] = log(n[k]);
        y[k] = log(least);
    }
    if (!code)
        fact_add(&f, "at the best c", "slope in n", growth_slope(x, y, GROWTH_POINTS, &half));
    if (!code) code = runs_facts_put(store, "growth of zpdvr", &f);
    if (!code) {
        fprintf(out,
                "### zpdvr: larger steps\n\nQueries to a gap of %g with the step c/(n d), medians "
                "of %d "
                "seeds, d %d, "
                "kappa %d; - where most seeds diverge or do not arrive within 10000 units.\n\n",
                GROWTH_GAP, GROWTH_SEEDS, BASE_D, BASE_KAPPA);
        facts_print(out, &f);
    }
    free(f.v);
    return code;
}
