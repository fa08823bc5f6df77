/* zoprox check: what it asks, where, at which price, and how far it is.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "prox/prox.h"
#include "run/check.h"

/* ---- asking ---------------------------------------------------------------------------------------- */

static int stop_asked(void *ctx)
{
    (void)ctx;
    return *stop_flag() != 0;
}

const char *check_unit(const trial *t)
{
    return t->brief && t->from->problem.by_point ? "runs" : "queries";
}

/* "check: 137 of 990 queries  0:38 left", ten times a second at most. */
static void told(void *ctx, uint64_t answered, uint64_t asked, int busy, int workers)
{
    trial *t = ctx;
    double now = clock_seconds(), done = (double)(t->done + answered);
    (void)asked;
    if (!t->shown || now - t->drawn < 0.1) return;
    t->drawn = now;
    fprintf(stderr, "\rcheck: %.0f of %s%llu %s", done, t->brief ? "" : "about ",
            (unsigned long long)t->price, check_unit(t));
    if (done > 0 && done < (double)t->price) {
        unsigned long left = (unsigned long)((now - t->begun) / done * ((double)t->price - done));
        fprintf(stderr, "  %lu:%02lu left", left / 60, left % 60);
    }
    if (workers) fprintf(stderr, "  busy %d of %d", busy, workers);
    fputs("\033[K", stderr);
    fflush(stderr);
}

/* The line goes before anything is printed. */
static void clear(trial *t)
{
    if (t->shown && t->drawn > 0) fputs("\r\033[K", stderr);
    t->drawn = 0;
}

int check_ask(trial *t, const zo_fan *fan, double *out)
{
    const zo_problem *p = &t->from->problem;
    zo_fan real = *fan;
    real.log = p->log; /* the points of parameters are theirs */
    int code = p->answer(p->ctx, &real, out);
    real.by_point = p->by_point && t->brief;
    t->done += zo_fan_queries(&real);
    clear(t);
    return code;
}

void check_begin(trial *t)
{
    const zo_problem *p = &t->from->problem;
    t->shown = isatty(STDERR_FILENO) && !t->asked->quiet;
    t->begun = clock_seconds();
    t->halt = (zo_halt){.asked = stop_asked, .ctx = t, .told = told};
    catch_signals();
    if (p->heed) p->heed(p->ctx, &t->halt);
}

void check_end(trial *t)
{
    const zo_problem *p = &t->from->problem;
    clear(t);
    if (p->heed) p->heed(p->ctx, NULL);
}

/* ---- where ------------------------------------------------------------------------------------------ */

/* The nearest point that psi allows: a simulator may not bear others. */
static void go_inside(const trial *t, double *x)
{
    const zo_problem *p = &t->from->problem;
    if (!isfinite(prox_value(&p->psi, p->d, x))) prox_apply(&p->psi, p->d, 1, x, x, t->work);
}

void check_directions(const trial *t, const double *base, double radius, size_t count, double *dir)
{
    size_t d = t->from->problem.d;
    for (double *u = dir; u < dir + count * d; u += d) {
        double *y = t->near;
        for (size_t j = 0; j < d; j++) y[j] = base[j] + radius * u[j];
        if (isfinite(prox_value(&t->from->problem.psi, d, y))) continue;
        go_inside(t, y); /* half-way there is inside, whatever rounding does */
        for (size_t j = 0; j < d; j++) u[j] = 0.5 * (y[j] - base[j]) / radius;
    }
}

int check_points(trial *t)
{
    const zo_problem *p = &t->from->problem;
    t->x = calloc(2 * p->d, sizeof *t->x);
    t->near = calloc(p->d, sizeof *t->near);
    t->work = calloc(prox_work(&p->psi, p->d) + 1, sizeof *t->work);
    if (!t->x || !t->near || !t->work) return complain(FAILED, "check: out of memory");
    int code = task_start(t->from, t->asked, t->x);
    if (code) return code;
    go_inside(t, t->x);
    double *other = t->x + p->d;
    rng_normals(1, FOR_CHECK, 0, 0, p->d, other);
    for (size_t j = 0; j < p->d; j++) other[j] = t->x[j] + 0.01 * fmax(fabs(t->x[j]), 1) * other[j];
    go_inside(t, other);
    /* files and FMUs are run by a worker of our own, which knows all forms; and a run may be dear */
    t->brief = t->asked->quick || runs_wanted(t->asked) || t->asked->fmu;
    t->ncomp = t->brief && !p->by_point ? 2 : 16;
    if (p->n < t->ncomp) t->ncomp = p->n;
    for (size_t e = 0; e < t->ncomp; e++) t->comp[e] = e * p->n / t->ncomp;
    return DONE;
}

int check_broken(const trial *t)
{
    const zo_problem *p = &t->from->problem;
    const char *text = p->health ? p->health(p->ctx).text : NULL;
    if (*stop_flag()) return complain(FAILED, "check: interrupted");
    return complain(FAILED, "%s", text ? text : "the black box failed");
}

/* ---- the price -------------------------------------------------------------------------------------- */

void check_announce(trial *t, uint64_t all)
{
    const zo_problem *p = &t->from->problem;
    uint64_t quick = p->by_point ? 4 : 4 * (p->n < 2 ? p->n : 2);
    double unit = (double)p->d * (t->brief && p->by_point ? 1 : (double)p->n);
    t->price = t->brief ? quick : all;
    printf("price        %s%llu %s (%.3g units)", t->brief ? "" : "at least ",
           (unsigned long long)t->price, check_unit(t), (double)t->price / unit);
    if (!t->brief)
        printf(", more where the program is fast; --quick takes %llu", (unsigned long long)quick);
    printf("\n");
}
