/* inq where gradients are recovered: far below one unit, the same bytes after a stop at any question and on any number of ranks;
 * nothing is lost where it does not pay.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include <limits.h>

#include "inq_rows.h"

#include "rank_threads.h"
#include "stopped.h"

enum { CASES = 1500, QUESTIONS = 10, OPTIONS = 6, WIDE = QUESTIONS * OPTIONS };

/* Answers to questions with several options, a few rows with two answers to one of them. */
static rows survey(void)
{
    rows r = rows_new(CASES, WIDE, 0, 1e-3);
    memset(r.z, 0, CASES * WIDE * sizeof *r.z);
    for (size_t i = 0; i < CASES; i++) {
        for (size_t g = 0; g < QUESTIONS; g++)
            r.z[i * WIDE + g * OPTIONS + (size_t)(OPTIONS * rng_uniform(8, FOR_SYNTH, i, g))] = 1;
        if (i % 29 == 0) r.z[i * WIDE + i % WIDE] = 1;
        r.y[i] = r.z[i * WIDE] + r.z[i * WIDE + 7] - r.z[i * WIDE + 13] +
                             2 * rng_uniform(8, FOR_SYNTH, i, 99) >
                         1
                     ? 1
                     : -1;
    }
    return r;
}

/* Full rows that share four factors. */
static rows latent(void)
{
    enum { RANK = 4 };
    rows r = rows_new(CASES, WIDE, 0, 1e-3);
    memset(r.z, 0, CASES * WIDE * sizeof *r.z);
    for (size_t i = 0; i < CASES; i++) {
        for (size_t k = 0; k < RANK; k++)
            for (size_t j = 0; j < WIDE; j++)
                r.z[i * WIDE + j] += (rng_uniform(9, FOR_SYNTH, i, k) - 0.5) *
                                     (rng_uniform(9, FOR_SYNTH, CASES + k, j) - 0.5);
        r.y[i] =
            r.z[i * WIDE] - r.z[i * WIDE + 7] > 0.3 * rng_uniform(9, FOR_SYNTH, i, 99) ? 1 : -1;
    }
    return r;
}

/* Full rows around what they have in common: a tenth of the entries are other numbers. */
static rows around(void)
{
    enum { LONG = 200, FEW = 400 };
    rows r = rows_new(FEW, LONG, 0, 1e-3);
    for (size_t i = 0; i < FEW; i++) {
        for (size_t j = 0; j < LONG; j++) {
            int off = rng_uniform(7, FOR_SYNTH, i, j) < 0.2 * (double)(j % 10) / 10;
            r.z[i * LONG + j] = off ? rng_uniform(7, FOR_SYNTH, i, LONG + j) : j % 3 ? -1 : -0.5;
        }
        r.y[i] = r.z[i * LONG + 9] + r.z[i * LONG + 19] > -1.9 ? 1 : -1;
    }
    return r;
}

/* f_i depends on three of the coordinates, through several indices, beside a ridge. */
static int bent_value(void *ctx, size_t i, const double *x, double *f)
{
    size_t k = i * 7919 % (WIDE - 9);
    double off = x[k + 4] - x[k] * x[k] - 0.3, left = 1 + 0.01 * (double)(i % 17) - x[k],
           far = x[k + 9] - x[k + 4] - 0.5;
    (void)ctx;
    *f = 3 * off * off + left * left + 0.5 * far * far + 0.2 * far * far * far * far;
    for (size_t j = 0; j < WIDE; j++) *f += 0.5e-3 * x[j] * x[j];
    return 0;
}

static zo_problem bent(void)
{
    return (zo_problem){
        .n = CASES, .d = WIDE, .value = bent_value, .psi = zo_l1(1e-3), .threads = 1};
}

static void few_coordinates_are_found_whatever_f_is(void **state)
{
    (void)state;
    zo_problem p = bent();
    zo_settings set = settings_of("inq");
    zo_solver *solver = solver_of(&p, &set);
    zo_report report = run(solver, 4);
    assert_non_null(strstr(report.chosen, "recovered from"));
    assert_true(report.reason == ZO_AT_END && report.units < 1.6);
    zo_free(solver);
}

static double last_F(rows *r, double units, const char *recover, zo_report *report)
{
    zo_problem p = rows_problem(r, zo_l1(1e-3));
    zo_settings set = settings_of("inq");
    zo_error e = {0};
    assert_int_equal(zo_set(&set, "recover", recover, &e), ZO_OK);
    zo_solver *solver = solver_of(&p, &set);
    *report = run(solver, units);
    double F = rows_F(r, &p.psi, zo_point(solver));
    zo_free(solver);
    return F;
}

