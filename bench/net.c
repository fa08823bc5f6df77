/* The safety net of inq: recorded runs, as hashes of trajectories and as units to 1e-1, 1e-3 and 1e-6 of the first gap.
 * SPDX-License-Identifier: MIT
 *
 *     net RUNS RECORDED [record] [short|NAME ...]
 *
 * Runs each row of RUNS with two seeds, compares with RECORDED and prints a line for each; with `record` RECORDED is
 * written anew. Fails where units to a goal are more than 3 % above the recorded ones, or their median ratio is above 1;
 * another hash alone is told, and fails with NET=strict. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "share/problem.h"
#include "share/trail.h"

enum { SEEDS = 2, GOALS = 3, MOST = 256, WORDS = 24 };
static const double goals[GOALS] = {1e-1, 1e-3, 1e-6};
static const double most_worse = 1.03;

typedef struct result {
    char name[32];
    unsigned seed;
    uint64_t hash;
    double optimum, units[GOALS];
} result;

typedef struct book {
    size_t count;
    result row[MOST];
} book;

static void read_book(book *b, const char *path)
{
    char line[512];
    FILE *file = fopen(path, "r");
    if (!file) return;
    while (b->count < MOST && fgets(line, sizeof line, file)) {
        result *r = &b->row[b->count];
        unsigned long long hash;
        if (sscanf(line, "%31s %u %llx %lf %lf %lf %lf", r->name, &r->seed, &hash, &r->optimum,
                   &r->units[0], &r->units[1], &r->units[2]) != 7)
            continue;
        r->hash = hash;
        b->count++;
    }
    fclose(file);
}

static const result *find(const book *b, const char *name, unsigned seed)
{
    for (size_t k = 0; k < b->count; k++)
        if (!strcmp(b->row[k].name, name) && b->row[k].seed == seed) return &b->row[k];
    return NULL;
}

static void print_result(FILE *to, const result *r)
{
    fprintf(to, "%-18s %u %016llx %.17g", r->name, r->seed, (unsigned long long)r->hash,
            r->optimum);
    for (size_t g = 0; g < GOALS; g++) fprintf(to, " %.9g", r->units[g]);
    fprintf(to, "\n");
}

/* The optimum is the recorded one, so that a run that gets further is not compared with itself. */
static void run_row(char **word, size_t words, const book *old, book *new)
{
    static trail all[SEEDS];
    static bench_problem b;
    char path[1024];
    const char *spec = word[2], *folder = getenv("ZOPROX_DATA");
    bench_options o = bench_defaults();
    if (!strchr(spec, ':')) {
        FILE *there;
        snprintf(path, sizeof path, "%s/%s.xz", folder ? folder : ".", spec);
        if (!folder || !(there = fopen(path, "r"))) {
            printf("%-18s left out: %s.xz is not in $ZOPROX_DATA\n", word[0], spec);
            return;
        }
        fclose(there);
        spec = path;
    }
    for (size_t k = 6; k < words; k++) bench_option(&o, word[k]);
    bench_open(&b, spec, word[3], atof(word[4]), &o);
    double least = INFINITY;
    for (unsigned s = 0; s < SEEDS; s++) {
        trail_follow(&all[s], &b, &o.settings, s, atof(word[5]));
        for (size_t r = 0; r < all[s].rows; r++) least = fmin(least, all[s].objective[r]);
    }
    for (unsigned s = 0; s < SEEDS; s++) {
        const result *was = find(old, word[0], s);
        result *r = &new->row[new->count++];
        *r = (result){.seed = s, .hash = all[s].hash, .optimum = was ? was->optimum : least};
        snprintf(r->name, sizeof r->name, "%s", word[0]);
        for (size_t g = 0; g < GOALS; g++)
            r->units[g] =
                trail_below(&all[s], r->optimum + goals[g] * (all[s].objective[0] - r->optimum));
    }
    bench_close(&b);
}

/* Prints new beside old; the ratios go to ratio. Returns 1 where it is worse than allowed. */
static int compare(const result *new, const result *old, double *ratio, size_t *ratios,
                   int *changed)
{
    int worse = 0;
    printf("%-18s %u %s", new->name, new->seed, new->hash == old->hash ? "same   " : "changed");
    *changed += new->hash != old->hash;
    for (size_t g = 0; g < GOALS; g++) {
        double by = new->units[g] / old->units[g];
        if (isinf(new->units[g]) && isinf(old->units[g])) by = 1;
        printf("  %8.4f", new->units[g]);
        if (by != 1) printf(" (%.4f)", old->units[g]);
        if (by > most_worse) printf(" WORSE"), worse = 1;
        ratio[(*ratios)++] = by;
    }
    printf("\n");
    return worse;
}

static int wanted(char **word, int argc, char **argv, int first)
{
    if (first >= argc) return 1;
    for (int k = first; k < argc; k++)
        if (!strcmp(argv[k], word[0]) || !strcmp(argv[k], word[1])) return 1;
    return 0;
}

/* A row whose name is not run this time keeps what was recorded. */
static int record(const char *path, const book *old, const book *new)
{
    FILE *file = fopen(path, "w");
    if (!file) return 1;
    fprintf(file, "# Recorded by bench/net: NAME SEED HASH OPTIMUM, units to 1e-1, 1e-3, 1e-6 of "
                  "the first gap.\n");
    for (size_t k = 0; k < old->count; k++)
        if (!find(new, old->row[k].name, old->row[k].seed)) print_result(file, &old->row[k]);
    for (size_t k = 0; k < new->count; k++) print_result(file, &new->row[k]);
    return fclose(file) != 0;
}

int main(int argc, char **argv)
{
    static book old, new;
    static double ratio[MOST * GOALS];
    size_t ratios = 0;
    int failed = 0, changed = 0, first = 3, recording;
    char line[512], *word[WORDS];
    FILE *runs = argc < 3 ? NULL : fopen(argv[1], "r");
    if (!runs) {
        fprintf(stderr, "usage: net RUNS RECORDED [record] [short|long|NAME ...]\n");
        return 2;
    }
    read_book(&old, argv[2]);
    recording = argc > 3 && !strcmp(argv[3], "record");
    first += recording;
    while (fgets(line, sizeof line, runs)) {
        size_t words = 0, before = new.count;
        for (char *w = strtok(line, " \n"); w && words < WORDS; w = strtok(NULL, " \n"))
            word[words++] = w;
        if (words < 6 || word[0][0] == '#' || !wanted(word, argc, argv, first)) continue;
        run_row(word, words, &old, &new);
        for (size_t k = before; k < new.count; k++) {
            const result *was = find(&old, new.row[k].name, new.row[k].seed);
            if (was)
                failed |= compare(&new.row[k], was, ratio, &ratios, &changed);
            else
                print_result(stdout, &new.row[k]);
        }
        fflush(stdout);
    }
    fclose(runs);
    if (ratios) {
        qsort(ratio, ratios, sizeof *ratio, rising);
        double median = ratio[ratios / 2];
        printf("median ratio %.4f, %d of %zu trajectories changed\n", median, changed, new.count);
        failed |= median > 1;
    }
    if (recording) return record(argv[2], &old, &new);
    const char *strict = getenv("NET");
    return failed || (strict && !strcmp(strict, "strict") && changed);
}
