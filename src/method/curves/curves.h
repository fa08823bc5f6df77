/* inq: components of one index.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_CURVES_H
#define ZO_METHOD_CURVES_H

#include "method/component/component.h"

/* curves.c: the kind; lessons and what comes after them */
extern const component_kind curve_kind;
inq_next curves_entered(inq *s, const double *answers);
inq_next curves_ridge_told(inq *s);
int curves_offer_origin(inq *s); /* 1: it is in cand, the only candidate */
int curves_close_origin(inq *s); /* 1: it was the candidate */
inq_next curves_renewed(inq *s);
inq_next curves_redone(inq *s);
inq_next curves_bent_again(inq *s);
inq_next curves_checked(inq *s, const double *answers);

/* learn.c: what answers say about components */
void ask_bends(inq *s, zo_fan *fan);
void ask_renewal(inq *s, zo_fan *fan);
void inq_learn_gradient(inq *s, const double *answers);
void inq_learn_bend(inq *s, const double *answers);
void inq_learn_values(inq *s, const double *answers);
void inq_learn_renewed(inq *s, const double *answers);
void curves_learn_recovered(inq *s, uint64_t i, const finding *at, double f, const recovered *g);
void inq_forget_matrix(inq *s); /* directions change: it is summed anew */

/* model.c */
void inq_curve_model(inq *s);  /* slope, bend, g, matrix at x */
void inq_fill_columns(inq *s); /* factor form: all numbers of it */

/* spot.c: spot checks */
void ask_check(inq *s, zo_fan *fan);
void inq_learn_check(inq *s, const double *answers);
int inq_sketched(inq *s); /* was the check along a few directions? The next ones are in full */
void ask_across(inq *s, zo_fan *fan);
void inq_learn_across(inq *s, const double *answers);
void inq_correct_mu(inq *s, double more, double error); /* mu + more was measured */

/* twins.c: components with the values of others, who speak for them */
void twins_ask(inq *s, zo_fan *fan);                     /* leaves them out of a question, */
const double *twins_tell(inq *s, const double *answers); /* and puts their answers in */
void twins_joined(inq *s, uint64_t count);               /* so many have elders now */
int twins_due(inq *s);            /* 1: the sample has grown since they were sought */
inq_next twins_redo(inq *s);      /* those that were taken for others are asked in full */
void twins_redone(inq *s);        /* the tail was asked in full: these are on their own */
void twins_mark(inq *s);          /* those of marked elders are marked, too, */
void twins_part_marked(inq *s);   /* and those who are on their own */
void twins_forget(inq *s);        /* there are none any more */
int twins_are_rare(const inq *s); /* too often one was not what it was taken for */
int twins_sane(const inq *s);
inq_next twins_end(inq *s); /* before the end all of them are asked themselves */
void ask_twins(inq *s, zo_fan *fan);
inq_next twins_learn(inq *s, const double *answers);

/* twins_find.c: who is one */
void twins_find(inq *s); /* in a sample that has grown, all of it asked at x */
void twins_match(inq *s, size_t count, const uint64_t *comp, const double *row, const double *seen,
                 double *told);

/* lend.c: supports goes on, and may come back */
int inq_lend_sample(inq *s); /* 1: it does, with the first sample */
int inq_lend_all(inq *s);    /* 1: at the end, with all components; full: their Hessian */
void inq_take_sample(inq *s, const handover *known);

#endif
