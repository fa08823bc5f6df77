/* A crew: worker processes that answer the questions of a fan, whatever becomes of single ones.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_CREW_H
#define ZO_CREW_H

#include <poll.h>

#include "problem/again.h"
#include "problem/gather.h"
#include "problem/process/journal.h"
#include "problem/process/question.h"
#include "problem/process/worker.h"
#include "zoprox_box.h"

enum { IN_HAND = 2 };

typedef struct seat { /* a worker and what it is at */
    worker w;
    int greeted;          /* it has answered the question without points */
    size_t held;          /* questions in hand */
    size_t hand[IN_HAND]; /* their numbers, the one it is at first */
    uint64_t id[IN_HAND]; /* as they were asked */
    double since;         /* clock when it began with the first */
    unsigned bad;         /* failures since its last answer */
    double not_before;    /* clock before which it is not started again */
} seat;

typedef struct crew {
    const char **argv; /* the program; owned by the command */
    const char *name;  /* of it, likewise */
    double timeout;    /* seconds for one question; 0: no limit */
    unsigned retries;
    again again;           /* what they have brought */
    uint64_t max_failures; /* 0: no limit */
    guardian guardian;
    seat *seat;
    int workers;
    struct pollfd *poll; /* 3 per seat */
    const zo_halt *halt; /* or NULL */
    journal *journal;    /* or NULL */
    const char *journal_path;
    questions *q;          /* those at hand */
    question bad;          /* of them, the last that was given up; npoints 0: none was */
    const gather *entries; /* of q */
    double *point;         /* d */
    bytes text;            /* of one question */
    double *values;        /* of one question, where there is a journal */
    size_t nvalues;
    uint64_t next_id, failures;
    uint64_t stayed;          /* answers that were not finite and were not asked again */
    uint64_t retried, left;   /* queries that asking again took, and may take for the fan at hand */
    uint64_t asked, answered; /* values of the fan at hand, and those that are there */
    uint64_t number;          /* of its first value in a history */
    zo_command_facts facts;
    uint64_t
        explained; /* values of the fan at hand that are not finite, with the program's words in why */
    int nonsense; /* 1: the failure at hand is an answer that cannot be read */
    int mistake;  /* 1: the failure at hand is one that asking again does not mend */
    int heard;    /* a question with points was answered, now or in an earlier run */
    int met;      /* a worker has answered: means or not is settled */
    char why[512];
} crew;

zo_status crew_open(crew *c, size_t d, int workers, zo_error *err); /* seats, and nobody in them */
void crew_close(crew *c);                                           /* takes a half-opened one */
double crew_clock(void);

/* ---- one seat (crew.c) --------------------------------------------------------------------------- */

/* Stops a worker that did wrong; its questions go back. what: in words, or NULL: it ended by itself. Returns 0, with a
 * sentence in why, when this was once too often. */
int seat_failed(crew *c, seat *s, const char *what);
/* Question k failed once more. It is asked again, or in parts, or where it is one value and failed too often given up: NaN
 * (unless failures are to end the run). Returns 0 when this was once too often. */
int question_failed(crew *c, size_t k);
/* So many queries are asked again, if the budget has room for them; 0: it has not. Where failures end the run it has. */
int crew_pays(crew *c, uint64_t queries);
/* Does nobody know yet whether the program works at all? Then one question is asked at a time. */
int crew_is_new(const crew *c);
/* What it answered is not finite: in words, with the last line that it said at this fan on standard error. 0: none. */
int seat_explains(const seat *s, char *text, size_t size);
int seat_send(crew *c, seat *s); /* the text. 0: it is gone, or memory is out */
void seat_stop(crew *c, seat *s);

/* ---- the first words (greeting.c) ------------------------------------------------------------------ */

int greet(crew *c, seat *s); /* asks the question without points. 0: it is gone */
/* What it says before it was asked for values. 1: understood, 0: not all there yet, -1: nonsense (in why). */
int greeted(crew *c, seat *s);

/* ---- history (recall.c) ------------------------------------------------------------------------------ */

zo_history *crew_history(const crew *c); /* or NULL */
/* What the past knows of the questions is not asked; before any is. 0: out of memory. */
int crew_recall(crew *c);
/* Question k is answered; what: of values that are not finite. 0: failed, in why. */
int crew_record(crew *c, size_t k, double seconds, const char *what);
void crew_record_failure(crew *c, size_t k, double seconds, const char *what);

/* ---- the work (dispatch.c) ------------------------------------------------------------------------- */

/* The first worker is met at once: what is wrong with the program is said before the run begins. */
zo_status crew_meet(crew *c, zo_error *err);
/* Asks all questions of q, whose entries are g's. ZO_OK, ZO_HALTED, ZO_NO_MEMORY, or ZO_PROBLEM with a sentence in why. */
int crew_ask(crew *c, questions *q, const gather *g);
/* Looks after one seat, whose three descriptors poll has looked at. 0: failed for good. */
int seat_attend(crew *c, seat *s, const struct pollfd *p);
/* Milliseconds until a seat must be looked at without being called. */
int crew_patience(const crew *c);

#endif
