/* One function of many coordinates that depends on few: gaps after so many evaluations, beside zosgd and sega with tuned steps.
 * SPDX-License-Identifier: MIT
 *
 *     hidden [D [BUDGET ...]]      D: 10000; BUDGET: 500 1000 2000 5000 10000 evaluations
 *
 *     square    |x_S - c|^2, S ten hidden coordinates, from 0
 *     distance  |x_S - c|
 *     valley    Rosenbrock's function of ten hidden coordinates
 *     largest   the sum of the ten largest (x_j - c_j)^2: which they are changes with x */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "share/share.h"
#include "zoprox.h"

enum { HIDDEN = 10, BUDGETS = 5, SEEDS = 3 };

typedef struct hidden {
    size_t d, at[HIDDEN];
    double *c;
} hidden;

static double square(double v) { return v * v; }

static double apart(const hidden *h, const double *x)
{
    double sum = 0;
    for (size_t k = 0; k < HIDDEN; k++) sum += square(x[h->at[k]] - h->c[h->at[k]]);
    return sum;
}

static int f_square(void *ctx, size_t i, const double *x, double *f)
{
    (void)i;
    *f = apart(ctx, x);
    return 0;
}

static int f_distance(void *ctx, size_t i, const double *x, double *f)
{
    (void)i;
    *f = sqrt(apart(ctx, x));
    return 0;
}

static int f_valley(void *ctx, size_t i, const double *x, double *f)
{
    const hidden *h = ctx;
    (void)i;
    *f = 0;
    for (size_t k = 0; k + 1 < HIDDEN; k++)
        *f += 100 * square(x[h->at[k + 1]] - square(x[h->at[k]])) + square(1 - x[h->at[k]]);
    return 0;
}

static int f_largest(void *ctx, size_t i, const double *x, double *f)
{
    const hidden *h = ctx;
    double top[HIDDEN] = {0};
    (void)i;
    for (size_t j = 0; j < h->d; j++) {
        double v = square(x[j] - h->c[j]);
        if (v <= top[HIDDEN - 1]) continue;
        size_t k = HIDDEN - 1;
        for (; k > 0 && top[k - 1] < v; k--) top[k] = top[k - 1];
        top[k] = v;
    }
    *f = 0;
    for (size_t k = 0; k < HIDDEN; k++) *f += top[k];
    return 0;
}

/* F after so many evaluations, of which looks at F are none. */
static double last_F(zo_problem *p, const char *method, double step, uint64_t seed, double budget,
                     char *chosen)
{
    zo_error e;
    zo_settings set = zo_defaults();
    zo_control c = zo_no_limits();
    zo_report r;
    zo_solver *solver;
    double f;
    must(zo_set(&set, "method", method, &e), &e);
    set.seed = seed;
    set.step = step;
    c.max_queries = (uint64_t)budget;
    must(zo_new(&solver, p, &set, &e), &e);
    must(zo_start(solver, NULL, &e), &e);
    must(zo_run(solver, &c, &r, &e), &e);
    p->value(p->ctx, 0, zo_point(solver), &f);
    if (chosen) snprintf(chosen, 256, "%s", r.chosen);
    zo_free(solver);
    return f;
}

static double median_F(zo_problem *p, const char *method, double step, double budget, char *chosen)
{
    double all[SEEDS];
    for (uint64_t k = 0; k < SEEDS; k++) all[k] = last_F(p, method, step, k, budget, chosen);
    qsort(all, SEEDS, sizeof *all, rising);
    return isnan(all[SEEDS / 2]) ? INFINITY : all[SEEDS / 2];
}

/* The best over steps. */
static double tuned(zo_problem *p, const char *method, double budget)
{
    double best = INFINITY;
    for (double step = 1e-6; step < 2; step *= 10)
        best = fmin(best, median_F(p, method, step, budget, NULL));
    return fmin(best, median_F(p, method, NAN, budget, NULL));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*value)(void *ctx, size_t i, const double *x, double *f);
    } functions[] = {{"square", f_square},
                     {"distance", f_distance},
                     {"valley", f_valley},
                     {"largest", f_largest}};
    double budgets[BUDGETS] = {500, 1000, 2000, 5000, 10000};
    size_t count = argc > 2 ? (size_t)argc - 2 : BUDGETS;
    hidden h = {.d = argc > 1 ? (size_t)atoi(argv[1]) : 10000};
    uint64_t state = 88172645463325252u;
    if (count > BUDGETS) count = BUDGETS;
    for (int k = 2; k < argc && k - 2 < BUDGETS; k++) budgets[k - 2] = atof(argv[k]);
    h.c = malloc(h.d * 8);
    for (size_t j = 0; j < h.d; j++) h.c[j] = normal(&state);
    for (size_t k = 0; k < HIDDEN; k++) h.at[k] = (size_t)(uniform(&state) * (double)h.d);
    printf("| f, part of f(0) left | evaluations | auto | zosgd, tuned | sega, tuned "
           "|\n|---|---|---|---|---|\n");
    for (size_t k = 0; k < 4; k++) {
        zo_problem p = {.n = 1, .d = h.d, .value = functions[k].value, .ctx = &h, .threads = 1};
        char chosen[256] = "";
        double *zero = calloc(h.d, 8), first;
        p.value(&h, 0, zero, &first);
        for (size_t b = 0; b < count; b++) {
            printf("| %s | %g | %.1e |", functions[k].name, budgets[b],
                   median_F(&p, "auto", NAN, budgets[b], chosen) / first);
            printf(" %.1e |", tuned(&p, "zosgd", budgets[b]) / first);
            printf(" %.1e |\n", tuned(&p, "sega", budgets[b]) / first);
            fflush(stdout);
        }
        fprintf(stderr, "%s: %s\n", functions[k].name, chosen);
        free(zero);
    }
    free(h.c);
    return 0;
}
