/* Trials, side by side: one thread and one model each, over the same data.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "study/study.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "method/load.h"

/* ---- Names ---------------------------------------------------------------------------------------- */

/* All that the result depends on. */
static void key_of(const study *u, const trial *t, char *key, size_t size)
{
    char settings[1024];
    trial_settings(t, settings, sizeof settings);
    snprintf(key, size, "%s | %s %s seed %llu | %.17g units every %.17g | %s", u->text,
             t->set.method, settings, (unsigned long long)t->set.seed, t->units, t->every,
             zo_version());
    if (t->gap > 0) snprintf(key + strlen(key), size - strlen(key), " to a gap of %g", t->gap);
    uint64_t print = loaded_print(t->set.method); /* a method from outside changes with its file */
    if (print)
        snprintf(key + strlen(key), size - strlen(key), " | %016llx", (unsigned long long)print);
}

/* ---- One trial ------------------------------------------------------------------------------------- */

/* Keeps the row; ends a run that is lost. */
static int on_row(void *ctx, const zo_row *row)
{
    trial *t = ctx;
    if (t->nrows == t->room) {
        size_t room = t->room ? 2 * t->room : 128;
        void *more = realloc(t->row, room * sizeof *t->row);
        if (!more) return 1;
        t->row = more;
        t->room = room;
    }
    t->row[t->nrows++] = (trial_row){row->step,      row->queries,  row->units,   row->seconds,
                                     row->objective, row->residual, row->nonzeros};
    if (isnan(row->objective)) return 0; /* of a black box it is not known in every row */
    size_t first = 0;
    while (isnan(t->row[first].objective)) first++;
    if (isfinite(row->objective) && row->objective <= 10 * fabs(t->row[first].objective) + 1)
        return 0;
    t->status = TRIAL_DIVERGED;
    return 1;
}

static void conclude(trial *t, const zo_report *r, zo_status status, const zo_error *err)
{
    if (t->status == TRIAL_OK && r->reason == ZO_AT_NONFINITE) t->status = TRIAL_DIVERGED;
    if (status) t->status = TRIAL_FAILED;
    snprintf(t->reason, sizeof t->reason, "%s",
             t->status == TRIAL_DIVERGED ? "diverged" : zo_reason_name(r->reason));
    t->objective = r->objective;
    if (t->nrows && t->row[t->nrows - 1].step == r->steps && isnan(t->row[t->nrows - 1].objective))
        t->row[t->nrows - 1].objective = r->objective; /* a black box was looked at in the end */
    t->used = r->units;
    t->seconds = r->seconds;
    t->steps = r->steps;
    t->queries = r->queries;
    t->watched = r->watched;
    snprintf(t->chosen, sizeof t->chosen, "%s", r->chosen);
    snprintf(t->warning, sizeof t->warning, "%s", status ? err->text : r->warning);
}

/* 0, or -1 when a signal came first: then there is nothing to keep. */
static int run_trial(const study *u, const zo_problem *p, trial *t)
{
    zo_solver *solver = NULL;
    own_method *own = NULL;
    zo_error err = {0};
    zo_report report;
    memset(&report, 0, sizeof report);
    report.objective = NAN;
    zo_control c = zo_no_limits();
    c.max_units = t->units;
    c.every = t->every;
    c.optimum = u->optimum;
    if (t->gap > 0) c.gap = t->gap;
    c.track = ZO_TRACK_ON;
    c.watch = on_row;
    c.watch_ctx = t;
    c.stop = u->group > 1 ? ranks_group_stop() : stop_flag();
    zo_settings set = t->set;
    set.point = ZO_LAST; /* methods are studied as they are */
    zo_status status = solver_open(&solver, &own, p, &set, &err);
    if (!status) status = zo_start(solver, u->start, &err);
    if (!status) status = zo_run(solver, &c, &report, &err);
    if (!status && *own_failed(own)) {
        status = ZO_PROBLEM;
        snprintf(err.text, sizeof err.text, "method %s: %s", set.method, own_failed(own));
    }
    zo_free(solver);
    own_close(own);
    if (status && u->group > 1) ranks_failed(&err);
    if (*c.stop) return -1;
    conclude(t, &report, status, &err);
    return 0;
}

/* ---- Many ------------------------------------------------------------------------------------------ */

typedef struct crew {
    study *u;
    const char *title;
    trial **todo;
    size_t count, next, done, had; /* had: found in the store */
    int code;
    int apart;   /* 1: one of several ranks: results are kept when all have them */
    int stopped; /* a signal came on any rank */
    double begun, shown, best;
    char best_label[96];
    pthread_mutex_t lock;
} crew;

