/* The loss on top of residuals: f_i = w_i h(r_i - t_i).
 * SPDX-License-Identifier: MIT */
#ifndef ZO_OUTER_H
#define ZO_OUTER_H

#include "problem/problem.h"

/* Value, slope and a positive curvature in r_i; h NULL: the identity. Where h'' is negative or hardly there (far out, under
 * a loss that flattens) the curvature is a part of h'/r, that of the parabola which touches h from above. */
double outer_value(const zo_outer *h, size_t i, double r);
double outer_slope(const zo_outer *h, size_t i, double r);
double outer_bend(const zo_outer *h, size_t i, double r);

/* Answers fans of f_i by asking p for r_i, component by component. */
typedef struct composed composed;
zo_status composed_new(composed **out, const zo_problem *p, zo_error *err);
void composed_free(composed *c); /* takes NULL */
int composed_answer(void *composed, const zo_fan *fan, double *out);

/* Answers fans by p->all, on p->threads threads: each point once, however many components are asked. */
typedef struct whole whole;
zo_status whole_new(whole **out, const zo_problem *p, zo_error *err);
void whole_free(whole *w); /* takes NULL */
int whole_answer(void *whole, const zo_fan *fan, double *out);
zo_health whole_health(void *whole);
void whole_heed(void *whole, const zo_halt *halt);

#endif
