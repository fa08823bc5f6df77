/* What each rule of inq is worth: units to a goal with it and without, on a problem where it matters.
 * SPDX-License-Identifier: MIT
 *
 *     rules [RULE ...]
 *
 * Means over two seeds of units to a part of the first gap, at most the budget. Fails where a rule of src/method/component/rules.h
 * has no problem here, or is not worth what its row says. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/component/rules.h"
#include "share/problem.h"
#include "share/trail.h"

enum { SEEDS = 2, WORDS = 16 };

#define GAUSSIAN "synth:kind=gaussian,n=1000,d=30 l1:1e-4 1e-4"
#define ONEHOT "synth:kind=onehot,n=10000,d=100 l1:1e-4 1e-4 4 group=10"
#define SOFTMAX "synth:kind=multiclass,classes=4,n=1000,d=20 l1:1e-4 1e-3 4 loss=softmax"

/* A rule that is not worth queries to a goal, but how well and how soon a run ends, has a test instead of a run. */
#define TEST "tests/inq/"

/* rule, run (DATA PSI L2 UNITS options), part of the first gap, worth: without it so many times the units, at least */
static const struct trial {
    const char *rule, *run;
    double goal, worth;
} trials[] = {
    {"samples", "synth:kind=gaussian,n=3000,d=20 l1:1e-4 1e-4 3", 1e-1, 5},
    {"little", "synth:kind=gaussian,n=40,d=60 l1:1e-3 1e-3 4", 1e-6, 1.2},
    {"gives-way", TEST "test_recovery.c: few_components_that_are_not_are_left_to_random_directions",
     0, 0},
    {"judges", GAUSSIAN " 4 loss=huber", 1e-3, 1.5},
    {"many-judges", "valley:600,20 zero 0 12", 1e-3, 1.05},
    {"new-gradient", "synth:kind=gaussian,n=1000,d=30 group-lasso:1e-3,5 1e-4 3", 1e-1, 1.2},
    {"boosts", GAUSSIAN " 3 loss=huber", 1e-1, 1.5},
    {"knots", "synth:kind=gaussian,n=3000,d=20 l1:1e-4 1e-4 3", 1e-6, 1.1},
    {"unbias", GAUSSIAN " 6 loss=sigmoid", 1e-6, 1.02},
    {"checked-mu", "synth:kind=gaussian,n=2000,d=50 l1:1e-4 1e-4 4", 1e-6, 1.5},
    {"origin", GAUSSIAN " 4 from=100", 1e-3, 1.5},
    {"bent", TEST "test_rough.c: small_slopes_along_one_column_are_slopes", 0, 0},
    {"walls", GAUSSIAN " 4 outliers=1e3", 1e-6, 1.5},
    {"across", GAUSSIAN " 4 loss=smooth-hinge", 1e-3, 1.03},
    {"renewals", TEST "test_inq.c: reaches_the_optimum", 0, 0},
    {"spans", "synth:kind=gaussian,n=2500,d=30 l1:1e-4 1e-4 8 group=5", 1e-3, 1.4},
    {"along", SOFTMAX, 1e-3, 2},
    {"no-span-first", ONEHOT, 1e-3, 1.05},
    {"span-ridge", SOFTMAX, 1e-3, 1.5},
    {"shapes", SOFTMAX, 1e-3, 1.5},
    {"beside", "valley:600,150 zero 0 4", 1e-3, 1.2},
    {"measured", "valley:800,40 zero 0 9", 1e-6, 1.1},
    {"scale-mu", "synth:kind=gaussian,n=4000,d=30 l1:1e-4 1e-4 8 group=20", 1e-3, 1.15},
    {"scale", ONEHOT, 1e-3, 1.05},
    {"shared", "quadratics:300,60,1000,0.3 zero 0 6", 1e-3, 2},
    {"weigh", "quadratics:300,60,1000,0.3 zero 0 6", 1e-6, 1.1},
    {"supports", "valley:600,50 zero 0 8 sigma=0.05", 1e-1, 2},
    {"groups", "valley:600,50 zero 0 8 sigma=0.05 method=supports", 1e-1, 1.4},
    {"words", "synth:kind=onehot,n=2000,d=100 l1:1e-4 1e-4 3", 1e-6, 1.4},
    {"splitting", "synth:n=1000,d=400,density=0.02 l1:1e-4 1e-4 3", 1e-6, 1.5},
    {"basis", "synth:kind=gaussian,n=800,d=100,rank=8 l1:1e-4 1e-4 3", 1e-6, 2},
    {"offset", TEST "test_recovery.c: rows_around_a_common_one_are_told_by_what_is_unusual", 0, 0},
    {"twins", "synth:kind=onehot,n=4000,d=40,density=0.15 l1:1e-4 1e-4 2", 1e-6, 1.3},
    {"at-start", "synth:kind=onehot,n=2000,d=100,noise=0 l1:1e-5 1e-4 3", 1e-6, 1.4},
};

