/* With inside no question leaves psi's set, whatever it is: simplexes, balls, affine sets, polyhedra, with bounds and in blocks;
 * all methods and kinds of directions, with noise; and what is told in its place is right. ZO_LONG=1: 10^6 questions.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "own_prox.h"
#include "prox/prox.h"
#include "prox/region.h"
#include "settings_of.h"
#include "zoprox.h"

enum { MOST = 9, ROWS = 12, PARTS = 20 };
enum { SIMPLEX, L1_BALL, L2_BALL, AFFINE, POLYHEDRON, BOUNDED, FLAT, BLOCKS, FIXED, SETS };

typedef struct within {
    size_t n, d;
    int set, kind;
    zo_prox psi;
    zo_block part[3];
    double a[ROWS * MOST], b[ROWS], equal[MOST], level[1], lo[MOST], hi[MOST];
    double centre[PARTS][MOST], noise;
    uint64_t calls, outside;
} within;

static double uniform(uint64_t seed, uint32_t slot)
{
    return rng_uniform(seed, FOR_CHECK, 7, slot);
}

/* rows through random points around the one at a: it is inside, with room or without */
static void random_rows(within *t, uint64_t seed, size_t rows, const double *at)
{
    rng_normals(seed, FOR_SYNTH, 900, 0, rows * t->d, t->a);
    for (size_t k = 0; k < rows; k++) {
        t->b[k] = pow(10, 1 - 4 * uniform(seed, (uint32_t)(50 + k)));
        for (size_t j = 0; j < t->d; j++) t->b[k] += t->a[k * t->d + j] * at[j];
    }
}

static void make_set(within *t, uint64_t seed)
{
    double at[MOST], radius = pow(10, 2 * uniform(seed, 1) - 1);
    size_t rows = 1 + (size_t)(uniform(seed, 2) * (ROWS - 1)), d = t->d;
    rng_normals(seed, FOR_SYNTH, 800, 0, d, at);
    random_rows(t, seed, rows, at);
    for (size_t j = 0; j < d; j++) {
        t->lo[j] = at[j] - uniform(seed, (uint32_t)(100 + j));
        t->hi[j] = at[j] + uniform(seed, (uint32_t)(200 + j));
        if (t->set == FIXED && j % 3 == 1) t->lo[j] = t->hi[j] = at[j];
    }
    switch (t->set) {
    case SIMPLEX: t->psi = zo_simplex(radius); break;
    case L1_BALL: t->psi = zo_l1_ball(radius); break;
    case L2_BALL: t->psi = zo_l2_ball(radius); break;
    case AFFINE: t->psi = zo_affine(t->a, t->b, rows < d ? rows : d - 1); break;
    case POLYHEDRON: t->psi = zo_polyhedron(t->a, t->b, rows); break;
    case FLAT: /* one row both ways: an equation, which at meets */
        t->b[0] = 0;
        for (size_t j = 0; j < d; j++) {
            t->a[d + j] = -t->a[j];
            t->b[0] += t->a[j] * at[j];
        }
        t->b[1] = -t->b[0];
        t->psi = zo_polyhedron(t->a, t->b, rows < 2 ? 2 : rows);
        break;
    case BLOCKS:
        t->part[0] = (zo_block){0, d / 3, zo_simplex(radius)};
        t->part[1] = (zo_block){d / 3, 2 * (d / 3), zo_l2_ball(radius)};
        t->part[2] = (zo_block){2 * (d / 3), d, zo_bounds(t->lo, t->hi)};
        t->psi = zo_blocks(t->part, 3);
        break;
    default: /* rows with bounds */
        t->part[0] = (zo_block){0, d, zo_polyhedron(t->a, t->b, rows)};
        t->part[1] = (zo_block){0, d, zo_bounds(t->lo, t->hi)};
        t->psi = zo_sum(t->part, 2);
    }
}

static void make(within *t, uint64_t seed)
{
    static const size_t sizes[] = {1, 4, 20};
    *t = (within){
        .n = sizes[seed / 29 % 3], .set = (int)(seed % SETS), .kind = (int)(seed / 31 % 2)};
    t->d = t->set == BLOCKS ? 6 + seed % 4 : 2 + seed / 5 % (MOST - 1);
    if (seed % 7 == 4) t->noise = 0.01;
    for (size_t i = 0; i < t->n; i++) rng_normals(seed, FOR_SYNTH, i, 0, t->d, t->centre[i]);
    make_set(t, seed);
}

