/* Every threshold of lm, named, with what it trades. Measured on bench/suites (docs/methods/lm.md has the table).
 * SPDX-License-Identifier: MIT */
#ifndef ZO_LM_RULES_H
#define ZO_LM_RULES_H

/* ---- secants ---- */
#define CUBIC                                                                                      \
    0.05 /* third derivatives beside second ones, over the trust radius: how soon far secants fade */
#define GRAM_FLOOR 1e-12 /* added to the unit diagonal of the secants' matrix: rounding */
#define SLOPE_FLOOR                                                                                \
    1e-12 /* of the mean eigenvalue: slopes along directions that no secant knows are 0 */
#define SECANTS_SQUARE 2 /* so many times the (d+1)(d+2)/2 points of a quadratic are kept */
#define HESSIANS                                                                                   \
    0.25 /* quadratic models where their matrices take at most this part of memory, else linear ones */
enum { SECANTS_MOST = 200, SECANTS_OVER = 2 }; /* at most so many, but never fewer than 2d + this */
#define ROUNDED 5e-16 /* noise of every residual, beside its size and that of J x */
#define LEAST_BEND                                                                                 \
    1e-8 /* curvature over |D x| beside that size: linear residuals are not quite taken as such */

/* ---- components that are squares ---- */
#define SIGN_SURE 0.1   /* of what curvature must explain: a sign that saves more is another one */
#define LEAST_ROOT 1e-6 /* of the largest: smaller roots count as this much, in evidence */
#define DROWNED 1e-9    /* of f: first differences below it are left to inq */
#define LIKELY 0.7      /* evidence below log 2: roots are hardly smoother than what is told */
#define ONE_INDEX 1e-3  /* misfit of slopes of such, beside their changes, and */
#define LINEAR 0.02     /* change of a root's slope beside that of f's, if it is linear; */
#define ROUGHLY 1e-7    /* and of differences, by rounding */
#define INDEX_MOVE 0.2  /* of coordinates' sizes: twice as far as slopes change in between */
#define NEARLY_ALL 0.8  /* the part of the components that show no more */
enum {
    SIGNS_TURNED = 4, /* signs of one residual that another model changes, at most */
    LOOKED_AT = 8,    /* components that are asked first: have they noise, or one index each? */
    LEAST_FOR_MU = 8, /* components from which on a ridge that all share is taken out there */
    STRETCHES = 8,    /* the part of the coordinates that dense components feel */
    LOOK_PAYS = 4,    /* times its price, that a gradient of all costs */
    INDEX_FROM = 8,   /* d below which components of few coordinates are no other kind */
    JUDGED = 4,       /* models after which squares are decided on; */
    CRAWLED = 3       /* times d + 1 models over which F is to fall by a tenth, or they are again */
};

/* ---- where psi is least ---- */
#define PSI_ALONE 1e6  /* prox step, in units of |x|^2/psi(x), from which on f has no say */
#define MUCH_LOWER 0.1 /* of F(x0): F there, from which on it is begun there */

/* ---- differences ---- */
#define FIRST_LENGTH 1e-3 /* of the first differences, relative to the coordinate's size */
#define DWARFED 1e-6      /* of the largest, or 1: a coordinate that begins so small, and */
#define HARDLY 1e-9 /* changes r by less of itself in a first difference, is larger than it seems */
#define ROOT_LENGTH                                                                                \
    1.0471975511965976e-5 /* where r are roots: signs are sure; no round number, as rounded values have few digits */
#define FRESH_LENGTH 1e-5     /* of later ones, relative to the coordinate, and at most */
#define FRESH_OF_RADIUS 0.1   /* this part of the trust radius */
#define SHORTEST 3e-8         /* below this rounding takes half of the digits */
#define SMALL_COORDINATE 0.01 /* a coordinate near 0 has at least this part of its first size */

/* ---- metric ---- */
#define LEAST_SCALE                                                                                \
    1.0 /* |x_j| times its scale is at least this part of the largest: a parameter that is not felt yet */
#define FREE_SCALE                                                                                 \
    1e-6 /* the same when it is begun again because a parameter was not felt at the end */

