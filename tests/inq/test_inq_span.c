/* inq: components with several indices, one Hessian for all, no own questions; what it says about itself.
 * SPDX-License-Identifier: MIT */
#include "inq_rows.h"

#include "zoprox_data.h"

static void components_with_two_indices(void **state)
{
    (void)state;
    zo_prox all[] = {zo_zero(), zo_l1(0.02), zo_simplex(1)};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (int own = 0; own < 2; own++) {
            rows r = rows_new(N, D, 3, 0.01);
            zo_problem p = rows_problem(&r, all[k]);
            double optimum = rows_optimum(&r, &p.psi);
            zo_solver *solver = started_with(&p, 1, own);
            zo_report report = run(solver, own ? 6 : 20);
            double gap = rows_F(&r, &p.psi, zo_point(solver)) - optimum;
            if (!(gap < 1e-9))
                fail_msg("%s, own %d: gap %g after %g units", all[k].name, own, gap, report.units);
            assert_non_null(strstr(report.chosen, "subspace models"));
            zo_free(solver);
            rows_free(&r);
        }
}

/* F* of the quadratics: x = the mean of 1 + z_i, by weight. */
static void one_hessian_for_all(void **state)
{
    (void)state;
    for (int kind = 4; kind < 6; kind++) {
        rows r = rows_new(N, D, kind, 0);
        zo_problem p = rows_problem(&r, zo_zero());
        double x[D] = {0}, weight = 0;
        for (size_t i = 0; i < N; i++) {
            weight += rows_weight(&r, i);
            for (size_t j = 0; j < D; j++) x[j] += rows_weight(&r, i) * (1 + r.z[i * D + j]);
        }
        vec_scale(D, 1 / weight, x);
        zo_solver *solver = started(&p, 1);
        zo_report report = run(solver, kind == 4 ? 2.2 : 4);
        double gap = rows_F(&r, &p.psi, zo_point(solver)) - rows_F(&r, &p.psi, x);
        if (!(gap < 1e-9)) fail_msg("kind %d: gap %g after %g units", kind, gap, report.units);
        zo_free(solver);
        rows_free(&r);
    }
}

/* A common random direction tells as much of a component with one index as its own. */
static void without_own_questions(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        rows r = rows_new(N, D, kind, 0.01);
        zo_problem p = rows_problem(&r, zo_l1(0.02));
        double optimum = rows_optimum(&r, &p.psi);
        zo_solver *solver = started_with(&p, 1, 0);
        zo_error e;
        const zo_fan *fan;
        zo_report report;
        double *answers = malloc(2 * N * (D + 1) * sizeof *answers), gap = INFINITY;
        while (!(gap < 1e-10)) { /* what comes after is chance: F cannot show it */
            assert_int_equal(zo_ask(solver, &fan, &e), 0);
            if (!fan) break;
            assert_false(fan->own);
            double *values = malloc(fan->ncomp * zo_fan_points(fan) * sizeof *values), x[D];
            for (size_t c = 0, at = 0; c < fan->ncomp; c++)
                for (size_t k = 0; k < zo_fan_points(fan); k++) {
                    zo_fan_point(fan, c, k, x);
                    rows_value(&r, fan->comp ? (size_t)fan->comp[c] : c, x, &values[at++]);
                }
            assert_int_equal(zo_fan_answer(fan, values, answers, &e), 0);
            assert_int_equal(zo_tell(solver, answers, &e), 0);
            free(values);
            gap = rows_F(&r, &p.psi, zo_point(solver)) - optimum;
        }
        zo_look(solver, &report);
        if (!(gap < 1e-10) || report.units > 2.2)
            fail_msg("gap %g after %g units", gap, report.units);
        free(answers);
        zo_free(solver);
        rows_free(&r);
    }
}

static void three_classes(void **state)
{
    (void)state;
    zo_data *data;
    zo_model *model;
    zo_problem p;
    assert_int_equal(zo_data_synth(&data, "kind=multiclass,n=900,d=8,classes=3", NULL), 0);
    assert_int_equal(zo_model_new(&model, data, ZO_SOFTMAX, 0.01, 1, &p, NULL), 0);
    p.psi = zo_l1(0.001);
    double F[2];
    for (uint64_t seed = 1; seed < 3; seed++) {
        zo_solver *solver = started(&p, seed);
        run(solver, 6);
        zo_fan fan = {.n = p.n,
                      .d = p.d,
                      .nbase = 1,
                      .base = {zo_point(solver)},
                      .radius = 1,
                      .sides = 1,
                      .ncomp = p.n};
        assert_int_equal(p.answer(p.ctx, &fan, &F[seed - 1]), 0);
        F[seed - 1] += p.psi.value(&p.psi, p.d, zo_point(solver));
        zo_free(solver);
    }
    if (!(fabs(F[0] - F[1]) < 1e-9)) fail_msg("two seeds end at %.15g and %.15g", F[0], F[1]);
    zo_model_free(model);
    zo_data_free(data);
}

