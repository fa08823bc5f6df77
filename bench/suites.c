/* The suites that solvers of black boxes are judged by, run by zoprox; in simplex gradients (d + 1 evaluations).
 * SPDX-License-Identifier: MIT
 *
 *   suites PART [FROM TO]      parts: below; problems FROM to TO of it, from 1
 * A line for each problem: evaluations until the least true F is within three goals, what was used, where it ended and why.
 * Then medians and shares, and which runs said that they have converged where the true prox-gradient is above 10 times what
 * was stated; part truth: those of all parts. Environment: METHOD, SEED, MOST (simplex gradients, 500), ABREAST, NOISE,
 * DIGITS, SET (KEY=VALUE ...), LIST=1 shows every evaluation. */
#define _POSIX_C_SOURCE 200809L /* strtok_r */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suites/morewild.h"
#include "suites/suite.h"
#include "suites/truth.h"
#include "zoprox.h"

/* How zoprox sees the problem. */
enum view {
    BY_POINT,   /* one evaluation gives all residuals */
    ROUNDS,     /* the same by ask and tell, ABREAST at a time: rounds are counted */
    FUNCTION,   /* one value */
    COMPONENTS, /* one component at a time: n of them are one evaluation */
};

/* What one evaluation shows: see morewild.h; ROUNDED: DIGITS (6) of each residual, as programs print them. */
enum value { PLAIN, NOISY, WILD, ABSOLUTE, ROUNDED };

/* Goals of F: first * (F0 - F*) above F*, or first * F*, where data are real. */
enum goal { OF_GAP, OF_BEST };

typedef struct part {
    const char *name, *suite;
    enum view view;
    enum value value;
    enum goal goal;
} part;

static const part parts[] = {
    {"residuals", "morewild", BY_POINT, PLAIN, OF_GAP},
    {"rounds", "morewild", ROUNDS, PLAIN, OF_GAP},
    {"noisy-residuals", "morewild", BY_POINT, NOISY, OF_GAP},
    {"rounded-residuals", "morewild", BY_POINT, ROUNDED, OF_GAP},
    {"function", "morewild", FUNCTION, PLAIN, OF_GAP},
    {"noisy-function", "morewild", FUNCTION, NOISY, OF_GAP},
    {"wild-function", "morewild", FUNCTION, WILD, OF_GAP},
    {"absolute-function", "morewild", FUNCTION, ABSOLUTE, OF_GAP},
    {"components", "morewild", COMPONENTS, PLAIN, OF_GAP},
    {"l1", "l1", BY_POINT, PLAIN, OF_GAP},
    {"l1-function", "l1", FUNCTION, PLAIN, OF_GAP},
    {"nist", "nist", BY_POINT, PLAIN, OF_BEST},
    {"nist2", "nist2", BY_POINT, PLAIN, OF_BEST},
    {"nist-function", "nist", FUNCTION, PLAIN, OF_BEST},
    {"nist2-function", "nist2", FUNCTION, PLAIN, OF_BEST},
    {"spectrum", "spectrum", BY_POINT, PLAIN, OF_GAP},
    {"separable", "separable", COMPONENTS, PLAIN, OF_GAP},
    {"separable-function", "separable", FUNCTION, PLAIN, OF_GAP},
    {"rough", "rough", FUNCTION, PLAIN, OF_GAP},
};

static const double goals[2][3] = {[OF_GAP] = {1e-3, 1e-5, 1e-7}, [OF_BEST] = {1e-2, 1e-4, 1e-6}};

typedef struct box {
    const part *part;
    suite_problem problem;
    double noise;   /* relative */
    uint64_t drawn; /* for noise */
    double *best;   /* least true F after each evaluation */
    size_t count, most;
    size_t calls; /* of single components */
} box;

typedef struct outcome {
    zo_report report;
    double x[SUITE_MOST];
} outcome;

/* ---- the box -------------------------------------------------------------------------------------- */

static double number(const char *name, double otherwise)
{
    const char *text = getenv(name);
    return text ? atof(text) : otherwise;
}

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

static double *last(box *b) { return &b->best[b->count - 1]; }

static void note(box *b, double f)
{
    if (b->count >= b->most) return;
    double before = b->count ? *last(b) : INFINITY;
    b->best[b->count++] = isfinite(f) && f < before ? f : before;
    if (getenv("LIST")) printf("#   %4zu %.10e\n", b->count, f);
}

/* The true F of this part at x, v = v(x). */
static double truth(const box *b, const double *x, const double *v)
{
    return b->part->value == ABSOLUTE ? mw_absolute(b->problem.of, x)
                                      : suite_sum(&b->problem, x, v);
}

static double round_to(int digits, double v)
{
    char text[32];
    snprintf(text, sizeof text, "%.*e", digits - 1, v);
    return atof(text);
}

static int all(void *ctx, const double *x, double *v)
{
    box *b = ctx;
    suite_parts(&b->problem, x, v);
    note(b, truth(b, x, v));
    for (size_t i = 0; i < b->problem.m; i++) {
        if (b->noise > 0) v[i] *= 1 + b->noise * normal(b);
        if (b->part->value == ROUNDED) v[i] = round_to((int)number("DIGITS", 6), v[i]);
    }
    return 0;
}

