/* inq within its files: the state, and what each file does.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_INQ_H
#define ZO_METHOD_INQ_H

#include "base/sum.h"
#include "base/vec.h"
#include "method/curve.h"
#include "method/method.h"
#include "method/quad.h"

enum {
    CANDIDATES = 8,    /* steps a model offers */
    FREE = 7,          /* repetitions of answers that noise can be measured by */
    FEW = 16,          /* components below which noise leaves nothing to learn from each */
    CROSS = 20,        /* up to this d a noisy end measures its whole matrix */
    WHOLE = 160,       /* up to this d a matrix of second differences is asked for when secants are slow */
    SPAN = 12,         /* own directions of a component, at most */
    PAIRS = 30,        /* secants that sinq keeps */
    POINTS = 48,       /* places where directions were found */
    CHECKED = 6,       /* components of a spot check */
    MOST_FRESH = 1024, /* components that judge a candidate, at most */
    SPREAD = 256,      /* components that the statistical error is estimated from */
    NUMBERS = 16,      /* what is summed beside vectors */
    ROUNDS = 16,       /* so many rounds back inq_missed is remembered */
    MIXED = 3,         /* directions of signs that one function is asked along at the start */
    DENSE = 1500       /* up to this d the model is a matrix */
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
       ASK_AGAIN,    /* secants: difference gradients at x of the components in todo */
       ASK_SPAN,     /* spans: components in todo along their own directions */
       ASK_SCALE,    /* secants: second differences along a few directions */
       ASK_WHOLE,    /* secants: all second differences of a few components */
       ASK_LADDER,   /* noise: a direction at several lengths */
       ASK_NEAR,     /* noise: central differences of the mean */
       ASK_CROSS,    /* noise: cross differences of the mean */
       ASK_STEP,     /* noise: the mean at a candidate */
       ASK_AXES,     /* supports: components in full, to see what they depend on */
       ASK_GROUPS,   /* supports: or by groups of coordinates, */
       ASK_MEMBERS,  /* and then each in those that matter */
       ASK_ALONG,    /* supports: components along their gradients */
       ASK_INSIDE,   /* and within their supports across them */
       ASK_OUTSIDE,  /* supports: each component with all other coordinates moved */
       ASK_WIDEN,    /* supports: those that have changed, in full at the moved point */
       ASK_LOOK,     /* supports: each component along its own axes */
       ASK_SLOPES,   /* one function: its slopes at x along the axes in axes */
       ASK_BENDS,    /* and how it bends along all axes */
       ASK_POINT,    /* and its value at a candidate */
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

