/* Inside callback.c: what its files share.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_CALLBACK_H
#define ZO_CALLBACK_H

#include <stdatomic.h>

#include "base/pool.h"
#include "history/history.h"
#include "problem/again.h"
#include "problem/gather.h"
#include "problem/problem.h"

enum {
    CHUNK_NUMBERS = 1 << 16,
    POINT_NUMBERS = 1 << 18
}; /* values, coordinates held at once; at least one row */

typedef struct tile {
    size_t entry, nentries; /* of the chunk */
    size_t point, npoints;
    int pairs;    /* every entry has points of its own */
    double since; /* clock when it was asked; 0: nothing is */
} tile;

struct callback {
    zo_problem p;
    pool *threads;
    double *points; /* one point per thread; with values: the points of a question */
    double *
        rows; /* the values of a chunk, a row of points for each entry; with each: the answers themselves */
    double *spare;  /* where they are otherwise */
    double *table;  /* with values: what the function gives, a row of entries for each point */
    uint64_t *comp; /* with values: the components of a chunk */
    size_t npoints, nspare, ntable, ncomp; /* numbers in these */
    gather gather;
    size_t first;                /* entry of the chunk at hand, as gather_entry counts */
    atomic_int failed;           /* what the function returned, if not 0 */
    const zo_halt *halt;         /* or NULL */
    zo_halt passed;              /* to the function: what it tells is of one call among many */
    uint64_t asked;              /* values of the fan at hand, */
    uint64_t before;             /* those there before the call or the chunk at hand, */
    atomic_uint_fast64_t within; /* and within the chunk, where values come one at a time */
    zo_history *history;         /* or NULL */
    uint64_t number;             /* of the fan's first value in it */
    unsigned char *there; /* of the chunk's values: known from the past, or written already */
    size_t nthere;
    uint64_t *rest; /* components of a tile that are not known */
    size_t nrest;
    double *line; /* one point's values */
    size_t nline;
    tile at; /* what the function is asked for now, where it may tell of single values */
    uint64_t retried, failures; /* values asked again, and calls and values that failed */
    uint64_t left;              /* values of the fan at hand that may be asked again */
    again again;                /* what that brought */
    atomic_int lost; /* what the function returned, of the fan at hand, that counts as no number */
};

/* ---- history (callback_history.c) ----------------------------------------------------------------------- */

/* Point p of entry k of the chunk has come. */
void callback_keep(callback *c, size_t k, size_t p, const double *x, double value, double seconds);
void callback_keep_tile(callback *c);            /* what the function did not tell of itself */
int callback_look_up(callback *c, size_t count); /* what the past knows; 0: out of memory */
/* How many values of a tile are there without asking. */
size_t callback_known_in(const callback *c, size_t k, size_t nentries, size_t p, size_t npoints);
/* The function tells of one value of the call at hand. */
void callback_heard(void *callback, size_t k, double value, double seconds);

/* ---- failures (callback_again.c) ------------------------------------------------------------------------ */

/* Does what the function returned end the answer? If not, what it was asked for is not a number. */
static inline int callback_ends(const callback *c, int code)
{
    int given_up = code == ZO_HALTED || code == ZO_NO_MEMORY || code == ZO_PROBLEM;
    return code && (given_up || !c->halt || c->halt->nonfinite == ZO_STOP);
}
/* The chunk's rows are there: values that are not finite are asked again, one by one. 0, or why the answer ends. */
int callback_again(callback *c, size_t count);

#endif
