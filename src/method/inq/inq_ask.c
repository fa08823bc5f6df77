/* inq: the question of each stage.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/rng.h"
#include "base/vec.h"
#include "method/inq/inq_row.h"

static size_t at_most(uint64_t count, size_t most) { return count < most ? (size_t)count : most; }

/* ---- Whom to ask --------------------------------------------------------------------------------- */

/* todo = at most count components of the sample that were not asked in full at x, those asked longest ago first. */
void inq_list_oldest(inq *s, uint64_t count)
{
    uint64_t newest = s->at->points, left = count;
    int here = inq_at_last_point(s);
    s->at->todo = 0;
    uint64_t oldest = newest;
    for (uint64_t k = 0; k < s->at->filled; k++)
        if (s->asked[s->order[k]].full < oldest) oldest = s->asked[s->order[k]].full;
    for (uint64_t at = oldest; at + (uint64_t)here <= newest && left > 0; at++)
        for (uint64_t k = 0; k < s->at->filled && left > 0; k++)
            if (s->asked[s->order[k]].full == at) {
                s->todo[s->at->todo++] = s->order[k];
                left--;
            }
    if (s->at->todo && !here) inq_keep_point(s);
}

/* todo = all components of the sample whose span was not asked at x, by rank. */
void inq_list_spans(inq *s)
{
    const method *m = &s->base;
    s->at->todo = 0;
    if (!inq_at_last_point(s)) inq_keep_point(s);
    for (size_t i = 0; i < m->count; i++) s->mark[i] = (unsigned char)s->spans[i].rank;
    method_marks(m, s->mark, s->marks);
    for (size_t rank = 1; rank <= s->layers; rank++) {
        for (uint64_t k = 0; k < s->at->filled; k++) {
            uint64_t i = s->order[k];
            if (s->marks[i] == rank && s->asked[i].renewed != s->at->points)
                s->todo[s->at->todo++] = i;
        }
        s->at->ranked[rank - 1] = s->at->todo;
    }
}

/* todo = all components. */
void inq_list_all(inq *s)
{
    s->at->todo = s->base.n;
    s->at->redo = 0;
    for (size_t k = 0; k < s->base.n; k++) s->todo[k] = k;
}

/* Where the list of this stage ends. */
static uint64_t last_of(const inq *s)
{
    switch (s->base.stage) {
    case ASK_BEND: return s->at->size;
    case ASK_RENEW:
    case ASK_AGAIN:
    case ASK_SPAN: return s->at->todo;
    case ASK_REDO:
    case ASK_REBEND: return s->at->redo;
    default: return s->base.fan.ncomp;
    }
}

/* The components of the question have been asked; were they the last of this stage? */
int inq_all_asked(inq *s)
{
    if (s->base.stage == ASK_GRADIENT) return s->at->filled == s->at->size;
    s->at->cursor += s->base.fan.ncomp;
    return s->at->cursor == last_of(s);
}

/* ---- Questions ----------------------------------------------------------------------------------- */

/* A chunk of list[from..to), one set of answers each. */
static void ask_some(inq *s, zo_fan *fan, const uint64_t *list, uint64_t from, uint64_t to)
{
    fan->each = method_each(&s->base);
    fan->comp = list + from;
    fan->ncomp = at_most(to - from, s->chunk);
}

/* Each along its own direction, whose row is scaled to its own radius; or all along one. */
static void ask_own(inq *s, zo_fan *fan, double (*radius)(const inq *s, uint64_t i))
{
    size_t d = s->base.d;
    fan->known = 1;
    fan->ndir = 1;
    fan->dir = s->dir;
    fan->radius = 1;
    if (!s->base.set.own) {
        inq_common_direction(s, s->dir);
        return;
    }
    for (size_t e = 0; e < fan->ncomp; e++) {
        inq_fetch_entry(s, fan, e);
        if (!method_mine(&s->base, fan->comp[e])) continue;
        inq_row_put(s, fan->comp[e], radius(s, fan->comp[e]), s->dir + e * d);
        method_turn(&s->base, fan->base[0], s->dir + e * d);
    }
    fan->own = 1;
}

static void ask_values(zo_fan *fan, const double *at, const uint64_t *list, uint64_t count)
{
    fan->base[0] = at;
    fan->comp = count == fan->n ? NULL : list;
    fan->ncomp = (size_t)count;
}

/* Also across their directions, with the same step. */
static void ask_check(inq *s, zo_fan *fan)
{
    uint32_t place[CHECKED];
    size_t count = at_most(s->at->size / CHECK_EVERY, CHECKED);
    if (count < LEAST_CHECKED) count = at_most(s->at->size, LEAST_CHECKED);
    rng_distinct(s->base.set.seed, FOR_CHECK, s->base.step, (uint32_t)s->at->size, count, place);
    for (size_t k = 0; k < count; k++) s->comp[k] = s->order[place[k]];
    ask_some(s, fan, s->comp, 0, count);
    if (s->base.stage == ASK_ACROSS)
        inq_ask_across(s, fan);
    else
        fan->naxis = s->base.d;
}

/* The mean of a few components that have secants along the directions in cand. */
static void ask_scale(inq *s, zo_fan *fan)
{
    fan->ncomp = (size_t)s->at->scaled;
    fan->comp = s->chosen;
    fan->ndir = CANDIDATES;
    fan->dir = s->cand;
    fan->radius = 1;
    fan->sides = 2;
}