/* Where the method stands; all of it state, 8 bytes a field. */
struct progress {
    uint64_t size, filled,
        begin;       /* the sample is order[0..size); filled are known, those from begin on are new */
    uint64_t cursor; /* components asked so far in this stage */
    uint64_t todo, redo, points; /* how many are in todo, at its end, and in point */
    uint64_t rounds, checks;     /* steps with this sample; spot checks so far */
    uint64_t checked, renewed;   /* the step at which the last check and the last renewal of all were */
    uint64_t offers, pick, first, best,
        way;         /* candidates: how many, tried now, first, best so far, which way */
    uint64_t boosts; /* times that even the most damped candidate was too long: 300 times more damping each */
    uint64_t fresh;  /* components that judge candidates */
    uint64_t judged; /* 1 + the step at which fresh has the values of all */
    uint64_t failures;           /* candidates refused in a row, all components in the sample */
    uint64_t aside;              /* 1: components are asked in full at the refused candidate */
    uint64_t flat;               /* steps in a row that F did not show */
    uint64_t secants, scalings;  /* 1: gradients and secants are kept; times their scale was measured */
    uint64_t valued;             /* 1 + the step at which objective is known */
    uint64_t scaled_at, growing; /* 1 + the step at which the scale was measured; 1: the sample grows next */
    uint64_t ridged;             /* 1: mu was seen across spans */
    uint64_t shape, outputs;     /* what spans have in common (inq_guess.c); rows of x as a matrix */
    uint64_t scaled;             /* components in chosen */
    uint64_t ranked[SPAN];       /* spans in todo: where those of rank k + 1 end */
    uint64_t pairs, pair_count,
        pair_point;       /* mean secants so far; components in the one being summed, and its z */
    uint64_t asked;       /* queries */
    double mu;            /* the ridge that all components share */
    double mu_error;      /* standard error of mu */
    double gam;           /* secants: how much more curvature there is than they show */
    double damping;       /* of the next full step */
    double centred;       /* damping towards centre, from a stage's first step on */
    double objective;     /* F(x), all components in the sample */
    double scale, length; /* mean |f_i| at the start; a length along own directions that f_i bends over */
    double bend;          /* mean of the weights */
    double falls, spread; /* of the step taken */
    double steep;         /* root mean square of |grad f_i| at the start */
    uint64_t
        whole; /* 0: the matrix of second differences was not asked for; 1: it is on trial; 2: it rules; 3: it does not */
    double whole_error, secant_error,
        whole_total; /* what each left of the changes of gradients, and these; squared */
    double past[4];  /* falls of the last four full steps */
    double fallen;   /* noise: what F fell by in full steps */
    double alike;    /* mean cosine between two components' changes of gradients, the last time */
    double ridge_along, ridge_square, ridge_count; /* sums over components: what was across their spans */
    double missed_count, missed_square;            /* components in missed; sum of the squares of its parts */
    double off[ROUNDS],
        off_count[ROUNDS];  /* inq_missed and missed_count of the rounds before, the last one first */
    double inside, outside; /* spans: squared changes of gradients that they explain, and do not */
    double checked_more, checked_error; /* mu_true - mu by the last spot check, and its standard error */
    double misfit;                      /* what the last spot check could not explain, relative */
    uint64_t repeats;                   /* times that noise was measured */
    uint64_t looks, metric, whole_from, sides,
        central;   /* noise: looks at x; looks that the matrix has seen, and when it is measured; of the next
                 * look; the last central one */
    double unit;   /* noise: 1/sqrt(h), h the mean curvature along an axis at the start; 0: not known */
    double agrees; /* noise: the curvature along the last step over what was foretold */
    uint64_t supports;         /* noise: what is known of supports (inq_axes.h) */
    uint64_t supported;        /* components whose support is known */
    uint64_t tests, tested;    /* of supports so far; 1 + the step of the last that was passed */
    uint64_t trials, leaving;  /* tests in a row that were not passed; 1: the run ends after this one */
    uint64_t widened;          /* components that were asked in full after a test, so far */
    uint64_t group;            /* coordinates that are moved at once to find supports */
    uint64_t crossed;          /* 1: this look asks for cross differences */
    double ridge, ridge_error; /* mu as seen outside supports, and its standard error */
    double clear;              /* the curvature along an axis in this look, in noise levels */
};

/* One function (inq_one.c); all of it state, 8 bytes a field. */
struct lone {
    uint64_t entered; /* queries before spans began */
    uint64_t looks;   /* at spans */
    double share;     /* the part of changes that spans left unexplained, mean of the last few looks */
    uint64_t axes;    /* axes that are asked next */
    uint64_t unasked; /* slopes at x that are only foretold */
    uint64_t passed;  /* looks in a row that passed over axes */
    uint64_t tried;   /* values since the last slopes */
    uint64_t valued;  /* 1: f(x) is known, where x is the centre */
    uint64_t learnt;  /* the step up to which the matrix has learnt */
    uint64_t axial;   /* 1 + the step at which the matrix was made of bends along axes */
    double value;     /* f(x) */
    double factor;    /* of the matrix along the path of steps, for the next */
    double good, bad; /* of the best so far, and of the shortest that was too long; 0: there was none */
    double won;       /* what the best is below F(x) */
    double lowest;    /* f there */
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
    double
        *within[SPAN]; /* x (k + 2): e_k, the change of the slope along it since the gradient; row k of B */
    size_t stride;     /* d, even */

    /* state that all ranks have */
    visits *asked;               /* n */
    uint64_t *todo;              /* n: components to renew */
    uint64_t *chosen;            /* SPREAD: components that the scale is measured on */
    double *pair_sum, *unit_sum; /* d: changes of gradients; their directions */
    double *missed;              /* d: sum of what the model did not foretell of the gradients asked last */
    double *whole;               /* d x d: second differences (d <= WHOLE, else NULL) */
    double *matrix;              /* d x d: sum of weight_i u_i u_i' over the sample (dense) */
    double *point;               /* POINTS x d */
    double *centre;              /* d: x when the stage began */
    double *cand;                /* CANDIDATES x d */
    candidate *offer;            /* CANDIDATES */
    double *fresh;               /* values at x of the fresh components */
    double *reach, *bends;       /* d: noise: radii along the axes, second differences there */
    double *incline, *inclined,
        *before;   /* d: noise, one function: slopes at x and at the x before, and that */
    double *level; /* d: noise: of the mean along an axis, with supports */
    struct progress *at;

