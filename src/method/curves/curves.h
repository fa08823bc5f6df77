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

/* lend.c: supports goes on, and may come back */
int inq_lend_sample(inq *s); /* 1: it does, with the first sample */
int inq_lend_all(inq *s);    /* 1: at the end, with all components; full: their Hessian */
void inq_take_sample(inq *s, const handover *known);

#endif
