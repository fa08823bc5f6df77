/* What a guess of a gradient leaves over, found by splitting.
 * SPDX-License-Identifier: MIT
 *
 * A component's gradient g is guessed (by code.h; or as 0), and e = g - guess has few entries. Every coordinate has two
 * random weights; a node is a part of the coordinates with the slopes m1, m2 of e along both, restricted to it:
 *
 *     both 0: nothing is in it;    m2/m1 = w2_j/w1_j for one j of it: that one;    two coordinates: solve;
 *     else: ask its first half (by how often coordinates were seen), and subtract to know the other.
 *
 * About two questions for each entry of e, whatever d is. Where sums cancel, a node looks empty or single and is not: at
 * the end a slope along fresh weights of all coordinates must be foretold. Where it is not, what is left over is split
 * again, with other weights; that slope is the first of them.
 *
 * Where gradients are near to a row that they have in common, all coordinates add up in a slope: directions are of unit length
 * then, a coordinate is believed to be the one only where its ratio is not there by chance, and two checks are made. */
#ifndef ZO_RECOVER_SPLIT_H
#define ZO_RECOVER_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "recover/code.h"
#include "recover/lists.h"

enum {
    SPLIT_DEPTH = 40, /* nodes that wait */
    SPLIT_TRIES = 3
};

typedef struct split_sums split_sums; /* sums over a question's coordinates, in split.c */

/* What is the same for all components: weights, and the order in which coordinates are halved. */
typedef struct splitter {
    size_t d;
    size_t most; /* entries of a gradient that is found so */
    /* d each, in [1, 2), or minus that: w1, w2 of each try; those of the next are its checks */
    double *weight[2 * SPLIT_TRIES + 2];
    const double *usual;  /* d: what gradients have in common, times a number of each; or NULL */
    uint32_t *order, *at; /* coordinates, those seen most often first; where each stands */
    double *share;        /* d + 1: of what is expected, before each */
    uint32_t *rising[SPLIT_TRIES]; /* coordinates by w2/w1 */
    double *ratio[SPLIT_TRIES];    /* d: w2/w1 of these */
    double *key;                   /* scratch */
    double *base;                  /* d: the x that sums are of */
    lists *lists;                  /* of questions */
    split_sums *sums;              /* those of the last questions: most components share them */
} splitter;

splitter *splitter_new(size_t d, uint64_t seed); /* NULL: out of memory */
void splitter_free(splitter *s);
/* often: a count, of rows; usual: c, or NULL. */
void splitter_order(splitter *s, const double *often, double rows, const double *usual);

/* Signs of the weights: those of way, d numbers. Ratios stay what they are. */
void splitter_turn(splitter *s, const double *way);

typedef struct split_node {
    double from, to; /* places in order */
    double m1, m2;   /* slopes of what is left over; NaN: not asked yet */
    double error;    /* of these */
} split_node;

enum { SPLIT_ASKS, SPLIT_DONE, SPLIT_FAILED }; /* status */

/* One component; numbers only, so that an array of these can be state. */
typedef struct split_case {
    double status, asked; /* questions so far */
    double attempt;       /* tries before this one */
    double f;             /* f at x, for who asks */
    double floor;         /* error of a slope by rounding */
    double offset;        /* the guess is offset times usual, and the list */
    double bend;          /* f'' over f'^2 along a direction: what forward differences are off by */
    double weights;       /* of the question at hand */
    double from, to;      /* its coordinates, as places in order */
    double nodes;
    split_node node[SPLIT_DEPTH];
    double first; /* slope along w1 of the first half of the node on top; NaN: not asked */
    double count;
    double
        known; /* of these before this try: what it finds itself is behind them, and in nodes that are done with */
    double list[]; /* splitter's most places, and as many slopes: the guess, and what was found */
} split_case;

size_t split_bytes(size_t d); /* of a splitter */
size_t split_most(size_t d);  /* entries that a case has room for */
/* Numbers of a case; in an array of numbers they follow each other. */
static inline size_t split_width(const splitter *s) { return sizeof(split_case) / 8 + 2 * s->most; }
static inline double *split_slope(const split_case *c, const splitter *s)
{
    return (double *)c->list + s->most;
}

/* Begins with the guess g, at most most entries of it; g's whole: the slope of f along w1 of all coordinates. */
void split_begin(split_case *c, const splitter *s, const recovered *g);
/* The question at hand u, times radius, into a row of d zeros: u is 0 but at places from ... to - 1 of the order. */
void split_row(const split_case *c, const splitter *s, double radius, double *row);
zo_sparse split_list(const split_case *c, const splitter *s); /* the same for radius 1; lists.h */
void split_clear(const splitter *s, size_t from, size_t to, double *row); /* zeros at these */
/* u'x and u'u, at the x that was given last */
void splitter_at(splitter *s, const double *x);
void split_lengths(const split_case *c, const splitter *s, double *along, double *square);
/* *to = *from, as much of it as is in use. */
void split_move(const split_case *from, const splitter *s, split_case *to);
/* Of what was read from a file: is it one that can be gone on with? */
int split_sane(const split_case *c, const splitter *s);
void split_result(const split_case *c, const splitter *s, recovered *g); /* where it is done */
/* The difference f(x + row) - f(x), the ridge taken out. Gives up after most questions. */
void split_tell(split_case *c, const splitter *s, double radius, double difference, double most);

#endif
