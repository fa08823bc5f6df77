/* inq: its state, and the room it works in.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_INQ_STATE_H
#define ZO_METHOD_INQ_STATE_H

#include "base/sum.h"
#include "base/vec.h"
#include "method/inq/curve.h"
#include "method/inq/rules.h"
#include "method/core/descent.h"
#include "method/core/method.h"
#include "method/core/plan.h"
#include "method/core/recovery.h"
#include "subproblem/quad.h"

enum {
    PAIRS = 30,  /* secants that sinq keeps */
    NUMBERS = 16 /* what is summed beside vectors */
};

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
    P(SPLIT, OF_QUEUE, SUPPORTED, 1)  /* components with intervals of coordinates moved */         \
    P(INSIDE, OF_QUESTION, SUPPORTED, 1) /* within their supports, across their gradients */       \
    P(PASS, OF_QUEUE, SUPPORTED, 0)      /* each component along its own axes */                   \
    P(STEP, OF_QUESTION, SUPPORTED, 1)   /* all at a candidate */                                  \
    P(PROOF, OF_QUESTION, ANY, 1)        /* all at points around x: is it the end? */              \
    P(NOTHING, OF_QUESTION, ANY, 0)

#define INQ_PHASE(name, list, needs, refusable) ASK_##name,
enum { INQ_PHASES(INQ_PHASE) INQ_PHASE_COUNT }; /* stage: what is asked next */
#undef INQ_PHASE

enum { ANY, CURVES, SPANS, NOISY, SUPPORTED }; /* needs: that kind of model; noise; supports */
typedef struct phase_fact {
    uint64_t list, needs;
    int refusable;
} phase_fact;
extern const phase_fact inq_facts[];

typedef struct candidate {
    double damping; /* added to the diagonal */
    double expect;  /* change of F that is expected, statistical error included */
    double falls;   /* decrease that the sample's model promises */
    double spread;  /* phi: statistical error of the step */
    double score;   /* after trying: the change of F to go by */
    double error;   /* standard error of what the values said */
} candidate;

/* ---- State: all of it registered, 8 bytes a field. Each struct is written by the file that it names. ---- */

/* inq.c: the sample, order[0..size). */
struct sample {
    uint64_t size;   /* at least 1, at most n */
    uint64_t filled; /* of which so many have been asked in full: order[0..filled) are known */
    uint64_t begin;  /* those from here on are new: asked at the centre of this stage */
    uint64_t rounds; /* steps with this sample */
    uint64_t asked;  /* queries */
};

/* curves.c: how curves are kept true. */
struct upkeep {
    uint64_t entering; /* 1: new components are being asked, or asked again */
    uint64_t checked;  /* the step of the last spot check */
    uint64_t renewed;  /* 1 + the step at which all curves were asked again */
    uint64_t origin;   /* 1: it is tried first, 2: now */
};

/* subspaces.c: how spans are. */
struct spanning {
    uint64_t growing; /* 1: the sample grows as soon as what is asked is told */
    uint64_t entered; /* queries before spans began */
};

/* recover.c: where new components are asked. */
struct start {
    uint64_t faint; /* 1: slopes at x have died out for many, */
    uint64_t there; /* 1: so they are asked at an early point now, */
    uint64_t place; /* the first of these, or the origin */
};

/* row.c: short rows, one behind the other (factor form). */
struct store {
    uint64_t used; /* numbers of pool */
    uint64_t full; /* 1: a row did not fit */
};

/* step.c: candidates, and what became of them. */
struct step {
    uint64_t offers;   /* candidates: so many of cand and offer, */
    uint64_t pick;     /* tried now, */
    uint64_t first;    /* tried first, */
    uint64_t best;     /* the best so far; */
    uint64_t way;      /* which are tried next */
    uint64_t boosts;   /* times that even the most damped was too long */
    uint64_t judges;   /* components whose values judge; n: all */
    uint64_t judged;   /* 1 + the step at which fresh has the values of all */
    uint64_t failures; /* full steps refused in a row */
    uint64_t flat;     /* full steps in a row that F did not show */
    double damping;    /* of the next full step; NaN: none was made */
    double centred;    /* damping towards centre, from a stage's first step on */
    double objective;  /* F(x), all components in the sample */
    double falls;      /* what the step taken promised, */
    double spread;     /* and its statistical error */
};

