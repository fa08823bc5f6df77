/* The solver: a problem, a method, and one question at a time between them.
 * SPDX-License-Identifier: MIT */
#include "solve/solver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/real.h"
#include "base/vec.h"
#include "method/core/own.h"
#include "problem/outer.h"

zo_status solver_plan(zo_solver *s, double horizon, zo_error *err)
{
    zo_settings set = s->given;
    if (isnan(set.horizon)) set.horizon = horizon;
    method *made;
    zo_status status = s->own ? method_of_row(&made, &s->own->row, &s->problem, &set, err)
                              : method_new(&made, &s->problem, &set, err);
    if (status) return status; /* the method that was there still is */
    method_free(s->method);
    s->method = made;
    solver_lend(s);
    s->horizon = set.horizon;
    return ZO_OK;
}

/* The method has ended with another that goes on from here. After a failure it is tried again before the next ask. */
static zo_status hand_over(zo_solver *s, zo_error *err)
{
    method *made;
    while (*s->method->next.to) {
        zo_status status =
            method_follow(&made, s->method, &s->problem, &s->given, (double)s->queries, err);
        if (status) return status;
        method_free(s->method);
        s->method = made;
    }
    return ZO_OK;
}

zo_status solver_resume_as(zo_solver *s, const char *name, zo_error *err)
{
    if (!strcmp(s->method->row->info.name, name)) return ZO_OK;
    zo_settings set = s->given;
    snprintf(set.method, sizeof set.method, "%s", name);
    set.horizon = s->horizon;
    method *made;
    zo_status status = method_new(&made, &s->problem, &set, err);
    if (status) return status;
    method_free(s->method);
    s->method = made;
    solver_lend(s);
    return ZO_OK;
}

void solver_is_held(zo_solver *s) { s->held = 1; }

void solver_forget(zo_solver *s)
{
    for (size_t k = 0; k < s->nstates; k++) memset(s->state[k].at, 0, 8 * s->state[k].words);
    s->first_objective = s->best_objective = s->objective = NAN;
    solver_drop(s);
    if (solver_plan(s, NAN, NULL)) s->started = s->halted = 1; /* no memory: of no use any more */
}

/* Says that the run begins elsewhere than at x0, unless only rounding has moved it. */
static void note_move(zo_solver *s, const double *x0)
{
    const double *x = zo_point(s);
    double reach = 0;
    size_t first = 0, count = 0;
    for (size_t j = 0; j < s->d; j++) reach = fmax(reach, fmax(fabs(x[j]), fabs(x0[j])));
    for (size_t j = s->d; j-- > 0;)
        if (fabs(x[j] - x0[j]) > fmax(1e-9 * fabs(x0[j]), 1e-15 * reach)) first = j, count++;
    if (!count) return;
    char more[48] = "", values[64] = "";
    if (count > 1) snprintf(more, sizeof more, " (and %zu more)", count - 1);
    double from = x0[first], to = x[first];
    if (s->log && s->log[first]) from = real_exp(from), to = real_exp(to); /* as users know it */
    snprintf(values, sizeof values, " from %.6g to %.6g", from, to);
    snprintf(s->moved, sizeof s->moved, "the start was moved into the domain of psi: x[%zu]%s%s",
             first, values, more);
}

/* Begins at x0, or where that is outside psi's domain at the nearest point inside it. */
zo_status zo_start(zo_solver *s, const double *x0, zo_error *err)
{
    if (!s) return fail(err, ZO_BAD_ARGUMENT, "solver: NULL");
    size_t d = s->problem.d;
    const zo_prox *psi = &s->problem.psi;
    if (s->started) return fail(err, ZO_BAD_STATE, "start: this solver has been started already");
    for (size_t j = 0; x0 && j < s->d; j++)
        if (!isfinite(x0[j]))
            return fail(err, ZO_BAD_ARGUMENT, "x0: coordinate %zu is %g, not a finite number", j,
                        x0[j]);
    if (x0 && s->fixed)
        fixed_narrow(s->fixed, x0, s->previous);
    else if (x0)
        vec_copy(d, x0, s->previous);
    if (!isfinite(prox_value(psi, d, s->previous)))
        prox_apply(psi, d, 1, s->previous, s->previous, s->work);
    vec_copy(d, s->previous, s->best);
    method_start(s->method, s->previous);
    s->started = 1;
    if (x0) note_move(s, x0);
    return succeed(err);
}

