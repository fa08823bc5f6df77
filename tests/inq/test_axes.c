/* inq with noise, where components depend on a few coordinates each: that these are found, that what shows late or faintly is
 * not missed, and the same bytes after a checkpoint and on any number of ranks.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "runs.h"

#include <stdio.h>
#include <unistd.h>

#include "rank_threads.h"
#include "shaken.h"
#include "zoprox_spread.h"

enum { MEMBERS = 600, PAIRS = 10, LAST = 2 * PAIRS, DIM = LAST + 1, PATH = 8192 };

/* What components see beside their own pair of coordinates. */
enum {
    NOTHING,
    LATER, /* every third: the last coordinate, as soon as its first one is above 0, where it begins below */
    FAINT, /* all: the last coordinate, so little that none shows it */
    RIDGE, /* all: |x|^2 */
    ALL,   /* two of them: everything */
    BOTH,  /* two of them: two coordinates together, as soon as both have moved */
    MORE,  /* all: two more pairs, so that pairs of coordinates are too many to ask */
    INDEX  /* no pair, but one index: the sum of two coordinates */
};

typedef struct pairs {
    int kind;
    double sigma;
    int frozen; /* 1: the noise is a function of the point */
    double steep[MEMBERS], end[MEMBERS];
    uint64_t calls;
} pairs;

static size_t pair_of(size_t i) { return 2 * (i * 7919 % PAIRS); }

static double exact(const pairs *p, size_t i, const double *x)
{
    double u = x[pair_of(i)], v = x[pair_of(i) + 1], w = x[LAST], sum = 0, f;
    if (p->kind == INDEX) return log(1 + exp((i % 2 ? 1 : -1) * (u + v))) + 0.1 * (u + v) * (u + v);
    f = p->steep[i] * (v - u * u) * (v - u * u) + (p->end[i] - u) * (p->end[i] - u);
    for (size_t k = 1; k < 3 && p->kind == MORE; k++) {
        double s = x[pair_of(i + k)], t = x[pair_of(i + k) + 1];
        f += p->steep[i] * (t - s * s) * (t - s * s) + (p->end[i] - s) * (p->end[i] - s);
    }
    if (p->kind == BOTH && i % 300 == 5)
        f += 3 * (x[pair_of(i + 3)] + 1.2) * (x[pair_of(i + 5)] + 1.2);
    if (p->kind == LATER && i % 3 == 0) f += fmax(u, 0) * fmax(u, 0) * (w - 1) * (w - 1);
    if (p->kind == FAINT) f += 5e-4 * (w - 1) * (w - 1);
    for (size_t j = 0; j < DIM; j++)
        sum += p->kind == RIDGE ? 0.02 * x[j] * x[j] : (x[j] - 1) * (x[j] - 1);
    return f + (p->kind == RIDGE || (p->kind == ALL && i % 300 == 5) ? sum : 0);
}

static int value(void *ctx, size_t i, const double *x, double *f)
{
    pairs *p = ctx;
    uint64_t when = p->frozen ? bits_of(DIM, x) : p->calls++;
    *f = exact(p, i, x);
    if (p->sigma > 0) *f += shaken_by(p->sigma, when, i);
    return 0;
}

static pairs pairs_of(int kind, double sigma)
{
    pairs p = {.kind = kind, .sigma = sigma};
    rng_normals(3, FOR_SYNTH, 0, 0, MEMBERS, p.end);
    for (size_t i = 0; i < MEMBERS; i++) {
        p.end[i] = 1 + 0.1 * p.end[i];
        p.steep[i] = 5 + 15 * rng_uniform(3, FOR_SYNTH, 1, i);
    }
    return p;
}

static double mean_of(const pairs *p, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < MEMBERS; i++) sum += exact(p, i, x) / MEMBERS;
    return sum;
}

static zo_solver *made_of(const char *method, const zo_problem *p, uint64_t seed, double told)
{
    zo_settings s = settings_of(method);
    zo_solver *solver;
    zo_error e = {0};
    s.seed = seed;
    s.noise = told;
    s.horizon = 1e9;
    if (zo_new(&solver, p, &s, &e)) fail_msg("%s", e.text);
    return solver;
}

