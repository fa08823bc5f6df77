/* The solver: a problem, a method, and what happened so far.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_SOLVER_H
#define ZO_SOLVER_H

#include "base/draft.h"
#include "method/core/method.h"
#include "problem/problem.h"
#include "solve/fence.h"
#include "solve/fixed.h"
#include "solve/mend.h"
#include "zoprox.h"

enum { SOLVER_STATES = 24 };
/* bad answers to one question before the run gives up */
enum { SOLVER_RETRIES = 10, SOLVER_REJECTIONS = 40 };

struct zo_solver {
    zo_problem problem; /* psi and answer always filled in; d and psi of the free coordinates */
    size_t d;           /* all coordinates */
    fixed *fixed;       /* those that are held; NULL: none are */
    double *shown;      /* 3 d: the point, the best one, x of a row, with all coordinates */
    zo_settings given;  /* as the caller gave them */
    double *work;       /* scratch of the prox */
    callback *callback; /* answers fans when the problem has only a value function */
    struct composed *composed; /* answers fans of f_i where the problem gives residuals */
    struct whole *whole;       /* answers fans when the problem gives all components at a point */
    double *scale;             /* of the free coordinates; or NULL */
    method *method;
    struct own_row *own; /* the user's, in place of what the settings name; or NULL */
    int started;
    fence *fence;         /* keeps questions within bounds; NULL: psi has none */
    mend *mend;           /* between the method and the fence: points that cannot be evaluated */
    uint64_t pending;     /* queries of the question that is being mended, up to now */
    const zo_fan *narrow; /* the same with the free coordinates only */
    const zo_fan *asked;  /* the question waiting for its answer; or NULL */
    const unsigned char *log; /* of all coordinates: the problem's, */
    zo_fan worded;            /* and that question with it */
    double *answers;          /* zo_run's own room for them */
    uint64_t *missing;        /* n: components whose value at a point is not known yet */
    double *tried;            /* d: the base of the question that was just told, */
    double *heard;            /* n: what it said of single components, NaN: nothing */
    int tells_values;         /* 1: it did */
    size_t nanswers;
    int halted;     /* a bad answer ended the run: ask gives nothing until zo_run is called again */
    int begun;      /* 1: the method was told something: f can be evaluated at the start */
    uint64_t tries; /* bad answers to the question at hand */
    double *before; /* d: scratch, x before a tell */
    /* kept in a checkpoint, through state[] */
    double *previous; /* d: x before the last step, where a rejected step goes back to */
    /* n: f_i where a method was told them one by one, NaN: not; or NULL: not kept */
    double *values;
    double *valued_at;   /* d: at this point, */
    uint64_t known_step; /* 1 + the step at which F was last known somewhere */
    uint64_t valued;     /* 1: if there is one */
    double *best;        /* d: the best point seen while watching */
    uint64_t queries, watched, retried, failures;
    uint64_t extra; /* queries for what the problem asked again by itself */
    double best_objective;
    double first_objective; /* the first that was seen; NaN: none was */
    double row_due;         /* queries at which the next row is due; no row yet: 0 */
    uint64_t row_queries;   /* queries at the last row that was due */
    uint64_t row_owed;      /* 1: a row is due here, and looking at F for it was given up */
    double seconds;         /* in zo_run, over all runs */
    double horizon;         /* what the method was made with; NaN: not known */
    uint64_t evaluations;   /* in the history, up to here */
    uint64_t kept;          /* in place of the problem's, where it has none */
    state_entry state[SOLVER_STATES];
    size_t nstates;
    /* queries spent on looks at the end of a run: watched, but in no row that was due */
    uint64_t aside;
    /* the last look at F */
    double objective; /* at step objective_step; NaN: not looked */
    uint64_t objective_step;
    zo_reason reason;
    int felt;             /* 1: an answer has shown that f changes with x */
    uint64_t unfelt;      /* answers that could have, before */
    int running;          /* 1: in zo_run */
    int held;             /* 1: the caller has locked the checkpoint */
    char warning[256];    /* of the solver itself, the last one; "" if there is none */
    char moved[112];      /* that the start was outside of psi's domain; "" if it was not */
    char flaw[112];       /* the bad answer at hand in words, */
    char first_flaw[112]; /* and the first that a question was mended for, or refused */
    double flawed;        /* the bad answer itself */
};

/* x with all coordinates: x itself, or room */
const double *solver_wide(const zo_solver *s, const double *x, double *room);
/* known.c: where F is known, and which point is the result */
void solver_offer(zo_solver *s, const double *x, double objective);
void solver_lend(zo_solver *s); /* to the method: scratch, and where it says what F is */
int solver_tells_all(const zo_solver *s, const zo_fan *fan); /* F at its bases */
void solver_learn(zo_solver *s, const zo_fan *fan, const double *answers);
double solver_mean(const zo_solver *s, const double *values); /* of one number for each component */
/* f_i at x as far as they are known, n of them; NULL: none is */
double *solver_values(const zo_solver *s, const double *x);
void solver_keep_values(zo_solver *s);       /* after a tell */
int solver_at_best(const zo_solver *s);      /* is the method at the best point known? */
double solver_objective(const zo_solver *s); /* F at zo_point; NaN: not known */

/* makes the method anew for this horizon */
zo_status solver_plan(zo_solver *s, double horizon, zo_error *err);
/* A checkpoint is of the method that ran when it was made: the one planned, or one that it handed over to. */
zo_status solver_resume_as(zo_solver *s, const char *name, zo_error *err);
/* Locks path, which may be NULL, for a run of s; release it at the end. Where there can be no lock there is none. */
zo_status solver_hold(const zo_solver *s, const char *path, hold *h, zo_error *err);
void solver_is_held(zo_solver *s); /* the caller holds (base/draft.h) what zo_run will save to */
void solver_forget(zo_solver *s);  /* as zo_new left it */
/* at a run's end: nothing was learnt about f, and x stayed */
void solver_warn_of_flat(zo_solver *s);
void solver_warn_of_rise(zo_solver *s); /* or F has risen by orders */
zo_status solver_ask(zo_solver *s, const zo_fan **fan, zo_error *err);
zo_reason solver_end(const zo_solver *s); /* why ask has given nothing */
zo_status solver_tell(zo_solver *s, const double *answers, zo_error *err);
/* ZO_BAD_STATE: call is made by a callback of this solver's own run. */
zo_status solver_at_rest(const zo_solver *s, const char *call, zo_error *err);
/* The k-th answer cannot be used: which component, what, at which query (flaw.c). */
void solver_note_flaw(zo_solver *s, const double *answers, size_t k);
/* A look at F was not finite: which component; and all of the budget went into it, at the start. */
void solver_note_look(zo_solver *s, const zo_fan *fan, const double *answers, double f);
void solver_warn_of_start(zo_solver *s);
void solver_warn_of_flaw(zo_solver *s); /* it ended the run: what to do about it */
/* Bad answers: those that the problem has counted one by one, or the fans that had some; never one twice. */
uint64_t solver_failures(const zo_solver *s);
void solver_warn_of_failures(zo_solver *s); /* at a run's end: some were refused on the way */
/* What is being mended was never asked, */
void solver_drop(zo_solver *s);
/* or is over. */
void solver_settle(zo_solver *s);
/* Answers a fan: watching, and for a method that does not model residuals, of f_i; else what the problem gives. */
int solver_answer(zo_solver *s, const zo_fan *fan, int watching, double *out);
zo_status solver_reserve(zo_solver *s, size_t answers, zo_error *err);

#endif
