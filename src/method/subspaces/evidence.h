/* inq with spans: what was foretold of gradients and what was not.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_SUBSPACES_EVIDENCE_H
#define ZO_METHOD_SUBSPACES_EVIDENCE_H

#include "method/component/state.h"

double inq_span_error(const inq *s, double most); /* how far off the mean gradient may be */
int inq_guessed(const inq *s);                    /* do guessed spans hold all there is? */
void inq_begin_evidence(inq *s);                  /* before components are asked in full */
void inq_end_evidence(inq *s);
uint64_t inq_in_full(inq *s, double most); /* how many of them; most: at most this part */
int inq_squares_due(const inq *s);         /* 1: lm goes on instead of spans */
int inq_mean_due(const inq *s);            /* 1: few components, and spans do not help */

/* Squared changes of gradients that spans explain, and do not. */
void evidence_add(inq *s, double inside, double outside);
/* What was not foretold of the gradients of so many components: its sum, and that of squares. */
void evidence_missed(inq *s, const double *sum, double square, double count);

#endif