/* spot.c: what the last spot check said. */
struct check {
    uint64_t count;     /* of checks */
    uint64_t whole;     /* 1: in full, whatever d is: something did not fit */
    double misfit;      /* the part of gradients that curves did not explain */
    double more, error; /* mu_true - mu, NaN: it says nothing; its standard error */
    uint64_t one; /* 1: at the start components bend along their gradients alone, but for a ridge */
};

/* ridge.c: mu, the ridge that all components share, and the curvature that spans miss. */
struct ridge {
    double mu, error;            /* at least 0; its standard error */
    double gam;                  /* spans: curvature there is, over that they show */
    double along, square, count; /* sums over components: what was seen across their spans */
    uint64_t seen;               /* 1: mu was seen so */
    uint64_t scalings;           /* times that gam was measured, */
    uint64_t scaled_at;          /* 1 + the step of the last, */
    uint64_t scaled;             /* components in chosen, */
    double away[CANDIDATES];     /* along directions of such lengths, in cand */
};

/* evidence.c: spans, and what they foretold of gradients. */
struct evidence {
    double inside, outside; /* squared changes that they explain, and do not, since the last step */
    double missed_count, missed_square; /* components in missed; sum of the squares of its parts */
    double off[ROUNDS];       /* means of what was missed in the rounds before, the last first, */
    double off_count[ROUNDS]; /* over so many components */
    double share;   /* of outside in both, mean of the last few times that components were asked, */
    uint64_t looks; /* so often */
};

enum { NOT_ASKED, ON_TRIAL, RULES, FAILED }; /* shared.state */

/* shared.c: a Hessian W that all share. */
struct shared {
    uint64_t state;
    double error, span_error; /* what W, and what spans, left of changes of gradients, squared */
    double total;             /* of these */
    double alike;             /* mean cosine between two changes, the last time */
    uint64_t changes;         /* components in unit_sum, */
    uint64_t changed_from;    /* all asked at this point before */
    uint64_t row, begun;      /* of W that is asked next, 0: slopes; queries before the first */
};

/* guess.c: what spans have in common. */
struct shape {
    uint64_t kind;    /* a place in shapes (guess.c); 0: nothing */
    uint64_t outputs; /* rows of x as a matrix */
};

/* accuracy.c: how large things are. */
struct scale {
    double value;     /* mean |f_i| at the start, above 0 */
    double steep;     /* root mean square of |grad f_i| there */
    double length;    /* along own directions, that f_i bends over */
    double unit;      /* noise: 1/sqrt(h), h the mean curvature along an axis; 0: not known */
    uint64_t repeats; /* times that noise was measured */
};

/* span.c: points where gradients were told. */
struct points {
    uint64_t count;  /* so far; the last POINTS are in point, with curves all */
    uint64_t valued; /* 1 + the step at which the values of all components are known; 0: not */
};

/* The model at x, as its kind has made it. */
struct model {
    double bend; /* trace of the matrix, without the ridge */
};

/* supports.c: noise, and coordinates that components depend on. */
struct supports {
    uint64_t state;         /* what is known of them (supports.h) */
    uint64_t supported;     /* order[0..supported) have one */
    uint64_t tests, tested; /* so far; 1 + the step of the last that was passed */
    uint64_t trials;        /* tests in a row that were not */
    uint64_t leaving;       /* 1: the run ends after this one */
};

/* support_test.c: what is seen outside of supports. */
struct outside {
    double mu, error; /* the ridge, and its standard error */
    uint64_t widened; /* components that a test has shown to depend on more, so far */
};

/* support_find.c: intervals of coordinates that are looked into. */
struct find {
    uint64_t size;  /* of one, coordinates, */
    uint64_t parts; /* of which so many are moved, one after the other; 1: it is a test */
    uint64_t known; /* 1: components' values at x are */
};

/* support_pass.c: gradients along supports. */
struct pass {
    uint64_t crossed; /* 1: pairs are asked for too */
    uint64_t count;   /* that the matrix has seen */
    double objective; /* F(x) */
};

/* A component that sees x through several indices; numbers only. */
typedef struct span {
    double rank;   /* own directions */
    double bends;  /* 1: its curvature is not 0 */
    double weight; /* w_i where Hessians are w_i W; 0: not known */
} span;

/* Points (inq_point) at which a component was asked: its gradient, and its slopes along its span; 0: never. Questions are
 * heard by all ranks, so all know these of all components. */
typedef struct visits {
    uint32_t full, renewed;
} visits;

