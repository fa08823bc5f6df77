/* History: every evaluation in a file as it comes, and those of earlier runs, which are not asked again.
 * SPDX-License-Identifier: MIT
 *
 * An evaluation is (x, component) -> value. Its number is its place in the order of asking, which depends on nothing but
 * the run; the file has them in the order of coming. What is read back is sorted by point, component, number and value, so
 * it never depends on who was faster. Each is used once: a black box with noise that is asked twice answers twice. */
#ifndef ZO_HISTORY_H
#define ZO_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "zoprox.h"

typedef struct evaluation {
    uint64_t number;
    const double *x;       /* d */
    uint64_t component;    /* NO_COMPONENT: value is the mean over all */
    double value, seconds; /* NaN: it failed; not known */
    const char *failure;   /* in words, or NULL */
} evaluation;

#define NO_COMPONENT UINT64_MAX

/* A run begins after so many evaluations: their answers are in its state, and are not given again. */
void history_seek(zo_history *h, uint64_t number);
/* The number of the first of count evaluations that a fan asks; they are behind us only when it is answered. */
uint64_t history_next(const zo_history *h);
void history_answered(zo_history *h, uint64_t count);
int history_knows(const zo_history *h); /* 1: something can be taken */
/* An answer of earlier runs. 0: there is none (left). In the order of asking, by one thread. */
int history_take(zo_history *h, const double *x, uint64_t component, double *value);
/* What has come; from any thread. What goes wrong is told by history_trouble. */
void history_add(zo_history *h, const evaluation *e);
void history_tick(zo_history *h);                        /* nothing has come for a while */
void history_settle(zo_history *h);                      /* nothing more comes: all of it is out */
zo_status history_trouble(zo_history *h, zo_error *err); /* ZO_OK, or what ended the writing */

#endif
