/* What the parts of zoprox check share.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_CHECK_H
#define ZO_TOOL_CHECK_H

#include "core/tool.h"

enum { CHECK_DIRECTIONS = 16 }; /* of the fans by which speed is measured */

typedef struct trial {
    const request *asked;
    task *from;
    double *x;           /* two points that psi allows: the start and one near it */
    double *near, *work; /* room for a point, and for the prox */
    uint64_t comp[16];
    size_t ncomp;         /* of these */
    int brief;            /* 1: the forms of questions are not tried */
    uint64_t price, done; /* queries in all, and those behind us */
    int shown;            /* 1: a line on standard error tells how far it is */
    double begun, drawn;  /* clock */
    zo_halt halt;
} trial;

/* ---- check_ask.c ------------------------------------------------------------------------------- */

int check_points(trial *t); /* DONE, or after a line REFUSED or FAILED */
void check_announce(trial *t,
                    uint64_t all);      /* says what it will cost: all, or less if it is brief */
const char *check_unit(const trial *t); /* what it counts: runs or queries */
void check_begin(trial *t);
void check_end(trial *t);
int check_ask(trial *t, const zo_fan *fan, double *out); /* 0, or the problem's code */
int check_broken(const trial *t); /* FAILED, after the black box's own words */
/* Turns directions inwards: base + radius * u is where psi allows it, for each of count rows. */
void check_directions(const trial *t, const double *base, double radius, size_t count, double *dir);

/* ---- check_forms.c ----------------------------------------------------------------------- */

uint64_t check_forms_price(const trial *t);
/* Do all forms of questions give the same values? noise: of one value. DONE, or FAILED after a line. */
int check_forms(trial *t, double noise, double queries_a_second);

#endif
