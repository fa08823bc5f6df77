/* inq: kinds of component models. What each foretells, how it learns, how steps go by it, and what is asked to keep it true.
 * SPDX-License-Identifier: MIT
 *
 *     f_i(x) = a part known in a few dimensions U_i'x + (mu/2)|x|^2
 *
 * curve      one index: f_i(x) = h_i(u_i'x); values teach it (curves.c)
 * subspace   several: a gradient, a span and the curvature in it (subspaces.c); shapes (shape.h), and a Hessian that all
 *            share (shared.c), are what subspaces may have in common
 *
 * A run goes from curves to subspaces once. A known loss on top of a residual belongs between a component's answers and
 * learn, and between foretell's g and M and the sum: by the chain rule, in these functions alone. */
#ifndef ZO_METHOD_INQ_COMPONENT_H
#define ZO_METHOD_INQ_COMPONENT_H

#include "method/inq/inq.h"

/* No phase calls the next one: it says what comes, and inq.c goes there. */
typedef enum inq_next {
    ASKED,  /* a question stands */
    ROUND,  /* a round at x: the model, and the steps it offers */
    RETRY,  /* the same step of all components, damped more */
    LARGER, /* a larger sample */
    ENDED   /* nothing more is to be gained */
} inq_next;

typedef struct component_kind {
    const char *name;
    /* What is foretold at x: g, M over the sample; the gradient of one component of mine but for the ridge; and how far off
     * the mean gradient may be where components were not asked at x. */
    void (*foretell)(inq *s);
    void (*gradient)(const inq *s, uint64_t i, double *to);
    double (*error)(const inq *s);
    /* What is learnt: from difference gradients at x, from values at x; and when x has moved. */
    void (*learn_gradients)(inq *s, const double *answers);
    void (*learn_values)(inq *s, const double *answers);
    void (*moved)(inq *s);
    /* What comes next: when new components are known; before a round; after a step of a sample (NULL, or the values of all
     * components there) and of all; after values; when no more is promised; when F refuses a step. */
    inq_next (*entered)(inq *s);
    inq_next (*recovered)(inq *s); /* the same; those that were not are in the tail */
    inq_next (*prepare)(inq *s);
    inq_next (*after_sample)(inq *s, const double *answers);
    inq_next (*after_all)(inq *s);
    inq_next (*after_values)(inq *s);
    inq_next (*rest)(inq *s);
    inq_next (*refused)(inq *s);
    /* How steps go by it. */
    double least_judges; /* of a candidate */
    int keeps_points; /* 1: where directions were found matters for good: there is no room for more than POINTS */
    int recentres;     /* 1: later rounds go on towards the same damped minimizer */
    int has_ridge;     /* 1: the mean gradient has the ridge at x in it, and gradient has not */
    int says_residual; /* 1: also of a sample */
    int trusts_steps; /* 1: damping falls after every step, not only after those as good as promised */
} component_kind;

extern const component_kind curve_kind, subspace_kind;
static inline const component_kind *inq_kind(const inq *s) { return s->kinds[s->spans_on]; }

inq_next inq_go(inq *s, uint64_t stage); /* that is asked next, of those it goes over */
inq_next inq_round(inq *s);              /* nothing more is: a round comes */
inq_next inq_leave(inq *s, const char *to, const char *why); /* that method goes on */
inq_next inq_outgrown(inq *s);                               /* a method that keeps less does */

/* proof.c: before it is said that a run has converged */
inq_next inq_proof(inq *s, const double *answers);

/* curves.c: lessons and what comes after them */
inq_next curves_entered(inq *s, const double *answers);
inq_next curves_ridge_told(inq *s);
int curves_offer_origin(inq *s); /* 1: it is the first candidate */
int curves_close_origin(inq *s); /* 1: it was the candidate */
inq_next curves_renewed(inq *s);
inq_next curves_redone(inq *s);
inq_next curves_bent_again(inq *s);
inq_next curves_checked(inq *s, const double *answers);

/* outliers.c: who is a wall */
int walls_seen(inq *s); /* 1: a few components are so steep that samples say nothing of them, */
int walls_lead_home(inq *s);       /* 1: and steps were taken without them */
inq_next walls_begin_rows(inq *s); /* all are known: directions of these are asked for again */
void walls_find(inq *s, const double *answers); /* of all at a refused step */

/* walls.c: a few components that bend over short lengths */
void walls_queue(inq *s); /* all of them */
void walls_stray(inq *s);
void walls_moved(inq *s);
int walls_return(inq *s);     /* 1: they are asked at x first */
inq_next walls_begin(inq *s); /* cand is the step that the model offers */
inq_next walls_told(inq *s);
/* The part of a step so long, in a random direction, within which no wall is crossed. */
double walls_within(const inq *s, double far);

/* shared.c */
inq_next shared_learn_whole(inq *s, const double *answers);

/* subspaces.c */
inq_next subspaces_enter(inq *s, const double *answers); /* of a spot check: from curves to spans */
inq_next subspaces_rest_told(inq *s);                    /* the tail of those recovered */
inq_next subspaces_beside(inq *s);                       /* values with other coordinates moved */
inq_next subspaces_told(inq *s);                         /* gradients */
inq_next subspaces_renewed(inq *s);                      /* slopes along spans */

#endif
