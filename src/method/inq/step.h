/* inq: which candidate is tried, and what values say of it.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_INQ_STEP_H
#define ZO_METHOD_INQ_STEP_H

#include "method/component/component.h"

typedef enum inq_verdict {
    ANOTHER,        /* another candidate is to be tried */
    BETTER,         /* offer[pick] is the step to take, */
    BETTER_AS_TOLD, /* and the answers are the values of all components there */
    NO_BETTER,
    TOO_LONG /* none is better, and the shortest was the best of them */
} inq_verdict;
void inq_model(inq *s);                           /* g and matrix at x, by curves or by spans */
void inq_offer(inq *s);                           /* candidates for the sample's model */
void inq_offer_point(inq *s);                     /* cand's first is the only candidate */
void inq_offer_full(inq *s);                      /* one candidate, at step.damping */
void inq_solve_full(inq *s, const double *start); /* it is found from there */
double inq_unit(const inq *s);                    /* a curvature to measure damping by */
void inq_residual(inq *s, double most);
int inq_says_little(inq *s);       /* 1: the sample is too small for any step */
void inq_no_steps(inq *s);         /* so far */
void inq_new_sample(inq *s);       /* begins at x */
void inq_new_round_of_all(inq *s); /* F(x) is what its steps are judged by */
void inq_boost(inq *s);            /* all candidates were too long: others, more damped */
void inq_take(inq *s);             /* offer[pick] is the step that is taken */
int inq_is_judged(inq *s);         /* are the values at x of those who judge known? */
void inq_keep_judgement(inq *s, size_t count, const double *answers); /* they are these */
inq_verdict inq_judge_sample(inq *s, const double *answers);
inq_verdict inq_judge_full(inq *s, const double *answers);

#endif
