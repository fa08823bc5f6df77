/* Values that could not be had are asked again, one by one.
 * SPDX-License-Identifier: MIT
 *
 * A failure may be an accident or a fact of the point. Accidents pass when the value is asked again alone; facts do not, and
 * every further try is paid. So the values of a point (or with own directions of an entry) are asked again until all are
 * there, or IN_A_ROW tries were in vain: then the others are left as they are. Where that keeps being so nothing is asked
 * again (again.h). With nonfinite=retry each has many tries. The budget is every call: what it has no room for is not asked
 * again. */
#include <math.h>

#include "base/clock.h"
#include "problem/callback.h"

enum { IN_A_ROW = 3, RETRIES = 10 };

/* Point p of entry k of the chunk, now. */
static int ask_one(callback *c, size_t k, size_t p)
{
    const zo_fan *fan = c->gather.fan;
    size_t entry = gather_entry(&c->gather, c->first + k);
    uint64_t i = gather_component(fan, entry);
    double v = NAN, since = clock_now();
    if (c->halt->asked(c->halt->ctx)) return ZO_HALTED;
    zo_fan_point(fan, entry, p, c->points);
    int code = c->p.values ? c->p.values(c->p.ctx, 1, c->points, 1, &i, &v)
                           : c->p.value(c->p.ctx, i, c->points, &v);
    if (callback_ends(c, code)) return code;
    if (code) atomic_store(&c->lost, code);
    if (code) v = NAN;
    c->rows[k * zo_fan_set(fan) + p] = v;
    c->retried++;
    c->left--;
    if (c->history) callback_keep(c, k, p, c->points, v, clock_now() - since);
    return 0;
}

/* The cells of a group: with own the points of an entry, otherwise the entries at a point. */
typedef struct cells {
    size_t groups, each; /* how many, and of how many cells */
    int own;
} cells;

static cells cells_of(const callback *c, size_t count)
{
    size_t set = zo_fan_set(c->gather.fan);
    int own = c->gather.fan->own;
    return own ? (cells){count, set, 1} : (cells){set, count, 0};
}

/* Asks again for the bad cells of a group, each once; bad: those that stay so. */
static int ask_group(callback *c, cells of, size_t group, size_t *vain, size_t *bad)
{
    size_t set = zo_fan_set(c->gather.fan);
    int all = c->halt->nonfinite == ZO_RETRY;
    *bad = 0;
    for (size_t e = 0; e < of.each && (all || *vain < IN_A_ROW) && c->left; e++) {
        size_t k = of.own ? group : e, p = of.own ? e : group;
        const double *v = &c->rows[k * set + p];
        if (isfinite(*v)) continue;
        c->failures++;
        int code = ask_one(c, k, p);
        if (code) return code;
        if (isfinite(*v)) atomic_fetch_add(&c->again.mended, 1);
        *vain = isfinite(*v) ? 0 : *vain + 1;
        *bad += isfinite(*v) ? 0 : 1;
    }
    return 0;
}

static size_t count_bad(const callback *c, size_t count)
{
    size_t bad = 0, all = count * zo_fan_set(c->gather.fan);
    for (size_t k = 0; k < all; k++) bad += isfinite(c->rows[k]) ? 0 : 1;
    return bad;
}

int callback_again(callback *c, size_t count)
{
    if (!c->halt || c->halt->nonfinite == ZO_STOP || !count_bad(c, count)) return 0;
    cells of = cells_of(c, count);
    int all = c->halt->nonfinite == ZO_RETRY;
    unsigned rounds = all ? RETRIES : IN_A_ROW;
    for (size_t group = 0; group < of.groups; group++) {
        size_t vain = 0, bad = 1;
        if (!all && !again_pays(&c->again)) break;
        for (unsigned round = 0; round < rounds && bad; round++) {
            int code = ask_group(c, of, group, &vain, &bad);
            if (code) return code;
        }
        if (bad) atomic_fetch_add(&c->again.vain, 1);
    }
    size_t bad = count_bad(c, count);
    c->failures += bad;
    if (!bad) atomic_store(&c->lost, 0);
    return 0;
}
