/* inq: every threshold, with what it trades, and the rules that can be switched off by name.
 * SPDX-License-Identifier: MIT
 *
 * docs/methods/inq.md says what each rule is worth; `./run bench rules` measures it. */
#ifndef ZO_METHOD_COMPONENT_RULES_H
#define ZO_METHOD_COMPONENT_RULES_H

/* Each rule: its name, and what inq does without it. */
#define INQ_RULES(RULE)                                                                            \
    RULE(SAMPLES, "samples", "all components are asked at once")                                   \
    RULE(LITTLE, "little", "few components without common slopes: a small sample takes steps")     \
    RULE(GIVES_WAY, "gives-way",                                                                   \
         "few components or spans that the horizon does not pay for: inq goes on")                 \
    RULE(JUDGES, "judges", "a sample's steps are not judged by values")                            \
    RULE(MANY_JUDGES, "many-judges", "with spans as few judge a sample's step as with curves")     \
    RULE(NEW_GRADIENT, "new-gradient", "the sample's gradient instead of that of new components")  \
    RULE(BOOSTS, "boosts", "candidates that are all too long are not damped more")                 \
    RULE(KNOTS, "knots", "curves learn nothing from values")                                       \
    RULE(UNBIAS, "unbias", "the forward error stays in gradients")                                 \
    RULE(CHECKED_MU, "checked-mu", "mu is not measured by spot checks")                            \
    RULE(ACROSS, "across", "mu is not measured across directions")                                 \
    RULE(ORIGIN, "origin", "a far start: the origin is not tried")                                 \
    RULE(BENT, "bent", "a slope below 100 bends times the radius is none, wherever it points")     \
    RULE(RENEWALS, "renewals", "curves are not asked again where steps are refused")               \
    RULE(WALLS, "walls", "no component is asked more often than others")                           \
    RULE(SPANS, "spans", "a span has one direction")                                               \
    RULE(ALONG, "along", "nothing is asked along spans")                                           \
    RULE(NO_SPAN_FIRST, "no-span-first", "components without a span wait their turn")              \
    RULE(SPAN_RIDGE, "span-ridge", "mu is not seen across spans")                                  \
    RULE(SHAPES, "shapes", "no span is guessed from one gradient")                                 \
    RULE(BESIDE, "beside", "few coordinates: gradients again, no values with the others moved")    \
    RULE(MEASURED, "measured", "few coordinates: curvature is learnt from changes alone")          \
    RULE(SCALE_MU, "scale-mu", "second differences say nothing of mu")                             \
    RULE(SCALE, "scale", "second differences say nothing of the curvature spans miss")             \
    RULE(SHARED, "shared", "no Hessian is shared by all")                                          \
    RULE(WEIGH, "weigh", "values say nothing of the weights of a shared Hessian")                  \
    RULE(SUPPORTS, "supports", "noise: supports are not sought")                                   \
    RULE(WORDS, "words", "recovery: columns of few values are not put into words")                 \
    RULE(SPLITTING, "splitting", "recovery: what no word tells is asked in full")                  \
    RULE(BASIS, "basis", "recovery: no span of earlier gradients is sought")                       \
    RULE(OFFSET, "offset", "recovery: no row that all have in common is sought")                   \
    RULE(AT_START, "at-start",                                                                     \
         "recovery: slopes that have died out at x are not asked at the start")                    \
    RULE(TWINS, "twins", "components with the values of others are asked themselves")

#define INQ_RULE_NAME(id, name, without) RULE_##id,
enum { INQ_RULES(INQ_RULE_NAME) RULE_COUNT };
#undef INQ_RULE_NAME

/* ---- Sizes ---------------------------------------------------------------------------------------- */

enum {
    DENSE = 1500,     /* up to this d the model is a matrix; above, its factor: d^2 numbers */
    SPAN = 12,        /* directions of a component's span, at most: memory */
    POINTS = 48,      /* points where gradients were told: memory */
    LAST_POINTS = 8,  /* of these are kept for larger samples */
    OLD_POINTS = 4,   /* components whose point is overwritten so soon are asked in full */
    ROUNDS = 16,      /* so many rounds back the error of stale gradients is remembered */
    CANDIDATES = 8,   /* steps a sample's model offers */
    MOST_FRESH = 1024 /* components that judge a candidate, at most */
};

/* ---- Samples -------------------------------------------------------------------------------------- */