static void ends_within(rows r, double units)
{
    zo_report report;
    double least = last_F(&r, 3, "off", &report);
    assert_true(report.units > 1);
    double gap = last_F(&r, units, "auto", &report) - least;
    if (!(gap < 1e-9)) fail_msg("gap %g after %g units", gap, report.units);
    assert_non_null(strstr(report.chosen, "recovered from"));
    rows_free(&r);
}

static void a_fraction_of_a_unit_is_enough(void **state)
{
    (void)state;
    ends_within(survey(), 0.45);
}

/* A basis of what the first gradients span, and a check. */
static void rows_of_few_dimensions_are_asked_along_these(void **state)
{
    (void)state;
    ends_within(latent(), 0.5);
}

static void rows_around_a_common_one_are_told_by_what_is_unusual(void **state)
{
    (void)state;
    ends_within(around(), 0.7);
}

/* Rows of any numbers: what is tried costs next to nothing. */
static void full_rows_cost_what_they_did(void **state)
{
    (void)state;
    rows r = rows_new(1000, 24, 0, 1e-3);
    zo_report with, without;
    last_F(&r, 9, "off", &without);
    last_F(&r, 9, "auto", &with);
    assert_true(with.units < 1.01 * without.units);
    rows_free(&r);
}

static void often(zo_problem p)
{
    zo_settings set = settings_of("inq");
    stopped_often(&p, &set, "test_recovery.zo", 3, INT_MAX);
}

static void every_question_may_be_the_last(void **state)
{
    (void)state;
    rows r = survey(), s = latent(), t = around();
    often(rows_problem(&r, zo_l1(1e-3)));
    often(rows_problem(&s, zo_l1(1e-3)));
    often(rows_problem(&t, zo_l1(1e-3)));
    often(bent());
    rows_free(&r);
    rows_free(&s);
    rows_free(&t);
}

/* Answers to questions, and three measured numbers, which are asked along their axes. */
static rows measured(void)
{
    rows r = survey();
    for (size_t i = 0; i < CASES; i++)
        for (size_t j = 0; j < 3; j++)
            r.z[i * WIDE + j] = rng_uniform(8, FOR_SYNTH, i, 200 + j) - 0.5;
    return r;
}

static const double low = -0.25, high = 0;

static int inside_value(void *ctx, size_t i, const double *x, double *f)
{
    rows *r = ctx;
    for (size_t j = 0; j < r->d; j++) assert_true(x[j] >= low && x[j] <= high);
    return rows_value(r, i, x, f);
}

/* Half the coordinates are at a bound, from which there is one way only: so are most of them in the end. */
static void bounds_are_kept_at_the_same_price(void **state)
{
    rows all[] = {survey(), measured()};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        zo_problem p = {.n = CASES, .d = WIDE, .value = inside_value, .ctx = &all[k], .threads = 1};
        zo_settings set = settings_of("inq");
        double F[2];
        for (int off = 0; off < 2; off++) {
            p.psi = zo_box(low, high);
            set.recover = off ? ZO_OFF : ZO_AUTO;
            zo_solver *solver = solver_of(&p, &set);
            zo_report report = run(solver, 3);
            F[off] = report.objective;
            assert_int_equal(strstr(report.chosen, "recovered from") == NULL, off);
            if (!off && report.units > 0.6) fail_msg("%g units", report.units);
            zo_free(solver);
        }
        assert_true(fabs(F[0] - F[1]) < 1e-10);
        set.recover = ZO_AUTO;
        stopped_often(&p, &set, "test_recovery.zo", 3, INT_MAX);
        rows_free(&all[k]);
    }
}

static int acting_saga; /* 1: ranks run saga */
static double acting_units = 1.5;

static zo_settings saga(void)
{
    zo_settings set = settings_of("saga");
    set.recover = ZO_ON;
    set.step = 0.1;
    set.batch = 3;
    return set;
}

