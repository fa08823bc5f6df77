/* What a history tells: F at the points that are known in full, the best of them, failures.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_STORY_H
#define ZO_STORY_H

#include <stddef.h>
#include <stdint.h>

#include "zoprox.h"

enum { FAILURES_SHOWN = 20, NAMES_SHOWN = 64, NAME_SHOWN = 64 };

typedef struct moment { /* a point at which all components are known */
    uint64_t at;        /* evaluations up to it */
    double value;       /* the mean over the components: F without psi */
    double seconds;     /* of evaluations up to it, together */
} moment;

typedef struct story {
    size_t n, d;
    const zo_outer *outer; /* what is on top of the values of at most so many components; or NULL */
    size_t nouter;
    uint64_t evaluations, failures;
    double seconds; /* of all evaluations together */
    moment *whole;
    size_t nwhole, whole_room;
    moment *best; /* those of them that were the best so far */
    double *x;    /* their points, rows of d */
    size_t nbest, best_room, x_room;
    double *cases; /* n: values at the best point */
    /* of coordinates, the first so many */
    char name[NAMES_SHOWN][NAME_SHOWN];
    struct {
        uint64_t at, component;
        char text[200];
    } failure[FAILURES_SHOWN]; /* the last ones, in a ring */
    /* points that are not known in full yet */
    struct open_point *open;
    double *open_x, *open_value;
    size_t nopen;
    uint64_t from;  /* where reading goes on */
    size_t largest; /* component that was seen, plus 1 */
} story;

/* Reads what was added to the file since the last time. DONE, or after a line REFUSED or FAILED. */
int story_read(story *s, const char *path);
void story_free(story *s);

#endif