static int one(void *ctx, size_t i, const double *x, double *f)
{
    box *b = ctx;
    double v[SUITE_MOST_PARTS];
    (void)i;
    suite_parts(&b->problem, x, v);
    double sum = truth(b, x, v);
    note(b, sum);
    for (size_t j = 0; j < b->problem.d; j++) sum -= b->problem.lambda * fabs(x[j]); /* psi's */
    if (b->problem.wild) sum *= 1 + 1e-3 * mw_wild_factor(b->problem.d, x);
    if (b->noise > 0) sum *= 1 + b->noise * normal(b);
    *f = b->problem.noise > 0 ? sum + b->problem.noise * normal(b) : sum;
    return 0;
}

/* m calls of single components are one evaluation; F is the least of the points of these calls. */
static int component(void *ctx, size_t i, const double *x, double *f)
{
    box *b = ctx;
    double v[SUITE_MOST_PARTS];
    suite_parts(&b->problem, x, v);
    double sum = truth(b, x, v);
    if (b->calls++ % b->problem.m == 0) note(b, sum);
    if (b->count && isfinite(sum)) *last(b) = fmin(*last(b), sum);
    *f = b->problem.squares ? v[i] * v[i] : v[i];
    return 0;
}

/* ---- a run ---------------------------------------------------------------------------------------- */

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

/* F = sum v^2 + lambda |x|_1 is 2m times what zoprox minimizes by residuals; one function is F itself. */
static double scale_of(const box *b)
{
    static const double by_view[] = {
        [BY_POINT] = 0.5, [ROUNDS] = 0.5, [COMPONENTS] = 1, [FUNCTION] = 0};
    double by = by_view[b->part->view];
    return by > 0 ? by / (double)b->problem.m : 1;
}

static zo_problem problem_of(box *b)
{
    const suite_problem *q = &b->problem;
    zo_problem p = {.n = q->m, .d = q->d, .ctx = b};
    if (b->part->view == FUNCTION) {
        p.n = 1;
        p.value = one;
    } else if (b->part->view == COMPONENTS) {
        p.value = component;
    } else {
        p.all = all;
        p.outer = zo_squares();
    }
    if (q->lambda > 0) p.psi = zo_l1(scale_of(b) * q->lambda);
    return p;
}

static zo_status run(box *b, outcome *o, zo_error *e)
{
    zo_problem p = problem_of(b);
    zo_settings s = zo_defaults();
    zo_control c = zo_no_limits();
    zo_solver *solver = NULL;
    set_all(&s);
    c.max_queries = (uint64_t)b->most * (b->part->view == COMPONENTS ? b->problem.m : 1);
    c.track = ZO_TRACK_OFF;
    zo_status status = zo_new(&solver, &p, &s, e);
    if (!status) status = zo_start(solver, b->problem.start, e);
    if (!status) status = zo_run(solver, &c, &o->report, e);
    if (getenv("LIST"))
        printf("#   chosen: %s; warning: %s\n", o->report.chosen, o->report.warning);
    if (!status) memcpy(o->x, zo_point(solver), p.d * sizeof *o->x);
    for (size_t j = 0; getenv("LIST") && j < p.d; j++) printf("# x %.8g\n", o->x[j]);
    zo_free(solver);
    return status;
}

/* One round: all points of a fan at once. */
static zo_status answer(box *b, zo_solver *solver, const zo_fan *fan, zo_error *e)
{
    size_t set = zo_fan_points(fan), m = b->problem.m;
    double *values = calloc(set * m + m, sizeof *values), *v = values + set * m;
    double *answers = calloc(zo_fan_answers(fan), sizeof *answers), x[SUITE_MOST];
    double least = INFINITY;
    if (!values || !answers) exit(fprintf(stderr, "suites: out of memory\n"));
    for (size_t point = 0; point < set; point++) {
        zo_fan_point(fan, 0, point, x);
        suite_parts(&b->problem, x, v);
        for (size_t i = 0; i < m; i++) values[i * set + point] = v[i];
        least = fmin(least, truth(b, x, v));
    }
    note(b, least);
    zo_status status = zo_fan_answer(fan, values, answers, e);
    if (!status) status = zo_tell(solver, answers, e);
    free(values);
    free(answers);
    return status;
}

static zo_status run_rounds(box *b, outcome *o, zo_error *e)
{
    zo_problem p = problem_of(b);
    zo_settings s = zo_defaults();
    zo_solver *solver = NULL;
    const zo_fan *fan = NULL;
    set_all(&s);
    zo_status status = zo_new(&solver, &p, &s, e);
    if (!status) status = zo_start(solver, b->problem.start, e);
    while (!status && b->count < b->most && !(status = zo_ask(solver, &fan, e)) && fan)
        status = answer(b, solver, fan, e);
    if (!status) memcpy(o->x, zo_point(solver), p.d * sizeof *o->x);
    o->report.reason = fan ? ZO_AT_QUERIES : ZO_AT_END;
    zo_free(solver);
    return status;
}

/* ---- a part --------------------------------------------------------------------------------------- */

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

