/* lm within its files: Levenberg-Marquardt on the models of all residuals, one evaluation a step.
 * SPDX-License-Identifier: MIT
 *
 *     F(x) = (1/n) sum_i w_i h(r_i(x) - t_i) + psi(x) */
#ifndef ZO_LM_H
#define ZO_LM_H

#include "method/core/method.h"
#include "method/lm/rules.h"
#include "method/lm/secants.h"
#include "method/lm/signs.h"
#include "subproblem/quad.h"

enum {              /* stage: what is asked next */
       LM_START,    /* r at the first point */
       LM_LEAST,    /* r where psi is least */
       LM_LOOK,     /* a few components there again and around it: noise, or one index each? */
       LM_AXES,     /* first differences along the axes */
       LM_TRIAL,    /* the models' minimizer, and what else is worth a worker */
       LM_GEOMETRY, /* the direction that is known least */
       LM_LINE,     /* two points beside the centre: how many digits are good? */
       LM_REPEAT,   /* r at the centre again: does noise repeat? */
       LM_FRESH,    /* differences along all axes at the centre */
       LM_LOST,     /* parameters that have lost their influence, at other sizes */
       LM_PROOF,    /* random directions at the end */
       LM_NOTHING
};

enum { LINE_FIRST, LINE_SHORTER, LINE_LONGER, LINE_LONGEST, LINES };

enum { LEAST_POINTS = 2, LOOKS = 6 }; /* room for so many; points of a look */
enum { AXIS_DONE = 8 }; /* turn of an axis: 0, 1: the sides in turn; at other sizes: their number */

/* State in fields of 8 bytes. */
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
    double noise;     /* standard deviation of one residual; 0: none was seen */
    uint64_t repeats; /* 1: noise is the same at the same point, nothing is averaged */
    uint64_t line;    /* of the points beside the centre: which length */
    double shakes;    /* the same of F */
    double looked;    /* F where noise was looked for */
    double wobble;    /* noise that they showed */
    double bend; /* mean square curvature of residuals at the last models, per unit of the metric */
    double origin;     /* F at the start */
    double mark;       /* F when it last fell by more than CRAWL, */
    uint64_t since;    /* and evaluations since */
    double lowest;     /* F when differences were begun */
    double steep;      /* the largest prox-gradient norm so far */
    double promise;    /* decrease that the last fresh models promised */
    double astray;     /* how F bends along random signs, in units of x, beyond the models */
    uint64_t others;   /* of the points asked: further candidates, behind the trial */
    uint64_t points;   /* asked next */
    uint64_t refusals; /* in a row */
    uint64_t stale;    /* predictions of nothing, in a row */
    uint64_t renewals; /* fresh differences since the last progress */
    uint64_t returns;  /* starts over */
    uint64_t sought;   /* times that lost parameters were sought */
    uint64_t probes;   /* of the proof, asked so far */
    uint64_t proven;   /* 1: random directions agreed, and nothing was found since */
    uint64_t checked;  /* 1: noise has been looked for */
    uint64_t fresh;    /* 1: slopes are fresh at the centre, nothing was found since */
    uint64_t failed;   /* trials that had no value, */
    double from;       /* since F was this */
    uint64_t rooted;   /* 1: r_i = +-sqrt(2 f_i) of components that are told (roots.c) */
    uint64_t judged;   /* models by which that was judged, */
    double evidence;   /* and what spoke for it */
    double halved;     /* F when it was judged last */
} lm_path;

typedef struct lm {
    method base;
    zo_outer squares;                /* on top of roots */
    lm_path *at;                     /* (state) */
    secants secants;                 /* (state) */
    double *centre, *r;              /* d, n: where the models are, and r there (state) */
    double *metric, *size;           /* d: D; what is large for a coordinate (state) */
    double *start, *start_r;         /* d, n: the first point (state) */
    double *first, *first_step;      /* n x d, d: differences there, for a start over (state) */
    double *turn;                    /* d: of differences along the axes (state) */
    double *end, *end_r, *end_slope; /* d, n, n x d: the best end so far (state) */
    double *next;                    /* abreast x d: the points that are asked (state) */
    double *lower, *lower_r;         /* d, n: the best point among differences (state) */
    size_t abreast;                  /* points that are asked at a time */
    uint64_t comp[LOOKED_AT];
    model model;
    signs signs;
    quad_room room;
    double *table;           /* n x abreast: residuals told, a row for each point */
    double *ways;            /* abreast x d: directions */
    double *dir;             /* abreast x d: as the fan has them */
    double *rm, *jac;        /* n, n x d: the models at a point */
    double *by, *bends;      /* n: slope and curvature of the loss in each residual */
    double *matrix, *factor; /* d x d */
    double *g, *y, *z, *kept, *trial, *work, *weight_x; /* d each */
} lm;

/* ---- lm_open.c ---------------------------------------------------------------------------------------- */
int lm_suits(const method *m, const handover *known);
zo_status lm_open(method *m, zo_error *err);
void lm_close(method *m);
const char *lm_check(const method *m);

/* ---- outer.c: the chain rule ------------------------------------------------------------------------ */
/* (1/n) sum w_i h(r_i - t_i); infinite where r is not finite */
double lm_loss(const lm *s, const double *r);
double lm_objective(const lm *s, const double *x, const double *r);
/* Into slope the w_i h'/n, into bend (unless NULL) the w_i h''/n, made positive. */
void lm_weights(const lm *s, const double *r, double *slope, double *bend);

