/* Synthetic data within its files: what is wanted, and what is being made.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_DATA_SYNTH_H
#define ZO_DATA_SYNTH_H

#include <stddef.h>
#include <stdint.h>

#include "zoprox.h"

enum kind { ONEHOT, GAUSSIAN, REGRESSION, MULTICLASS, KINDS };
enum stream { ENTRY, GAP, WEIGHT, CHOICE, NOISE, MIRROR }; /* what a draw is for */

typedef struct recipe {
    double n, d, density, noise, positive, kappa, rank, classes, seed, kind;
} recipe;

typedef struct maker {
    recipe r;
    uint64_t seed;
    size_t n, d, groups, entries, room;
    int dense;
    uint64_t *row;
    uint32_t *col;
    double *val, *label;
    double *scale;   /* d: the spectrum; onehot: cumulative frequencies */
    double *mirror;  /* 2 d: unit vectors of two reflections, whose product is Q */
    double *normal;  /* scratch: max(d, groups + 2) */
    uint32_t *start; /* groups + 1: first column of each group */
} maker;

/* Draws for a row, or for a class, have counters of their own. */
static inline uint64_t place(enum stream s, uint64_t row) { return (uint64_t)s << 40 | row; }

zo_status synth_features(maker *m, zo_error *err); /* row, col, val; scale and start */
zo_status synth_labels(maker *m, zo_error *err);   /* label, from the features */

#endif