static void show(crew *c)
{
    double now = clock_seconds(),
           left = (now - c->begun) / (double)c->done * (double)(c->count - c->done);
    if (c->u->quiet || !isatty(STDERR_FILENO) || (now - c->shown < 0.1 && c->done < c->count))
        return;
    c->shown = now;
    fprintf(stderr, "\r%s: %zu of %zu trials", c->title, c->had + c->done, c->had + c->count);
    if (isfinite(c->best)) fprintf(stderr, "  best %.2e (%s)", c->best, c->best_label);
    fprintf(stderr, "  %d:%02d left\033[K", (int)left / 60, (int)left % 60);
    fflush(stderr);
}

static void note_best(crew *c, const trial *t)
{
    double gap = trial_gap(c->u, t);
    if (!(gap < c->best)) return;
    char step[64];
    c->best = gap;
    zo_get(&t->set, "step", step, sizeof step);
    snprintf(c->best_label, sizeof c->best_label, "%s step %s", t->set.method, step);
}

/* Stores a finished trial; called under the lock. */
static void keep(crew *c, trial *t)
{
    char key[2048];
    key_of(c->u, t, key, sizeof key);
    if (!c->code && t->status != TRIAL_FAILED && ranks_me() == 0)
        c->code = t->id ? runs_compare(c->u->store, t) : runs_put(c->u->store, c->u, key, t);
    t->done = 1;
    free(t->row);
    t->row = NULL;
    t->nrows = t->room = 0;
    c->done++;
    note_best(c, t);
    show(c);
}

static trial *take(crew *c)
{
    pthread_mutex_lock(&c->lock);
    int ends = c->u->group == 1 &&
               (c->code || *stop_flag()); /* the ranks of a group take theirs together */
    trial *t = ends || c->next == c->count ? NULL : c->todo[c->next++];
    pthread_mutex_unlock(&c->lock);
    return t;
}

static void give_up(crew *c, const zo_error *err)
{
    pthread_mutex_lock(&c->lock);
    if (!c->code) c->code = complain_of(err);
    pthread_mutex_unlock(&c->lock);
}

/* This thread's own, or this rank's share of its group's. */
static zo_status open_model(const study *u, zo_model **model, zo_problem *p, zo_error *err)
{
    int alone = u->group == 1;
    zo_status status =
        zo_model_new(model, u->data, u->loss, u->l2, alone ? 1 : (int)u->jobs, p, err);
    if (alone) return status;
    if (!status) status = ranks_group_join(p, err);
    if (status) ranks_failed(err);
    return status;
}

/* Not 0 after a line. */
static int open_box(crew *c, task *box)
{
    int code = task_open(box, c->u->box);
    pthread_mutex_lock(&c->lock);
    if (code && !c->code) c->code = code;
    pthread_mutex_unlock(&c->lock);
    return code;
}

static void *work(void *ctx)
{
    crew *c = ctx;
    zo_model *model = NULL;
    zo_problem p = {0};
    zo_error err;
    trial *t;
    task box = {0};
    if (c->u->own)
        p = *c->u->own;
    else if (c->u->box) {
        if (open_box(c, &box)) return NULL;
        p = box.problem;
    } else if (open_model(c->u, &model, &p, &err)) {
        give_up(c, &err);
        zo_model_free(model);
        return NULL;
    }
    p.psi = c->u->psi;
    while ((t = take(c))) {
        if (run_trial(c->u, &p, t)) break;
        pthread_mutex_lock(&c->lock);
        if (!c->apart) keep(c, t);
        pthread_mutex_unlock(&c->lock);
    }
    zo_model_free(model);
    if (c->u->box) task_close(&box);
    return NULL;
}

static void run_crew(crew *c)
{
    enum { MOST = 256 };
    pthread_t thread[MOST];
    size_t jobs = c->u->jobs < MOST ? c->u->jobs : MOST, started = 0;
    if (jobs > c->count) jobs = c->count;
    if (c->u->group > 1) jobs = 1;
    while (started + 1 < jobs && pthread_create(&thread[started], NULL, work, c) == 0) started++;
    work(c);
    for (size_t k = 0; k < started; k++) pthread_join(thread[k], NULL);
}

/* The result of a trial, with its rows, from the rank that ran it to all. */
static void share_trial(trial *t, int owner)
{
    trial got = *t;
    ranks_share(&got, sizeof got, owner);
    if (ranks_me() != owner) {
        free(t->row);
        got.row = malloc((got.nrows + 1) * sizeof *got.row);
        got.room = got.nrows;
        if (!got.row) got.nrows = got.room = 0; /* its store, if it has one, gets no rows */
        *t = got;
    }
    size_t bytes = got.nrows * sizeof *got.row;
    ranks_share(&bytes, sizeof bytes, owner);
    ranks_share(t->row, bytes, owner);
}

