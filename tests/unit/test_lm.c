/* lm: residuals, one evaluation for all of them, and what is on top.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "problem/outer.h"
#include "suites/l1.h"
#include "suites/morewild.h"
#include "suites/nist.h"
#include "suites/spectrum.h"
#include "zoprox.h"

typedef struct box {
    const mw_problem *p;
    const nist_set *set;
    uint64_t calls;
    double least; /* sum of squares so far */
    double goal;  /* and the call that reached this */
    uint64_t reached;
    const double *lo, *hi; /* or NULL: no point may be outside */
} box;

static int all(void *ctx, const double *x, double *r)
{
    box *b = ctx;
    size_t d = b->p ? b->p->d : b->set ? b->set->d : SPECTRUM_D;
    size_t n = b->p ? b->p->m : b->set ? b->set->m : SPECTRUM_N;
    for (size_t j = 0; b->lo && j < d; j++)
        if (!(x[j] >= b->lo[j] && x[j] <= b->hi[j])) fail_msg("x_%zu = %.17g", j, x[j]);
    if (b->p)
        mw_residuals(b->p, x, r);
    else if (b->set)
        nist_residuals(b->set, x, r);
    else
        spectrum_residuals(x, r);
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += r[i] * r[i];
    b->calls++;
    if (sum < b->least) b->least = sum;
    if (!b->reached && b->least <= b->goal) b->reached = b->calls;
    return 0;
}

static zo_report solve(const zo_problem *p, const double *x0, uint64_t points, double *x)
{
    zo_settings s = zo_defaults();
    zo_control c = zo_no_limits();
    zo_solver *solver;
    zo_report r = {0};
    zo_error e;
    c.max_points = points;
    if (zo_new(&solver, p, &s, &e) || zo_start(solver, x0, &e) || zo_run(solver, &c, &r, &e))
        fail_msg("%s", e.text);
    if (x) memcpy(x, zo_point(solver), p->d * sizeof *x);
    zo_free(solver);
    return r;
}

