/* inq: exact counts, the same bytes however it is driven, convergence for many psi, never worse than its start.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include "inq_rows.h"

#include <unistd.h>

#include "method/component/curve.h"
#include "zoprox_data.h"

/* ---- Convergence ---------------------------------------------------------------------------------- */

static void reaches_the_optimum(void **state)
{
    (void)state;
    zo_prox all[] = {zo_zero(),
                     zo_l1(0.02),
                     zo_elastic_net(0.02, 0.1),
                     zo_box(-0.2, 0.3),
                     zo_nonnegative(),
                     zo_l1_ball(0.7),
                     zo_simplex(1),
                     zo_group_lasso(0.02, 3),
                     zo_l2(0.05),
                     zo_total_variation(0.01)};
    for (int kind = 0; kind < 2; kind++)
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            rows r = rows_new(N, D, kind, 0.01);
            zo_problem p = rows_problem(&r, all[k]);
            double optimum = rows_optimum(&r, &p.psi);
            for (uint64_t seed = 1; seed < 3; seed++) {
                zo_solver *solver = started(&p, seed);
                zo_report report = run(solver, 5);
                double gap = rows_F(&r, &p.psi, zo_point(solver)) - optimum;
                if (!(gap < 1e-10))
                    fail_msg("%s, kind %d: gap %g after %g units", all[k].name, kind, gap,
                             report.units);
                if (report.units > 2.2 + 4.0 / D) /* the proof at its end */
                    fail_msg("%s, kind %d: %g units", all[k].name, kind, report.units);
                zo_free(solver);
            }
            rows_free(&r);
        }
}

static void few_components_and_one_dimension(void **state)
{
    (void)state;
    size_t shapes[][2] = {{1, 3}, {2, 2}, {5, 12}, {40, 1}, {9, 12}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        rows r = rows_new(shapes[k][0], shapes[k][1] > 1 ? shapes[k][1] : 2, 0, 0.1);
        zo_problem p = rows_problem(&r, zo_l1(0.01));
        zo_solver *solver = started(&p, 1);
        run(solver, 60);
        double gap = rows_F(&r, &p.psi, zo_point(solver)) - rows_optimum(&r, &p.psi);
        if (!(gap < 1e-9)) fail_msg("n %zu d %zu: gap %g", r.n, r.d, gap);
        zo_free(solver);
        rows_free(&r);
    }
}

/* Units of a whole run; *objective: F at its end. */
static double units_to_the_end(const zo_problem *p, uint64_t seed, double *objective)
{
    zo_solver *solver = started(p, seed);
    double units = run(solver, 6).units;
    const double *x = zo_point(solver);
    zo_fan fan = {
        .n = p->n, .d = p->d, .nbase = 1, .base = {x}, .radius = 1, .sides = 1, .ncomp = p->n};
    assert_int_equal(p->answer(p->ctx, &fan, objective), 0);
    *objective += p->psi.value(&p->psi, p->d, x);
    zo_free(solver);
    return units;
}

/* Smooth hinges are flat where margins are large: a direction must not be made of the ridge's forward error there, and a
 * component that wakes up at a refused point must be heard. */
static void flat_sides_have_no_direction(void **state)
{
    (void)state;
    for (int set = 0; set < 4; set++) {
        char spec[64];
        zo_data *data;
        zo_model *model;
        zo_problem p;
        double end[3], least = INFINITY;
        snprintf(spec, sizeof spec, "kind=gaussian,n=400,d=20,seed=%d", set);
        assert_int_equal(zo_data_synth(&data, spec, NULL), 0);
        assert_int_equal(zo_model_new(&model, data, ZO_SMOOTH_HINGE, 1e-3, 1, &p, NULL), 0);
        p.psi = zo_l1(1e-3);
        for (uint64_t seed = 0; seed < 3; seed++) {
            double units = units_to_the_end(&p, seed, &end[seed]);
            if (!(units < 2.8)) fail_msg("set %d, seed %d: %g units", set, (int)seed, units);
            least = fmin(least, end[seed]);
        }
        for (int k = 0; k < 3; k++)
            if (!(end[k] - least < 1e-10))
                fail_msg("set %d, seed %d: gap %g", set, k, end[k] - least);
        zo_model_free(model);
        zo_data_free(data);
    }
}

/* Coordinates at bounds have large slopes whose small errors are no reason to doubt the end: it took 7 units. */
static void bounds_hold(void **state)
{
    (void)state;
    for (int set = 1; set < 3; set++) {
        char spec[64];
        zo_data *data;
        zo_model *model;
        zo_problem p;
        double end;
        snprintf(spec, sizeof spec, "n=500,d=20,seed=%d", set);
        assert_int_equal(zo_data_synth(&data, spec, NULL), 0);
        assert_int_equal(zo_model_new(&model, data, ZO_LOGISTIC, 0, 1, &p, NULL), 0);
        p.psi = set == 1 ? zo_box(-0.1, 0.1) : zo_simplex(1);
        double units = units_to_the_end(&p, 1, &end);
        if (!(units < 2)) fail_msg("set %d: %g units", set, units);
        zo_model_free(model);
        zo_data_free(data);
    }
}

