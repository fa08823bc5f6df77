/* The suites that solvers of black boxes are judged by: Moré-Wild and NIST, in simplex gradients (d + 1 evaluations).
 * SPDX-License-Identifier: MIT
 *
 *   suites WHAT [FROM TO]      WHAT: residuals, rounds, noisy-residuals, function, components, nist, nist-function, spectrum
 * A line for each problem (evaluations to 1e-3, 1e-5, 1e-7 of F0 - F*), then medians and shares. Environment: METHOD, SEED,
 * MOST (simplex gradients, 500), ABREAST, SET (KEY=VALUE ...), LIST=1 shows every evaluation. */
#define _POSIX_C_SOURCE 200809L /* strtok_r */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suites/morewild.h"
#include "suites/nist.h"
#include "suites/spectrum.h"
#include "zoprox.h"

typedef struct box {
    size_t n, d;
    const void *of;
    void (*residuals)(const void *of, const double *x, double *r);
    double noise;   /* relative, of each residual */
    uint64_t drawn; /* for noise */
    double *best;   /* least true sum of squares after each point */
    size_t count, most;
    size_t calls; /* of single components */
} box;

typedef struct outcome {
    double need[3];
    zo_report report;
    double sum; /* of squares, at the end */
    double x[MW_MOST + NIST_MOST + SPECTRUM_D];
} outcome;

/* ---- the box -------------------------------------------------------------------------------------- */