enum {
    LOOK = 4,           /* components that are few beside d: do they have something in common? */
    LEAST_SAMPLE = 8,   /* components of the first sample, at least; */
    MOST_SAMPLES = 256, /* n over this; */
    FIRST_GRADIENTS = 1600, /* and so many queries of gradients: judges cost little */
    MOST_ROUNDS = 6,        /* steps with one sample: more serve its own minimizer alone */
    MOST_SPAN_ROUNDS = 3,   /* with spans, which make rounds dearer */
    NEXT_CANDIDATES = 2,    /* are offered beyond the best so far */
    ALL_JUDGE = 2,          /* times the least judges: where no more are left, all judge */
    LEAST_FRESH = 32,       /* judges of a candidate, at least: a false step costs more, */
    FRESH_FOR_SPANS = 128,  /* with spans, where few miss what hardly any component sees */
    SPREAD = 256,           /* components that the statistical error is estimated from, */
    MIXED = 32              /* by so many sums of them with random signs */
};
static const double last_part = 1.8;    /* n over the last sample but one: a bit above half */
static const double nearly_all = 1.2;   /* a sample of n over this, and more, is all */
static const double values_after = 8;   /* of a component, for steps: what the horizon must pay */
static const double values_near = 4;    /* and where the sample's x is near that of all, */
static const double near_rows = 15;     /* because it has so many rows for each coordinate; */
static const double price_doubt = 0.1;  /* more for what is recovered, where all depends on it */
static const double stage_after = 10;   /* what a sample's steps, judges and renewals take */
static const double dear_stage = 0.3;   /* of n: more than that is dear, */
static const double values_spare = 8;   /* and must leave so many more for the steps of all */
static const double spans_after = 0.25; /* with spans, of a gradient */
static const double first_part = 0.25;  /* of what it pays for, the first sample at most */
static const double judging_part = 0.0025; /* of a sample's gradients: a candidate's judges */
static const double all_alike = 0.5;      /* mean cosine: few components whose sample says enough */
static const double little_promise = 0.3; /* of the statistical error: the next sample is due, */
static const double span_promise = 3;     /* with spans, which make larger samples dearer */
static const double look_part = 12;  /* times its price: a horizon that pays for a look, at least */
static const double longer_look = 4; /* and for one at RECOVERY_ROWS, */
/* where so much, mean cos^2, promises that rows have something in common, */
static const double some_common = 0.01;
static const double not_by_chance = 8;      /* times that of random directions, at least; */
static const double much_common = 0.1;      /* a part of those recovered tells about the others, */
static const double most_of_all = 0.5;      /* else so much of n must be paid for */
static const double least_for_spans = 0.25; /* units that must be left to learn spans */
/* n, or a sample, over this are asked in full at once, and speak for all */
enum { ASKED_PART = 4 };
static const double matrix_rows = 4; /* times d gradients at x are enough for the matrix */

/* ---- Steps ---------------------------------------------------------------------------------------- */

enum {
    MOST_BOOSTS = 3,    /* times that all candidates may be too long */
    MOST_FAILURES = 14, /* full steps refused in a row: 8^14 of damping */
    CURVES_DOUBTED = 2, /* refusals after which every curve is asked again, */
    SPANS_DOUBTED = 3,  /* or another quarter of the gradients of spans */
    MOST_FLAT = 2       /* full steps in a row that F does not show */
};
static const double lost_falls = 10; /* unseen decreases: more is not promised by chance */
/* of a curvature: dampings of the candidates */
static const double dampings[CANDIDATES] = {100, 10, 2, 0.4, 0.1, 1e-2, 1e-3, 1e-5};
static const double boost = 300;        /* more damping where all candidates are too long */
static const double not_as_told = 2;    /* standard errors: values and expectation disagree, */
static const double margin = 0.5;       /* and so many are added to what values say */
static const double as_expected = 0.5;  /* of the expected fall: no other candidate is tried */
static const double next_damping = 100; /* the first full step's damping is a sample's over this, */
static const double first_damping = 1e-2; /* and at most this part of a curvature */
static const double least_fall = 0.05;    /* of the promise: F must fall by it */
static const double more_damping = 8;     /* after a refusal: steps half as long where M is flat, */
static const double least_damping = 1e-6; /* of a curvature: where damping begins anew */
static const double less_damping = 30;    /* after a step: damping is gone in two */
static const double good_fall = 0.5;      /* of the promise: spans' damping falls too */
static const double least_unit = 0.01; /* of steep^2/scale: curvature of what does not bend here */
static const double safer = 1e3, safer_unit = 10; /* a later round's more careful candidates: */
static const double safe = 30, safe_unit = 0.1;   /* times its damping, or of a curvature */
static const double spread_unknown = 0.02; /* of f's scale: a statistical error that does not fit */
static const double sample_accuracy = 1e-9;      /* of f's scale: a candidate's sub-problem, */
static const double full_accuracy = 1e-21;       /* a full step's, */
enum { SAMPLE_SWEEPS = 20, FULL_SWEEPS = 3000 }; /* over coordinates, at most */
static const double step_accuracy = 1e-6;        /* or of what the step gains, */
static const double rough_step = 1e-4;           /* of all by the factor, whose systems are dear */

