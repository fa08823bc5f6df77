/* mean: every threshold, with what it trades. docs/methods/mean.md has the table.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_MEAN_RULES_H
#define ZO_METHOD_MEAN_RULES_H

/* ---- exact.c ---- */
enum {
    LAWFUL = 12,     /* d from which on they are asked: a law is not seen in fewer */
    POWERS = 4,      /* of bends that the way to the minimizer may follow: 0, 1/4, ..., 1 */
    MIXED = 3,       /* directions of signs at the start: is the diagonal most of the curvature? */
    MOST_EDGES = 30, /* steps in a row that end where f has no value */
    MOST_TRIED = 6,  /* values in a row where one was lower than F(x) */
    MOST_SHORTER = 40, /* and where none was */
    WINDOW = 20,       /* gradients over which F is to fall, */
    JUMPS = 3,         /* steps over which slopes jump, */
    JUMPS_OF = 8,      /* of the last few: f has kinks */
    MOST_PASSED = 3    /* looks in a row that pass over what psi holds */
};
#define ENOUGH 0.05     /* of the best so far: a step that promises more is tried */
#define LEAST_PART 0.1  /* B along a step changes by no more than this, */
#define MOST_PART 10.0  /* or this, from one value */
#define SLOW 0.1        /* by this part of itself, or smoothness is doubted */
#define UNEVEN 0.4      /* of half of what slopes change by: f is off by more where they jump, */
#define TOO_UNEVEN 1.05 /* and by no more than this: else it is not convex along the step, */
#define HELD_BY 0.4     /* how much larger a slope may be that psi must hold */
#define BENDS_AWAY                                                                                 \
    1e3 /* bends are asked so many radii away: clear of rounding, slopes still alike */
#define MOST_BENT 5.0  /* r B_jj/2 is taken out of a slope, by no more than so many bends seen */
#define CUBE_ROOT 6e-6 /* eps^(1/3): the radius of central slopes, of a coordinate's size */
#define NEEDED 2.0 /* a radius is at least this times (eps |f|/h_j)^(1/2), as far as others are */
#define LEAST_SIZE 1e-13 /* of a coordinate, beside the largest */
#define TOO_LARGE 1e-3   /* of a guessed size: f bends over less, and it is mended; */
#define TOO_SMALL 1e-3   /* of the length that f bends over: no size is below it */
#define FAR_AWAY 1e8     /* unbounded: |x|, in units of the start, */
#define FALLEN 1e6       /* and what F has fallen by */
#define EARLY_PART 0.03  /* of F: a first step that promises less is suspected of ripples */

/* ---- noisy.c ---- */
enum {
    REPEATS = 8,      /* values at x, where the first two differ: noise to a quarter of itself */
    CLEAR = 64,       /* r_j^2 h_jj in noise levels; more: slopes of a longer stretch */
    MOST_LOOKS = 3,   /* radii are corrected so often before a step */
    MOST_LOST = 20,   /* looks in a row with points that have no value */
    DOUBTED = 4,      /* refusals after which forward slopes are doubted */
    CROSS = 20,       /* up to this d the end measures its whole matrix, */
    CROSS_AGAIN = 10, /* and anew after so many looks */
    TURNED = 64,      /* up to this d looks are along the matrix's own directions */
    SOME = 64,        /* the fewest components that stand for all in a first look */
    MOST_COPIES = 1 << 16, /* values that are averaged into one, where the horizon allows */
    MORE_COPIES = 4        /* so many times more, each time: noise is halved */
};
#define MOST_TURNED 8.0  /* such a direction is so many times longer than radii, at most */
#define FORWARD_PART 0.3 /* of the radius, for forward slopes */
#define QUIETER 0.1      /* of |f| where noise was measured: it is measured again */
#define SAME_NOISE 2.0   /* measured again within this factor, it is the same */

/* ---- proof.c ---- */
enum {
    PROBES = 4, /* directions of signs, one for each length */
    TABLE = 6,  /* values of a difference table beside f(x) */
    TABLES = 3  /* the third where two do not agree */
};
#define PROBE_LEAST 1e-4 /* lengths, of a coordinate's size: from here, */
#define PROBE_MORE 12.0  /* each so many times longer */
#define TABLE_STEP 1e-2  /* of a coordinate's size, between values of the first table, */
#define TABLE_LESS 0.25  /* and so much less in the next */
#define ALIKE 4.0        /* noise levels are alike within this factor */
#define KINKED 3.0 /* a bend that grows by no more than PROBE_MORE times this is that of a kink */
#define AGREE 2.5  /* and those of two tables within this */
#define ONE_SIDED                                                                                  \
    0.35 /* second differences of noise are of both signs: the less is this part of the more */
#define LOUD 0.3      /* of f: what is above it is no noise, but f */
#define ROUNDED 1e-11 /* of f: noise below it is rounding */
#define FLAT 1e-2 /* of the first slopes: above it they do not vanish, unless nothing is promised */
#define OFF_BY 10.0 /* slopes along directions, beside what is stated */

/* ---- kinks.c ---- */
enum {
    KINK_WINDOW = 60,    /* gradients over which F is to fall by SLOW of itself, */
    MOST_KINK_STEPS = 50 /* lengths along one direction */
};
#define STEADY 0.5          /* or by less than this part of what it fell by before */
#define KINK_RADIUS 0x1p-30 /* of differences, of a coordinate's size: few have a kink within */
#define KINK_LEAST 0x1p-46  /* the same where nothing was found, */
#define KINK_CLOSER 0x1p-8  /* so much shorter each time */
#define KINK_BEYOND 128.0   /* so many times longer along a step */
#define STEP_LEAST 1e-13    /* steps shorter than this, in sizes, are none */
#define KINK_FALL 1e-4      /* of what the slope promises: F falls by more, */
#define KINK_STEEP 0.3      /* and what is left of the slope is less */
#define KINK_PROMISE 0.1    /* of F, that a first step promises */
#define WORTH 1e-10         /* of all that F has fallen by: less is no reason to look on */
#define KINK_NEAR 0.1       /* of sizes: from so near to the best point it goes along kinks anew */

/* ---- search.c, mean.c, next.c ---- */
enum {
    MOST_POINTS = 64, /* of a generation: 4 + 3 log d */
    SEARCHED = 200,   /* d up to which there is a search: d^3 of work for 4 + 3 log d values */
    MOST_ANEW = 3,    /* times that a lower point, or a search, may begin a run anew */
    FEW = 16,         /* components from which on there is no averaging, and no search */
    DENSE = 1500      /* d up to which auto relies on mean: matrices of d x d, systems of d^3 */
};
#define SEARCH_FROM 0.5    /* steps that a search begins with, of a coordinate's size, */
#define SEARCH_LEAST 1e-15 /* and that end it */

#endif
