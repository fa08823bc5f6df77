/* inq: a few components that bend over far shorter lengths than the others.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_INQ_WALLS_H
#define ZO_METHOD_INQ_WALLS_H

#include "method/component/component.h"

/* outliers.c: who is one */
int walls_seen(inq *s); /* 1: a few components are so steep that samples say nothing of them, */
int walls_lead_home(inq *s);       /* 1: and steps were taken without them */
inq_next walls_begin_rows(inq *s); /* all are known: directions of these are asked for again */
void ask_wall_rows(inq *s, zo_fan *fan);
void walls_learn_row(inq *s, const double *answers);
void walls_find(inq *s, const double *answers); /* of all at a refused step */

/* walls.c */
void walls_queue(inq *s); /* all of them */
void walls_stray(inq *s);
void walls_moved(inq *s);
int walls_return(inq *s);     /* 1: they are asked at x first */
inq_next walls_begin(inq *s); /* cand is the step that the model offers */
void ask_walls(inq *s, zo_fan *fan);
void walls_learn(inq *s, const double *answers);
inq_next walls_told(inq *s);
/* The part of a step so long, in a random direction, within which no wall is crossed. */
double walls_within(const inq *s, double far);

#endif
