/* mean: every threshold, with what it trades. docs/methods/mean.md has the table.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_MEAN_RULES_H
#define ZO_METHOD_MEAN_RULES_H

enum {
    REPEATS = 8,    /* values at x, where the first two differ: noise to a quarter of itself */
    MIXED = 3,      /* directions of signs at the start: is the diagonal most of the curvature? */
    MOST_TRIED = 6, /* values in a row where one was lower than F(x) */
    MOST_SHORTER = 40,     /* and where none was */
    MOST_PASSED = 3,       /* looks in a row that pass over what psi holds */
    CLEAR = 64,            /* noise: r_j^2 h_jj in noise levels; more: slopes of a longer stretch */
    RUNGS = 4,             /* noise: lengths of the first look */
    MOST_LOOKS = 3,        /* noise: radii are corrected so often before a step */
    MOST_REFUSED = 8,      /* noise: steps in a row, before the matrix is given up */
    DOUBTED = 4,           /* noise: refusals after which forward slopes are doubted */
    CROSS = 20,            /* noise: up to this d the end measures its whole matrix, */
    CROSS_AGAIN = 10,      /* and anew after so many looks */
    SOME = 64,             /* noise: the fewest components that stand for all in a first look */
    PROBES = 4,            /* proof: directions of signs, one for each length */
    TABLE = 8,             /* proof: values of a difference table beside f(x) */
    MOST_COPIES = 1 << 16, /* noise: values that are averaged into one, where the horizon allows */
    MOST_ANEW = 3,         /* times that a direct search may lead to a run anew */
    DENSE = 1500           /* d up to which auto relies on it: matrices of d x d, systems of d^3 */
};

static const double enough = 0.05;    /* of the best so far: a step that promises more is tried */
static const double least_part = 0.1; /* B along a step changes by no more than this, */
static const double most_part = 10;   /* or this, from one value */
static const double held_by = 0.4;    /* how much larger a slope may be that psi must hold */
static const double worth = 1e-7;     /* of the first slopes: bends are asked anew above that */
static const double bends_away = 1e3; /* bends: so many radii away */
static const double most_bent = 5; /* a slope's correction is no more than by so many bends seen */
static const double drowned = 30;  /* roundings below which a difference says nothing */
static const double cube_root =
    6e-6; /* eps^(1/3): the radius of central slopes, of a coordinate's size */
static const double forward_part = 0.3; /* noise: of the radius, for forward slopes */
static const double probe_least = 1e-4; /* proof: lengths, of a coordinate's size: from here, */
static const double probe_more = 12;    /* each so many times longer */
static const double table_step =
    1e-2;                           /* proof: of a coordinate's size, between values of a table */
static const double off_by = 10;    /* proof: slopes along directions, beside what is stated */
static const double far_away = 1e8; /* unbounded: |x|, and */
static const double fallen = 1e6;   /* F, in units of where the run began */

#endif
