/* Gradients of components recovered from a few differences: a part that methods may ask through (docs/methods/recover.md).
 * SPDX-License-Identifier: MIT
 *
 *     recovery_learn      gradients that were asked in full: what do they have in common?
 *     recovery_pays       then, before others are asked
 *     loop                until recovery_tell says that it is done
 *       recovery_ask      first all of the list along a few directions that are the same for all (recover/code.h), then those
 *       recovery_tell     that are still open along their own (recover/split.h); what is known is handed to found
 *                         with twins: all of the list along the check first, and those who are nobody's twin along the rest
 *     failed              is the list of those that have to be asked in full
 *
 * Without noise. Forward differences where a component is one function of one index beside a ridge, so that one bend takes the
 * forward error out; differences to both sides where it is not known to be. Checks that fail too often end it. Within bounds
 * each coordinate is moved to where there is room: no question leaves the box. */
#ifndef ZO_METHOD_RECOVERY_H
#define ZO_METHOD_RECOVERY_H

#include "method/core/method.h"
#include "recover/code.h"
#include "recover/split.h"

/* That something is learnt from, but for splitting where components are few. */
enum { RECOVERY_ROWS = 24 };
enum { BY_SPLITTING, BY_WORDS, BY_BASIS, BY_OFFSET }; /* way */

struct recovery_state { /* 8 bytes a field */
    uint64_t learnt;    /* rows that the book was learnt from; 0: none */
    uint64_t way;       /* BY_SPLITTING alone, ... */
    uint64_t
        sides; /* of differences: 1, one index; 2, any function of few coordinates or in a span */
    uint64_t off;      /* lists that did not pay */
    uint64_t proven;   /* 1: the first few of the list were tried */
    uint64_t cursor;   /* of the list: asked so far */
    uint64_t opened;   /* cases in use */
    uint64_t failed;   /* how many are in failed */
    uint64_t tried;    /* components, since the book was learnt */
    uint64_t queries;  /* for these, with what asking the failed in full costs */
    double price;      /* queries a component, expected or seen */
    double expected;   /* the part that will be found at once, by rows that were not learnt from */
    uint64_t straight; /* of those tried: found at once */
    uint64_t found, from; /* components recovered in all, and the queries for them */
};

typedef struct interval {
    size_t from, to;
} interval;

/* What one thread works with. */
typedef struct recovery_seat {
    recovered out;
    double *difference; /* d + CODE_WORDS + 2: of one component */
} recovery_seat;

typedef struct recovery {
    method *m;
    size_t room;      /* cases that there is room for; 0: d or n is too small for all this */
    uint64_t without; /* bit BY_...: that way is not gone (ablations) */
    int at_once;      /* 1: found may be called by several threads at the same time */
    /* state */
    struct recovery_state *at;
    book book;
    basis basis;
    offset offset;
    uint64_t *open;   /* room: their components */
    double *cases;    /* room x split_width */
    uint64_t *failed; /* n */
    uint64_t halved;  /* components that were asked along the check alone: */
    uint64_t *half;   /* room: these, */
    double *checked;  /* room x RECOVERY_CHECKED: f, and the differences along the check */
    void (*soon)(const method *m,
                 uint64_t i); /* or NULL: component i is among the next to be found */
    /* Or NULL: nobody is looked for who is as another. seen: f and the slope along row; told: 1 where one is, and is known. */
    void (*twins)(method *m, size_t count, const uint64_t *comp, const double *row,
                  const double *seen, double *told);
    /* scratch */
    book_room *reading;
    code *code;
    splitter *splitter;
    recovery_seat seat[METHOD_PARTS];
    uint64_t made;              /* what code and splitter were made of: 1 + learnt */
    struct recovery_state last; /* after what is read was learnt from */
    double *row, *ridge;        /* directions for all, and the ridge's part of their differences */
    double *own;                /* room x d: questions of their own, */
    zo_sparse *sparse;          /* room: the same as lists */
    interval *shown;            /* room: where each is not 0, as places in the splitter's order */
    double *status;             /* of the entries of a fan */
    double *seen;   /* room x 2: of those asked along the check, what twins are told by */
    double *way;    /* d: -1 where directions go down, within bounds; */
    double *turned; /* d: how far differences along axes go there; both NULL without bounds */
} recovery;

/* In open; 0: out of memory. It stays closed where it would take more than a small part of the memory setting. */
int recovery_open(recovery *r, method *m);
void recovery_close(recovery *r);

/* The gradient of component list[k], ridge taken out, in any length: entries that are not 0. Rows of a few at a time are
 * there on all ranks (method_rows). */
void recovery_learn(recovery *r, uint64_t sides, size_t count, book_row row, const void *ctx);
int recovery_pays(const recovery *r);
/* Queries for a gradient: d + 2 in full, or what recovering one costs. */
double recovery_price(const recovery *r);

typedef void (*recovery_found)(void *ctx, uint64_t i, double f, const recovered *g);
void recovery_begin(recovery *r);
void recovery_ask(recovery *r, zo_fan *fan, const uint64_t *list, uint64_t count);
enum {
    RECOVERY_ASKS,
    RECOVERY_DONE, /* all of the list are found or failed */
    RECOVERY_FAINT /* hardly any of the first few: begin anew at a point where slopes are alive, or concede */
};
/* mu: the ridge. found is called for my components. */
int recovery_tell(recovery *r, const double *answers, uint64_t count, double mu,
                  recovery_found found, void *ctx);
void recovery_note(const recovery *r); /* for the report: what it came to */
/* State was read from a file: what does not fit, in words; or NULL. */
const char *recovery_check(const recovery *r);
/* Words do not fit: splitting alone goes on, where it pays; else the rest of the list has failed. */
void recovery_concede(recovery *r, const uint64_t *list, uint64_t count);

/* ---- Between recovery_open.c, recovery.c and recovery_learn.c ------------------------------------------ */

enum {
    RECOVERY_CHUNK = 4096, /* components asked at once along the directions for all */
    RECOVERY_CHECKED = 3,  /* numbers of one asked along the check alone: f, two differences, */
    RECOVERY_SEEN = 2      /* and what twins are told by: f, the slope */
};

static inline int recovery_goes(const recovery *r, int way) { return !(r->without >> way & 1); }
double recovery_limit(const recovery *r); /* what costs more does not pay */
double recovery_alone(const recovery *r); /* the price of a component by splitting alone */
void recovery_make(recovery *r, const double *x,
                   double radius); /* directions, of what was learnt */

#endif
