/* Means over draws with bounds of four standard errors, for tests of random quantities.
 * SPDX-License-Identifier: MIT */
#ifndef TALLY_H
#define TALLY_H

#include <math.h>

typedef struct tally {
    double n, sum, square;
} tally;

static inline void count(tally *t, double v)
{
    t->n++;
    t->sum += v;
    t->square += v * v;
}

static inline double mean(const tally *t) { return t->sum / t->n; }

/* 4 sqrt(variance/n); the last term is for draws that are all the same but for rounding */
static inline double error4(const tally *t)
{
    double m = mean(t);
    return 4 * sqrt(fmax(t->square / t->n - m * m, 0) / t->n) + 1e-12;
}

#endif
