/* Values with noise: how much there is, and over which lengths F bends beside it. Questions that methods share.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_NOISE_H
#define ZO_METHOD_NOISE_H

#include "method/core/method.h"

enum {
    NOISE_REPEATED = 16, /* components asked twice, to see noise */
    NOISE_FREE = 7,      /* repetitions of answers that it can be measured by */
    NOISE_MOST = 32,     /* components in such a question, copies included */
    LADDER_RUNGS = 4,    /* lengths at which a direction is asked, */
    LADDER_MANY = 64     /* of so many components */
};

/* The first few components of an order twice: an answer that is not the same again is noisy. Where that was fewer
 * repetitions than one can measure noise by (again), all of them so often that it is enough. comp: NOISE_MOST. */
void noise_ask(const method *m, const uint64_t *order, int again, uint64_t *comp, zo_fan *fan);
/* set.noise, with a note; 0: too few to go by, and more are to be asked. */
int noise_learn(method *m, int again, const double *answers);

/* No axis needs a longer radius than this: max(1, |x|_max). */
double method_farthest(const method *m);

/* rows: LADDER_RUNGS x d. One direction of signs at several lengths: how far is it until F bends? */
void ladder_rows(const method *m, double *rows);
/* That question, of the first of order. */
void ladder_ask(const method *m, const uint64_t *order, double *rows, zo_fan *fan);
/* 1/sqrt(h), h the mean curvature along an axis, by the shortest length at which the bend stands clear; INFINITY: none. */
double ladder_unit(const method *m, const double *answers);
/* The radius that is best for values of single components: where F bends by h along an axis, unit = 1/sqrt(h) times what it is
 * for h = 1. The automatic one grows with |x|, which serves curves well, but nothing else, and is far too long where unit is
 * below 1. longer: also where it is above. */
void ladder_radius(method *m, double unit, int longer);

#endif