/* ---- roots.c: components that are squares ---------------------------------------------------------------- */
/* The first values are known: have they roots? 0: no, and another method goes on. */
int lm_find_roots(lm *s);
/* The table's f_i become r_i, with the sign that is nearer to what is foretold. 0: they cannot, and another method goes on. */
int lm_take_roots(lm *s, size_t points);
/* The models are of one more trial: what do they say? 0: components are not squares, and another method goes on. */
int lm_judge_roots(lm *s);
void lm_leave_roots(lm *s, const char *why);
/* From r and its slopes to those of f, where these are roots. */
void lm_unroot_slopes(const lm *s, double *r, double *slopes);

/* ---- index.c: components of one index, or of few coordinates ----------------------------------------------------------- */
void lm_ask_look(lm *s, zo_fan *fan);
int lm_same_twice(const lm *s, const double *answers); /* 0: values have noise */
int lm_has_index(lm *s, const double *answers);
int lm_has_few_coordinates(const lm *s, const double *answers);

/* ---- digits.c: noise, whether it repeats or not --------------------------------------------------------------- */
int lm_plan_line(lm *s);  /* two points beside the centre. 0: psi does not allow them */
int lm_hear_line(lm *s);  /* 1: more is asked; 0: values are exact */
void lm_ask_again(lm *s); /* the centre */
void lm_hear_repeat(lm *s);

/* ---- trial.c: the models' minimizer within a radius --------------------------------------------------- */
/* |scale (z - centre)| <= radius, into z; returns the decrease of F that the models promise. */
double lm_minimize(lm *s, double radius, double *z);
double lm_length(const lm *s, const double *z);      /* |y| of a point */
void lm_foretell(lm *s, const double *z, double *r); /* what the models say at a point */
/* The prox-gradient norm at the centre, slopes being those of the models and times off more; off: d numbers, or NULL. */
double lm_residual(lm *s, const double *off, double times);

/* ---- models.c: metric, centre, models ------------------------------------------------------------------ */
double lm_metric_norm(const lm *s);   /* |D c| */
double lm_residual_size(const lm *s); /* what is rounded in one residual: the size of r and J c */
double lm_size_now(const lm *s);      /* the same, with the slopes of now */
int lm_averages(const lm *s);         /* is there noise that does not repeat? */
double lm_value_noise(const lm *s);   /* of F, where noise repeats; 0 else */
double lm_assumed_bend(const lm *s);  /* curvature of a residual, per unit of the metric */
void lm_build(lm *s);
void lm_model(lm *s); /* the same, signs of roots are revised, and the metric grows with it */
/* The metric from the first differences, and the first radius; least: see LEAST_SCALE. */
void lm_first_metric(lm *s, double least);
void lm_slopes_of(const lm *s, double *jac);            /* at the centre, in x */
void lm_slopes_at(lm *s, const double *x, double *jac); /* the models' at a point, in x */
int lm_is_lost(const lm *s, size_t j);                  /* has a parameter lost its influence? */
void lm_teach(lm *s, const double *x, const double *r); /* the secant from the centre */
void lm_move_centre(lm *s, const double *x, const double *r, double value);
/* Into lower, where value is below what it has. */
void lm_keep_lower(lm *s, const double *x, const double *r, double value);
/* Centre and secants from known slopes alone; step: d lengths of the secants, 0: none. */
void lm_begin_anew(lm *s, const double *x, const double *r, const double *jac, const double *step);

/* ---- points.c ------------------------------------------------------------------------------------------- */
/* Adds the point unless psi leaves nothing of it, or there is no room. */
int lm_add_point(lm *s, const double *point);
/* Where psi is least, if that is another point. 0: it is not, or nobody knows. */
int lm_plan_least(lm *s);
/* Points along axes whose turn is not done. 0: there are none. */
int lm_plan_axes(lm *s);
/* Where the horizon ends soon behind a difference along every axis, half of it is for trials: slopes along the other axes are
 * taken to be 0 until trials know better. */
size_t lm_axes_paid(const lm *s);
/* A coordinate that begins far below the others and 1, and hardly changes r over a part of itself: its size is what f says, not x0. 1: it is
 * asked again. */
int lm_is_dwarfed(lm *s, size_t j, const double *r);
int lm_axes_leave(lm *s); /* does a difference along some axis leave psi's domain on both sides? */
/* The first axis from there on whose turn is not done: points are in this order. psi may have moved other coordinates too. */
size_t lm_next_axis(const lm *s, size_t from);
/* Length of differences in the metric, for noise and the curvature that it is measured by; 0 where noise is none. */
double lm_noisy_length(const lm *s);
double lm_fresh_length(const lm *s, size_t j); /* of later differences along an axis, signed */
double lm_probe_size(const lm *s, size_t j);   /* what a probe is a part of */
/* Downhill along the direction that is known least, GEOMETRY_LENGTH of the radius; returns its variance. */
double lm_unknown_point(lm *s, double *point);
/* What other workers do meanwhile: the models' minimizers at other radii, and differences around the trial, along the
 * directions that are known least. If the trial is taken, its slopes are then known. */
void lm_add_company(lm *s);
int lm_plan_proof(lm *s); /* the next random directions. 0: all were asked */

/* ---- error.c: what slopes are off by ------------------------------------------------------------------------ */
/* How F bends from the centre to a near probe beyond what the models foretell; 0: it is not near. */
double lm_astray(lm *s, const double *point, const double *r);
double lm_sure_residual(lm *s); /* the prox-gradient norm, errors of slopes included */

/* ---- end.c ---------------------------------------------------------------------------------------------- */
void lm_begin_axes(lm *s, uint64_t stage);
/* What follows when trials are used up. 1: trials go on; 0: a question is planned, or it is over. */
int lm_conclude(lm *s);
int lm_is_walled(lm *s, int failed); /* trials have no value, again and again: mean goes on */
/* The centre goes to lower, where that is lower. 1: noticeably. */
int lm_found_lower(lm *s);
int lm_is_endless(lm *s); /* F falls without end: it is over */

#endif