/* Runs that ended as converged, and those of which that was not true. */
static struct {
    size_t ended, untrue, ripples; /* ripples: wild ones, where it is not so of the smooth part */
    double over[2048];             /* what was stated over what is found */
} ends;

static int is_untrue(const suite_problem *p, double scale, const outcome *o, suite_truth *t)
{
    *t = suite_true_residual(p, scale, o->x);
    return !(t->residual - t->error <= 10 * o->report.residual);
}

static void check_end(const box *b, const outcome *o)
{
    int smooth = b->part->value != ABSOLUTE && b->part->view != ROUNDS; /* rounds have no report */
    if (o->report.reason != ZO_AT_END || !smooth) return;
    suite_problem smoothed = b->problem;
    suite_truth t;
    smoothed.wild = 0;
    ends.ended++;
    ends.ripples += b->problem.wild && is_untrue(&smoothed, scale_of(b), o, &t);
    int untrue = is_untrue(&b->problem, scale_of(b), o, &t);
    ends.over[ends.ended - 1] = o->report.residual / fmax(fmax(t.residual, t.error), 1e-300);
    if (!untrue) return;
    ends.untrue++;
    printf("# untrue: %s %s: converged, residual %.2g stated, %.2g +- %.1g found; %s\n",
           b->part->name, b->problem.name, o->report.residual, t.residual, t.error,
           o->report.chosen);
}

/* 0, or -1 where the problem's data are absent. need: simplex gradients to the three goals. */
static int measure(const part *at, size_t k, double need[3])
{
    box b = {.part = at};
    outcome o = {0};
    zo_error e;
    if (suite_open(at->suite, k, &b.problem)) return -1;
    const suite_problem *p = &b.problem;
    b.problem.wild = at->value == WILD;
    if (at->value == NOISY) b.noise = number("NOISE", 1e-3);
    b.drawn = (uint64_t)number("SEED", 1) << 32;
    b.most = p->most ? p->most : (size_t)(number("MOST", 500) * (double)(p->d + 1));
    b.best = calloc(b.most + 1, sizeof *b.best);
    if (!b.best) exit(fprintf(stderr, "suites: out of memory\n"));
    double v[SUITE_MOST_PARTS], best = at->value == ABSOLUTE ? mw_least_absolute[k] : p->best;
    suite_parts(p, p->start, v);
    double first = truth(&b, p->start, v);
    if ((at->view == ROUNDS ? run_rounds : run)(&b, &o, &e))
        fprintf(stderr, "suites: %s: %s\n", p->name, e.text);
    printf("%s,%zu,%zu", p->name, p->d, p->m);
    for (int t = 0; t < 3; t++) {
        double above = at->goal == OF_GAP ? first - best : best;
        double evaluations = evaluations_to(&b, best + goals[at->goal][t] * above);
        need[t] = evaluations / (double)(p->d + 1);
        printf(",%g", evaluations);
    }
    suite_parts(p, o.x, v);
    printf(",%zu,%.10g,%s\n", b.count, truth(&b, o.x, v), zo_reason_name(o.report.reason));
    check_end(&b, &o);
    fflush(stdout);
    free(b.best);
    return 0;
}

static void measure_all(const part *at, size_t from, size_t to)
{
    static double need[3][256];
    const double *goal = goals[at->goal];
    size_t count = 0;
    printf("problem,d,m,%g,%g,%g,used,F,reason\n", goal[0], goal[1], goal[2]);
    for (size_t k = from; k < to; k++) {
        double one_need[3];
        if (measure(at, k, one_need)) continue;
        for (int t = 0; t < 3; t++) need[t][count] = one_need[t];
        count++;
    }
    for (int t = 0; t < 3 && count; t++) {
        double middle = median(need[t], count), most = number("MOST", 500);
        printf("# %g: median %.2f; solved within 10: %.0f %%, 50: %.0f %%, %g: %.0f %%\n", goal[t],
               middle, share(need[t], count, 10), share(need[t], count, 50), most,
               share(need[t], count, most));
    }
    if (!count) printf("# no data: ZOPROX_DATA/nist is not there\n");
    printf("# converged %zu, untrue %zu", ends.ended, ends.untrue);
    if (ends.ended) printf(", stated over found: median %.2g", median(ends.over, ends.ended));
    if (at->value == WILD) printf("; in a ripple's minimum %zu", ends.ripples);
    printf("\n");
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "residuals";
    if (!strcmp(name, "truth")) {
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            measure_all(&parts[k], 0, suite_size(parts[k].suite));
        return ends.untrue > 0;
    }
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (!strcmp(parts[k].name, name)) {
            size_t size = suite_size(parts[k].suite), from = argc > 2 ? (size_t)atoi(argv[2]) : 1;
            size_t to = argc > 3 ? (size_t)atoi(argv[3]) : argc > 2 ? from : size;
            measure_all(&parts[k], from ? from - 1 : 0, to < size ? to : size);
            return 0;
        }
    fprintf(stderr, "suites: part: %s is none of:", name);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) fprintf(stderr, " %s", parts[k].name);
    fprintf(stderr, "\n");
    return 2;
}