/* At 0 the gradient of row i is -y_i z_i/2. A table of CASES rows costs a fraction of CASES WIDE questions. */
static void saga_has_its_table_from_a_few_differences(void **state)
{
    (void)state;
    rows all[] = {survey(), measured(), rows_new(CASES, WIDE, 0, 1e-3)};
    for (size_t k = 0; k < 3; k++) {
        const rows *r = &all[k];
        zo_problem p = rows_problem(&all[k], zo_l1(1e-3));
        zo_settings set = saga();
        zo_solver *solver = solver_of(&p, &set);
        uint64_t queries = 0;
        const zo_fan *fan;
        while (solver->method->stage == 0) {
            assert_int_equal(zo_ask(solver, &fan, NULL), ZO_OK);
            queries += solver->method->settled ? zo_fan_queries(fan) : 0;
            go_on(solver);
        }
        if (k < 2 ? queries > CASES * WIDE / 2 : queries != CASES * (WIDE + 1))
            fail_msg("%llu queries", (unsigned long long)queries);
        for (size_t e = 0; e < solver->method->nstates; e++) {
            const state_entry *entry = &solver->method->state[e];
            const double *table = entry->at;
            for (size_t i = 0; !strcmp(entry->name, "table") && i < CASES * WIDE; i++)
                assert_true(fabs(table[i] + 0.5 * r->y[i / WIDE] * r->z[i]) < 1e-5);
        }
        zo_free(solver);
        stopped_often(&p, &set, "test_recovery.zo", 1, 60);
        rows_free(&all[k]);
    }
}

static void act(place *p)
{
    zo_settings set = acting_saga ? saga() : settings_of("inq");
    assert_int_equal(run_at(p, p->with, &set, acting_units), ZO_OK);
}

static void same_on_ranks_where(zo_problem p, const char *chosen)
{
    static const int sizes[] = {2, 3};
    place alone = {.with = &p, .out = calloc(p.d, sizeof(double))};
    act(&alone);
    assert_non_null(strstr(alone.report.chosen, chosen));
    for (size_t k = 0; k < 2; k++) {
        place places[MOST] = {{0}};
        on_ranks(sizes[k], places, act, &p, p.d);
        for (int i = 0; i < sizes[k]; i++)
            assert_memory_equal(places[i].out, alone.out, p.d * sizeof(double));
        release(sizes[k], places);
    }
    free(alone.out);
}

static void same_on_ranks(zo_problem p) { same_on_ranks_where(p, "recovered from"); }

/* ---- Few components beside d, and a budget that does not pay for their gradients -------------------------- */

enum { FEW_ROWS = 300, MANY = 600 };

/* Rows of five numbers, of four factors, or of noise. */
static rows few_rows(int kind)
{
    rows r = rows_new(FEW_ROWS, MANY, 0, 1e-3);
    for (size_t i = 0; i < FEW_ROWS && kind == 0; i++)
        for (size_t j = 0; j < MANY; j++)
            if ((j + 7 * i) % (MANY / 5)) r.z[i * MANY + j] = 0;
    for (size_t i = 0; i < FEW_ROWS * MANY && kind == 1; i++) r.z[i] = 0;
    for (size_t k = 0; k < 4 * FEW_ROWS * MANY && kind == 1; k++) {
        size_t i = k / 4 / MANY, j = k / 4 % MANY;
        r.z[i * MANY + j] += (rng_uniform(9, FOR_SYNTH, i, k % 4) - 0.5) *
                             (rng_uniform(9, FOR_SYNTH, FEW_ROWS + k % 4, j) - 0.5);
    }
    for (size_t i = 0; i < FEW_ROWS; i++) {
        r.y[i] = rng_uniform(9, FOR_SYNTH, i, 999) > 0.5 ? 1 : -1;
        vec_scale(MANY, 1 / vec_norm(MANY, r.z + i * MANY), r.z + i * MANY);
    }
    return r;
}

/* F where auto ends. */
static double spent(rows *r, double units, zo_report *report)
{
    zo_problem p = rows_problem(r, zo_l1(1e-4));
    zo_settings set = settings_of("auto");
    zo_solver *solver = solver_of(&p, &set);
    *report = run(solver, units);
    double F = rows_F(r, &p.psi, zo_point(solver));
    zo_free(solver);
    return F;
}

static void few_components_that_are_alike_are_recovered(void **state)
{
    static const double units[] = {0.2, 0.4};
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        rows r = few_rows(kind);
        zo_report report;
        double least = spent(&r, 3, &report), gap = spent(&r, units[kind], &report) - least;
        if (!(gap < 1e-9)) fail_msg("gap %g after %g units", gap, report.units);
        rows_free(&r);
    }
}

