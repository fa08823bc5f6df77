/* How far a run has come, for those who watch: passed on ten times a second at most.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_PACE_H
#define ZO_PACE_H

#include "solve/solver.h"

typedef struct pace {
    const zo_solver *s;
    const zo_control *c;
    uint64_t budget;      /* queries */
    double begun;         /* clock at the start, less the seconds of earlier runs */
    double since;         /* clock when this run began, */
    uint64_t first;       /* and the queries */
    uint64_t first_step;  /* and the steps before it */
    double shown;         /* clock when it was passed on */
    const zo_fan *asked;  /* the question at hand; or NULL */
    int watching;         /* 1: it only looks at F */
    uint64_t answered;    /* of its queries */
    int busy, workers;    /* as last told */
    double objective;     /* as last seen */
    double left, left_at; /* seconds, as of this clock */
    uint64_t left_done;   /* and of so many queries */
} pace;

double pace_clock(void);
void pace_begin(pace *p, const zo_solver *s, const zo_control *c, uint64_t budget);
/* A question begins; watching: it only looks at F. NULL: it was answered, or given up. */
void pace_ask(pace *p, const zo_fan *fan, int watching);
/* As zo_halt.told; ctx is a pace. */
void pace_told(void *ctx, uint64_t answered, uint64_t asked, int busy, int workers);

#endif
