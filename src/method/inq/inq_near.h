/* inq: the end of a noisy run, within its files.
 * SPDX-License-Identifier: MIT
 *
 * Values have noise of standard deviation sigma, so means of n have eps = sigma/sqrt(n); along axis j the mean changes
 * with the m_j components that depend on x_j alone, and its noise is eps_j = sigma sqrt(m_j)/n: eps where that is not
 * known. */
#ifndef ZO_METHOD_INQ_NEAR_H
#define ZO_METHOD_INQ_NEAR_H

#include <math.h>

#include "method/inq/inq.h"

enum {
    CLEAR = 64,       /* the curvature along an axis, in noise levels */
    MOST_LOOKS = 3,   /* radii are corrected so often before a step */
    MOST_REFUSED = 8, /* in a row */
    DOUBTED = 4       /* after a forward look */
};

static inline double near_level(const inq *s, double components)
{
    return s->base.set.noise / sqrt(components);
}
static inline double near_eps(const inq *s) { return near_level(s, (double)s->base.n); }

/* No axis needs a longer radius than this. */
static inline double near_longest(const inq *s)
{
    double most = 1;
    for (size_t j = 0; j < s->base.d; j++) most = fmax(most, fabs(s->base.x[j]));
    return most;
}

/* inq_near.c */
void near_reset(inq *s);
void near_from_model(inq *s);
double near_radius(const inq *s, size_t j); /* of the look at hand */

/* inq_near_step.c */
double near_mean_bend(const inq *s);
void near_end(inq *s);
double near_least(const inq *s); /* a decrease below it is not worth a step */
void near_from_axes(inq *s);     /* matrix = h_jj */
void near_fit_diagonal(inq *s);  /* matrix with the h_jj that were measured */
void near_learn_change(inq *s);  /* matrix from the change of slopes over the last step */
void near_try_step(inq *s);
void near_tell_step(inq *s, const double *answers);

#endif