/* The mean of a few components along the axes and along e_j + e_k, k <= j. */
static void ask_whole(inq *s, zo_fan *fan)
{
    size_t d = s->base.d, count = inq_whole_sample(s), at = 0;
    for (size_t e = 0; e < count; e++) s->comp[e] = s->order[e * s->base.n / count];
    vec_zero(d * (d + 1) / 2 * d, s->corner);
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k <= j; k++, at++) {
            s->corner[at * d + j] += 1;
            s->corner[at * d + k] += 1;
        }
    fan->comp = s->comp;
    fan->ncomp = count;
    fan->naxis = d;
    fan->ndir = at;
    fan->dir = s->corner;
    fan->sides = 1;
    fan->radius = whole_away * fmax(1, vec_norm(d, s->base.x));
}

/* The first few components twice: an answer that is not the same again is noisy. Where that was fewer repetitions than
 * one can measure noise by, all of them so often that it is enough. */
static void ask_noise(inq *s, zo_fan *fan)
{
    size_t count = at_most(s->base.n, REPEATED),
           times = s->at->repeats ? 1 + (FREE + count - 1) / count : 2;
    for (size_t k = 0; k < times * count; k++) s->comp[k] = s->order[k % count];
    fan->each = 1;
    fan->comp = s->comp;
    fan->ncomp = times * count;
}

/* Components of one rank, each along all of its own directions. */
static void ask_span(inq *s, zo_fan *fan)
{
    const struct progress *at = s->at;
    const uint64_t *list = s->todo + at->cursor;
    size_t rank = 1;
    while (at->ranked[rank - 1] <= at->cursor) rank++;
    size_t count =
        at_most(at->ranked[rank - 1] - at->cursor, (s->chunk > SPREAD ? s->chunk : SPREAD) / rank);
    for (size_t e = 0; e < count; e++)
        for (size_t k = 0; k < rank && method_mine(&s->base, list[e]); k++)
            inq_span_row(s, list[e], k, 1, s->dir + (e * rank + k) * s->base.d);
    fan->own = fan->sides = 1;
    fan->each = method_each(&s->base);
    fan->known = at->valued == s->base.step + 1;
    fan->comp = list;
    fan->ncomp = count;
    fan->ndir = rank;
    fan->dir = s->dir;
    if (!(s->base.set.noise > 0))
        fan->radius /=
            span_radius; /* rounding averages over components, the forward error does not */
}

const inq_part *inq_part_of(uint64_t stage)
{
    static const inq_part parts[] = {{ASK_LADDER, ASK_STEP, inq_ask_near, inq_tell_near},
                                     {ASK_AXES, ASK_LOOK, inq_ask_axes, inq_tell_axes}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (parts[k].first <= stage && stage <= parts[k].last) return &parts[k];
    return NULL;
}

int inq_ask(method *m, zo_fan *fan)
{
    inq *s = (inq *)m;
    const struct progress *at = s->at;
    const inq_part *part = inq_part_of(m->stage);
    if (part) {
        part->ask(s, fan);
        return 1;
    }
    switch (m->stage) {
    case ASK_NOISE: ask_noise(s, fan); return 1;
    case ASK_GRADIENT:
        ask_some(s, fan, s->order, at->filled, at->size);
        fan->naxis = m->d;
        return 1;
    case ASK_BEND:
        ask_some(s, fan, s->order, at->cursor, at->size);
        fan->sides = 1;
        ask_own(s, fan, inq_bend_radius);
        return 1;
    case ASK_FRESH: /* few, and everybody judges by them */
        ask_values(fan, m->x, s->order + at->size, at->fresh);
        fan->each = 1;
        return 1;
    case ASK_TRY:
        ask_values(fan, s->cand + at->pick * m->d, s->order + at->size,
                   inq_all(s) ? m->n : at->fresh);
        fan->each = at->size < m->n ? 1 : method_each(m);
        return 1;
    case ASK_VALUE:
        ask_values(fan, m->x, s->order, at->size);
        fan->each = method_each(m);
        return 1;
    case ASK_RENEW:
        ask_some(s, fan, s->todo, at->cursor, at->todo);
        fan->sides = 2;
        ask_own(s, fan, inq_renew_radius);
        return 1;
    case ASK_REDO:
        fan->base[0] = inq_place(s);
        ask_some(s, fan, s->todo + m->n - at->redo, at->cursor, at->redo);
        fan->naxis = m->d;
        return 1;
    case ASK_REBEND:
        fan->base[0] = inq_place(s);
        ask_some(s, fan, s->todo + m->n - at->redo, at->cursor, at->redo);
        fan->sides = 1;
        ask_own(s, fan, inq_bend_radius);
        return 1;
    case ASK_CHECK:
    case ASK_ACROSS: ask_check(s, fan); return 1;
    case ASK_AGAIN:
        ask_some(s, fan, s->todo, at->cursor, at->todo);
        fan->naxis = m->d;
        return 1;
    case ASK_SPAN: ask_span(s, fan); return 1;
    case ASK_SCALE: ask_scale(s, fan); return 1;
    case ASK_WHOLE: ask_whole(s, fan); return 1;
    default: return 0;
    }
}
