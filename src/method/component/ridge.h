/* inq: mu, the ridge that all components share, and what is seen of it.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_COMPONENT_RIDGE_H
#define ZO_METHOD_COMPONENT_RIDGE_H

#include "method/component/state.h"

/* What was seen across spans: sums over components. */
typedef struct ridge_sum {
    double along, square, count; /* r'D, D'D: r = (mu_true - mu) D across a span that is complete */
} ridge_sum;

/* mu_true - mu was measured, with this standard error: is mu to be corrected by it? */
int ridge_is_wrong(inq *s, double more, double error);
void ridge_correct(inq *s, double more);
void ridge_set(inq *s, double mu);

void ridge_see(inq *s, const ridge_sum *sum);
double ridge_more(const inq *s); /* mu_true - mu by what was seen so far; 0: too little was */
void ridge_from_spans(inq *s);   /* mu is that, and seeing begins anew */

#endif
