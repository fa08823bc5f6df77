/* A journal: every answer that was paid for, in a file that only grows. What is in it is never asked again.
 * SPDX-License-Identifier: MIT
 *
 * A question is known by a hash of its text, so it does not matter which run, which checkpoint or how many workers it
 * was asked by. Each answer is used once: a black box with noise that is asked the same twice answers twice. So a run that
 * goes on from a checkpoint passes over the answers that the checkpoint has seen. */
#ifndef ZO_JOURNAL_H
#define ZO_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

#include "zoprox.h"

typedef struct journal journal;

/* Opens or creates it for this problem; a last answer that was not written to its end is cut off, and one
 * that is damaged is as if it had never been. */
zo_status journal_open(journal **out, const char *path, uint64_t problem, zo_error *err);
void journal_close(journal *j);        /* takes NULL */
size_t journal_left(const journal *j); /* answers of earlier runs that were not used yet */
/* The first unused answer of an earlier run to this question, if it has count values. 0: there is none. */
int journal_take(journal *j, const uint64_t key[2], size_t count, double *values);
/* How far into the file answers were used or added, in bytes: what a checkpoint keeps. Set to an earlier value (by loading a
 * checkpoint), all answers before it count as used: they are in the state already. */
uint64_t *journal_mark(journal *j);
void journal_settle(journal *j); /* a fan is answered: the mark moves on, not before */
/* 0: failed, see errno */
int journal_add(journal *j, const uint64_t key[2], size_t count, const double *values);

#endif
