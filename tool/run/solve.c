/* zoprox solve: one run, with its trace, solution, checkpoint and report.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "files/parameters.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/draft.h"
#include "base/text.h"
#include "solve/solver.h"
#include "method/load.h"
#include "run/starts.h"
#include "run/valleys.h"
#include "view/beside.h"

#define OPTIMUM_BOUND 1e-13 /* relative, for a --gap without --optimum */

typedef struct run {
    const request *asked;
    const task *from;
    zo_solver *solver;
    own_method *own; /* its method, where it came from outside; or NULL */
    zo_control control;
    zo_report report;
    trace trace;
    progress progress;
    zo_history *history; /* or NULL */
    beside *page;
    uint64_t spent; /* queries of several starts */
    double *began;  /* d: where it did; NULL: not known */
    valleys valleys;
} run;

/* ---- What was asked for --------------------------------------------------------------------------- */

static int check_files(const request *r)
{
    const char *lines = r->progress && strcmp(r->progress, "-") ? r->progress : NULL;
    const char *name[] = {"save", "trace", "checkpoint", "journal", "history", "progress"};
    const char *path[] = {r->save, r->trace, r->checkpoint, r->journal, r->history, lines};
    for (size_t a = 0; a < sizeof path / sizeof *path; a++) {
        if (path[a] != r->checkpoint && draft_clashes(path[a], r->checkpoint))
            return complain(REFUSED, "--%s: '%s' is a name that the checkpoint '%s' needs", name[a],
                            path[a], r->checkpoint);
        int code = path[a] ? file_check(path[a], name[a]) : DONE;
        if (code) return code;
    }
    if (r->resume && !r->checkpoint && !r->history && !r->journal)
        return complain(REFUSED, "--resume needs --checkpoint FILE to go on from, or --history "
                                 "FILE, or --journal FILE");
    if (r->checkpoint && draft_is_device(r->checkpoint))
        return complain(REFUSED,
                        "checkpoint: '%s' is a device or a pipe, not a file that can be read again",
                        r->checkpoint);
    if (r->checkpoint && !r->resume && access(r->checkpoint, F_OK) == 0)
        return complain(
            REFUSED, "checkpoint: '%s' is already there; go on from it with --resume, or remove it",
            r->checkpoint);
    return DONE;
}

static int check_request(const request *r)
{
    size_t count;
    if (r->nwords && box_wanted(r))
        return complain(REFUSED,
                        "solve takes a SOURCE or a black box, but '%s' and '%s' were given",
                        r->words[0], box_name(r));
    if (r->nwords == 0 && !box_wanted(r))
        return complain(
            REFUSED, "solve needs a SOURCE (a file, a name or synth:) or a black box (--command, "
                     "--run, --files or --plugin); see 'zoprox solve --help'");
    if (r->nwords > 1)
        return complain(REFUSED, "solve takes one SOURCE, but '%s' and '%s' were given",
                        r->words[0], r->words[1]);
    if (!strcmp(r->track, "off") && (!isnan(r->gap) || !isnan(r->target)))
        return complain(REFUSED, "--track off: --%s needs the objective",
                        isnan(r->gap) ? "target" : "gap");
    if (!isnan(r->gap) && isnan(r->optimum) && box_wanted(r))
        return complain(REFUSED,
                        "--gap: the optimum of a black box is not known; give --optimum F");
    if (!isnan(r->gap) && isnan(r->optimum) && !zo_loss_rows(&count)[r->loss].convex)
        return complain(
            REFUSED,
            "--gap: the %s loss is not convex, so its optimum cannot be computed; give --optimum F",
            zo_loss_rows(&count)[r->loss].name);
    int code = box_fits(r);
    if (!code) code = check_method("method", r->set.method);
    if (!code) code = starts_check(r);
    return code ? code : check_files(r);
}

/* ---- The run -------------------------------------------------------------------------------------- */

