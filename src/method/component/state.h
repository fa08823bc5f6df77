/* inq: its state, and the room it works in.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_COMPONENT_STATE_H
#define ZO_METHOD_COMPONENT_STATE_H

#include "base/sum.h"
#include "base/vec.h"
#include "method/component/curve.h"
#include "method/component/rules.h"
#include "method/core/fields.h"
#include "method/core/plan.h"
#include "method/core/recovery.h"
#include "subproblem/quad.h"

enum { NUMBERS = 16 }; /* what is summed beside vectors */
enum { TRAITS = 4 };   /* numbers by which twins are told */

/* A shelf has the short rows of the components of a block (base/sum.h), one behind the other as they are found. */
typedef struct shelf_place {
    uint32_t at;          /* where this one's begins; IN_ROWS: not here */
    _Atomic uint32_t end; /* of a block's first component: so many numbers of its shelf are taken */
} shelf_place;
#define IN_ROWS UINT32_MAX

typedef struct candidate {
    double damping; /* added to the diagonal */
    double expect;  /* change of F that is expected, statistical error included */
    double falls;   /* decrease that the sample's model promises */
    double spread;  /* phi: statistical error of the step */
    double score;   /* after trying: the change of F to go by */
    double error;   /* standard error of what the values said */
} candidate;

/* ---- State: all of it registered (core/fields.h). Each struct is written by the file that it names. ---- */

/* inq/inq.c: the sample, order[0..size). */
#define INQ_SAMPLE(COUNT, NUMBER)                                                                  \
    COUNT(sample, size, s->base.n)         /* at least 1, at most n */                             \
    COUNT(sample, filled, s->sample.size)  /* so many are known: asked in full */                  \
    COUNT(sample, begin, s->sample.filled) /* those from here on are new, asked at the centre */   \
    COUNT(sample, rounds, MOST_COUNTED)    /* steps with this sample */                            \
    COUNT(sample, asked, MOST_COUNTED)     /* queries */

/* curves/curves.c: how curves are kept true. */
#define INQ_UPKEEP(COUNT, NUMBER)                                                                  \
    COUNT(upkeep, entering, 1)           /* 1: new components are being asked, or asked again */   \
    COUNT(upkeep, checked, MOST_COUNTED) /* the step of the last spot check */                     \
    COUNT(upkeep, renewed, MOST_COUNTED) /* 1 + the step at which all curves were asked again */   \
    COUNT(upkeep, origin, 2)             /* 1: it is tried first, 2: now */

/* subspaces/subspaces.c: how spans are. */
#define INQ_SPANNING(COUNT, NUMBER)                                                                \
    COUNT(spanning, growing, 1) /* 1: the sample grows as soon as what is asked is told */         \
    COUNT(spanning, entered, MOST_COUNTED) /* queries before spans began */

/* component/recover.c: where new components are asked. */
/* AT_X_ALONE: the start was no better for this list; AT_X_FOR_GOOD: for a whole list, and it is not gone back to */
enum { AT_X, AT_START, AT_X_ALONE, AT_X_FOR_GOOD };
enum { THERE = 1, THERE_AFTER_X }; /* THERE_AFTER_X: x was no better for this list */
#define INQ_START(COUNT, NUMBER)                                                                   \
    COUNT(start, faint, AT_X_FOR_GOOD) /* AT_START: slopes at x have died out for many, so */      \
    COUNT(start, there, THERE_AFTER_X) /* above 0: they are asked at an early point now, */        \
    COUNT(start, place, POINTS - 1)    /* the first of these, or the origin */

/* component/row.c: short rows, one behind the other (factor form). */
#define INQ_STORE(COUNT, NUMBER)                                                                   \
    COUNT(store, used, UINT64_MAX) /* numbers of pool */                                           \
    COUNT(store, full, 1)          /* 1: a row did not fit */

