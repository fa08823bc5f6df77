/* inq: components that depend on a few coordinates each, within its files.
 * SPDX-License-Identifier: MIT
 *
 * Component i depends on the coordinates in its support S_i alone, but for the ridge: f_i(x) = h_i(x_S) + (mu/2)|x|^2. The
 * number of these is its span's rank, their list its first layer; slopes and curvature along them are kept as those of
 * a span. A wide component depends on too many to list: its slopes are in its row, its second differences in its first
 * layer. */
#ifndef ZO_METHOD_INQ_AXES_H
#define ZO_METHOD_INQ_AXES_H

#include "method/inq/inq_near.h"

enum { /* supports */
       NOT_SOUGHT,
       OF_SAMPLE, /* those of the first sample are being tested */
       OF_ALL,    /* those of all are */
       BY_CURVES, /* components have one index: curves come first */
       OF_CURVES, /* those that curves have shown are being tested */
       RULING,    /* looks are along supports */
       NONE
};

enum { WIDE = SPAN + 1 }; /* rank of a wide component */
enum { AXES_CLEAR = 6 };  /* standard errors that a change must be clear of */
enum {
    AXES_SHOWN = 5
}; /* and one that shows what a component depends on; sigma may be off by a fifth */

static inline size_t axes_rank(const inq *s, uint64_t i) { return (size_t)inq_span(s, i)->rank; }
static inline size_t axes_at(const inq *s, uint64_t i, size_t k)
{
    return (size_t)inq_layer(s, i, 0)[k];
}

/* inq_axes.c */
void axes_share(inq *s);     /* marks = rank of every component */
int axes_too_wide(inq *s);   /* are there too many wide components? */
int axes_begin_near(inq *s); /* 1: supports that curves have shown are asked about */
void axes_leave(inq *s);     /* there are none: the mean along all axes */

void axes_keep(inq *s, uint64_t i, size_t j); /* i depends on x_j */

/* inq_axes_find.c */
double axes_mean_rank(const inq *s); /* of those whose support is known; after axes_share */
void axes_ask_all(inq *s);           /* to find the supports of those that are not in the sample */
void axes_ask_find(inq *s, zo_fan *fan);
void axes_tell_find(inq *s, const double *answers);

/* inq_axes_test.c */
void axes_test(inq *s);              /* whether supports are complete */
double axes_move(inq *s, double *p); /* p = length times signs, of this test; returns the length */
void axes_ask_test(inq *s, zo_fan *fan);
void axes_tell_test(inq *s, const double *answers);

/* inq_axes_matrix.c */
void axes_matrix(inq *s); /* of the last look */

/* inq_axes_look.c */
void axes_begin(inq *s);         /* looks */
size_t axes_asked(const inq *s); /* rank of the component at the cursor, of those in todo */
void axes_look(inq *s);          /* at x */
void axes_renew(inq *s);         /* after supports have grown */
double axes_noise(const inq *s); /* sum of eps_j */
void axes_ask_look(inq *s, zo_fan *fan);
void axes_tell_look(inq *s, const double *answers);
void axes_go_on(inq *s, const double *values); /* after a step to x, where values are known */
void axes_doubt(inq *s);                       /* steps are refused */
void axes_end(inq *s);                         /* unless supports are not complete */

#endif