static void few_components_that_are_not_are_left_to_random_directions(void **state)
{
    (void)state;
    rows r = few_rows(2);
    zo_problem p = rows_problem(&r, zo_l1(1e-4));
    zo_settings set = settings_of("inq");
    zo_report report;
    double F = spent(&r, 0.5, &report);
    assert_non_null(strstr(report.chosen, "then zosgd after 0.01"));
    if (!(F < 0.99 * log(2))) fail_msg("F = %g", F);
    spent(&r, 0.1, &report);
    assert_non_null(strstr(report.chosen, "many entries")); /* not even for a look */
    set.horizon = 0.5 * FEW_ROWS * MANY;
    stopped_often(&p, &set, "test_recovery.zo", 3, 100);
    p.value = rows_value, p.ctx = &r;
    acting_units = 0.3;
    same_on_ranks_where(p, "then zosgd");
    acting_units = 1.5;
    rows_free(&r);
}

static void ranks_have_the_same_bytes(void **state)
{
    (void)state;
    rows r = survey();
    same_on_ranks((zo_problem){
        .n = r.n, .d = r.d, .value = rows_value, .ctx = &r, .psi = zo_l1(1e-3), .threads = 1});
    same_on_ranks(bent());
    acting_saga = 1;
    same_on_ranks((zo_problem){
        .n = r.n, .d = r.d, .value = rows_value, .ctx = &r, .psi = zo_l1(1e-3), .threads = 1});
    acting_saga = 0;
    rows_free(&r);
}

/* What several threads may ask at once: rows count their calls. */
static int calm_value(void *ctx, size_t i, const double *x, double *f)
{
    rows own = *(const rows *)ctx;
    return rows_value(&own, i, x, f);
}

/* The point at the end where so many threads answer; by ask and tell, from values at points, where there are none. */
static void end_of(zo_problem p, int threads, double *x)
{
    zo_settings set = settings_of("inq");
    zo_error e = {0};
    const zo_fan *fan = NULL;
    p.threads = threads ? threads : 1;
    zo_solver *solver = solver_of(&p, &set);
    if (threads) {
        zo_report report = run(solver, 4);
        assert_true(report.reason == ZO_AT_END && strstr(report.chosen, "recovered from"));
    }
    while (!threads && zo_ask(solver, &fan, &e) == ZO_OK && fan) {
        size_t points = zo_fan_points(fan);
        double *values = calloc(points * fan->ncomp, 8), *out = calloc(zo_fan_answers(fan), 8);
        for (size_t k = 0; k < points * fan->ncomp; k++) {
            zo_fan_point(fan, k / points, k % points, x);
            p.value(p.ctx, fan->comp ? fan->comp[k / points] : k / points, x, &values[k]);
        }
        assert_int_equal(zo_fan_answer(fan, values, out, &e), ZO_OK);
        assert_int_equal(zo_tell(solver, out, &e), ZO_OK);
        free(values);
        free(out);
    }
    memcpy(x, zo_point(solver), WIDE * sizeof *x);
    zo_free(solver);
}

static void threads_and_ask_and_tell_have_the_same_bytes(void **state)
{
    (void)state;
    rows r = survey();
    zo_problem all[] = {bent(),
                        {.n = r.n, .d = r.d, .value = calm_value, .ctx = &r, .psi = zo_l1(1e-3)}};
    for (size_t k = 0; k < 2; k++) {
        double one[WIDE], three[WIDE], told[WIDE];
        end_of(all[k], 1, one);
        end_of(all[k], 3, three);
        end_of(all[k], 0, told);
        assert_memory_equal(one, three, sizeof one);
        assert_memory_equal(one, told, sizeof one);
    }
    rows_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fraction_of_a_unit_is_enough),
        cmocka_unit_test(rows_of_few_dimensions_are_asked_along_these),
        cmocka_unit_test(rows_around_a_common_one_are_told_by_what_is_unusual),
        cmocka_unit_test(few_coordinates_are_found_whatever_f_is),
        cmocka_unit_test(full_rows_cost_what_they_did),
        cmocka_unit_test(every_question_may_be_the_last),
        cmocka_unit_test(bounds_are_kept_at_the_same_price),
        cmocka_unit_test(saga_has_its_table_from_a_few_differences),
        cmocka_unit_test(ranks_have_the_same_bytes),
        cmocka_unit_test(few_components_that_are_alike_are_recovered),
        cmocka_unit_test(few_components_that_are_not_are_left_to_random_directions),
        cmocka_unit_test(threads_and_ask_and_tell_have_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
