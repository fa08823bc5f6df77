/* supports: memory, and state that was read from a file.
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "method/supports/supports.h"

enum { CHUNK_BYTES = 1 << 20 };

/* ---- Memory --------------------------------------------------------------------------------------- */

static size_t list_room(size_t most) { return most + 2 - most % 2; }

/* The most numbers in a sum: a triangle, or two vectors and one more. */
static size_t widest(size_t d)
{
    size_t triangle = d * (d + 1) / 2;
    return triangle > 2 * d + 16 ? triangle : 2 * d + 16;
}

double supports_bytes(size_t n, size_t d)
{
    size_t most = support_most(d);
    double each = (double)(sizeof(support) / 8 + support_numbers(most) + list_room(most) / 2 + 6) +
                  1.5 * (double)(d + 1);
    double sums = (double)(sum_levels(n) + 1) * (double)widest(d);
    return 8 * ((double)n * each + sums + (double)d * (double)(d + AT_ONCE + 16)) + CHUNK_BYTES +
           quad_bytes(d, 0, d);
}

#define NUMBERS(field, count) (s->field = state_numbers(m, #field, count))
static int open_state(supports *s)
{
    method *m = &s->base;
    size_t d = m->d;
    SUPPORTS_STRUCTS(FIELDS_KEEP)
    state_words(m, "noisy", &s->noisy, sizeof s->noisy / 8);
    s->stride = list_room(s->most);
    return (s->of = (support *)state_shared(m, "supports", sizeof(support) / 8)) &&
           (s->list = (uint32_t *)state_shared(m, "lists", s->stride / 2)) &&
           (s->within = state_shared(m, "within", support_numbers(s->most))) &&
           (s->row = state_shared(m, "rows", d)) &&
           (s->second = (float *)state_shared(m, "second", (d + 1) / 2)) &&
           NUMBERS(matrix, d * d) && NUMBERS(slopes, d) && NUMBERS(slopes_before, d) &&
           NUMBERS(x_before, d) && NUMBERS(radii, d) && NUMBERS(diagonal, d) && NUMBERS(level, d) &&
           NUMBERS(cand, d);
}
#undef NUMBERS

#define ROOM(field, count) (s->field = scratch_new(m, count, sizeof *s->field))
static int open_scratch(supports *s)
{
    method *m = &s->base;
    size_t d = m->d, rungs = s->rows > LADDER_RUNGS ? s->rows : LADDER_RUNGS;
    return ROOM(dir, rungs * d) && ROOM(full, widest(d)) &&
           ROOM(tree, sum_levels(m->n) * widest(d)) && ROOM(work, d) && ROOM(lost, d) &&
           ROOM(told, d) && ROOM(far, m->count) && ROOM(entry, 3 * AT_ONCE) && ROOM(marks, m->n) &&
           (m->together ? ROOM(mark, m->count) : (s->mark = s->marks)) && ROOM(comp, NOISE_MOST) &&
           ROOM(index, 2 * AT_ONCE) && !quad_open(&s->room, d, 0, d);
}
#undef ROOM

zo_status supports_open(method *m, zo_error *err)
{
    supports *s = (supports *)m;
    double bytes = supports_bytes(m->n, m->d), each = 8 * (m->set.sides * (double)m->d + 1);
    if (bytes > m->set.memory)
        return fail(err, ZO_BAD_ARGUMENT,
                    "memory: supports keeps the slopes of %zu components along %zu coordinates, "
                    "%.0f bytes in all, and memory allows %.0f; raise it, or take mean",
                    m->n, m->d, bytes, m->set.memory);
    s->most = support_most(m->d);
    s->chunk = (size_t)fmax(1, fmin(CHUNK_BYTES / each, (double)m->n));
    s->rows = s->chunk > AT_ONCE ? s->chunk : AT_ONCE;
    if (!plan_open(&s->plan, m) || !open_state(s) || !open_scratch(s) ||
        !method_reserve(m, 3, AT_ONCE) || !method_reserve(m, widest(m->d), 0) ||
        !method_reserve_rows(m, m->d))
        return out_of_memory(err, "supports of components", m->n * m->d);
    return ZO_OK;
}

void supports_close(method *m) { quad_close(&((supports *)m)->room); }

/* ---- What was read from a file --------------------------------------------------------------------- */

static int counts_fit(const supports *s)
{
    return 1 SUPPORTS_STRUCTS(FIELDS_FIT) && s->at.supported > 0 &&
           s->noisy.failures <= MOST_COUNTED;
}

/* Coordinates, and behind them intervals that are looked into, or parts of them that were found to matter. */
static int list_fits(const supports *s, uint64_t i)
{
    const support *of = support_of(s, i);
    if (of->rank == WIDE) return of->open == 0;
    if (!is_count(of->rank, (double)s->most)) return 0;
    size_t rank = (size_t)of->rank, part = s->find.parts ? s->find.size / s->find.parts : 1;
    double open = s->base.stage == ASK_SPLIT ? of->open : 0,
           most = rank < s->most ? (double)(s->most - rank) : 1; /* one, of all, fits behind any */
    if (!is_count(of->open, PLAN_RANKS) || !is_count(open, most)) return 0;
    for (size_t k = 0; k < rank + (size_t)open; k++)
        if (support_list(s, i)[k] * (k < rank ? 1 : part) >= s->base.d) return 0;
    return open * (double)s->find.parts <= AT_ONCE;
}

static double rank_of(const method *m, uint64_t i)
{
    const support *of = support_of((const supports *)m, i);
    return m->stage == ASK_SPLIT ? of->open : of->rank;
}

static int plan_fits(const supports *s)
{
    const plan *p = &s->plan;
    if (!plan_sane(p)) return 0;
    switch (s->base.stage) {
    case ASK_ALONG:
    case ASK_GRADIENT:
        return p->list == OF_ORDER && p->end == s->at.supported && p->cursor < p->end;
    case ASK_SPLIT:
        return p->list == OF_QUEUE && p->end == p->queued && p->cursor < p->end &&
               plan_ranks_sane(p, rank_of) && s->find.parts > 0 && s->find.size > 0 &&
               s->find.size % s->find.parts == 0;
    case ASK_PASS:
        return p->list == OF_QUEUE && p->end == p->queued && p->cursor < p->end &&
               plan_ranks_sane(p, rank_of);
    default: return 1;
    }
}

const char *supports_check(const method *m)
{
    const supports *s = (const supports *)m;
    if (!counts_fit(s)) return "a count of supports is beyond its room";
    if (m->stage >= ASK_LADDER && m->stage < ASK_NOTHING && !(m->set.noise > 0))
        return "it is about noise, and there is none";
    if (m->stage >= ASK_SPLIT && m->stage < ASK_NOTHING && s->at.state == NOT_SOUGHT)
        return "the phase is about what was not sought";
    for (uint64_t i = m->first; i < support_end(s); i++)
        if (!list_fits(s, i)) return "what a component keeps does not fit its room";
    return plan_fits(s) ? NULL : "the list of those to ask does not fit the phase";
}
