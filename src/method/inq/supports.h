/* inq with noise: components that depend on a few coordinates each, as a loop of their own.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_INQ_SUPPORTS_H
#define ZO_METHOD_INQ_SUPPORTS_H

#include "method/inq/inq.h"

typedef enum supports_end {
    GO_ON,
    TO_CURVES,        /* there are none: curves go on */
    TO_MEAN,          /* they were not what they seemed: the mean goes on, */
    TO_MEAN_BY_MODEL, /* with the matrix that curves have told */
    AT_NOISE          /* the run is as good as noise allows */
} supports_end;

int supports_begin(inq *s);     /* 1: the first gradients show supports, and they are asked about */
int supports_by_curves(inq *s); /* 1: directions of curves show them */
supports_end supports_tell(inq *s, const double *answers);

/* The questions of its phases. */
void ask_axes(inq *s, zo_fan *fan);
void ask_groups(inq *s, zo_fan *fan);
void ask_members(inq *s, zo_fan *fan);
void ask_inside(inq *s, zo_fan *fan);
void ask_outside(inq *s, zo_fan *fan);
void ask_wider(inq *s, zo_fan *fan);
void ask_look(inq *s, zo_fan *fan);
void ask_step(inq *s, zo_fan *fan);

#endif
