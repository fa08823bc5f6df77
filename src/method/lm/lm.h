/* lm within its files: Levenberg-Marquardt on the models of all residuals, one evaluation a step.
 * SPDX-License-Identifier: MIT
 *
 *     F(x) = (1/n) sum_i w_i h(r_i(x) - t_i) + psi(x) */
#ifndef ZO_LM_H
#define ZO_LM_H

#include "method/core/method.h"
#include "method/lm/rules.h"
#include "method/lm/secants.h"
#include "subproblem/quad.h"

enum {              /* stage: what is asked next */
       LM_START,    /* r at the first point */
       LM_AXES,     /* first differences along the axes */
       LM_TRIAL,    /* the models' minimizer, and what else is worth a worker */
       LM_GEOMETRY, /* the direction that is known least */
       LM_REPEAT,   /* r at the centre again: is there noise? */
       LM_FRESH,    /* differences along all axes at the centre */
       LM_NOTHING
};

enum { SEEKS_DESCENT, SEEKS_SLOPE }; /* why a point is asked */

/* State in fields of 8 bytes, written by lm.c alone. */
typedef struct lm_path {
    double value;     /* F at the centre */
    double radius;    /* of the trust region, in the metric */
    double first;     /* radius that a start over begins with */
    double good;      /* length of the last step that was taken */
    double predicted; /* decrease at the trial */
    double length;    /* of the trial's step */
    double best;      /* F(x), the least so far */
    double ended;     /* F at the best end, whose slopes are kept */
    uint64_t ends;
    double noise; /* standard deviation of one residual; 0: none was seen */
    double bend; /* mean square curvature of residuals at the last models, per unit of the metric */
    double origin;     /* F at the start */
    double mark;       /* F when it last fell by more than CRAWL, */
    uint64_t since;    /* and evaluations since */
    double lowest;     /* F when differences were begun */
    uint64_t axis;     /* the next one to be asked */
    uint64_t turned;   /* 1: the last axis gave nothing finite, and is asked on its other side */
    uint64_t others;   /* of the points asked: further candidates, behind the trial */
    uint64_t points;   /* asked next */
    uint64_t refusals; /* in a row */
    uint64_t stale;    /* predictions of nothing, in a row */
    uint64_t renewals; /* fresh differences since the last progress */
    uint64_t returns;  /* starts over */
    uint64_t checked;  /* 1: noise has been looked for */
    uint64_t fresh;    /* 1: slopes are fresh at the centre, nothing was found since */
} lm_path;

typedef struct lm {
    method base;
    lm_path *at;                /* (state) */
    secants secants;            /* (state) */
    double *centre, *r;         /* d, n: where the models are, and r there (state) */
    double *metric, *size;      /* d: D; what is large for a coordinate (state) */
    double *start, *start_r;    /* d, n: the first point (state) */
    double *first, *first_step; /* n x d, d: differences there, for a start over (state) */
    double *end_r, *end_slope;  /* n, n x d: at the best end so far (state) */
    double *next;               /* abreast x d: the points that are asked (state) */
    double *lower, *lower_r;    /* d, n: the best point among differences (state) */
    size_t abreast;             /* points in one fan at most */
    model model;
    quad_room room;
    double *table;           /* n x abreast: residuals told, a row for each point */
    double *ways;            /* abreast x d: directions */
    double *dir;             /* abreast x d: as the fan has them */
    double *rm, *jac;        /* n, n x d: the models at a point */
    double *by, *bends;      /* n: slope and curvature of the loss in each residual */
    double *matrix, *factor; /* d x d */
    double *g, *y, *z, *kept, *trial, *work, *weight_x; /* d each */
} lm;

/* ---- outer.c: the chain rule ------------------------------------------------------------------------ */
/* (1/n) sum w_i h(r_i - t_i); infinite where r is not finite */
double lm_loss(const lm *s, const double *r);
double lm_objective(const lm *s, const double *x, const double *r);
/* Into slope the w_i h'/n, into bend (unless NULL) the w_i h''/n, made positive. */
void lm_weights(const lm *s, const double *r, double *slope, double *bend);

/* ---- trial.c: the models' minimizer within a radius --------------------------------------------------- */
/* |scale (z - centre)| <= radius, into z; returns the decrease of F that the models promise. */
double lm_minimize(lm *s, double radius, double *z);
double lm_length(const lm *s, const double *z); /* |y| of a point */
/* The prox-gradient norm of the models at the centre. */
double lm_residual(lm *s);

#endif