static zo_problem of_morewild(box *b, size_t k)
{
    *b = (box){.p = &mw_problems[k], .least = INFINITY};
    return (zo_problem){.n = b->p->m, .d = b->p->d, .all = all, .ctx = b, .outer = zo_squares()};
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The bar of the field: 3.6 simplex gradients in the median to 1e-5, at most one not solved in 50. */
static void test_morewild_bar(void **state)
{
    (void)state;
    double need[MW_COUNT];
    size_t missed = 0, count = 0;
    for (size_t k = 0; k < MW_COUNT; k++) {
        box b;
        zo_problem p = of_morewild(&b, k);
        double x[MW_MOST];
        mw_start(b.p, x);
        double first = mw_sum(b.p, x);
        b.goal = b.p->best + 1e-5 * (first - b.p->best);
        zo_report r = solve(&p, x, 50 * (p.d + 1), NULL);
        assert_int_equal(r.queries + r.watched, b.calls);
        assert_string_equal(r.method, "lm");
        need[count++] = b.reached ? (double)b.reached / (double)(p.d + 1) : INFINITY;
        missed += !b.reached;
    }
    qsort(need, count, sizeof *need, by_size);
    if (!(need[count / 2] <= 3.0)) fail_msg("median %g", need[count / 2]);
    assert_in_range(missed, 0, 1);
}

/* Four peaks, 80 channels: SciPy's least_squares takes 66 runs. */
static void test_spectrum(void **state)
{
    (void)state;
    box b = {.least = INFINITY};
    zo_problem p = {.n = SPECTRUM_N, .d = SPECTRUM_D, .all = all, .ctx = &b, .outer = zo_squares()};
    double x[SPECTRUM_D], r[SPECTRUM_N], first = 0;
    spectrum_start(x);
    spectrum_residuals(x, r);
    for (size_t i = 0; i < SPECTRUM_N; i++) first += r[i] * r[i];
    b.goal = spectrum_least() + 0.01 * (first - spectrum_least());
    solve(&p, x, 66, NULL);
    assert_true(b.reached > 0 && b.reached <= 40);
}

/* Points are the price: one run of the box each, whatever part of it is asked; a unit is d of them. */
static void test_price(void **state)
{
    (void)state;
    uint64_t comp[2] = {1, 2};
    double x[4] = {0};
    zo_fan fan = {.n = 5,
                  .d = 3,
                  .nbase = 1,
                  .base = {x},
                  .naxis = 3,
                  .radius = 1,
                  .sides = 1,
                  .ncomp = 2,
                  .comp = comp};
    assert_int_equal(zo_fan_queries(&fan), 8);
    fan.by_point = 1;
    assert_int_equal(zo_fan_queries(&fan), 4);
    box b;
    zo_problem p = of_morewild(&b, 16);
    mw_start(b.p, x);
    zo_report r = solve(&p, x, 7, NULL);
    assert_int_equal(r.reason, ZO_AT_QUERIES);
    assert_int_equal(b.calls, 7);
    assert_true(fabs(r.units - 7.0 / 4) < 1e-12);
    assert_true(isfinite(r.objective)); /* which the method knew: nothing was watched */
    assert_int_equal(r.watched, 0);
}

/* A budget below d + 1 points is spent, and buys steps: half of it knows half of the slopes. */
static void test_small_budget(void **state)
{
    (void)state;
    box b;
    zo_problem p = of_morewild(&b, 41);
    double x[MW_MOST], before = INFINITY;
    mw_start(b.p, x);
    for (size_t points = 6; points <= p.d + 1; points *= 2) {
        zo_report r = solve(&p, x, points, NULL);
        assert_int_equal(b.calls, points);
        double part = r.objective / (mw_sum(b.p, x) / 2 / (double)p.n);
        if (!(part < 0.97 && part < before && r.steps > 0))
            fail_msg("%zu points: %g of F(x0)", points, part);
        before = part;
        b.calls = 0;
    }
}

/* a exp(-b t) + c: starts that are far too small, in all parameters or in one. */
static int decay(void *ctx, const double *x, double *r)
{
    ++*(uint64_t *)ctx;
    for (int k = 0; k < 15; k++) {
        double t = 0.2 * k;
        r[k] = x[0] * exp(-x[1] * t) + x[2] - (1.1 * exp(-0.9 * t) + 0.5);
    }
    return 0;
}

static void test_small_starts(void **state)
{
    (void)state;
    static const double starts[][3] = {{1e-10, 1e-10, 1e-10}, {1e-10, 1, 1}, {2, 1e-10, 0}};
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
        uint64_t calls = 0;
        double x[3];
        zo_problem p = {.n = 15, .d = 3, .all = decay, .ctx = &calls, .outer = zo_squares()};
        solve(&p, starts[k], 400, x);
        if (!(fabs(x[0] - 1.1) + fabs(x[1] - 0.9) + fabs(x[2] - 0.5) < 1e-8 && calls < 150))
            fail_msg("start %zu: %g %g %g after %llu", k, x[0], x[1], x[2],
                     (unsigned long long)calls);
    }
}

/* No point outside of bounds, and the solution on them is that of the bounded problem. */
static void test_bounds(void **state)
{
    (void)state;
    box b;
    zo_problem p = of_morewild(&b, 6); /* Rosenbrock; least within the bounds: x = (0.5, 0.25) */
    double lo[2] = {-2, -0.5}, hi[2] = {0.5, 1}, x0[2] = {-1.2, 1}, x[2];
    b.lo = lo;
    b.hi = hi;
    p.psi = zo_bounds(lo, hi);
    solve(&p, x0, 200, x);
    assert_true(fabs(x[0] - 0.5) < 1e-6 && fabs(x[1] - 0.25) < 1e-5);
}

/* psi as ever: with a large l1 the solution is sparse, and optimal for what is on top. */
static void test_l1(void **state)
{
    (void)state;
    box b;
    zo_problem p = of_morewild(&b, 0); /* linear, full rank: solution -1, all of it */
    double x0[MW_MOST], x[MW_MOST];
    mw_start(b.p, x0);
    p.psi = zo_l1(2.0 / 45);
    solve(&p, x0, 200, x);
    for (size_t j = 0; j < p.d; j++) assert_true(x[j] == 0);
    p.psi = zo_l1(0.5 / 45);
    solve(&p, x0, 200, x);
    for (size_t j = 0; j < p.d; j++) assert_true(fabs(x[j] + 0.5) < 1e-6);
}

