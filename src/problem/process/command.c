/* Answers fans with worker processes that speak the protocol of zoprox_box.h.
 * SPDX-License-Identifier: MIT
 *
 * A fan is cut into questions, tiles of (entries x points), by a rule that knows nothing of the workers; the crew asks
 * them; from the values come the answers, as for any other black box (gather.h). */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/text.h"
#include "history/history.h"
#include "problem/process/crew.h"
#include "problem/gather.h"
#include "problem/problem.h"
#include "problem/process/question.h"
#include "zoprox_box.h"

enum { SLAB = 1 << 20 }; /* values held at once; at least one block of entries */

struct zo_command {
    const char **argv, **words; /* copies: the program, and what it and its journal are called */
    crew crew;
    questions q; /* those of the slab at hand */
    gather gather;
    double *rows; /* the values of a slab */
    size_t nrows;
};

/* ---- answering ----------------------------------------------------------------------------------------- */

/* The values of all entries that are wanted, slab by slab. */
static int ask_slabs(zo_command *c, size_t slab)
{
    gather *g = &c->gather;
    int means = c->crew.facts.means;
    for (size_t first = g->from; first < g->to; first += slab) {
        size_t count = g->to - first < slab ? g->to - first : slab;
        int made = c->crew.facts.all ? questions_cut_points(&c->q, g->fan, first, count, c->rows)
                                     : questions_cut(&c->q, g->fan, first, count, means, c->rows);
        if (!made) return ZO_NO_MEMORY;
        int code = crew_ask(&c->crew, &c->q, g);
        if (code) return code;
        if (!means) gather_rows(g, first, count, c->rows);
    }
    if (!means) gather_end(g);
    return ZO_OK;
}

/* What gather_begin began. */
static int ask_fan(zo_command *c)
{
    const zo_fan *fan = c->gather.fan;
    size_t set = zo_fan_set(fan), slab = SLAB / (set ? set : 1) / SUM_BLOCK * SUM_BLOCK;
    int means = c->crew.facts.means;
    if (means || c->crew.facts.all || slab > fan->ncomp) slab = fan->ncomp;
    if (slab == 0) slab = 1;
    *c->crew.why = 0;
    c->crew.asked = (uint64_t)(c->gather.to - c->gather.from) * set;
    c->crew.answered = c->crew.explained = 0;
    c->crew.left = c->crew.halt ? c->crew.halt->spare : 0;
    zo_history *history = crew_history(&c->crew);
    if (history) c->crew.number = history_next(history);
    if (!gather_room((void **)&c->rows, &c->nrows, means ? set : slab * set, sizeof *c->rows))
        return ZO_NO_MEMORY;
    uint64_t lost = c->crew.facts.lost;
    int code = ask_slabs(c, slab);
    if (!code && lost == c->crew.facts.lost && !c->crew.explained)
        *c->crew.why = 0; /* all that failed came in the end */
    if (!code && c->crew.journal) journal_settle(c->crew.journal);
    if (!code && history) history_answered(history, c->crew.asked);
    return code;
}

static int answer(void *ctx, const zo_fan *fan, double *out)
{
    zo_command *c = ctx;
    int code = gather_begin(&c->gather, fan, out) ? ask_fan(c) : ZO_NO_MEMORY;
    if (code || !c->crew.facts.means) return code;
    size_t set = zo_fan_set(fan), per = set / fan->nbase;
    for (size_t k = 0; k < set; k++)
        out[k] = c->rows[k] - (fan->known || k % per == 0 ? 0 : c->rows[k - k % per]);
    return 0;
}

static int sums(void *ctx, const zo_fan *fan, size_t nnodes, const sum_node *node, double *out)
{
    zo_command *c = ctx;
    return gather_begin_nodes(&c->gather, fan, nnodes, node, out) ? ask_fan(c) : ZO_NO_MEMORY;
}

static const flaw *flawed(void *ctx) { return &((zo_command *)ctx)->gather.flaw; }

static const struct zo_inside inside = {.width = zo_fan_set,
                                        .sums = sums,
                                        .means = callback_means,
                                        .flawed = flawed,
                                        .answer = answer,
                                        .keeps = 1};

/* Runs that give all components, too, can be kept value by value, but not be taken apart. */
static const struct zo_inside kept = {.flawed = flawed, .answer = answer, .keeps = 1};

static zo_health health(void *ctx)
{
    const crew *c = &((zo_command *)ctx)->crew;
    return (zo_health){c->retried, c->failures + c->stayed, *c->why ? c->why : NULL};
}

static void heed(void *ctx, const zo_halt *halt) { ((zo_command *)ctx)->crew.halt = halt; }