    /* state, one function */
    struct lone *one;
    double *drift;  /* d: what slopes changed by when they were asked last */
    double *steady; /* d x d: the matrix before values were told; NULL: it will not come to this */
    uint32_t *axes; /* d: axes to ask */

    /* scratch */
    uint64_t *order;                   /* n: the order in which components enter, a function of the seed */
    double *slope, *bend;              /* of the curves of my components at x */
    double *g, *fresh_g;               /* d: of the sample at x; of its new components */
    double *full;                      /* d x d: the model's matrix (dense) */
    double *col;                       /* d x n: sqrt(bend_i/s) u_i of the sample, by columns (factor form) */
    double *dir;                       /* chunk x d, or SPREAD x d */
    double *corner;                    /* d(d+1)/2 x d: e_j + e_k (d <= WHOLE) */
    double *block;                     /* 2 SUM_BLOCK x d */
    double *tree;                      /* partial sums of d or d^2 numbers */
    double *work, *lost, *told, *miss; /* d */
    double *entry;                     /* a few numbers for each component of a question */
    double *some;                      /* SPREAD x d: gradients of a few components, less their mean */
    size_t few;                        /* rows in it */
    int fetched;                       /* 1: they are those of this round */
    int modelled;                      /* 1: slope, bend, g and full are those at x, of what is known now */
    unsigned char *is_new;             /* of my components */
    unsigned char *mark, *marks;       /* of my components, and of all: may be the same */
    uint64_t *upto;                    /* blocks + 1: marked components before each block */
    uint64_t held;                     /* secants in the model */
    uint64_t *comp, *index;            /* 2 SPREAD; 2 chunk */
    uint64_t *list;                    /* my components in the sample, rising */
    size_t listed;                     /* so many */
    uint64_t listed_at;                /* when filled was this */
    uint32_t *seen;                    /* d/4 + 1: coordinates of a short row */
    quad_room room;
} inq;

/* inq_open.c: memory, state, the order in which components enter */
double inq_bytes(size_t n, size_t d, double sides); /* memory that inq needs */
double inq_affordable(const inq *s);                /* components that the horizon can pay for */
double inq_least_size(const inq *s);                /* a sample from which on its steps are cheap to judge */
zo_status inq_open(method *m, zo_error *err);
void inq_close(method *m);

/* inq.c */
void inq_ask_bends(inq *s); /* of the new components */

/* inq_ask.c: the question of each stage */
int inq_ask(method *m, zo_fan *fan);

/* inq_round.c: what comes next */
void inq_model(inq *s); /* by curves or by secants */
void inq_begin_round(inq *s);
void inq_grow(inq *s);          /* a larger sample */
void inq_renew(inq *s);         /* the curves in todo, then what comes after */
void inq_after_renewal(inq *s); /* doubtful directions, a spot check, the next round */
void inq_move(inq *s, const double *z);
void inq_ask_again(inq *s, uint64_t count); /* secants: so many components in full at x */
void inq_ask_spans(inq *s);                 /* spans: then along its span what was not */
void inq_tell_spans(inq *s, const double *answers);
void inq_finish(inq *s);

/* inq_sample.c: steps judged by components that are not in the sample */
void inq_tell_try(inq *s, const double *answers);

/* inq_full.c: steps of all components, judged by F */
void inq_begin_full(inq *s);
void inq_tell_full(inq *s, const double *answers);
double inq_mean_of(inq *s, const double *answers);
uint64_t inq_in_full(inq *s, double most); /* spans: components to ask in full, most: at most this part */

/* inq_refuse.c: what a refused step says */
int inq_ask_aside(inq *s, const double *z, const double *answers); /* 1: components are asked at z */
void inq_end_aside(inq *s);

/* inq_across.c: mu, across what components see */
void inq_ask_across(inq *s, zo_fan *fan);
double inq_learn_across(inq *s, const double *answers,
                        double *error); /* mu_true - mu, and its standard error */