/* ---- Walls ---------------------------------------------------------------------------------------- */

enum {
    WALL_PART = 8, /* n over this are walls, at most: a step of these is as dear as one of all, */
    MOST_WALLS = 1000,     /* and so many: memory */
    MOST_WALL_ROUNDS = 20, /* points at which P is looked at, for one step of all */
    MOST_WALL_PLACES = 8   /* along a wall's direction, for one of these */
};
static const double outlying_size = 10;  /* times the mean: slopes that a few have, */
static const double outlying_part = 0.9; /* of the sum of squares of all: samples say little */
static const double wall_miss = 10;   /* times the mean: what a wall is off by at a refused step, */
static const double walls_part = 0.5; /* all of them of what all components are off by */
static const double wall_balance = 0.01; /* of its pull: a wall is where it belongs */
static const double newton_helps = 0.25; /* of a wall's error: Newton's next step is taken */
static const double wall_promise = 1e-3; /* of P's fall: it is as foretold */
static const double wall_part = 0.1;     /* of the shortest length: the end is proven within it */
static const double least_alone = 1e-12; /* of the matrix along a wall: what others give */

/* ---- The end -------------------------------------------------------------------------------------- */

enum { PROOFS = 2 };                                   /* directions that it is proven along, */
static const double proof_away[PROOFS] = {6e-6, 1e-2}; /* so far away, of a coordinate's size: */
static const double proof_others = 0.01;               /* at least this part of the others' */
static const double proof_radii = 10;   /* and so many of those that slopes are known by */
static const double proof_seen = 1e4;   /* roundings of x: no shorter, walls or not */
static const double proof_part = 0.6;   /* of the bend: as much as x^4 takes for slope, and more */
static const double proof_unfelt = 1.5; /* times what a direction feels is there, in the median */
static const double proof_roundings = 64; /* of the mean |f_i|: what its differences are off by */
static const double proof_held = 1e3;     /* roundings that a slope at a bound takes */
static const double proof_unseen = 100;   /* times what F does not show: promised, it is no end, */
static const double proof_falls = 1e-12;  /* of f's scale: more, below x or promised, is no end; */
static const double proof_won = 1e-10;    /* lower by less of what was won is an end, too */

/* ---- Accuracy ------------------------------------------------------------------------------------- */

enum {
    FEW = 16 /* components below which noise leaves nothing to learn from each */
};
static const double rounded_only = 1e-11; /* of f's scale: noise below it is rounding */
static const double least_scale = 1e-290; /* no scale is smaller */
static const double no_height = 1e-9;     /* of steep |x|: f is 0 here, and shows no scale, */
static const double guessed_height = 0.1; /* which is taken for this much of steep |x| */
static const double fallen = 0.1;         /* of f's scale: it is measured anew at x */
static const double no_doubt = 1e-6;      /* of a sum: more than its order makes of it */
static const double shortest = 1e-6, longest = 1e3;      /* length f bends over, of max(1, |x|) */
static const double bend_away = 1e-3;                    /* of that length: where a bend is asked */
static const double renew_away = 2e-5;                   /* and where a slope is, both sides */
static const double noisy_bend = 1.5, noisy_renewal = 3; /* times the 4th, 3rd root of noise */
static const double along_least = 0.02; /* own off, of the length: less along u_i says nothing */
static const double noise_clear = 3;    /* standard deviations that a value may be off by */
static const double roundings_of_value = 20; /* that a curve's value may be off by, */
static const double roundings_of_slope = 30; /* and that a gradient's may, in each coordinate, */
static const double roundings_of_mean = 2;   /* and the gradients' of many, in the mean square */
static const double value_seen = 1e-8;  /* of f's scale: less is no change of a flat component */
static const double slope_seen = 2e-7;  /* of sqrt(scale bend): a slope's error that F shows */
static const double common_part = 0.03; /* of that: what the mean of slopes may be off by */
static const double mu_exact = 1e-7;    /* of mu: what it is off by at best */
static const double mu_standard = 5;    /* standard errors of mu in what is believed of slopes */
static const double bent_axes = 100; /* bends: the bend along axes beside that along u_i, at most */
static const double bend_unsure = 1.25;   /* times what forward error explains: more is a slope */
static const double gradient_blur = 1e-7; /* of steep: a difference gradient's error with spans */