zo_status solver_at_rest(const zo_solver *s, const char *call, zo_error *err)
{
    if (!s->running) return ZO_OK;
    return fail(err, ZO_BAD_STATE,
                "%s: this solver is in zo_run, which called you; wait until it returns", call);
}

zo_status zo_ask(zo_solver *s, const zo_fan **fan, zo_error *err)
{
    if (!s || !fan) return fail(err, ZO_BAD_ARGUMENT, "%s: NULL", s ? "fan" : "solver");
    *fan = NULL;
    zo_status status = solver_at_rest(s, "ask", err);
    if (status || (status = solver_ask(s, fan, err))) return status;
    s->reason = *fan ? ZO_RUNNING : solver_end(s);
    return ZO_OK;
}

zo_status solver_ask(zo_solver *s, const zo_fan **fan, zo_error *err)
{
    *fan = NULL;
    if (!s->started) return fail(err, ZO_BAD_STATE, "ask: the solver has not been started");
    if (s->halted) return succeed(err);
    zo_status status = hand_over(s, err);
    if (status) return status;
    if (s->fixed && fixed_all(s->fixed)) return succeed(err); /* there is nothing to find */
    s->asked = mend_fan(s->mend);
    if (!s->asked) s->asked = method_ask(s->method);
    if (s->asked && s->asked->each && s->problem.means_only) {
        s->asked = NULL;
        return fail(err, ZO_UNSUPPORTED,
                    "method: %s asks component by component, and this problem answers means only",
                    s->method->row->info.name);
    }
    if (s->asked && s->problem.by_point && !s->whole &&
        (s->asked->own || s->asked->ncomp != s->problem.n)) {
        s->asked = NULL;
        return fail(err, ZO_UNSUPPORTED,
                    "method: %s asks a part of the components, and one run of this problem gives "
                    "all; take lm, mean, fista or pgd",
                    s->method->row->info.name);
    }
    if (s->asked && s->fence && !(s->asked = fence_ask(s->fence, s->method, s->asked)))
        return out_of_memory(err, "a question within bounds", s->problem.d);
    s->narrow = s->asked;
    if (s->asked && s->fixed && !(s->asked = fixed_ask(s->fixed, s->asked)))
        return out_of_memory(err, "a question with all coordinates", s->d);
    if (s->asked && s->log) { /* methods, bounds and fixed coordinates know nothing of it */
        s->worded = *s->asked;
        s->worded.log = s->log;
        s->asked = &s->worded;
    }
    *fan = s->asked;
    return succeed(err);
}

zo_reason solver_end(const zo_solver *s)
{
    return s->halted ? ZO_AT_NONFINITE : s->method->ended ? s->method->ended : ZO_AT_END;
}

/* Half-way back to where the last step came from, and when that did not help often, all the way. 0: there is nowhere to
 * go. */
static int step_back(zo_solver *s)
{
    size_t d = s->problem.d;
    double *x = s->method->x, part = s->tries < SOLVER_REJECTIONS ? 0.5 : 0;
    double moved = 0;
    for (size_t j = 0; j < d; j++) {
        double half = part * x[j] + (1 - part) * s->previous[j];
        moved += half != x[j];
        x[j] = half;
    }
    s->objective = NAN; /* it was that of the point left behind */
    return moved > 0;
}

enum { SOME = 64, LANES = 8 };

/* Where the sum of SOME |a_k| can be used, each of them can: no number is beyond it, and none is NaN. Mostly it can. */
static int surely_usable(const double *a)
{
    double sum[LANES] = {0};
    for (size_t k = 0; k < SOME; k += LANES)
        for (size_t lane = 0; lane < LANES; lane++) sum[lane] += fabs(a[k + lane]);
    for (size_t lane = 1; lane < LANES; lane++) sum[0] += sum[lane];
    return sum[0] <= LARGEST_ANSWER;
}

