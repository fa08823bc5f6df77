/* A gradient recovered from a few differences along directions that are the same for all components.
 * SPDX-License-Identifier: MIT
 *
 * Groups of columns (book.h) are put together into words of at most CODE_TABLE states. Every coordinate has a random
 * weight w_j in [1, 2); the slope along w restricted to a word is s times one of the word's sums, which are kept sorted.
 * The unit s is not known: each state of one word with few states, the anchor, gives a guess of it, and the other words
 * then either have a state at y/s, to the accuracy of differences, or the guess was wrong. Columns that may have any
 * value are asked along their axes. One more slope, along fresh weights of all coordinates, also of those never seen, must
 * be foretold by the whole gradient: a gradient that is wrong passes with probability accuracy/size, about 1e-7.
 *
 * Or all gradients are in a span of few dimensions (basis.h), and are asked along a basis of it, and checked in the same way. Or
 * they are near to s times a row that they have in common (offset.h): s is read, and what is left over is split (split.h).
 *
 * That last direction is asked at two lengths: the bend h'' is seen, and takes the forward error out of all slopes,
 *     (f(x + r u) - f(x))/r = h' u'a + (r/2) h'' (u'a)^2. */
#ifndef ZO_RECOVER_CODE_H
#define ZO_RECOVER_CODE_H

#include "recover/basis.h"
#include "recover/book.h"
#include "recover/offset.h"

enum {
    CODE_TABLE = 1 << 14, /* states of a word, at most */
    CODE_ANCHOR = 64,     /* of the first few */
    CODE_ANCHORS = 3,
    CODE_FULL = 24, /* words that may have so many */
    CODE_WORDS = 256,
    CODE_CELLS = 32,
    CODE_FAR = 10,  /* the last direction again, so many times as long */
    CODE_BEHIND = 8 /* infinite sums behind a word's: so many can be read from any of them on */
};

/* A word's sums lie between the least and the largest: equal steps of that way, and CODE_CELLS equal cells of a step. */
typedef struct code_step {
    uint32_t first; /* entry that is not in an earlier step */
    uint32_t cells; /* bit c: an entry is in cell c */
} code_step;

/* Where a group's state is among the bits of what its word's states are kept as. */
typedef struct code_bits {
    uint32_t shift, mask;
} code_bits;

typedef struct code_word {
    uint32_t group, groups; /* first of them, how many */
    uint32_t entries, steps;
    uint32_t zero;           /* the one entry that is 0, */
    double around;           /* and next to all that is not as large as this; 0: there is none */
    int quiet;               /* all of its groups may be empty; */
    uint8_t group_of[32];    /* then: which of them bit b of its states belongs to */
    size_t table, stair;     /* where its sums and its steps begin */
    double low, high, scale; /* the least sum, the largest; cells for each unit of a sum */
    double last;             /* cell */
    double below;            /* 0: what its groups take away at most */
    double least;            /* size of a sum that is not 0 */
} code_word;

typedef struct code {
    size_t d;
    double *weight, *check; /* d: in [1, 2), or minus that where there is no room above */
    const double
        *turned; /* d: how far differences along axes really go, where bounds turn them; or NULL */
    size_t groups;
    /* groups + 1: of a group's states; where it is never empty the first is not "none" */
    uint32_t *begin;
    uint32_t *column; /* of a state; d: none */
    double *value;    /* in units of the row */
    code_bits *bits;  /* groups: of a group's states */
    size_t words;
    code_word *word;
    uint16_t *rising;         /* words by how many entries they have */
    size_t room;              /* entries of all words, at most */
    double *sum;              /* of the entries of a word, rising, and CODE_BEHIND behind them */
    uint32_t *which;          /* states of its groups, as bits of one number */
    code_step *step;          /* of a word, and one behind the last */
    double *unsorted;         /* scratch, CODE_TABLE: a word's sums, */
    uint32_t *unsorted_which; /* and their states, as they come */
    const basis *span;        /* instead of words and axes; or NULL */
    size_t
        lengths; /* of the check: 2, or with differences to both sides, which no bend spoils, 1 */
    const offset *near; /* instead of words; or NULL */
    size_t anchors;     /* then so many of the axes come first, and tell s */
    double reach;       /* of the check: its rows are so much shorter than its weights */
    size_t naxis;
    uint32_t *axis; /* columns that are asked along their axes */
    uint32_t *rank; /* scratch: groups by what they have to say */
    double *share;  /* scratch: rows in which a group is not empty */
} code;

/* The cell of v. It never falls as v rises: what is in an earlier one is below v, in a later one above. */
static inline size_t code_cell(const code_word *w, double v)
{
    double at = (v - w->low) * w->scale;
    return !(at > 0) ? 0 : (size_t)(int64_t)(at < w->last ? at : w->last);
}

code *code_new(size_t d, uint64_t seed); /* NULL: out of memory */
size_t code_bytes(size_t d);             /* that it takes */
void code_free(code *p);
/* What the book leads to. Returns the queries that a component costs, f at x itself included; more than d: it does not pay. */
size_t code_make(code *p, const book *b);
size_t code_price(code *p, const book *b); /* the same, and the code is not made */
void code_empty(code *p);                  /* no words, no axes: the check alone */
void code_span(code *p, const basis *b);   /* along the basis, and the check */
void code_near(code *p, const offset *o);  /* anchors, columns that are often off, and the check */

/* Directions: naxis axes, then these rows, scaled by the radius: one for each word, or of the basis, and the check at its
 * lengths. */
static inline size_t code_shared(const code *p)
{
    return p->span ? (size_t)*p->span->rank : p->words;
}
static inline size_t code_rows(const code *p) { return code_shared(p) + p->lengths; }
/* Signs of the weights: those of way, d numbers. To be called before the code is made. */
void code_turn(code *p, const double *way);
void code_row(const code *p, size_t k, double radius, double *row);

typedef struct recovered {
    size_t count;
    uint32_t *place; /* room for d */
    double *slope;   /* of f along these axes */
    double bend;     /* h''/h'^2: second derivative along u over the square of the first */
    double whole;    /* slope along the weights of the check */
    double floor;    /* error of a slope by rounding */
    double offset;   /* s; 0: there is none; NaN: it could not be read */
    double *work;    /* room for d, for whoever is given it; or NULL */
} recovered;

/* From the differences of a component, f(x + r u) - f(x) with the ridge taken out, axes first; f: at x, with the ridge.
 * Returns 1 where a gradient was found and foretold the check; otherwise out has what is likely: the words that agree
 * on a unit. */
int code_read(const code *p, double f, double radius, const double *difference, recovered *out);

#endif
