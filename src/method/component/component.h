/* inq: kinds of component models. What each foretells, how it learns, how steps go by it, and what is asked to keep it true.
 * SPDX-License-Identifier: MIT
 *
 *     f_i(x) = a part known in a few dimensions U_i'x + (mu/2)|x|^2
 *
 * curve      one index: f_i(x) = h_i(u_i'x); values teach it (method/curves)
 * subspace   several: a gradient, a span and the curvature in it (method/subspaces); shapes, and a Hessian that all share,
 *            are what subspaces may have in common
 *
 * A run goes from curves to subspaces once. A known loss on top of a residual belongs between a component's answers and
 * learn, and between foretell's g and M and the sum: by the chain rule, in these functions alone. */
#ifndef ZO_METHOD_COMPONENT_H
#define ZO_METHOD_COMPONENT_H

#include "method/component/state.h"

/* ---- Phases ----------------------------------------------------------------------------------------- */

/* Every question: whom it goes over (plan.h), what it takes for granted, 1 where a point is only tried and answers that are
 * not finite refuse it; and what is asked. */
#define INQ_PHASES(P)                                                                              \
    P(NOISE, OF_QUESTION, ANY, 0)     /* a few components twice at the same point */               \
    P(GRADIENT, OF_ORDER, ANY, 0)     /* new components: their difference gradients at x */        \
    P(BEND, OF_ORDER, CURVES, 0)      /* and one more value along their own direction */           \
    P(FRESH, OF_QUESTION, ANY, 0)     /* values at x of components not in the sample */            \
    P(TRY, OF_QUESTION, ANY, 1)       /* values at a candidate: of the same, or of all */          \
    P(VALUE, OF_QUESTION, ANY, 0)     /* values of the sample at the new x */                      \
    P(RENEW, OF_QUEUE, CURVES, 0)     /* curves in doubt: two values along their own direction */  \
    P(REDO, OF_TAIL, CURVES, 0)       /* directions in doubt: difference gradients at x, */        \
    P(REBEND, OF_TAIL, CURVES, 0)     /* and one more value along the new direction */             \
    P(CHECK, OF_QUESTION, CURVES, 0)  /* a few difference gradients, against what is believed */   \
    P(ACROSS, OF_QUESTION, CURVES, 1) /* the same across their directions: the ridge alone */      \
    P(AGAIN, OF_QUEUE, SPANS, 0)      /* difference gradients at x of those in the queue */        \
    P(BESIDE, OF_QUEUE, SPANS, 0)     /* few coordinates: each with all others moved */            \
    P(SPAN, OF_QUEUE, SPANS, 0)       /* those in the queue along their own directions */          \
    P(SCALE, OF_QUESTION, SPANS, 0)   /* second differences along a few directions */              \
    P(WHOLE, OF_QUESTION, SPANS, 0)   /* all second differences of a few components */             \
    P(RECOVER, OF_QUESTION, ANY, 0)   /* new components: a few differences give gradients */       \
    P(REST, OF_TAIL, SPANS, 0)        /* those of which they do not, in full */                    \
    P(ENTER, OF_QUESTION, CURVES, 0)  /* those asked so at the start: their values at x */         \
    P(LADDER, OF_QUESTION, NOISY, 1)  /* a direction at several lengths */                         \
    P(WALL_ROWS, OF_QUEUE, CURVES, 0) /* their directions once more, with a radius of their own */ \
    P(WALLS, OF_QUEUE, CURVES, 1)     /* walls along own directions, wherever */                   \
    P(CURVATURE, OF_QUEUE, SPANS, 0)  /* within guessed spans, as their shape has it */            \
    P(PROOF, OF_QUESTION, ANY, 1)     /* all at points around x: is it the end? */                 \
    P(TWINS, OF_QUESTION, CURVES, 0)  /* at the end: those asked through others, themselves */     \
    P(NOTHING, OF_QUESTION, ANY, 0)

#define INQ_PHASE(name, list, needs, refusable) ASK_##name,
enum { INQ_PHASES(INQ_PHASE) INQ_PHASE_COUNT }; /* stage: what is asked next */
#undef INQ_PHASE

enum { ANY, CURVES, SPANS, NOISY }; /* needs: that kind of model; noise */
typedef struct phase_fact {
    uint64_t list, needs;
    int refusable;
} phase_fact;
extern const phase_fact inq_facts[];

/* No phase calls the next one: it says what comes, and inq.c goes there. */
typedef enum inq_next {
    ASKED,  /* a question stands */
    ROUND,  /* a round at x: the model, and the steps it offers */
    RETRY,  /* the same step of all components, damped more */
    LARGER, /* a larger sample */
    HOME,   /* x goes back to where the run began */
    OTHER,  /* components are not as their kind has them: the next kind goes on */
    ENDED   /* nothing more is to be gained */
} inq_next;

/* What all gradients that are recovered at one point have in common. */
typedef struct finding {
    double radius, far, ridge; /* of an axis; |x|; mu |x|^2/2 */
} finding;

typedef struct component_kind {
    const char *name;
    /* What is foretold at x: g, M over the sample; the gradient of one component of mine but for the ridge; and how far off
     * the mean gradient may be where components were not asked at x. */
    void (*foretell)(inq *s);
    void (*gradient)(const inq *s, uint64_t i, double *to);
    double (*error)(const inq *s, double most);
    /* What is learnt: from difference gradients at x, from values at x; and when x has moved, or NULL. */
    void (*learn_gradients)(inq *s, const double *answers);
    void (*learn_values)(inq *s, const double *answers);
    void (*learn_recovered)(inq *s, uint64_t i, const finding *at, double f,
                            const recovered *g); /* one of mine */
    /* New components of which f and the slope along row are known: told[e] = 1 where one is as another, and is known so.
     * Or NULL: there are no such. */
    void (*twins)(inq *s, size_t count, const uint64_t *comp, const double *row, const double *seen,
                  double *told);
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

static inline const component_kind *inq_kind(const inq *s) { return s->kinds[s->spans_on]; }

/* ---- state.c: what comes next ------------------------------------------------------------------------ */

inq_next inq_go(inq *s, uint64_t stage); /* that is asked next, of those it goes over */
inq_next inq_round(inq *s);              /* nothing more is: a round comes */
inq_next inq_leave(inq *s, const char *to, const char *why); /* that method goes on */
inq_next inq_outgrown(inq *s);                               /* a method that keeps less does */

#endif
