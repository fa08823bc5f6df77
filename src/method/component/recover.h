/* inq: directions of new components that are recovered.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_COMPONENT_RECOVER_H
#define ZO_METHOD_COMPONENT_RECOVER_H

#include "method/component/state.h"

int inq_begin_recovery(inq *s); /* 1: new components are asked so */
void inq_ask_recovery(inq *s, zo_fan *fan);
/* 1: all are in; those to be asked in full are in the queue's tail. */
int inq_learn_recovered(inq *s, const double *answers);
void inq_start_here(inq *s); /* the last point is where slopes are alive */
int inq_leave_start(inq *s); /* 1: they were asked at the start, and not at x */

#endif
