/* inq on rough ground: far starts, weak ridges, tight budgets, outlying rows and columns, shared Hessians, many coordinates.
 * SPDX-License-Identifier: MIT
 *
 *     rough PART [SEEDS [WORD]]      PART: far, ridge, budget, outliers, shared, large, tiny; WORD: problems that have it in their name
 *
 * F* is by zo_find_optimum where the problem is built in and convex, else the least F that any seed reached. Gaps are in units of
 * max(1, |F*|). Sets are sought in $ZOPROX_DATA; one that is not there is left out with a line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "share/problem.h"
#include "share/trail.h"

enum { MOST_SEEDS = 16, MOST_BUDGETS = 10, LISTED = 4 };
static const double reached = 1e-10;

typedef struct row {
    const char *name, *data, *psi; /* data: a set of $ZOPROX_DATA, synth:..., quadratics:... */
    double l2, bar;                /* bar: units; 0: 1.3 + 30/d */
    const char *option[LISTED];    /* NAME=VALUE of share/problem.h */
} row;

static const row far_rows[] = {
    {"a9a", "a9a", "l1:1e-4", 1e-4, 0, {NULL}},
    {"1605 rows of a9a", "a9a", "l1:1e-4", 1e-4, 0, {"rows=1605"}},
    {"german", "german.numer_scale", "l1:1e-4", 1e-4, 0, {NULL}},
    {"gaussian 2000 x 50", "synth:kind=gaussian,n=2000,d=50", "l1:1e-4", 1e-4, 0, {NULL}},
    {"gaussian 1000 x 60", "synth:kind=gaussian,n=1000,d=60,kappa=100", "l1:1e-4", 1e-4, 0, {NULL}},
    {"smooth hinge 2000 x 50",
     "synth:kind=gaussian,n=2000,d=50",
     "l1:1e-4",
     1e-4,
     0,
     {"loss=smooth-hinge"}},
    {"softmax, 5 classes of 20",
     "synth:kind=multiclass,classes=5,n=1000,d=20",
     "l1:1e-4",
     1e-3,
     0,
     {"loss=softmax"}},
};
static const row ridge_rows[] = {
    {"1605 rows of a9a", "a9a", "l1:1e-5", 0, 0, {"rows=1605"}},
    {"german", "german.numer_scale", "l1:1e-5", 0, 0, {NULL}},
    {"heart", "heart_scale", "l1:1e-5", 0, 0, {NULL}},
    {"gaussian 1243 x 21", "synth:kind=gaussian,n=1243,d=21,kappa=1000", "l1:1e-5", 0, 0, {NULL}},
    {"gaussian 500 x 30", "synth:kind=gaussian,n=500,d=30,kappa=100", "l1:1e-5", 0, 0, {NULL}},
};
static const row budget_rows[] = {
    {"a9a", "a9a", "l1:1e-4", 1e-4, 0, {NULL}},
    {"w8a", "w8a", "l1:1e-5", 1e-4, 0, {NULL}},
    {"mushrooms", "mushrooms", "l1:1e-4", 1e-4, 0, {NULL}},
    {"gaussian 2000 x 50", "synth:kind=gaussian,n=2000,d=50", "l1:1e-4", 1e-4, 0, {NULL}},
    {"gaussian 1000 x 300", "synth:kind=gaussian,n=1000,d=300", "l1:1e-4", 1e-4, 0, {NULL}},
    {"rows times 100", "synth:kind=gaussian,n=2000,d=50", "l1:1e-4", 1e-4, 0, {"outliers=100"}},
    {"rows times 1e4", "synth:kind=gaussian,n=2000,d=50", "l1:1e-4", 1e-4, 0, {"outliers=1e4"}},
    {"gisette_scale.t", "gisette_scale.t", "l1:1e-4", 1e-4, 0, {NULL}},
};
static const row outlier_rows[] = {
    {"rows times 100", "synth:kind=gaussian,n=2000,d=50", "l1:1e-4", 1e-4, 1.9, {"outliers=100"}},
    {"rows times 1e4", "synth:kind=gaussian,n=2000,d=50", "l1:1e-4", 1e-4, 2.5, {"outliers=1e4"}},
    {"columns + 1e4", "synth:kind=gaussian,n=2000,d=50", "l1:1e-4", 1e-4, 3, {"shift=1e4"}},
    {"german, rows times 100", "german.numer_scale", "l1:1e-4", 1e-4, 1.9, {"outliers=100"}},
    {"german, rows times 1e4", "german.numer_scale", "l1:1e-4", 1e-4, 2.5, {"outliers=1e4"}},
};
static const row shared_rows[] = {
    {"d = 160", "quadratics:500,160,1000", "zero", 0, 0, {NULL}},
    {"d = 161", "quadratics:500,161,1000", "zero", 0, 0, {NULL}},
    {"d = 200", "quadratics:500,200,1000", "zero", 0, 0, {NULL}},
    {"d = 400", "quadratics:500,400,1000", "zero", 0, 0, {NULL}},
    {"d = 1000", "quadratics:500,1000,1000", "zero", 0, 0, {NULL}},
};

