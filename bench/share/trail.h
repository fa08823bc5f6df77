/* One run of a method on a problem of share/problem.h, followed step by step.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_BENCH_TRAIL_H
#define ZO_BENCH_TRAIL_H

#include "share/problem.h"

enum { MOST_ROWS = 4096 };

typedef struct trail {
    size_t rows;
    double units[MOST_ROWS], objective[MOST_ROWS]; /* after each change of the point; exact F */
    double spent[MOST_ROWS];                       /* seconds until then, without watching */
    double seconds, answering; /* in all, without watching; of it spent on answers */
    double stated, found; /* residual at the end: as stated, and (b's residual: 1) the true one */
    uint64_t hash;        /* of every point the run stood at, and of the queries asked until then */
    char chosen[256];
} trail;

void trail_follow(trail *t, const bench_problem *b, const zo_settings *given, uint64_t seed,
                  double units);
double trail_below(const trail *t, double level); /* units until F <= level; or infinity */
double trail_now(void);                           /* seconds of processor time of this process */
double trail_seconds(const trail *t, double level);

#endif