/* Mean units to the goal; least: the least F that was seen, over both of the runs that are compared. */
static double run(const struct trial *t, const char *without, double *least, int seen)
{
    static trail all[SEEDS];
    static bench_problem b;
    char line[256], *word[WORDS];
    size_t words = 0;
    double mean = 0;
    snprintf(line, sizeof line, "%s", t->run);
    for (char *w = strtok(line, " "); w && words < WORDS; w = strtok(NULL, " ")) word[words++] = w;
    bench_options o = bench_defaults();
    for (size_t k = 4; k < words; k++) bench_option(&o, word[k]);
    snprintf(o.without, sizeof o.without, "%s", without);
    bench_open(&b, word[0], word[1], atof(word[2]), &o);
    double budget = atof(word[3]);
    for (unsigned s = 0; s < SEEDS; s++) trail_follow(&all[s], &b, &o.settings, s, budget);
    for (unsigned s = 0; s < SEEDS; s++)
        for (size_t r = 0; r < all[s].rows && !seen; r++)
            *least = fmin(*least, all[s].objective[r]);
    for (unsigned s = 0; s < SEEDS; s++) {
        double level = *least + t->goal * (all[s].objective[0] - *least);
        mean += fmin(trail_below(&all[s], level), budget) / SEEDS;
    }
    bench_close(&b);
    return mean;
}

static int measure(const struct trial *t, const char *meaning)
{
    if (!strncmp(t->run, TEST, strlen(TEST))) {
        printf("| %s | %s | %s | | |\n", t->rule, meaning, t->run);
        return 0;
    }
    double least = INFINITY, with = run(t, "", &least, 0), without = run(t, t->rule, &least, 1);
    int failed = !(without >= t->worth * with);
    printf("| %s | %s | `%s` to %g | %.3g | %.3g |%s\n", t->rule, meaning, t->run, t->goal, with,
           without, failed ? " NOT WORTH IT" : "");
    fflush(stdout);
    return failed;
}

static int wanted(const char *rule, int argc, char **argv)
{
    int found = argc < 2;
    for (int k = 1; k < argc; k++) found |= !strcmp(argv[k], rule);
    return found;
}

int main(int argc, char **argv)
{
    static const char *const rules[][2] = {
#define RULE_NAME(id, name, without) {name, without},
        INQ_RULES(RULE_NAME){"groups", "supports are sought axis by axis"},
#undef RULE_NAME
    };
    int failed = 0;
    printf("| rule | without it | on | units | without |\n|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
        size_t e = 0, count = sizeof trials / sizeof *trials;
        while (e < count && strcmp(trials[e].rule, rules[k][0])) e++;
        if (!wanted(rules[k][0], argc, argv)) continue;
        if (e < count) {
            failed |= measure(&trials[e], rules[k][1]);
        } else {
            printf("| %s | %s | nothing | | | NO PROBLEM\n", rules[k][0], rules[k][1]);
            failed = 1;
        }
    }
    return failed;
}