static double part_of(const within *t, size_t i, const double *x)
{
    double m = 0, s = 0;
    for (size_t j = 0; j < t->d; j++) {
        m += t->centre[i][j] * x[j];
        s += (1 + (double)((i + j) % 3)) * (x[j] - t->centre[i][j]) * (x[j] - t->centre[i][j]);
    }
    return t->kind ? log1p(exp(m)) : s;
}

static int value(void *ctx, size_t i, const double *x, double *f)
{
    within *t = ctx;
    if (!isfinite(prox_value(&t->psi, t->d, x))) t->outside++;
    double eps;
    rng_normals(5, FOR_CHECK, t->calls++, 0, 1, &eps);
    *f = part_of(t, i, x) + t->noise * eps;
    return 0;
}

static zo_report run_in(within *t, const zo_settings *set, uint64_t queries, const double *x0,
                        double *x)
{
    zo_problem p = {.n = t->n, .d = t->d, .value = value, .ctx = t, .psi = t->psi};
    zo_control c = zo_no_limits();
    zo_solver *solver;
    zo_report r;
    zo_error e;
    c.max_queries = queries;
    c.every = 1;
    if (zo_new(&solver, &p, set, &e)) fail_msg("%s: %s", set->method, e.text);
    assert_int_equal(zo_start(solver, x0, &e), ZO_OK);
    if (zo_run(solver, &c, &r, &e)) fail_msg("%s: %s", set->method, e.text);
    memcpy(x, zo_point(solver), t->d * sizeof *x);
    zo_free(solver);
    return r;
}

static void no_question_leaves(void **state)
{
    (void)state;
    uint64_t wanted = getenv("ZO_LONG") ? 1000000 : 100000, asked = 0;
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    for (uint64_t seed = 1; asked < wanted; seed++) {
        within t;
        double x0[MOST], x[MOST];
        zo_settings set = settings_of(rows[seed % count].name);
        make(&t, seed / count * 5 + seed);
        rng_normals(seed, FOR_SYNTH, 700, 0, t.d, x0);
        set.kind = (int)(seed / count % 5);
        set.sides = seed / 2 % 3 == 0 ? 2 : seed / 2 % 3 == 1 ? 1 : NAN;
        set.own = seed / 4 % 3 > 0;
        set.seed = seed;
        set.inside = 1;
        if (seed % 7 == 3) set.noise = 0.02;
        if (seed % 11 == 3) set.radius = 0.3; /* more than there is room for */
        zo_report r = run_in(&t, &set, 1500, x0, x);
        asked += r.queries + r.watched;
        if (t.outside)
            fail_msg("%s, set %d, seed %d: %d of %d calls outside", set.method, t.set, (int)seed,
                     (int)t.outside, (int)t.calls);
        assert_true(isfinite(prox_value(&t.psi, t.d, x)));
    }
}

/* Methods get as far as they do where they may ask outside. */
static void reaches_the_optimum(void **state)
{
    (void)state;
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    for (int set = 0; set < SETS; set++) {
        within t;
        double x0[MOST] = {0}, x[MOST], best = INFINITY;
        uint64_t seed = (uint64_t)set;
        do make(&t, seed += SETS);
        while (t.n != 20 || t.kind || t.d < 5 || t.noise > 0);
        for (size_t k = 0; k < count + 1; k++) { /* fista outside says what is best */
            zo_settings s = settings_of(k ? rows[k - 1].name : "fista");
            double f = 0;
            s.inside = k > 0;
            run_in(&t, &s, (uint64_t)(400 * t.n * t.d), x0, x);
            for (size_t i = 0; i < t.n; i++) f += part_of(&t, i, x) / (double)t.n;
            if (k == 0) best = f;
            int random = !strcmp(s.method, "zpsvrg") || !strcmp(s.method, "zosgd") ||
                         !strcmp(s.method, "sega");
            if (!(f - best < (random ? 0.3 : 1e-6) * fmax(1, fabs(best))))
                fail_msg("%s ends at %g above the optimum %g of set %d, d %d", s.method, f - best,
                         best, set, (int)t.d);
        }
    }
}

/* ---- What is told ------------------------------------------------------------------------------------ */

/* A method that asks once, at the start, along all axes, and keeps what it is told. */
typedef struct asker {
    const within *t;
    int sides, known;
    double radius, told[2 * MOST + 1];
    int done;
} asker;

