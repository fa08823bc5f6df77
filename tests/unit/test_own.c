/* A method of the user's: the same bytes as the library's own when it does the same, in runs, by ask and tell, and resumed.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "zoprox.h"

enum { N = 12, D = 4 };
static const double STEP = 0.2, RADIUS = 1e-6;

static int value(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    *f = 0;
    for (size_t j = 0; j < D; j++) {
        double miss = x[j] - (double)((i + j) % 5);
        *f += (1 + 0.1 * (double)j) * miss * miss;
    }
    return 0;
}

/* x = prox(x - STEP g): what pgd does with a step that is given. */
typedef struct descent {
    const zo_prox *psi;
    size_t d, opened;
    double steps; /* state */
} descent;

static int descent_open(void *ctx, size_t n, size_t d, const zo_settings *set, const zo_prox *psi)
{
    descent *m = ctx;
    assert_int_equal(n, N);
    assert_true(set->radius == RADIUS);
    m->psi = psi;
    m->d = d;
    m->opened++;
    return 0;
}

static int descent_ask(void *ctx, const double *x, zo_fan *fan)
{
    (void)ctx;
    (void)x;
    fan->naxis = fan->d;
    return 1;
}

static int descent_tell(void *ctx, const zo_fan *fan, const double *answers, double *x,
                        double *residual)
{
    descent *m = ctx;
    double v[D], work[D];
    for (size_t j = 0; j < fan->d; j++) v[j] = x[j] - STEP * (answers[1 + j] / fan->radius);
    m->psi->apply(m->psi, fan->d, STEP, v, x, work);
    *residual = NAN;
    m->steps++;
    return 1;
}

static zo_problem a_problem(zo_prox psi)
{
    return (zo_problem){.n = N, .d = D, .value = value, .psi = psi};
}

static zo_settings some_settings(void)
{
    zo_settings s = zo_defaults();
    s.step = STEP;
    s.radius = RADIUS;
    s.point = ZO_LAST;
    return s;
}

static zo_solver *solver_with(descent *m, zo_prox psi, zo_method *with)
{
    zo_problem p = a_problem(psi);
    zo_settings s = some_settings();
    zo_solver *solver;
    zo_error e;
    *with = (zo_method){.name = "descent",
                        .ctx = m,
                        .open = descent_open,
                        .ask = descent_ask,
                        .tell = descent_tell,
                        .state = &m->steps,
                        .nstate = 1};
    assert_int_equal(zo_new_with(&solver, &p, &s, with, &e), ZO_OK);
    return solver;
}

static zo_report run(zo_solver *solver, uint64_t steps)
{
    zo_control c = zo_no_limits();
    zo_report r;
    zo_error e;
    c.max_steps = steps;
    assert_int_equal(zo_run(solver, &c, &r, &e), ZO_OK);
    return r;
}

static void test_does_what_pgd_does(void **state)
{
    (void)state;
    const zo_prox psis[] = {zo_zero(), zo_l1(0.3), zo_box(0.5, 1.5)};
    for (size_t k = 0; k < 3; k++) {
        descent m = {0};
        zo_method with;
        zo_solver *own = solver_with(&m, psis[k], &with), *pgd;
        zo_problem p = a_problem(psis[k]);
        zo_settings s = some_settings();
        zo_error e;
        snprintf(s.method, sizeof s.method, "pgd");
        assert_int_equal(zo_new(&pgd, &p, &s, &e), ZO_OK);
        assert_int_equal(zo_start(own, NULL, &e) | zo_start(pgd, NULL, &e), ZO_OK);
        zo_report a = run(own, 20), b = run(pgd, 20);
        assert_string_equal(a.method, "descent");
        assert_int_equal(a.queries, b.queries);
        assert_int_equal(a.steps, 20);
        assert_true(m.steps == 20 && m.opened >= 1 && m.d == D);
        for (size_t j = 0; j < D; j++)
            assert_true(fabs(zo_point(own)[j] - zo_point(pgd)[j]) < 1e-9);
        zo_free(own);
        zo_free(pgd);
    }
}

