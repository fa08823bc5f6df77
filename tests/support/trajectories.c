/* Every method on small problems: one line each with a hash of all it asked and was told, for tests/cli/same_machine.sh.
 * SPDX-License-Identifier: MIT
 *
 *     trajectories [plain | v3 | v4]     with no more than these instructions
 *
 * Questions, answers and the last point go into the hash, so that one other bit anywhere shows. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/isa.h"
#include "base/real.h"
#include "base/rng.h"
#include "zoprox_data.h"

typedef struct task {
    const char *name, *methods; /* of these alone; NULL: all */
    const char *data;           /* synth:, without it; NULL: a function, below */
    zo_loss loss;
    double l2;
    const char *psi;
    size_t n, d;  /* of functions */
    double start; /* x0 = start for all coordinates */
    double units;
    const char *settings; /* NAME=VALUE, separated by blanks */
} task;

static const task tasks[] = {
    {"sparse", NULL, "kind=onehot,n=400,d=30,seed=2", ZO_LOGISTIC, 1e-3, "l1:1e-3", .units = 2.5},
    {"dense", NULL, "kind=gaussian,n=300,d=21,seed=3", ZO_LOGISTIC, 1e-4, "l1:1e-4", .units = 3},
    {"box", NULL, "kind=regression,n=150,d=9,seed=4", ZO_SQUARED, 0, "box:-0.2,0.3", .units = 6},
    {"huber", NULL, "kind=regression,n=150,d=10,seed=5", ZO_HUBER, 1e-3, "tv:0.01", .units = 5},
    {"hinge", NULL, "kind=gaussian,n=200,d=12,seed=6", ZO_SMOOTH_HINGE, 0, "l2-ball:2", .units = 5},
    {"sigmoid", NULL, "kind=gaussian,n=200,d=8,seed=7", ZO_SIGMOID, 1e-3, "simplex:1", .units = 5},
    {"softmax", NULL, "kind=multiclass,n=120,d=6,classes=4,seed=8", ZO_SOFTMAX, 1e-3,
     "nuclear:0.01,4x6", .units = 4},
    {"kinds", "zpdvr sega zosgd", "kind=gaussian,n=150,d=10,seed=14", ZO_LOGISTIC, 1e-3,
     "elastic-net:1e-3,1e-2", .units = 5, .settings = "kind=orthogonal"},
    {"sphere", "zpdvr sega zosgd", "kind=gaussian,n=150,d=10,seed=15", ZO_LOGISTIC, 1e-3,
     "linf:1e-2", .units = 5, .settings = "kind=sphere"},
    {"spans", "inq", "kind=multiclass,n=300,d=12,classes=5,seed=9", ZO_SOFTMAX, 1e-3, "l1:1e-3",
     .units = 4},
    {"wide", "inq sinq", "kind=gaussian,n=40,d=1600,seed=10", ZO_LOGISTIC, 1e-2, "l1:1e-2",
     .units = 1.3},
    {"short", "inq", "kind=onehot,n=400,d=2000,seed=16", ZO_LOGISTIC, 1e-3, "l1:1e-3",
     .units = 0.3},
    {"thin", "auto thin", "kind=onehot,n=40,d=4000,density=0.003,seed=18", ZO_LOGISTIC, 1e-3,
     "l1:1e-3", .units = 0.02},
    {"many", "inq sinq", "kind=gaussian,n=1500,d=50,seed=11", ZO_LOGISTIC, 1e-4, "l1:1e-4",
     .units = 1.5},
    {"little", "sinq", "kind=gaussian,n=4000,d=40,seed=13", ZO_LOGISTIC, 1e-4, "l1:1e-4",
     .units = 1.6, .settings = "memory=1048576"},
    {"central", "inq saga pgd zpdvr", "kind=gaussian,n=150,d=10,seed=12", ZO_LOGISTIC, 1e-3,
     "group-lasso:0.01,5", .units = 5, .settings = "sides=2"},
    {"inside", "inq saga pgd zpdvr mean", "kind=gaussian,n=100,d=9,seed=17", ZO_LOGISTIC, 1e-3,
     "simplex:1@0:4 l1-ball:1@4:9", .units = 5, .settings = "inside=on"},
    {"tanh", NULL, NULL, .psi = "zero", .n = 40, .d = 7, .start = 0.4, .units = 20},
    {"one", "auto mean inq", NULL, .psi = "box:-3,0.7", .n = 1, .d = 12, .start = 0.3, .units = 60},
    {"noisy", "auto mean inq", NULL, .psi = "zero", .n = 3, .d = 5, .start = 1, .units = 80,
     .settings = "noise=1e-4"},
};