static const row large_rows[] = {
    {"gaussian 2000 x 2000", "synth:kind=gaussian,n=2000,d=2000", "l1:1e-4", 1e-4, 5, {NULL}},
    {"onehot 2000 x 5000", "synth:kind=onehot,n=2000,d=5000", "l1:1e-4", 1e-4, 5, {NULL}},
};
/* The bar: of what the best tuned step brings F down by, at least so much. most: units; beyond, what has few entries is at its end, and a
 * row takes many minutes. */
static const struct {
    row of;
    double most;
} tiny_rows[] = {
    {{"onehot 100 x 1e5",
      "synth:kind=onehot,n=100,d=100000,density=0.0005",
      "l1:1e-4",
      1e-4,
      0.9,
      {NULL}},
     0.002},
    {{"sparse 200 x 1e5", "synth:n=200,d=100000,density=0.001", "l1:1e-4", 1e-4, 0.9, {NULL}},
     0.002},
    {{"400 entries, 100 x 1e5", "synth:kind=onehot,n=100,d=100000", "zero", 1e-4, 0.9, {NULL}},
     0.002},
    {{"gaussian 100 x 1e5", "synth:kind=gaussian,n=100,d=100000", "l1:1e-4", 1e-4, 0.9, {NULL}},
     0.05},
    {{"squares 100 x 1e5",
      "synth:kind=gaussian,n=100,d=100000,kappa=1000",
      "l1:1e-4",
      1e-4,
      0.9,
      {"loss=squared"}},
     0.05},
    {{"quadratics 100 x 1e5", "quadratics:100,100000,1000", "zero", 0, 0.9, {NULL}}, 0.05},
    {{"gaussian 20 x 1e6", "synth:kind=gaussian,n=20,d=1000000", "l1:1e-4", 1e-4, 0.9, {NULL}},
     0.0005},
    {{"gaussian 50 x 1e6", "synth:kind=gaussian,n=50,d=1000000", "l1:1e-4", 1e-4, 0.9, {NULL}},
     0.0005},
};

static trail all[MOST_SEEDS];
static int missed;
static const char *word = "";

/* ---- Problems --------------------------------------------------------------------------------------- */

static int open_row(bench_problem *b, const row *r, double l2, bench_options *o)
{
    char path[512];
    const char *folder = getenv("ZOPROX_DATA");
    if (!strstr(r->name, word)) return 0;
    snprintf(path, sizeof path, "%s", r->data);
    if (!strchr(r->data, ':')) {
        snprintf(path, sizeof path, "%s/%s.xz", folder ? folder : ".", r->data);
        if (access(path, R_OK)) {
            printf("%s is not there: left out\n", path);
            return 0;
        }
    }
    *o = bench_defaults();
    for (size_t k = 0; k < LISTED && r->option[k]; k++) bench_option(o, r->option[k]);
    bench_open(b, path, r->psi, l2, o);
    return 1;
}

static double bar_of(const row *r, const bench_problem *b)
{
    return r->bar > 0 ? r->bar : 1.3 + 30 / (double)b->asked.d;
}

static double least_reached(size_t seeds)
{
    double least = INFINITY;
    for (size_t k = 0; k < seeds; k++)
        for (size_t s = 0; s < all[k].rows; s++) least = fmin(least, all[k].objective[s]);
    return least;
}

static double optimum_of(const bench_problem *b, size_t seeds)
{
    zo_error e;
    zo_optimum best;
    double least = least_reached(seeds), *x = b->model ? calloc(b->asked.d, 8) : NULL;
    if (b->model && !zo_find_optimum(&best, b->model, &b->asked.psi, 1e-13, x, &e))
        least = fmin(least, best.objective);
    free(x);
    return least;
}

static double median(double *of, size_t count)
{
    qsort(of, count, sizeof *of, rising);
    return of[(count - 1) / 2];
}

static const char *judge(int holds)
{
    missed |= !holds;
    return holds ? "" : " MISSED";
}

