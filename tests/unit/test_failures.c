/* Failures are facts: what cannot be evaluated, by accident or everywhere beyond an edge, ends no run. ZO_LONG=1: 20000 fans.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "rank_threads.h"
#include "settings_of.h"
#include "zoprox.h"

enum { N = 40, MANY_N = 400, D = 6 };
enum { BY_NAN, BY_CODE, HOWS };             /* how a failure shows */
enum { SINGLE, MANY, PAIRS, WHOLE, FORMS }; /* how values are asked for */

/* f_i(x) = log cosh(z_i'x - b_i) + |x|^2/40, which cannot be evaluated where x_0 > edge, and fails by accident. */
typedef struct cliff {
    double z[MANY_N][D], b[MANY_N], edge;
    double chance; /* of an accident */
    int how;
    size_t dead;          /* one component that never can be, counted from 1; 0: none */
    uint64_t calls, fell; /* values asked, and those that failed */
} cliff;

static double height(const cliff *t, size_t i, const double *x)
{
    double m = -t->b[i], s = 0;
    for (size_t j = 0; j < D; j++) {
        m += t->z[i][j] * x[j];
        s += x[j] * x[j];
    }
    return fabs(m) + log1p(exp(-2 * fabs(m))) - log(2) + 0.025 * s;
}

static int value(void *ctx, size_t i, const double *x, double *f)
{
    cliff *t = ctx;
    int fails =
        x[0] > t->edge || rng_uniform(9, FOR_CHECK, t->calls, 0) < t->chance || i + 1 == t->dead;
    t->calls++;
    t->fell += (uint64_t)fails;
    *f = fails ? NAN : height(t, i, x);
    return fails && t->how == BY_CODE ? 7 : 0;
}

static int values(void *ctx, size_t npoints, const double *x, size_t ncomp, const uint64_t *comp,
                  double *f)
{
    int code = 0;
    for (size_t p = 0; p < npoints; p++)
        for (size_t k = 0; k < ncomp; k++)
            code |= value(ctx, comp[k], x + p * D, &f[p * ncomp + k]);
    return code;
}

static int pairs(void *ctx, size_t count, const double *x, const uint64_t *comp, double *f)
{
    int code = 0;
    for (size_t k = 0; k < count; k++) code |= value(ctx, comp[k], x + k * D, &f[k]);
    return code;
}

static int whole(void *ctx, const double *x, double *f)
{
    cliff *t = ctx;
    double one;
    int code = value(ctx, 0, x, &one); /* one accident for all */
    for (size_t i = 0; i < N; i++) f[i] = isfinite(one) ? height(t, i, x) : NAN;
    return code;
}

static void make(cliff *t)
{
    *t = (cliff){.edge = INFINITY};
    for (uint32_t i = 0; i < MANY_N; i++) {
        rng_normals(3, FOR_SYNTH, i, 0, D, t->z[i]);
        t->b[i] = 2 * t->z[i][0] - t->z[i][1] + rng_uniform(3, FOR_SYNTH, i, 100);
    }
}

static zo_problem problem_of(cliff *t, int form)
{
    zo_problem p = {.n = N, .d = D, .ctx = t, .psi = zo_l1(1e-3)};
    if (form == SINGLE) p.value = value;
    if (form == MANY || form == PAIRS) p.values = values;
    if (form == PAIRS) p.pairs = pairs;
    if (form == WHOLE) p.all = whole;
    return p;
}

typedef struct outcome {
    zo_report r;
    zo_error e;
    zo_status status;
    double x[D];
} outcome;

static outcome run_by(const zo_problem *p, const zo_settings *set, zo_control c, const double *x0)
{
    outcome o = {0};
    zo_solver *solver = NULL;
    c.every = 1;
    o.status = zo_new(&solver, p, set, &o.e);
    if (!o.status) o.status = zo_start(solver, x0, &o.e);
    if (!o.status) o.status = zo_run(solver, &c, &o.r, &o.e);
    if (solver) memcpy(o.x, zo_point(solver), sizeof o.x);
    zo_free(solver);
    return o;
}

static outcome run(const zo_problem *p, const zo_settings *set, double units, const double *x0)
{
    zo_control c = zo_no_limits();
    c.max_units = units;
    return run_by(p, set, c, x0);
}

/* As a run of so many units was planned, to the step where it ended: what is asked again is paid from the budget, and may
 * end a run before. */
static outcome run_as_far(const zo_problem *p, const zo_settings *set, double units,
                          const outcome *other)
{
    zo_control c = zo_no_limits();
    zo_settings planned = *set;
    planned.horizon = units * (double)(p->all ? p->d : p->n * p->d);
    c.max_steps = other->r.steps ? other->r.steps : 1;
    return run_by(p, &planned, c, NULL);
}