/* inq_near.c: the end of a noisy run */
void inq_begin_near(inq *s);
void inq_settle_radius(inq *s); /* of differences of single components */
void inq_ask_near(inq *s, zo_fan *fan);
void inq_tell_near(inq *s, const double *answers);

/* inq_axes.c: noise, and components that depend on a few coordinates each */
int inq_begin_axes(inq *s); /* 1: it seems so, and is asked about */
void inq_ask_axes(inq *s, zo_fan *fan);
void inq_tell_axes(inq *s, const double *answers);

/* inq_one.c: one function */
int inq_may_be_one(const inq *s); /* few components, without noise */
int inq_one_due(const inq *s);    /* 1: spans do not help, their mean is all that is asked from now on */
void inq_keep_share(inq *s);      /* spans: before the next look */
void inq_begin_one(inq *s);
void inq_ask_one(inq *s, zo_fan *fan);
void inq_tell_one(inq *s, const double *answers);

/* inq_one_matrix.c */
void inq_one_matrix(inq *s, const double *rise); /* begins; rise: of f along MIXED directions of signs */
void inq_one_learn(inq *s);                      /* from the change of slopes since before */

/* sinq.c */
size_t sinq_part(size_t n, size_t d, double sides, double memory); /* components that fit in memory */

/* inq_sums.c: passes over the sample */
void inq_project(inq *s); /* now = u'x for the sample */
void inq_mark_new(inq *s);
void inq_sum_curves(inq *s); /* slope, bend, g at x */
/* Sum over the sample of one number for each component. */
double inq_total(inq *s, double (*of)(const inq *s, uint64_t i));

/* inq_model.c */
void inq_curve_model(inq *s);       /* slope, bend, g, matrix at x */
void inq_offer(inq *s);             /* candidates for the sample's model */
void inq_take_up(inq *s, size_t k); /* candidate k is tried next */
void inq_offer_full(inq *s);        /* one candidate, at s->at.damping */
double inq_unit(const inq *s);
double inq_missed(const inq *s); /* spans: how far off the gradients asked last were, in the mean */
double inq_mean_value(inq *s);   /* mean of f over the sample */
void inq_residual(inq *s);
double inq_alike(inq *s); /* mean cosine between gradients of the sample */
void inq_measure(inq *s); /* scale and length, from the first sample */

quad inq_quad(inq *s, double damping);

/* inq_gram.c: sums of d x d numbers over components */
/* Writes the rows whose squares component i (of mine) adds, at most most of them; returns how many. */
typedef size_t (*inq_rows)(const inq *s, uint64_t i, double *rows);
enum {
    LEFT_OUT,
    ADDED,
    TAKEN_AWAY,
    SHORT_ROW = 4
}; /* marks: what a component does to the sum, or instead of rows its own
 * direction, which is short, times bend - weight */
enum { CERTAIN, CURVE_IN_DOUBT, DIRECTION_IN_DOUBT }; /* marks: what a value says of a component */
/* full = sum of rows'rows over the components that are marked (mark, of my components), upper triangle. */
void inq_gram(inq *s, inq_rows rows, size_t most);

/* inq_span.c: components that see x through several indices */
void inq_enter_spans(inq *s, const double *answers); /* of a spot check */
void inq_keep_point(inq *s);
void inq_list_oldest(inq *s, uint64_t count);
void inq_list_spans(inq *s);
int inq_at_last_point(const inq *s);
int inq_all_told(const inq *s);
void inq_keep_values(inq *s, const double *answers);
const double *inq_point(const inq *s, uint64_t number); /* numbers begin at 1 */
size_t inq_rank(const inq *s, uint64_t i);
void inq_span_row(const inq *s, uint64_t i, size_t k, double scale, double *to); /* to = scale u_k */
void inq_span_project(const inq *s, uint64_t i, const double *v, double *t);     /* t = U v */
void inq_span_add(const inq *s, uint64_t i, const double *t, double *to);        /* to += U't */
void inq_span_curvature(const inq *s, uint64_t i, double b[SPAN][SPAN]);
void inq_keep_curvature(inq *s, uint64_t i, double b[SPAN][SPAN]);
/* B changes so that B step = y, and stays positive: by the symmetric update of rank one where B falls short along the
 * step, else by BFGS's; not at all where y does not bend upwards, or says nothing new above the blur of differences. */
void inq_learn_curvature(const inq *s, uint64_t i, double b[SPAN][SPAN], const double *step, const double *y);

