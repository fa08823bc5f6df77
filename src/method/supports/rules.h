/* supports: every threshold, with what it trades. docs/methods/supports.md has the table.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_SUPPORTS_RULES_H
#define ZO_METHOD_SUPPORTS_RULES_H

/* Each rule: its name, and what is done without it; `./run bench rules` measures what it is worth. */
#define SUPPORTS_RULES(RULE) RULE(GROUPS, "groups", "supports are sought axis by axis")

enum {
    MOST_WIDTH = 1500, /* d, above which nothing is handed over to supports: a matrix */
    SUPPORT_PART = 3,  /* d over this coordinates, and more, are not a few */
    RIDGE_PASSES = 30, /* over what mu is measured by, each leaving out what lies far off */
    LEAST_PASSES = 4,  /* along supports that the horizon must pay for */
    MOST_TRIALS = 6,   /* tests in a row, before what changes is taken to depend on everything */
    TEST_EVERY = 4,    /* steps */
    CLEAR = 64,        /* r_j^2 h_jj in noise levels, at least: slopes of a longer stretch, */
    CLEAREST = 1024,   /* and at most, far from the end: curvature free of noise */
    FINE = 64,         /* promises in noise levels below which no cross differences are asked */
    MANY = 64,         /* components whose own spread says how large noise is */
    AT_ONCE = 256,     /* directions of a question, at least; components of a first look, at most */
    LEAST_SAMPLE = 8,  /* by name: components whose gradients are asked first, at least; */
    SAMPLES = 256,     /* n over this; */
    FIRST_ENTRIES = 1600 /* and so many entries of them */
};
static const double changed_clear = 6; /* standard errors that a change must be clear of, */
static const double shown_clear = 5; /* one that shows a coordinate; sigma may be off by a fifth, */
static const double sum_clear = 4.5; /* and a sum over many whose own spread is known */
static const double outlying = 1.5;  /* root mean squares: left out of mu */
/* of max(1, |x|_max): how far a test moves, at least and by chance */
static const double move_least = 0.25, move_more = 0.25;
/* errors of the angle of slopes: they say something; they are known */
static const double most_angle = 0.1, sharp_angle = 0.03;
static const double bend_away = 1e-3; /* of the length f changes over: where a bend is asked, */
static const double noisy_bend = 1.5; /* or times the 4th root of noise over f */
static const double slope_clear =
    3; /* standard deviations that all slopes together must be clear of */
static const double angle_least = 2e-3;  /* of the bend along slopes: what seems across at best */
static const double most_across = 0.25;  /* of components that bend across: they have one index */
static const double hidden_least = 1e-9; /* of the largest curvature: added to all */
/* the part of negative curvature that is turned round, until the mean is positive */
static const double lifted[] = {0, 0.125, 0.25, 0.5, 1};

#endif