/* inq/step.c: candidates, and what became of them. */
#define INQ_STEP(COUNT, NUMBER)                                                                    \
    COUNT(step, offers, CANDIDATES)     /* candidates: so many of cand and offer, */               \
    COUNT(step, pick, CANDIDATES - 1)   /* tried now, */                                           \
    COUNT(step, first, CANDIDATES - 1)  /* tried first, */                                         \
    COUNT(step, best, CANDIDATES - 1)   /* the best so far; */                                     \
    COUNT(step, way, 2)                 /* which are tried next */                                 \
    COUNT(step, boosts, MOST_BOOSTS)    /* times that even the most damped was too long */         \
    COUNT(step, judges, s->base.n)      /* so many judge; n: all */                                \
    COUNT(step, judged, MOST_COUNTED)   /* 1 + the step that fresh has all values of */            \
    COUNT(step, failures, MOST_COUNTED) /* full steps refused in a row */                          \
    COUNT(step, flat, MOST_COUNTED)     /* full steps in a row that F did not show */              \
    NUMBER(step, damping)               /* of the next full step; NaN: none was made */            \
    NUMBER(step, centred)               /* damping towards centre, from a stage's first step on */ \
    NUMBER(step, objective)             /* F(x), all components in the sample */                   \
    NUMBER(step, falls)                 /* what the step taken promised, */                        \
    NUMBER(step, spread)                /* and its statistical error */

/* curves/spot.c: what the last spot check said. */
#define INQ_CHECK(COUNT, NUMBER)                                                                   \
    COUNT(check, count, MOST_COUNTED) /* of checks */                                              \
    COUNT(check, whole, 1)            /* 1: in full, whatever d is: something did not fit */       \
    NUMBER(check, misfit)             /* the part of gradients that curves did not explain */      \
    NUMBER(check, more)               /* mu_true - mu, NaN: it says nothing; */                    \
    NUMBER(check, error)              /* its standard error */                                     \
    COUNT(check, one, 1) /* 1: at the start components bend along their gradients alone */

/* component/ridge.c: mu, the ridge that all components share. */
#define INQ_RIDGE(COUNT, NUMBER)                                                                   \
    NUMBER(ridge, mu)     /* at least 0; */                                                        \
    NUMBER(ridge, error)  /* its standard error */                                                 \
    NUMBER(ridge, along)  /* sums over components: */                                              \
    NUMBER(ridge, square) /* what was seen across their spans, */                                  \
    NUMBER(ridge, count)  /* of so many */                                                         \
    COUNT(ridge, seen, 1) /* 1: mu was seen so */

/* subspaces/scaling.c: the curvature that spans miss. */
#define INQ_SCALING(COUNT, NUMBER)                                                                 \
    NUMBER(scaling, gam)                /* curvature there is, over that spans show; measured */   \
    COUNT(scaling, times, MOST_COUNTED) /* so often, */                                            \
    COUNT(scaling, step, MOST_COUNTED)  /* 1 + the step of the last time, */                       \
    COUNT(scaling, count, SPREAD)       /* on the components in chosen, */                         \
    NUMBER(scaling, away[CANDIDATES])   /* along directions of such lengths, in cand */

/* subspaces/evidence.c: spans, and what they foretold of gradients. */
#define INQ_EVIDENCE(COUNT, NUMBER)                                                                \
    NUMBER(evidence, inside)             /* squared changes that they explain, */                  \
    NUMBER(evidence, outside)            /* and do not, since the last step */                     \
    NUMBER(evidence, missed_count)       /* components in missed; */                               \
    NUMBER(evidence, missed_square)      /* sum of the squares of its parts */                     \
    NUMBER(evidence, off[ROUNDS])        /* means of what was missed before, the last first, */    \
    NUMBER(evidence, off_count[ROUNDS])  /* over so many components */                             \
    NUMBER(evidence, share)              /* of outside in both, mean of the last few times, */     \
    COUNT(evidence, looks, MOST_COUNTED) /* so often */

