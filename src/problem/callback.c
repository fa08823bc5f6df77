/* Answers fans with a function of the caller's: one value at a time, or many at once.
 * SPDX-License-Identifier: MIT
 *
 * The values of a chunk of entries come into rows of their own, in any order, by any thread; what becomes of the
 * rows happens in a fixed order (gather.h), so the bytes do not depend on the number of threads. */
#include "problem/callback.h"

#include <math.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"

zo_status callback_new(callback **out, const zo_problem *p, zo_error *err)
{
    *out = NULL;
    int threads = p->threads > 1 && p->value ? p->threads : 1;
    callback *c = mem_new(1, sizeof *c);
    if (!c) return out_of_memory(err, "problem", 1);
    c->p = *p;
    c->threads = pool_new(threads);
    c->npoints = p->d <= SIZE_MAX / (size_t)threads ? (size_t)threads * p->d : SIZE_MAX;
    c->points = mem_new(c->npoints, sizeof *c->points);
    if (!c->threads || !c->points) {
        callback_free(c);
        return out_of_memory(err, "threads", (size_t)threads);
    }
    *out = c;
    return ZO_OK;
}

void callback_free(callback *c)
{
    if (!c) return;
    pool_free(c->threads);
    mem_free(c->points);
    mem_free(c->spare);
    mem_free(c->table);
    mem_free(c->comp);
    mem_free(c->there);
    mem_free(c->rest);
    mem_free(c->line);
    gather_free(&c->gather);
    mem_free(c);
}

static int halted(const callback *c) { return c->halt && c->halt->asked(c->halt->ctx); }

static void tell_how_far(const callback *c, uint64_t more, int busy, int workers)
{
    if (c->halt && c->halt->told)
        c->halt->told(c->halt->ctx, c->before + more, c->asked, busy, workers);
}

/* The function asks as we do, and tells of its own call. */
static int pass_asked(void *ctx) { return halted(ctx); }

static void pass_told(void *ctx, uint64_t answered, uint64_t asked, int busy, int workers)
{
    (void)asked;
    tell_how_far(ctx, answered, busy, workers);
}

void callback_heed(void *ctx, const zo_halt *halt)
{
    callback *c = ctx;
    c->halt = halt;
    c->history = halt ? halt->history : NULL;
    c->passed = (zo_halt){.asked = pass_asked,
                          .ctx = c,
                          .nonfinite = halt ? halt->nonfinite : ZO_STOP,
                          .told = halt && halt->told ? pass_told : NULL,
                          .heard = c->history ? callback_heard : NULL};
    if (c->p.heed) c->p.heed(c->p.ctx, halt ? &c->passed : NULL);
}

static size_t lesser(size_t a, size_t b) { return a < b ? a : b; }

/* ---- one at a time ----------------------------------------------------------------------------------- */

static void answer_entry(void *ctx, size_t k, int who)
{
    callback *c = ctx;
    const zo_fan *fan = c->gather.fan;
    size_t entry = gather_entry(&c->gather, c->first + k), set = zo_fan_set(fan);
    double *out = c->rows + k * set, *x = c->points + (size_t)who * fan->d;
    int threads = pool_threads(c->threads);
    for (size_t point = 0; point < set; point++) {
        if (atomic_load_explicit(&c->failed, memory_order_relaxed)) return;
        if (c->history && c->there[k * set + point]) continue;
        zo_fan_point(fan, entry, point, x);
        double since = c->history ? clock_now() : 0;
        int code = halted(c) ? ZO_HALTED
                             : c->p.value(c->p.ctx, gather_component(fan, entry), x, &out[point]);
        if (callback_ends(c, code)) {
            atomic_store(&c->failed, code);
            return;
        }
        if (code) {
            atomic_store(&c->lost, code);
            out[point] = NAN;
        }
        if (c->history) callback_keep(c, k, point, x, out[point], clock_now() - since);
        if (c->halt && c->halt->told) {
            uint64_t more = atomic_fetch_add_explicit(&c->within, 1, memory_order_relaxed) + 1;
            if (who == 0) tell_how_far(c, more, threads, threads);
        }
    }
}

