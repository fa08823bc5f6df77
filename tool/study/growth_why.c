/* Why the slopes of psvrg differ from Table 1's, put to the test.
 * SPDX-License-Identifier: MIT
 *
 * An epoch costs 3n(d+1) queries. Where n is far above kappa it shrinks the gap by a constant, where n is far
 * below by about exp(-n eta mu), so that queries are d(a n + b kappa) with a and b of different size. Table 1 leaves
 * constants out: a and b are fitted on the table's own sizes, and the fit must then hold far outside of them. */
#define _GNU_SOURCE
#include "study/growth.h"

#include <math.h>
#include <stdlib.h>

enum { SWEEPS = 4 };

typedef struct sweep {
    const char *name;
    int in_n;
    double size[GROWTH_POINTS];
    double queries[GROWTH_POINTS];
} sweep;

static growth_size size_at(const sweep *s, size_t k)
{
    growth_size at = {BASE_N, BASE_D, BASE_KAPPA, 0};
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
        s->queries[k] = code ? NAN : growth_middle(t);
    }
    return code;
}

/* Over the two sweeps of Table 1. */
static void fit(const sweep *s, double *a, double *b)
{
    growth_size at[2 * GROWTH_POINTS];
    double q[2 * GROWTH_POINTS];
    for (size_t m = 0; m < 2 * GROWTH_POINTS; m++) {
        const sweep *one = &s[m / GROWTH_POINTS];
        at[m] = size_at(one, m % GROWTH_POINTS);
        q[m] = one->queries[m % GROWTH_POINTS] / (double)at[m].d;
    }
    growth_fit(at, q, 2 * GROWTH_POINTS, a, b);
}

static void add_sweep(facts *f, const sweep *s, double a, double b)
{
    double x[GROWTH_POINTS], y[GROWTH_POINTS], fitted[GROWTH_POINTS], stated[GROWTH_POINTS],
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
    fact_add(f, s->name, "slope", growth_slope(x, y, GROWTH_POINTS));
    fact_add(f, s->name, "of d(n + kappa)", growth_slope(x, stated, GROWTH_POINTS));
    fact_add(f, s->name, "of d(a n + b kappa)", growth_slope(x, fitted, GROWTH_POINTS));
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
