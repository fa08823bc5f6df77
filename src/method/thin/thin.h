/* thin: what its files share.
 * SPDX-License-Identifier: MIT
 *
 * thin.c is the algorithm, and knows the others: open.c (memory, state), probe.c, find.c, model.c. */
#ifndef ZO_METHOD_THIN_H
#define ZO_METHOD_THIN_H

#include "method/core/fields.h"
#include "method/core/method.h"
#include "method/core/plan.h"
#include "method/thin/suits.h"
#include "prox/prox.h"
#include "recover/split.h"
#include "subproblem/quad.h"

enum { PROBE, FIND, SPLIT, VALUE, TRY, RENEW, PROOF, NOTHING }; /* stage */
enum { PROBED = 4, LEVELS = 6 }; /* components of a probe, and its parts of the coordinates */
enum {
    FIRST_TRIED = 4
}; /* components: they show what one costs, and half of them at least must come out */
enum { LEAST_D = 64 };   /* below, parts hold next to nothing */
enum { MOST_AGAIN = 2 }; /* times that components which failed are split again, in another order */
static const double rounded = 8; /* roundings of f in a difference */

/* ---- State, all of it registered (core/fields.h). Each struct is written by the file that it names. ---- */

/* thin/thin.c: what was spent, and what is next. */
#define THIN_AT(COUNT, NUMBER)                                                                     \
    COUNT(at, spent, MOST_COUNTED)   /* queries, */                                                \
    COUNT(at, paid, MOST_COUNTED)    /* and those for gradients: */                                \
    NUMBER(at, price)                /* queries a component */                                     \
    COUNT(at, goal, s->base.n)       /* of list: so many are found before the next step */         \
    NUMBER(at, F)                    /* at x; NaN: not known */                                    \
    NUMBER(at, damping)              /* of a curvature */                                          \
    COUNT(at, refused, MOST_COUNTED) /* candidates in a row */

/* thin/probe.c: what a few components have shown. */
#define THIN_PROBE(COUNT, NUMBER)                                                                  \
    NUMBER(probe, mu)      /* the ridge */                                                         \
    NUMBER(probe, zoom)    /* the usual radius is multiplied by this */                            \
    NUMBER(probe, entries) /* of a gradient, about */                                              \
    NUMBER(probe, random)  /* the part of F that random directions would bring down */

/* thin/find.c: whose gradients are known. */
#define THIN_FOUND(COUNT, NUMBER)                                                                  \
    COUNT(found, cursor, s->base.n)  /* of list: so many were begun, */                            \
    COUNT(found, opened, s->room)    /* of which so many are being split, */                       \
    COUNT(found, failed, s->base.n)  /* have failed, */                                            \
    COUNT(found, count, s->base.n)   /* and have entries, */                                       \
    COUNT(found, used, s->entries)   /* in all so many */                                          \
    COUNT(found, again, MOST_AGAIN)  /* times that those that failed were tried again */           \
    COUNT(found, ordered, s->base.n) /* halves follow from so many of those found */

/* thin/model.c: the candidate. */
#define THIN_MODEL(COUNT, NUMBER)                                                                  \
    NUMBER(model, promise)          /* of it */                                                    \
    COUNT(model, looked, s->base.n) /* of those found: renewed at x */

#define THIN_STRUCTS(S)                                                                            \
    S(at, THIN_AT) S(probe, THIN_PROBE) S(found, THIN_FOUND) S(model, THIN_MODEL)
THIN_STRUCTS(FIELDS_STRUCT)

typedef struct thin {
    method base;
    THIN_STRUCTS(FIELDS_MEMBER)
    plan plan;
    size_t room, entries; /* cases; entries that there is room for */
    /* state */
    double *f, *tried;     /* n: at x, and at the candidate */
    double *cand;          /* d */
    uint64_t *list, *lost; /* n: whom to find, in this order; those that failed */
    uint64_t *who, *begin; /* n, n + 1: components found, and where their entries begin */
    double *slope, *bend;  /* n: along their own directions */
    uint64_t *place;       /* entries */
    double *value;         /* entries: of unit length for each */
    uint64_t *open;        /* room */
    double *cases;         /* room x split_width */
    /* scratch */
    splitter *splitter;
    uint64_t made; /* 1 + what its order was made of; 0: none */
    recovered out;
    double *own;       /* room x d: questions */
    size_t *from, *to; /* room: where these are not 0, by the splitter's order */
    zo_sparse *sparse;
    uint32_t *axis, *local;   /* d: coordinates of the model, and their places in it */
    double *full, *g, *x, *z; /* d each */
    size_t *fill;             /* d */
    quad_sparse factor;
    quad_room solver;
    double *prox_work;
    prox_free free;
    zo_block whole;
} thin;

static inline split_case *thin_case(const thin *t, size_t k)
{
    return (split_case *)(void *)(t->cases + k * split_width(t->splitter));
}
/* Components that the model is the mean of. */
static inline double thin_sampled(const thin *t)
{
    return (double)(t->found.cursor - t->found.failed);
}
static inline int thin_has_all(const thin *t) { return t->found.cursor == t->base.n; }

/* open.c */
zo_status thin_open(method *m, zo_error *err);
void thin_close(method *m);
const char *thin_check(const method *m);
double thin_size_of_x(const method *m);  /* at least 1 */
void thin_touched(thin *t, size_t rows); /* questions were written over */

/* probe.c */
void thin_ask_probe(thin *t, zo_fan *fan);
double thin_price(const thin *t);                            /* queries a component */
const char *thin_tell_probe(thin *t, const double *answers); /* why it is not for this; or NULL */

/* find.c */
double thin_radius(const thin *t);
void thin_ask_find(thin *t, zo_fan *fan);
void thin_tell_find(thin *t, const double *answers);
void thin_ask_split(thin *t, zo_fan *fan);
int thin_tell_split(thin *t, const double *answers); /* 1: no case is open */
int thin_splits_again(thin *t); /* 1: those that failed are on the list once more */

/* model.c */
/* The minimizer becomes the candidate. 0: it promises nothing that F would show */
int thin_offer(thin *t);
void thin_ask_look(thin *t, zo_fan *fan);
int thin_tell_look(thin *t, const double *answers); /* 1: all are renewed */
void thin_ask_proof(thin *t, zo_fan *fan);
int thin_proven(thin *t, const double *answers); /* are all slopes what the model says? */

#endif