/* ---- Accidents ------------------------------------------------------------------------------------------ */

/* One value in a hundred fails, however that shows: the run is the same, bit for bit. */
static void accidents_change_nothing(void **state)
{
    (void)state;
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t m = 0; m < count; m++)
        for (int form = 0; form < FORMS; form++)
            for (int how = 0; how < HOWS; how++) {
                cliff t;
                make(&t);
                zo_settings set = settings_of(rows[m].name);
                zo_problem p = problem_of(&t, form);
                outcome budget = run(&p, &set, 15, NULL);
                outcome plain = run_as_far(&p, &set, 15, &budget);
                make(&t);
                t.how = how;
                t.chance = 0.01;
                outcome o = run_as_far(&p, &set, 15, &budget);
                if (o.status) fail_msg("%s: %s", set.method, o.e.text);
                if (memcmp(o.x, plain.x, sizeof o.x) || o.r.queries != plain.r.queries)
                    fail_msg("%s, form %d, %s: F = %.17g, %.17g without failures", set.method, form,
                             how == BY_CODE ? "codes" : "nan", o.r.objective, plain.r.objective);
                assert_true(t.fell == 0 || (o.r.failures && o.r.retried));
                if (*o.r.warning && !*plain.r.warning) fail_msg("%s", o.r.warning);
            }
}

/* The same over many fans, and with noise in every value that is asked again: the same end. */
static void accidents_in_a_long_run(void **state)
{
    (void)state;
    int longer = getenv("ZO_LONG") != NULL;
    static const char *const methods[] = {"zpdvr", "sega", "saga", "pgd"};
    for (size_t m = 0; m < 4; m++)
        for (int how = 0; how < HOWS; how++) {
            cliff t;
            outcome o[2];
            zo_settings set = settings_of(methods[m]);
            set.batch = m == 2 ? 1 : NAN;
            for (int k = 0; k < 2; k++) {
                make(&t);
                t.how = how;
                t.chance = k ? 0.01 : 0;
                zo_problem p = problem_of(&t, SINGLE);
                zo_control c = zo_no_limits();
                zo_solver *solver;
                c.max_steps = longer ? 20000 : 500;
                c.every = 1e9;
                assert_int_equal(zo_new(&solver, &p, &set, &o[k].e), 0);
                assert_int_equal(zo_start(solver, NULL, &o[k].e), 0);
                if (zo_run(solver, &c, &o[k].r, &o[k].e)) fail_msg("%s", o[k].e.text);
                memcpy(o[k].x, zo_last(solver), sizeof o[k].x);
                zo_free(solver);
            }
            assert_true(o[1].r.failures > 0);
            for (size_t j = 0; j < D; j++)
                if (!(fabs(o[1].x[j] - o[0].x[j]) <= 1e-9))
                    fail_msg("%s: x_%zu = %.12g, %.12g without failures", methods[m], j, o[1].x[j],
                             o[0].x[j]);
        }
}

/* ---- An edge ---------------------------------------------------------------------------------------------- */

/* Beyond the minimizer nothing can be evaluated, and steps go there: methods that arrive without the edge arrive with it. */
static void an_edge_is_kept_away_from(void **state)
{
    (void)state;
    size_t count, fell = 0;
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t m = 0; m < count; m++)
        for (int form = 0; form < WHOLE; form++)
            for (int how = 0; how < HOWS; how++) {
                cliff t;
                make(&t);
                zo_settings set = settings_of(rows[m].name);
                zo_problem p = problem_of(&t, form);
                double best = 0.2307269643, first = 1.1795;
                outcome plain = run(&p, &set, 40, NULL);
                make(&t);
                t.how = how;
                t.edge = 2; /* the minimizer has 1.84 */
                outcome o = run(&p, &set, 40, NULL);
                if (o.status) fail_msg("%s: %s", set.method, o.e.text);
                double gap = o.r.objective - best, free = plain.r.objective - best;
                if (!(gap <= 2 * free + 0.05 * (first - best)))
                    fail_msg("%s, form %d: F - F* = %g, %g without the edge", set.method, form, gap,
                             free);
                assert_true(o.x[0] <= t.edge);
                assert_true((t.fell > 0) == (o.r.failures > 0));
                fell += t.fell > 0;
            }
    assert_true(fell > 20);
}

