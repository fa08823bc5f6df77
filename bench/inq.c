/* Units to reach a gap of 1e-3, 1e-6 and 1e-10: medians and worst over seeds, and the time beside the queries.
 * SPDX-License-Identifier: MIT
 *
 *     inq DATA PSI L2 SEEDS UNITS OPTIMUM [METHOD [LOSS [GROUP [NOISE [verbose]]]]]
 *
 * OPTIMUM: a number, or - for the least F that any seed reached. PSI as in --prox.
 * GROUP: f_i are means of so many rows. NOISE: standard deviation of what is added to every value, told to the method;
 * negative: not told. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "zoprox.h"
#include "zoprox_data.h"

enum { MOST_SEEDS = 64, MOST_ROWS = 4096 };

typedef struct trail {
    size_t rows;
    double units[MOST_ROWS], objective[MOST_ROWS];
    double seconds, answering; /* in all, without watching; of it spent on answers */
    char chosen[256];
} trail;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(zo_status status, const zo_error *e)
{
    if (!status) return;
    fprintf(stderr, "inq: %s\n", e->text);
    exit(1);
}

/* Components that are means of size rows each, drawn without order. */
typedef struct grouped {
    zo_problem of;
    size_t size;
    double noise;
    uint64_t *row; /* of.n */
    uint64_t state;
} grouped;

static double normal(uint64_t *state) /* the sum of twelve uniforms will do */
{
    double sum = -6;
    for (int k = 0; k < 12; k++) {
        *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
        sum += (double)(*state >> 11) * 0x1p-53;
    }
    return sum;
}

static int grouped_answer(void *ctx, const zo_fan *fan, double *out)
{
    const grouped *g = ctx;
    size_t k = g->size, set = zo_fan_set(fan), d = fan->d, rows = fan->own ? fan->ndir : 0;
    zo_fan wide = *fan;
    wide.n = g->of.n;
    wide.ncomp = fan->ncomp * k;
    uint64_t *comp = malloc(wide.ncomp * sizeof *comp);
    double *dir = malloc((wide.ncomp * rows * d + 1) * sizeof *dir);
    double *answers = malloc((fan->each ? wide.ncomp * set : set) * sizeof *answers);
    for (size_t e = 0; e < wide.ncomp; e++) {
        comp[e] = g->row[(fan->comp ? fan->comp[e / k] : e / k) * k + e % k];
        memcpy(dir + e * rows * d, fan->dir + e / k * rows * d, rows * d * sizeof *dir);
    }
    wide.comp = comp;
    if (rows) wide.dir = dir;
    int code = g->of.answer(g->of.ctx, &wide, answers);
    for (size_t e = 0; e < zo_fan_answers(fan); e++) {
        out[e] = fan->each ? 0 : answers[e];
        for (size_t l = 0; l < k && fan->each; l++)
            out[e] += answers[(e / set * k + l) * set + e % set] / (double)k;
    }
    /* in proportion to how many values an answer is made of: differences have two */
    for (size_t e = 0; e < zo_fan_answers(fan) && g->noise > 0; e++)
        out[e] += g->noise * normal(&((grouped *)ctx)->state) *
                  (fan->each ? 1 : 1 / sqrt((double)fan->ncomp)) * (fan->known || e % set == 0 ? 1 : sqrt(2));
    free(comp);
    free(dir);
    free(answers);
    return code;
}

static zo_problem group_rows(grouped *g, const zo_problem *p, size_t size, double noise)
{
    *g = (grouped){.of = *p,
                   .size = size,
                   .noise = noise,
                   .state = 1234567891011u,
                   .row = malloc(p->n * sizeof *g->row)};
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < p->n; i++) g->row[i] = i;
    for (size_t i = p->n; i-- > 1;) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        uint64_t e = state % (i + 1), kept = g->row[i];
        g->row[i] = g->row[e], g->row[e] = kept;
    }
    return (zo_problem){.n = p->n / size, .d = p->d, .answer = grouped_answer, .ctx = g, .psi = p->psi};
}

static double objective_at(const zo_problem *p, const double *x)
{
    zo_fan fan = {.n = p->n, .d = p->d, .nbase = 1, .base = {x}, .radius = 1, .sides = 1, .ncomp = p->n};
    double f = NAN;
    p->answer(p->ctx, &fan, &f);
    return f + p->psi.value(&p->psi, p->d, x);
}

static void look(const zo_problem *p, zo_solver *solver, trail *t)
{
    zo_report r;
    zo_look(solver, &r);
    if (t->rows >= MOST_ROWS) return;
    t->units[t->rows] = r.units;
    t->objective[t->rows++] = objective_at(p, zo_point(solver));
    memcpy(t->chosen, r.chosen, sizeof r.chosen);
}