static int on_row(void *ctx, const zo_row *row)
{
    run *u = ctx;
    trace_write(&u->trace, row);
    return u->trace.error ? ranks_ask_stop() : 0;
}

static void set_budget(zo_control *c, const request *r, const zo_problem *p)
{
    double unit = (p->by_point ? 1 : (double)p->n) * (double)p->d;
    c->max_queries = r->queries;
    c->max_points = r->points;
    c->max_steps = r->steps;
    c->max_units = r->units;
    c->max_seconds = r->seconds;
    if (r->queries == UINT64_MAX && r->points == UINT64_MAX && r->steps == UINT64_MAX &&
        isinf(r->units) && isinf(r->seconds))
        c->max_units = zo_usual_units(p);
    double units =
        fmin(c->max_units, r->queries == UINT64_MAX ? INFINITY : (double)r->queries / unit);
    if (r->points < UINT64_MAX) units = fmin(units, (double)r->points / unit);
    double rare = (box_wanted(r) ? 10 : 1) /
                  (double)p->d; /* looking at F takes n queries: a tenth of a box's time */
    c->every = isnan(r->every) ? fmax(isinf(units) ? 0.1 : units / 100, rare) : r->every;
}

static void set_control(run *u)
{
    const request *r = u->asked;
    zo_control *c = &u->control;
    *c = zo_no_limits();
    set_budget(c, r, &u->from->problem);
    if (!isnan(r->target)) c->target = r->target;
    if (!isnan(r->tol)) c->tol = r->tol;
    if (!isnan(r->gap)) c->gap = r->gap;
    c->optimum = r->optimum;
    c->track = !strcmp(r->track, "off")     ? ZO_TRACK_OFF
               : !strcmp(r->track, "on")    ? ZO_TRACK_ON
               : !strcmp(r->track, "apart") ? ZO_TRACK_APART
                                            : ZO_TRACK_CHARGED;
    c->watch = on_row;
    c->watch_ctx = u;
    c->progress = progress_show;
    c->progress_ctx = &u->progress;
    c->stop = ranks_stop();
    c->checkpoint = r->checkpoint;
    c->checkpoint_seconds = r->limit;
}

/* --gap without --optimum: F* by first-order means. */
static int find_optimum(run *u)
{
    zo_error err;
    zo_optimum found;
    if (isnan(u->asked->gap) || !isnan(u->control.optimum)) return DONE;
    double *x = calloc(u->from->problem.d, sizeof *x);
    if (!x) return complain(FAILED, "optimum: out of memory for %zu numbers", u->from->problem.d);
    zo_status status =
        zo_find_optimum(&found, u->from->model, &u->from->problem.psi, OPTIMUM_BOUND, x, &err);
    free(x);
    if (status) return complain_of(&err);
    u->control.optimum = found.objective;
    if (!u->asked->quiet)
        fprintf(
            stderr,
            "zoprox: --gap: the optimum was computed first: %.17g, at most %.1e too high (%s)\n",
            found.objective, found.bound, found.proof);
    return DONE;
}

static int go_on(run *u)
{
    const request *r = u->asked;
    zo_error err;
    zo_report seen;
    int lacking;
    if (zo_load(u->solver, r->checkpoint, &err))
        return err.status == ZO_IO ? complain(REFUSED, "%s", err.text) : complain_of(&err);
    zo_look(u->solver, &seen);
    int code = trace_resume(&u->trace, r->trace, seen.row_queries, &lacking);
    if (!code && lacking && !r->quiet)
        fprintf(stderr,
                "zoprox: trace: '%s' lacks rows from before the checkpoint; it goes on behind it\n",
                r->trace);
    return code;
}