static void answer_entries(callback *c, size_t count)
{
    atomic_store(&c->within, 0);
    pool_run(c->threads, count, answer_entry, c);
    c->before += (uint64_t)count * zo_fan_set(c->gather.fan);
}

/* ---- many at once ------------------------------------------------------------------------------------ */

/* Moves the table's values into the rows, some entries at a time so that both stay in the cache. */
static void put_tile(callback *c, size_t k, size_t nentries, size_t p, size_t npoints)
{
    enum { SOME = 16 };
    size_t set = zo_fan_set(c->gather.fan);
    size_t along = c->p.by_component ? npoints : 1, across = c->p.by_component ? 1 : nentries;
    for (size_t from = 0; from < nentries; from += SOME)
        for (size_t r = 0; r < npoints; r++)
            for (size_t e = from; e < lesser(from + SOME, nentries); e++)
                c->rows[(k + e) * set + p + r] = c->table[e * along + r * across];
}

enum { NOT_ASKED = -1 }; /* a code of our own: it counts as NaN */

/* A call that failed gives no numbers; where that ends the answer its code is returned. */
static int or_nothing(callback *c, int code, size_t count, double *table)
{
    if (!code || callback_ends(c, code)) return code;
    atomic_store(&c->lost, code);
    c->at.since = 0; /* a history gets its values when they are asked one by one */
    for (size_t k = 0; k < count; k++) table[k] = NAN;
    return 0;
}

/* The points of a call that failed, each by itself as far as the budget goes: not all of them need to be bad. */
static int ask_by_point(callback *c, size_t npoints, size_t ncomp, const uint64_t *comp,
                        double *table)
{
    size_t along = c->p.by_component ? npoints : 1, across = c->p.by_component ? 1 : ncomp;
    if (!gather_room((void **)&c->line, &c->nline, ncomp, sizeof *c->line)) return ZO_NO_MEMORY;
    c->failures++;
    for (size_t r = 0; r < npoints; r++) {
        const double *x = c->points + r * c->p.d;
        int pays = ncomp <= c->left, code = NOT_ASKED;
        if (pays) code = halted(c) ? ZO_HALTED : c->p.values(c->p.ctx, 1, x, ncomp, comp, c->line);
        if ((code = or_nothing(c, code, ncomp, c->line))) return code;
        if (pays) c->retried += ncomp, c->left -= ncomp;
        for (size_t e = 0; e < ncomp; e++) table[e * along + r * across] = c->line[e];
    }
    return 0;
}

/* The values of some components at the npoints points that are there. */
static int ask_values(callback *c, size_t npoints, size_t ncomp, const uint64_t *comp,
                      double *table)
{
    int code = c->p.values(c->p.ctx, npoints, c->points, ncomp, comp, table);
    if (code && !callback_ends(c, code) && npoints > 1)
        return ask_by_point(c, npoints, ncomp, comp, table);
    return or_nothing(c, code, npoints * ncomp, table);
}

/* The past knows some of a tile: the others, point by point. */
static int ask_rest(callback *c, size_t k, size_t nentries, size_t p, size_t npoints)
{
    const zo_fan *fan = c->gather.fan;
    size_t set = zo_fan_set(fan);
    if (!gather_room((void **)&c->rest, &c->nrest, nentries, sizeof *c->rest)) return ZO_NO_MEMORY;
    int code = 0;
    for (size_t r = 0; r < npoints && !code; r++) {
        size_t count = 0;
        for (size_t e = 0; e < nentries; e++)
            if (!c->there[(k + e) * set + p + r]) c->rest[count++] = c->comp[k + e];
        if (!count) continue;
        double since = clock_now();
        zo_fan_point(fan, gather_entry(&c->gather, c->first + k), p + r, c->points);
        code = ask_values(c, 1, count, c->rest, c->table);
        double seconds = (clock_now() - since) / (double)count;
        count = 0;
        for (size_t e = 0; e < nentries && !code; e++)
            if (!c->there[(k + e) * set + p + r]) {
                c->rows[(k + e) * set + p + r] = c->table[count];
                callback_keep(c, k + e, p + r, c->points, c->table[count++], seconds);
            }
    }
    return code;
}