/* The corner (1, 0, 0) of a ball or simplex is nearest: differences around it move two coordinates each, and the run ends. */
static int far_from_corner(void *ctx, const double *x, double *r)
{
    ++*(uint64_t *)ctx;
    r[0] = x[0] - 3;
    r[1] = x[1] - 0.5;
    r[2] = x[2] - 0.25 + 0.1 * x[2] * x[0];
    return 0;
}

static void test_corners(void **state)
{
    (void)state;
    const zo_prox sets[] = {zo_l1_ball(1), zo_simplex(1)};
    for (size_t k = 0; k < 2; k++) {
        uint64_t calls = 0;
        double x[3], x0[3] = {0.25, 0.25, 0.5};
        zo_problem p = {.n = 3, .d = 3, .all = far_from_corner, .ctx = &calls};
        p.outer = zo_squares();
        p.psi = sets[k];
        zo_report r = solve(&p, x0, 200, x);
        assert_string_equal(zo_reason_name(r.reason), "end");
        assert_true(calls < 30);
        assert_true(fabs(x[0] - 1) < 1e-9 && fabs(x[1]) < 1e-9 && fabs(x[2]) < 1e-9);
    }
}

typedef struct sparse_box {
    const l1_problem *l;
    uint64_t calls, reached[3];
    double goal[3];
} sparse_box;

static double sparse_sum(const l1_problem *l, const double *x)
{
    double sum = mw_sum(&mw_problems[l->morewild], x);
    for (size_t j = 0; j < mw_problems[l->morewild].d; j++) sum += l->lambda * fabs(x[j]);
    return sum;
}

static int sparse_all(void *ctx, const double *x, double *r)
{
    sparse_box *b = ctx;
    double sum = sparse_sum(b->l, x);
    b->calls++;
    for (int t = 0; t < 3; t++)
        if (!b->reached[t] && sum <= b->goal[t]) b->reached[t] = b->calls;
    mw_residuals(&mw_problems[b->l->morewild], x, r);
    return 0;
}

/* Half of the coordinates vanish: ahead of the best of seven peers on 90 % of the problems, at each of three goals; the
 * best peer is chosen anew for each problem and goal. */
static void test_l1_bar(void **state)
{
    (void)state;
    int ahead[3] = {0};
    for (size_t k = 0; k < L1_COUNT; k++) {
        sparse_box b = {.l = &l1_problems[k]};
        const mw_problem *q = &mw_problems[b.l->morewild];
        zo_problem p = {.n = q->m, .d = q->d, .all = sparse_all, .ctx = &b, .outer = zo_squares()};
        double x[MW_MOST];
        mw_start(q, x);
        for (int t = 0; t < 3; t++)
            b.goal[t] = b.l->best +
                        (const double[]){1e-3, 1e-5, 1e-7}[t] * (sparse_sum(b.l, x) - b.l->best);
        p.psi = zo_l1(b.l->lambda / 2 / (double)p.n);
        solve(&p, x, 500 * (p.d + 1), NULL);
        for (int t = 0; t < 3; t++)
            ahead[t] += b.reached[t] && (double)b.reached[t] <= b.l->peers[t];
    }
    if (ahead[0] < 48 || ahead[1] < 48 || ahead[2] < 48)
        fail_msg("ahead on %d, %d, %d of 53", ahead[0], ahead[1], ahead[2]);
}

/* r = exp(40 x) - 1: the first steps overflow, and are refused. */
static int steep(void *ctx, const double *x, double *r)
{
    (void)ctx;
    r[0] = exp(40 * x[0]) - 2;
    r[1] = x[1] - 1;
    r[2] = 1e-3 / (x[1] > -3 ? 1 : 0) * x[1];
    return 0;
}

static void test_overflow_is_refused(void **state)
{
    (void)state;
    zo_problem p = {.n = 3, .d = 2, .all = steep, .outer = zo_squares()};
    double x0[2] = {-0.3, 30}, x[2];
    zo_report r = solve(&p, x0, 400, x);
    assert_true(r.reason == ZO_AT_END);
    assert_true(fabs(x[0] - log(2) / 40) < 1e-6);
}

/* The chain rule: what other methods see of residuals are the f_i. */
static int line(void *ctx, const double *x, double *r)
{
    (void)ctx;
    for (int i = 0; i < 6; i++) r[i] = x[0] + 0.5 * i * x[1];
    return 0;
}