typedef struct inq {
    method base;
    size_t chunk;     /* components asked at once when answers or directions are d numbers each */
    size_t rows;      /* directions that there is room for: chunk, or SPREAD */
    int dense;        /* 1: the model is a matrix; 0: its factor */
    int wide;         /* 1: there is room for whole rows; 0: for short ones alone */
    uint64_t without; /* rules that are switched off, a bit each (rules.h) */
    const struct component_kind *const *kinds; /* of models (component.h): curves, spans */

    plan plan;
    struct sample sample;
    struct upkeep upkeep;
    struct spanning spanning;
    struct start start;
    struct store store;
    struct step step;
    struct check check;
    struct ridge ridge;
    struct evidence evidence;
    struct shared shared;
    struct shape shape;
    struct scale scale;
    struct points points;
    struct model model;
    struct supports supports;
    struct outside outside;
    struct find find;
    struct pass pass;
    descent noisy;     /* steps along supports (core/descent.h) */
    uint64_t spans_on; /* 1: components are modelled by spans, 0: by curves */

    struct { /* state of my components */
        /* x d: own directions that are whole; with spans the gradients. NULL: no room for that */
        double *row;
        double *kept; /* numbers in each: d, or those of a sparse row */
        curve *curves;
        span *spans;
        double *weights;    /* of their rows in matrix */
        size_t layers;      /* own directions that there is room for */
        float *layer[SPAN]; /* x stride: with spans the k-th own direction */
        /* x (k + 2): e_k, the change of the slope along it since the gradient; row k of B */
        double *within[SPAN];
        size_t stride;  /* d, even */
        double *pool;   /* short rows (factor form; else they are in the first layer): */
        uint64_t *slot; /* where that of a component begins */
        size_t entries; /* numbers of rows, without their coordinates, that there is room for */
    };

    struct {              /* state that all ranks have: who, where */
        visits *asked;    /* n */
        uint64_t *chosen; /* SPREAD: components that the scale is measured on */
        double *point;    /* POINTS x d */
        double *centre;   /* d: x when the stage began */
        double *cand;     /* CANDIDATES x d */
        candidate *offer; /* CANDIDATES */
        double *fresh;    /* values at x of the components that judge */
    };

    struct {              /* state that all ranks have: sums */
        double *unit_sum; /* d: sum of the directions that gradients changed in */
        double *missed;   /* d: sum of what was not foretold of the gradients asked last */
        double *whole;    /* d x d: W (dense, else NULL) */
        double *matrix; /* d x d: sum of weight_i u_i u_i' over the sample; supports: of the mean */
        double *radii, *diagonal; /* d: supports: along the axes, and second differences there */
        double *slopes;           /* d: supports: of the mean at x, */
        double *slopes_before, *x_before; /* and at the x before, and that */
        double *level;                    /* d: supports: noise of the mean along an axis */
    };

    struct {                  /* scratch: the sample and its model at x */
        uint64_t *list;       /* my components in the sample, rising, */
        size_t listed;        /* so many, */
        uint64_t listed_at;   /* when filled was this */
        double *slope, *bend; /* of the curves of my components at x */
        double *g, *fresh_g;  /* d: of the sample at x; of its new components */
        double *full;         /* d x d: the model's matrix (dense) */
        double *col;        /* d x n: sqrt(bend_i/s) u_i of the sample, by columns (factor form), */
        quad_sparse sparse; /* or where all are short by their numbers */
        int is_sparse;      /* 1: they are */
        uint64_t held;      /* rows of the factor */
        int modelled;       /* 1: slope, bend, g and full are those at x, of what is known now */
        double *some;       /* SPREAD x d: gradients of a few components, less their mean, */
        size_t few;         /* so many rows, */
        int fetched;        /* 1: of this round */
    };

    struct {                               /* scratch: room for one function at a time */
        double *dir;                       /* rows x d: directions of a question */
        uint32_t *axes;                    /* d: 0, 1, 2, ... */
        double *block;                     /* 2 SUM_BLOCK x d */
        double *tree;                      /* partial sums of d or d^2 numbers */
        double *work, *lost, *told, *miss; /* d */
        double *entry;                     /* a few numbers for each component of a question */
        unsigned char *is_new;             /* of my components */
        unsigned char *mark, *marks;       /* of my components, and of all: may be the same */
        uint64_t *comp, *index;            /* 2 SPREAD; 2 chunk */
        uint32_t *seen;                    /* d/4 + 1: coordinates of a sparse row */
    };
    quad_room room;
    recovery recovery;
} inq;

#endif
