/* inq where components are repeated: they are asked once, with the same bytes after stops and on ranks; those that only look alike
 * are found out.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include <limits.h>

#include "inq_rows.h"

#include "method/component/state.h"
#include "rank_threads.h"
#include "stopped.h"

enum { CASES = 1500, DIFFERENT = 600, QUESTIONS = 10, OPTIONS = 6, WIDE = QUESTIONS * OPTIONS };

/* Rows and labels of which some come several times, far apart. */
static void repeat(rows *r, size_t different)
{
    for (size_t i = different; i < r->n; i++) {
        size_t of = i * 7919 % different;
        memcpy(r->z + i * r->d, r->z + of * r->d, r->d * sizeof *r->z);
        r->y[i] = r->y[of];
    }
}

/* Answers to questions with several options: gradients are recovered. */
static rows survey(void)
{
    rows r = rows_new(CASES, WIDE, 0, 1e-3);
    memset(r.z, 0, CASES * WIDE * sizeof *r.z);
    for (size_t i = 0; i < CASES; i++) {
        for (size_t g = 0; g < QUESTIONS; g++)
            r.z[i * WIDE + g * OPTIONS + (size_t)(OPTIONS * rng_uniform(8, FOR_SYNTH, i, g))] = 1;
        if (i % 29 == 0) r.z[i * WIDE + i % WIDE] = 1;
        double s = r.z[i * WIDE] + r.z[i * WIDE + 7] - r.z[i * WIDE + 13];
        r.y[i] = s + 2 * rng_uniform(8, FOR_SYNTH, i, 99) > 1 ? 1 : -1;
    }
    repeat(&r, DIFFERENT);
    return r;
}

/* Any numbers: they are not. */
static rows full(void)
{
    rows r = rows_new(900, 24, 0, 1e-3);
    repeat(&r, 450);
    return r;
}

/* To the end, and F there: what it says and what was called. */
static zo_report reach(rows *r, zo_problem p, const char *without, double *F)
{
    zo_settings set = settings_of("inq");
    zo_report report;
    double f;
    p.psi = zo_l1(1e-3);
    zo_solver *solver = solver_of(&p, &set);
    if (without) assert_true(solver->method->row->without(solver->method, without));
    r->calls = 0;
    while (go_on(solver)) continue;
    zo_look(solver, &report);
    assert_int_equal(r->calls, report.queries);
    assert_int_equal(report.reason, ZO_AT_END);
    *F = 0;
    for (size_t i = 0; i < p.n; i++) {
        p.value(p.ctx, i, zo_point(solver), &f);
        *F += f / (double)p.n;
    }
    for (size_t j = 0; j < p.d; j++) *F += 1e-3 * fabs(zo_point(solver)[j]);
    assert_true(isnan(report.best_objective) || fabs(report.best_objective - *F) < 1e-13);
    zo_free(solver);
    return report;
}

static void is_cheaper(rows r, double part)
{
    double with, without;
    zo_problem p = rows_problem(&r, zo_l1(1e-3));
    p.threads = 1;
    zo_report few = reach(&r, p, NULL, &with), all = reach(&r, p, "twins", &without);
    if (!((double)few.queries < part * (double)all.queries))
        fail_msg("%g units, %g without twins", few.units, all.units);
    assert_true(fabs(with - without) < 1e-10);
    rows_free(&r);
}

/* By zo_run F at the end is of all of them, and every call is counted. */
static void what_is_said_is_true(rows r)
{
    zo_problem p = rows_problem(&r, zo_l1(1e-3));
    zo_settings set = settings_of("inq");
    for (double units = 0.1; units < 4; units *= 2) {
        zo_solver *solver = solver_of(&p, &set);
        r.calls = 0;
        zo_control c = zo_no_limits();
        zo_report report;
        c.max_units = units;
        assert_int_equal(zo_run(solver, &c, &report, NULL), ZO_OK);
        assert_int_equal(r.calls, report.queries + report.watched + report.extra);
        assert_true((double)r.calls <= units * (double)r.n * (double)r.d);
        double F = rows_F(&r, &p.psi, zo_point(solver));
        if (!(fabs(report.objective - F) < 1e-13)) fail_msg("F %.16g: %.16g", F, report.objective);
        zo_free(solver);
    }
    rows_free(&r);
}

static void what_is_repeated_is_asked_once(void **state)
{
    (void)state;
    is_cheaper(survey(), 0.85);
    is_cheaper(full(), 0.97);
    what_is_said_is_true(survey());
    what_is_said_is_true(full());
}

/* ---- Those that look alike --------------------------------------------------------------------------- */

typedef struct impostors {
    rows r;
    size_t from, to; /* these are others beyond a margin that the start is far from */
} impostors;

static int impostor_value(void *ctx, size_t i, const double *x, double *f)
{
    impostors *p = ctx;
    double over = p->r.y[i] * vec_dot(p->r.d, p->r.z + i * p->r.d, x) - 0.4;
    int said = rows_value(&p->r, i, x, f);
    if (i >= p->from && i < p->to && over > 0) *f += (0.5 + (double)(i % 7)) * over * over * over;
    return said;
}

static zo_problem impostor_problem(impostors *p)
{
    return (zo_problem){.n = p->r.n,
                        .d = p->r.d,
                        .value = impostor_value,
                        .ctx = p,
                        .psi = zo_l1(1e-3),
                        .threads = 1};
}