static void test_is_resumed(void **state)
{
    (void)state;
    char path[] = "/tmp/zoprox-own-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    descent whole = {0}, half = {0}, rest = {0};
    zo_method with[3];
    zo_solver *a = solver_with(&whole, zo_l1(0.3), &with[0]),
              *b = solver_with(&half, zo_l1(0.3), &with[1]),
              *c = solver_with(&rest, zo_l1(0.3), &with[2]);
    zo_error e;
    assert_int_equal(zo_start(a, NULL, &e) | zo_start(b, NULL, &e), ZO_OK);
    run(a, 9);
    run(b, 4);
    assert_int_equal(zo_save(b, path, &e), ZO_OK);
    assert_int_equal(zo_load(c, path, &e), ZO_OK);
    assert_true(rest.steps == 4);
    run(c, 9);
    assert_memory_equal(zo_point(a), zo_point(c), D * sizeof(double));

    zo_problem p = a_problem(zo_l1(0.3));
    zo_settings s = some_settings();
    zo_solver *other;
    assert_int_equal(zo_new(&other, &p, &s, &e), ZO_OK);
    assert_int_equal(zo_load(other, path, &e), ZO_MISMATCH);
    zo_free(other);
    zo_free(a);
    zo_free(b);
    zo_free(c);
    unlink(path);
}

static int no_more(void *ctx, const double *x, zo_fan *fan)
{
    (void)ctx, (void)x, (void)fan;
    return 0;
}

static int cannot(void *ctx, size_t n, size_t d, const zo_settings *set, const zo_prox *psi)
{
    (void)ctx, (void)n, (void)d, (void)set, (void)psi;
    return 1;
}

/* Its points leave the box at every step, and one is none at all. */
static int wild_tell(void *ctx, const zo_fan *fan, const double *answers, double *x,
                     double *residual)
{
    int *left = ctx;
    (void)answers;
    for (size_t j = 0; j < fan->d; j++) x[j] += j % 2 ? 7 : -7;
    if (--*left == 0) x[1] = NAN;
    *residual = NAN;
    return 1;
}

static int within(void *ctx, size_t i, const double *x, double *f)
{
    for (size_t j = 0; j < D; j++)
        if (!(x[j] >= 0.5 && x[j] <= 1.5)) fail_msg("asked at x[%zu] = %g", j, x[j]);
    return value(ctx, i, x, f);
}

static void test_bounds_are_kept_for_it(void **state)
{
    (void)state;
    zo_problem p = a_problem(zo_box(0.5, 1.5));
    zo_settings s = some_settings();
    int left = 5;
    zo_method with = {.name = "wild", .ctx = &left, .ask = descent_ask, .tell = wild_tell};
    zo_control c = zo_no_limits();
    zo_solver *solver;
    zo_error e;
    zo_report r;
    p.value = within;
    c.max_queries = 2000;
    c.track = ZO_TRACK_CHARGED;
    c.every = 0.1;
    assert_int_equal(zo_new_with(&solver, &p, &s, &with, &e), ZO_OK);
    assert_int_equal(zo_start(solver, NULL, &e), ZO_OK);
    assert_int_equal(zo_run(solver, &c, &r, &e), ZO_OK);
    assert_int_equal(r.reason, ZO_AT_NONFINITE);
    assert_int_equal(r.steps, 4);
    assert_non_null(strstr(r.warning, "wild went to x[1] = nan"));
    zo_free(solver);
}

static void test_sentences(void **state)
{
    (void)state;
    zo_problem p = a_problem(zo_zero());
    zo_settings s = some_settings();
    zo_method with = {.name = "idle", .ask = no_more, .tell = descent_tell};
    zo_solver *solver;
    zo_error e;
    zo_report r;
    assert_int_equal(zo_new_with(&solver, &p, &s, &with, &e), ZO_OK);
    assert_int_equal(zo_start(solver, NULL, &e), ZO_OK);
    r = run(solver, 5);
    assert_int_equal(r.reason, ZO_AT_END);
    zo_free(solver);
    const struct {
        zo_method with;
        const char *text;
    } wrong[] = {
        {{.name = "fista", .ask = no_more, .tell = descent_tell}, "is here already"},
        {{.name = "", .ask = no_more, .tell = descent_tell}, "1 to 15 letters"},
        {{.name = "sixteen-letters-", .ask = no_more, .tell = descent_tell}, "1 to 15 letters"},
        {{.name = "half", .ask = no_more}, "no ask or no tell"},
        {{.name = "lost", .ask = no_more, .tell = descent_tell, .nstate = 1},
         "state of lost is NULL"},
        {{.name = "shut", .ask = no_more, .tell = descent_tell, .open = cannot}, "shut could not"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_true(zo_new_with(&solver, &p, &s, &wrong[k].with, &e) != ZO_OK);
        assert_null(solver);
        assert_non_null(strstr(e.text, wrong[k].text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_does_what_pgd_does), cmocka_unit_test(test_is_resumed),
        cmocka_unit_test(test_bounds_are_kept_for_it), cmocka_unit_test(test_sentences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
