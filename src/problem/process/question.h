/* A fan cut into questions for programs: tiles of entries x points, as text there and back.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_QUESTION_H
#define ZO_QUESTION_H

#include "problem/gather.h"
#include "problem/process/worker.h"
#include "zoprox.h"

typedef struct question {
    size_t entry, nentries; /* in the slab */
    size_t point, npoints;
    unsigned tries;  /* failures so far */
    int part;        /* 1: of one that failed: a journal may know it alone */
    uint64_t key[2]; /* of its text, where there is a journal */
} question;

/* The questions of one slab of entries, and which of them are still to be asked. */
typedef struct questions {
    const zo_fan *fan;
    size_t first, count; /* the slab: entries as gather_entry counts */
    double *values;      /* count rows of points; means: one row */
    question *at;
    size_t nquestions, room;
    size_t next;  /* first that was never taken */
    size_t *back; /* those that came back */
    size_t nback, nrooms;
    size_t finished;
    bytes point; /* text of the point last written */
    size_t point_entry, point_number;
} questions;

/* Cuts the slab: about 64 questions if there are that many values. Never depends on who answers. 0: out of memory. */
int questions_cut(questions *q, const zo_fan *fan, size_t first, size_t count, int means,
                  double *values);
/* The same where one run gives all: a question for each point. */
int questions_cut_points(questions *q, const zo_fan *fan, size_t first, size_t count,
                         double *values);
size_t questions_left(const questions *q); /* that can be taken now */
size_t questions_take(questions *q);
void questions_return(questions *q, size_t k);
void questions_done(questions *q); /* one more is answered */
/* Question k failed as a whole: some questions of parts of it are asked instead. Returns how many; 0: it has no parts, or
 * memory is out. */
size_t questions_split(questions *q, size_t k, int means);
/* Question k was answered, and some values are not finite: these are asked again one by one. 0: none or all are not. */
size_t questions_single_out(questions *q, size_t k);
/* Is question k about the same single point as a? */
int question_at(const questions *q, size_t k, const question *a);
void question_give_up(questions *q, size_t k, int means); /* its values are NaN */
/* Question k, and all that nobody is at and that are about its point alone. Returns how many values these are. */
size_t questions_give_up_at(questions *q, size_t k, int means);
size_t questions_give_up_rest(questions *q, int means); /* likewise, all that nobody is at */
int questions_finished(const questions *q);
void questions_free(questions *q);

/* text = question k; x: room for a point. 0: out of memory. */
int question_write(questions *q, size_t k, uint64_t id, const gather *g, double *x, bytes *text);
/* Takes the answer to question k from the bytes. 1: taken, 0: not all there, -1: nonsense, in words. */
int question_read(questions *q, size_t k, uint64_t id, int means, bytes *from, char *why,
                  size_t size);
/* Hashes of the text (as question_write made it) without its ID: what is asked, whoever asks. */
void question_key(const questions *q, size_t k, const bytes *text, uint64_t key[2]);
/* The values of question k, point by point. */
size_t question_values(const questions *q, size_t k, int means); /* how many */
size_t question_bad(const questions *q, size_t k); /* of its values: how many are not finite */
void question_get(const questions *q, size_t k, int means, double *values);
void question_put(questions *q, size_t k, int means, const double *values);
int question_finite(const questions *q, size_t k, int means); /* 1: every value is */

#endif