/* Entries k, k+1, ... of the chunk (nentries of them, who share their points) at points p, p+1, ... */
static int ask_tile(callback *c, size_t k, size_t nentries, size_t p, size_t npoints)
{
    const zo_fan *fan = c->gather.fan;
    size_t set = zo_fan_set(fan), entry = gather_entry(&c->gather, c->first + k);
    int rows = c->p.by_component, whole = rows && npoints == set, code;
    if (callback_known_in(c, k, nentries, p, npoints)) {
        code = ask_rest(c, k, nentries, p, npoints);
    } else {
        for (size_t r = 0; r < npoints; r++)
            zo_fan_point(fan, entry, p + r, c->points + r * fan->d);
        double *table = whole ? c->rows + k * set : c->table;
        if (c->history) c->at = (tile){k, nentries, p, npoints, 0, clock_now()};
        code = ask_values(c, npoints, nentries, c->comp + k, table);
        if (!whole) put_tile(c, k, nentries, p, npoints);
        if (!code) callback_keep_tile(c);
        c->at.since = 0;
    }
    c->before += (uint64_t)npoints * nentries;
    tell_how_far(c, 0, 0, 0);
    return code;
}

static int answer_tiles(callback *c, size_t count)
{
    const zo_fan *fan = c->gather.fan;
    size_t set = zo_fan_set(fan), most = lesser(set, POINT_NUMBERS / fan->d + 1),
           across = fan->own ? 1 : count;
    if (!gather_room((void **)&c->points, &c->npoints, most * fan->d, sizeof *c->points) ||
        !gather_room((void **)&c->table, &c->ntable, most * across, sizeof *c->table) ||
        !gather_room((void **)&c->comp, &c->ncomp, count, sizeof *c->comp))
        return ZO_NO_MEMORY;
    for (size_t k = 0; k < count; k++)
        c->comp[k] = gather_component(fan, gather_entry(&c->gather, c->first + k));
    int code = 0;
    for (size_t k = 0; k < count && !code; k += across)
        for (size_t p = 0; p < set && !code; p += most)
            code = halted(c) ? ZO_HALTED : ask_tile(c, k, across, p, lesser(most, set - p));
    return code;
}

/* The past knows some of these pairs: the others at once. */
static int ask_other_pairs(callback *c, size_t k, size_t now)
{
    const zo_fan *fan = c->gather.fan;
    size_t set = zo_fan_set(fan), count = 0;
    unsigned char *there = c->there + k * set;
    if (!gather_room((void **)&c->table, &c->ntable, now * set, sizeof *c->table))
        return ZO_NO_MEMORY;
    for (size_t q = 0; q < now * set; q++) {
        if (there[q]) continue;
        size_t entry = gather_entry(&c->gather, c->first + k + q / set);
        zo_fan_point(fan, entry, q % set, c->points + count * fan->d);
        c->comp[count++] = gather_component(fan, entry);
    }
    if (!count) return 0;
    double since = clock_now();
    int code =
        or_nothing(c, c->p.pairs(c->p.ctx, count, c->points, c->comp, c->table), count, c->table);
    double seconds = (clock_now() - since) / (double)count;
    count = 0;
    for (size_t q = 0; q < now * set && !code; q++) {
        if (there[q]) continue;
        c->rows[k * set + q] = c->table[count];
        callback_keep(c, k + q / set, q % set, c->points + count * fan->d, c->table[count],
                      seconds);
        count++;
    }
    return code;
}

static int ask_pairs(callback *c, size_t k, size_t now)
{
    const zo_fan *fan = c->gather.fan;
    size_t set = zo_fan_set(fan);
    if (callback_known_in(c, k, now, 0, set)) return ask_other_pairs(c, k, now);
    for (size_t e = 0; e < now; e++) {
        size_t entry = gather_entry(&c->gather, c->first + k + e);
        zo_fan_fill(fan, entry, c->points + e * set * fan->d);
        for (size_t p = 0; p < set; p++) c->comp[e * set + p] = gather_component(fan, entry);
    }
    if (c->history) c->at = (tile){k, now, 0, set, 1, clock_now()};
    double *to = c->rows + k * set;
    int code =
        or_nothing(c, c->p.pairs(c->p.ctx, now * set, c->points, c->comp, to), now * set, to);
    if (!code) callback_keep_tile(c);
    c->at.since = 0;
    return code;
}

