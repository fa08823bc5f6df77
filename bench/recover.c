/* Gradients recovered in whole runs of inq, counted against the truth.
 * SPDX-License-Identifier: MIT
 *
 *     recover DATA PSI L2 UNITS COUNT [NAME=VALUE ...]      as bench/inq; seeds until COUNT gradients were recovered
 *
 * After each run, stopped after so many units, the direction that every component is believed to have is compared with its
 * difference gradient at 0, to both sides, where the ridge has none: wrong is what is off by more than 1e-3 of its length. Those
 * whose gradient was asked in full are counted by themselves. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/component/component.h"
#include "method/component/row.h"
#include "share/problem.h"
#include "solve/solver.h"

enum { CHUNK = 256 };

typedef struct tally {
    double recovered, queries, compared, wrong, squares, worst;
    double full, full_wrong; /* of those asked in full */
} tally;

/* Between the solver and the problem: which components were asked in full. */
typedef struct listener {
    const zo_problem *p;
    const zo_solver *solver;
    unsigned char *full;
} listener;

static int listen(void *ctx, const zo_fan *fan, double *out)
{
    listener *l = ctx;
    uint64_t stage = l->solver->method->stage;
    int full = stage == ASK_GRADIENT || stage == ASK_REDO || stage == ASK_REST;
    if (full || stage == ASK_RECOVER)
        for (size_t e = 0; e < fan->ncomp; e++)
            l->full[fan->comp ? fan->comp[e] : e] = (unsigned char)full;
    return l->p->answer(l->p->ctx, fan, out);
}

/* Gradients of components first ... of unit length at 0; 0 where there is none. */
static void truth(const zo_problem *p, size_t first, size_t count, double *to)
{
    static double *out, *zero;
    size_t d = p->d, set = 1 + 2 * d;
    uint64_t comp[CHUNK];
    if (!out) out = malloc(CHUNK * set * 8), zero = calloc(d, 8);
    zo_fan fan = {.n = p->n, .d = d, .nbase = 1, .base = {zero}, .naxis = d, .radius = 1e-5};
    for (size_t e = 0; e < count; e++) comp[e] = first + e;
    fan.sides = 2, fan.ncomp = count, fan.comp = comp, fan.each = 1;
    if (p->answer(p->ctx, &fan, out)) exit(1);
    for (size_t e = 0; e < count; e++) {
        const double *told = out + e * set + 1;
        double *g = to + e * d, size;
        for (size_t j = 0; j < d; j++) g[j] = told[2 * j] - told[2 * j + 1];
        if ((size = vec_norm(d, g)) > 0) vec_scale(d, 1 / size, g);
    }
}

static void compare(const inq *s, uint64_t i, int full, const double *g, double *u, tally *t)
{
    size_t d = s->base.d;
    if (!(inq_curve(s, i)->size > 0)) return; /* it has none */
    inq_row_put(s, i, 1, u);
    double sign = vec_dot(d, u, g) < 0 ? 1 : -1;
    vec_add(d, sign, g, u);
    double off = vec_norm(d, u);
    if (full) {
        t->full++;
        t->full_wrong += off > 1e-3;
        return;
    }
    t->compared++;
    t->wrong += off > 1e-3;
    t->squares += off * off;
    t->worst = fmax(t->worst, off);
}

static void run(const bench_problem *b, const zo_settings *given, uint64_t seed, double units,
                tally *t)
{
    zo_settings set = *given;
    zo_control c = zo_no_limits();
    zo_report r;
    zo_solver *solver;
    zo_error e;
    size_t d = b->asked.d;
    double *g = malloc(CHUNK * d * 8), *u = malloc(d * 8);
    set.seed = seed;
    c.max_units = units;
    listener l = {&b->asked, NULL, calloc(b->asked.n, 1)};
    zo_problem heard = b->asked;
    heard.answer = listen;
    heard.ctx = &l;
    must(zo_new(&solver, &heard, &set, &e), &e);
    l.solver = solver;
    must(zo_start(solver, b->start, &e), &e);
    must(zo_run(solver, &c, &r, &e), &e);
    const inq *s = (const inq *)solver->method;
    if (s->recovery.room) t->recovered += (double)s->recovery.at->found;
    if (s->recovery.room) t->queries += (double)s->recovery.at->from;
    for (size_t at = 0; at < b->asked.n && !s->spans_on; at += CHUNK) {
        size_t some = b->asked.n - at < CHUNK ? b->asked.n - at : CHUNK;
        truth(&b->asked, at, some, g);
        for (size_t k = 0; k < some; k++)
            if (s->asked[at + k].full > 0) compare(s, at + k, l.full[at + k], g + k * d, u, t);
    }
    free(g);
    free(u);
    zo_free(solver);
    free(l.full);
}

int main(int argc, char **argv)
{
    if (argc < 6) {
        fprintf(stderr, "usage: recover DATA PSI L2 UNITS COUNT [NAME=VALUE ...]\n");
        return 2;
    }
    static bench_problem b;
    bench_options o = bench_defaults();
    tally t = {0};
    for (int k = 6; k < argc; k++) bench_option(&o, argv[k]);
    bench_open(&b, argv[1], argv[2], atof(argv[3]), &o);
    uint64_t seed = 0;
    do run(&b, &o.settings, seed++, atof(argv[4]), &t);
    while (t.recovered > 0 && t.recovered < atof(argv[5]));
    const char *name = strrchr(argv[1], '/');
    printf("| %s | %zu | %.0f | %.1f | %.0f | %.0f | %.1e | %.1e | %.0f of %.0f |\n",
           name ? name + 1 : argv[1], b.asked.d, t.recovered, t.queries / t.recovered, t.compared,
           t.wrong, sqrt(t.squares / t.compared), t.worst, t.full_wrong, t.full);
    bench_close(&b);
    return t.wrong > 0;
}
