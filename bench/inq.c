/* Units to reach a gap of 1e-3, 1e-6 and 1e-10: medians and worst over seeds, and the time beside the queries.
 * SPDX-License-Identifier: MIT
 *
 *     inq DATA PSI L2 SEEDS UNITS OPTIMUM [NAME=VALUE ...]
 *
 * DATA and NAME=VALUE as in share/problem.h; PSI as in --prox; OPTIMUM: a number, or - for the least F that any seed
 * reached. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "share/problem.h"
#include "share/trail.h"

enum { MOST_SEEDS = 64 };

static double gap_at(const trail *t, double units, double optimum)
{
    double gap = INFINITY;
    for (size_t k = 0; k < t->rows && t->units[k] <= units; k++) gap = t->objective[k] - optimum;
    return gap;
}

static void print_row(const char *name, const zo_problem *p, const trail *all, size_t seeds,
                      double optimum)
{
    static const double gaps[] = {1e-3, 1e-6, 1e-10}, marks[] = {0.1, 1, 3, 10, 30};
    double u[MOST_SEEDS], seconds = 0, answering = 0;
    printf("%s n %zu d %zu F* %.16g | units", name, p->n, p->d, optimum);
    for (size_t g = 0; g < 3; g++) {
        for (size_t k = 0; k < seeds; k++) u[k] = trail_below(&all[k], optimum + gaps[g]);
        qsort(u, seeds, sizeof *u, rising);
        printf(" %.3f (%.3f)", u[(seeds - 1) / 2], u[seeds - 1]);
    }
    printf(" | gaps at .1 1 3 10 30");
    for (size_t g = 0; g < 5; g++) {
        for (size_t k = 0; k < seeds; k++) u[k] = gap_at(&all[k], marks[g], optimum);
        qsort(u, seeds, sizeof *u, rising);
        printf(" %.1e", u[(seeds - 1) / 2]);
    }
    for (size_t k = 0; k < seeds; k++) seconds += all[k].seconds, answering += all[k].answering;
    printf(" | 1+8/d %.3f | %.3f s, answers %.3f s", 1 + 8 / (double)p->d, seconds / (double)seeds,
           answering / (double)seeds);
    printf(" | end %.3f gap %.1e\n", all[0].units[all[0].rows - 1],
           all[0].objective[all[0].rows - 1] - optimum);
}

int main(int argc, char **argv)
{
    if (argc < 7) {
        fprintf(stderr, "usage: inq DATA PSI L2 SEEDS UNITS OPTIMUM [NAME=VALUE ...]\n");
        return 2;
    }
    static trail all[MOST_SEEDS];
    static bench_problem b;
    bench_options o = bench_defaults();
    for (int k = 7; k < argc; k++) bench_option(&o, argv[k]);
    size_t seeds = (size_t)atoi(argv[4]);
    bench_open(&b, argv[1], argv[2], atof(argv[3]), &o);
    double optimum = strcmp(argv[6], "-") ? atof(argv[6]) : INFINITY;
    for (size_t k = 0; k < seeds; k++) {
        trail_follow(&all[k], &b, &o.settings, k, atof(argv[5]));
        for (size_t r = 0; r < all[k].rows && !strcmp(argv[6], "-"); r++)
            optimum = fmin(optimum, all[k].objective[r]);
    }
    print_row(strrchr(argv[1], '/') ? strrchr(argv[1], '/') + 1 : argv[1], &b.asked, all, seeds,
              optimum);
    for (size_t r = 0; r < all[0].rows && o.verbose; r++)
        printf("  %.4f %.3e\n", all[0].units[r], all[0].objective[r] - optimum);
    if (o.verbose) printf("%s\n", all[0].chosen);
    bench_close(&b);
    return 0;
}