/* ---- Curves --------------------------------------------------------------------------------------- */

enum {
    CURVE_KNOTS = 3, /* values that a curve learns from before it is asked again */
    CHECKED = 6,     /* components of a spot check, */
    LEAST_CHECKED = 2,
    CHECK_EVERY = 100,   /* one for so many, */
    SKETCH = 32,         /* random directions that say what d axes do, */
    LEAST_SKETCHED = 64, /* from so many coordinates on */
    MOST_CHECKS = 6      /* spot checks while the sample grows */
};
static const double doubt = 0.3; /* of a slope's change: a curve corrected by more is asked again */
static const double tight_doubt = 1;    /* and by so much where the horizon pays for few steps, */
static const double tight_values = 24;  /* so many values of all: another step is worth more */
static const double most_misfit = 1e-3; /* of gradients: more, and there are several indices */
static const double mu_known = 1e-5;    /* of mu: a larger error is measured across directions, */
static const double across_part = 0.1;  /* so far away, of max(1, |x|): rounding, and domains */
static const double no_ridge = 1e-9;    /* of scale/length^2: no component bends across its slope */
static const double mu_wrong = 5; /* standard errors by which mu must be off to be corrected, */
static const double much_better = 0.2; /* of its standard error before */
static const double mu_wrong_soon = 2; /* or this where it is known five times better than before */
static const double flat_side = 1e-3;  /* of a slope: a check on a flat side counts as that much */
static const double bend_off = 0.1;    /* of a bend: what is left of the forward error */
static const double blunt = 1e-6;      /* of steep: a gradient off by more is asked again where, */
static const double alive = 10;        /* it would be so many times as exact */
static const double wild = 3; /* times what a slope was: foretold slopes are not believed */
static const double noisy_rest = 2, noisy_part = 0.01; /* a misfit is clear of noise by these */
static const double stale = 1e-2; /* of the mean: a weight that moved less stays in the matrix, */
static const double stale_in_samples = 0.1; /* and while the sample grows */

/* ---- Rows ----------------------------------------------------------------------------------------- */

enum { SPARSE_PART = 4 };             /* a row with d over this numbers, or fewer, is kept sparse */
static const double roundings = 4;    /* of f in a difference of two values */
static const double ridge_off = 1e-5; /* of mu: measured again where it is known less well */
static const double row_clear = 100;  /* so much above these is every number that is not 0 */

/* ---- Directions that others are recovered by ------------------------------------------------------ */

enum { GATHERED = 64 };              /* that are looked at together */
static const double entering = 4;    /* queries for one asked at the start: at x, and its curve's */
static const double parallel = 1e-6; /* mean sin^2 of directions: none is recovered, */
static const double same_direction = 1e-13; /* unless they are the same to rounding */
static const double sharp = 1e6;            /* roundings of f in the difference that shows one */

/* ---- Components with the values of others (curves/twins.c) ------------------------------------------ */

enum { LEAST_TWINS = 2 }; /* then new components are asked in halves: each may be one, too */
enum { MOST_WRONG = 16 }; /* contradictions, */
static const double most_wrong =
    0.02; /* and more than this part: nobody is taken for one any more */
enum { ADOPTED = 16, FOLLOWED = 128 }; /* rows, numbers of twins that are shipped at once */
enum { TRIED_TWINS = 1 };              /* of sixteen are asked themselves in each pass */
static const double twin_row = 1e-6;   /* directions along random numbers differ by less, */
static const double twin_slope = 1e-3; /* slopes of curves by this part, */
static const double twin_alive = 1e-6; /* of what they were: they have not died out; */
static const double twin_check = 1e-5; /* a slope that is asked for, beside a curve's, */
static const double twin_start = 2e-8; /* and beside one that was asked for at the same place */

