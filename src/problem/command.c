/* Answers fans with worker processes that speak the protocol of zoprox_box.h.
 * SPDX-License-Identifier: MIT
 *
 * A fan is cut into questions, tiles of (entries x points), by a rule that knows nothing of the workers. Whoever is
 * free takes the next one; a worker holds a second one in hand while many are left, so that it never waits for us.
 * A worker that fails is stopped with all it started, its questions go back, and it is started anew, later and
 * later. Values land in fixed places, so the answers' bytes depend on nothing that happened on the way. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/text.h"
#include "problem/gather.h"
#include "problem/problem.h"
#include "problem/question.h"
#include "problem/worker.h"
#include "zoprox_box.h"

enum { IN_HAND = 2, FIRST_WAIT_MS = 50, LONGEST_WAIT_MS = 5000, SLAB = 1 << 20, FIRST_ANSWER = 30 };

typedef struct seat { /* a worker and what it is at */
    worker w;
    int greeted;          /* it has answered the question without points */
    size_t held;          /* questions in hand */
    size_t hand[IN_HAND]; /* their numbers, the one it is at first */
    uint64_t id[IN_HAND]; /* as they were asked */
    double since;         /* clock when it began with the first */
    unsigned bad;         /* failures since its last answer */
    double not_before;    /* clock before which it is not started again */
} seat;

struct zo_command {
    zo_command_options o;
    const char **argv; /* copies */
    guardian guardian;
    seat *seat;
    int workers;
    struct pollfd *poll; /* 3 per seat */
    questions q;         /* those of the slab at hand */
    gather gather;
    double *point; /* d */
    bytes text;    /* of one question */
    double *rows;
    size_t nrows;
    uint64_t next_id, failures;
    zo_command_facts facts;
    int met; /* a worker has answered: means or not is settled */
    char why[512];
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- failing --------------------------------------------------------------------------------------- */

/* The last line or two of what it said on standard error, in one line. */
static void last_words(const worker *w, char *text, size_t size)
{
    const char *from = w->words + (w->nwords > 160 ? w->nwords - 160 : 0);
    snprintf(text, size, "%s", w->nwords ? from : "");
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < ' ') *p = ' ';
    for (size_t k = strlen(text); k && text[k - 1] == ' '; k--) text[k - 1] = 0;
}

/* Stops a worker that did wrong; its questions go back. what: in words, or NULL: it ended by itself. Returns 0 when
 * this was once too often. */
static int seat_failed(zo_command *c, seat *s, const char *what)
{
    char how[64] = "", words[200];
    size_t blamed = s->held ? s->hand[0] : SIZE_MAX;
    worker_stop(&s->w, &c->guardian, how, sizeof how);
    last_words(&s->w, words, sizeof words);
    c->facts.restarts++;
    c->failures++;
    for (size_t k = s->held; k-- > 0;) questions_return(&c->q, s->hand[k]);
    s->held = 0;
    s->greeted = 0;
    s->bad++;
    double wait = FIRST_WAIT_MS * exp2((double)(s->bad < 12 ? s->bad - 1 : 11));
    s->not_before = s->bad < 2 ? 0 : now() + 1e-3 * fmin(wait, LONGEST_WAIT_MS);
    unsigned tries = s->bad;
    if (blamed != SIZE_MAX) tries = ++c->q.at[blamed].tries;
    snprintf(c->why, sizeof c->why, "command '%s': %s%s%s", c->argv[0], what ? what : how,
             *words ? "; it said: " : "", words);
    if (tries > (unsigned)c->o.retries) return 0;
    if (c->o.max_failures && c->failures > c->o.max_failures) {
        size_t used = strlen(c->why);
        snprintf(c->why + used, sizeof c->why - used, "; this was failure %llu, and at most %llu are allowed",
                 (unsigned long long)c->failures, (unsigned long long)c->o.max_failures);
        return 0;
    }
    c->facts.retried += blamed != SIZE_MAX;
    return 1;
}

/* ---- asking ---------------------------------------------------------------------------------------- */

static int send_text(zo_command *c, seat *s)
{
    int fine = bytes_add(&s->w.to, c->text.at + c->text.begin, c->text.end - c->text.begin);
    return fine && worker_write(&s->w);
}

static int greet(zo_command *c, seat *s)
{
    static const char hello[] = "eval 0 0 1\n0\n";
    c->text.begin = c->text.end = 0;
    s->since = now();
    return bytes_add(&c->text, hello, sizeof hello - 1) && send_text(c, s);
}

