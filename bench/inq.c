/* Units to reach a gap of 1e-3, 1e-6 and 1e-10: medians and worst over seeds, and the time beside the queries.
 * SPDX-License-Identifier: MIT
 *
 *     inq DATA PSI L2 SEEDS UNITS OPTIMUM [NAME=VALUE ...]
 *
 * DATA: a file, synth:KEY=VALUE,..., quadratics:N,D,KAPPA,SCATTER (one Hessian for all; times exp(SCATTER e_i)), or
 * valley:N,D (each component a curved valley in two of the coordinates, not convex).
 * OPTIMUM: a number, or - for the least F that any seed reached. PSI as in --prox. loss=LOSS; group=ROWS: f_i are means
 * of so many rows; sigma=S: standard deviation of what is added to every value, told to the method, negative: not
 * told; verbose=1: the first seed's path. Any other name is a setting: method=saga, own=off. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "share/share.h"
#include "zoprox.h"
#include "zoprox_data.h"

enum { MOST_SEEDS = 64, MOST_ROWS = 4096 };

typedef struct trail {
    size_t rows;
    double units[MOST_ROWS], objective[MOST_ROWS];
    double seconds, answering; /* in all, without watching; of it spent on answers */
    char chosen[256];
} trail;

static double now(void) /* of this process: one thread, so the wall time of a quiet machine */
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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