zo_command_facts zo_command_look(const zo_command *c) { return c->crew.facts; }

/* ---- life ------------------------------------------------------------------------------------------------ */

static zo_status check_options(const zo_command_options *o, zo_error *err)
{
    if (!o->argv || !o->argv[0] || !*o->argv[0])
        return fail(err, ZO_BAD_ARGUMENT, "command: no program is named");
    if (o->n < 1) return fail(err, ZO_BAD_ARGUMENT, "n: 0 components; a command needs at least 1");
    if (o->d < 1)
        return fail(err, ZO_BAD_ARGUMENT, "dim: 0 dimensions; a command needs at least 1");
    if (o->workers < 0 || o->workers > 4096)
        return fail(err, ZO_BAD_ARGUMENT, "workers: %d is outside [1, 4096]", o->workers);
    if (!(o->timeout >= 0))
        return fail(err, ZO_BAD_ARGUMENT, "timeout: %g is not a number of seconds", o->timeout);
    if (o->retries < 0) return fail(err, ZO_BAD_ARGUMENT, "retries: %d is negative", o->retries);
    return ZO_OK;
}

/* Which problem a checkpoint or a journal belongs to: the command line, n and d. */
static uint64_t fingerprint(const zo_command_options *o)
{
    uint64_t h = TEXT_HASH;
    for (size_t k = 0; o->argv[k]; k++) h = text_hash(h, o->argv[k], strlen(o->argv[k]) + 1);
    h = text_hash(h, &o->n, sizeof o->n);
    h = text_hash(h, &o->d, sizeof o->d);
    return h ? h : 1;
}

static const char **copy_words(const char *const *argv)
{
    size_t count = 0, size = 0;
    for (; argv[count]; count++) size += strlen(argv[count]) + 1;
    const char **copy = mem_new(1, (count + 1) * sizeof *copy + size);
    if (!copy) return NULL;
    char *text = (char *)(copy + count + 1);
    for (size_t k = 0; k < count; k++) {
        size_t here = strlen(argv[k]) + 1;
        copy[k] = memcpy(text, argv[k], here);
        text += here;
    }
    return copy;
}

static zo_status open_crew(zo_command *c, const zo_command_options *o, zo_error *err)
{
    crew *w = &c->crew;
    w->guardian.pipe = -1;
    w->timeout = o->timeout;
    w->retries = (unsigned)o->retries;
    w->max_failures = o->max_failures;
    w->facts.all = o->all != 0;
    c->argv = w->argv = copy_words(o->argv);
    c->words = copy_words((const char *const[]){o->name ? o->name : o->argv[0], o->journal, NULL});
    if (!c->argv || !c->words) return out_of_memory(err, "command", 1);
    w->name = c->words[0];
    w->journal_path = c->words[1];
    zo_status status = crew_open(w, o->d, o->workers ? o->workers : pool_cores(), err);
    if (!status && o->journal) status = journal_open(&w->journal, o->journal, fingerprint(o), err);
    if (w->journal) w->facts.journal = journal_left(w->journal);
    return status ? status : crew_meet(w, err);
}

zo_status zo_command_new(zo_command **out, const zo_command_options *o, zo_problem *problem,
                         zo_error *err)
{
    if (!out) return fail(err, ZO_BAD_ARGUMENT, "out: NULL");
    *out = NULL;
    if (!o || !problem) return fail(err, ZO_BAD_ARGUMENT, "%s: NULL", o ? "problem" : "options");
    zo_status status = check_options(o, err);
    if (status) return status;
    zo_command *c = mem_new(1, sizeof *c);
    if (!c) return out_of_memory(err, "command", 1);
    if ((status = open_crew(c, o, err))) {
        zo_command_free(c);
        return status;
    }
    int means = c->crew.facts.means;
    *problem =
        (zo_problem){.n = o->n,
                     .d = o->d,
                     .answer = answer,
                     .ctx = c,
                     .means_only = means,
                     .by_point = c->crew.facts.all,
                     .fingerprint = fingerprint(o),
                     .health = health,
                     .heed = heed,
                     .kept = c->crew.journal ? journal_mark(c->crew.journal) : NULL,
                     .inside = means               ? NULL
                               : c->crew.facts.all ? &kept
                                                   : &inside}; /* means cannot be taken apart */
    *out = c;
    return succeed(err);
}

void zo_command_free(zo_command *c)
{
    if (!c) return;
    crew_close(&c->crew);
    questions_free(&c->q);
    gather_free(&c->gather);
    mem_free(c->rows);
    mem_free(c->argv);
    mem_free(c->words);
    mem_free(c);
}