/* Columns from 1e-3 to 1e3: gradients are too coarse to tell mu, which rules along the small ones. */
static void columns_of_all_sizes(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        rows r = rows_new(N, D, kind, 1e-4);
        for (size_t e = 0; e < N * D; e++) r.z[e] *= pow(10, -3 + 6 * (double)(e % D) / (D - 1));
        zo_problem p = rows_problem(&r, zo_l1(1e-4));
        double end[3], least = INFINITY;
        for (uint64_t seed = 0; seed < 3; seed++) {
            zo_solver *solver = started(&p, seed);
            run(solver, 3.8);
            end[seed] = rows_F(&r, &p.psi, zo_point(solver));
            least = fmin(least, end[seed]);
            zo_free(solver);
        }
        for (int k = 0; k < 3; k++)
            if (!(end[k] - least < 1e-9))
                fail_msg("kind %d, seed %d: gap %g", kind, k, end[k] - least);
        rows_free(&r);
    }
}

static void a_loss_that_is_not_convex_goes_down(void **state)
{
    (void)state;
    rows r = rows_new(N, D, 2, 0.001);
    zo_problem p = rows_problem(&r, zo_l1(0.001));
    double zero[D] = {0}, start = rows_F(&r, &p.psi, zero);
    zo_solver *solver = started(&p, 1);
    run(solver, 4);
    assert_true(rows_F(&r, &p.psi, zo_point(solver)) < 0.6 * start);
    zo_free(solver);
    rows_free(&r);
}

static void noise_is_measured_and_ends_the_run(void **state)
{
    (void)state;
    rows r = rows_new(N, D, 0, 0.01);
    zo_problem p = rows_problem(&r, zo_l1(0.01));
    double optimum = rows_optimum(&r, &p.psi);
    r.noise = 1e-5;
    zo_solver *solver = started(&p, 1);
    zo_report report = run(solver, 20);
    r.noise = 0;
    assert_int_equal(report.reason, ZO_AT_NOISE);
    assert_non_null(strstr(report.chosen, "noise"));
    assert_true(report.settings.noise > 0.5e-5 && report.settings.noise < 2e-5);
    assert_true(rows_F(&r, &p.psi, zo_point(solver)) - optimum < 1e-4);
    zo_free(solver);
    rows_free(&r);
}

/* ---- Promises ------------------------------------------------------------------------------------- */

static void counts_and_budgets_are_exact(void **state)
{
    (void)state;
    rows r = rows_new(N, D, 0, 0.01);
    zo_problem p = rows_problem(&r, zo_l1(0.01));
    double zero[D] = {0}, start = rows_F(&r, &p.psi, zero);
    for (double units = 0.01; units < 1.5; units += 0.07) {
        zo_solver *solver = started(&p, 3);
        r.calls = 0;
        zo_report report = run(solver, units);
        assert_int_equal(r.calls, report.queries);
        assert_true((double)report.queries <= units * N * D);
        if (units > 0.5) assert_true(rows_F(&r, &p.psi, zo_point(solver)) <= start);
        zo_free(solver);
    }
    rows_free(&r);
}

/* Samples lead away from a start at the optimum; a residual within tol on the way back does not end the run. */
static void tol_does_not_stop_at_a_point_worse_than_the_start(void **state)
{
    (void)state;
    rows r = rows_new(N, D, 0, 0.01);
    zo_problem p = rows_problem(&r, zo_l1(0.01));
    zo_solver *solver = started(&p, 1);
    double x[D];
    run(solver, 5);
    vec_copy(D, zo_point(solver), x);
    zo_free(solver);
    for (uint64_t seed = 1; seed < 9; seed++) {
        zo_control c = zo_no_limits();
        zo_settings set = settings_of("inq");
        set.seed = seed;
        c.tol = 1e-2;
        assert_int_equal(zo_new(&solver, &p, &set, NULL), 0);
        assert_int_equal(zo_start(solver, x, NULL), 0);
        zo_report report = run_to(solver, &c);
        assert_int_equal(report.reason, ZO_AT_TOL);
        if (!(report.objective <= report.best_objective * (1 + 1e-12)))
            fail_msg("seed %d: %.17g, seen %.17g", (int)seed, report.objective,
                     report.best_objective);
        zo_free(solver);
    }
    rows_free(&r);
}