/* At 0, or where --start or the past says. */
static int start(run *u, const zo_settings *set)
{
    zo_error err;
    size_t d = u->from->problem.d;
    double *x = calloc(d, sizeof *x);
    if (!x) return complain(FAILED, "start: out of memory for %zu numbers", d);
    int code = DONE, ours = 0; /* 1: nobody has named a point */
    if (u->asked->start || !past_start(u->history, u->asked, u->from, x)) {
        ours = !u->asked->start;
        code = task_start(u->from, u->asked, x);
    }
    starts several = {.x = x};
    if (!code && u->asked->starts)
        code = starts_find(u->asked, u->from, set, &u->control, &several);
    u->spent = several.queries;
    ours = ours && !u->from->known && !u->asked->starts;
    if (!code && zo_start(u->solver, ours ? NULL : x, &err)) code = complain_of(&err);
    if (!code) memcpy(x, zo_point(u->solver), d * sizeof *x); /* within bounds */
    u->began = x;
    return code;
}

static int begin(run *u)
{
    const request *r = u->asked;
    zo_error err;
    zo_settings set = r->set;
    int settled = set.abreast != 1 || !option_given(r, "workers");
    if (u->from->problem.by_point && !settled) set.abreast = (double)r->workers;
    if (isnan(set.radius)) set.radius = u->from->radius;
    if (solver_open(&u->solver, &u->own, &u->from->problem, &set, &err))
        return task_no_room(u->from, r, &err);
    solver_is_held(u->solver);
    if (r->resume && r->checkpoint && access(r->checkpoint, F_OK) == 0) return go_on(u);
    if (r->resume && r->checkpoint && !r->quiet)
        fprintf(stderr, "zoprox: checkpoint: '%s' is not there yet; the run begins anew\n",
                r->checkpoint);
    int code = start(u, &set);
    return code ? code : trace_begin(&u->trace, r->trace);
}

static int is_failure(zo_reason reason)
{
    return reason == ZO_AT_NONFINITE || reason == ZO_AT_FAILURE;
}

/* The solution is written whatever ended the run; the point where f is not finite is none, nor is a start of which nothing
 * is known: a better one may be in that file. */
static int save_solution(const run *u)
{
    const double *x = result_of(u->solver, &u->report);
    const char *path = u->asked->save;
    if (path && nothing_known(&u->report)) {
        fprintf(stderr, "zoprox: --save: no value of F is known yet, so '%s' was not written\n",
                path);
        return DONE;
    }
    if (path && u->from->known) return parameters_save(u->from->known, path, x);
    return path ? file_save(path, u->from->problem.d, x) : DONE;
}

static void print_report(const run *u, int failed)
{
    int stopped = u->report.reason == ZO_AT_REQUEST && *u->control.stop > 0 ? *u->control.stop : 0;
    outcome o = {u->asked, u->from, u->solver, &u->report,       u->control.optimum, u->history,
                 stopped,  failed,  u->spent,  u->valleys.count, u->valleys.lowest};
    if (u->asked->json)
        report_json(&o);
    else
        report_table(&o);
    int told = u->report.reason == ZO_AT_NONFINITE || *own_failed(u->own); /* as what ended it */
    if (*u->report.warning && !told && !u->asked->quiet)
        fprintf(stderr, "zoprox: warning: %s\n", u->report.warning);
}

/* How far the run has come before it goes on. */
static zo_report seen(const run *u)
{
    zo_report r;
    zo_look(u->solver, &r);
    return r;
}

