/* inq: its state, and the room it works in.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_INQ_STATE_H
#define ZO_METHOD_INQ_STATE_H

#include "base/sum.h"
#include "base/vec.h"
#include "method/inq/curve.h"
#include "method/inq/rules.h"
#include "method/core/method.h"
#include "subproblem/quad.h"

enum {
    PAIRS = 30,  /* secants that sinq keeps */
    NUMBERS = 16 /* what is summed beside vectors */
};

enum {               /* stage: what is asked next */
       ASK_NOISE,    /* a few components twice at the same point */
       ASK_GRADIENT, /* new components: their difference gradients at x */
       ASK_BEND,     /* new components: one more value along their own direction */
       ASK_FRESH,    /* values at x of components not in the sample */
       ASK_TRY,      /* values at a candidate: of the same, or of all when all are in the sample */
       ASK_VALUE,    /* values of the sample at the new x */
       ASK_RENEW,    /* components whose curve is doubted: two values along their own direction */
       ASK_REDO,     /* components whose direction is doubted: their difference gradients at x */
       ASK_REBEND,   /* and one more value along the new direction */
       ASK_CHECK,    /* a few difference gradients, against what is believed */
       ASK_ACROSS,   /* the same components across their directions: the ridge alone */
       ASK_AGAIN,    /* secants: difference gradients at x of the components in the queue */
       ASK_SPAN,     /* spans: components in the queue along their own directions */
       ASK_SCALE,    /* secants: second differences along a few directions */
       ASK_WHOLE,    /* secants: all second differences of a few components */
       ASK_LADDER,   /* noise: a direction at several lengths */
       ASK_STEP,     /* noise: the mean at a candidate */
       ASK_AXES,     /* supports: components in full, to see what they depend on */
       ASK_GROUPS,   /* supports: or by groups of coordinates, */
       ASK_MEMBERS,  /* and then each in those that matter */
       ASK_ALONG,    /* supports: components along their gradients */
       ASK_INSIDE,   /* and within their supports across them */
       ASK_OUTSIDE,  /* supports: each component with all other coordinates moved */
       ASK_WIDEN,    /* supports: those that have changed, in full at the moved point */
       ASK_LOOK,     /* supports: each component along its own axes */
       ASK_NOTHING
};

typedef struct candidate {
    double damping; /* added to the diagonal */
    double expect;  /* change of F that is expected, statistical error included */
    double falls;   /* decrease that the sample's model promises */
    double spread;  /* phi: statistical error of the step */
    double score;   /* after trying: the change of F to go by */
    double error;   /* standard error of what the values said */
} candidate;

enum { OF_QUESTION, OF_ORDER, OF_QUEUE, OF_TAIL }; /* plan.list */

/* plan.c: who is asked next. */
struct plan {
    uint64_t list, cursor, end; /* list[cursor..end) are still to be asked */
    uint64_t queued;            /* components in queue, */
    uint64_t tail;              /* and at its end, the last first */
    uint64_t ranked[SPAN];      /* where those of rank k + 1 end in queue, if it is by rank */
};

/* Where the method stands; all of it state, 8 bytes a field. */
struct progress {
    uint64_t size, filled,
        begin; /* the sample is order[0..size); filled are known, those from begin on are new */
    uint64_t points;         /* in point */
    uint64_t rounds, checks; /* steps with this sample; spot checks so far */
    uint64_t checked,
        renewed; /* the step at which the last check and the last renewal of all were */
    uint64_t offers, pick, first, best,
        way; /* candidates: how many, tried now, first, best so far, which way */
    uint64_t
        boosts; /* times that even the most damped candidate was too long: 300 times more damping each */
    uint64_t fresh;    /* components that judge candidates */
    uint64_t judged;   /* 1 + the step at which fresh has the values of all */
    uint64_t failures; /* candidates refused in a row, all components in the sample */
    uint64_t aside;    /* 1: components are asked in full at the refused candidate */
    uint64_t flat;     /* steps in a row that F did not show */
    uint64_t secants,
        scalings;    /* 1: gradients and secants are kept; times their scale was measured */
    uint64_t valued; /* 1 + the step at which objective is known */
    uint64_t scaled_at,
        growing;     /* 1 + the step at which the scale was measured; 1: the sample grows next */
    uint64_t ridged; /* 1: mu was seen across spans */
    uint64_t shape, outputs; /* what spans have in common (inq_guess.c); rows of x as a matrix */
    uint64_t scaled;         /* components in chosen */
    uint64_t changes, changed_from; /* components in unit_sum, and the point they were asked at */
    uint64_t asked;                 /* queries */
    double mu;                      /* the ridge that all components share */
    double mu_error;                /* standard error of mu */
    double gam;                     /* secants: how much more curvature there is than they show */
    double damping;                 /* of the next full step */
    double centred;                 /* damping towards centre, from a stage's first step on */
    double objective;               /* F(x), all components in the sample */
    double scale,
        length;  /* mean |f_i| at the start; a length along own directions that f_i bends over */
    double bend; /* mean of the weights */
    double falls, spread; /* of the step taken */
    double steep;         /* root mean square of |grad f_i| at the start */
    uint64_t
        whole; /* 0: the matrix of second differences was not asked for; 1: it is on trial; 2: it rules; 3: it does not */
    double whole_error, secant_error,
        whole_total; /* what each left of the changes of gradients, and these; squared */
    double alike;    /* mean cosine between two components' changes of gradients, the last time */
    double ridge_along, ridge_square,
        ridge_count;                    /* sums over components: what was across their spans */
    double missed_count, missed_square; /* components in missed; sum of the squares of its parts */
    double off[ROUNDS],
        off_count
            [ROUNDS]; /* inq_missed and missed_count of the rounds before, the last one first */
    double inside, outside; /* spans: squared changes of gradients that they explain, and do not */
    double checked_more,
        checked_error; /* mu_true - mu by the last spot check, and its standard error */
    double misfit;     /* what the last spot check could not explain, relative */
    uint64_t repeats;  /* times that noise was measured */
    uint64_t looks, metric, whole_from, sides,
        central; /* noise: looks at x; looks that the matrix has seen, and when it is measured; of the next
                 * look; the last central one */
    double
        unit; /* noise: 1/sqrt(h), h the mean curvature along an axis at the start; 0: not known */
    double agrees;          /* noise: the curvature along the last step over what was foretold */
    uint64_t supports;      /* noise: what is known of supports (inq_axes.h) */
    uint64_t supported;     /* components whose support is known */
    uint64_t tests, tested; /* of supports so far; 1 + the step of the last that was passed */
    uint64_t trials,
        leaving;      /* tests in a row that were not passed; 1: the run ends after this one */
    uint64_t widened; /* components that were asked in full after a test, so far */
    uint64_t group;   /* coordinates that are moved at once to find supports */
    uint64_t crossed; /* 1: this look asks for cross differences */
    double ridge, ridge_error; /* mu as seen outside supports, and its standard error */
    double clear;              /* the curvature along an axis in this look, in noise levels */
};