/* ---- What it says about itself -------------------------------------------------------------------- */

/* |x - prox(x - grad f)| with the exact gradient (kinds 0 and 3). */
static double true_residual(const rows *r, const zo_prox *psi, const double *x)
{
    double v[D], z[D], sum = 0;
    for (size_t j = 0; j < D; j++) v[j] = x[j] * (1 - r->l2);
    for (size_t i = 0; i < r->n; i++) { /* over all rows a mean of pairs is the mean of rows */
        double m = r->y[i] * vec_dot(D, r->z + i * D, x);
        vec_add(D, r->y[i] / (1 + exp(m)) / (double)r->n, r->z + i * D, v);
    }
    psi->apply(psi, D, 1, v, z, NULL);
    for (size_t j = 0; j < D; j++) sum += (x[j] - z[j]) * (x[j] - z[j]);
    return sqrt(sum);
}

static void tol_stops_where_it_says(void **state)
{
    (void)state;
    int kinds[] = {0, 3};
    double tols[] = {1e-2, 1e-4, 1e-6};
    for (size_t k = 0; k < 2; k++)
        for (size_t t = 0; t < 3; t++)
            for (uint64_t seed = 1; seed < 4; seed++) {
                rows r = rows_new(N, D, kinds[k], 0.01);
                zo_problem p = rows_problem(&r, zo_l1(0.01));
                zo_solver *solver = started(&p, seed);
                zo_control c = zo_no_limits();
                zo_report report;
                c.tol = tols[t];
                c.max_units = 30;
                c.track = ZO_TRACK_OFF;
                assert_int_equal(zo_run(solver, &c, &report, NULL), 0);
                double is = true_residual(&r, &p.psi, zo_point(solver));
                if (report.reason != ZO_AT_TOL || !(is <= 10 * tols[t]) ||
                    is > 10 * report.residual + 1e-9)
                    fail_msg("kind %d tol %g: stopped by %d, residual %g, said %g", kinds[k],
                             tols[t], (int)report.reason, is, report.residual);
                zo_free(solver);
                rows_free(&r);
            }
}

/* By central differences of the mean, good to about 1e-10. */
static double residual_by_differences(const zo_problem *p, const double *x)
{
    double answers[2 * 80 + 1], v[80], z[80], sum = 0;
    zo_fan fan = {
        .n = p->n, .d = p->d, .nbase = 1, .base = {x}, .radius = 1e-5, .sides = 2, .ncomp = p->n};
    fan.naxis = p->d;
    assert_int_equal(p->answer(p->ctx, &fan, answers), 0);
    for (size_t j = 0; j < p->d; j++)
        v[j] = x[j] - (answers[1 + 2 * j] - answers[2 + 2 * j]) / (2 * fan.radius);
    p->psi.apply(&p->psi, p->d, 1, v, z, NULL);
    for (size_t j = 0; j < p->d; j++) sum += (x[j] - z[j]) * (x[j] - z[j]);
    return sqrt(sum);
}

/* In some of these runs the few that are asked last have complete spans, and those before them had not. */
static void tol_asks_more_than_a_few(void **state)
{
    (void)state;
    zo_data *data;
    zo_model *model;
    zo_problem p;
    assert_int_equal(zo_data_synth(&data, "kind=multiclass,classes=4,n=2000,d=20", NULL), 0);
    assert_int_equal(zo_model_new(&model, data, ZO_SOFTMAX, 1e-4, 1, &p, NULL), 0);
    p.psi = zo_l1(1e-4);
    for (uint64_t seed = 1; seed <= 12; seed++) {
        zo_solver *solver = started(&p, seed);
        zo_control c = zo_no_limits();
        zo_report report;
        c.tol = 1e-5;
        c.max_units = 30;
        c.track = ZO_TRACK_OFF;
        assert_int_equal(zo_run(solver, &c, &report, NULL), 0);
        double is = residual_by_differences(&p, zo_point(solver));
        if (report.reason != ZO_AT_TOL || !(is <= 10 * c.tol))
            fail_msg("seed %d: stopped by %d, residual %g, said %g", (int)seed, (int)report.reason,
                     is, report.residual);
        zo_free(solver);
    }
    zo_model_free(model);
    zo_data_free(data);
}

/* F may rise by the error that the report gives, 0 once all components are in the sample. */
static void F_never_rises_by_more_than_it_says(void **state)
{
    (void)state;
    int kinds[] = {0, 2, 3, 4};
    for (size_t k = 0; k < 4; k++)
        for (uint64_t seed = 1; seed < 4; seed++) {
            rows r = rows_new(N, D, kinds[k], 0.01);
            zo_problem p = rows_problem(&r, zo_l1(0.01));
            zo_settings set = settings_of("inq");
            set.seed = seed;
            set.horizon = 3 * N * D; /* not those of the first run, in which spans do not pay */
            zo_solver *solver = solver_of(&p, &set);
            double last = INFINITY;
            for (double units = 0.02; units < 3; units += 0.02) {
                zo_report report = run(solver, units);
                double now = rows_F(&r, &p.psi, zo_point(solver)),
                       error = report.steps ? report.error : 0;
                if (now > last + 3 * error + 1e-13)
                    fail_msg("kind %d: from %.15g to %.15g at %g units, error %g", kinds[k], last,
                             now, units, error);
                last = now;
            }
            zo_free(solver);
            rows_free(&r);
        }
}