/* The start lies on the edge itself: differences turn round, and every method begins. */
static void a_start_on_the_edge(void **state)
{
    (void)state;
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    const double x0[D] = {3, 1, 0, 0, 0, 0};
    for (size_t m = 0; m < count; m++)
        for (int sides = 1; sides <= 2; sides++)
            for (int form = 0; form < FORMS; form++) {
                cliff t;
                make(&t);
                zo_settings set = settings_of(rows[m].name);
                zo_problem p = problem_of(&t, form);
                t.edge = x0[0];
                set.sides = sides;
                double first = 0;
                for (size_t i = 0; i < N; i++) first += height(&t, i, x0) / N;
                int slow = form == WHOLE || !strcmp(set.method, "sparse") ||
                           !strcmp(set.method, "thin"); /* d is far too small for these */
                outcome o = run(&p, &set, slow ? 60 : 12, x0);
                if (o.status) fail_msg("%s: %s", set.method, o.e.text);
                if (!(o.r.objective < first) || t.fell == 0)
                    fail_msg("%s, sides %d, form %d: F = %g of %g after %d steps, %s; %s",
                             set.method, sides, form, o.r.objective, first, (int)o.r.steps,
                             zo_reason_name(o.r.reason), o.r.warning);
            }
}

/* ---- The budget ------------------------------------------------------------------------------------------ */

/* What is asked again is a call like the others, and the budget is every call. */
static void every_call_is_charged(void **state)
{
    (void)state;
    static const uint64_t budgets[] = {40, 130, 777, 3000};
    size_t count, again = 0;
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t m = 0; m < count; m++)
        for (int form = 0; form < FORMS; form++)
            for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++)
                for (int k = 0; k < 3 * HOWS; k++) { /* accidents, an edge, both */
                    cliff t;
                    make(&t);
                    t.how = k % HOWS;
                    t.chance = k / HOWS != 1 ? 0.02 : 0;
                    t.edge = k / HOWS != 0 ? 1 : INFINITY;
                    zo_settings set = settings_of(rows[m].name);
                    if (k % 2) set.nonfinite = ZO_RETRY;
                    zo_problem p = problem_of(&t, form);
                    zo_control c = zo_no_limits();
                    c.max_queries = form == WHOLE ? UINT64_MAX : budgets[b];
                    c.max_points = form == WHOLE ? budgets[b] / 10 : UINT64_MAX;
                    outcome o = run_by(&p, &set, c, NULL);
                    uint64_t counted = o.r.queries + o.r.watched + o.r.extra;
                    if (t.calls != counted || t.calls > (form == WHOLE ? c.max_points : budgets[b]))
                        fail_msg("%s, form %d, budget %d, case %d: %d calls, %d counted",
                                 set.method, form, (int)budgets[b], k, (int)t.calls, (int)counted);
                    again += o.r.extra > 0;
                }
    assert_true(again > 100);
}

/* ---- Sentences --------------------------------------------------------------------------------------------- */

static void the_start_itself(void **state)
{
    (void)state;
    cliff t;
    make(&t);
    t.edge = -1;
    for (int form = 0; form < FORMS; form++) {
        zo_settings set = settings_of("auto");
        zo_problem p = problem_of(&t, form);
        t.how = BY_NAN;
        outcome o = run(&p, &set, 5, NULL);
        assert_int_equal(o.status, ZO_OK);
        assert_int_equal(o.r.reason, ZO_AT_NONFINITE);
        if (!strstr(o.r.warning, "f cannot be evaluated at the start")) fail_msg("%s", o.r.warning);
        t.how = BY_CODE;
        o = run(&p, &set, 5, NULL);
        assert_int_equal(o.status, form == WHOLE ? ZO_OK : ZO_PROBLEM);
        if (form != WHOLE && !strstr(o.e.text, "failed with code 7")) fail_msg("%s", o.e.text);
        set.nonfinite = ZO_STOP;
        o = run(&p, &set, 5, NULL);
        assert_int_equal(o.status, ZO_PROBLEM);
        assert_int_equal(o.r.reason, ZO_AT_FAILURE);
    }
}

/* One component of many fails from the start on: that is said, whoever finds it and when, and also where the budget has no
 * room for more than a look. */
static void one_component_at_the_start(void **state)
{
    (void)state;
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t m = 0; m < count; m++)
        for (int k = 0; k < 2; k++) {
            cliff t;
            make(&t);
            t.dead = 18;
            zo_settings set = settings_of(rows[m].name);
            zo_problem p = problem_of(&t, SINGLE);
            zo_control c = zo_no_limits();
            c.max_queries = k ? N + 2 : 5000;
            if (!k && !strcmp(set.method, "zosgd")) continue; /* goes on for long without it */
            outcome o = run_by(&p, &set, c, NULL);
            assert_int_equal(o.status, ZO_OK);
            if (!strstr(o.r.warning, "f cannot be evaluated at the start") ||
                !strstr(o.r.warning, "f_17 was nan"))
                fail_msg("%s, %d queries: %s", set.method, (int)c.max_queries, o.r.warning);
        }
}

/* ---- Ask and tell, checkpoints, ranks ------------------------------------------------------------------------ */

