/* Is the price of zpvr additive in n and kappa? Queries to a gap at the corners of (n, kappa), and a n + b kappa through
 * them.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "study/growth.h"

#include <math.h>
#include <stdlib.h>

enum { CORNERS = 4, STEPS = 4 };
static const double corner_n[CORNERS] = {100, 1600, 100, 1600},
                    corner_kappa[CORNERS] = {10, 10, 160, 160};
/* step = c/((d + 2) L), L = 3/2 the largest curvature of a component (growth.c) */
static const double factor[STEPS] = {0.125, 0.25, 0.5, 1};
#define COMPONENT_TOP 1.5

static double middle(const trial *t)
{
    double v[GROWTH_SEEDS];
    for (size_t s = 0; s < GROWTH_SEEDS; s++) {
        v[s] = growth_queries(&t[s]);
        if (isnan(v[s])) v[s] = INFINITY;
    }
    return median_of(v, GROWTH_SEEDS);
}

/* Queries at each step c; infinite where most seeds do not arrive. */
static int corner(runs *store, const request *r, size_t k, double *queries)
{
    size_t n = (size_t)corner_n[k];
    trial t[STEPS * GROWTH_SEEDS];
    for (size_t j = 0; j < STEPS * GROWTH_SEEDS; j++) {
        double step = factor[j / GROWTH_SEEDS] / ((BASE_D + 2) * COMPONENT_TOP);
        t[j] = growth_trial("zpvr", step, n, j % GROWTH_SEEDS);
        t[j].set.refresh = 1 / (corner_n[k] * BASE_D);
        t[j].units = 2e4;
        t[j].every = 0.2;
    }
    int code =
        growth_trials(store, r, (growth_size){n, BASE_D, corner_kappa[k]}, t, STEPS * GROWTH_SEEDS);
    for (size_t j = 0; j < STEPS && !code; j++) queries[j] = middle(&t[j * GROWTH_SEEDS]);
    return code;
}

/* Least squares of (a n + b kappa)/queries on 1. */
static void fit(const double *queries, double *a, double *b)
{
    double nn = 0, nk = 0, kk = 0, n1 = 0, k1 = 0;
    for (size_t m = 0; m < CORNERS; m++) {
        double n = corner_n[m] / queries[m], k = corner_kappa[m] / queries[m];
        nn += n * n, nk += n * k, kk += k * k, n1 += n, k1 += k;
    }
    double det = nn * kk - nk * nk;
    *a = (n1 * kk - k1 * nk) / det;
    *b = (k1 * nn - n1 * nk) / det;
}

static void add_rows(facts *f, double queries[CORNERS][STEPS])
{
    char row[64], name[64];
    for (size_t k = 0; k < CORNERS; k++) {
        snprintf(row, sizeof row, "n %g, kappa %g", corner_n[k], corner_kappa[k]);
        for (size_t j = 0; j < STEPS; j++) {
            snprintf(name, sizeof name, "c %g", factor[j]);
            fact_add(f, row, name, isinf(queries[k][j]) ? NAN : queries[k][j]);
        }
    }
    for (size_t j = 0; j < STEPS; j++) {
        double at[CORNERS], a, b, worst = 1;
        for (size_t k = 0; k < CORNERS; k++) at[k] = queries[k][j];
        fit(at, &a, &b);
        for (size_t k = 0; k < CORNERS; k++) {
            double guess = a * corner_n[k] + b * corner_kappa[k];
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