/* (x_0 - i/n)^2 + (x_1 (1 + i % 2) - 1)^2 */
static int two_coordinates(void *ctx, size_t i, const double *x, double *f)
{
    double u = x[0] - (double)i / *(double *)ctx, v = x[1] * (double)(1 + i % 2) - 1;
    *f = u * u + v * v;
    return 0;
}

/* In few dimensions spans are not begun: lm is asked whether components are squares, and as they are not, mean goes on. */
static void few_dimensions_are_for_others(void **state)
{
    (void)state;
    double n = 200;
    zo_problem p = {.n = 200, .d = 2, .value = two_coordinates, .ctx = &n, .psi = zo_l1(0.01)};
    zo_solver *solver = started(&p, 1);
    zo_report r = run(solver, 40);
    assert_int_equal(r.reason, ZO_AT_END);
    assert_string_equal(r.method, "mean");
    assert_non_null(strstr(r.chosen, "then lm after"));
    assert_true(fabs(zo_point(solver)[0] - 0.4925) < 1e-8 &&
                fabs(zo_point(solver)[1] - 0.598) < 1e-8);
    zo_free(solver);
}

/* Squares of bent residuals, many of them in three dimensions. */
static int bent_squares(void *ctx, size_t i, const double *x, double *f)
{
    double t = 4 * ((double)i + 0.5) / *(double *)ctx,
           r = x[0] / (1 + exp(x[1] * (x[2] - t))) - 5 / (1 + exp(3 * (2 - t)));
    *f = r * r;
    return 0;
}

static void bent_squares_are_for_lm(void **state)
{
    (void)state;
    double n = 3000, x0[] = {3, 2, 1};
    zo_problem p = {.n = 3000, .d = 3, .value = bent_squares, .ctx = &n};
    zo_settings set = zo_defaults();
    zo_solver *solver;
    zo_control c = zo_no_limits();
    zo_report r;
    c.max_units = 15;
    assert_int_equal(zo_new(&solver, &p, &set, NULL), ZO_OK);
    assert_int_equal(zo_start(solver, x0, NULL), ZO_OK);
    assert_int_equal(zo_run(solver, &c, &r, NULL), ZO_OK);
    assert_string_equal(r.method, "lm");
    assert_true(r.objective < 1e-12);
    zo_free(solver);
}

/* Two indices in many dimensions: every third coordinate from i, and from i + 1, with signs. */
enum { WIDE = 1600, TALL = 24 };
static int two_wide_indices(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    double a = 0, b = 0;
    for (size_t j = i % 3; j < WIDE; j += 3) a += ((i * 7 + j * j) % 5 < 2 ? -0.1 : 0.1) * x[j];
    for (size_t j = (i + 1) % 3; j < WIDE; j += 3) b += ((i * j) % 7 < 3 ? -0.1 : 0.1) * x[j];
    *f = log1p(exp(-a)) + 0.5 * (b - 1) * (b - 1) + 5e-4 * vec_dot(WIDE, x, x);
    return 0;
}

/* Above d = 1500 the model is a factor: one direction of each span is in it. F* is of
 * Newton's method on the 48 indices. */
static void spans_in_factor_form(void **state)
{
    (void)state;
    zo_problem p = {.n = TALL, .d = WIDE, .value = two_wide_indices, .psi = zo_zero()};
    double F = 0, f;
    zo_solver *solver = started(&p, 1);
    zo_report report = run(solver, 8);
    assert_non_null(strstr(report.chosen, "subspace models"));
    for (size_t i = 0; i < TALL; i++) {
        two_wide_indices(NULL, i, zo_point(solver), &f);
        F += f / TALL;
    }
    if (!(fabs(F - 0.733407527342) < 1e-9)) fail_msg("gap %g", F - 0.733407527342);
    zo_free(solver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_with_two_indices),
        cmocka_unit_test(one_hessian_for_all),
        cmocka_unit_test(without_own_questions),
        cmocka_unit_test(three_classes),
        cmocka_unit_test(few_dimensions_are_for_others),
        cmocka_unit_test(bent_squares_are_for_lm),
        cmocka_unit_test(spans_in_factor_form),
        cmocka_unit_test(tol_stops_where_it_says),
        cmocka_unit_test(tol_asks_more_than_a_few),
        cmocka_unit_test(F_never_rises_by_more_than_it_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
