/* The loop: budget, rows, stopping, checkpoints. Clocks and files live here and nowhere below.
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/draft.h"
#include "base/error.h"
#include "base/vec.h"
#include "history/history.h"
#include "prox/prox.h"
#include "problem/ranks/together.h"
#include "solve/pace.h"
#include "solve/rest.h"
#include "solve/solver.h"

typedef struct loop {
    zo_solver *s;
    const zo_control *c;
    uint64_t budget;  /* queries, from max_queries and max_units */
    uint64_t reserve; /* of it for the look at the end */
    uint64_t look;    /* queries that one look costs */
    int charged;      /* 1: looks at F are paid from it */
    double every;     /* queries between two rows */
    double begun;     /* clock at the start, less the seconds of earlier runs */
    double saved;     /* clock at the last checkpoint */
    double save_cost; /* seconds it took */
    int last;         /* 1: the look at the end, which no uninterrupted run would take here */
    double grace;     /* clock until which that look may go on, whoever wants to stop */
    int refused; /* 1: the problem halted though nobody had asked it to: it is not asked again */
    zo_status trouble; /* of looking ahead */
    pace pace;
    zo_error *err;
} loop;

static double now(void) { return pace_clock(); }

zo_control zo_no_limits(void)
{
    return (zo_control){.max_queries = UINT64_MAX,
                        .max_points = UINT64_MAX,
                        .max_steps = UINT64_MAX,
                        .max_units = INFINITY,
                        .max_seconds = INFINITY,
                        .target = -INFINITY,
                        .gap = -INFINITY,
                        .optimum = NAN,
                        .tol = -INFINITY,
                        .track = ZO_TRACK_ON,
                        .every = 0.1,
                        .checkpoint_seconds = 5};
}

const char *zo_reason_name(zo_reason reason)
{
    static const char *const names[] = {"running", "queries", "seconds", "steps",     "target",
                                        "gap",     "tol",     "request", "nonfinite", "end",
                                        "noise",   "failure", "stalled", "unbounded"};
    return (size_t)reason < sizeof names / sizeof names[0] ? names[reason] : "unknown";
}

/* ---- stopping in the middle of an answer ---------------------------------------------------------- */

#define LOOKS 0.1     /* of what is spent goes into looks, at most, where they are charged */
#define LAST_LOOK 2.0 /* seconds that the look at the end may take after a wish to stop, and */
#define SHARE 0.05    /* its share of max_seconds, if that is more */

static int requested(const loop *l) { return l->c->stop && *l->c->stop; }

static int time_is_over(const loop *l)
{
    return l->c->max_seconds < INFINITY && now() - l->begun >= l->c->max_seconds;
}

static int halt_asked(void *ctx)
{
    const loop *l = ctx;
    return (requested(l) || time_is_over(l)) && (!l->last || now() > l->grace);
}

static void halt_told(void *ctx, uint64_t answered, uint64_t asked, int busy, int workers)
{
    pace_told(&((loop *)ctx)->pace, answered, asked, busy, workers);
}

static void begin_last_look(loop *l)
{
    double share = l->c->max_seconds < INFINITY && !requested(l) ? SHARE * l->c->max_seconds : 0;
    l->last = 1;
    l->grace = now() + fmax(LAST_LOOK, share);
}

/* ---- checks ---------------------------------------------------------------------------------------- */

static zo_status check_control(const zo_control *c, zo_error *err)
{
    if (!(c->max_units > 0))
        return fail(err, ZO_BAD_ARGUMENT, "units: %g is not a number more than 0", c->max_units);
    if (!(c->max_seconds > 0))
        return fail(err, ZO_BAD_ARGUMENT, "seconds: %g is not a number more than 0",
                    c->max_seconds);
    if (c->max_queries == 0)
        return fail(err, ZO_BAD_ARGUMENT, "queries: 0 is not a number more than 0");
    if (c->max_points == 0)
        return fail(err, ZO_BAD_ARGUMENT, "points: 0 is not a number more than 0");
    if (c->max_steps == 0)
        return fail(err, ZO_BAD_ARGUMENT, "steps: 0 is not a number more than 0");
    if (!(c->every > 0))
        return fail(err, ZO_BAD_ARGUMENT, "every: %g is not a number more than 0", c->every);
    if (isnan(c->target) || isnan(c->tol) || isnan(c->gap))
        return fail(err, ZO_BAD_ARGUMENT, "target, gap, tol: nan is not a bound");
    if (c->gap > -INFINITY && isnan(c->optimum))
        return fail(err, ZO_BAD_ARGUMENT, "gap: %g needs the optimum, which is not given", c->gap);
    if ((c->gap > -INFINITY || c->target > -INFINITY) && c->track == ZO_TRACK_OFF)
        return fail(err, ZO_BAD_ARGUMENT,
                    "target, gap: the objective is not tracked (track is off)");
    return ZO_OK;
}

