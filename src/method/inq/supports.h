/* inq with noise: components that depend on a few coordinates each.
 * SPDX-License-Identifier: MIT
 *
 * Component i depends on the coordinates in its support S_i alone, but for the ridge: f_i(x) = h_i(x_S) + (mu/2)|x|^2. The
 * number of these is its rank, their list its first layer; slopes and curvature along them are kept as those of a span. A
 * wide component depends on too many to list: its slopes are in its row, its second differences in its first layer.
 *
 * Values have noise of standard deviation sigma, so means of n have eps = sigma/sqrt(n); along axis j the mean changes
 * with the m_j components that depend on x_j alone, and its noise is eps_j = sigma sqrt(m_j)/n. */
#ifndef ZO_METHOD_INQ_SUPPORTS_H
#define ZO_METHOD_INQ_SUPPORTS_H

#include <math.h>

#include "method/inq/component.h"

/* ---- supports.c: the loop ------------------------------------------------------------------------ */

int supports_begin(inq *s);     /* 1: the first gradients show supports, and they are asked about */
int supports_by_curves(inq *s); /* 1: directions of curves show them */
inq_next supports_bent(inq *s); /* curves of the sample are known */
inq_next supports_told(inq *s); /* of a test, or of a split */
inq_next supports_passed(inq *s); /* of a pass */
inq_next supports_inside(inq *s, const double *answers);
inq_next supports_stepped(inq *s, const double *answers);

enum { /* supports.state: what is known of them */
       NOT_SOUGHT,
       OF_SAMPLE, /* those of the first sample are being tested */
       OF_ALL,    /* those of all are */
       BY_CURVES, /* components have one index: curves come first */
       OF_CURVES, /* those that curves have shown are being tested */
       RULING,    /* gradients are asked along supports */
       NONE
};

/* ---- support.c: what is kept of a component ------------------------------------------------------- */

enum { WIDE = SPAN + 1 }; /* rank of a wide component */

static inline size_t support_rank(const inq *s, uint64_t i) { return (size_t)inq_span(s, i)->rank; }
static inline float *support_list(const inq *s, uint64_t i) { return inq_layer(s, i, 0); }
/* So many coordinates, of which the k-th is this. */
static inline size_t support_count(const inq *s, uint64_t i)
{
    return support_rank(s, i) == WIDE ? s->base.d : support_rank(s, i);
}
static inline size_t support_at(const inq *s, uint64_t i, size_t k)
{
    return support_rank(s, i) == WIDE ? k : (size_t)support_list(s, i)[k];
}
/* Intervals behind its support that are looked into; by how much it changed in the last test. */
static inline double *support_open(const inq *s, uint64_t i) { return &inq_span(s, i)->bends; }
static inline double *support_change(const inq *s, uint64_t i) { return &inq_span(s, i)->weight; }
/* Every other one is moved the other way. */
static inline double support_side(uint64_t i) { return i % 2 ? -1 : 1; }

size_t support_most(const inq *s);              /* coordinates, and more are not a few */
void support_add(inq *s, uint64_t i, size_t j); /* i depends on x_j */
int support_listed(inq *s);       /* the queue: those with open intervals. 0: there are none */
int support_too_wide(inq *s);     /* are there too many wide components? */
double support_mean_rank(inq *s); /* of those whose support is known */
double support_move(inq *s, double *p); /* p = length times signs, of this test; length */
double support_slope_error(const inq *s, double r); /* of differences over r: standard error */

/* ---- support_test.c: do they depend on their supports alone, and through several indices? ---------- */

typedef struct tally { /* numbers only: sums over observations y = mu a + noise within a bound */
    double against, square, error, count, far; /* y a, a^2, (y - mu a)^2, 1, |a| */
    double up, down;                           /* y - mu a, of those moved by p and by -p */
} tally;
/* What component i of mine adds. */
typedef void (*support_observe)(inq *s, uint64_t i, double mu, double bound, tally *to);
void support_tally(tally *to, double y, double a, double mu, double bound, int up);
/* mu of these, but for what lies far off; noise: of one. */
struct outside support_fit_ridge(inq *s, support_observe each, double noise);
void support_known_ridge(inq *s, double mu);

typedef enum support_verdict {
    COMPLETE, /* as far as noise shows */
    CHANGED,  /* those in the queue depend on more: their intervals are open */
    WRONG     /* there are no supports */
} support_verdict;
support_verdict support_judge(inq *s);

void ask_inside(inq *s, zo_fan *fan);
int support_one_index(inq *s, const double *answers); /* 1: curves say more */

/* ---- support_find.c: which coordinates they depend on ---------------------------------------------- */

int support_may_be(const inq *s);   /* 1: it is time to seek them */
int support_from_gradients(inq *s); /* 1: most of the first sample have a support */
int support_from_curves(inq *s);    /* 1: all have, as their directions show */
void support_seek(inq *s);          /* of all that are not in the sample, */
void support_seek_more(inq *s);     /* of those that have changed; */
void support_seek_outside(inq *s);  /* of all that have one: do they change where all else moves? */
void ask_split(inq *s, zo_fan *fan);
void support_learn_split(inq *s, const double *answers);
void support_split(inq *s); /* all are told: smaller intervals */

/* ---- support_pass.c: gradients along supports, and steps ------------------------------------------- */

void support_begin(inq *s, int curved); /* from now on; curved: curves have shown them */
void support_renew(inq *s);             /* supports have grown */
void support_queue(inq *s);             /* who is asked */
void ask_pass(inq *s, zo_fan *fan);
void support_learn_pass(inq *s, const double *answers);
void support_passed(inq *s); /* all are told: slopes and matrix at x */
void ask_step(inq *s, zo_fan *fan);
int support_try(inq *s);                               /* 0: no step promises enough */
int support_judge_step(inq *s, const double *answers); /* 1: x is there */

#endif
