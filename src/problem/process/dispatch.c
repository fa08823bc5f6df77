/* Shares questions out among workers, and takes their answers.
 * SPDX-License-Identifier: MIT
 *
 * Whoever is free takes the next question; a worker holds a second one in hand while many are left, so that it never
 * waits for us. A worker that fails is stopped with all it started, its questions go back, and it is started anew.
 * Values land in fixed places, so the answers' bytes depend on nothing that happened on the way. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "history/history.h"
#include "problem/process/crew.h"

enum { FIRST_ANSWER = 30 }; /* seconds for the greeting where there is no timeout */
#define LOOK_EVERY 0.1      /* seconds between two looks whether the run is to stop */
#define QUIET 1.0           /* seconds of silence after which we look who is still there */
#define FINISHING 0.5       /* seconds that answers on their way have when it is */

/* ---- asking ---------------------------------------------------------------------------------------- */

static int write_text(crew *c, size_t k, uint64_t id)
{
    return question_write(c->q, k, id, c->entries, c->point, &c->text);
}

/* Does the journal know question k? -1: memory is out, or the journal cannot be read. */
static int replay_one(crew *c, size_t k)
{
    questions *q = c->q;
    size_t count = question_values(q, k, c->facts.means);
    if (!gather_room((void **)&c->values, &c->nvalues, count, sizeof *c->values)) return -1;
    if (!write_text(c, k, 0)) return -1;
    question_key(q, k, &c->text, q->at[k].key);
    if (!journal_take(c->journal, q->at[k].key, count, c->values)) return 0;
    question_put(q, k, c->facts.means, c->values);
    questions_done(q);
    c->answered += (uint64_t)q->at[k].npoints * q->at[k].nentries;
    c->facts.replayed++;
    return c->heard = 1;
}

/* The next question for this worker. 0: it is gone, or memory is out. */
static int hand_out(crew *c, seat *s)
{
    size_t k = questions_take(c->q);
    if (c->q->at[k].part && !c->q->at[k].tries && c->journal && replay_one(c, k) > 0) return 1;
    uint64_t id = ++c->next_id;
    if (!write_text(c, k, id)) {
        questions_return(c->q, k);
        return 0;
    }
    if (c->journal) question_key(c->q, k, &c->text, c->q->at[k].key);
    if (s->held == 0) s->since = crew_clock();
    s->hand[s->held] = k;
    s->id[s->held++] = id;
    c->facts.questions++;
    return seat_send(c, s);
}

static int fill_seat(crew *c, seat *s)
{
    zo_error e;
    if (worker_start(&s->w, &c->guardian, c->argv, &e)) return seat_failed(c, s, e.text);
    return greet(c, s) || seat_failed(c, s, NULL);
}

static int halted(const crew *c) { return c->halt && c->halt->asked(c->halt->ctx); }

/* Workers that were started and have not said a word yet. */
static size_t coming(const crew *c)
{
    size_t count = 0;
    for (int k = 0; k < c->workers; k++) count += c->seat[k].w.pid && !c->seat[k].greeted;
    return count;
}

static int at_work(const crew *c)
{
    int count = 0;
    for (int k = 0; k < c->workers; k++) count += c->seat[k].held > 0;
    return count;
}

/* Everybody who can take a question gets one; no more are started than there are questions for. 0: failed for good. */
static int share_out(crew *c)
{
    size_t fresh = coming(c);
    for (size_t depth = 1; depth <= IN_HAND; depth++)
        for (int k = 0; k < c->workers && questions_left(c->q); k++) {
            seat *s = &c->seat[k];
            if (depth > 1 && questions_left(c->q) <= 4 * (size_t)c->workers) return 1;
            if (!s->w.pid && fresh < questions_left(c->q) && crew_clock() >= s->not_before) {
                if (halted(c)) return 1;
                if (!fill_seat(c, s)) return 0;
                fresh++;
            }
            int asks = s->greeted && s->held < depth && !(crew_is_new(c) && at_work(c));
            if (asks && !hand_out(c, s) && !seat_failed(c, s, NULL)) return 0;
        }
    return 1;
}

/* What the journal knows is not asked. 0: as replay_one's -1. */
static int replay(crew *c)
{
    questions *q = c->q;
    size_t missing = 0;
    for (size_t k = 0; k < q->nquestions; k++) {
        int known = replay_one(c, k);
        if (known < 0) return 0;
        if (!known) q->back[missing++] = k;
    }
    q->next = q->nquestions;
    q->nback = missing;
    for (size_t a = 0; a < missing / 2; a++) { /* the stack gives back the first one first */
        size_t k = q->back[a];
        q->back[a] = q->back[missing - 1 - a];
        q->back[missing - 1 - a] = k;
    }
    return 1;
}

/* ---- hearing ----------------------------------------------------------------------------------------- */