static int go(run *u)
{
    zo_error err;
    if (progress_begin(&u->progress, u->asked, &u->control)) return FAILED;
    if (beside_start(u->page, u->asked)) return FAILED;
    if (!u->progress.shown && u->progress.fd < 0) u->control.progress = NULL;
    catch_signals();
    ranks_clock(&u->control, seen(u).seconds);
    zo_status status = zo_run(u->solver, &u->control, &u->report, &err);
    if (!status && *own_failed(u->own)) {
        u->report.reason = ZO_AT_FAILURE;
        snprintf(u->report.warning, sizeof u->report.warning, "%.255s", own_failed(u->own));
    }
    u->report.reason = ranks_reason(u->report.reason);
    progress_end(&u->progress, &u->report);
    if (status) ranks_failed(&err);
    if (status == ZO_BAD_ARGUMENT || status == ZO_UNSUPPORTED) return complain_of(&err);
    if (status && u->report.reason == ZO_RUNNING) u->report.reason = ZO_AT_FAILURE;
    int code = status ? complain(FAILED, "%s", err.text) : DONE;
    if (!status && is_failure(u->report.reason))
        code = complain(FAILED, "%s: %s (after %llu queries, at step %llu)",
                        zo_reason_name(u->report.reason), u->report.warning,
                        (unsigned long long)u->report.queries, (unsigned long long)u->report.steps);
    if (trace_end(&u->trace)) {
        code = FAILED;
        if (u->report.reason == ZO_AT_REQUEST && !*u->control.stop)
            u->report.reason = ZO_AT_FAILURE;
    }
    if (save_solution(u)) code = FAILED;
    if (!code && u->began && ranks_size() == 1) {
        u->valleys =
            valleys_look(u->asked, u->from, &u->control, &u->report, u->began, zo_point(u->solver));
        u->report.watched += u->valleys.queries;
    }
    if (ranks_me() == 0) print_report(u, code != DONE);
    return code;
}

static int solve(const request *r, const task *s, beside *page)
{
    run u = {.asked = r, .from = s, .trace = {.fd = -1}, .page = page};
    set_control(&u);
    int code = find_optimum(&u);
    if (!code) code = past_open(&u.history, r, s);
    u.control.history = u.history;
    if (!code) code = begin(&u);
    code = ranks_agree(code);
    if (!code) code = ranks_same(seen(&u).queries, "the checkpoint");
    if (!code)
        code = ranks_same(text_hash(TEXT_HASH, zo_point(u.solver), s->problem.d * sizeof(double)),
                          "the point");
    if (!code) code = go(&u);
    if (u.trace.fd >= 0) trace_end(&u.trace);
    zo_free(u.solver);
    own_close(u.own);
    free(u.began);
    zo_history_close(u.history);
    return code;
}

/* Rank 0 writes the files; the checkpoint is read by all. */
static void one_writes(request *r)
{
    r->trace = r->save = NULL;
    r->quiet = 1;
}

/* Folders of runs that failed are left to be looked at, those of earlier runs too, and nobody else removes them. */
static void remark_on_folders(const request *r, const char *where)
{
    size_t count = 0;
    DIR *in = where && !r->quiet && !r->keep ? opendir(where) : NULL;
    if (!in) return;
    for (struct dirent *e; (e = readdir(in));) count += e->d_name[0] != '.';
    closedir(in);
    if (count)
        fprintf(
            stderr,
            "zoprox: '%s' has %zu folder%s of runs that failed or were stopped; when you have seen "
            "them: rm -r %s\n",
            where, count, count > 1 ? "s" : "", where);
}

int command_solve(int argc, char **argv)
{
    request r;
    task s;
    beside page = {.pipe = -1, .door = -1};
    hold h = {.fd = -1};
    int code = request_parse(&r, argc, argv);
    if (!code && ranks_me()) one_writes(&r);
    if (!code) code = beside_prepare(&page, &r);
    if (!code) code = check_request(&r);
    if (!code && r.checkpoint && !ranks_me()) code = file_hold(&h, r.checkpoint);
    code = ranks_agree(code);
    if (!code) code = ranks_same_line(&r);
    if (!code) {
        code = ranks_agree(task_open_part(&s, &r));
        if (!code) code = ranks_join(&s);
        if (!code) code = solve(&r, &s, &page);
        const char *made = s.made;
        task_close(&s);
        if (!code) remark_on_folders(&r, made);
    }
    beside_end(&page);
    hold_release(&h);
    return code;
}
