/* supports within its files: noise, and components that depend on a few coordinates each.
 * SPDX-License-Identifier: MIT
 *
 * Component i depends on the coordinates in its support S_i alone, but for the ridge: f_i(x) = h_i(x_S) + (mu/2)|x|^2. The
 * number of these is its rank. A wide component depends on too many to list: its slopes and second differences are kept
 * along all axes.
 *
 * Values have noise of standard deviation sigma, so means of n have eps = sigma/sqrt(n); along axis j the mean changes
 * with the m_j components that depend on x_j alone, and its noise is eps_j = sigma sqrt(m_j)/n. */
#ifndef ZO_METHOD_SUPPORTS_H
#define ZO_METHOD_SUPPORTS_H

#include <math.h>

#include "base/sum.h"
#include "base/vec.h"
#include "method/core/descent.h"
#include "method/core/fields.h"
#include "method/core/noise.h"
#include "method/core/plan.h"
#include "method/supports/rules.h"

enum {               /* stage: what is asked next */
       ASK_NOISE,    /* by name: a few components twice at the same point, */
       ASK_LADDER,   /* a direction at several lengths, */
       ASK_GRADIENT, /* difference gradients of a sample */
       ASK_SPLIT,    /* components with intervals of coordinates moved */
       ASK_ALONG,    /* along their gradients, */
       ASK_INSIDE,   /* and within their supports, across these */
       ASK_PASS,     /* each component along its own axes */
       ASK_STEP,     /* all at a candidate */
       ASK_NOTHING
};

enum { /* at.state: what is known of supports */
       NOT_SOUGHT,
       OF_SAMPLE, /* those of the first sample are being tested */
       OF_ALL,    /* those of all are */
       OF_CURVES, /* those that inq's directions have shown are being tested */
       RULING     /* gradients are asked along supports */
};

enum { WIDE = PLAN_RANKS + 1 }; /* rank of a wide component */

/* ---- State, all of it registered (core/fields.h). Each struct is written by the file that it names. ---- */

/* supports/supports.c: what is known. */
#define SUPPORTS_AT(COUNT, NUMBER)                                                                 \
    COUNT(at, state, RULING)                                                                       \
    COUNT(at, supported, s->base.n)  /* order[0..supported) have a support, */                     \
    COUNT(at, sampled, s->base.n)    /* of which so many came with slopes, */                      \
    COUNT(at, bent, 1)               /* 1: and their bends along these are known */                \
    COUNT(at, tests, MOST_COUNTED)   /* so far; */                                                 \
    COUNT(at, tested, UINT64_MAX)    /* 1 + the step of the last that was passed */                \
    COUNT(at, trials, MOST_COUNTED)  /* tests in a row that were not */                            \
    COUNT(at, leaving, 1)            /* 1: the run ends after this one */                          \
    COUNT(at, asked, MOST_COUNTED)   /* queries, with those before supports */                     \
    COUNT(at, repeats, MOST_COUNTED) /* times that noise was measured */                           \
    COUNT(at, valued, UINT64_MAX)    /* 1 + the step at which all values are known; 0: not */      \
    NUMBER(at, unit)                 /* 1/sqrt(mean curvature along an axis); 0: not known */

/* supports/test.c: what is seen outside of supports. */
#define SUPPORTS_OUTSIDE(COUNT, NUMBER)                                                            \
    NUMBER(outside, mu)                   /* the ridge, */                                         \
    NUMBER(outside, error)                /* and its standard error */                             \
    COUNT(outside, widened, MOST_COUNTED) /* that a test has shown to depend on more, so far */

/* supports/test.c: the sample. */
#define SUPPORTS_INSIDE(COUNT, NUMBER)                                                             \
    NUMBER(inside, value)  /* mean |f_i|, */                                                       \
    NUMBER(inside, length) /* and the length over which it changes by as much */

/* supports/find.c: intervals of coordinates that are looked into. */
#define SUPPORTS_FIND(COUNT, NUMBER)                                                               \
    COUNT(find, size, 2 * s->base.d) /* of one, coordinates, */                                    \
    COUNT(find, parts, AT_ONCE)      /* of which so many are moved one by one; 1: it is a test */  \
    COUNT(find, known, 1)            /* 1: components' values at x are */