/* The next question for this worker. 0: it is gone, or memory is out. */
static int hand_out(zo_command *c, seat *s)
{
    size_t k = questions_take(&c->q);
    uint64_t id = ++c->next_id;
    if (!question_write(&c->q, k, id, &c->gather, c->point, &c->text)) {
        questions_return(&c->q, k);
        return 0;
    }
    if (s->held == 0) s->since = now();
    s->hand[s->held] = k;
    s->id[s->held++] = id;
    c->facts.questions++;
    return send_text(c, s);
}

/* Everybody who can take a question gets one. 0: failed for good. */
static int share_out(zo_command *c)
{
    for (size_t depth = 1; depth <= IN_HAND; depth++)
        for (int k = 0; k < c->workers && questions_left(&c->q); k++) {
            seat *s = &c->seat[k];
            if (depth > 1 && questions_left(&c->q) <= 4 * (size_t)c->workers) return 1;
            if (!s->w.pid && now() >= s->not_before) {
                zo_error e;
                zo_status status = worker_start(&s->w, &c->guardian, c->argv, &e);
                if (status) return snprintf(c->why, sizeof c->why, "%s", e.text), 0;
                if (!greet(c, s) && !seat_failed(c, s, NULL)) return 0;
            }
            if (s->greeted && s->held < depth && !hand_out(c, s) && !seat_failed(c, s, NULL)) return 0;
        }
    return 1;
}

/* ---- hearing ----------------------------------------------------------------------------------------- */

/* What it said is worth. 1: something was understood, 0: not all there yet, -1: nonsense (in why). */
static int understand(zo_command *c, seat *s)
{
    bytes *from = &s->w.from;
    char *line = from->at + from->begin, *end = memchr(line, '\n', from->end - from->begin);
    if (!s->greeted) {
        if (!end)
            return from->end - from->begin < 64
                       ? 0
                       : (snprintf(c->why, sizeof c->why, "%s", "it wrote a long line before it was asked"),
                          -1);
        size_t size = (size_t)(end - line) - (end > line && end[-1] == '\r');
        from->begin += (size_t)(end - line) + 1;
        if (size == 12 && !memcmp(line, "zoprox-means", 12) && (!c->met || c->facts.means))
            return c->facts.means = 1;
        if (size == 1 && *line == '0') return c->met = s->greeted = 1;
        snprintf(c->why, sizeof c->why,
                 "to the question without points it answered '%.*s' instead of '0', the question's ID",
                 (int)(size < 40 ? size : 40), line);
        return -1;
    }
    if (from->begin == from->end) return 0;
    if (!s->held)
        return snprintf(c->why, sizeof c->why, "it wrote '%.*s' without being asked",
                        end ? (int)(end - line < 40 ? end - line : 40) : 1, line),
               -1;
    int heard = question_read(&c->q, s->hand[0], s->id[0], c->facts.means, from, c->why, sizeof c->why);
    if (heard <= 0) return heard;
    question *q = &c->q.at[s->hand[0]];
    if (!question_finite(&c->q, s->hand[0], c->facts.means) &&
        q->tries < (unsigned)c->o.retries) { /* a hiccup, or so it says */
        q->tries++;
        c->failures++;
        c->facts.retried++;
        questions_return(&c->q, s->hand[0]);
    } else {
        questions_done(&c->q, s->hand[0]);
        c->facts.values += (uint64_t)q->npoints * q->nentries;
    }
    double t = now();
    c->facts.busy += t - s->since;
    s->since = t;
    s->bad = 0;
    for (size_t k = 1; k < s->held; k++) {
        s->hand[k - 1] = s->hand[k];
        s->id[k - 1] = s->id[k];
    }
    s->held--;
    return 1;
}

/* Seconds that what it is at may take. A first answer that never comes is not waited for even without a timeout. */
static double allowed(const zo_command *c, const seat *s)
{
    if (!s->held && s->greeted) return INFINITY;
    return c->o.timeout > 0 ? c->o.timeout : s->greeted ? INFINITY : FIRST_ANSWER;
}

