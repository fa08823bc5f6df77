/* What is left of a budget that does not pay for a method's first step.
 * SPDX-License-Identifier: MIT
 *
 * Points around the best one are tried, F by F: +p and -p along random p, twice as far after a success, half as far after two
 * failures. Not much of a method, but every evaluation is used, and F never rises. */
#ifndef ZO_REST_H
#define ZO_REST_H

#include "solve/solver.h"

typedef struct rest {
    zo_solver *s;
    uint64_t drawn;
    int down; /* 1: -p is next */
    double length;
} rest;

rest rest_begin(zo_solver *s);
void rest_point(rest *r, double *x); /* the next one; work: the solver's */
void rest_told(rest *r, int better);

#endif
