/* Problems answer fans. What the layers above may ask of one.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_PROBLEM_H
#define ZO_PROBLEM_H

#include "zoprox.h"

/* Answers fans with a value function, one point at a time, on p->threads threads. */
typedef struct callback callback;
zo_status callback_new(callback **out, const zo_problem *p, zo_error *err);
int callback_answer(void *callback, const zo_fan *fan, double *out);
void callback_free(callback *c);

#endif