static double uniform(box *b)
{
    uint64_t z = (b->drawn += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double normal(box *b)
{
    double u = uniform(b), v = uniform(b);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static void note(box *b, double sum)
{
    if (b->count >= b->most) return;
    double before = b->count ? b->best[b->count - 1] : INFINITY;
    b->best[b->count++] = isfinite(sum) && sum < before ? sum : before;
}

static int all(void *ctx, const double *x, double *r)
{
    box *b = ctx;
    double sum = 0;
    b->residuals(b->of, x, r);
    for (size_t i = 0; i < b->n; i++) {
        sum += r[i] * r[i];
        if (b->noise > 0) r[i] *= 1 + b->noise * normal(b);
    }
    note(b, sum);
    if (getenv("LIST")) printf("#   %4zu %.10e\n", b->count, sum);
    return 0;
}

static int one(void *ctx, size_t i, const double *x, double *f)
{
    box *b = ctx;
    double r[NIST_MOST_ROWS], sum = 0;
    (void)i;
    b->residuals(b->of, x, r);
    for (size_t k = 0; k < b->n; k++) sum += r[k] * r[k];
    note(b, sum);
    *f = sum * (1 + (b->noise > 0 ? b->noise * normal(b) : 0));
    return 0;
}

/* n calls of single components are one evaluation; F is that of the point of the last of them. */
static int component(void *ctx, size_t i, const double *x, double *f)
{
    box *b = ctx;
    double r[NIST_MOST_ROWS], sum = 0;
    b->residuals(b->of, x, r);
    for (size_t k = 0; k < b->n; k++) sum += r[k] * r[k];
    if (++b->calls % b->n == 0 || !b->count) note(b, sum);
    if (b->count)
        b->best[b->count - 1] = fmin(b->best[b->count - 1], isfinite(sum) ? sum : INFINITY);
    *f = r[i] * r[i];
    return 0;
}

/* ---- a run ---------------------------------------------------------------------------------------- */

static double number(const char *name, double otherwise)
{
    const char *text = getenv(name);
    return text ? atof(text) : otherwise;
}

static void set_all(zo_settings *s)
{
    char text[512], *at = text, *save;
    snprintf(s->method, sizeof s->method, "%s", getenv("METHOD") ? getenv("METHOD") : "auto");
    s->seed = (uint64_t)number("SEED", 1);
    s->abreast = number("ABREAST", 1);
    snprintf(text, sizeof text, "%s", getenv("SET") ? getenv("SET") : "");
    for (char *word; (word = strtok_r(at, " ", &save)); at = NULL) {
        char *value = strchr(word, '=');
        zo_error e;
        if (value) *value++ = 0;
        if (!value || zo_set(s, word, value, &e)) exit(fprintf(stderr, "suites: SET: %s\n", word));
    }
}

/* 0, or -1 after a failure. start: d numbers; best, goal: sums of squares. */
static int run(const char *what, box *b, const double *start, outcome *o)
{
    zo_problem p = {.n = b->n, .d = b->d, .ctx = b};
    int single = strstr(what, "function") != NULL, parts = strstr(what, "components") != NULL;
    if (single) {
        p.n = 1;
        p.value = one;
    } else if (parts) {
        p.value = component;
    } else {
        p.all = all;
        p.outer = zo_squares();
    }
    zo_settings s = zo_defaults();
    set_all(&s);
    zo_control c = zo_no_limits();
    c.max_queries = (uint64_t)b->most * (parts ? b->n : 1);
    c.track = ZO_TRACK_OFF;
    zo_solver *solver = NULL;
    zo_error e;
    zo_status status = zo_new(&solver, &p, &s, &e);
    if (!status) status = zo_start(solver, start, &e);
    if (!status) status = zo_run(solver, &c, &o->report, &e);
    if (status) fprintf(stderr, "suites: %s\n", e.text);
    if (getenv("LIST"))
        printf("#   chosen: %s; warning: %s\n", o->report.chosen, o->report.warning);
    if (!status) memcpy(o->x, zo_point(solver), b->d * sizeof *o->x);
    for (size_t j = 0; getenv("LIST") && j < b->d; j++) printf("# x %.8g\n", o->x[j]);
    zo_free(solver);
    o->sum = b->count ? b->best[b->count - 1] : INFINITY;
    return status ? -1 : 0;
}

/* The same by ask and tell: what is counted in best are rounds, of at most ABREAST points. */
static int run_rounds(box *b, const double *start)
{
    zo_problem p = {.n = b->n, .d = b->d, .ctx = b, .all = all, .outer = zo_squares()};
    zo_settings s = zo_defaults();
    zo_solver *solver = NULL;
    zo_error e;
    set_all(&s);
    box quiet = *b;
    quiet.most = 0;
    const zo_fan *fan = NULL;
    zo_status status = zo_new(&solver, &p, &s, &e);
    if (!status) status = zo_start(solver, start, &e);
    while (!status && b->count < b->most && !(status = zo_ask(solver, &fan, &e)) && fan) {
        size_t set = zo_fan_points(fan);
        double *values = calloc(set * b->n + b->n, sizeof *values), *r = values + set * b->n;
        double *answers = calloc(zo_fan_answers(fan), sizeof *answers), x[NIST_MOST + SPECTRUM_D];
        double least = INFINITY;
        for (size_t point = 0; values && answers && point < set; point++) {
            double sum = 0;
            zo_fan_point(fan, 0, point, x);
            all(&quiet, x, r);
            for (size_t i = 0; i < b->n; i++) {
                values[i * set + point] = r[i];
                sum += r[i] * r[i];
            }
            if (sum < least) least = sum;
        }
        note(b, least);
        if (!(status = zo_fan_answer(fan, values, answers, &e)))
            status = zo_tell(solver, answers, &e);
        free(values);
        free(answers);
    }
    if (status) fprintf(stderr, "suites: %s\n", e.text);
    zo_free(solver);
    return status ? -1 : 0;
}

static double evaluations_to(const box *b, double goal)
{
    for (size_t k = 0; k < b->count; k++)
        if (b->best[k] <= goal) return (double)k + 1;
    return INFINITY;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *v, size_t count)
{
    qsort(v, count, sizeof *v, by_size);
    return count % 2 ? v[count / 2] : 0.5 * (v[count / 2 - 1] + v[count / 2]);
}

static double share(const double *v, size_t count, double most)
{
    double in = 0;
    for (size_t k = 0; k < count; k++) in += v[k] <= most;
    return 100 * in / (double)count;
}

static box new_box(size_t n, size_t d)
{
    box b = {.n = n, .d = d, .most = (size_t)number("MOST", 500) * (d + 1)};
    b.drawn = (uint64_t)number("SEED", 1) << 32;
    b.best = calloc(b.most, sizeof *b.best);
    if (!b.best) exit(fprintf(stderr, "suites: out of memory\n"));
    return b;
}

/* ---- Moré-Wild ------------------------------------------------------------------------------------- */

static void of_morewild(const void *of, const double *x, double *r) { mw_residuals(of, x, r); }

static const double taus[3] = {1e-3, 1e-5, 1e-7};

static void morewild(const char *what, size_t from, size_t to)
{
    static double need[3][MW_COUNT];
    size_t count = 0, rounds = 0;
    printf("problem,function,d,m,start,1e-3,1e-5,1e-7,used,F,reason\n");
    for (size_t k = from; k < to; k++, count++) {
        const mw_problem *p = &mw_problems[k];
        double x[MW_MOST];
        outcome o = {0};
        box b = new_box(p->m, p->d);
        b.of = p;
        b.residuals = of_morewild;
        if (!strncmp(what, "noisy", 5)) b.noise = number("NOISE", 1e-3);
        mw_start(p, x);
        if (strcmp(what, "rounds"))
            run(what, &b, x, &o);
        else
            run_rounds(&b, x);
        double first = mw_sum(p, x);
        printf("%02zu,%d,%zu,%zu,%d", k + 1, p->function, p->d, p->m, p->far);
        for (int t = 0; t < 3; t++) {
            double at = evaluations_to(&b, p->best + taus[t] * (first - p->best));
            need[t][count] = at / (double)(p->d + 1);
            printf(",%g", at);
        }
        printf(",%zu,%.10g,%s\n", b.count, o.sum, zo_reason_name(o.report.reason));
        rounds += b.count;
        free(b.best);
    }
    for (int t = 0; t < 3; t++) {
        double middle = median(need[t], count);
        printf("# %g: median %.2f; solved within 10: %.0f %%, 50: %.0f %%, 500: %.0f %%\n", taus[t],
               middle, share(need[t], count, 10), share(need[t], count, 50),
               share(need[t], count, 500));
    }
    printf("# evaluations in all: %zu\n", rounds);
}

/* ---- NIST ------------------------------------------------------------------------------------------- */

static void of_nist(const void *of, const double *x, double *r) { nist_residuals(of, x, r); }

/* Lanczos1 is data without noise: its certified sum, 1.4e-25, is below what its printed digits allow. */
#define EXACT_DATA 1e-20

static void nist(const char *what, size_t from, size_t to)
{
    static nist_set set;
    static double need[2][NIST_COUNT];
    size_t count = 0;
    printf("set,d,m,start,evaluations,simplex gradients,used,relative,reason\n");
    for (size_t k = from; k < to; k++) {
        if (nist_read(&set, nist_names[k])) continue;
        for (int start = 0; start < 2; start++) {
            outcome o = {0};
            box b = new_box(set.m, set.d);
            b.of = &set;
            b.residuals = of_nist;
            run(what, &b, set.start[start], &o);
            double at = evaluations_to(&b, fmax(set.best * (1 + 1e-6), EXACT_DATA));
            need[start][count] = at / (double)(set.d + 1);
            printf("%s,%zu,%zu,%d,%g,%.2f,%zu,%.2e,%s\n", set.name, set.d, set.m, start + 1, at,
                   need[start][count], b.count, o.sum / set.best - 1,
                   zo_reason_name(o.report.reason));
            free(b.best);
        }
        count++;
    }
    for (int start = 0; start < 2 && count; start++) {
        double solved = share(need[start], count, 500) / 100 * (double)count;
        printf("# start %d: %.0f of %zu solved to 6 digits, median %.2f\n", start + 1, solved,
               count, median(need[start], count));
    }
    if (!count) printf("# no sets: ZOPROX_DATA/nist is not there\n");
}

/* ---- the spectrum ------------------------------------------------------------------------------------ */

static void of_spectrum(const void *of, const double *x, double *r)
{
    (void)of;
    spectrum_residuals(x, r);
}

static void spectrum(const char *what)
{
    double x[SPECTRUM_D];
    outcome o = {0};
    box b = new_box(SPECTRUM_N, SPECTRUM_D);
    b.residuals = of_spectrum;
    spectrum_start(x);
    run(what, &b, x, &o);
    double least = spectrum_least(), first = b.best[0];
    printf("runs to 1 %%: %g, to 1e-6: %g, used %zu, F0 %.6g, least %.6g\n",
           evaluations_to(&b, least + 0.01 * (first - least)),
           evaluations_to(&b, least * (1 + 1e-6)), b.count, first, least);
    free(b.best);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "residuals";
    size_t from = argc > 2 ? (size_t)atoi(argv[2]) - 1 : 0;
    if (!strncmp(what, "spectrum", 8))
        spectrum(what);
    else if (!strncmp(what, "nist", 4))
        nist(what, from, argc > 3 ? (size_t)atoi(argv[3]) : argc > 2 ? from + 1 : NIST_COUNT);
    else
        morewild(what, from, argc > 3 ? (size_t)atoi(argv[3]) : argc > 2 ? from + 1 : MW_COUNT);
    return 0;
}
