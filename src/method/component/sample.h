/* inq: the sample, the points at which it was asked, and how new components enter.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_COMPONENT_SAMPLE_H
#define ZO_METHOD_COMPONENT_SAMPLE_H

#include "method/component/state.h"

/* Numbers that one component touches, about, for method_share: weight, mark, entry; its curve, and a few of its row. */
enum { FEW_NUMBERS = 8, CURVE_NUMBERS = 32 };

/* ---- sample.c: how large it is, questions, passes over it ------------------------------------------- */

double inq_affordable(const inq *s); /* components that the horizon can pay for */
/* Can all be paid for now, and no longer after the steps of a sample of so many? */
int inq_last_chance(const inq *s, double next);
/* 1: components are few beside d, and the horizon does not pay for all of them: unless a few tell about the others zosgd is ahead. */
int inq_gives_way(const inq *s);
/* 1: it pays for a longer look at what they have in common. */
int inq_looks_on(const inq *s, double common);
double inq_next_size(const inq *s);
double inq_least_size(const inq *s); /* a sample from which on its steps are cheap to judge */
uint64_t inq_first_size(const inq *s);
double inq_span_radius(const inq *s, double r); /* of full gradients with spans; r: of one */
void ask_gradients(inq *s, zo_fan *fan);
void ask_fresh(inq *s, zo_fan *fan);
void ask_try(inq *s, zo_fan *fan);
void ask_values(inq *s, zo_fan *fan);
void ask_entered(inq *s, zo_fan *fan);
void inq_project(inq *s); /* now = u'x for the sample */
/* list and voices of the sample: made again when it has grown, or after inq_relist: somebody else speaks for a component. */
void inq_list(inq *s);
void inq_relist(inq *s);
void inq_sum_curves(inq *s);                       /* slope, bend, g at x */
double inq_mean_of(inq *s, const double *answers); /* values of all components */
double inq_mean_value(inq *s);                     /* mean of f over the sample */
/* Sum over the sample of one number for each component. */
double inq_total(inq *s, double (*of)(const inq *s, uint64_t i));
/* The same of two, in one pass over the components. */
typedef struct inq_pair {
    double one, two;
} inq_pair;
inq_pair inq_totals(inq *s, inq_pair (*of)(const inq *s, uint64_t i));
quad inq_quad(inq *s, double damping); /* of the model at x */

/* ---- points.c --------------------------------------------------------------------------------------- */

void inq_keep_point(inq *s); /* x becomes one that gradients are told at */
int inq_at_last_point(const inq *s);
int inq_all_told(const inq *s); /* is the value of every component at x known? */
void inq_keep_values(inq *s, const double *answers);
/* The queue: at most count components of the sample that were not asked in full at x, those asked longest ago first. */
void inq_plan_stalest(inq *s, uint64_t count);

/* ---- recover.c: directions of new components that are recovered ---------------------------------------- */

double inq_in_common(inq *s);   /* mean cos^2 of the angles between two directions */
int inq_begin_recovery(inq *s); /* 1: new components are asked so */
void inq_ask_recovery(inq *s, zo_fan *fan);
/* 1: all are in; those to be asked in full are in the queue's tail. */
int inq_learn_recovered(inq *s, const double *answers);
void inq_start_here(inq *s); /* the last point is where slopes are alive */
int inq_leave_start(inq *s); /* 1: they were asked at the start, and not at x */

#endif