/* The problem could not answer. ZO_NO_MEMORY is the one code that has a meaning here. */
static zo_status unanswered(loop *l, int code)
{
    l->s->failures++;
    l->s->reason = ZO_AT_FAILURE;
    const zo_problem *p = &l->s->problem;
    const char *text = p->health ? p->health(p->ctx).text : NULL;
    unsigned long long queries = l->s->queries;
    if (code == ZO_NO_MEMORY)
        return fail(l->err, ZO_NO_MEMORY, "out of memory in the problem after %llu queries",
                    queries);
    if (text) return fail(l->err, ZO_PROBLEM, "%s", text);
    return fail(l->err, ZO_PROBLEM, "the problem failed with code %d after %llu queries", code,
                queries);
}

/* Asks the problem; watching: only to show F. */
static int answer(loop *l, const zo_fan *fan, int watching, double *out)
{
    pace_ask(&l->pace, fan, watching);
    int code = solver_answer(l->s, fan, watching, out);
    l->pace.asked = NULL;
    return code;
}

static uint64_t spent(const loop *l)
{
    const zo_solver *s = l->s;
    return s->queries + s->pending + (l->charged ? s->watched + s->aside : 0);
}

static int pays_for(const loop *l, uint64_t cost, uint64_t reserve)
{
    return cost <= l->budget && spent(l) <= l->budget - cost &&
           spent(l) + cost <= l->budget - reserve;
}

/* Will the next question tell F at x by itself? Asking is pure. */
static int tells_next(loop *l)
{
    zo_solver *s = l->s;
    const zo_fan *fan;
    l->trouble = solver_ask(s, &fan, l->err);
    int asks = !l->trouble && fan, tells = 0;
    if (asks && !memcmp(s->narrow->base[0], s->method->x, s->problem.d * sizeof(double)))
        tells = solver_tells_all(s, s->narrow) ||
                (s->values && fan->each && !fan->known && fan->ncomp == s->problem.n);
    if (asks && !s->method->settled) tells = 1; /* or the one after the probe */
    s->asked = NULL;
    return tells;
}

enum { IN_PASSING, WANTED }; /* a look for a row; one that something depends on */

/* F is not known anywhere, and the method goes its way without comparing. */
static int lacks_first(const loop *l)
{
    const zo_solver *s = l->s;
    return l->charged && s->method->step == 0 && !s->method->row->compares &&
           isnan(s->best_objective);
}

/* Where looks are charged they take at most a tenth of what is spent, but for the first, of a method that does not
 * compare values by itself, and the last. */
static int may_look(loop *l, int why)
{
    const zo_solver *s = l->s;
    if (l->c->track == ZO_TRACK_OFF) return 0;
    if (!l->charged) return 1;
    if (!pays_for(l, l->look, l->last ? 0 : l->reserve)) return 0;
    if (why == WANTED || l->last || l->c->track == ZO_TRACK_CHARGED) return 1;
    return (lacks_first(l) || (double)(s->watched + l->look) <= LOOKS * (double)s->queries) &&
           !tells_next(l);
}

/* The components whose values at x are not known; all of them: NULL. */
static const uint64_t *list_missing(zo_solver *s, const double *values, size_t *count)
{
    *count = s->problem.n;
    if (!values || s->method->set.noise > 0 || s->problem.by_point) return NULL;
    *count = 0;
    for (size_t i = 0; i < s->problem.n; i++)
        if (isnan(values[i])) s->missing[(*count)++] = i;
    return s->missing;
}

/* F at x (of the free coordinates) by a fan without directions, of the components that are not known there. */
static int look_at(loop *l, const double *x, double *f)
{
    zo_solver *s = l->s;
    const zo_problem *p = &s->problem;
    double *values = solver_values(s, x);
    zo_fan fan = {.n = p->n,
                  .d = s->d,
                  .nbase = 1,
                  .base = {solver_wide(s, x, s->shown)},
                  .radius = 1,
                  .sides = 1,
                  .by_point = p->by_point,
                  .log = s->log};
    fan.comp = list_missing(s, values, &fan.ncomp);
    fan.each = !fan.comp ? 0 : p->together ? ZO_MINE : 1;
    int code = ZO_OK;
    if (fan.each && solver_reserve(s, fan.ncomp, NULL)) return ZO_NO_MEMORY;
    if (fan.ncomp) code = answer(l, &fan, 1, fan.each ? s->answers : f);
    if (code != ZO_HALTED && fan.ncomp)
        *(l->last ? &s->aside : &s->watched) += zo_fan_queries(&fan);
    if (code) return code;
    for (size_t e = 0; fan.each && e < fan.ncomp; e++) values[fan.comp[e]] = s->answers[e];
    if (fan.each) *f = solver_mean(s, values);
    *f += prox_value(&p->psi, p->d, x);
    return code;
}