static void follow(const zo_problem *p, const zo_problem *clean, const zo_settings *given,
                   uint64_t seed, double units, const double *start, trail *t)
{
    zo_settings s = *given;
    zo_solver *solver;
    zo_error e;
    zo_report r;
    s.seed = seed;
    double begun = now(), apart = 0;
    must(zo_new(&solver, p, &s, &e), &e);
    must(zo_start(solver, start, &e), &e);
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
        if (zo_fan_answers(fan) > room)
            answers = realloc(answers, 8 * (room = zo_fan_answers(fan)));
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

static double gap_at(const trail *t, double units, double optimum)
{
    double gap = INFINITY;
    for (size_t k = 0; k < t->rows && t->units[k] <= units; k++) gap = t->objective[k] - optimum;
    return gap;
}

/* ---- Quadratics ---------------------------------------------------------------------------------- */

/* f_i(x) = (w_i/2)(x - b_i)'A(x - b_i), A = QSQ with Q a reflection and S from 1 to 1/kappa. */
typedef struct quadratics {
    size_t n, d;
    double *weight, *centre, *spectrum, *mirror;
} quadratics;

static int quadratic(void *ctx, size_t i, const double *x, double *f)
{
    const quadratics *q = ctx;
    double along = 0, sum = 0;
    for (size_t j = 0; j < q->d; j++) along += q->mirror[j] * (x[j] - q->centre[i * q->d + j]);
    for (size_t j = 0; j < q->d; j++) {
        double r = x[j] - q->centre[i * q->d + j] - 2 * along * q->mirror[j];
        sum += q->spectrum[j] * r * r;
    }
    *f = 0.5 * q->weight[i] * sum;
    return 0;
}

static zo_problem make_quadratics(quadratics *q, const char *spec)
{
    double n, d, kappa, scatter = 0, norm = 0;
    uint64_t state = 88172645463325252u;
    if (sscanf(spec, "%lf,%lf,%lf,%lf", &n, &d, &kappa, &scatter) < 3) exit(2);
    *q = (quadratics){.n = (size_t)n, .d = (size_t)d};
    q->weight = malloc(q->n * 8);
    q->centre = malloc(q->n * q->d * 8);
    q->spectrum = malloc(q->d * 8);
    q->mirror = malloc(q->d * 8);
    for (size_t j = 0; j < q->d; j++) {
        q->spectrum[j] = pow(kappa, -(double)j / (d - 1));
        q->mirror[j] = normal(&state);
        norm += q->mirror[j] * q->mirror[j];
    }
    for (size_t j = 0; j < q->d; j++) q->mirror[j] /= sqrt(norm);
    for (size_t i = 0; i < q->n; i++) {
        q->weight[i] = exp(scatter * normal(&state));
        for (size_t j = 0; j < q->d; j++) q->centre[i * q->d + j] = 1 + normal(&state);
    }
    return (zo_problem){.n = q->n, .d = q->d, .value = quadratic, .ctx = q};
}

/* ---- Valleys -------------------------------------------------------------------------------------- */

/* f_i(x) = a_i (x_{k+1} - x_k^2)^2 + (c_i - x_k)^2, k even and of each i; from (-1.2, 1) in every pair. */
typedef struct valleys {
    size_t n, d;
    double *steep, *end, *start;
} valleys;

static int valley(void *ctx, size_t i, const double *x, double *f)
{
    const valleys *v = ctx;
    size_t k = 2 * (i * 7919 % (v->d / 2));
    double off = x[k + 1] - x[k] * x[k], left = v->end[i] - x[k];
    *f = v->steep[i] * off * off + left * left;
    return 0;
}

static zo_problem make_valleys(valleys *v, const char *spec)
{
    uint64_t state = 88172645463325252u;
    if (sscanf(spec, "%zu,%zu", &v->n, &v->d) < 2) exit(2);
    v->steep = malloc(v->n * 8);
    v->end = malloc(v->n * 8);
    v->start = malloc(v->d * 8);
    for (size_t i = 0; i < v->n; i++) {
        v->steep[i] = 12.5 + 4.3 * normal(&state);
        v->end[i] = 1 + 0.1 * normal(&state);
        if (v->steep[i] < 3) v->steep[i] = 3;
    }
    for (size_t j = 0; j < v->d; j++) v->start[j] = j % 2 ? 1 : -1.2;
    return (zo_problem){.n = v->n, .d = v->d, .value = valley, .ctx = v};
}

/* Answers of the library itself for a problem that only has values. */
static int answer_values(void *ctx, const zo_fan *fan, double *out)
{
    const zo_problem *p = ctx;
    size_t set = zo_fan_set(fan), points = zo_fan_points(fan), count = zo_fan_answers(fan);
    double *x = malloc(points * fan->d * 8);
    memset(out, 0, count * 8);
    for (size_t c = 0; c < fan->ncomp; c++) {
        double base = 0, f;
        if (c == 0 || fan->own) zo_fan_fill(fan, c, x);
        size_t per = points / fan->nbase;
        for (size_t k = 0; k < points; k++) {
            p->value(p->ctx, fan->comp ? (size_t)fan->comp[c] : c, x + k * fan->d, &f);
            if (k % per == 0 && !fan->known) base = f;
            double one = fan->known || k % per == 0 ? f : f - base;
            out[fan->each ? c * set + k : k] += fan->each ? one : one / (double)fan->ncomp;
        }
    }
    free(x);
    return 0;
}

/* ---- The table ------------------------------------------------------------------------------------ */

typedef struct options {
    zo_loss loss;
    size_t group;
    double sigma;
    int verbose;
    zo_settings settings;
} options;

static void read_option(options *o, const char *text)
{
    zo_error e;
    char name[32];
    const char *value = strchr(text, '=');
    if (!value) exit(2);
    snprintf(name, sizeof name, "%.*s", (int)(value - text), text);
    value++;
    if (!strcmp(name, "loss"))
        must(zo_loss_parse(&o->loss, value, &e), &e);
    else if (!strcmp(name, "group"))
        o->group = (size_t)atoi(value);
    else if (!strcmp(name, "sigma"))
        o->sigma = atof(value);
    else if (!strcmp(name, "verbose"))
        o->verbose = atoi(value);
    else
        must(zo_set(&o->settings, name, value, &e), &e);
}

static void print_row(const char *name, const zo_problem *p, const trail *all, size_t seeds,
                      double optimum)
{
    static const double gaps[] = {1e-3, 1e-6, 1e-10}, marks[] = {0.1, 1, 3, 10, 30};
    double u[MOST_SEEDS], seconds = 0, answering = 0;
    printf("%s n %zu d %zu F* %.16g | units", name, p->n, p->d, optimum);
    for (size_t g = 0; g < 3; g++) {
        for (size_t k = 0; k < seeds; k++) u[k] = first_below(&all[k], optimum + gaps[g]);
        qsort(u, seeds, sizeof *u, rising);
        printf(" %.3f (%.3f)", u[(seeds - 1) / 2], u[seeds - 1]);
    }
    printf(" | gaps at .1 1 3 10 30");
    for (size_t g = 0; g < 5; g++) {
        for (size_t k = 0; k < seeds; k++) u[k] = gap_at(&all[k], marks[g], optimum);
        qsort(u, seeds, sizeof *u, rising);
        printf(" %.1e", u[(seeds - 1) / 2]);
    }
    for (size_t k = 0; k < seeds; k++) seconds += all[k].seconds, answering += all[k].answering;
    printf(" | 1+8/d %.3f | %.3f s, answers %.3f s", 1 + 8 / (double)p->d, seconds / (double)seeds,
           answering / (double)seeds);
    printf(" | end %.3f gap %.1e\n", all[0].units[all[0].rows - 1],
           all[0].objective[all[0].rows - 1] - optimum);
}

int main(int argc, char **argv)
{
    if (argc < 7) {
        fprintf(stderr, "usage: inq DATA PSI L2 SEEDS UNITS OPTIMUM [NAME=VALUE ...]\n");
        return 2;
    }
    static trail all[MOST_SEEDS];
    zo_error e;
    zo_data *data = NULL;
    zo_model *model = NULL;
    zo_problem p, plain;
    quadratics quad = {0};
    valleys bent = {0};
    options o = {.loss = ZO_LOGISTIC, .group = 1, .settings = zo_defaults()};
    must(zo_set(&o.settings, "method", "inq", &e), &e);
    for (int k = 7; k < argc; k++) read_option(&o, argv[k]);
    size_t seeds = (size_t)atoi(argv[4]);
    if (!strncmp(argv[1], "quadratics:", 11)) {
        plain = make_quadratics(&quad, argv[1] + 11);
        p = (zo_problem){.n = plain.n, .d = plain.d, .answer = answer_values, .ctx = &plain};
    } else if (!strncmp(argv[1], "valley:", 7)) {
        plain = make_valleys(&bent, argv[1] + 7);
        p = (zo_problem){.n = plain.n, .d = plain.d, .answer = answer_values, .ctx = &plain};
    } else {
        must(strncmp(argv[1], "synth:", 6) ? zo_data_read(&data, argv[1], 0, &e)
                                           : zo_data_synth(&data, argv[1] + 6, &e),
             &e);
        must(zo_model_new(&model, data, o.loss, atof(argv[3]), 1, &p, &e), &e);
    }
    must(zo_prox_parse(&p.psi, argv[2], p.d, &e), &e);
    grouped rows = {0}, silent = {0};
    zo_problem clean = p;
    if (o.group > 1 || o.sigma != 0) {
        clean = group_rows(&silent, &clean, o.group, 0);
        p = group_rows(&rows, &p, o.group, fabs(o.sigma));
        if (o.sigma > 0) o.settings.noise = o.sigma;
    }
    double optimum = strcmp(argv[6], "-") ? atof(argv[6]) : INFINITY;
    for (size_t k = 0; k < seeds; k++) {
        follow(&p, &clean, &o.settings, k, atof(argv[5]), bent.start, &all[k]);
        for (size_t r = 0; r < all[k].rows && !strcmp(argv[6], "-"); r++)
            optimum = fmin(optimum, all[k].objective[r]);
    }
    print_row(strrchr(argv[1], '/') ? strrchr(argv[1], '/') + 1 : argv[1], &p, all, seeds, optimum);
    for (size_t r = 0; r < all[0].rows && o.verbose; r++)
        printf("  %.4f %.3e\n", all[0].units[r], all[0].objective[r] - optimum);
    if (o.verbose) printf("%s\n", all[0].chosen);
    zo_prox_free(&p.psi);
    zo_model_free(model);
    free(rows.row);
    free(silent.row);
    free(quad.weight);
    free(quad.centre);
    free(quad.spectrum);
    free(quad.mirror);
    free(bent.steep);
    free(bent.end);
    free(bent.start);
    zo_data_free(data);
    return 0;
}