/* ---- Spans ---------------------------------------------------------------------------------------- */

enum { LEAST_RIDGES = 4, ACROSS_SPAN = 4 }; /* components, dimensions across, that show mu */
static const double unexplained = 1e-4;     /* of a change: below it the span does not grow */
static const double along_step = 0.98;   /* cosine^2 of what is missed and the step: it is mu's */
static const double ridge_clear = 100;   /* gradient errors^2 that it must stand above */
static const double most_in_full = 0.25; /* of all components after a full step, */
static const double least_in_full = 1.0 / 64; /* and at least, */
static const double own_off_in_full = 0.25;   /* without own questions */
enum { LEAST_UNRIDGED = 6 };                  /* with a shape, until mu was seen */
static const double incomplete = 0.1;         /* of squared changes: more, and spans fall short */
static const double complete = 1e-3;          /* less, and guessed spans hold all there is */
static const double span_radius = 10;         /* differences along spans are so much shorter */
static const double least_step = 10;          /* radii: B learns nothing from a shorter step, */
static const double least_bend = 1e-3;        /* nor from a change that bends less, a cosine, */
static const double least_news = 1e-12;       /* nor where it foretells all but this, squared */
static const double short_fall = 1e-2;        /* cosine: B falls short along a step: rank one */
static const double root_part = 1e-12;        /* of B's largest: what is below is not positive */

/* ---- Few components: the mean goes on --------------------------------------------------------------- */

enum { FEW_INDICES = 8 };           /* d below which spans are not begun */
static const double most_units = 4; /* of gradients, before spans are given up */
static const double least_left = 4; /* units of the horizon: slopes and bends come before a step */
static const double fall_short = 0.25; /* of changes that spans leave unexplained: in the mean, */
static const double new_share = 0.2;   /* of which the last look is this part */

/* ---- Shapes --------------------------------------------------------------------------------------- */

enum { TESTED = 16, LEAST_STEEP = 4 };    /* gradients that must agree; of them with a slope */
enum { RIDGE_STEPS = 8 };                 /* of Newton's, towards the ridge beside a matrix */
static const double no_entry = 1e-6;      /* of a gradient's largest entry: counts as 0 */
static const double unlike = 1e-4;        /* of a gradient: what may not be of rank one */
static const double most_unshaped = 0.1;  /* of squared gradients at x that a shape may miss */
static const double as_little = 2;        /* times what another misses: a more special one may, */
static const double measured_part = 0.1;  /* of a gradient: what second differences may cost */
static const double nothing_left = 1e-12; /* or this, which differences make of nothing */

static const double beside_part = 0.25;    /* of a sample whose other coordinates are moved, */
static const double beside_away = 1e-4;    /* of max(1, |x|_max): so far; */
static const double beside_ridge = 1e-6;   /* of what the ridge changes: may be wrong, */
static const double roundings_beside = 16; /* and so many roundings of f, and of the ridge */

/* ---- The curvature that spans miss ------------------------------------------------------------------ */

enum { SCALED = 256, LEAST_SCALED = 4 }; /* components it is measured on, at most and at least, */
enum { MOST_SCALINGS = 3 };              /* so often with all components */
static const double scaling_part = 0.03; /* of the sample's gradients: what that may cost */
static const double scaling_away = 0.1;  /* of 1/sqrt(curvature), and of max(1, |x|): how far */
static const double scaling_floor = 1e-7, flattest = 1e-12; /* curvatures that count as 0 */
static const double singular = 1e-12; /* weak and strong directions say the same */
static const double least_gam = 0.1, most_gam = 100;
static const double gam_more = 1.6, gam_less = 0.7; /* between these it is 1 */

/* ---- A Hessian that all share ----------------------------------------------------------------------- */

enum { LEAST_CHANGES = 4 };          /* changes of gradients whose directions are compared */
static const double same_way = 0.98; /* their mean cosine: W is asked for */
static const double whole_units = 0.05, most_whole_units = 1.2; /* its cost; of one component, */
static const double whole_part = 0.25; /* and of what is left of the horizon */
static const double whole_away = 1e-3; /* of max(1, |x|): its second differences */
static const double foretold = 0.1;    /* of squared changes: W may miss that */
static const double least_weight = 1e-3, most_weight = 1e3;
static const double rise_seen = 1e-10; /* of f: less says nothing of a weight */

#endif