static void follow(bench_problem *b, const bench_options *o, double far, size_t seeds, double units)
{
    for (size_t k = 0; k < seeds; k++) {
        if (far > 0) bench_start_from(b, far, k + 1);
        trail_follow(&all[k], b, &o->settings, k, units);
    }
}

static void units_to(size_t seeds, double level, double *units)
{
    for (size_t k = 0; k < seeds; k++) units[k] = trail_below(&all[k], level);
    qsort(units, seeds, sizeof *units, rising);
}

static double end_of(const trail *t) { return t->objective[t->rows - 1]; }

/* ---- Parts ------------------------------------------------------------------------------------------ */

/* The bar is 1.25 times that of a start at 0, for the worst seed; with several indices twice. */
static void far_row(const row *r, double far, size_t seeds)
{
    static bench_problem b;
    bench_options o;
    double units[MOST_SEEDS], off = 1, end = 0, stated = 0;
    if (!open_row(&b, r, r->l2, &o)) return;
    double bar = (o.loss == ZO_SOFTMAX ? 2 : 1.25) * bar_of(r, &b);
    b.residual = 1;
    follow(&b, &o, far, seeds, 12);
    double optimum = optimum_of(&b, seeds), unit = fmax(1, fabs(optimum));
    units_to(seeds, optimum + reached * unit, units);
    for (size_t k = 0; k < seeds; k++) {
        double found = fmax(all[k].found, 1e-9), said = fmax(all[k].stated, 1e-9);
        off = fmax(off, fmax(found / said, said / found));
        end = fmax(end, (end_of(&all[k]) - optimum) / unit);
        stated = fmax(stated, all[k].stated);
    }
    printf("| %s | %g | %.3f | %.3f of %.2f%s | %.1e | %.1e | %.2g%s |\n", r->name, far,
           units[(seeds - 1) / 2], units[seeds - 1], bar, judge(units[seeds - 1] <= bar), end,
           stated, off, judge(off <= 10));
    bench_close(&b);
}

