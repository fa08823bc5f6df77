/* inq: what a component of several indices keeps, and what many of them have in common.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_SUBSPACES_SPAN_H
#define ZO_METHOD_SUBSPACES_SPAN_H

#include "method/component/component.h"

/* Of my components. */
static inline span *inq_span(const inq *s, uint64_t i) { return &s->spans[inq_at(s, i)]; }
static inline size_t inq_rank(const inq *s, uint64_t i) { return (size_t)inq_span(s, i)->rank; }
static inline double *inq_along(const inq *s, uint64_t i, size_t k)
{
    return s->within[k] + inq_at(s, i) * (k + 2);
}
static inline float *inq_layer(const inq *s, uint64_t i, size_t k)
{
    return s->layer[k] + inq_at(s, i) * s->stride;
}

/* ---- span.c ------------------------------------------------------------------------------------------ */

void inq_span_row(const inq *s, uint64_t i, size_t k, double *to);           /* to = u_k */
void inq_span_project(const inq *s, uint64_t i, const double *v, double *t); /* t = U v */
void inq_span_add(const inq *s, uint64_t i, const double *t, double *to);    /* to += U't */
/* to = gradient - mu z; its length, or 0 where that is not above the blur of differences. */
double inq_slope(const inq *s, const double *gradient, const double *z, double mu, double *to);
void inq_fold(inq *s, uint64_t i); /* J += U'e, e = 0 */
void inq_span_curvature(const inq *s, uint64_t i, double b[SPAN][SPAN]);
void inq_keep_curvature(inq *s, uint64_t i, double b[SPAN][SPAN]);
/* B changes so that B step = y, and stays positive: by the symmetric update of rank one where B falls short along the
 * step, else by BFGS's; not at all where y does not bend upwards, or says nothing new above the blur of differences. */
void inq_learn_curvature(const inq *s, uint64_t i, double b[SPAN][SPAN], const double *step,
                         const double *y);
void inq_mark_stale(inq *s); /* marks: ranks of those not asked along their span at x; else 0 */

/* ---- span_model.c ------------------------------------------------------------------------------------ */

void inq_span_model(inq *s);
double inq_add_gradient(inq *s, uint64_t i, double *to);

/* ---- span_learn.c ------------------------------------------------------------------------------------ */

void inq_enter_spans(inq *s, const double *answers); /* of a spot check */
void subspaces_learn_recovered(inq *s, uint64_t i, const finding *at, double f, const recovered *g);

/* ---- guess.c: spans that one gradient gives away ------------------------------------------------------ */

void inq_find_shape(inq *s, const double *answers); /* of a spot check: what gradients share */
void inq_forget_shape(inq *s);
int inq_has_axes(const inq *s);                      /* components depend on few coordinates each */
int inq_guess_span(inq *s, uint64_t i, double bend); /* 1: from its gradient; bend: along that */

/* ---- curvature.c --------------------------------------------------------------------------------------- */

int curvature_due(inq *s); /* 1: the queue has those of which it is measured now */

/* ---- beside.c: do components depend on the coordinates of their spans alone? --------------------------- */

int inq_asks_beside(const inq *s);       /* 1: that is asked, instead of gradients again */
uint64_t inq_beside_count(const inq *s); /* of so many */

/* ---- scaling.c: second differences of a few components -------------------------------------------------- */

int inq_choose_scaled(inq *s);
void inq_scale_directions(inq *s);
void scaling_begin(inq *s);
void scaling_complete(inq *s); /* spans show all curvature */

/* ---- shared.c: what components have in common ---------------------------------------------------------- */

/* So many components that were last asked at a point: the sum of the directions that their gradients changed in. */
void inq_add_changes(inq *s, uint32_t point, uint64_t count, const double *directions);
void inq_close_changes(inq *s);
int inq_shares(const inq *s); /* does one matrix stand for all Hessians? */
int inq_whole_due(inq *s);
/* Sums over components: squares of changes of gradients, and what is left of them. */
typedef struct comparison {
    double whole_error, whole_total, secant_error, outside, inside;
} comparison;
void inq_compare_shared(inq *s, uint64_t i, const double *change, const double *step,
                        comparison *to);
void inq_add_comparison(inq *s, const comparison *sum);
void inq_judge_shared(inq *s);
double inq_weight(const inq *s, uint64_t i);
double inq_mean_weight(inq *s);

#endif