/* 1: the which-th answer is the first that cannot be used: not finite, or so large that its square is not. */
static int unusable(const zo_solver *s, const double *answers, size_t *which)
{
    size_t count = zo_fan_answers(s->asked);
    for (size_t k = 0; k < count;) {
        if (k + SOME <= count && surely_usable(answers + k)) {
            k += SOME;
            continue;
        }
        for (size_t end = k + SOME < count ? k + SOME : count; k < end; k++)
            if (!(fabs(answers[k]) <= LARGEST_ANSWER)) {
                *which = k;
                return 1;
            }
    }
    return 0;
}

void solver_drop(zo_solver *s)
{
    mend_drop(s->mend);
    s->pending = 0;
}

void solver_settle(zo_solver *s)
{
    s->queries += s->pending;
    solver_drop(s);
}

/* The method's point cannot be evaluated: it goes half-way back and asks there, or this was the last question. */
static void refuse(zo_solver *s)
{
    s->tries++;
    if (s->given.nonfinite != ZO_STOP && s->tries <= SOLVER_REJECTIONS && step_back(s)) {
        s->retried++;
        return;
    }
    s->halted = 1;
    s->reason = ZO_AT_NONFINITE;
    solver_warn_of_flaw(s);
}

/* Single values are asked again by what calls functions and programs; what others answer is asked again here. */
static unsigned asks_again(const zo_solver *s, const double *answers)
{
    int below = answers == s->answers && (s->callback || s->whole || s->problem.inside);
    return s->given.nonfinite == ZO_RETRY && !below ? SOLVER_RETRIES : 0;
}

/* A point that was only tried is refused by the method itself, unless it is to be asked again. */
static int refused_by_method(const zo_solver *s, const double *answers)
{
    const method *m = s->method;
    return !asks_again(s, answers) && m->row->bears && m->row->bears(m);
}

/* Does f change with x at all? The differences say so, or where the base values are known the values, which then are
 * not all the same. Nothing is learnt from a fan with one point. */
static void feel(zo_solver *s, const zo_fan *fan, const double *answers)
{
    size_t count = zo_fan_answers(fan), per = zo_fan_set(fan) / fan->nbase;
    int asked_for =
        isnan(s->given.radius) || fan->radius == s->given.radius; /* else: a method's own probe */
    if (s->felt || per < 2 || !asked_for) return;
    for (size_t k = 0; k < count && !s->felt; k += per)
        for (size_t j = 1; j < per; j++) s->felt |= answers[k + j] != (fan->known ? answers[k] : 0);
    s->unfelt += !s->felt;
}

void solver_warn_of_flat(zo_solver *s)
{
    size_t d = s->problem.d, moved = 0;
    for (size_t j = 0; j < d; j++) moved += s->method->x[j] != s->previous[j];
    int flat = !s->felt && s->unfelt;
    if (moved || *s->warning) return;
    if (!flat && s->reason == ZO_AT_NOISE && !s->method->step)
        snprintf(s->warning, sizeof s->warning,
                 "no step was taken: f changes by less than its noise; are its values rounded?");
    if (!flat) return;
    if (isnan(s->given.radius))
        snprintf(s->warning, sizeof s->warning,
                 "f never changed where it was asked, near the point: does it depend on x, or is "
                 "there a kink? try sides=2, or another start");
    else
        snprintf(
            s->warning, sizeof s->warning,
            "f never changed within radius %.3g of the point, where it was asked; that may be too "
            "small, try auto",
            s->given.radius);
}

/* By orders: more than ten times all that F was, or had fallen by. */
void solver_warn_of_rise(zo_solver *s)
{
    double first = s->first_objective, fell = first - s->best_objective;
    double rose = s->objective - first;
    if (*s->warning || s->objective_step != s->method->step) return;
    if (!(rose > 10 * fmax(fabs(first), fell))) return;
    snprintf(s->warning, sizeof s->warning,
             "F rose from %.3g to %.3g: steps are too long, or single answers are wild; the best "
             "point seen has %.3g",
             first, s->objective, s->best_objective);
}

zo_status zo_tell(zo_solver *s, const double *answers, zo_error *err)
{
    if (!s || !answers) return fail(err, ZO_BAD_ARGUMENT, "%s: NULL", s ? "answers" : "solver");
    zo_status status = solver_at_rest(s, "tell", err);
    return status ? status : solver_tell(s, answers, err);
}