/* On several ranks: each runs as many trials as it has jobs, or each group one, then all hear of all, and so on. */
static void run_ranks(crew *c)
{
    size_t group = c->u->group, each = group > 1 ? 1 : c->u->jobs,
           groups = (size_t)ranks_size() / group;
    for (size_t at = 0; at < c->count && !c->code; at += groups * each) {
        size_t first = at + (size_t)ranks_me() / group * each, end = at + groups * each;
        crew mine = *c;
        mine.apart = 1;
        mine.next = mine.done = 0;
        mine.todo = c->todo + (first < c->count ? first : c->count);
        mine.count = first >= c->count ? 0 : c->count - first < each ? c->count - first : each;
        pthread_mutex_init(&mine.lock, NULL);
        if (mine.count) run_crew(&mine);
        pthread_mutex_destroy(&mine.lock);
        c->code = ranks_agree(mine.code);
        c->stopped = ranks_any(*stop_flag() != 0);
        if (c->code || c->stopped) return;
        for (size_t k = at; k < end && k < c->count; k++) {
            share_trial(c->todo[k], (int)((k - at) / each * group));
            keep(c, c->todo[k]);
        }
        c->code = ranks_agree(c->code);
    }
}

/* Those that the store has are filled in from it. */
static int look_up(crew *c, trial *t, size_t count)
{
    char key[2048];
    int code = DONE;
    for (size_t k = 0; k < count && ranks_me() == 0 && !code; k++) {
        key_of(c->u, &t[k], key, sizeof key);
        if (t[k].done) continue;
        code = runs_find(c->u->store, key, &t[k]);
        if (!code) code = runs_again_wants(c->u->store, &t[k]);
    }
    if (c->u->ranks && !(code = ranks_agree(code))) ranks_share(t, count * sizeof *t, 0);
    if (code) return code;
    for (size_t k = 0; k < count; k++) {
        if (t[k].done) {
            c->had++;
            note_best(c, &t[k]);
        } else
            c->todo[c->count++] = &t[k];
    }
    return DONE;
}

int study_run(study *u, const char *title, trial *t, size_t count)
{
    crew c = {.u = u, .title = title, .best = INFINITY, .shown = -INFINITY};
    c.todo = malloc(count * sizeof(trial *));
    if (!c.todo) return complain(FAILED, "%s: out of memory", title);
    pthread_mutex_init(&c.lock, NULL);
    c.code = look_up(&c, t, count);
    c.begun = clock_seconds();
    if (!c.code && c.count) (u->ranks && ranks_size() > 1 ? run_ranks : run_crew)(&c);
    if (!u->quiet && isatty(STDERR_FILENO) && c.count) fputs("\r\033[K", stderr);
    for (size_t k = 0; k < count; k++) free(t[k].row), t[k].row = NULL;
    pthread_mutex_destroy(&c.lock);
    free(c.todo);
    if (!c.code && (c.stopped || *stop_flag()))
        return complain(
            FAILED, "%s: interrupted with %zu of %zu trials done; the same line goes on from there",
            title, c.had + c.done, count);
    return c.code;
}

/* ---- F* -------------------------------------------------------------------------------------------- */

int study_optimum(study *u)
{
    size_t count;
    zo_error err;
    zo_model *model;
    zo_optimum found;
    zo_problem p = {0};
    if (!isnan(u->optimum) || !u->data || !zo_loss_rows(&count)[u->loss].convex) return DONE;
    double *x = calloc(u->d, sizeof *x);
    if (!x) return complain(FAILED, "optimum: out of memory for %zu numbers", u->d);
    zo_status status = zo_model_new(&model, u->data, u->loss, u->l2, (int)u->jobs, &p, &err);
    if (!status) {
        status = zo_find_optimum(&found, model, &u->psi, 1e-13, x, &err);
        zo_model_free(model);
    }
    free(x);
    if (status) return complain_of(&err);
    u->optimum = found.objective;
    u->known = found.bound;
    return ranks_me() ? DONE : runs_optimum(u->store, u);
}

int study_begin(study *u)
{
    int code = ranks_me() ? DONE : runs_problem(u->store, u);
    if ((code = ranks_agree(code))) return code;
    u->ranks = 1;
    ranks_share(&u->optimum, sizeof u->optimum, 0);
    ranks_share(&u->known, sizeof u->known, 0);
    ranks_share(&u->jobs, sizeof u->jobs, 0);
    return ranks_agree(study_optimum(u));
}
