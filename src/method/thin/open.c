/* thin: memory, state, and what was read from a file.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/error.h"
#include "base/vec.h"
#include "method/core/gauge.h"
#include "method/thin/thin.h"

enum {
    LEAST_CASES =
        PROBED * LEVELS, /* components that are split at the same time, and rows of a probe, */
    MOST_CASES = 256,    /* by memory: */
    ROWS = 1 << 23,      /* numbers of their questions */
    LEAST_LENGTH = 40,   /* entries of a component that there is room for */
    ENTRY_BYTES = 40,
    LEAST_ORDER = 1500,
    MOST_ORDER = 3000 /* of the systems that a step solves */
};
static const double probe_part = 1. / 24; /* of the horizon: what a probe may cost */
static const double least_values = 12;    /* of all, that the horizon pays for */
static const double room_part = 0.25;     /* of memory for entries */

static size_t cases_of(size_t n, size_t d)
{
    size_t count = ROWS / d, probe = (n < PROBED ? n : PROBED) * LEVELS;
    count = count < LEAST_CASES ? LEAST_CASES : count > MOST_CASES ? MOST_CASES : count;
    count = count < n ? count : n;
    return count > probe ? count : probe;
}

static size_t order_of(size_t n)
{
    return n < LEAST_ORDER ? LEAST_ORDER : n < MOST_ORDER ? n : MOST_ORDER;
}

static size_t entries_of(size_t n, size_t d, double memory)
{
    return (size_t)fmin((double)n * (double)split_most(d), room_part * memory / ENTRY_BYTES);
}

static double bytes_of(size_t n, size_t d, double memory)
{
    double rows = (double)cases_of(n, d);
    return rows * 8 * (double)(d + sizeof(split_case) / 8 + 2 * split_most(d)) + 80 * (double)d +
           ENTRY_BYTES * (double)entries_of(n, d, memory) + 64 * (double)n +
           (double)split_bytes(d) + quad_bytes(d, n, order_of(n));
}

static double probe_price(const method *m) { return fmin(PROBED, (double)m->n) * (1 + 2 * LEVELS); }

int thin_suits(const method *m, double horizon)
{
    double n = (double)m->n;
    return m->d >= LEAST_D && !m->means_only && m->set.own && !(m->set.noise > 0) &&
           m->set.recover != ZO_OFF && m->set.sides == 1 && prox_is_loose(m->psi, m->d) &&
           probe_price(m) <= probe_part * horizon && horizon >= least_values * n &&
           entries_of(m->n, m->d, m->set.memory) >= LEAST_LENGTH * m->n &&
           bytes_of(m->n, m->d, m->set.memory) <= m->set.memory;
}

#define ROOM(field, count) (t->field = scratch_new(m, count, sizeof *t->field))
static int open_scratch(thin *t)
{
    method *m = &t->base;
    size_t n = m->n, d = m->d;
    return (t->splitter = splitter_new(d, m->set.seed)) && ROOM(out.place, d) &&
           ROOM(out.slope, d) && ROOM(own, t->room * d) && ROOM(from, t->room) &&
           ROOM(to, t->room) && ROOM(sparse, t->room) && ROOM(axis, d) && ROOM(local, d) &&
           ROOM(full, d) && ROOM(g, d) && ROOM(x, d) && ROOM(z, d) && ROOM(fill, d) &&
           ROOM(factor.row, n + 1) && ROOM(factor.col, d + 1) && ROOM(factor.col_of, t->entries) &&
           ROOM(factor.row_of, t->entries) && ROOM(factor.by_row, t->entries) &&
           ROOM(factor.by_col, t->entries) && ROOM(prox_work, 2 * d + prox_work(m->psi, d)) &&
           !quad_open(&t->solver, d, n, order_of(n));
}
#undef ROOM

static int open_state(thin *t)
{
    method *m = &t->base;
    size_t n = m->n;
    thin *s = t;
    THIN_STRUCTS(FIELDS_KEEP)
    return (t->f = state_numbers(m, "values", n)) && (t->tried = state_numbers(m, "tried", n)) &&
           (t->cand = state_numbers(m, "candidate", m->d)) &&
           (t->list = state_indices(m, "list", n, n - 1)) &&
           (t->lost = state_indices(m, "lost", n, n - 1)) &&
           (t->who = state_indices(m, "who", n, n - 1)) &&
           (t->begin = state_indices(m, "begin", n + 1, t->entries)) &&
           (t->slope = state_numbers(m, "slopes", n)) && (t->bend = state_numbers(m, "bends", n)) &&
           (t->place = state_indices(m, "places", t->entries, m->d - 1)) &&
           (t->value = state_numbers(m, "entries", t->entries)) &&
           (t->open = state_indices(m, "open", t->room, n - 1)) &&
           (t->cases = state_numbers(m, "cases", t->room * split_width(t->splitter)));
}

zo_status thin_open(method *m, zo_error *err)
{
    thin *t = (thin *)m;
    method_gather(m);
    t->room = cases_of(m->n, m->d);
    t->entries = entries_of(m->n, m->d, m->set.memory);
    if (!open_scratch(t) || !plan_open(&t->plan, m) || !open_state(t))
        return out_of_memory(err, "thin", m->d);
    for (size_t i = 0; i < m->n; i++) t->list[i] = t->plan.order[i];
    t->free = (prox_free){.d = m->d, .at = t->axis, .full = t->full};
    t->whole = (zo_block){.from = 0, .to = m->d, .psi = *m->psi};
    t->at.F = NAN;
    m->gauged = GAUGED; /* questions are far longer than usual first: tell_probe finds the radius */
    m->stage = PROBE;
    return ZO_OK;
}

void thin_close(method *m)
{
    thin *t = (thin *)m;
    splitter_free(t->splitter);
    quad_close(&t->solver);
}

double thin_size_of_x(const method *m) { return fmax(1, vec_norm(m->d, m->x)); }

void thin_touched(thin *t, size_t rows)
{
    for (size_t k = 0; k < rows; k++) t->from[k] = 0, t->to[k] = t->base.d;
}

static int counts_fit(const thin *s)
{
    return 1 THIN_STRUCTS(FIELDS_FIT) && s->found.ordered <= s->found.count &&
           s->found.failed + s->found.count + s->found.opened <= s->found.cursor &&
           s->model.looked <= s->found.count;
}

static int has_question(const thin *t)
{
    switch (t->base.stage) {
    case FIND: return t->found.cursor < t->at.goal;
    case SPLIT: return t->found.opened > 0;
    case VALUE: return t->found.cursor < t->base.n;
    case RENEW: return t->model.looked < t->found.count;
    default: return 1;
    }
}

const char *thin_check(const method *m)
{
    const thin *t = (const thin *)m;
    if (!counts_fit(t)) return "counts do not fit";
    if (!has_question(t)) return "'stage' has nothing to ask";
    if (!plan_sane(&t->plan)) return "'plan' does not fit";
    for (size_t k = 0; k < t->found.count; k++)
        if (t->begin[k] > t->begin[k + 1] || (k == 0 && t->begin[0] != 0) ||
            t->begin[k + 1] > t->found.used)
            return "'begin' does not rise";
    for (size_t k = 0; k < t->found.opened; k++)
        if (!split_sane(thin_case(t, k), t->splitter)) return "'cases' do not fit";
    return NULL;
}