/* Whoever asks and tells is asked the same to mend it, and a solver that is saved in the middle goes on with the same. */
static void told_one_by_one(void **state)
{
    (void)state;
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    const char *const file = "test_failures.zo";
    for (size_t m = 0; m < count; m++) {
        cliff t;
        make(&t);
        t.edge = 1;
        zo_settings set = settings_of(rows[m].name);
        zo_problem p = problem_of(&t, SINGLE);
        outcome straight = {0}, resumed = {0};
        for (int k = 0; k < 2; k++) {
            outcome *o = k ? &resumed : &straight;
            static double all[N * 200 * D], answers[N * 200 * D];
            zo_solver *solver;
            const zo_fan *fan;
            assert_int_equal(zo_new(&solver, &p, &set, &o->e), 0);
            assert_int_equal(zo_start(solver, NULL, &o->e), 0);
            for (int turn = 0; turn < 150; turn++) {
                assert_int_equal(zo_ask(solver, &fan, &o->e), 0);
                if (!fan) break;
                size_t set_of = zo_fan_set(fan);
                assert_true(fan->ncomp * set_of <= sizeof all / sizeof *all);
                double x[D];
                for (size_t e = 0; e < fan->ncomp; e++)
                    for (size_t q = 0; q < set_of; q++) {
                        zo_fan_point(fan, e, q, x);
                        value(&t, fan->comp ? fan->comp[e] : e, x, &all[e * set_of + q]);
                    }
                assert_int_equal(zo_fan_answer(fan, all, answers, &o->e), 0);
                assert_int_equal(zo_tell(solver, answers, &o->e), 0);
                if (!k || turn % 3) continue;
                zo_solver *next;
                assert_int_equal(zo_save(solver, file, &o->e), 0);
                assert_int_equal(zo_new(&next, &p, &set, &o->e), 0);
                assert_int_equal(zo_load(next, file, &o->e), 0);
                zo_free(solver);
                solver = next;
            }
            zo_look(solver, &o->r);
            memcpy(o->x, zo_best(solver), sizeof o->x);
            zo_free(solver);
        }
        remove(file);
        assert_true(straight.x[0] <= 1 && resumed.x[0] <= 1);
        assert_int_not_equal(straight.r.reason, ZO_AT_NONFINITE);
        assert_int_not_equal(resumed.r.reason, ZO_AT_NONFINITE);
    }
}

typedef struct shared {
    cliff *t;
    const char *method;
    const outcome *alone;
} shared;

static void act(place *p)
{
    const shared *with = p->with;
    cliff mine = *with->t;
    zo_problem whole_problem = problem_of(&mine, SINGLE), spread;
    zo_settings set = settings_of(with->method);
    zo_spread *s;
    whole_problem.n = MANY_N;
    zo_ranks ranks = {.rank = p->rank, .size = p->w->size, .ctx = p, .gather = swap};
    p->status = zo_spread_new(&s, &whole_problem, &ranks, &spread, &p->err);
    if (p->status) return;
    outcome o = run_as_far(&spread, &set, 6, with->alone);
    p->status = o.status;
    p->report = o.r;
    memcpy(p->out, o.x, sizeof o.x);
    zo_spread_free(s);
}

static void ranks_mend_alike(void **state)
{
    (void)state;
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t m = 0; m < count; m++) {
        cliff t;
        make(&t);
        t.edge = 1;
        zo_problem p = problem_of(&t, SINGLE);
        zo_settings set = settings_of(rows[m].name);
        p.n = MANY_N;
        outcome budget = run(&p, &set, 6, NULL);
        make(&t);
        t.edge = 1;
        outcome one = run_as_far(&p, &set, 6, &budget);
        place places[MOST] = {{0}};
        make(&t);
        t.edge = 1;
        shared with = {&t, rows[m].name, &budget};
        on_ranks(3, places, act, &with, D);
        for (int r = 0; r < 3; r++) {
            if (places[r].status != one.status || places[r].report.queries != one.r.queries ||
                memcmp(places[r].out, one.x, sizeof one.x))
                fail_msg("%s, rank %d: F = %.17g after %d queries, alone %.17g after %d",
                         set.method, r, places[r].report.objective, (int)places[r].report.queries,
                         one.r.objective, (int)one.r.queries);
        }
        release(3, places);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(accidents_change_nothing),
                                       cmocka_unit_test(accidents_in_a_long_run),
                                       cmocka_unit_test(an_edge_is_kept_away_from),
                                       cmocka_unit_test(a_start_on_the_edge),
                                       cmocka_unit_test(every_call_is_charged),
                                       cmocka_unit_test(the_start_itself),
                                       cmocka_unit_test(one_component_at_the_start),
                                       cmocka_unit_test(told_one_by_one),
                                       cmocka_unit_test(ranks_mend_alike)};
    return cmocka_run_group_tests_name("failures", tests, NULL, NULL);
}
