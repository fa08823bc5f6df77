/* The loop within its files: a run, its budget, and its looks at F.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_SOLVE_LOOP_H
#define ZO_SOLVE_LOOP_H

#include "solve/pace.h"
#include "solve/solver.h"

typedef struct loop {
    zo_solver *s;
    const zo_control *c;
    uint64_t budget;  /* queries, from max_queries and max_units */
    uint64_t reserve; /* of it for the look at the end */
    uint64_t look;    /* queries that one look costs */
    int charged;      /* 1: looks at F are paid from it */
    double every;     /* queries between two rows */
    double begun;     /* clock at the start, less the seconds of earlier runs */
    double saved;     /* clock at the last checkpoint */
    double save_cost; /* seconds it took */
    int last;         /* 1: the look at the end, which no uninterrupted run would take here */
    double grace;     /* clock until which that look may go on, whoever wants to stop */
    int refused; /* 1: the problem halted though nobody had asked it to: it is not asked again */
    zo_status trouble; /* of looking ahead */
    pace pace;
    zo_halt halt; /* what the problem heeds meanwhile */
    zo_error *err;
} loop;

/* control.c: can a run of s go by this? */
zo_status control_check(const zo_solver *s, const zo_control *c, zo_error *err);

/* ---- look.c ---------------------------------------------------------------------------------------- */

enum { IN_PASSING, WANTED }; /* a look for a row; one that something depends on */

/* The problem could not answer. ZO_NO_MEMORY is the one code that has a meaning here. */
zo_status loop_unanswered(loop *l, int code);
/* Asks the problem; watching: only to show F. */
int loop_answer(loop *l, const zo_fan *fan, int watching, double *out);
/* Does the budget pay for so many queries, and leave a reserve? */
uint64_t loop_reserve(const loop *l); /* what is kept back for the last look at F */
int loop_pays(const loop *l, uint64_t cost, uint64_t reserve);
/* F is not known anywhere, and the method goes its way without comparing. */
int loop_lacks_first(const loop *l);
/* F at the method's point: what is known of it, or a look. */
zo_status loop_watch(loop *l, int why);
/* A budget below the price of the first step is used all the same. */
zo_status loop_spend_rest(loop *l);

#endif