/* Keeps an answer that was paid for. 0: it could not be written. */
static int keep(crew *c, size_t k)
{
    size_t count = question_values(c->q, k, c->facts.means);
    if (!gather_room((void **)&c->values, &c->nvalues, count, sizeof *c->values)) return 0;
    question_get(c->q, k, c->facts.means, c->values);
    if (journal_add(c->journal, c->q->at[k].key, count, c->values)) return 1;
    snprintf(c->why, sizeof c->why, "journal: '%s' was not written: %s", c->journal_path,
             strerror(errno));
    return 0;
}

/* The next in hand is the one that it is at. */
static void put_down(crew *c, seat *s)
{
    double t = crew_clock();
    c->facts.busy += t - s->since;
    s->since = t;
    s->bad = 0;
    for (size_t h = 1; h < s->held; h++) {
        s->hand[h - 1] = s->hand[h];
        s->id[h - 1] = s->id[h];
    }
    s->held--;
}

/* A value that is not finite is a hiccup at first, and then what it is. 1: question k is asked again, or a part of it. */
static int asks_again(crew *c, size_t k, double seconds, const char *what)
{
    question *q = &c->q->at[k];
    if (q->tries >= c->retries && c->retries) atomic_fetch_add(&c->again.vain, 1);
    if (q->tries >= c->retries || !again_pays(&c->again)) return 0;
    uint64_t queries = c->facts.means || c->facts.all ? question_values(c->q, k, c->facts.all)
                                                      : question_bad(c->q, k);
    if (!crew_pays(c, queries)) return 0;
    c->failures++;
    c->facts.retried++;
    size_t values = question_values(c->q, k, c->facts.means),
           single = c->facts.means || c->facts.all ? 0 : questions_single_out(c->q, k);
    if (single) { /* the others are there */
        crew_record(c, k, seconds, what);
        c->answered += values - single;
        c->facts.values += values - single;
        return 1;
    }
    crew_record_failure(c, k, seconds, what);
    q->tries++;
    questions_return(c->q, k);
    return 1;
}

/* An answer has come. 0: it cannot be kept. */
static int take_answer(crew *c, seat *s)
{
    size_t k = s->hand[0];
    double seconds = crew_clock() - s->since;
    int finite = question_finite(c->q, k, c->facts.means), fine = 1;
    c->heard = 1;
    if (finite && c->q->at[k].tries) atomic_fetch_add(&c->again.mended, 1);
    char what[288] = "not finite";
    int explained = !finite && seat_explains(s, what, sizeof what);
    if (finite || !asks_again(c, k, seconds, what)) {
        size_t values = c->q->at[k].npoints * c->q->at[k].nentries;
        c->stayed += !finite;
        if (c->journal && finite) fine = keep(c, k);
        if (explained) {
            snprintf(c->why, sizeof c->why, "command '%s': %s", c->name, what);
            c->explained++;
        }
        fine = crew_record(c, k, seconds, what) && fine;
        questions_done(c->q);
        c->facts.values += values;
        c->answered += values;
    }
    put_down(c, s);
    return fine;
}

enum { SPOILT = -2 }; /* not the worker's fault: the run cannot go on */

/* What it said is worth. 1: something was understood, 0: not all there yet, -1: nonsense (in why), or SPOILT. */
static int understand(crew *c, seat *s)
{
    bytes *from = &s->w.from;
    if (!s->greeted) return greeted(c, s);
    if (from->begin == from->end) return 0;
    if (!s->held) {
        char seen[64];
        text_quote(from->at + from->begin, from->end - from->begin, seen, sizeof seen);
        snprintf(c->why, sizeof c->why, "it wrote '%s' without being asked", seen);
        return -1;
    }
    int heard =
        question_read(c->q, s->hand[0], s->id[0], c->facts.means, from, c->why, sizeof c->why);
    return heard <= 0 ? heard : take_answer(c, s) ? 1 : SPOILT;
}

/* Seconds that what it is at may take. A first answer that never comes is not waited for even without a timeout. */
static double allowed(const crew *c, const seat *s)
{
    if (!s->held && s->greeted) return INFINITY;
    return c->timeout > 0 ? c->timeout : s->greeted ? INFINITY : FIRST_ANSWER;
}

static int too_late(crew *c, seat *s)
{
    char what[160];
    const char *hint = !s->greeted ? " (does it flush its output after every answer?)"
                       : s->w.from.begin < s->w.from.end ? "; only a part of the answer came"
                                                         : "";
    snprintf(what, sizeof what, "a question was not answered within %g s%s", allowed(c, s), hint);
    c->facts.timeouts++;
    return seat_failed(c, s, what);
}

int seat_attend(crew *c, seat *s, const struct pollfd *p)
{
    if (!s->w.pid) return 1;
    if (p[2].revents) worker_listen(&s->w);
    if ((p[0].revents & (POLLOUT | POLLERR)) && !worker_write(&s->w))
        return seat_failed(c, s, NULL);
    if (p[1].revents) {
        int there = worker_read(&s->w), heard;
        while ((heard = understand(c, s)) > 0) {
        }
        if (heard == SPOILT) return 0;
        if (heard < 0) {
            char what[256];
            snprintf(what, sizeof what, "%s", c->why);
            c->nonsense = 1;
            int goes_on = seat_failed(c, s, what);
            c->nonsense = 0;
            return goes_on;
        }
        if (!there) return seat_failed(c, s, NULL);
    }
    return crew_clock() - s->since > allowed(c, s) ? too_late(c, s) : 1;
}