static zo_solver *made(const zo_problem *p, uint64_t seed, double told)
{
    return made_of("inq", p, seed, told);
}

static zo_solver *begun(const zo_problem *p, uint64_t seed, double told)
{
    zo_solver *solver = made(p, seed, told);
    double x[DIM];
    zo_error e = {0};
    for (size_t j = 0; j < DIM; j++) x[j] = j % 2 ? 1 : -1.2;
    if (zo_start(solver, x, &e)) fail_msg("%s", e.text);
    return solver;
}

static zo_report ended(pairs *of, uint64_t seed, double units, double *x)
{
    zo_problem p = {.n = MEMBERS, .d = DIM, .value = value, .ctx = of};
    zo_solver *solver = begun(&p, seed, NAN);
    zo_control c = zo_no_limits();
    c.track = ZO_TRACK_OFF;
    c.max_units = units;
    zo_report report = run_to(solver, &c);
    vec_copy(DIM, zo_point(solver), x);
    zo_free(solver);
    return report;
}

/* The least F, from a run without noise. */
static double least(const pairs *of)
{
    pairs exactly = *of;
    double x[DIM];
    exactly.sigma = 0;
    ended(&exactly, 1, 60, x);
    return mean_of(of, x);
}

static int along_supports(const zo_report *r)
{
    return strstr(r->chosen, "along its few coordinates") != NULL;
}

static void finds_what_components_depend_on(void **state)
{
    (void)state;
    static const int kinds[] = {NOTHING, LATER, RIDGE, ALL, BOTH, MORE};
    const double sigma = 1e-3, level = sigma / sqrt(MEMBERS);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        pairs of = pairs_of(kinds[k], sigma);
        double x[DIM], best = least(&of);
        for (uint64_t seed = 1; seed <= 3; seed++) {
            zo_report r = ended(&of, seed, 40, x);
            double gap = (mean_of(&of, x) - best) / level,
                   most = kinds[k] == MORE ? 10 : 3; /* learnt from noisy slopes alone */
            if (!along_supports(&r) || r.reason != ZO_AT_NOISE || !(gap < most))
                fail_msg("kind %d seed %d: %s, %g units, gap %g levels", kinds[k], (int)seed,
                         r.chosen, r.units, gap);
        }
    }
}

static void does_not_miss_what_is_faint(void **state)
{
    (void)state;
    pairs of = pairs_of(FAINT, 1e-3);
    double x
        [DIM]; /* the last coordinate, off by 0.7, is six noise levels of the mean; it begins at 2.2 */
    for (uint64_t seed = 1; seed <= 3; seed++) {
        ended(&of, seed, 150, x);
        if (!(fabs(x[LAST] - 1) < 0.7))
            fail_msg("seed %d: the last coordinate is %g", (int)seed, x[LAST]);
    }
}

static void leaves_one_index_to_curves(void **state)
{
    (void)state;
    pairs of = pairs_of(INDEX, 1e-3);
    double x[DIM];
    zo_report r = ended(&of, 1, 1.5, x); /* then their directions show supports */
    if (along_supports(&r)) fail_msg("%s", r.chosen);
}

