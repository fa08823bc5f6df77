/* Choosing settings on some seeds, and reporting them on others.
 * SPDX-License-Identifier: MIT */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median_of(double *v, size_t count)
{
    qsort(v, count, sizeof *v, by_value);
    return count % 2                      ? v[count / 2]
           : v[count / 2 - 1] == INFINITY ? INFINITY
                                          : (v[count / 2 - 1] + v[count / 2]) / 2;
}

static double score_of(const study *u, const trial *t, size_t seeds)
{
    double gap[256];
    for (size_t s = 0; s < seeds; s++) gap[s] = trial_gap(u, &t[s]);
    return median_of(gap, seeds);
}

static void fill(trial *t, const zo_settings *set, uint64_t seed, double units, double every,
                 int role)
{
    memset(t, 0, sizeof *t);
    t->set = *set;
    t->set.seed = seed;
    t->units = units;
    t->every = every;
    t->role = role;
}

typedef struct ranked {
    double score;
    size_t index;
} ranked;

/* Ties go to the first in the grid, so that the choice never depends on the order of finishing. */
static int by_score(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* One rung: the settings rank[0..count) with so many units; they leave sorted by score. */
static int rung(study *u, const char *title, const zo_settings *set, ranked *rank, size_t count,
                uint64_t seed, size_t seeds, double units, double every, choice *out)
{
    trial *t = malloc(count * seeds * sizeof *t);
    if (!t) return complain(FAILED, "%s: out of memory for %zu trials", title, count * seeds);
    for (size_t k = 0; k < count; k++)
        for (size_t s = 0; s < seeds; s++)
            fill(&t[k * seeds + s], &set[rank[k].index], seed + s, units, every, SELECT);
    int code = study_run(u, title, t, count * seeds);
    for (size_t k = 0; k < count && !code; k++) {
        for (size_t s = 0; s < seeds; s++) {
            const trial *one = &t[k * seeds + s];
            out->tried++;
            out->diverged += one->status == TRIAL_DIVERGED;
            if (one->status == TRIAL_FAILED)
                code = complain(REFUSED, "%s: %s", title, one->warning);
            if (code) break;
        }
        rank[k].score = score_of(u, &t[k * seeds], seeds);
    }
    free(t);
    qsort(rank, count, sizeof *rank, by_score);
    return code;
}

/* How many go on from a rung: a third, of four rungs at least two, as a last one of one chooses nothing. */
static size_t best_third(size_t left, int rungs)
{
    size_t third = (left + 2) / 3, least = rungs > 3 && left > 1 ? 2 : 1;
    return third > least ? third : least;
}

int study_choose(study *u, const char *title, const zo_settings *set, size_t count, uint64_t seed,
                 size_t seeds, double units, double every, int rungs, choice *out, double *scores)
{
    ranked *rank = malloc(count * sizeof *rank);
    memset(out, 0, sizeof *out);
    if (!rank) return complain(FAILED, "%s: out of memory", title);
    for (size_t k = 0; k < count; k++) rank[k] = (ranked){INFINITY, k};
    int code = DONE;
    size_t left = count, of = (size_t)rungs;
    for (int k = rungs - 1; k >= 0 && !code; k--) {
        double part = pow(3, k);
        size_t some = (seeds * (of - (size_t)k) + of - 1) / of; /* what falls out early needs few */
        code = rung(u, title, set, rank, left, seed, some, units / part, fmin(every, units / part),
                    out);
        if (k > 0) left = best_third(left, rungs);
    }
    for (size_t k = 0; scores && k < count; k++)
        scores[rank[k].index] = k < left ? rank[k].score : NAN;
    out->best = rank[0].index;
    out->score = rank[0].score;
    free(rank);
    return code;
}

int study_report(study *u, const char *title, const zo_settings *set, uint64_t seed, size_t seeds,
                 double units, double every, trial *t)
{
    for (size_t s = 0; s < seeds; s++)
        fill(&t[s], set, seed + REPORT_SEEDS + s, units, every, REPORT);
    return study_run(u, title, t, seeds);
}