/* F at the method's point: what is known of it, or a look. */
static zo_status watch(loop *l, int why)
{
    zo_solver *s = l->s;
    if (s->objective_step == s->method->step && !isnan(s->objective)) return ZO_OK;
    s->objective = NAN;
    s->objective_step = s->method->step;
    if (solver_at_best(s) && !(s->method->set.noise > 0)) {
        s->objective = s->best_objective;
        return ZO_OK;
    }
    if (!may_look(l, why) || l->trouble) return l->trouble;
    double f;
    int code = look_at(l, s->method->x, &f);
    if (code == ZO_HALTED) return ZO_HALTED;
    if (code) return unanswered(l, code);
    s->objective = f;
    solver_offer(s, s->method->x, f);
    if (!isfinite(f)) s->known_step = s->method->step + 1; /* it was looked at, and is no result */
    return ZO_OK;
}

/* Single values are seen by the library's own callers of functions and programs. */
static zo_status check_history(const zo_solver *s, const zo_control *c, zo_error *err)
{
    int seen = s->callback || (s->problem.inside && s->problem.inside->keeps);
    if (!c->history || seen) return ZO_OK;
    return fail(
        err, ZO_UNSUPPORTED,
        "history: this problem answers whole questions, and its single values are not seen");
}

static void clock_in(loop *l) { l->s->seconds = now() - l->begun; }

static zo_status show(loop *l)
{
    zo_solver *s = l->s;
    zo_status status = watch(l, IN_PASSING);
    if (status || !l->c->watch) return status;
    zo_report r;
    clock_in(l);
    zo_look(s, &r);
    zo_row row = {.step = r.steps,
                  .queries = r.queries,
                  .watched = s->watched + (l->last ? s->aside : 0),
                  .units = r.units,
                  .seconds = r.seconds,
                  .objective = s->objective,
                  .gap = s->objective - l->c->optimum,
                  .residual = r.residual,
                  .nonzeros = vec_nonzeros(s->d, zo_last(s)),
                  .x = zo_last(s),
                  .best = s->best_objective};
    if (l->c->watch(l->c->watch_ctx, &row)) s->reason = ZO_AT_REQUEST;
    return ZO_OK;
}

/* Rows are due at the first change of the point behind each multiple of `every`: a function of the queries
 * alone, so that a resumed run shows the same rows. */
static zo_status show_if_due(loop *l)
{
    zo_solver *s = l->s;
    if ((double)s->queries < s->row_due) return ZO_OK;
    s->row_owed = 1;
    zo_status status = show(l);
    if (status) return status; /* the row is still due */
    s->row_owed = 0;
    s->row_due = (floor((double)s->queries / l->every) + 1) * l->every;
    s->row_queries = s->queries;
    return status;
}

static zo_status save(loop *l, zo_error *err)
{
    if (l->c->history) l->s->evaluations = history_next(l->c->history);
    if (!l->c->checkpoint) return ZO_OK;
    double start = now();
    clock_in(l);
    zo_status status = zo_save(l->s, l->c->checkpoint, err);
    l->saved = now();
    l->save_cost = l->saved - start;
    if (status) l->s->reason = ZO_AT_FAILURE;
    return status;
}

/* Every checkpoint_seconds, but never so often that writing takes more than a tenth of the time. */
static zo_status save_if_due(loop *l)
{
    const struct zo_together *t = l->s->problem.together;
    int due =
        l->c->checkpoint && now() - l->saved >= fmax(l->c->checkpoint_seconds, 9 * l->save_cost);
    if (t) due = t->grant(t->ctx, due); /* ranks save together, when rank 0 wants to */
    return due ? save(l, l->err) : ZO_OK;
}

/* Samples may lead a run away from a start that was as good as tol asks: a method that compares values does not stop at a
 * point that is worse than one that was seen, the next steps lead back. Not where noise says which is worse. */