/* It asks for itself what inq would have known. Values that repeat are inq's, and so is one index at first. */
static void by_name(void **state)
{
    (void)state;
    static const struct {
        int kind;
        double sigma;
        int along;
        const char *said;
    } cases[] = {{NOTHING, 1e-3, 1, "few coordinates"},
                 {RIDGE, 1e-3, 1, "few coordinates"},
                 {INDEX, 1e-3, 1, "then inq after"},
                 {NOTHING, 0, 0, "values have no noise"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        pairs of = pairs_of(cases[k].kind, cases[k].sigma);
        zo_problem p = {.n = MEMBERS, .d = DIM, .value = value, .ctx = &of};
        zo_solver *solver = made_of("supports", &p, 1, NAN);
        zo_control c = zo_no_limits();
        zo_error e = {0};
        double x[DIM], best = least(&of);
        for (size_t j = 0; j < DIM; j++) x[j] = j % 2 ? 1 : -1.2;
        if (zo_start(solver, x, &e)) fail_msg("%s", e.text);
        c.track = ZO_TRACK_OFF;
        c.max_units = 40;
        zo_report r = run_to(solver, &c);
        double gap = (mean_of(&of, zo_point(solver)) - best) / (1e-3 / sqrt(MEMBERS));
        if (along_supports(&r) != cases[k].along || !strstr(r.chosen, cases[k].said) || !(gap < 3))
            fail_msg("case %d: %s, gap %g levels", (int)k, r.chosen, gap);
        zo_free(solver);
    }
}

/* ---- The same bytes ----------------------------------------------------------------------------------- */

/* Along supports from the start, and after curves. */
static const int same_kinds[] = {LATER, INDEX};

/* The points of a run stopped after every so many queries, saved there and gone on from in another solver. */
static size_t path_of(const zo_problem *p, double told, uint64_t every, int saving, double *out)
{
    char path[] = "/tmp/zoprox-axes-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    zo_error e = {0};
    zo_solver *solver = begun(p, 3, told);
    zo_control c = zo_no_limits();
    c.track = ZO_TRACK_OFF;
    size_t count = 0;
    zo_report report = {0};
    for (c.max_queries = every; count < PATH / DIM && report.reason != ZO_AT_NOISE;
         c.max_queries += every) {
        report = run_to(solver, &c);
        vec_copy(DIM, zo_point(solver), out + DIM * count++);
        if (!saving) continue;
        if (zo_save(solver, path, &e)) fail_msg("%s", e.text);
        zo_free(solver);
        solver = made(p, 3, told);
        if (zo_load(solver, path, &e)) fail_msg("%s", e.text);
    }
    if (report.reason != ZO_AT_NOISE) fail_msg("%d: %s", report.reason, report.chosen);
    assert_true(along_supports(&report));
    zo_free(solver);
    unlink(path);
    return count;
}

static void goes_on_with_the_same_bytes(void **state)
{
    (void)state;
    static double straight[PATH], resumed[PATH];
    for (size_t k = 0; k < 2; k++) {
        pairs of = pairs_of(same_kinds[k], 1e-3);
        of.frozen = 1;
        zo_problem p = {.n = MEMBERS, .d = DIM, .value = value, .ctx = &of, .psi = zo_l1(1e-3)};
        size_t count = path_of(&p, of.sigma, MEMBERS, 0, straight);
        assert_int_equal(path_of(&p, of.sigma, MEMBERS, 1, resumed), count);
        assert_memory_equal(straight, resumed, count * DIM * sizeof *straight);
    }
}

static void act_run(place *p)
{
    const pairs *of = p->with;
    pairs mine = *of;
    zo_problem whole = {.n = MEMBERS, .d = DIM, .value = value, .ctx = &mine}, spread;
    zo_ranks ranks = {.rank = p->rank,
                      .size = p->w->size,
                      .ctx = p,
                      .gather = swap,
                      .agreed = &p->w->agreed[p->rank]};
    zo_spread *s;
    if (zo_spread_new(&s, &whole, &ranks, &spread, &p->err)) fail_msg("%s", p->err.text);
    zo_solver *solver = begun(&spread, 5, of->sigma);
    zo_control c = zo_no_limits();
    c.track = ZO_TRACK_OFF;
    c.max_units = 40;
    p->report = run_to(solver, &c);
    vec_copy(DIM, zo_point(solver), p->out);
    zo_free(solver);
    zo_spread_free(s);
}

static void same_on_any_number_of_ranks(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 5};
    double first[DIM];
    for (size_t k = 0; k < 6; k++) {
        int size = sizes[k % 3];
        pairs of = pairs_of(same_kinds[k / 3], 1e-3);
        place places[MOST] = {0};
        of.frozen = 1;
        on_ranks(size, places, act_run, &of, DIM);
        if (k % 3 == 0) vec_copy(DIM, places[0].out, first);
        for (int r = 0; r < size; r++) {
            assert_true(along_supports(&places[r].report));
            assert_memory_equal(places[r].out, first, sizeof first);
        }
        release(size, places);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_what_components_depend_on),
                                       cmocka_unit_test(does_not_miss_what_is_faint),
                                       cmocka_unit_test(leaves_one_index_to_curves),
                                       cmocka_unit_test(by_name),
                                       cmocka_unit_test(goes_on_with_the_same_bytes),
                                       cmocka_unit_test(same_on_any_number_of_ranks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