static int ask_once(void *ctx, const double *x, zo_fan *fan)
{
    asker *a = ctx;
    (void)x;
    if (a->done) return 0;
    fan->naxis = a->t->d;
    fan->axis = NULL;
    fan->sides = a->sides;
    fan->radius = a->radius;
    return 1;
}

static int be_told(void *ctx, const zo_fan *fan, const double *answers, double *x, double *residual)
{
    asker *a = ctx;
    (void)x, (void)residual;
    memcpy(a->told, answers, zo_fan_answers(fan) * sizeof *answers);
    a->done = 1;
    return 0;
}

/* f(P x), P the nearest point of the affine hull. */
static double flattened(const within *t, region *r, const double *x, size_t j, double step)
{
    double p[MOST] = {0}, f = 0;
    p[j] = step;
    if (r) region_flatten(r, p);
    for (size_t k = 0; k < t->d; k++) p[k] += x[k];
    for (size_t i = 0; i < t->n; i++) f += part_of(t, i, p) / (double)t->n;
    return f;
}

/* Values of parabolas told where they cannot be asked are theirs; where only slopes are wanted, these are near. */
static void told_as_if_there(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 400; seed++) {
        within t;
        make(&t, seed);
        if (t.kind || t.noise > 0 || t.set == FIXED) continue;
        int fine = seed / SETS % 2;
        asker a = {.t = &t, .sides = fine ? 1 : 2, .radius = fine ? 1e-7 : 1e-3};
        zo_method once = {.name = "once", .ctx = &a, .ask = ask_once, .tell = be_told};
        zo_problem p = {.n = t.n, .d = t.d, .value = value, .ctx = &t, .psi = t.psi};
        zo_settings set = zo_defaults();
        zo_solver *solver;
        zo_control c = zo_no_limits();
        zo_report r;
        zo_error e;
        double x0[MOST];
        region *where;
        set.inside = 1;
        set.point = ZO_LAST;
        rng_normals(seed, FOR_SYNTH, 600, 0, t.d, x0);
        for (size_t j = 0; j < t.d; j++) x0[j] *= 10; /* the start is at the edge */
        assert_int_equal(zo_new_with(&solver, &p, &set, &once, &e), ZO_OK);
        assert_int_equal(zo_start(solver, x0, &e), ZO_OK);
        memcpy(x0, zo_point(solver), t.d * sizeof *x0);
        c.track = ZO_TRACK_OFF;
        assert_int_equal(zo_run(solver, &c, &r, &e), ZO_OK);
        assert_int_equal(region_new(&where, &t.psi, t.d, &e), ZO_OK);
        double f = flattened(&t, where, x0, 0, 0), size = fmax(1, f);
        for (size_t k = 0; k < t.d * (size_t)a.sides; k++) {
            size_t j = k / (size_t)a.sides;
            double step = k % 2 && a.sides == 2 ? -a.radius : a.radius,
                   want = flattened(&t, where, x0, j, step) - f, got = a.told[1 + k],
                   may = fine ? 2e-5 * a.radius * sqrt(size) + 1e-14 * size : 1e-11 * size;
            if (!(fabs(got - want) <= may))
                fail_msg("set %d, seed %d, axis %d: told %.12g, is %.12g", t.set, (int)seed, (int)j,
                         got, want);
        }
        assert_int_equal(t.outside, 0);
        region_free(where);
        zo_free(solver);
    }
}

/* Whose set is not known is refused; what has none needs nothing. */
static void refuses_what_it_does_not_know(void **state)
{
    (void)state;
    within t = {.n = 1, .d = 2};
    zo_problem p = {.n = 1, .d = 2, .value = value, .ctx = &t};
    zo_settings set = zo_defaults();
    zo_solver *solver;
    zo_error e;
    set.inside = 1;
    p.psi = (zo_prox){.name = "mine", .value = own_value, .apply = own_apply};
    assert_int_equal(zo_new(&solver, &p, &set, &e), ZO_UNSUPPORTED);
    assert_non_null(strstr(e.text, "inside"));
    p.psi = zo_l1(1);
    assert_int_equal(zo_new(&solver, &p, &set, &e), ZO_OK);
    zo_free(solver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told_as_if_there), cmocka_unit_test(no_question_leaves),
        cmocka_unit_test(reaches_the_optimum), cmocka_unit_test(refuses_what_it_does_not_know)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
