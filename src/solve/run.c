/* The loop: budget, rows, stopping, checkpoints. Clocks and files live here and nowhere below.
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/draft.h"
#include "base/error.h"
#include "base/vec.h"
#include "history/history.h"
#include "problem/ranks/together.h"
#include "solve/loop.h"

static double now(void) { return pace_clock(); }

/* ---- stopping in the middle of an answer ---------------------------------------------------------- */

static const double last_look = 2; /* seconds that it may take after a wish to stop, and */
static const double share = 0.05;  /* its share of max_seconds, if that is more */

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
    double part = l->c->max_seconds < INFINITY && !requested(l) ? share * l->c->max_seconds : 0;
    l->last = 1;
    l->grace = now() + fmax(last_look, part);
}

static void clock_in(loop *l) { l->s->seconds = now() - l->begun; }

static zo_status show(loop *l)
{
    zo_solver *s = l->s;
    zo_status status = loop_watch(l, IN_PASSING);
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
    return loop_watch(l, WANTED);
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
    return loop_unanswered(l, code ? code : ZO_PROBLEM);
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
    if (!loop_pays(l, cost, loop_reserve(l))) {
        s->reason = ZO_AT_QUERIES;
        if (!s->queries)
            snprintf(s->warning, sizeof s->warning,
                     "no step was taken: the first question takes %llu queries, and the budget has "
                     "%llu%s%s",
                     (unsigned long long)cost, (unsigned long long)l->budget,
                     cost <= l->budget ? ", some of them to know F" : "",
                     l->charged && l->budget >= 2 * l->look
                         ? ", which went into single points around the start"
                         : "");
        return ZO_OK;
    }
    if ((status = solver_reserve(s, zo_fan_answers(fan), l->err))) return status;
    int code = loop_answer(l, fan, 0, s->answers);
    if (code == ZO_HALTED) return ZO_HALTED;
    if (code) {
        s->queries += cost;
        return loop_unanswered(l, code);
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
        if (loop_lacks_first(l) && (status = loop_watch(l, IN_PASSING))) break;
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

/* The end has a row of its own, unless one was due just there. */
static zo_status look_at_end(loop *l)
{
    zo_solver *s = l->s;
    zo_reason reason = s->reason;
    zo_status status = l->refused                     ? ZO_HALTED
                       : s->row_queries == s->queries ? loop_watch(l, WANTED)
                                                      : show(l);
    if (status && status != ZO_HALTED) return status;
    s->reason = reason;
    return status ? ZO_OK : loop_spend_rest(l);
}

/* ---- the run ---------------------------------------------------------------------------------------- */

static void set_budget(loop *l)
{
    const zo_solver *s = l->s;
    const zo_control *c = l->c;
    double unit = problem_unit(&s->problem);
    l->budget = c->max_queries < c->max_points ? c->max_queries : c->max_points;
    if (c->max_units * unit < (double)l->budget)
        l->budget = (uint64_t)fmin(c->max_units * unit * (1 + DBL_EPSILON), 0x1.fffffffffffffp63);
    l->every = c->every * unit;
    l->look = s->problem.by_point ? 1 : s->problem.n;
    l->charged =
        c->track == ZO_TRACK_CHARGED || (c->track == ZO_TRACK_ON && !s->problem.free_looks);
    if (l->charged && l->budget < UINT64_MAX && l->budget >= l->look) l->reserve = l->look;
}

/* A method that was told nothing yet is made for what this run can spend. */
static zo_status plan_for_budget(loop *l)
{
    zo_solver *s = l->s;
    if (s->queries + s->pending || s->asked || !isnan(s->horizon) || l->budget == UINT64_MAX)
        return ZO_OK;
    zo_status status = solver_plan(s, (double)l->budget, l->err);
    if (!status) method_start(s->method, s->previous);
    return status;
}

static void begin(loop *l)
{
    zo_solver *s = l->s;
    const zo_control *c = l->c;
    l->begun = now() - s->seconds;
    l->saved = now();
    s->reason = ZO_RUNNING;
    s->running = 1;
    if (s->halted) *s->warning = 0;
    s->halted = 0;
    s->tries = 0;
    pace_begin(&l->pace, s, c, l->budget);
    l->halt = (zo_halt){.asked = halt_asked,
                        .ctx = l,
                        .told = c->progress ? halt_told : NULL,
                        .history = c->history,
                        .nonfinite = s->given.nonfinite};
    if (c->history) history_seek(c->history, s->evaluations);
    if (s->problem.heed) s->problem.heed(s->problem.ctx, &l->halt);
}

/* All that was paid for went into a first look at f. */
static void warn_of_no_step(zo_solver *s)
{
    if (*s->warning || s->reason != ZO_AT_QUERIES || s->method->step || !s->queries) return;
    if (s->best_objective < s->first_objective) return;
    snprintf(s->warning, sizeof s->warning,
             "no step was taken: all %llu queries went into a first look at f; give about twice as "
             "many, or a method that asks less at a time, such as zosgd",
             (unsigned long long)s->queries);
}

static void end(loop *l)
{
    zo_solver *s = l->s;
    if (s->problem.heed) s->problem.heed(s->problem.ctx, NULL);
    if (l->c->history) history_settle(l->c->history); /* who hears of the end may read it */
    s->running = 0;
    if (l->c->tol > -INFINITY && isnan(s->method->residual) && s->reason != ZO_AT_TOL && !s->halted)
        snprintf(s->warning, sizeof s->warning, "tol was never looked at: %s knows no residual",
                 s->method->row->info.name);
    solver_warn_of_start(s);
    solver_warn_of_flat(s);
    warn_of_no_step(s);
    solver_warn_of_rise(s);
    solver_warn_of_failures(s);
    clock_in(l);
}

zo_status zo_run(zo_solver *s, const zo_control *c, zo_report *report, zo_error *err)
{
    if (!s || !c) return fail(err, ZO_BAD_ARGUMENT, "%s: NULL", s ? "control" : "solver");
    zo_status status = solver_at_rest(s, "run", err);
    loop l = {.s = s, .c = c, .err = err};
    hold h;
    if (status || (status = control_check(s, c, err)) ||
        (status = solver_hold(s, c->checkpoint, &h, err)))
        return status;
    set_budget(&l);
    if ((status = plan_for_budget(&l))) {
        hold_release(&h);
        return status;
    }
    begin(&l);
    status = rounds(&l);
    begin_last_look(&l);
    if (status == ZO_OK)
        status = save(&l, err);
    else if (status != ZO_IO)
        save(&l, NULL); /* what went wrong first is what the caller hears of */
    hold_release(&h);
    if (!status) status = look_at_end(&l);
    end(&l);
    if (report) {
        zo_look(s, report);
        report->gap = report->objective - c->optimum;
    }
    return status ? status : succeed(err);
}
