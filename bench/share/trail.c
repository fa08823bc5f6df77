/* One run of a method on a problem of share/problem.h, followed step by step.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "share/trail.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "method/component/state.h"
#include "solve/solver.h"

double trail_now(void) /* of this process: one thread, so the wall time of a quiet machine */
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static void look(const zo_problem *clean, zo_solver *solver, trail *t)
{
    zo_report r;
    const double *x = zo_point(solver);
    zo_look(solver, &r);
    t->hash = mix(t->hash, r.queries);
    for (size_t j = 0; j < clean->d; j++) {
        uint64_t word;
        memcpy(&word, x + j, 8);
        t->hash = mix(t->hash, word);
    }
    if (t->rows >= MOST_ROWS) return;
    t->units[t->rows] = r.units;
    t->objective[t->rows++] = objective_at(clean, x);
    memcpy(t->chosen, r.chosen, sizeof r.chosen);
}

void trail_follow(trail *t, const bench_problem *b, const zo_settings *given, uint64_t seed,
                  double units)
{
    const zo_problem *p = &b->asked;
    zo_settings s = *given;
    zo_solver *solver;
    zo_error e;
    zo_report r;
    s.seed = seed;
    double begun = trail_now(), apart = 0;
    must(zo_new(&solver, p, &s, &e), &e);
    must(zo_start(solver, b->start, &e), &e);
    /* a row of the net may be of another method, which has no such rule */
    const method_row *row = solver->method->row;
    if (*b->without && row->without && !row->without(solver->method, b->without)) {
        fprintf(stderr, "bench: '%s' is no rule of %s\n", b->without, row->info.name);
        exit(2);
    }
    *t = (trail){.hash = 7};
    double *answers = NULL;
    size_t room = 0;
    uint64_t step = UINT64_MAX;
    for (;;) {
        zo_look(solver, &r);
        if (r.steps != step) {
            double before = trail_now();
            if (t->rows < MOST_ROWS) t->spent[t->rows] = before - begun - apart;
            look(&b->clean, solver, t);
            apart += trail_now() - before;
            step = r.steps;
        }
        const zo_fan *fan;
        must(zo_ask(solver, &fan, &e), &e);
        if (!fan || r.units > units) break;
        if (zo_fan_answers(fan) > room)
            answers = realloc(answers, 8 * (room = zo_fan_answers(fan)));
        double before = trail_now();
        if (p->answer(p->ctx, fan, answers)) exit(1);
        t->answering += trail_now() - before;
        must(zo_tell(solver, answers, &e), &e);
    }
    t->seconds = trail_now() - begun - apart;
    t->stated = r.residual;
    if (b->residual) t->found = true_residual(&b->clean, zo_point(solver));
    free(answers);
    zo_free(solver);
}

static double first_below(const trail *t, double level, const double *of)
{
    for (size_t k = 0; k < t->rows; k++)
        if (t->objective[k] <= level) return of[k];
    return INFINITY;
}

double trail_below(const trail *t, double level) { return first_below(t, level, t->units); }

double trail_seconds(const trail *t, double level) { return first_below(t, level, t->spent); }