static int attend(zo_command *c, seat *s, const struct pollfd *p)
{
    if (!s->w.pid) return 1;
    if (p[2].revents) worker_listen(&s->w);
    if ((p[0].revents & (POLLOUT | POLLERR)) && !worker_write(&s->w)) return seat_failed(c, s, NULL);
    if (p[1].revents) {
        int there = worker_read(&s->w), heard;
        while ((heard = understand(c, s)) > 0) {
        }
        if (heard < 0) {
            char what[256];
            snprintf(what, sizeof what, "%s", c->why);
            return seat_failed(c, s, what);
        }
        if (!there) return seat_failed(c, s, NULL);
    }
    double most = allowed(c, s);
    if (now() - s->since > most) {
        char what[128];
        snprintf(what, sizeof what, "a question was not answered within %g s%s", most,
                 s->greeted ? "" : " (does it flush its output after every answer?)");
        c->facts.timeouts++;
        return seat_failed(c, s, what);
    }
    return 1;
}

/* Milliseconds until something must be looked at without being called. */
static int patience(const zo_command *c)
{
    double t = now(), soonest = INFINITY;
    for (int k = 0; k < c->workers; k++) {
        const seat *s = &c->seat[k];
        if (!s->w.pid)
            soonest = fmin(soonest, s->not_before - t);
        else
            soonest = fmin(soonest, s->since + allowed(c, s) - t);
    }
    return isinf(soonest) ? -1 : (int)(1000 * fmin(fmax(soonest, 0), 1e6)) + 1;
}

/* Asks all questions of the slab. 0: failed for good. */
static int ask_all(zo_command *c)
{
    double begun = now();
    int fine = 1;
    while (fine && !questions_finished(&c->q)) {
        fine = share_out(c);
        for (int k = 0; k < c->workers; k++) {
            const worker *w = &c->seat[k].w;
            short out = w->to.begin < w->to.end ? POLLOUT : 0;
            c->poll[3 * k] = (struct pollfd){w->pid && out ? w->in : -1, out, 0};
            c->poll[3 * k + 1] = (struct pollfd){w->pid ? w->out : -1, POLLIN, 0};
            c->poll[3 * k + 2] = (struct pollfd){w->pid ? w->err : -1, POLLIN, 0};
        }
        if (fine && poll(c->poll, (nfds_t)(3 * c->workers), patience(c)) < 0 && errno != EINTR) fine = 0;
        for (int k = 0; fine && k < c->workers; k++) fine = attend(c, &c->seat[k], c->poll + 3 * k);
    }
    c->facts.open += (now() - begun) * c->workers;
    if (fine) return 1;
    for (int k = 0; k < c->workers; k++) { /* whatever is still at work is at work for nobody */
        seat *s = &c->seat[k];
        if (s->held) worker_stop(&s->w, &c->guardian, NULL, 0);
        if (s->held) s->greeted = 0;
        s->held = 0;
    }
    return 0;
}

/* ---- answering ----------------------------------------------------------------------------------------- */

/* The values of all entries that are wanted, slab by slab. */
static int ask_slabs(zo_command *c, size_t slab)
{
    gather *g = &c->gather;
    for (size_t first = g->from; first < g->to; first += slab) {
        size_t count = g->to - first < slab ? g->to - first : slab;
        if (!questions_cut(&c->q, g->fan, first, count, c->facts.means, c->rows)) return ZO_NO_MEMORY;
        if (!ask_all(c)) return ZO_PROBLEM;
        if (!c->facts.means) gather_rows(g, first, count, c->rows);
    }
    if (!c->facts.means) gather_end(g);
    return ZO_OK;
}

/* What gather_begin began. */
static int ask_fan(zo_command *c)
{
    const zo_fan *fan = c->gather.fan;
    size_t set = zo_fan_set(fan), slab = SLAB / (set ? set : 1) / SUM_BLOCK * SUM_BLOCK;
    int means = c->facts.means;
    if (means || slab > fan->ncomp) slab = fan->ncomp;
    if (slab == 0) slab = 1;
    *c->why = 0;
    if (!gather_room((void **)&c->rows, &c->nrows, means ? set : slab * set, sizeof *c->rows))
        return ZO_NO_MEMORY;
    return ask_slabs(c, slab);
}

