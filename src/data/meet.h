/* Ranks that do something together: numbers of all, or the first failure on all.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_DATA_MEET_H
#define ZO_DATA_MEET_H

#include "zoprox_spread.h"

typedef struct meeting {
    const zo_ranks *ranks;
    size_t *count, *want; /* size each */
    double *mine, *all;
    size_t nmine, nall;
} meeting;

zo_status meeting_open(meeting *m, const zo_ranks *ranks, zo_error *err);
void meeting_close(meeting *m);
/* Collective. Every rank brings count numbers, the same count on all, and how it went so far: why->status, and
 * why->text when that is not ZO_OK. Where all is well the numbers of rank r are in all + r*count, until the next meeting.
 * Otherwise every rank gets the status of the first rank that failed, and its words with its number before them (unless
 * all say the same). */
zo_status meet(meeting *m, const zo_error *why, size_t count, const double *mine,
               const double **all, zo_error *err);
/* Collective: the same with counts that differ; all ranks know them. */
zo_status meet_with(meeting *m, const zo_error *why, const size_t *count, const double *mine,
                    const double **all, zo_error *err);

double as_number(uint64_t bits); /* any 64 bits as a number to be sent, never computed with */
uint64_t as_bits(double number);

#endif