/* inq_guess.c: spans that one gradient gives away */
void inq_find_shape(inq *s, const double *answers);  /* what gradients have in common; of a spot check */
int inq_guess_span(inq *s, uint64_t i, double bend); /* 1: from its gradient; bend: along that */

int inq_guessed(const inq *s); /* do guessed spans hold all there is? */
void inq_rebase(inq *s);
void inq_guess_again(inq *s, uint64_t i); /* from another gradient */

/* inq_span_learn.c */
void inq_learn_again(inq *s, const double *answers); /* full gradients */
void inq_learn_spans(inq *s, const double *answers); /* slopes along the span */
void inq_correct_ridge(inq *s);
double inq_has_no_span(const inq *s, uint64_t i); /* 1: it was asked in full once only */

/* inq_span_model.c */
void inq_span_model(inq *s);
int inq_incomplete(const inq *s); /* do spans fall short of the changes seen? */
double inq_add_gradient(inq *s, uint64_t i, double *to);

/* inq_shared.c: what components have in common */
void inq_add_to_pair(inq *s, uint32_t point, uint64_t count, const double *changes, const double *units);
void inq_close_pair(inq *s);
int inq_shares(const inq *s); /* does one matrix stand for all Hessians? */
size_t inq_whole_sample(const inq *s);
int inq_whole_due(const inq *s);
void inq_learn_whole(inq *s, const double *answers);
typedef struct
    comparison { /* sums over components: squares of changes of gradients, and what is left of them */
    double whole_error, whole_total, secant_error, outside, inside;
} comparison;
void inq_compare_shared(inq *s, uint64_t i, const double *change, const double *step, comparison *to);
void inq_judge_shared(inq *s);
double inq_weight(const inq *s, uint64_t i);
double inq_mean_weight(inq *s);
void inq_weigh(inq *s, const double *z, const double *values);

/* inq_scale.c: second differences of a few components */
void inq_scale_directions(inq *s);
size_t inq_scaled(inq *s);
void inq_learn_scale(inq *s, const double *answers);

/* inq_learn.c: what answers say about components */
void inq_learn_gradient(inq *s, const double *answers);
void inq_learn_bend(inq *s, const double *answers);
void inq_learn_values(inq *s, const double *answers);
void inq_learn_renewed(inq *s, const double *answers);
void inq_learn_check(inq *s, const double *answers);
void inq_correct_mu(inq *s, double more, double error);  /* mu + more was measured */
double inq_coarse(const inq *s, double times, double f); /* what a value near f may be off by */
double inq_bend_radius(const inq *s, uint64_t i);
double inq_renew_radius(const inq *s, uint64_t i);
void inq_common_direction(inq *s, double *p);

/* Where directions are asked for: x, or the candidate that was refused. */
static inline const double *inq_place(const inq *s) { return s->at->aside ? s->cand : s->base.x; }

/* The ridge (mu/2)|x|^2, which is part of every component's value. */
static inline double inq_ridge(const inq *s, const double *x)
{
    return 0.5 * s->at->mu * vec_dot(s->base.d, x, x);
}

/* Are all components in the sample? */
static inline int inq_all(const inq *s) { return s->at->size == s->base.n; }

/* Noise, and curves that do not explain what components do: what they promise is not to be relied on. */
static inline int inq_doubted(const inq *s)
{
    return s->base.set.noise > 0 && s->dense && !s->at->secants && s->at->misfit > 1e-3;
}

/* Of my components. */
static inline size_t inq_at(const inq *s, uint64_t i) { return (size_t)i - s->base.first; }
static inline double *inq_row(const inq *s, uint64_t i) { return s->row + inq_at(s, i) * s->base.d; }
static inline curve *inq_curve(const inq *s, uint64_t i) { return &s->curves[inq_at(s, i)]; }
static inline span *inq_span(const inq *s, uint64_t i) { return &s->spans[inq_at(s, i)]; }
static inline double *inq_along(const inq *s, uint64_t i, size_t k)
{
    return s->within[k] + inq_at(s, i) * (k + 2);
}
static inline float *inq_layer(const inq *s, uint64_t i, size_t k)
{
    return s->layer[k] + inq_at(s, i) * s->stride;
}
static inline double inq_blur(const inq *s) { return 1e-7 * s->at->steep; } /* of a difference gradient */
static inline uint64_t inq_end(const inq *s) { return s->base.first + s->base.count; }

#endif