static void follow(const zo_problem *p, const zo_problem *clean, const char *method, uint64_t seed,
                   double units, double noise, trail *t)
{
    zo_settings s = zo_defaults();
    zo_solver *solver;
    zo_error e;
    zo_report r;
    snprintf(s.method, sizeof s.method, "%s", method);
    s.seed = seed;
    if (noise > 0) s.noise = noise;
    double begun = now(), apart = 0;
    must(zo_new(&solver, p, &s, &e), &e);
    must(zo_start(solver, NULL, &e), &e);
    *t = (trail){0};
    double *answers = NULL;
    size_t room = 0;
    uint64_t step = UINT64_MAX;
    for (;;) {
        zo_look(solver, &r);
        if (r.steps != step) {
            double before = now();
            look(clean, solver, t);
            apart += now() - before;
            step = r.steps;
        }
        const zo_fan *fan;
        must(zo_ask(solver, &fan, &e), &e);
        if (!fan || r.units > units) break;
        if (zo_fan_answers(fan) > room) answers = realloc(answers, 8 * (room = zo_fan_answers(fan)));
        double before = now();
        if (p->answer(p->ctx, fan, answers)) exit(1);
        t->answering += now() - before;
        must(zo_tell(solver, answers, &e), &e);
    }
    t->seconds = now() - begun - apart;
    free(answers);
    zo_free(solver);
}

static double first_below(const trail *t, double level)
{
    for (size_t k = 0; k < t->rows; k++)
        if (t->objective[k] <= level) return t->units[k];
    return INFINITY;
}

static int rising(const void *a, const void *b)
{
    double u = *(const double *)a, v = *(const double *)b;
    return (u > v) - (u < v);
}

int main(int argc, char **argv)
{
    if (argc < 7) {
        fprintf(stderr,
                "usage: inq DATA PSI L2 SEEDS UNITS OPTIMUM [METHOD [LOSS [GROUP [NOISE [verbose]]]]]\n");
        return 2;
    }
    static trail all[MOST_SEEDS];
    zo_error e;
    zo_data *data;
    zo_model *model;
    zo_problem p;
    zo_loss loss = ZO_LOGISTIC;
    size_t seeds = (size_t)atoi(argv[4]);
    const char *method = argc > 7 ? argv[7] : "inq";
    if (argc > 8) must(zo_loss_parse(&loss, argv[8], &e), &e);
    must(strncmp(argv[1], "synth:", 6) ? zo_data_read(&data, argv[1], 0, &e)
                                       : zo_data_synth(&data, argv[1] + 6, &e),
         &e);
    must(zo_model_new(&model, data, loss, atof(argv[3]), 1, &p, &e), &e);
    must(zo_prox_parse(&p.psi, argv[2], p.d, &e), &e);
    grouped rows = {0};
    double noise = argc > 10 ? atof(argv[10]) : 0;
    zo_problem clean = p;
    grouped silent = {0};
    if (argc > 9) clean = group_rows(&silent, &p, (size_t)atoi(argv[9]), 0);
    if (argc > 9) p = group_rows(&rows, &p, (size_t)atoi(argv[9]), fabs(noise));
    double optimum = strcmp(argv[6], "-") ? atof(argv[6]) : INFINITY;
    for (size_t k = 0; k < seeds; k++) {
        follow(&p, &clean, method, k, atof(argv[5]), noise, &all[k]);
        for (size_t r = 0; r < all[k].rows && !strcmp(argv[6], "-"); r++)
            optimum = fmin(optimum, all[k].objective[r]);
    }
    static const double gaps[] = {1e-3, 1e-6, 1e-10};
    printf("%s n %zu d %zu F* %.16g |", strrchr(argv[1], '/') ? strrchr(argv[1], '/') + 1 : argv[1], p.n, p.d,
           optimum);
    for (size_t g = 0; g < 3; g++) {
        double u[MOST_SEEDS];
        for (size_t k = 0; k < seeds; k++) u[k] = first_below(&all[k], optimum + gaps[g]);
        qsort(u, seeds, sizeof *u, rising);
        printf(" %.3f (%.3f)", u[(seeds - 1) / 2], u[seeds - 1]);
    }
    double seconds = 0, answering = 0;
    for (size_t k = 0; k < seeds; k++) seconds += all[k].seconds, answering += all[k].answering;
    printf(" | 1+8/d %.3f | %.3f s, answers %.3f s", 1 + 8 / (double)p.d, seconds / (double)seeds,
           answering / (double)seeds);
    printf(" | end %.3f gap %.1e\n", all[0].units[all[0].rows - 1],
           all[0].objective[all[0].rows - 1] - optimum);
    if (argc > 11)
        for (size_t r = 0; r < all[0].rows; r++)
            printf("  %.4f %.3e\n", all[0].units[r], all[0].objective[r] - optimum);
    zo_prox_free(&p.psi);
    zo_model_free(model);
    free(rows.row);
    free(silent.row);
    zo_data_free(data);
    return 0;
}