/* One of them, some, and all: the end is that of a run which asks everybody. */
static void impostors_are_found_out(void **state)
{
    static const size_t from[] = {CASES - 1, CASES - 50, DIFFERENT}, full_from[] = {899, 850, 450};
    (void)state;
    for (size_t k = 0; k < 6; k++) {
        impostors p = {.r = k < 3 ? survey() : full(), .from = k < 3 ? from[k] : full_from[k - 3]};
        double with, without;
        p.to = p.r.n;
        zo_problem problem = impostor_problem(&p);
        zo_report few = reach(&p.r, problem, NULL, &with),
                  all = reach(&p.r, problem, "twins", &without);
        if (!(few.units < 1.25 * all.units))
            fail_msg("case %zu: %g units, not %g", k, few.units, all.units);
        if (!(fabs(with - without) < 1e-9))
            fail_msg("case %zu: F %.12g, not %.12g", k, with, without);
        rows_free(&p.r);
    }
}

/* ---- Components that are flat where they are asked first ------------------------------------------------ */

static int hinge_value(void *ctx, size_t i, const double *x, double *f)
{
    rows *r = ctx;
    double t = (i % 3 ? 1 : 0.1) - r->y[i] * vec_dot(r->d, r->z + i * r->d, x) -
               (double)(i % 5 == 0) * 1.2;
    r->calls++;
    *f = 0.5 * r->l2 * vec_dot(r->d, x, x) + (t > 0 ? t * t : 0);
    return 0;
}

static void flat_components_are_not_taken_for_each_other(void **state)
{
    rows r = survey();
    double with, without;
    (void)state;
    zo_problem p = rows_problem(&r, zo_l1(1e-3));
    p.value = hinge_value;
    p.threads = 1;
    reach(&r, p, NULL, &with);
    reach(&r, p, "twins", &without);
    if (!(fabs(with - without) < 1e-9)) fail_msg("F %.12g, not %.12g", with, without);
    rows_free(&r);
}

/* ---- The same bytes ---------------------------------------------------------------------------------------- */

static void every_question_may_be_the_last(void **state)
{
    impostors p = {.r = survey(), .from = CASES - 50, .to = CASES};
    rows r = full();
    zo_settings set = settings_of("inq");
    (void)state;
    zo_problem q = impostor_problem(&p), s = rows_problem(&r, zo_l1(1e-3));
    s.threads = 1;
    stopped_often(&q, &set, "test_twins.zo", 1, INT_MAX);
    stopped_often(&s, &set, "test_twins.zo", 3, INT_MAX);
    rows_free(&p.r);
    rows_free(&r);
}

static void act(place *p)
{
    zo_problem whole = *(const zo_problem *)p->with;
    impostors own = *(const impostors *)whole.ctx; /* calls are counted */
    zo_settings set = settings_of("inq");
    whole.ctx = &own;
    assert_int_equal(run_at(p, &whole, &set, 4), ZO_OK);
}

static void ranks_have_the_same_bytes(void **state)
{
    static const int sizes[] = {2, 3};
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        impostors with = {.r = kind % 2 ? full() : survey()};
        with.to = kind < 2 ? 0 : with.r.n;
        with.from = with.r.n - 50;
        zo_problem p = impostor_problem(&with);
        place alone = {.with = &p, .out = calloc(p.d, sizeof(double))};
        act(&alone);
        for (size_t k = 0; k < 2; k++) {
            place places[MOST] = {{0}};
            on_ranks(sizes[k], places, act, &p, p.d);
            for (int i = 0; i < sizes[k]; i++) {
                assert_memory_equal(places[i].out, alone.out, p.d * sizeof(double));
                assert_int_equal(places[i].report.queries, alone.report.queries);
            }
            release(sizes[k], places);
        }
        free(alone.out);
        rows_free(&with.r);
    }
}

/* ---- Files that somebody has altered ------------------------------------------------------------------------- */

static void refused(zo_solver *solver)
{
    char text[SENTENCE];
    assert_false(method_check(solver->method, text));
    assert_non_null(strstr(text, "cannot be"));
}

static void nobody_is_asked_through_one_who_cannot_be(void **state)
{
    rows r = survey();
    char text[SENTENCE];
    (void)state;
    zo_problem p = rows_problem(&r, zo_l1(1e-3));
    zo_settings set = settings_of("inq");
    zo_solver *solver = solver_of(&p, &set);
    inq *s = (inq *)solver->method;
    while (s->twins.count < 20) assert_true(go_on(solver));
    assert_true(method_check(solver->method, text));
    uint64_t twin = 0, other = 0, stranger = s->plan.order[CASES - 1];
    while (!inq_is_twin(s, twin)) twin++;
    for (other = twin + 1; !inq_is_twin(s, other);) other++;
    const uint64_t wrong[] = {0, 1 + twin, 1 + other, 1 + stranger, CASES + 1};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        uint64_t kept = s->elder[twin];
        s->elder[twin] = wrong[k];
        refused(solver);
        s->elder[twin] = kept;
    }
    s->twins.count++;
    refused(solver);
    zo_free(solver);
    rows_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_repeated_is_asked_once),
        cmocka_unit_test(impostors_are_found_out),
        cmocka_unit_test(flat_components_are_not_taken_for_each_other),
        cmocka_unit_test(every_question_may_be_the_last),
        cmocka_unit_test(ranks_have_the_same_bytes),
        cmocka_unit_test(nobody_is_asked_through_one_who_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
