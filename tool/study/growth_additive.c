/* Is the price of zpvr additive in n and kappa? Queries to a gap at the corners of (n, kappa), and a n + b kappa through
 * them.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "study/growth.h"

#include <math.h>
#include <stdlib.h>

enum { CORNERS = 4, STEPS = 4 };
static const growth_size corner_at[CORNERS] = {
    {100, BASE_D, 10, 0}, {1600, BASE_D, 10, 0}, {100, BASE_D, 160, 0}, {1600, BASE_D, 160, 0}};
/* step = c/((d + 2) L), L that of every component */
static const double factor[STEPS] = {0.125, 0.25, 0.5, 1};

/* Queries at each step c; NaN where most seeds do not arrive. */
static int corner(runs *store, const request *r, size_t k, double *queries)
{
    growth_size at = corner_at[k];
    trial t[STEPS * GROWTH_SEEDS];
    for (size_t j = 0; j < STEPS * GROWTH_SEEDS; j++) {
        double step = factor[j / GROWTH_SEEDS] / ((BASE_D + 2) * COMPONENT_TOP);
        t[j] = growth_trial("zpvr", step, at.n, j % GROWTH_SEEDS);
        t[j].set.refresh = 1 / ((double)at.n * BASE_D);
        t[j].units = 2e4;
        t[j].every = 0.2;
    }
    int code = growth_trials(store, r, at, t, STEPS * GROWTH_SEEDS);
    for (size_t j = 0; j < STEPS && !code; j++) queries[j] = growth_middle(&t[j * GROWTH_SEEDS]);
    return code;
}

static void add_rows(facts *f, double queries[CORNERS][STEPS])
{
    char row[64], name[64];
    for (size_t k = 0; k < CORNERS; k++) {
        snprintf(row, sizeof row, "n %zu, kappa %g", corner_at[k].n, corner_at[k].kappa);
        for (size_t j = 0; j < STEPS; j++) {
            snprintf(name, sizeof name, "c %g", factor[j]);
            fact_add(f, row, name, queries[k][j]);
        }
    }
    for (size_t j = 0; j < STEPS; j++) {
        double at[CORNERS], a, b, worst = 1;
        for (size_t k = 0; k < CORNERS; k++) at[k] = queries[k][j];
        growth_fit(corner_at, at, CORNERS, &a, &b);
        for (size_t k = 0; k < CORNERS; k++) {
            double guess = a * (double)corner_at[k].n + b * corner_at[k].kappa;
            worst = fmax(worst, fmax(guess / at[k], at[k] / guess));
        }
        snprintf(name, sizeof name, "c %g", factor[j]);
        fact_add(f, "a", name, a);
        fact_add(f, "b", name, b);
        fact_add(f, "off by at most (times)", name, isfinite(a) ? worst : NAN);
    }
}

int growth_zpvr(runs *store, FILE *out, const request *r)
{
    double queries[CORNERS][STEPS];
    facts f = {0};
    int code = DONE;
    for (size_t k = 0; k < CORNERS && !code; k++) code = corner(store, r, k, queries[k]);
    if (!code) add_rows(&f, queries);
    if (!code) code = runs_facts_put(store, "growth of zpvr", &f);
    if (!code) {
        fprintf(out,
                "### zpvr: a n + b kappa\n\nQueries to a gap of %g, medians of %d seeds, d %d, "
                "refresh 1/(n d), step c/((d+2)L), L = 3/2 that of every component; a n + b kappa "
                "fitted to the four.\n\n",
                GROWTH_GAP, GROWTH_SEEDS, BASE_D);
        facts_print(out, &f);
    }
    free(f.v);
    return code;
}
