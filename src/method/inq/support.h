/* inq with noise: components that depend on a few coordinates each, within its files.
 * SPDX-License-Identifier: MIT
 *
 * Component i depends on the coordinates in its support S_i alone, but for the ridge: f_i(x) = h_i(x_S) + (mu/2)|x|^2. The
 * number of these is its span's rank, their list its first layer; slopes and curvature along them are kept as those of
 * a span. A wide component depends on too many to list: its slopes are in its row, its second differences in its first
 * layer.
 *
 * Values have noise of standard deviation sigma, so means of n have eps = sigma/sqrt(n); along axis j the mean changes
 * with the m_j components that depend on x_j alone, and its noise is eps_j = sigma sqrt(m_j)/n. */
#ifndef ZO_METHOD_INQ_SUPPORT_H
#define ZO_METHOD_INQ_SUPPORT_H

#include <math.h>

#include "method/inq/inq.h"

enum { /* supports: what is known of them */
       NOT_SOUGHT,
       OF_SAMPLE, /* those of the first sample are being tested */
       OF_ALL,    /* those of all are */
       BY_CURVES, /* components have one index: curves come first */
       OF_CURVES, /* those that curves have shown are being tested */
       RULING,    /* gradients are asked along supports */
       NONE
};

enum { WIDE = SPAN + 1 }; /* rank of a wide component */

static inline size_t support_rank(const inq *s, uint64_t i) { return (size_t)inq_span(s, i)->rank; }
static inline size_t support_at(const inq *s, uint64_t i, size_t k)
{
    return (size_t)inq_layer(s, i, 0)[k];
}
static inline double support_eps(const inq *s)
{
    return s->base.set.noise / sqrt((double)s->base.n);
}

/* support.c: what a gradient shows, and what is kept */
int support_may_be(const inq *s);               /* 1: it is time to seek them */
int support_from_gradients(inq *s);             /* 1: most of the first sample have a support */
int support_from_curves(inq *s);                /* 1: all have, as their directions show */
void support_add(inq *s, uint64_t i, size_t j); /* i depends on x_j */
int support_too_wide(inq *s);                   /* are there too many wide components? */
/* mu as seen outside of supports; components asked in full after a test, so far */
void support_set_ridge(inq *s, double mu, double error);
uint64_t support_widened(inq *s, uint64_t more);
double support_mean_rank(const inq *s); /* of those whose support is known; after inq_mark_ranks */
double support_move(inq *s,
                    double *p);     /* p = length times signs, of this test; returns the length */
double support_noise(const inq *s); /* sum of eps_j */
double support_error(const inq *s, uint64_t i); /* of a direction u_i: how large an angle */

/* support_index.c: do they have one index each all the same? */
void ask_inside(inq *s, zo_fan *fan);
void support_learn_along(inq *s, const double *answers);
int support_one_index(inq *s, const double *answers); /* 1: curves say more */

/* support_find.c: the supports of all */
int support_in_groups(inq *s); /* 1: coordinates are moved in groups first */
void support_list_members(inq *s);
void ask_axes(inq *s, zo_fan *fan);
void ask_wider(inq *s, zo_fan *fan);
void ask_groups(inq *s, zo_fan *fan);
void ask_members(inq *s, zo_fan *fan);
void support_learn_axes(inq *s, const double *answers);
void support_learn_wider(inq *s, const double *answers);
void support_learn_groups(inq *s, const double *answers);
void support_learn_members(inq *s, const double *answers);

/* support_test.c: are they complete? */
typedef enum support_verdict {
    COMPLETE, /* as far as noise shows */
    CHANGED,  /* those in the queue depend on more */
    WRONG     /* there are no supports */
} support_verdict;
void ask_outside(inq *s, zo_fan *fan);
void support_learn_test(inq *s, const double *answers);
support_verdict support_judge(inq *s);

/* support_look.c: gradients along supports */
void support_begin(inq *s, int curved); /* from now on; curved: curves have shown them */
void support_renew(inq *s);             /* supports have grown */
void support_radii(inq *s);             /* for the next look */
void support_list(inq *s);              /* the queue: who is looked at */
void ask_look(inq *s, zo_fan *fan);
void support_learn_look(inq *s, const double *answers);
int support_looked(inq *s); /* all are: slopes and matrix at x; 0: radii were wrong, again */

/* support_matrix.c */
void support_matrix(inq *s); /* of the last look */

/* support_step.c: steps judged by F, within noise */
void step_reset(inq *s, double falls); /* what the first step may promise */
void step_doubt(inq *s);
void step_from_model(inq *s);   /* matrix and radii: what curves have told */
void step_from_axes(inq *s);    /* matrix = h_jj */
void step_fit_diagonal(inq *s); /* matrix with the h_jj that were measured */
void step_learn_change(inq *s); /* matrix from the change of slopes over the last step */
int support_solve(inq *s);      /* cand = the model's step; 0: it promises too little */
void ask_step(inq *s, zo_fan *fan);
inq_verdict support_judge_step(inq *s, const double *answers); /* BETTER: x is there */

#endif