static void test_chain(void **state)
{
    (void)state;
    const double weight[6] = {1, 2, 1, 0, 1, 3}, target[6] = {1, 2, 2, 50, 4, 4};
    const char *methods[] = {"lm", "pgd", "inq", "mean"};
    zo_problem p = {.n = 6, .d = 2, .all = line, .outer = zo_huber(0.3)};
    p.outer.weight = weight;
    p.outer.target = target;
    double least = NAN;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        zo_settings s = zo_defaults();
        zo_control c = zo_no_limits();
        zo_solver *solver;
        zo_report r;
        zo_error e;
        strcpy(s.method, methods[k]);
        c.max_units = 2000;
        if (zo_new(&solver, &p, &s, &e) || zo_start(solver, NULL, &e) || zo_run(solver, &c, &r, &e))
            fail_msg("%s: %s", methods[k], e.text);
        const double *x = zo_point(solver);
        double f = 0, res[6];
        line(NULL, x, res);
        for (size_t i = 0; i < 6; i++) f += outer_value(&p.outer, i, res[i]) / 6;
        if (!(fabs(f - r.objective) <= 1e-12)) fail_msg("%s: %g, %g", methods[k], f, r.objective);
        if (k == 0) least = f;
        if (!(f <= least + 1e-6)) fail_msg("%s: %g above %g", methods[k], f, least);
        zo_free(solver);
    }
}

/* h, h' and h'' of every family belong together. */
static void test_outer(void **state)
{
    (void)state;
    zo_outer all_of[] = {zo_squares(), zo_huber(0.7), zo_soft_l1(0.5), zo_cauchy(0.8),
                         zo_logistic()};
    for (size_t k = 0; k < sizeof all_of / sizeof *all_of; k++)
        for (double r = -3.05; r < 3; r += 0.1) {
            const zo_outer *h = &all_of[k];
            double t = 1e-5, up = h->value(h, r + t), down = h->value(h, r - t);
            assert_true(fabs((up - down) / (2 * t) - h->slope(h, r)) < 1e-8);
            double bend = (h->slope(h, r + t) - h->slope(h, r - t)) / (2 * t);
            assert_true(fabs(bend - h->curvature(h, r)) < 1e-7);
        }
    zo_outer h;
    zo_error e;
    assert_int_equal(zo_outer_parse(&h, "huber:0.5", &e), ZO_OK);
    assert_true(h.a == 0.5 && !strcmp(h.name, "huber"));
    const char *wrong[] = {"huber:", "huber:-1", "squares:2", "cube", ""};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_int_equal(zo_outer_parse(&h, wrong[k], &e), ZO_BAD_ARGUMENT);
}

/* Scale of parameters: NIST's sets from the far start, parameters over ten orders of magnitude. */
static void test_nist(void **state)
{
    (void)state;
    static nist_set set;
    const char *names[] = {"Misra1a", "Kirby2", "Rat42", "Gauss2", "Eckerle4", "Roszman1", "MGH17"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (nist_read(&set, names[k])) skip();
        box b = {.set = &set, .least = INFINITY, .goal = set.best * (1 + 1e-6)};
        zo_problem p = {.n = set.m, .d = set.d, .all = all, .ctx = &b, .outer = zo_squares()};
        solve(&p, set.start[0], 60 * (set.d + 1), NULL);
        if (!b.reached) fail_msg("%s: %g, best %g", names[k], b.least, set.best);
    }
}

/* Standard errors of NIST's sets to four digits, from the run's end alone; a parameter that does nothing has none. */
static void test_standard_errors(void **state)
{
    (void)state;
    static nist_set set;
    const char *names[] = {"Misra1a",  "Chwirut2", "Kirby2", "Rat42", "Gauss2",
                           "Eckerle4", "Roszman1", "MGH09",  "MGH17", "Nelson"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (nist_read(&set, names[k])) skip();
        box b = {.set = &set, .least = INFINITY};
        zo_problem p = {.n = set.m, .d = set.d, .all = all, .ctx = &b, .outer = zo_squares()};
        zo_settings s = zo_defaults();
        zo_control c = zo_no_limits();
        zo_solver *solver;
        zo_report r;
        zo_error e;
        double error[NIST_MOST];
        size_t lost = 0;
        c.max_points = 2000;
        if (zo_new(&solver, &p, &s, &e) || zo_start(solver, set.start[1], &e) ||
            zo_run(solver, &c, &r, &e) || zo_covariance(solver, NULL, error, &lost, &e))
            fail_msg("%s: %s", names[k], e.text);
        assert_int_equal(r.reason, ZO_AT_END);
        assert_int_equal(lost, 0);
        for (size_t j = 0; j < set.d; j++)
            if (!(fabs(error[j] / set.error[j] - 1) < 1e-4))
                fail_msg("%s: error of b%zu is %.8g, not %.8g", names[k], j + 1, error[j],
                         set.error[j]);
        zo_free(solver);
    }
}