/* ---- trust region ---- */
#define FIRST_RADIUS 1.0 /* times |D x0| */
#define POOR 0.1         /* actual/predicted below: the radius shrinks */
#define GOOD 0.7         /* above: it may grow */
#define SHRINK 0.5
#define SHRINK_FAR 0.1 /* at a point that teaches nothing */
#define GROW 2.0
#define AT_EDGE 0.8        /* a step of this part of the radius was held back by it */
#define TEACHES 1e4        /* F at a trial more than so many times F: its secant is not kept */
#define EDGE_LOW 0.9       /* a step on the edge is this long at least */
enum { LEAST_TRIALS = 3 }; /* that a horizon is to pay for behind the first differences */
enum { RADIUS_TRIES = 30, MODEL_STEPS = 30, EDGE_STEPS = 12, DAMPINGS = 12 };

/* ---- geometry ---- */
#define UNKNOWN                                                                                    \
    0.3 /* variance (of curvature over the radius) from which on a slope is asked after a refusal */
#define GEOMETRY_LENGTH 0.1 /* of the trust radius */
enum { POWER_STEPS = 60 };

/* ---- noise ---- */
#define NOISE_SEEN 1e-13 /* of residuals and J x: a repeat that differs by more is noise */
#define ABOVE_ROUNDING                                                                             \
    1e-14 /* of the same: second differences that are more are looked into, and */
#define FALLS_MOST                                                                                 \
    0.02 /* over a tenth of the length those of curvature fall to 0.01: noise to no less than this, */
#define FALLS_LEAST 0.005 /* or to nothing, where values come rounded */
#define LESS 0.1          /* of F where noise was looked for: it is looked for again */
#define SUSPECTED 1e-3 /* of |D x|: two steps in a row that are shorter and refused may be noise */
#define NOISY_BEND                                                                                 \
    0.3 /* curvature over |D x| beside their size: what secants under noise cannot tell */
#define MOST_BENT 30.0 /* times that: what they may tell where noise repeats */
#define LEAST_BENT 0.1 /* times that: where it does not, what bends is hardly told from noise */
#define BEYOND_NOISE                                                                               \
    1e3 /* times the noise of F: a promise that is not kept is no noise, but a kink */
enum { NOISY_RENEWALS = 60, ROUNDED_RENEWALS = 2 }; /* ROUNDED: where noise repeats: both sides */

/* ---- company of the trial, where several points are asked at a time ---- */
#define SHORTER 0.25 /* candidates at these parts of the radius, */
#define LONGER 3.0
#define COMPANY_LENGTH 0.1    /* and points around the trial, this part of the step away */
enum { CANDIDATES_FROM = 4 }; /* points at a time, from which on there are further candidates */

/* ---- the end ---- */
#define NOTHING 1e-15 /* a predicted decrease below this part of F */
#define ROUNDING                                                                                   \
    1e-26           /* F beside its first value: residuals are at the rounding of the first ones */
#define CRAWL 1e-12 /* a decrease below this part of F over 2(d + 1) evaluations is none */
#define PROGRESS                                                                                   \
    1e-3 /* a decrease by this part of F: what was tried before the end may be tried again */
#define BACK 0.1  /* fresh differences restore this part of the last good step's length as radius */
#define DEAD 1e-6 /* a column this much smaller than it was: the parameter has lost its influence */
#define NEARER 0.1 /* a start over from x0 has this part of the radius */
#define PROMISED                                                                                   \
    1e-9 /* of F: fresh models that promise more, and it is not found: stalled, not converged */
#define FLAT 1e-2   /* of the steepest slopes, and */
#define SLANT 1e-3  /* of what they are where all residuals fall together: slopes do not vanish */
#define EXACT 1e-18 /* F beside its first value, from which on promises are rounding */
#define LOWER 1e-10 /* of F: a decrease by more of it, at the end, lets a run go on */
#define PROBE_LEAST 1e-4 /* lengths of random directions, of a coordinate's size: from here, */
#define PROBE_MORE 12.0  /* each so many times longer */
#define PROBE_NEAR 2e-3  /* of these, what shows how F bends around the end */
#define PROBE_SIZE 0.1   /* a coordinate is at least this part of its first size there */
#define FAR_AWAY 1e8     /* unbounded: |x|, in units of the start, */
#define FALLEN 1e6       /* and what F has fallen by */
enum { PROBES = 4, LOST_SIZES = 6, SOUGHT = 3 }; /* SOUGHT: times that lost parameters are sought */
enum { WALLED = 8 };                             /* trials without a value while F does not halve */
enum { REFUSALS = 4, STALE = 2, RENEWALS = 3, RETURNS = 2 };

#endif