static int answer(void *ctx, const zo_fan *fan, double *out)
{
    zo_command *c = ctx;
    int code = gather_begin(&c->gather, fan, out) ? ask_fan(c) : ZO_NO_MEMORY;
    if (code || !c->facts.means) return code;
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

static const struct zo_inside inside = {zo_fan_set, sums, callback_means};

static zo_health health(void *ctx)
{
    const zo_command *c = ctx;
    return (zo_health){c->facts.retried, c->failures, *c->why ? c->why : NULL};
}

zo_command_facts zo_command_look(const zo_command *c) { return c->facts; }

/* ---- life ------------------------------------------------------------------------------------------------ */

static zo_status check_options(const zo_command_options *o, zo_error *err)
{
    if (!o->argv || !o->argv[0] || !*o->argv[0])
        return fail(err, ZO_BAD_ARGUMENT, "command: no program is named");
    if (o->n < 1) return fail(err, ZO_BAD_ARGUMENT, "n: 0 components; a command needs at least 1");
    if (o->d < 1) return fail(err, ZO_BAD_ARGUMENT, "dim: 0 dimensions; a command needs at least 1");
    if (o->workers < 0 || o->workers > 4096)
        return fail(err, ZO_BAD_ARGUMENT, "workers: %d is outside [1, 4096]", o->workers);
    if (!(o->timeout >= 0))
        return fail(err, ZO_BAD_ARGUMENT, "timeout: %g is not a number of seconds", o->timeout);
    if (o->retries < 0) return fail(err, ZO_BAD_ARGUMENT, "retries: %d is negative", o->retries);
    return ZO_OK;
}

/* Which problem a checkpoint belongs to: the command line, n and d. */
static uint64_t fingerprint(const zo_command *c)
{
    uint64_t h = TEXT_HASH;
    for (size_t k = 0; c->argv[k]; k++) h = text_hash(h, c->argv[k], strlen(c->argv[k]) + 1);
    h = text_hash(h, &c->o.n, sizeof c->o.n);
    h = text_hash(h, &c->o.d, sizeof c->o.d);
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

/* The first worker is met at once: what is wrong with the program is said before the run begins. */
static zo_status meet(zo_command *c, zo_error *err)
{
    seat *s = &c->seat[0];
    zo_status status = worker_start(&s->w, &c->guardian, c->argv, err);
    if (status) return status;
    if (!greet(c, s)) goto failed;
    while (!s->greeted) {
        struct pollfd p[3] = {{-1, 0, 0}, {s->w.out, POLLIN, 0}, {s->w.err, POLLIN, 0}};
        if (poll(p, 3, patience(c)) < 0 && errno != EINTR) goto failed;
        if (!attend(c, s, p) || !s->w.pid) return fail(err, ZO_BAD_INPUT, "%s", c->why);
    }
    return ZO_OK;
failed:
    seat_failed(c, s, NULL);
    return fail(err, ZO_BAD_INPUT, "%s", c->why);
}

zo_status zo_command_new(zo_command **out, const zo_command_options *o, zo_problem *problem, zo_error *err)
{
    *out = NULL;
    zo_status status = check_options(o, err);
    if (status) return status;
    zo_command *c = mem_new(1, sizeof *c);
    if (!c) return out_of_memory(err, "command", 1);
    c->o = *o;
    c->workers = c->facts.workers = o->workers ? o->workers : pool_cores();
    c->argv = copy_words(o->argv);
    c->seat = mem_new((size_t)c->workers, sizeof *c->seat);
    c->poll = mem_new(3 * (size_t)c->workers, sizeof *c->poll);
    c->point = mem_new(o->d, sizeof *c->point);
    if (!c->argv || !c->seat || !c->poll || !c->point) {
        status = out_of_memory(err, "workers", (size_t)c->workers);
        goto failed;
    }
    if ((status = guardian_start(&c->guardian, err)) || (status = meet(c, err))) goto failed;
    *problem = (zo_problem){.n = o->n,
                            .d = o->d,
                            .answer = answer,
                            .ctx = c,
                            .means_only = c->facts.means,
                            .fingerprint = fingerprint(c),
                            .health = health,
                            .inside = c->facts.means ? NULL : &inside}; /* means cannot be taken apart */
    *out = c;
    return succeed(err);
failed:
    zo_command_free(c);
    return status;
}

void zo_command_free(zo_command *c)
{
    if (!c) return;
    for (int k = 0; c->seat && k < c->workers; k++) {
        worker_stop(&c->seat[k].w, &c->guardian, NULL, 0);
        worker_free(&c->seat[k].w);
    }
    guardian_stop(&c->guardian);
    questions_free(&c->q);
    gather_free(&c->gather);
    bytes_free(&c->text);
    mem_free(c->rows);
    mem_free(c->point);
    mem_free(c->poll);
    mem_free(c->seat);
    mem_free(c->argv);
    mem_free(c);
}