/* All answers and points of a run; every `save` fans the run is saved and goes on in a new solver. */
static size_t transcript(const zo_problem *p, rows *r, size_t save, double *out, size_t room)
{
    char path[] = "/tmp/zoprox-inq-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    zo_solver *solver = started(p, 7);
    zo_error e = {0};
    size_t used = 0, fans = 0;
    for (;; fans++) {
        if (save && fans % save == save - 1) {
            if (zo_save(solver, path, &e)) fail_msg("%s", e.text);
            zo_free(solver);
            zo_settings s = settings_of("inq");
            s.seed = 7;
            if (zo_new(&solver, p, &s, &e) || zo_load(solver, path, &e)) fail_msg("%s", e.text);
        }
        const zo_fan *fan, *again;
        assert_int_equal(zo_ask(solver, &fan, &e), 0);
        if (!fan) break;
        assert_int_equal(zo_ask(solver, &again, &e), 0);
        size_t count = zo_fan_answers(fan), points = zo_fan_points(again);
        double *a = malloc(count * sizeof *a), x[D];
        vec_zero(count, a);
        for (size_t c = 0; c < again->ncomp; c++) { /* values by the definition of a fan */
            double base = 0;
            size_t i = again->comp ? (size_t)again->comp[c] : c, set = zo_fan_set(again);
            for (size_t k = 0; k < points; k++) {
                double f;
                zo_fan_point(again, c, k, x);
                rows_value(r, i, x, &f);
                if (k == 0 && !again->known) base = f;
                double one = again->known || k == 0 ? f : f - base;
                a[again->each ? c * set + k : k] += again->each ? one : one / (double)again->ncomp;
            }
        }
        for (size_t k = 0; k < count && used < room; k++) out[used++] = a[k];
        assert_int_equal(zo_tell(solver, a, &e), 0);
        free(a);
    }
    for (size_t j = 0; j < D && used < room; j++) out[used++] = zo_point(solver)[j];
    zo_free(solver);
    unlink(path);
    return used;
}

static void saved_at_every_stage_it_goes_on_with_the_same_bytes(void **state)
{
    (void)state;
    size_t room = 60 * N * D;
    double *a = malloc(room * sizeof *a), *b = malloc(room * sizeof *b);
    int kinds[] = {0, 3, 5};
    for (int k = 0; k < 3; k++) {
        rows r = rows_new(N, D, kinds[k], 0.01);
        zo_problem p = rows_problem(&r, zo_l1(0.01));
        size_t straight = transcript(&p, &r, 0, a, room);
        for (size_t save = 1; save < 4; save++) {
            assert_int_equal(transcript(&p, &r, save, b, room), straight);
            assert_memory_equal(a, b, straight * sizeof *a);
        }
        rows_free(&r);
    }
    free(a);
    free(b);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    double x[3][D];
    rows r = rows_new(N, D, 0, 0.01);
    zo_data *data;
    assert_int_equal(zo_data_dense(&data, N, D, r.z, r.y, NULL), 0);
    for (int threads = 1; threads <= 3; threads++) {
        zo_problem p;
        zo_model *model;
        assert_int_equal(zo_model_new(&model, data, ZO_LOGISTIC, 0.01, threads, &p, NULL), 0);
        p.psi = zo_l1(0.01);
        zo_solver *solver = started(&p, 7);
        run(solver, 3);
        vec_copy(D, zo_point(solver), x[threads - 1]);
        zo_free(solver);
        zo_model_free(model);
    }
    zo_data_free(data);
    rows_free(&r);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_memory_equal(x[0], x[2], sizeof x[0]);
}

/* ---- Curves --------------------------------------------------------------------------------------- */

static void a_curve_interpolates(void **state)
{
    (void)state;
    curve c = {0};
    curve_base(&c, 0.3, exp(0.3), exp(0.3), exp(0.3));
    double t[] = {0.35, 0.37, 0.366};
    for (int k = 0; k < 3; k++)
        assert_int_equal(curve_learn(&c, t[k], exp(t[k]), 1e-16, 0, 0.3), 0);
    for (int k = 0; k < 3; k++) {
        curve_value v = curve_at(&c, t[k]);
        assert_float_equal(v.h, exp(t[k]), 1e-14);
        assert_float_equal(v.slope, exp(t[k]), 1e-9);
        assert_float_equal(v.bend, exp(t[k]), 1e-6);
    }
    assert_int_equal(curve_learn(&c, 0.5, exp(0.5), 1e-16, 0, 0.3), 1); /* no room for a fourth */
    curve_base(&c, 0, 0, 0, 1);
    assert_int_equal(curve_learn(&c, 1, 5, 1e-16, 0, 0.3), 1); /* far from what was believed */
    assert_int_equal(curve_learn(&c, 0.1, 0.005 + 1e-18, 1e-16, 0, 0.3), 0);
    assert_int_equal((int)c.knots, 0); /* nothing new was said */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reaches_the_optimum),
        cmocka_unit_test(flat_sides_have_no_direction),
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(columns_of_all_sizes),
        cmocka_unit_test(few_components_and_one_dimension),
        cmocka_unit_test(a_loss_that_is_not_convex_goes_down),
        cmocka_unit_test(noise_is_measured_and_ends_the_run),
        cmocka_unit_test(counts_and_budgets_are_exact),
        cmocka_unit_test(tol_does_not_stop_at_a_point_worse_than_the_start),
        cmocka_unit_test(saved_at_every_stage_it_goes_on_with_the_same_bytes),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(a_curve_interpolates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
