/* What a history gets and gives where a function of the caller's answers.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "problem/callback.h"

/* Point p of entry k of the chunk has come. */
void callback_keep(callback *c, size_t k, size_t p, const double *x, double value, double seconds)
{
    const zo_fan *fan = c->gather.fan;
    size_t set = zo_fan_set(fan), place = c->first - c->gather.from + k;
    c->there[k * set + p] = 1;
    evaluation e = {.number = c->number + place * set + p,
                    .x = x,
                    .component = gather_component(fan, gather_entry(&c->gather, c->first + k)),
                    .value = value,
                    .seconds = seconds,
                    .failure = isfinite(value) ? NULL : "not finite"};
    history_add(c->history, &e);
}

/* The function tells of one value of the call at hand. */
void callback_heard(void *ctx, size_t k, double value, double seconds)
{
    callback *c = ctx;
    const tile *t = &c->at;
    if (!c->history || t->since == 0 || k >= t->nentries * t->npoints) return;
    size_t row = t->pairs ? k : k / t->nentries;
    size_t entry = t->entry + (t->pairs ? k / t->npoints : k % t->nentries),
           point = t->point + (t->pairs ? k % t->npoints : row);
    callback_keep(c, entry, point, c->points + row * c->p.d, value, seconds);
}

/* What the function did not tell of itself; they share the time of the call. */
void callback_keep_tile(callback *c)
{
    tile *t = &c->at;
    size_t set = zo_fan_set(c->gather.fan), d = c->p.d;
    if (!c->history || t->since == 0) return;
    double seconds = (clock_now() - t->since) / (double)(t->nentries * t->npoints);
    for (size_t r = 0; r < t->npoints; r++)
        for (size_t e = 0; e < t->nentries; e++) {
            size_t k = t->entry + e, p = t->point + r, row = t->pairs ? e * t->npoints + r : r;
            if (!c->there[k * set + p])
                callback_keep(c, k, p, c->points + row * d, c->rows[k * set + p], seconds);
        }
    t->since = 0;
}

/* What the past knows of the chunk, in the order of asking. 0: out of memory. */
int callback_look_up(callback *c, size_t count)
{
    const zo_fan *fan = c->gather.fan;
    size_t set = zo_fan_set(fan);
    if (!c->history) return 1;
    if (!gather_room((void **)&c->there, &c->nthere, count * set, 1)) return 0;
    memset(c->there, 0, count * set);
    if (!history_knows(c->history)) return 1;
    for (size_t k = 0; k < count; k++) {
        size_t entry = gather_entry(&c->gather, c->first + k);
        for (size_t p = 0; p < set; p++) {
            zo_fan_point(fan, entry, p, c->points);
            c->there[k * set + p] = (unsigned char)history_take(
                c->history, c->points, gather_component(fan, entry), &c->rows[k * set + p]);
        }
    }
    return 1;
}

/* How many values of a tile are there without asking. */
size_t callback_known_in(const callback *c, size_t k, size_t nentries, size_t p, size_t npoints)
{
    size_t set = zo_fan_set(c->gather.fan), count = 0;
    for (size_t e = 0; c->history && e < nentries; e++)
        for (size_t r = 0; r < npoints; r++) count += c->there[(k + e) * set + p + r];
    return count;
}