/* ---- Functions, in operations that are exact everywhere ----------------------------------------------- */

static double one_value(const double *x, size_t d)
{
    double f = 0;
    for (size_t j = 0; j + 1 < d; j++) {
        double a = 1 - x[j], b = x[j + 1] - x[j] * x[j];
        f += a * a + 3 * b * b;
    }
    return f;
}

static double residual(size_t i, const double *x, size_t d)
{
    double s = 0.1 * (double)(i % 7);
    for (size_t j = 0; j < d; j++)
        s += x[j] * (rng_uniform(5, FOR_CHECK, i, j) - 0.5) * (double)(1 + j);
    double e = real_exp(-fabs(2 * s)), t = (1 - e) / (1 + e);
    return (s < 0 ? -t : t) - 0.3;
}

/* Noise is a function of the point's first bits: deterministic, and not smooth. */
static double value_of(const task *t, size_t i, const double *x)
{
    if (t->n == 1) return one_value(x, t->d);
    double r = residual(i, x, t->d), f = 0.5 * r * r;
    if (!t->settings) return f;
    uint64_t bits, mixed = i + 1;
    for (size_t j = 0; j < t->d; j++) {
        memcpy(&bits, x + j, sizeof bits);
        mixed = (mixed ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
        mixed ^= mixed >> 29;
    }
    return f + 1e-4 * (rng_uniform(6, FOR_CHECK, mixed, 0) - 0.5) * sqrt(12);
}

/* ---- The hash ------------------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x100000001B3);
    return hash ^ hash >> 31;
}

static uint64_t mix_numbers(uint64_t hash, size_t count, const double *v)
{
    for (size_t k = 0; k < count; k++) {
        uint64_t word = 0; /* of NaN: which one it is nobody promises */
        if (v[k] == v[k]) memcpy(&word, v + k, sizeof word);
        hash = mix(hash, word);
    }
    return hash;
}

static uint64_t mix_fan(uint64_t hash, const zo_fan *f)
{
    uint64_t word[] = {f->nbase,           f->naxis,           f->ndir,
                       (uint64_t)f->own,   (uint64_t)f->sides, f->ncomp,
                       (uint64_t)f->known, (uint64_t)f->each};
    for (size_t k = 0; k < sizeof word / sizeof *word; k++) hash = mix(hash, word[k]);
    for (size_t b = 0; b < f->nbase; b++) hash = mix_numbers(hash, f->d, f->base[b]);
    for (size_t k = 0; k < f->naxis && f->axis; k++) hash = mix(hash, f->axis[k]);
    for (size_t k = 0; k < f->ncomp && f->comp; k++) hash = mix(hash, f->comp[k]);
    hash = mix_numbers(hash, f->ndir * f->d * (f->own ? f->ncomp : 1), f->dir);
    if (f->radii) return mix_numbers(hash, f->naxis + f->ndir, f->radii);
    return mix_numbers(hash, 1, &f->radius);
}

/* ---- A run --------------------------------------------------------------------------------------------- */

static void give_up(const char *what)
{
    fprintf(stderr, "trajectories: %s\n", what);
    exit(1);
}

static void *room(size_t count)
{
    void *p = calloc(count + 1, sizeof(double));
    if (!p) give_up("out of memory");
    return p;
}

