/* What a crew does for a history: values of the past are not asked, and those that come are kept.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "history/history.h"
#include "problem/process/crew.h"

zo_history *crew_history(const crew *c) { return c->halt ? c->halt->history : NULL; }

/* ---- keeping --------------------------------------------------------------------------------------------- */

/* Value e of point p of question k: where it stands in the fan. */
static evaluation place_of(crew *c, const question *a, size_t p, size_t e)
{
    const zo_fan *fan = c->q->fan;
    size_t k = c->q->first + a->entry + e, entry = gather_entry(c->entries, k);
    zo_fan_point(fan, entry, a->point + p, c->point);
    return (evaluation){.number =
                            c->number + (k - c->entries->from) * zo_fan_points(fan) + a->point + p,
                        .x = c->point,
                        .component = gather_component(fan, entry),
                        .value = NAN};
}

int crew_record(crew *c, size_t k, double seconds, const char *what)
{
    zo_history *h = crew_history(c);
    const question *a = &c->q->at[k];
    size_t count = a->npoints * a->nentries;
    if (!h) return 1;
    if (!gather_room((void **)&c->values, &c->nvalues, count, sizeof *c->values)) {
        snprintf(c->why, sizeof c->why, "history: out of memory for %zu values", count);
        return 0;
    }
    question_get(c->q, k, 0, c->values);
    for (size_t p = 0; p < a->npoints; p++)
        for (size_t e = 0; e < a->nentries; e++) {
            evaluation one = place_of(c, a, p, e);
            one.value = c->values[p * a->nentries + e];
            one.seconds = seconds / (double)count;
            if (!isfinite(one.value)) one.failure = what;
            history_add(h, &one);
        }
    return 1;
}

void crew_record_failure(crew *c, size_t k, double seconds, const char *what)
{
    zo_history *h = crew_history(c);
    if (!h) return;
    evaluation one = place_of(c, &c->q->at[k], 0, 0);
    one.seconds = seconds;
    one.failure = what;
    history_add(h, &one);
}

/* ---- what is known -------------------------------------------------------------------------------------- */

/* Takes what is known of question k; there[] says which values. Returns how many. */
static size_t take(crew *c, size_t k, unsigned char *there)
{
    const question *a = &c->q->at[k];
    size_t had = 0;
    for (size_t p = 0; p < a->npoints; p++)
        for (size_t e = 0; e < a->nentries; e++) {
            evaluation one = place_of(c, a, p, e);
            size_t at = p * a->nentries + e;
            int known = history_take(crew_history(c), one.x, one.component, &c->values[at]);
            there[at] = (unsigned char)known;
            had += (size_t)known;
        }
    return had;
}

/* A question of which some values are known becomes questions of one value each for the others. 0: out of memory. */
static int split(questions *q, size_t k, const unsigned char *there, size_t *missing)
{
    const question a = q->at[k];
    size_t wanted = q->nquestions + a.npoints * a.nentries;
    if (wanted > q->room) {
        question *at = mem_grow(q->at, q->nquestions, 2 * wanted, sizeof *at);
        if (!at) return 0;
        q->at = at;
        q->room = 2 * wanted;
    }
    if (wanted > q->nrooms) {
        size_t *back = mem_grow(q->back, *missing, 2 * wanted, sizeof *back);
        if (!back) return 0;
        q->back = back;
        q->nrooms = 2 * wanted;
    }
    for (size_t p = 0; p < a.npoints; p++)
        for (size_t e = 0; e < a.nentries; e++) {
            if (there[p * a.nentries + e]) continue;
            q->at[q->nquestions] =
                (question){.entry = a.entry + e, .nentries = 1, .point = a.point + p, .npoints = 1};
            q->back[(*missing)++] = q->nquestions++;
        }
    return 1;
}

int crew_recall(crew *c)
{
    questions *q = c->q;
    size_t asked = q->nquestions, missing = 0, most = 1, room = 0;
    unsigned char *there = NULL;
    int fine = 1;
    for (size_t k = 0; k < asked; k++)
        most = q->at[k].npoints * q->at[k].nentries > most ? q->at[k].npoints * q->at[k].nentries
                                                           : most;
    fine = gather_room((void **)&there, &room, most, 1) &&
           gather_room((void **)&c->values, &c->nvalues, most, sizeof *c->values);
    for (size_t k = 0; k < asked && fine; k++) {
        size_t all = q->at[k].npoints * q->at[k].nentries, had = take(c, k, there);
        if (!had || (c->facts.all && had < all)) { /* a run gives all or nothing */
            q->back[missing++] = k;
            continue;
        }
        question_put(q, k, 0, c->values);
        c->answered += had;
        c->heard = 1;
        questions_done(q); /* what is not known of it becomes questions of their own */
        if (had < all) fine = split(q, k, there, &missing);
    }
    mem_free(there);
    q->next = q->nquestions;
    q->nback = missing;
    for (size_t a = 0; a < missing / 2; a++) { /* the stack gives back the first one first */
        size_t k = q->back[a];
        q->back[a] = q->back[missing - 1 - a];
        q->back[missing - 1 - a] = k;
    }
    return fine;
}
