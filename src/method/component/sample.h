/* inq: the sample, and the points at which it was asked.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_COMPONENT_SAMPLE_H
#define ZO_METHOD_COMPONENT_SAMPLE_H

#include "method/component/state.h"

/* ---- sample.c: how large it is, questions, passes over it ------------------------------------------- */

double inq_affordable(const inq *s); /* components that the horizon can pay for */
double inq_least_size(const inq *s); /* a sample from which on its steps are cheap to judge */
uint64_t inq_first_size(const inq *s);
void ask_gradients(inq *s, zo_fan *fan);
void ask_fresh(inq *s, zo_fan *fan);
void ask_try(inq *s, zo_fan *fan);
void ask_values(inq *s, zo_fan *fan);
void ask_entered(inq *s, zo_fan *fan);
void inq_project(inq *s); /* now = u'x for the sample */
void inq_mark_new(inq *s);
void inq_sum_curves(inq *s);                       /* slope, bend, g at x */
double inq_mean_of(inq *s, const double *answers); /* values of all components */
double inq_mean_value(inq *s);                     /* mean of f over the sample */
/* Sum over the sample of one number for each component. */
double inq_total(inq *s, double (*of)(const inq *s, uint64_t i));
quad inq_quad(inq *s, double damping); /* of the model at x */

/* ---- points.c --------------------------------------------------------------------------------------- */

void inq_keep_point(inq *s); /* x becomes one that gradients are told at */
int inq_at_last_point(const inq *s);
int inq_all_told(const inq *s); /* is the value of every component at x known? */
void inq_keep_values(inq *s, const double *answers);
void inq_values_told(inq *s, int known); /* those of all components at x are known; or not */
/* The queue: at most count components of the sample that were not asked in full at x, those asked longest ago first. */
void inq_plan_stalest(inq *s, uint64_t count);

#endif
