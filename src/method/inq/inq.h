/* inq: what its loop goes by. Steps, walls, the proof of the end.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_INQ_H
#define ZO_METHOD_INQ_H

#include "method/component/component.h"

/* step.c: which candidate is tried, and what values say of it */
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
/* 1: what is left of the gradient is less than that. */
int inq_residual(inq *s, double least, double most);
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

/* outliers.c: who is a wall */
inq_next walls_first(inq *s); /* ROUND: nothing comes before a round */
void ask_wall_rows(inq *s, zo_fan *fan);
void walls_learn_row(inq *s, const double *answers);
void walls_find(inq *s, const double *answers); /* of all at a refused step */

/* walls.c: a few components that bend over far shorter lengths than the others */
void walls_queue(inq *s); /* all of them */
void walls_stray(inq *s);
void walls_moved(inq *s);
int walls_return(inq *s);     /* 1: they are asked at x first */
inq_next walls_begin(inq *s); /* cand is the step that the model offers */
void ask_walls(inq *s, zo_fan *fan);
void walls_learn(inq *s, const double *answers);
inq_next walls_told(inq *s);
/* The part of a step so long, in a random direction, within which no wall is crossed. */
double walls_within(const inq *s, double far);

/* proof.c: before it is said that a run has converged */
void ask_proof(inq *s, zo_fan *fan);
inq_next inq_proof(inq *s, const double *answers);

/* sane.c: state that was read from a file */
const char *inq_check(const method *m); /* NULL: it can be gone on with */

#endif