enum { NOT_ASKED, ON_TRIAL, RULES, FAILED }; /* shared.state */

/* subspaces/shared.c: a Hessian W that all share. */
#define INQ_SHARED(COUNT, NUMBER)                                                                  \
    COUNT(shared, state, s->whole ? FAILED : NOT_ASKED)                                            \
    NUMBER(shared, error)                     /* what W, */                                        \
    NUMBER(shared, span_error)                /* and what spans, left of changes, squared */       \
    NUMBER(shared, total)                     /* of these */                                       \
    NUMBER(shared, alike)                     /* mean cosine between two changes, the last time */ \
    COUNT(shared, changes, MOST_COUNTED)      /* components in unit_sum, */                        \
    COUNT(shared, changed_from, MOST_COUNTED) /* all asked at this point before */                 \
    COUNT(shared, row, MOST_COUNTED)          /* of W that is asked next, 0: slopes; */            \
    COUNT(shared, begun, MOST_COUNTED)        /* queries before the first */

/* subspaces/guess.c: what spans have in common. */
#define INQ_SHAPE(COUNT, NUMBER)                                                                   \
    COUNT(shape, kind, MOST_COUNTED)    /* a place in shapes, from 1 on; 0: none */                \
    COUNT(shape, outputs, MOST_COUNTED) /* rows of x as a matrix */

/* component/accuracy.c: how large things are. */
#define INQ_SCALE(COUNT, NUMBER)                                                                   \
    NUMBER(scale, value)  /* mean |f_i| at the start, above 0 */                                   \
    NUMBER(scale, steep)  /* root mean square of |grad f_i| there */                               \
    NUMBER(scale, length) /* along own directions, that f_i bends over */                          \
    NUMBER(scale, unit)   /* noise: 1/sqrt(mean curvature along an axis); 0: not known */          \
    COUNT(scale, repeats, MOST_COUNTED) /* times that noise was measured */                        \
    NUMBER(scale, first)                /* value, where it began */

/* component/points.c: points where gradients were told. */
#define INQ_POINTS(COUNT, NUMBER)                                                                  \
    COUNT(points, count, s->spans_on ? UINT32_MAX : POINTS) /* the last are in point */            \
    COUNT(points, valued, MOST_COUNTED) /* 1 + the step at which all values are known; 0: not */

enum { NO_OUTLIERS, AT_HOME, WALLS_KNOWN }; /* outliers.state */

/* inq/outliers.c: who is a wall. */
#define INQ_OUTLIERS(COUNT, NUMBER)                                                                \
    COUNT(outliers, state, WALLS_KNOWN)       /* some were seen, x is the start; all are known */  \
    COUNT(outliers, count, inq_most_walls(s)) /* so many walls are in who and wall */

/* inq/walls.c: a few components that bend over short lengths. */
#define INQ_WALLS(COUNT, NUMBER)                                                                   \
    COUNT(walls, astray, 1)            /* 1: their parabolas are not those at x */                 \
    COUNT(walls, rounds, MOST_COUNTED) /* points z so far; 0: they are asked at x */               \
    COUNT(walls, places, MOST_COUNTED) /* asked at, of this z */                                   \
    NUMBER(walls, falls)               /* P(x) - P(z) of the best z, */                            \
    NUMBER(walls, promise)             /* and of this one by their parabolas, */                   \
    NUMBER(walls, told)                /* which say that the sum of walls there is this */

/* A component that bends over a short length; numbers only. */
typedef struct wall {
    double at, h, slope, bend; /* its parabola */
    double lower[3], upper[3]; /* places, values and slopes there between which it belongs */
    double here;               /* its value at x, without the ridge */
    double length;             /* that it bends over */
    double aim, give;          /* where it would be, and how far it gives way for its slope */
    double next, off;          /* where it is asked next; by how much the last place was off */
} wall;