static void part_far(size_t seeds)
{
    static const double far[] = {0, 1, 10, 100, 1000};
    printf("| problem | from | to 1e-10 | worst | largest gap at the end | residual stated | off "
           "by |\n"
           "|---|---|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof far_rows / sizeof *far_rows; k++)
        for (size_t c = 0; c < sizeof far / sizeof *far; c++) far_row(&far_rows[k], far[c], seeds);
}

static void ridge_row(const row *r, double l2, size_t seeds)
{
    static bench_problem b;
    bench_options o;
    double units[MOST_SEEDS], rise = -INFINITY, end = 0;
    if (!open_row(&b, r, l2, &o)) return;
    follow(&b, &o, 0, seeds, 12);
    double optimum = optimum_of(&b, seeds);
    units_to(seeds, optimum + reached * fmax(1, fabs(optimum)), units);
    for (size_t k = 0; k < seeds; k++) {
        for (size_t s = 0; s < all[k].rows; s++)
            rise = fmax(rise, all[k].objective[s] - all[k].objective[0]);
        end = fmax(end, end_of(&all[k]) - optimum);
    }
    printf("| %s | %g | %.3f | %.3f%s | %.1e | %.1e%s |\n", r->name, l2, units[(seeds - 1) / 2],
           units[seeds - 1], judge(units[seeds - 1] < INFINITY), end, rise, judge(rise <= 0));
    bench_close(&b);
}

static void part_ridge(size_t seeds)
{
    printf(
        "| problem, l1 1e-5 | l2 | to 1e-10 | worst | largest gap at the end | F - F(x0), most |\n"
        "|---|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof ridge_rows / sizeof *ridge_rows; k++) {
        ridge_row(&ridge_rows[k], 1e-6, seeds);
        ridge_row(&ridge_rows[k], 0, seeds);
    }
}

/* Where a run with so much to spend ends; the last step is left in set. */
static double end_by(const bench_problem *b, zo_settings *set, double units)
{
    zo_control c = zo_no_limits();
    zo_solver *solver;
    zo_report r;
    zo_error e;
    c.max_units = units;
    c.track = ZO_TRACK_OFF;
    must(zo_new(&solver, &b->asked, set, &e), &e);
    must(zo_start(solver, NULL, &e), &e);
    must(zo_run(solver, &c, &r, &e), &e);
    double end = objective_at(&b->clean, zo_point(solver));
    set->step = r.settings.step;
    zo_free(solver);
    return end;
}

static zo_settings settings_with(const bench_options *o, const char *method, uint64_t seed)
{
    zo_settings set = o->settings;
    zo_error e;
    set.seed = seed;
    must(zo_set(&set, "method", method, &e), &e);
    return set;
}

static double end_with(const bench_problem *b, const bench_options *o, uint64_t seed, double units)
{
    zo_settings set = settings_with(o, "auto", seed);
    return end_by(b, &set, units);
}

/* More to spend is never worse, and what pays for d + 12 queries a component is enough; 1 % of a gap, and rounding, are no difference. */
static void budget_row(const row *r, size_t seeds)
{
    static const double units[MOST_BUDGETS] = {.1, .3, .5, .7, .9, 1, 1.05, 1.1, 1.2, 1.5};
    static bench_problem b;
    bench_options o;
    double gap[MOST_BUDGETS][MOST_SEEDS], least = INFINITY;
    if (!open_row(&b, r, r->l2, &o)) return;
    double optimum = optimum_of(&b, 0);
    printf("| %s |", r->name);
    for (size_t u = 0; u < MOST_BUDGETS; u++) {
        for (size_t k = 0; k < seeds; k++) gap[u][k] = end_with(&b, &o, k, units[u]) - optimum;
        double at = median(gap[u], seeds);
        int enough = (units[u] - 1) * (double)b.asked.d < 12 || at <= reached;
        printf(" %.1e%s |", at, judge(at <= fmax(1.01 * least, 1e-12) && enough));
        fflush(stdout);
        least = fmin(least, at);
    }
    printf("\n");
    bench_close(&b);
}

static void part_budget(size_t seeds)
{
    printf("| gap at the end of | .1 | .3 | .5 | .7 | .9 | 1.0 | 1.05 | 1.1 | 1.2 | 1.5 units |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof budget_rows / sizeof *budget_rows; k++)
        budget_row(&budget_rows[k], seeds);
}

static void part_outliers(size_t seeds)
{
    printf("| one row in a hundred | to 1e-10 | worst | largest gap at the end "
           "|\n|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof outlier_rows / sizeof *outlier_rows; k++) {
        static bench_problem b;
        bench_options o;
        double units[MOST_SEEDS], end = 0;
        const row *r = &outlier_rows[k];
        if (!open_row(&b, r, r->l2, &o)) continue;
        follow(&b, &o, 0, seeds, 20);
        double optimum = optimum_of(&b, seeds);
        units_to(seeds, optimum + reached * fmax(1, fabs(optimum)), units);
        for (size_t s = 0; s < seeds; s++) end = fmax(end, end_of(&all[s]) - optimum);
        printf("| %s | %.3f | %.3f of %.2f%s | %.1e |\n", r->name, units[(seeds - 1) / 2],
               units[seeds - 1], bar_of(r, &b), judge(units[seeds - 1] <= bar_of(r, &b)), end);
        fflush(stdout);
        bench_close(&b);
    }
}

/* What never.c compares auto with takes hours here: the best others at these sizes are zosgd at small budgets and saga, with their
 * automatic steps. auto and zosgd, which plan for it, run once for each budget. */
static void part_shared(size_t seeds)
{
    static const double marks[] = {.1, 1, 10, 30};
    (void)seeds;
    printf(
        "| quadratics, n = 500, kappa 1e3 | gap at .1, other | 1, other | 10, other | 30, other | "
        "seconds |\n"
        "|---|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof shared_rows / sizeof *shared_rows; k++) {
        static bench_problem b;
        bench_options o;
        if (!open_row(&b, &shared_rows[k], 0, &o)) continue;
        follow(&b, &o, 0, 1, 30);
        double optimum = least_reached(1), seconds = all[0].seconds - all[0].answering;
        bench_option(&o, "method=saga");
        follow(&b, &o, 0, 1, 30);
        printf("| %s |", shared_rows[k].name);
        for (int m = 0; m < 4; m++) {
            double other = INFINITY, own = end_with(&b, &o, 0, marks[m]) - optimum;
            for (size_t s = 0; s < all[0].rows && all[0].units[s] <= marks[m]; s++)
                other = all[0].objective[s] - optimum;
            if (marks[m] <= 1) {
                zo_settings random = settings_with(&o, "zosgd", 0);
                other = fmin(other, end_by(&b, &random, marks[m]) - optimum);
            }
            printf(" %.1e, %.1e%s |", own, other, judge(own <= fmax(2 * other, reached)));
            fflush(stdout);
        }
        printf(" %.1f |\n", seconds);
        bench_close(&b);
    }
}

/* Seconds of processor time of one run on one thread, and of the optimum by derivatives, from data in memory; the bar is on
 * their ratio. */
static void part_large(size_t seeds)
{
    printf("| problem | units to 1e-10, worst | seconds to 1e-10 | worst | optimum, seconds | "
           "ratio |\n"
           "|---|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof large_rows / sizeof *large_rows; k++) {
        static bench_problem b;
        bench_options o;
        double units[MOST_SEEDS], seconds[MOST_SEEDS];
        const row *r = &large_rows[k];
        if (!open_row(&b, r, r->l2, &o)) continue;
        double begun = trail_now(), optimum = optimum_of(&b, 0), by_slopes = trail_now() - begun;
        follow(&b, &o, 0, seeds, 1.3);
        double level = optimum + reached * fmax(1, fabs(optimum));
        units_to(seeds, level, units);
        for (size_t s = 0; s < seeds; s++) seconds[s] = trail_seconds(&all[s], level);
        double typical = median(seconds, seeds);
        printf("| %s | %.3f | %.2f | %.2f | %.2f | %.1f of %g%s |\n", r->name, units[seeds - 1],
               typical, seconds[seeds - 1], by_slopes, typical / by_slopes, r->bar,
               judge(typical <= r->bar * by_slopes));
        fflush(stdout);
        bench_close(&b);
    }
}

/* zosgd with the best of eight steps, the same for all seeds: multiples of the one that it ended with by itself. */
static double best_tuned(const bench_problem *b, const bench_options *o, size_t seeds, double units)
{
    static const double times[] = {0.03, 0.1, 0.3, 1, 3, 10, 30, 100};
    double least = INFINITY, end[MOST_SEEDS];
    zo_settings first = settings_with(o, "zosgd", 0);
    end_by(b, &first, units);
    for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
        for (size_t s = 0; s < seeds; s++) {
            zo_settings set = settings_with(o, "zosgd", s);
            set.step = times[k] * first.step;
            end[s] = end_by(b, &set, units);
            if (!isfinite(end[s])) end[s] = INFINITY;
        }
        least = fmin(least, median(end, seeds));
    }
    return least;
}

/* How far F falls with next to nothing to spend, beside zosgd with the best of a few steps. */
static void part_tiny(size_t seeds)
{
    static const double units[] = {0.0005, 0.002, 0.01, 0.05};
    printf(
        "| F(0) - F at the end of | .0005, tuned | .002, tuned | .01, tuned | .05, tuned units |\n"
        "|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof tiny_rows / sizeof *tiny_rows; k++) {
        static bench_problem b;
        bench_options o;
        const row *r = &tiny_rows[k].of;
        if (!open_row(&b, r, r->l2, &o)) continue;
        double *zero = calloc(b.asked.d, sizeof *zero), first = objective_at(&b.clean, zero);
        printf("| %s |", r->name);
        for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
            double end[MOST_SEEDS];
            if (units[u] > tiny_rows[k].most) {
                printf(" |");
                continue;
            }
            for (size_t s = 0; s < seeds; s++) end[s] = end_with(&b, &o, s, units[u]);
            double fall = first - median(end, seeds), tuned = best_tuned(&b, &o, seeds, units[u]);
            printf(" %.2e, %.2e%s |", fall, first - tuned,
                   judge(fall > 0 && fall >= r->bar * (first - tuned)));
            fflush(stdout);
        }
        printf("\n");
        free(zero);
        bench_close(&b);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        size_t seeds;
        void (*run)(size_t seeds);
    } parts[] = {{"far", 5, part_far},       {"ridge", 8, part_ridge},
                 {"budget", 5, part_budget}, {"outliers", 5, part_outliers},
                 {"shared", 1, part_shared}, {"large", 3, part_large},
                 {"tiny", 3, part_tiny}};
    for (size_t k = 0; argc > 1 && k < sizeof parts / sizeof *parts; k++) {
        if (strcmp(argv[1], parts[k].name)) continue;
        size_t seeds = argc > 2 ? (size_t)atoi(argv[2]) : parts[k].seeds;
        if (seeds < 1 || seeds > MOST_SEEDS) break;
        if (argc > 3) word = argv[3];
        parts[k].run(seeds);
        return missed;
    }
    fprintf(stderr,
            "usage: rough far|ridge|budget|outliers|shared|large|tiny [SEEDS [WORD]], at most %d "
            "seeds\n",
            MOST_SEEDS);
    return 2;
}
