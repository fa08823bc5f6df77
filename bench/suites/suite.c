/* The suites by name.
 * SPDX-License-Identifier: MIT */
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "l1.h"
#include "morewild.h"
#include "nist.h"
#include "rough.h"
#include "separable.h"
#include "spectrum.h"

/* ---- parts ------------------------------------------------------------------------------------------- */

static void morewild_parts(const void *of, const double *x, double *v) { mw_residuals(of, x, v); }
static void nist_parts(const void *of, const double *x, double *v) { nist_residuals(of, x, v); }

static void spectrum_parts(const void *of, const double *x, double *v)
{
    (void)of;
    spectrum_residuals(x, v);
}

static void separable_parts(const void *of, const double *x, double *v)
{
    const ps_problem *p = of;
    for (size_t i = 0; i < p->n; i++) v[i] = p->component(p->d, i, x);
}

static void rough_parts(const void *of, const double *x, double *v)
{
    const rough_problem *p = of;
    *v = p->value(p->d, x);
}

/* ---- opening ----------------------------------------------------------------------------------------- */

static int open_morewild(size_t k, suite_problem *p)
{
    const mw_problem *w = &mw_problems[k];
    snprintf(p->name, sizeof p->name, "%02zu %s%s", k + 1, mw_name(w->function),
             w->far ? " far" : "");
    p->d = w->d;
    p->m = w->m;
    p->squares = 1;
    p->best = w->best;
    p->of = w;
    p->parts = morewild_parts;
    mw_start(w, p->start);
    return 0;
}

static int open_l1(size_t k, suite_problem *p)
{
    open_morewild(l1_problems[k].morewild, p);
    p->lambda = l1_problems[k].lambda;
    p->best = l1_problems[k].best;
    return 0;
}

/* Lanczos1 is data without noise: its certified sum, 1.4e-25, is below what its printed digits allow. */
#define EXACT_DATA 1e-20

static int open_nist(size_t k, suite_problem *p, int start)
{
    static nist_set set; /* one at a time */
    if (nist_read(&set, nist_names[k])) return -1;
    snprintf(p->name, sizeof p->name, "%s", set.name);
    p->d = set.d;
    p->m = set.m;
    p->squares = 1;
    p->best = fmax(set.best, EXACT_DATA);
    p->of = &set;
    p->parts = nist_parts;
    memcpy(p->start, set.start[start], set.d * sizeof *p->start);
    return 0;
}

static int open_nist1(size_t k, suite_problem *p) { return open_nist(k, p, 0); }
static int open_nist2(size_t k, suite_problem *p) { return open_nist(k, p, 1); }

static int open_spectrum(size_t k, suite_problem *p)
{
    (void)k;
    snprintf(p->name, sizeof p->name, "spectrum of four peaks");
    p->d = SPECTRUM_D;
    p->m = SPECTRUM_N;
    p->squares = 1;
    p->best = spectrum_least();
    p->parts = spectrum_parts;
    spectrum_start(p->start);
    return 0;
}

static int open_separable(size_t k, suite_problem *p)
{
    const ps_problem *s = &ps_problems[k];
    snprintf(p->name, sizeof p->name, "%s", s->name);
    p->d = s->d;
    p->m = s->n;
    p->best = s->best;
    p->of = s;
    p->parts = separable_parts;
    s->start(s->d, p->start);
    return 0;
}

static int open_rough(size_t k, suite_problem *p)
{
    const rough_problem *r = &rough_problems[k];
    snprintf(p->name, sizeof p->name, "%s", r->name);
    p->d = r->d;
    p->m = 1;
    p->noise = r->noise;
    p->most = ROUGH_EVALUATIONS;
    p->of = r;
    p->parts = rough_parts;
    r->start(r->d, p->start);
    return 0;
}

static const struct {
    const char *name;
    size_t size;
    int (*open)(size_t k, suite_problem *p);
} suites[] = {
    {"morewild", MW_COUNT, open_morewild}, {"l1", L1_COUNT, open_l1},
    {"nist", NIST_COUNT, open_nist1},      {"nist2", NIST_COUNT, open_nist2},
    {"spectrum", 1, open_spectrum},        {"separable", PS_COUNT, open_separable},
    {"rough", ROUGH_COUNT, open_rough},
};

static size_t find(const char *suite)
{
    size_t k = 0;
    while (k < sizeof suites / sizeof *suites && strcmp(suites[k].name, suite)) k++;
    return k;
}

size_t suite_size(const char *suite)
{
    size_t at = find(suite);
    return at < sizeof suites / sizeof *suites ? suites[at].size : 0;
}

int suite_open(const char *suite, size_t k, suite_problem *p)
{
    memset(p, 0, sizeof *p);
    return k < suite_size(suite) ? suites[find(suite)].open(k, p) : -1;
}

/* ---- values ------------------------------------------------------------------------------------------- */

void suite_parts(const suite_problem *p, const double *x, double *v) { p->parts(p->of, x, v); }

double suite_sum(const suite_problem *p, const double *x, const double *v)
{
    double sum = 0;
    for (size_t i = 0; i < p->m; i++) sum += p->squares ? v[i] * v[i] : v[i];
    for (size_t j = 0; j < p->d && p->lambda > 0; j++) sum += p->lambda * fabs(x[j]);
    return sum;
}

double suite_value(const suite_problem *p, const double *x)
{
    double v[SUITE_MOST_PARTS];
    suite_parts(p, x, v);
    return suite_sum(p, x, v);
}