/* Every entry has points of its own: as many entries at once as fit, the rows in the order of the table's. */
static int answer_pairs(callback *c, size_t count)
{
    const zo_fan *fan = c->gather.fan;
    size_t set = zo_fan_set(fan), most = lesser(count, POINT_NUMBERS / (set * fan->d + 1) + 1);
    if (!gather_room((void **)&c->points, &c->npoints, most * set * fan->d, sizeof *c->points) ||
        !gather_room((void **)&c->comp, &c->ncomp, most * set, sizeof *c->comp))
        return ZO_NO_MEMORY;
    int code = 0;
    for (size_t k = 0; k < count && !code; k += most) {
        if (halted(c)) return ZO_HALTED;
        size_t now = lesser(most, count - k);
        code = ask_pairs(c, k, now);
        c->before += (uint64_t)now * set;
        tell_how_far(c, 0, 0, 0);
    }
    return code;
}

/* ---- both -------------------------------------------------------------------------------------------- */

static int run(callback *c)
{
    const zo_fan *fan = c->gather.fan;
    size_t set = zo_fan_set(fan), wanted = c->p.values ? 4 * (size_t)CHUNK_NUMBERS : CHUNK_NUMBERS;
    size_t chunk = lesser(wanted / (set ? set : 1) + 1, fan->ncomp);
    if (!fan->each && !gather_room((void **)&c->spare, &c->nspare, chunk * set, sizeof *c->spare))
        return ZO_NO_MEMORY;
    atomic_store(&c->failed, 0);
    atomic_store(&c->lost, 0);
    c->asked = (uint64_t)(c->gather.to - c->gather.from) * set;
    c->before = 0;
    c->left = c->passed.spare = c->halt ? c->halt->spare : 0;
    if (c->history) c->number = history_next(c->history);
    for (c->first = c->gather.from; c->first < c->gather.to; c->first += chunk) {
        size_t count = lesser(c->gather.to - c->first, chunk);
        c->rows = fan->each ? c->gather.out + c->first * set : c->spare;
        if (!callback_look_up(c, count)) return ZO_NO_MEMORY;
        if (c->p.values && c->p.pairs && fan->own)
            atomic_store(&c->failed, answer_pairs(c, count));
        else if (c->p.values)
            atomic_store(&c->failed, answer_tiles(c, count));
        else
            answer_entries(c, count);
        int code = atomic_load(&c->failed);
        if (code || (code = callback_again(c, count))) return code;
        gather_rows(&c->gather, c->first, count, c->rows);
    }
    gather_end(&c->gather);
    if (c->history) history_answered(c->history, c->asked);
    return 0;
}

int callback_answer(void *ctx, const zo_fan *fan, double *out)
{
    callback *c = ctx;
    return gather_begin(&c->gather, fan, out) ? run(c) : ZO_NO_MEMORY;
}

static int callback_sums(void *ctx, const zo_fan *fan, size_t nnodes, const sum_node *node,
                         double *out)
{
    callback *c = ctx;
    return gather_begin_nodes(&c->gather, fan, nnodes, node, out) ? run(c) : ZO_NO_MEMORY;
}

void callback_means(void *ctx, const zo_fan *fan, const double *total, double *out)
{
    (void)ctx;
    for (size_t a = 0; a < zo_fan_set(fan); a++) out[a] = total[a] / (double)fan->ncomp;
}

/* The function's own words, and what happened here. */
zo_health callback_health(void *ctx)
{
    callback *c = ctx;
    zo_health h = c->p.health ? c->p.health(c->p.ctx) : (zo_health){0};
    h.retried += c->retried;
    h.failures += c->failures;
    return h;
}

int callback_lost(const callback *c) { return atomic_load(&c->lost); }

const flaw *callback_flawed(void *ctx) { return &((callback *)ctx)->gather.flaw; }

const struct zo_inside callback_inside = {.width = zo_fan_set,
                                          .sums = callback_sums,
                                          .means = callback_means,
                                          .flawed = callback_flawed,
                                          .answer = callback_answer,
                                          .keeps = 1};