static zo_status look_before_tol(loop *l)
{
    const method *m = l->s->method;
    if (!(m->residual <= l->c->tol) || !m->row->compares || l->c->track == ZO_TRACK_OFF)
        return ZO_OK;
    return watch(l, WANTED);
}

static int worse_than_seen(const zo_solver *s)
{
    double best = s->best_objective;
    int known = s->objective_step == s->method->step && s->method->row->compares &&
                !(s->method->set.noise > 0);
    return known && s->objective > best + 1e-12 * fabs(best);
}

static zo_reason why_stop(const loop *l)
{
    const zo_solver *s = l->s;
    const zo_control *c = l->c;
    int known = s->objective_step == s->method->step;
    if (s->reason) return s->reason;
    double reached = known ? s->objective : NAN;
    if (s->given.point == ZO_BEST) reached = fmin(reached, s->best_objective); /* passes over NaN */
    if (reached <= c->target) return ZO_AT_TARGET;
    if (reached - c->optimum <= c->gap) return ZO_AT_GAP;
    if (s->method->residual <= c->tol && !worse_than_seen(s)) return ZO_AT_TOL;
    if (s->method->step >= c->max_steps) return ZO_AT_STEPS;
    if (requested(l)) return ZO_AT_REQUEST;
    if (time_is_over(l)) return ZO_AT_SECONDS;
    return ZO_RUNNING;
}

/* The run is over because a point could not be evaluated. What failed there, if it was more than a number, is the error. */
static zo_status ended_by_failure(loop *l)
{
    const zo_problem *p = &l->s->problem;
    const callback *c = l->s->callback;
    int code = c ? callback_lost(c) : 0;
    int failed = code || (p->health && p->health(p->ctx).text);
    if (!failed || isfinite(l->s->flawed)) return ZO_OK;
    *l->s->warning = *l->s->first_flaw = 0;
    return unanswered(l, code ? code : ZO_PROBLEM);
}

/* One question and its answer. Sets reason when the budget or the method's questions are at their end. */
static zo_status turn(loop *l)
{
    zo_solver *s = l->s;
    const zo_fan *fan;
    zo_status status = solver_ask(s, &fan, l->err);
    if (status) return status;
    if (!fan) {
        s->reason = solver_end(s);
        return ZO_OK;
    }
    uint64_t cost = zo_fan_queries(fan);
    if (!pays_for(l, cost, l->reserve)) {
        s->reason = ZO_AT_QUERIES;
        if (!s->queries)
            snprintf(s->warning, sizeof s->warning,
                     "no step was taken: the first question takes %llu queries, and the budget has "
                     "%llu%s",
                     (unsigned long long)cost, (unsigned long long)l->budget,
                     l->charged && l->budget >= 2 * l->look
                         ? ", which went into single points around the start"
                         : "");
        return ZO_OK;
    }
    if ((status = solver_reserve(s, zo_fan_answers(fan), l->err))) return status;
    int code = answer(l, fan, 0, s->answers);
    if (code == ZO_HALTED) return ZO_HALTED;
    if (code) {
        s->queries += cost;
        return unanswered(l, code);
    }
    status = solver_tell(s, s->answers, l->err);
    return !status && s->halted ? ended_by_failure(l) : status;
}

static zo_status rounds(loop *l)
{
    zo_solver *s = l->s;
    int begins = s->queries == 0 && s->row_due == 0 && !s->method->row->residuals;
    zo_status status = s->row_owed || begins ? show_if_due(l) : ZO_OK;
    while (!status && !(status = look_before_tol(l)) && !(s->reason = why_stop(l))) {
        uint64_t step = s->method->step;
        if (lacks_first(l) && (status = watch(l, IN_PASSING))) break;
        if ((status = turn(l)) || s->reason) break;
        /* a method that knows F shows the start as soon as it does, and nobody pays */
        int known = s->row_due == 0 && s->method->row->residuals;
        if (s->method->step != step || known) status = show_if_due(l);
        if (!status && !mend_fan(s->mend)) status = save_if_due(l);
        if (!status && l->c->history) status = history_trouble(l->c->history, l->err);
    }
    if (status != ZO_HALTED) {
        solver_settle(s);
        return status;
    }
    s->asked = NULL; /* asking is pure: all is as it was before */
    solver_drop(s);
    l->refused = !requested(l) && !time_is_over(l);
    s->reason = requested(l) || l->refused ? ZO_AT_REQUEST : ZO_AT_SECONDS;
    return ZO_OK;
}

