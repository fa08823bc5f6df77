/* What several benches use.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_BENCH_SHARE_H
#define ZO_BENCH_SHARE_H

#include "zoprox.h"

void must(zo_status status, const zo_error *e); /* or say why, and end */
int rising(const void *a, const void *b);       /* qsort: numbers */

/* Numbers from a state that is not 0. */
double uniform(uint64_t *state);
double normal(uint64_t *state); /* the sum of twelve uniforms will do */

double objective_at(const zo_problem *p, const double *x);
/* |x - prox(x - g)|, g from central differences of the mean over all components, radius 1e-5: good to about 1e-10. */
double true_residual(const zo_problem *p, const double *x);

/* Components that are means of size rows each, in random order, with noise. */
typedef struct grouped {
    zo_problem of;
    size_t size;
    double noise;
    uint64_t *row; /* of.n, in random order */
    uint64_t state;
} grouped;
zo_problem group_rows(grouped *g, const zo_problem *p, size_t size, double noise);

#endif