static int idle(void *ctx, const double *x, double *r)
{
    (void)ctx;
    for (int i = 0; i < 6; i++) r[i] = x[0] + i * (x[1] + x[2]) + sin(i);
    return 0;
}

static void test_undetermined(void **state)
{
    (void)state;
    zo_problem p = {.n = 6, .d = 4, .all = idle, .outer = zo_squares()};
    zo_settings s = zo_defaults();
    zo_control c = zo_no_limits();
    zo_solver *solver;
    zo_report r;
    zo_error e;
    double x0[4] = {1, 2, 3, 4}, error[4];
    size_t lost = 0;
    c.max_points = 400;
    if (zo_new(&solver, &p, &s, &e) || zo_start(solver, x0, &e) || zo_run(solver, &c, &r, &e) ||
        zo_covariance(solver, NULL, error, &lost, &e))
        fail_msg("%s", e.text);
    assert_int_equal(lost, 3);
    assert_true(isfinite(error[0]) && isinf(error[1]) && isinf(error[2]) && isinf(error[3]));
    zo_free(solver);
}

/* Rounds (fans) until F is within 1e-5 of F0 - F*, by ask and tell. */
static size_t rounds_to(size_t k, double abreast)
{
    box b;
    zo_problem p = of_morewild(&b, k);
    zo_settings s = zo_defaults();
    zo_solver *solver;
    zo_error e;
    const zo_fan *fan;
    double x[MW_MOST], values[MW_MOST_RESIDUALS * 16], answers[MW_MOST_RESIDUALS * 16];
    s.abreast = abreast;
    mw_start(b.p, x);
    b.goal = b.p->best + 1e-5 * (mw_sum(b.p, x) - b.p->best);
    if (zo_new(&solver, &p, &s, &e) || zo_start(solver, x, &e)) fail_msg("%s", e.text);
    size_t rounds = 0;
    while (!b.reached && rounds < 1000 && !zo_ask(solver, &fan, &e) && fan) {
        size_t set = zo_fan_points(fan);
        size_t workers = (size_t)abreast;
        assert_true(set <= (workers > 2 ? workers : 2)); /* a line has two points */
        for (size_t q = 0; q < set; q++) {
            double r[MW_MOST_RESIDUALS];
            zo_fan_point(fan, 0, q, x);
            all(&b, x, r);
            for (size_t i = 0; i < p.n; i++) values[i * set + q] = r[i];
        }
        assert_int_equal(zo_fan_answer(fan, values, answers, &e), ZO_OK);
        assert_int_equal(zo_tell(solver, answers, &e), ZO_OK);
        rounds += (set + workers - 1) / workers;
    }
    zo_free(solver);
    return rounds;
}

/* Eight workers: a third of the rounds of one, at d = 10. */
static void test_workers(void **state)
{
    (void)state;
    const size_t ten[] = {32, 34, 39, 48};
    size_t alone = 0, together = 0;
    for (size_t k = 0; k < sizeof ten / sizeof *ten; k++) {
        alone += rounds_to(ten[k], 1);
        together += rounds_to(ten[k], 8);
    }
    if (!(3 * together <= alone)) fail_msg("%zu rounds, alone %zu", together, alone);
}

/* Relative noise of 1e-3 in every residual, drawn anew: Brown and Dennis to 1e-3 all the same. */
static uint64_t drawn;
static int noisy(void *ctx, const double *x, double *r)
{
    box *b = ctx;
    int code = all(ctx, x, r);
    for (size_t i = 0; i < b->p->m; i++) {
        drawn = drawn * 6364136223846793005u + 1442695040888963407u;
        r[i] *= 1 + 2e-3 * ((double)(drawn >> 11) * 0x1p-53 - 0.5) * 1.7;
    }
    return code;
}