/* supports/pass.c: gradients along supports. */
#define SUPPORTS_PASS(COUNT, NUMBER)                                                               \
    COUNT(pass, crossed, 1)        /* 1: pairs are asked for too */                                \
    COUNT(pass, count, UINT64_MAX) /* that the matrix has seen */                                  \
    NUMBER(pass, objective)        /* F(x) */

#define SUPPORTS_STRUCTS(S)                                                                        \
    S(at, SUPPORTS_AT)                                                                             \
    S(outside, SUPPORTS_OUTSIDE)                                                                   \
    S(inside, SUPPORTS_INSIDE) S(find, SUPPORTS_FIND) S(pass, SUPPORTS_PASS)
SUPPORTS_STRUCTS(FIELDS_STRUCT)

typedef struct support { /* of a component; numbers only */
    double rank;         /* coordinates that it depends on, or WIDE */
    double open;         /* intervals behind its list that are looked into */
    double change;       /* by how much it changed in the last test */
    double f;            /* its value, as told last */
    double error, bend;  /* of the slopes in row; 0: these are not known. As in known_component */
} support;

typedef struct supports {
    method base;
    size_t chunk;     /* components asked at once when answers are d numbers each */
    size_t rows;      /* directions that there is room for: chunk, or AT_ONCE */
    size_t most;      /* coordinates of a list; more are not a few */
    uint64_t without; /* rules that are switched off, a bit each (rules.h) */

    plan plan;
    SUPPORTS_STRUCTS(FIELDS_MEMBER)
    descent noisy;

    struct { /* state of my components */
        support *of;
        uint32_t *list; /* x stride: coordinates, and behind them open intervals */
        size_t stride;  /* even, at least most + 1 */
        double *
            within; /* x most(most + 3)/2: for the k-th the slope, and row k of B to the diagonal */
        double *row;   /* x d: slopes as they were known first; of a wide one as they are now */
        float *second; /* x d, or one more: second differences of a wide one */
    };

    struct {                                       /* state that all ranks have */
        double *matrix;                            /* d x d: of the mean, */
        double *slopes, *slopes_before, *x_before; /* d: at x, and at the x before, and that; */
        double *radii, *diagonal; /* d: along the axes, and second differences there; */
        double *level;            /* d: noise of the mean along an axis */
        double *cand;             /* d */
    };

    struct {          /* scratch */
        double *dir;  /* rows x d */
        double *full; /* d(d + 1)/2 and more: sums */
        double *tree;
        double *work, *lost, *told;  /* d */
        double *far;                 /* of my components */
        double *entry;               /* 3 AT_ONCE */
        unsigned char *mark, *marks; /* of my components, and of all: may be the same */
        uint64_t *comp, *index;      /* 2 AT_ONCE */
    };
    quad_room room;
} supports;

static inline uint64_t support_end(const supports *s) { return s->base.first + s->base.count; }
static inline size_t support_place(const supports *s, uint64_t i)
{
    return (size_t)i - s->base.first;
}
static inline support *support_of(const supports *s, uint64_t i)
{
    return &s->of[support_place(s, i)];
}
static inline size_t support_rank(const supports *s, uint64_t i)
{
    return (size_t)support_of(s, i)->rank;
}
static inline uint32_t *support_list(const supports *s, uint64_t i)
{
    return s->list + support_place(s, i) * s->stride;
}
static inline double *support_row(const supports *s, uint64_t i)
{
    return s->row + support_place(s, i) * s->base.d;
}
static inline float *support_second(const supports *s, uint64_t i)
{
    return s->second + support_place(s, i) * (s->base.d + s->base.d % 2);
}
static inline size_t support_numbers(size_t most) { return most * (most + 3) / 2; }
/* Of its k-th coordinate: the slope, then row k of B. */
static inline double *support_along(const supports *s, uint64_t i, size_t k)
{
    return s->within + support_place(s, i) * support_numbers(s->most) + support_numbers(k);
}
/* So many coordinates, of which the k-th is this. */
static inline size_t support_count(const supports *s, uint64_t i)
{
    return support_rank(s, i) == WIDE ? s->base.d : support_rank(s, i);
}
static inline size_t support_at(const supports *s, uint64_t i, size_t k)
{
    return support_rank(s, i) == WIDE ? k : support_list(s, i)[k];
}
/* Every other one is moved the other way. */
static inline double support_side(uint64_t i) { return i % 2 ? -1 : 1; }
/* Are its slopes known that it came with? */
static inline int support_is_sampled(const supports *s, uint64_t i)
{
    return support_of(s, i)->error > 0;
}
static inline int support_valued(const supports *s) { return s->at.valued == s->base.step + 1; }