/* A budget below the price of the first step is used all the same. */
static zo_status spend_rest(loop *l)
{
    zo_solver *s = l->s;
    if (!l->charged || l->c->track == ZO_TRACK_OFF || s->reason != ZO_AT_QUERIES || s->method->step)
        return ZO_OK;
    rest r = rest_begin(s);
    while (!isnan(s->best_objective) && pays_for(l, l->look, 0)) {
        double f, before = s->best_objective;
        rest_point(&r, s->before);
        int code = look_at(l, s->before, &f);
        if (code) return code == ZO_HALTED ? ZO_OK : unanswered(l, code);
        solver_offer(s, s->before, f);
        rest_told(&r, s->best_objective < before);
    }
    return ZO_OK;
}

/* The end has a row of its own, unless one was due just there. */
static zo_status look_at_end(loop *l)
{
    zo_solver *s = l->s;
    zo_reason reason = s->reason;
    zo_status status = l->refused                     ? ZO_HALTED
                       : s->row_queries == s->queries ? watch(l, WANTED)
                                                      : show(l);
    if (status && status != ZO_HALTED) return status;
    s->reason = reason;
    return status ? ZO_OK : spend_rest(l);
}

zo_status zo_run(zo_solver *s, const zo_control *c, zo_report *report, zo_error *err)
{
    if (!s || !c) return fail(err, ZO_BAD_ARGUMENT, "%s: NULL", s ? "control" : "solver");
    zo_status status = solver_at_rest(s, "run", err);
    if (status || (status = check_control(c, err)) || (status = check_history(s, c, err)))
        return status;
    if (!s->started) return fail(err, ZO_BAD_STATE, "run: the solver has not been started");
    hold h;
    if ((status = solver_hold(s, c->checkpoint, &h, err))) return status;
    if (c->max_points < UINT64_MAX && !s->problem.by_point)
        return fail(err, ZO_BAD_ARGUMENT,
                    "points: this problem is paid by component; give queries or units");
    double unit = problem_unit(&s->problem);
    loop l = {.s = s,
              .c = c,
              .budget = c->max_queries < c->max_points ? c->max_queries : c->max_points,
              .every = c->every * unit,
              .err = err};
    if (c->max_units * unit < (double)l.budget)
        l.budget = (uint64_t)fmin(c->max_units * unit * (1 + DBL_EPSILON), 0x1.fffffffffffffp63);
    l.look = s->problem.by_point ? 1 : s->problem.n;
    l.charged = c->track == ZO_TRACK_CHARGED || (c->track == ZO_TRACK_ON && !s->problem.free_looks);
    if (l.charged && l.budget < UINT64_MAX && l.budget >= l.look && !s->method->row->residuals)
        l.reserve = l.look; /* a method of residuals knows F wherever it is */
    if (s->queries + s->pending == 0 && !s->asked && isnan(s->horizon) && l.budget < UINT64_MAX) {
        if ((status = solver_plan(s, (double)l.budget, err))) {
            hold_release(&h);
            return status;
        }
        method_start(s->method, s->previous);
    }
    l.begun = now() - s->seconds;
    l.saved = now();
    s->reason = ZO_RUNNING;
    s->running = 1;
    if (s->halted) *s->warning = 0;
    s->halted = 0;
    s->tries = 0;
    pace_begin(&l.pace, s, c, l.budget);
    zo_halt halt = {.asked = halt_asked,
                    .ctx = &l,
                    .told = c->progress ? halt_told : NULL,
                    .history = c->history,
                    .nonfinite = s->given.nonfinite};
    if (c->history) history_seek(c->history, s->evaluations);
    if (s->problem.heed) s->problem.heed(s->problem.ctx, &halt);
    status = rounds(&l);
    begin_last_look(&l);
    if (status == ZO_OK)
        status = save(&l, err);
    else if (status != ZO_IO)
        save(&l, NULL); /* what went wrong first is what the caller hears of */
    hold_release(&h);
    if (!status) status = look_at_end(&l);
    if (s->problem.heed) s->problem.heed(s->problem.ctx, NULL);
    s->running = 0;
    if (c->tol > -INFINITY && isnan(s->method->residual) && s->reason != ZO_AT_TOL && !s->halted)
        snprintf(s->warning, sizeof s->warning, "tol was never looked at: %s knows no residual",
                 s->method->row->info.name);
    solver_warn_of_flat(s);
    solver_warn_of_rise(s);
    solver_warn_of_failures(s);
    clock_in(&l);
    if (report) {
        zo_look(s, report);
        report->gap = report->objective - c->optimum;
    }
    return status ? status : succeed(err);
}