static void answer(const task *t, const zo_problem *p, const zo_fan *fan, double *out)
{
    zo_error e;
    if (p->answer) {
        if (p->answer(p->ctx, fan, out)) give_up("no answer");
        return;
    }
    size_t points = zo_fan_points(fan);
    double *x = room(fan->d), *values = room(points * fan->ncomp);
    for (size_t k = 0; k < fan->ncomp; k++)
        for (size_t q = 0; q < points; q++) {
            zo_fan_point(fan, k, q, x);
            values[k * points + q] = value_of(t, fan->comp ? fan->comp[k] : k, x);
        }
    if (zo_fan_answer(fan, values, out, &e)) give_up(e.text);
    free(values);
    free(x);
}

static int never(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx, (void)i, (void)x, (void)f;
    return 1;
}

static void run(const task *t, const zo_problem *p, const char *method)
{
    zo_solver *solver;
    zo_error e;
    zo_settings s = zo_defaults();
    char setting[32], *value;
    if (zo_set(&s, "method", method, &e) || zo_set(&s, "seed", "5", &e)) give_up(e.text);
    if (t->settings) {
        snprintf(setting, sizeof setting, "%s", t->settings);
        value = strchr(setting, '=');
        *value = 0;
        if (zo_set(&s, setting, value + 1, &e)) give_up(e.text);
    }
    double *x0 = room(p->d), *out, asked = 0, most = t->units * (double)p->n * (double)p->d;
    for (size_t j = 0; j < p->d; j++) x0[j] = t->start;
    if (zo_new(&solver, p, &s, &e) || zo_start(solver, x0, &e)) give_up(e.text);
    uint64_t hash = UINT64_C(0xCBF29CE484222325), fans = 0;
    for (const zo_fan *fan;; fans++) {
        if (zo_ask(solver, &fan, &e)) give_up(e.text);
        if (!fan || asked + (double)zo_fan_queries(fan) > most) break;
        asked += (double)zo_fan_queries(fan);
        out = room(zo_fan_answers(fan));
        answer(t, p, fan, out);
        hash = mix_numbers(mix_fan(hash, fan), zo_fan_answers(fan), out);
        if (zo_tell(solver, out, &e)) give_up(e.text);
        free(out);
    }
    hash = mix_numbers(hash, p->d, zo_point(solver));
    printf("%-8s %-7s %5" PRIu64 " fans %016" PRIx64 "\n", t->name, method, fans, hash);
    zo_free(solver);
    free(x0);
}

static void run_task(const task *t)
{
    zo_problem p = {.n = t->n, .d = t->d, .value = never};
    zo_data *data = NULL;
    zo_model *model = NULL;
    zo_error e;
    if (t->data) {
        p = (zo_problem){0};
        if (zo_data_synth(&data, t->data, &e) ||
            zo_model_new(&model, data, t->loss, t->l2, 1, &p, &e))
            give_up(e.text);
    }
    if (zo_prox_parse(&p.psi, t->psi, p.d, &e)) give_up(e.text);
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t k = 0; k < count; k++) {
        char name[32], list[64];
        snprintf(name, sizeof name, " %s ", rows[k].name);
        snprintf(list, sizeof list, " %s ", t->methods ? t->methods : rows[k].name);
        if (strstr(list, name)) run(t, &p, rows[k].name);
    }
    zo_prox_free(&p.psi);
    zo_model_free(model);
    zo_data_free(data);
}

int main(int argc, char **argv)
{
    for (int level = 0; level < ISA_COUNT && argc > 1; level++)
        if (!strcmp(argv[1], isa_name((isa)level))) isa_limit((isa)level);
    if (argc > 1 && strcmp(argv[1], isa_name(isa_level()))) {
        printf("this machine has no %s\n", argv[1]);
        return 77;
    }
    for (size_t k = 0; k < sizeof tasks / sizeof *tasks; k++) run_task(&tasks[k]);
    return 0;
}
