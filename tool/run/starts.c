/* --starts K: runs from K points, half of which go on after each round with the same share of the budget for a round, until one
 * is left: successive halving. Half of the budget is spent so; the run that follows begins at the best point.
 * SPDX-License-Identifier: MIT */
#include "run/starts.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "method/load.h"
#include "prox/prox.h"

#define SHARE 0.5      /* of the budget */
#define DIFFERENT 1e-3 /* relative: two values of F that are not the same minimum's */

typedef struct one {
    zo_solver *solver;
    own_method *own;
    zo_report report;
    size_t slot; /* whose black box answers it */
} one;

/* Black boxes are opened several times, each with a part of the workers, so that starts go on side by side: what a start
 * does depends on its own answers only. */
enum { MOST_SLOTS = 64 };
typedef struct slots {
    size_t count;
    task at[MOST_SLOTS];
    const task *first; /* the task itself, where there is one slot */
} slots;

static const zo_problem *problem_of(const slots *s, size_t k)
{
    return s->count == 1 ? &s->first->problem : &s->at[k].problem;
}

static void slots_close(slots *s)
{
    for (size_t k = 0; k < s->count && s->count > 1; k++) task_close(&s->at[k]);
}

/* A journal and a folder of questions have one user. Built-in losses have threads of their own. */
static int slots_open(slots *s, const request *r, const task *from)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t most = r->workers ? r->workers : cores > 1 ? (uint64_t)cores : 1;
    if (most > MOST_SLOTS) most = MOST_SLOTS;
    if (most > r->starts) most = r->starts;
    s->first = from;
    s->count = 1;
    if (!box_wanted(r) || r->journal || r->files || most < 2) return DONE;
    request part = *r;
    part.workers = (r->workers ? r->workers : most) / most;
    part.quiet = 1;
    for (size_t k = 0; k < most; k++) {
        int code = task_open(&s->at[k], &part);
        s->count = k + 1;
        s->at[k].made = NULL; /* the first task's */
        if (!code) continue;
        while (k-- > 0) task_close(&s->at[k]);
        s->count = 1;
        return code;
    }
    return DONE;
}

/* Within bounds evenly; where there are none, around the start at the distance of a large change. */
static void draw(const task *s, uint64_t seed, size_t k, const double *lo, const double *hi,
                 const double *from, double *x)
{
    for (size_t j = 0; j < s->problem.d; j++) {
        double u = rng_uniform(seed, FOR_CHECK, k, (uint32_t)j);
        double scale = s->problem.scale ? s->problem.scale[j] : fmax(1, fabs(from[j]));
        double low = isfinite(lo[j])   ? lo[j]
                     : isfinite(hi[j]) ? hi[j] - 2 * scale
                                       : from[j] - scale;
        double high = isfinite(hi[j]) ? hi[j] : low + 2 * scale;
        x[j] = low + u * (high - low);
    }
}

static double value_of(const one *a)
{
    return isfinite(a->report.best_objective) ? a->report.best_objective : INFINITY;
}

static int by_value(const void *a, const void *b)
{
    double x = value_of(a), y = value_of(b);
    return (x > y) - (x < y);
}

/* How many of the values of runs that converged are different minima. */
static size_t count_minima(const one *at, size_t count)
{
    size_t found = 0;
    double last = NAN;
    for (size_t k = 0; k < count; k++) { /* sorted */
        double f = value_of(&at[k]);
        if (at[k].report.reason != ZO_AT_END || isinf(f)) continue;
        if (!found || f - last > DIFFERENT * fmax(fabs(last), DIFFERENT)) found++;
        last = f;
    }
    return found;
}

/* One round: each of the first count goes on with so many units more. */
typedef struct lap {
    one *at;
    size_t count, slot;
    double units;
    const zo_control *limits;
    zo_status status;
    zo_error err;
} lap;

static void *go_on_slot(void *ctx)
{
    lap *r = ctx;
    for (size_t k = 0; k < r->count && !r->status; k++) {
        one *a = &r->at[k];
        zo_control c = *r->limits;
        c.max_units = a->report.units + r->units;
        if (a->slot != r->slot || a->report.reason == ZO_AT_END) continue;
        if (*c.stop) break;
        r->status = zo_run(a->solver, &c, &a->report, &r->err);
    }
    return NULL;
}

static int go_on(one *at, size_t count, size_t nslots, double units, const zo_control *limits)
{
    lap part[MOST_SLOTS];
    pthread_t thread[MOST_SLOTS];
    int alone[MOST_SLOTS], code = DONE;
    for (size_t k = 0; k < nslots; k++)
        part[k] = (lap){.at = at, .count = count, .slot = k, .units = units, .limits = limits};
    for (size_t k = 1; k < nslots; k++)
        alone[k] = pthread_create(&thread[k], NULL, go_on_slot, &part[k]);
    go_on_slot(&part[0]);
    for (size_t k = 1; k < nslots; k++)
        if (alone[k])
            go_on_slot(&part[k]);
        else
            pthread_join(thread[k], NULL);
    for (size_t k = 0; k < nslots && !code; k++)
        if (part[k].status) code = complain_of(&part[k].err);
    return code;
}