/* Do spans help? (inq_leave.c); all of it state, 8 bytes a field. */
struct lone {
    uint64_t entered; /* queries before spans began */
    uint64_t looks;   /* at spans */
    double share; /* the part of changes that spans left unexplained, mean of the last few looks */
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
    size_t chunk; /* components asked at once when answers or directions are d numbers each */
    int dense;

    /* state of my components */
    double *row;  /* x d: own directions that are whole; with spans the gradients */
    double *kept; /* numbers in each: d, or those of a short row */
    curve *curves;
    span *spans;
    double *weights;    /* of their rows in matrix */
    size_t layers;      /* own directions that there is room for */
    float *layer[SPAN]; /* x stride: with spans the k-th own direction */
    double *within
        [SPAN]; /* x (k + 2): e_k, the change of the slope along it since the gradient; row k of B */
    size_t stride; /* d, even */

    /* state that all ranks have */
    visits *asked;    /* n */
    uint64_t *queue;  /* n: components to ask (plan.c) */
    uint64_t *chosen; /* SPREAD: components that the scale is measured on */
    double *unit_sum; /* d: sum of the directions that gradients changed in */
    double *missed;   /* d: sum of what the model did not foretell of the gradients asked last */
    double *whole;    /* d x d: second differences (d <= WHOLE, else NULL) */
    double *matrix;   /* d x d: sum of weight_i u_i u_i' over the sample (dense) */
    double *point;    /* POINTS x d */
    double *centre;   /* d: x when the stage began */
    double *cand;     /* CANDIDATES x d */
    candidate *offer; /* CANDIDATES */
    double *fresh;    /* values at x of the fresh components */
    double *reach, *bends; /* d: noise: radii along the axes, second differences there */
    double *incline, *inclined,
        *before;   /* d: noise, one function: slopes at x and at the x before, and that */
    double *level; /* d: noise: of the mean along an axis, with supports */
    struct progress *at;
    struct plan plan;

    struct lone *one;

    /* scratch */
    uint64_t *order;      /* n: the order in which components enter, a function of the seed */
    double *slope, *bend; /* of the curves of my components at x */
    double *g, *fresh_g;  /* d: of the sample at x; of its new components */
    double *full;         /* d x d: the model's matrix (dense) */
    double *col;          /* d x n: sqrt(bend_i/s) u_i of the sample, by columns (factor form) */
    double *dir;          /* chunk x d, or SPREAD x d */
    double *corner;       /* d(d+1)/2 x d: e_j + e_k (d <= WHOLE) */
    double *block;        /* 2 SUM_BLOCK x d */
    double *tree;         /* partial sums of d or d^2 numbers */
    double *work, *lost, *told, *miss; /* d */
    double *entry;                     /* a few numbers for each component of a question */
    double *some;          /* SPREAD x d: gradients of a few components, less their mean */
    size_t few;            /* rows in it */
    int fetched;           /* 1: they are those of this round */
    int modelled;          /* 1: slope, bend, g and full are those at x, of what is known now */
    unsigned char *is_new; /* of my components */
    unsigned char *mark, *marks; /* of my components, and of all: may be the same */
    uint64_t *upto;              /* blocks + 1: marked components before each block */
    uint64_t held;               /* secants in the model */
    uint64_t *comp, *index;      /* 2 SPREAD; 2 chunk */
    uint64_t *list;              /* my components in the sample, rising */
    size_t listed;               /* so many */
    uint64_t listed_at;          /* when filled was this */
    uint32_t *seen;              /* d/4 + 1: coordinates of a short row */
    quad_room room;
} inq;

#endif