/* The model at x, as its kind has made it. */
#define INQ_MODEL(COUNT, NUMBER)                                                                   \
    NUMBER(model, bend) /* trace of the matrix, without the ridge and walls */

/* curves/lend.c: noise, and components that depend on a few coordinates each. */
#define INQ_LENDING(COUNT, NUMBER)                                                                 \
    COUNT(lending, sought, 1)  /* 1: supports was offered the first sample, */                     \
    COUNT(lending, returns, 1) /* 1: and asks for all components at the end */

/* curves/twins.c: components with the values of others. */
#define INQ_TWINS(COUNT, NUMBER)                                                                   \
    COUNT(twins, count, s->base.n)  /* so many are asked through another, */                       \
    COUNT(twins, broken, s->base.n) /* so many were, wrongly, and are to be asked in full */       \
    COUNT(twins, any, 1)            /* 1: there were some, so that F is not known by itself */     \
    COUNT(twins, doubted, 1)        /* 1: the next time all of them are asked themselves */        \
    COUNT(twins, sought, s->base.n) /* components in the sample when they were sought */           \
    COUNT(twins, compared, MOST_COUNTED) /* times one was asked itself, */                         \
    COUNT(twins, wrong, MOST_COUNTED)    /* and was not what its elder is */

/* clang-format off */
#define INQ_STRUCTS(S) \
    S(sample, INQ_SAMPLE) S(upkeep, INQ_UPKEEP) S(spanning, INQ_SPANNING) S(start, INQ_START) \
    S(store, INQ_STORE) S(step, INQ_STEP) S(check, INQ_CHECK) S(ridge, INQ_RIDGE) \
    S(scaling, INQ_SCALING) \
    S(evidence, INQ_EVIDENCE) S(shared, INQ_SHARED) S(shape, INQ_SHAPE) S(scale, INQ_SCALE) \
    S(points, INQ_POINTS) S(outliers, INQ_OUTLIERS) S(walls, INQ_WALLS) S(model, INQ_MODEL) \
    S(lending, INQ_LENDING) S(twins, INQ_TWINS)
/* clang-format on */
INQ_STRUCTS(FIELDS_STRUCT)

/* A component that sees x through several indices; numbers only. */
typedef struct span {
    double rank;     /* own directions */
    double bends;    /* 1: its curvature is not 0 */
    double weight;   /* w_i where Hessians are w_i W; 0: not known */
    double measured; /* 1: its curvature was measured (curvature.c) */
} span;

/* Points (inq_point) at which a component was asked: its gradient, and its slopes along its span; 0: never. Questions are
 * heard by all ranks, so all know these of all components. */
typedef struct visits {
    uint32_t full, renewed;
} visits;

/* Components in the sample, itself one of them, that a component speaks for; those of them that are new. 0: another speaks for it. */
typedef struct voices {
    uint32_t all, fresh;
} voices;

