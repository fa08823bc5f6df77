/* inq: components of several indices, as the loop sees them.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_SUBSPACES_H
#define ZO_METHOD_SUBSPACES_H

#include "method/component/component.h"

/* subspaces.c: the kind; lessons and what comes after them */
extern const component_kind subspace_kind;
inq_next subspaces_enter(inq *s, const double *answers); /* of a spot check: from curves to spans */
inq_next subspaces_rest_told(inq *s);                    /* the tail of those recovered */
inq_next subspaces_beside(inq *s);                       /* values with other coordinates moved */
inq_next subspaces_told(inq *s);                         /* gradients */
inq_next subspaces_renewed(inq *s);                      /* slopes along spans */

/* span_learn.c */
void inq_learn_again(inq *s, const double *answers); /* full gradients, */
void inq_learn_rest(inq *s, const double *answers);  /* of new components */
void ask_spans(inq *s, zo_fan *fan);
void inq_learn_spans(inq *s, const double *answers); /* slopes along the span */

/* curvature.c */
void ask_curvature(inq *s, zo_fan *fan);
void curvature_learn(inq *s, const double *answers);
int curvature_fits(const inq *s); /* of what was read from a file */

/* beside.c */
void ask_beside(inq *s, zo_fan *fan);
void inq_learn_beside(inq *s, const double *answers); /* others: to the queue's tail */

/* scaling.c */
void ask_scale(inq *s, zo_fan *fan);
void inq_learn_scale(inq *s, const double *answers);

/* shared.c */
size_t inq_whole_sample(const inq *s); /* components whose second differences are asked for */
void ask_whole(inq *s, zo_fan *fan);
inq_next shared_learn_whole(inq *s, const double *answers);
void inq_weigh(inq *s, const double *z, const double *values); /* of all at z: weights */

/* guess.c */
int inq_shape_fits(const inq *s); /* of what was read from a file */

#endif
