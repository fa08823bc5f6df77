/* Ranks that do something together.
 * SPDX-License-Identifier: MIT */
#include "data/meet.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

enum { WORDS = sizeof((zo_error *)0)->text / sizeof(double) };

double as_number(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

uint64_t as_bits(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static int room(double **at, size_t *held, size_t wanted)
{
    double *more = *at && wanted <= *held ? *at : mem_new(wanted, sizeof *more);
    if (!more || more == *at) return more != NULL;
    mem_free(*at);
    *at = more;
    *held = wanted;
    return 1;
}

/* There is always room to tell of a failure. */
zo_status meeting_open(meeting *m, const zo_ranks *ranks, zo_error *err)
{
    size_t size = (size_t)ranks->size;
    *m = (meeting){.ranks = ranks};
    m->count = mem_new(size, sizeof *m->count);
    m->want = mem_new(size, sizeof *m->want);
    if (!m->count || !m->want || !room(&m->mine, &m->nmine, WORDS) ||
        !room(&m->all, &m->nall, size * WORDS)) {
        meeting_close(m);
        return out_of_memory(err, "ranks", size);
    }
    return ZO_OK;
}

void meeting_close(meeting *m)
{
    mem_free(m->count);
    mem_free(m->want);
    mem_free(m->mine);
    mem_free(m->all);
    *m = (meeting){0};
}

static zo_status gather(meeting *m, const double *mine, zo_error *err)
{
    if (!m->ranks->gather(m->ranks->ctx, mine, m->count, m->all)) return ZO_OK;
    const char *why = m->ranks->why ? m->ranks->why(m->ranks->ctx) : NULL;
    if (why) return fail(err, ZO_IO, "%s", why);
    return fail(err, ZO_IO, "rank %d: the exchange with the other ranks failed", m->ranks->rank);
}

static int all_say_the_same(const meeting *m)
{
    for (int r = 1; r < m->ranks->size; r++)
        if (memcmp(m->all, m->all + (size_t)r * WORDS, sizeof(double) * WORDS)) return 0;
    return 1;
}

/* The first rank that failed says why. */
static zo_status tell_why(meeting *m, int first, zo_status status, const zo_error *why,
                          zo_error *err)
{
    char text[sizeof why->text] = "";
    if (why->status)
        snprintf(text, sizeof text, "%s", why->text); /* zeros behind it: texts are compared */
    for (int r = 0; r < m->ranks->size; r++) m->count[r] = WORDS;
    memcpy(m->mine, text, sizeof text);
    zo_status lost = gather(m, m->mine, err);
    if (lost) return lost;
    memcpy(text, m->all + (size_t)first * WORDS, sizeof text);
    return all_say_the_same(m) ? fail(err, status, "%s", text)
                               : fail(err, status, "rank %d: %.480s", first, text);
}

/* How did it go everywhere? */
static zo_status agree(meeting *m, const zo_error *why, zo_error *err)
{
    double mine = why->status;
    for (int r = 0; r < m->ranks->size; r++) m->count[r] = 1;
    zo_status lost = gather(m, &mine, err);
    if (lost) return lost;
    for (int r = 0; r < m->ranks->size; r++)
        if (m->all[r] != 0) return tell_why(m, r, (zo_status)m->all[r], why, err);
    return ZO_OK;
}

zo_status meet_with(meeting *m, const zo_error *why, const size_t *count, const double *mine,
                    const double **all, zo_error *err)
{
    size_t total = 0;
    zo_error short_of = *why;
    for (int r = 0; r < m->ranks->size; r++) total += count[r];
    if (!room(&m->all, &m->nall, total)) out_of_memory(&short_of, "numbers of all ranks", total);
    zo_status status = agree(m, &short_of, err);
    if (status) return status;
    memcpy(m->count, count, (size_t)m->ranks->size * sizeof *count);
    *all = m->all;
    return gather(m, mine, err);
}

zo_status meet(meeting *m, const zo_error *why, size_t count, const double *mine,
               const double **all, zo_error *err)
{
    for (int r = 0; r < m->ranks->size; r++) m->want[r] = count;
    return meet_with(m, why, m->want, mine, all, err);
}