typedef struct inq {
    method base;
    size_t chunk;     /* components asked at once when answers or directions are d numbers each */
    size_t rows;      /* directions that there is room for: chunk, or SPREAD */
    int dense;        /* 1: the model is a matrix; 0: its factor */
    int seeks;        /* 1: there is room to know of twins */
    int wide;         /* 1: there is room for whole rows; 0: for short ones alone */
    uint64_t without; /* rules that are switched off, a bit each (rules.h) */
    const struct component_kind *const *kinds; /* of models (component.h): curves, spans */

    plan plan;
    INQ_STRUCTS(FIELDS_MEMBER)
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
        size_t stride;   /* d, even */
        double *shelves; /* x depth: short rows, those of a block together (not in factor form) */
        shelf_place *shelf; /* where on its block's shelf the row of each lies */
        size_t depth;
        double *pool;   /* short rows (factor form): */
        uint64_t *slot; /* where that of a component begins */
        size_t entries; /* numbers of rows, without their coordinates, that there is room for */
    };

    struct {           /* state that all ranks have: who, where */
        visits *asked; /* n */
        /* n: 1 + the one that speaks for it; 0: none; n + 1 + that: wrongly so, and it is to be asked in full */
        uint64_t *elder;
        uint64_t *chosen; /* SPREAD: components that the scale is measured on */
        double *point;    /* POINTS x d */
        double *centre;   /* d: x when the stage began */
        double *cand;     /* CANDIDATES x d */
        candidate *offer; /* CANDIDATES */
        uint64_t *who;    /* walls, rising: components, */
        wall *wall;       /* and what is known of them; inq_most_walls each */
        double *fresh;    /* values at x of the components that judge */
    };

    struct {              /* state that all ranks have: sums */
        double *unit_sum; /* d: sum of the directions that gradients changed in */
        double *missed;   /* d: sum of what was not foretold of the gradients asked last */
        double *whole;    /* d x d: W (dense, else NULL) */
        double *matrix;   /* d x d: sum of weight_i u_i u_i' over the sample */
    };

    struct { /* scratch: the sample and its model at x */
        /* my components in the sample, rising, without those whom others speak for and who are not in matrix */
        uint64_t *list;
        size_t listed;                   /* so many, */
        uint64_t listed_at, listed_from; /* when filled and begin were this */
        voices *voices;                  /* of my components: so many each speaks for */
        double *slope, *bend;            /* of the curves of my components at x */
        double *g, *fresh_g;             /* d: of the sample at x; of its new components */
        double *full;                    /* d x d: the model's matrix (dense) */
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
        double *own;                       /* chunk x d: own ones, and the same as lists */
        zo_sparse *list_of;                /* chunk: count 0 where a row is not short, */
        uint32_t *places;                  /* chunk x d/4 */
        double *values;                    /* the same */
        uint32_t *axes;                    /* d: 0, 1, 2, ... */
        double *block;                     /* 2 SUM_BLOCK x d */
        double *tree;                      /* partial sums of d or d^2 numbers */
        double *work, *lost, *told, *miss; /* d */
        double *entry;                     /* a few numbers for each component of a question */
        unsigned char *mark, *marks;       /* of my components, and of all: may be the same */
        uint64_t *comp, *index;            /* 2 SPREAD; 2 chunk */
        uint32_t *seen;                    /* d/4 + 1: coordinates of a sparse row */
    };
    struct {               /* scratch: twins */
        zo_fan whole_fan;  /* the question with those that are left out; ncomp 0: none stands */
        uint64_t *asks;    /* n: those asked */
        uint32_t *where;   /* n: 1 + entry among these, 0: left out; or places in the order */
        double *put_in;    /* n: answers with those of twins */
        double *traits;    /* TRAITS n: of the sample, in its order: what twins have in common */
        uint32_t *first;   /* twin_slots: 1 + place in the order of one with such traits, */
        uint32_t *further; /* n: and of the next one with the same */
        size_t slots;      /* a power of 2 */
        uint64_t indexed;  /* what these were made for; */
        size_t reached, waiting; /* up to where in the order; so many of where are not in it yet */
        double *packed;          /* ADOPTED x (d + 1 + a curve), or FOLLOWED x TRAITS */
        uint64_t *pair;          /* FOLLOWED: components, on ranks */
    };
    quad_room room;
    recovery recovery;
} inq;

/* ---- state.c: memory ------------------------------------------------------------------------------- */

double inq_bytes(size_t n, size_t d, double sides); /* memory that inq needs; */
/* where rows turn out to have few numbers; which method goes on where they do not, and there is no room for them */
double inq_least_bytes(size_t n, size_t d, double sides);
zo_status inq_open(method *m, zo_error *err);
void inq_touch(inq *s); /* most pages of what components have will be needed soon */
void inq_close(method *m);

/* ---- What is read off it --------------------------------------------------------------------------- */