static void test_noise(void **state)
{
    (void)state;
    const size_t some[] = {0, 26, 30, 41};
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        box b;
        zo_problem p = of_morewild(&b, some[k]);
        double x[MW_MOST];
        p.all = noisy;
        mw_start(b.p, x);
        b.goal = b.p->best + 1e-3 * (mw_sum(b.p, x) - b.p->best);
        zo_report r = solve(&p, x, 50 * (p.d + 1), NULL);
        if (!b.reached) fail_msg("problem %zu: %g", some[k] + 1, b.least);
        assert_true(r.reason == ZO_AT_NOISE || r.reason == ZO_AT_QUERIES);
    }
}

/* ---- the end is what it says -------------------------------------------------------------------------- */

/* x = y = 0 is a saddle: slopes vanish, F rises along both axes and falls along their sum. */
static int saddle(void *ctx, const double *x, double *r)
{
    (void)ctx;
    r[0] = x[0] * x[1] - 1;
    r[1] = 0.1 * x[0];
    r[2] = 0.1 * x[1];
    return 0;
}

static void test_saddle(void **state)
{
    (void)state;
    zo_problem p = {.n = 3, .d = 2, .all = saddle, .outer = zo_squares()};
    double x[2];
    zo_report r = solve(&p, NULL, 400, x);
    assert_int_equal(r.reason, ZO_AT_END);
    if (!(fabs(x[0] * x[1] - 0.99) < 1e-5)) fail_msg("x = %g %g", x[0], x[1]);
}

/* A loss that falls without end. */
static double fall_value(const zo_outer *h, double r) { return (void)h, -r; }
static double fall_slope(const zo_outer *h, double r) { return (void)h, (void)r, -1; }
static double fall_bend(const zo_outer *h, double r) { return (void)h, (void)r, 0; }

static void test_unbounded(void **state)
{
    (void)state;
    zo_outer fall = {
        .name = "fall", .value = fall_value, .slope = fall_slope, .curvature = fall_bend};
    zo_problem p = {.n = 6, .d = 2, .all = line, .outer = fall};
    zo_report r = solve(&p, NULL, 4000, NULL);
    assert_string_equal(zo_reason_name(r.reason), "unbounded");
}

/* |r| has a kink where it is least, and no slope that vanishes: lm hands over, and what is said is not "converged". */
static int kinked(void *ctx, const double *x, double *r)
{
    (void)ctx;
    r[0] = 1 + fabs(x[0] - 0.3) + 0.5 * fabs(x[1] - x[0]);
    r[1] = 1 + fabs(x[1] + 0.2);
    return 0;
}

static void test_kink(void **state)
{
    (void)state;
    zo_problem p = {.n = 2, .d = 2, .all = kinked, .outer = zo_squares()};
    double x0[2] = {2, -1}, x[2], r[2];
    zo_report report = solve(&p, x0, 2000, x);
    assert_string_not_equal(zo_reason_name(report.reason), "end");
    if (!strstr(report.chosen, "promise")) fail_msg("%s", report.chosen);
    kinked(NULL, x, r);
    /* least on a grid of a thousandth */
    double f = r[0] * r[0] + r[1] * r[1], least = f;
    for (double a = -0.5; a < 0.5; a += 1e-3)
        for (double b = -0.5; b < 0.5; b += 1e-3) {
            kinked(NULL, (double[]){a, b}, r);
            least = fmin(least, r[0] * r[0] + r[1] * r[1]);
        }
    if (!(f <= least + 1e-3)) fail_msg("%g at %g %g, least %g", f, x[0], x[1], least);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_morewild_bar), cmocka_unit_test(test_spectrum),
        cmocka_unit_test(test_price),        cmocka_unit_test(test_small_budget),
        cmocka_unit_test(test_small_starts), cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_l1),           cmocka_unit_test(test_l1_bar),
        cmocka_unit_test(test_corners),      cmocka_unit_test(test_overflow_is_refused),
        cmocka_unit_test(test_chain),        cmocka_unit_test(test_outer),
        cmocka_unit_test(test_nist),         cmocka_unit_test(test_standard_errors),
        cmocka_unit_test(test_undetermined), cmocka_unit_test(test_workers),
        cmocka_unit_test(test_noise),        cmocka_unit_test(test_saddle),
        cmocka_unit_test(test_unbounded),    cmocka_unit_test(test_kink)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
