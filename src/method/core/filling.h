/* A table of one gradient per component at the start, recovered where that pays: a part of methods that keep one.
 * SPDX-License-Identifier: MIT
 *
 *     filling_ask, filling_tell    until it says that the table is full: a few components in full, what they have in common
 *                                  (recovery.h), the others by that, and in full those that it does not tell
 *
 * At x = 0, where a ridge has no gradient: elsewhere rows are full by it, nothing is found in common, and all are asked in full. */
#ifndef ZO_METHOD_FILLING_H
#define ZO_METHOD_FILLING_H

#include "method/core/plan.h"
#include "method/core/recovery.h"

typedef struct filling {
    method *m;
    int on;         /* 0: the setting recover is not on, or there is no room */
    size_t chunk;   /* components asked in full at once, at most */
    double *table;  /* of my components: rows of d */
    double *value;  /* f of my components */
    uint64_t phase; /* (state) */
    plan plan;
    recovery recovery;
    double *rows; /* GATHER x d (scratch) */
    size_t from;  /* of the order: which are there */
} filling;

/* In open; 0: out of memory. */
int filling_open(filling *f, method *m, size_t chunk, double *table, double *value);
void filling_close(filling *f);
void filling_ask(filling *f, zo_fan *fan);
int filling_tell(filling *f, const double *answers);
const char *
filling_check(const filling *f); /* of what was read from a file: what does not fit, or NULL */

#endif