/* Of the points, the last POINTS; numbers begin at 1. */
static inline const double *inq_point(const inq *s, uint64_t number)
{
    return s->point + (size_t)((number - 1) % POINTS) * s->base.d;
}
/* Where directions are asked for: x, or an early point; and its number among the points. */
static inline const double *inq_place(const inq *s)
{
    return s->start.there ? s->point + s->start.place * s->base.d : s->base.x;
}
static inline double inq_place_number(const inq *s)
{
    return (double)(s->start.there ? s->start.place + 1 : s->points.count);
}

/* Is a rule on? */
static inline int inq_rule(const inq *s, int rule) { return !(s->without >> rule & 1); }

/* The ridge (mu/2)|x|^2, which is part of every component's value. */
static inline double inq_ridge(const inq *s, const double *x)
{
    return 0.5 * s->ridge.mu * vec_dot(s->base.d, x, x);
}

/* Are all components in the sample? */
static inline int inq_all(const inq *s) { return s->sample.size == s->base.n; }

/* Noise, and curves that do not explain what components do: what they promise is not to be relied on. */
static inline int inq_doubted(const inq *s)
{
    return s->base.set.noise > 0 && s->dense && !s->spans_on && s->check.misfit > most_misfit;
}

/* So many walls there may be. */
static inline uint64_t inq_most_walls(const inq *s)
{
    return s->base.n / WALL_PART < MOST_WALLS ? s->base.n / WALL_PART : MOST_WALLS;
}
/* Of a component that is one. */
static inline wall *inq_wall(const inq *s, uint64_t i)
{
    uint64_t low = 0, high = s->outliers.count;
    while (high - low > 1) {
        uint64_t k = low + (high - low) / 2;
        if (s->who[k] <= i)
            low = k;
        else
            high = k;
    }
    return &s->wall[low];
}

static inline int inq_is_wall(const inq *s, uint64_t i)
{
    return s->outliers.count && s->who[inq_wall(s, i) - s->wall] == i;
}

/* Of my components. */
static inline size_t inq_at(const inq *s, uint64_t i) { return (size_t)i - s->base.first; }
static inline double *inq_row(const inq *s, uint64_t i)
{
    return s->row + inq_at(s, i) * s->base.d;
}
static inline curve *inq_curve(const inq *s, uint64_t i) { return &s->curves[inq_at(s, i)]; }
/* Its gradient was not above rounding, it has no direction: it counts as constant until its value changes. */
static inline int inq_is_flat(const inq *s, uint64_t i) { return inq_curve(s, i)->size == 0; }
/* Of a difference gradient. */
static inline double inq_blur(const inq *s) { return gradient_blur * s->scale.steep; }
/* It is asked in full at the last point, and along its span. */
static inline void inq_visit(inq *s, uint64_t i)
{
    s->asked[i] = (visits){(uint32_t)s->points.count, (uint32_t)s->points.count};
}
/* Does another speak for it? */
static inline int inq_is_twin(const inq *s, uint64_t i)
{
    return s->seeks && s->elder[i] - 1 < s->base.n;
}
/* Who speaks for it: its elder, also where that turned out to be wrong, until it was asked in full; or itself. */
static inline uint64_t inq_speaker(const inq *s, uint64_t i)
{
    if (!s->seeks || !s->elder[i]) return i;
    return s->elder[i] - 1 - (s->elder[i] > s->base.n ? s->base.n : 0);
}
static inline int inq_is_broken(const inq *s, uint64_t i)
{
    return s->seeks && s->elder[i] > s->base.n;
}
/* Where its direction was found. */
static inline const double *inq_found_at(const inq *s, uint64_t i)
{
    return inq_point(s, (uint64_t)inq_curve(s, i)->point);
}
/* Are the values of all components at x known? */
static inline int inq_valued(const inq *s) { return s->points.valued == s->base.step + 1; }
static inline uint64_t inq_end(const inq *s) { return s->base.first + s->base.count; }

#endif