/* ---- open.c: memory, and state that was read from a file ------------------------------------------- */

double supports_bytes(size_t n, size_t d);
zo_status supports_open(method *m, zo_error *err);
const char *supports_check(const method *m);
void supports_close(method *m);

/* ---- support.c: what is kept of a component ------------------------------------------------------- */

size_t support_most(size_t d);
/* No longer sampled: it is wide, or has an empty list. */
void support_forget(supports *s, uint64_t i, size_t rank);
void support_add(supports *s, uint64_t i, size_t j); /* i depends on x_j */
int support_listed(supports *s); /* the queue: those with open intervals. 0: there are none */
void support_mark_ranks(supports *s);
int support_too_wide(supports *s);           /* are there too many wide components? */
double support_mean_rank(supports *s);       /* of those whose support is known */
double support_move(supports *s, double *p); /* p = length times signs, of this test; length */
double support_slope_error(const method *m, double r); /* of differences over r: standard error */

/* ---- test.c: do they depend on their supports alone, and through several indices? ------------------- */

typedef struct tally { /* numbers only: sums over observations y = mu a + noise within a bound */
    double against, square, error, count, far; /* y a, a^2, (y - mu a)^2, 1, |a| */
    double up, down;                           /* y - mu a, of those moved by p and by -p */
} tally;
/* What component i of mine adds. */
typedef void (*support_observe)(void *ctx, uint64_t i, double mu, double bound, tally *to);
void support_tally(tally *to, double y, double a, double mu, double bound, int up);
/* mu of these, but for what lies far off; noise: of one. */
struct outside support_fit_ridge(const method *m, support_observe each, void *ctx, double noise);
void support_known_ridge(supports *s, double mu);

typedef enum support_verdict {
    COMPLETE, /* as far as noise shows */
    CHANGED,  /* those in the queue depend on more: their intervals are open */
    WRONG     /* there are no supports */
} support_verdict;
support_verdict support_judge(supports *s);

void support_measure(supports *s); /* how large the sample is */
void ask_along(supports *s, zo_fan *fan);
void support_learn_along(supports *s, const double *answers); /* bends, and slopes without them */
void ask_inside(supports *s, zo_fan *fan);
int support_one_index(supports *s, const double *answers); /* 1: curves say more */

/* ---- find.c: which coordinates they depend on ------------------------------------------------------- */

int supports_suit(const method *m, const handover *known); /* do slopes show supports? */
void supports_lend(const supports *s, handover *next); /* what was known of components at first */
int support_from_slopes(supports *s); /* of the sample: lists and mu; 0: they show none */
void support_from_curves(supports *s, double mu); /* the same where slopes are without mu, of all */
void support_seek(supports *s);                   /* of all that are not in the sample, */
void support_seek_more(supports *s);              /* of those that have changed; */
void support_seek_outside(
    supports *s); /* of all that have one: do they change where all else moves? */
void ask_split(supports *s, zo_fan *fan);
void support_learn_split(supports *s, const double *answers);
void support_split(supports *s); /* all are told: smaller intervals */

/* ---- pass.c: gradients along supports, and steps ----------------------------------------------------- */

void support_begin(supports *s, int curved); /* from now on; curved: matrix is the curvature */
void support_renew(supports *s);             /* supports have grown */
void support_queue(supports *s);             /* who is asked */
void ask_pass(supports *s, zo_fan *fan);
void support_learn_pass(supports *s, const double *answers);
void support_passed(supports *s); /* all are told: slopes and matrix at x */
void ask_step(supports *s, zo_fan *fan);
int support_try(supports *s);                               /* 0: no step promises enough */
int support_judge_step(supports *s, const double *answers); /* 1: x is there */

#endif