/* A worker may end while a process that it started keeps the pipes open: nothing is ever heard of it. */
static int miss(crew *c)
{
    for (int k = 0; k < c->workers; k++) {
        seat *s = &c->seat[k];
        if (s->w.pid && !poll(c->poll + 3 * k, 3, 0) && worker_ended(&s->w) &&
            !seat_failed(c, s, NULL))
            return 0;
    }
    return 1;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

int crew_patience(const crew *c)
{
    double t = crew_clock(), soonest = c->halt ? LOOK_EVERY : QUIET;
    int wanted = c->q && questions_left(c->q) > coming(c);
    for (int k = 0; k < c->workers; k++) {
        const seat *s = &c->seat[k];
        if (!s->w.pid && wanted) soonest = fmin(soonest, s->not_before - t);
        if (s->w.pid) soonest = fmin(soonest, s->since + allowed(c, s) - t);
    }
    return (int)(1000 * fmax(soonest, 0)) + 1;
}

static void look_at(crew *c)
{
    for (int k = 0; k < c->workers; k++) {
        const worker *w = &c->seat[k].w;
        short out = w->to.begin < w->to.end ? POLLOUT : 0;
        c->poll[3 * k] = (struct pollfd){w->pid && out ? w->in : -1, out, 0};
        c->poll[3 * k + 1] = (struct pollfd){w->pid ? w->out : -1, POLLIN, 0};
        c->poll[3 * k + 2] = (struct pollfd){w->pid ? w->err : -1, POLLIN, 0};
    }
}

/* Waits until somebody has something to say, and listens. 0: failed for good. */
static int attend_all(crew *c)
{
    look_at(c);
    int ready = poll(c->poll, (nfds_t)(3 * c->workers), crew_patience(c));
    if (ready == 0 && !miss(c)) return 0;
    if (ready < 0) {
        if (errno == EINTR) return 1;
        snprintf(c->why, sizeof c->why, "command '%s': cannot wait for it: %s", c->name,
                 strerror(errno));
        return 0;
    }
    for (int k = 0; k < c->workers; k++)
        if (!seat_attend(c, &c->seat[k], c->poll + 3 * k)) return 0;
    return 1;
}

static void tell_how_far(const crew *c)
{
    const zo_halt *h = c->halt;
    if (h && h->history) history_tick(h->history);
    if (h && h->told) h->told(h->ctx, c->answered, c->asked, at_work(c), c->workers);
}

/* The run is to stop: nothing more is handed out, and what is on its way has a moment to come in. */
static void finish(crew *c)
{
    double until = crew_clock() + FINISHING;
    while (at_work(c) && crew_clock() < until)
        if (!attend_all(c)) return;
}

static int ask_all(crew *c)
{
    while (!questions_finished(c->q)) {
        if (halted(c)) {
            finish(c);
            return ZO_HALTED;
        }
        if (!share_out(c)) return ZO_PROBLEM;
        tell_how_far(c);
        if (!attend_all(c)) return ZO_PROBLEM;
    }
    return ZO_OK;
}

int crew_ask(crew *c, questions *q, const gather *g)
{
    c->q = q;
    c->entries = g;
    c->bad = (question){0};
    for (int k = 0; k < c->workers; k++) c->seat[k].w.spoke = 0;
    zo_history *history = crew_history(c);
    if (history && history_knows(history)) {
        if (!crew_recall(c)) return ZO_NO_MEMORY;
    } else if (c->journal && journal_left(c->journal) && !replay(c)) {
        return ZO_NO_MEMORY;
    }
    double begun = crew_clock();
    int code = ask_all(c);
    c->facts.open += (crew_clock() - begun) * c->workers;
    for (int k = 0; code && k < c->workers;
         k++) /* whatever is still at work is at work for nobody */
        if (c->seat[k].held) seat_stop(c, &c->seat[k]);
    return code;
}

zo_status crew_meet(crew *c, zo_error *err)
{
    seat *s = &c->seat[0];
    zo_status status = worker_start(&s->w, &c->guardian, c->argv, err);
    if (status) return status;
    int fine = greet(c, s) || seat_failed(c, s, NULL);
    while (fine && s->w.pid && !s->greeted) {
        struct pollfd p[3] = {{-1, 0, 0}, {s->w.out, POLLIN, 0}, {s->w.err, POLLIN, 0}};
        if (poll(p, 3, crew_patience(c)) < 0 && errno != EINTR)
            fine = seat_failed(c, s, strerror(errno));
        if (fine && s->w.pid) fine = seat_attend(c, s, p);
    }
    if (!s->greeted) return fail(err, ZO_BAD_INPUT, "%s", c->why);
    return ZO_OK;
}