/* The method's question has its answers. */
static zo_status tell_method(zo_solver *s, const double *answers, zo_error *err)
{
    method *m = s->method;
    uint64_t step = m->step;
    s->tries = 0;
    s->begun = 1;
    solver_settle(s);
    vec_copy(s->problem.d, m->x, s->before);
    method_tell(m, answers);
    solver_keep_values(s);
    if (m->step != step) vec_copy(s->problem.d, s->before, s->previous);
    zo_status status = hand_over(s, err);
    return status ? status : succeed(err);
}

/* What becomes of answers of which the which-th cannot be used. */
static int mend_answer(zo_solver *s, const double *answers, const double *told, size_t which)
{
    s->failures++;
    solver_note_flaw(s, answers, which);
    if (refused_by_method(s, answers)) {
        s->retried++;
        return MEND_DONE;
    }
    if (s->given.nonfinite == ZO_STOP) return MEND_REFUSES;
    int state = mend_begin(s->mend, s->method, told, asks_again(s, answers));
    s->retried += state == MEND_ASKS;
    return state;
}

zo_status solver_tell(zo_solver *s, const double *answers, zo_error *err)
{
    if (!s->asked) return fail(err, ZO_BAD_STATE, "tell: nothing was asked");
    int mending = mend_fan(s->mend) != NULL, state = MEND_DONE;
    s->pending += zo_fan_queries(s->asked);
    size_t which;
    int bad = unusable(s, answers, &which);
    const double *told = s->fence ? fence_tell(s->fence, answers) : answers;
    if (!mending) {
        if (!bad) feel(s, s->asked, answers);
        solver_learn(s, s->narrow, answers);
        if (bad) state = mend_answer(s, answers, told, which);
    } else {
        state = mend_tell(s->mend, told);
        s->retried += state == MEND_ASKS;
    }
    if (mending) told = mend_answers(s->mend);
    s->asked = NULL;
    if (state == MEND_NO_MEMORY) return out_of_memory(err, "answers", s->problem.d);
    if (state == MEND_DONE) return tell_method(s, told, err);
    if (state == MEND_REFUSES) {
        solver_settle(s);
        refuse(s);
    }
    return succeed(err);
}

uint64_t solver_failures(const zo_solver *s)
{
    zo_health h = s->problem.health ? s->problem.health(s->problem.ctx) : (zo_health){0};
    return h.failures > s->failures ? h.failures : s->failures;
}

void zo_look(const zo_solver *s, zo_report *r)
{
    const method *m = s->method;
    *r = (zo_report){.reason = s->reason,
                     .steps = m->step,
                     .queries = s->queries + s->pending,
                     .watched = s->watched + s->aside,
                     .retried = s->retried,
                     .failures = solver_failures(s),
                     .extra = s->extra,
                     .row_queries = s->row_queries};
    if (s->problem.health) r->retried += s->problem.health(s->problem.ctx).retried;
    r->units = (double)r->queries / problem_unit(&s->problem);
    r->seconds = s->seconds;
    r->objective = solver_objective(s);
    r->best_objective = s->best_objective;
    r->gap = NAN;
    r->residual = m->residual;
    r->error = m->error;
    r->nonzeros = vec_nonzeros(s->d, zo_point(s));
    r->settings = m->set;
    snprintf(r->method, sizeof r->method, "%s", m->row->info.name);
    snprintf(r->chosen, sizeof r->chosen, "%s", m->chosen);
    snprintf(r->warning, sizeof r->warning, "%s%s%s", m->warning,
             *m->warning && *s->warning ? "; " : "", s->warning);
    size_t used = strlen(r->warning);
    snprintf(r->warning + used, sizeof r->warning - used, "%s%s", used && *s->moved ? "; " : "",
             s->moved);
}

int solver_answer(zo_solver *s, const zo_fan *fan, int watching, double *out)
{
    const zo_problem *p = &s->problem;
    if (s->composed && (watching || !s->method->row->residuals))
        return composed_answer(s->composed, fan, out);
    return p->answer(p->ctx, fan, out);
}

zo_status solver_reserve(zo_solver *s, size_t answers, zo_error *err)
{
    if (answers <= s->nanswers) return ZO_OK;
    double *room = mem_new(answers, sizeof *room);
    if (!room) return out_of_memory(err, "answers", answers);
    mem_free(s->answers);
    s->answers = room;
    s->nanswers = answers;
    return ZO_OK;
}