static int search(const slots *s, one *at, size_t count, double budget, const zo_control *limits,
                  starts *out)
{
    size_t left = count, rounds = 1;
    for (size_t k = count; k > 2; k = (k + 1) / 2) rounds++;
    for (size_t r = 0; r < rounds; r++, left = (left + 1) / 2) {
        int code = go_on(at, left, s->count, SHARE * budget / (double)(rounds * left), limits);
        if (code) return code;
        qsort(at, left, sizeof *at, by_value);
        if (*limits->stop) break;
    }
    qsort(at, count, sizeof *at, by_value);
    out->minima = count_minima(at, count);
    out->best = value_of(&at[0]);
    for (size_t k = 0; k < count; k++) {
        out->queries += at[k].report.queries + at[k].report.watched + at[k].report.extra;
        out->units += at[k].report.units;
    }
    memcpy(out->x, zo_point(at[0].solver), s->first->problem.d * sizeof *out->x);
    return DONE;
}

static int open_all(const request *r, const slots *by, const zo_settings *set, one *at, starts *out)
{
    zo_error err;
    const task *s = by->first;
    size_t d = s->problem.d;
    double *lo = calloc(3 * d, sizeof *lo), *hi = lo + d, *x = hi + d;
    int code = lo ? DONE : complain(FAILED, "starts: out of memory");
    if (!code && !prox_bounds(&s->problem.psi, d, lo, hi))
        for (size_t j = 0; j < d; j++) lo[j] = -INFINITY, hi[j] = INFINITY;
    for (size_t k = 0; k < r->starts && !code; k++) {
        memcpy(x, out->x, d * sizeof *x); /* the first is the start itself */
        if (k) draw(s, set->seed, k, lo, hi, out->x, x);
        at[k].slot = k % by->count;
        if (solver_open(&at[k].solver, &at[k].own, problem_of(by, at[k].slot), set, &err) ||
            zo_start(at[k].solver, x, &err))
            code = complain_of(&err);
    }
    free(lo);
    return code;
}

int starts_check(const request *r)
{
    if (!r->starts) return DONE;
    if (r->checkpoint || r->history || r->resume)
        return complain(REFUSED, "--starts: --%s belongs to one run, and there are several",
                        r->checkpoint ? "checkpoint"
                        : r->page     ? "page"
                        : r->history  ? "history"
                                      : "resume");
    if (ranks_size() > 1) return complain(REFUSED, "--starts: ranks cannot share them");
    if (r->starts < 2 || r->starts > MOST_STARTS)
        return complain(REFUSED, "--starts: %llu is outside [2, %d]", (unsigned long long)r->starts,
                        MOST_STARTS);
    return DONE;
}

int starts_find(const request *r, const task *s, const zo_settings *set, zo_control *control,
                starts *out)
{
    one *at = calloc(r->starts, sizeof *at);
    double unit = (s->problem.by_point ? 1 : (double)s->problem.n) * (double)s->problem.d, budget;
    budget =
        fmin(control->max_units,
             control->max_queries == UINT64_MAX ? INFINITY : (double)control->max_queries / unit);
    if (control->max_points < UINT64_MAX) budget = fmin(budget, (double)control->max_points / unit);
    if (!at) return complain(FAILED, "starts: out of memory");
    zo_control limits = zo_no_limits();
    limits.stop = control->stop;
    limits.tol = control->tol;
    limits.target = control->target;
    limits.max_seconds = SHARE * control->max_seconds / (double)r->starts;
    limits.every = control->every;
    int code =
        isfinite(budget)
            ? DONE
            : complain(REFUSED,
                       "--starts: a budget in units, queries or points is needed, to be shared");
    slots by = {0};
    if (!code) code = slots_open(&by, r, s);
    if (!code) code = open_all(r, &by, set, at, out);
    if (!code) code = search(&by, at, r->starts, budget, &limits, out);
    for (size_t k = 0; k < r->starts; k++) zo_free(at[k].solver), own_close(at[k].own);
    slots_close(&by);
    free(at);
    control->max_units -= out->units;
    if (control->max_queries < UINT64_MAX)
        control->max_queries -=
            out->queries < control->max_queries ? out->queries : control->max_queries - 1;
    if (control->max_points < UINT64_MAX)
        control->max_points -=
            out->queries < control->max_points ? out->queries : control->max_points - 1;
    if (!code && !r->quiet) {
        fprintf(stderr, "zoprox: starts: the best of %llu has F %.9g after %llu queries",
                (unsigned long long)r->starts, out->best, (unsigned long long)out->queries);
        if (out->minima > 1) fprintf(stderr, "; %zu different minima were reached", out->minima);
        fputc('\n', stderr);
    }
    return code;
}
