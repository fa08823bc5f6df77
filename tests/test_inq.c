/* inq: exact counts, the same bytes however it is driven, convergence for many psi, never worse than its start.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include "toy.h"

#include <stdio.h>
#include <unistd.h>

#include "method/curve.h"
#include "zoprox_data.h"

/* f_i(x) = loss(z_i'x) + (l2/2)|x|^2 over rows from counters; big enough for several samples. */
enum { N = 700, D = 12 };

typedef struct rows {
    size_t n, d;
    double *z, *y, l2;
    int kind; /* 0: logistic, 1: squared, 2: sigmoid, 3: logistic over two rows, i and n - 1 - i; 4: one Hessian for all */
    double noise; /* standard deviation of what is added to each value */
    uint64_t calls;
} rows;

static int rows_value(void *ctx, size_t i, const double *x, double *f)
{
    rows *r = ctx;
    double m = r->y[i] * vec_dot(r->d, r->z + i * r->d, x), t = 1 - m;
    r->calls++;
    *f = 0.5 * r->l2 * vec_dot(r->d, x, x);
    if (r->kind == 0) *f += fmax(-m, 0) + log1p(exp(-fabs(m)));
    if (r->kind == 1) *f += 0.5 * t * t;
    if (r->kind == 2) *f += 1 / (1 + exp(m));
    for (size_t j = 0; j < r->d && r->kind == 4; j++) {
        double far = x[j] - 1 - r->z[i * r->d + j];
        *f += 0.5 * pow(300, -(double)j / (double)r->d) * far * far;
    }
    if (r->kind == 3) {
        size_t o = r->n - 1 - i;
        double other = r->y[o] * vec_dot(r->d, r->z + o * r->d, x);
        *f += 0.5 * (fmax(-m, 0) + log1p(exp(-fabs(m))) + fmax(-other, 0) + log1p(exp(-fabs(other))));
    }
    if (r->noise > 0) *f += r->noise * sqrt(12) * (rng_uniform(9, FOR_CHECK, r->calls, 0) - 0.5);
    return 0;
}

static rows rows_new(size_t n, size_t d, int kind, double l2)
{
    rows r = {.n = n, .d = d, .kind = kind, .l2 = l2};
    r.z = malloc(n * d * sizeof *r.z);
    r.y = malloc(n * sizeof *r.y);
    for (size_t i = 0; i < n; i++) {
        rng_normals(5, FOR_SYNTH, i, 0, d, r.z + i * d);
        double s = r.z[i * d] - 0.7 * r.z[i * d + 1] + rng_uniform(5, FOR_SYNTH, i, 999) - 0.5;
        r.y[i] = s > 0 ? 1 : -1;
    }
    return r;
}

static void rows_free(rows *r)
{
    free(r->z);
    free(r->y);
}

static zo_problem rows_problem(rows *r, zo_prox psi)
{
    return (zo_problem){.n = r->n, .d = r->d, .value = rows_value, .ctx = r, .psi = psi};
}

static double rows_F(rows *r, const zo_prox *psi, const double *x)
{
    double sum = 0, f;
    uint64_t calls = r->calls;
    for (size_t i = 0; i < r->n; i++) {
        rows_value(r, i, x, &f);
        sum += f;
    }
    r->calls = calls;
    return sum / (double)r->n + psi->value(psi, r->d, x);
}

/* The least F by many exact accelerated proximal gradient steps (convex kinds). */
static double rows_optimum(rows *r, const zo_prox *psi)
{
    double x[D] = {0}, y[D] = {0}, g[D], v[D], old[D], *work = malloc(64 * D * sizeof *work), t = 1;
    for (int k = 0; k < 4000; k++) {
        vec_zero(r->d, g);
        for (size_t i = 0; i < r->n; i++) {
            double m = r->y[i] * vec_dot(r->d, r->z + i * r->d, y);
            double s = r->kind == 1 ? m - 1 : -1 / (1 + exp(m));
            vec_add(r->d, s * r->y[i] / (double)r->n, r->z + i * r->d, g);
        }
        vec_add(r->d, r->l2, y, g);
        vec_step(r->d, y, 0.3, g, v);
        vec_copy(r->d, x, old);
        psi->apply(psi, r->d, 0.3, v, x, work);
        double uphill = 0;
        for (size_t j = 0; j < r->d; j++) uphill += (y[j] - x[j]) * (x[j] - old[j]);
        if (uphill > 0) t = 1;
        double next = 0.5 * (1 + sqrt(1 + 4 * t * t)), beta = uphill > 0 ? 0 : (t - 1) / next;
        for (size_t j = 0; j < r->d; j++) y[j] = x[j] + beta * (x[j] - old[j]);
        t = next;
    }
    free(work);
    return rows_F(r, psi, x);
}

static zo_solver *started(const zo_problem *p, uint64_t seed)
{
    zo_settings s = zo_defaults();
    zo_solver *solver;
    zo_error e = {0};
    snprintf(s.method, sizeof s.method, "inq");
    s.seed = seed;
    if (zo_new(&solver, p, &s, &e) || zo_start(solver, NULL, &e)) fail_msg("%s", e.text);
    return solver;
}

static zo_report run(zo_solver *solver, double units)
{
    zo_control c = zo_no_limits();
    zo_report r;
    zo_error e = {0};
    c.max_units = units;
    c.track = ZO_TRACK_OFF;
    if (zo_run(solver, &c, &r, &e)) fail_msg("%s", e.text);
    return r;
}

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
                    fail_msg("%s, kind %d: gap %g after %g units", all[k].name, kind, gap, report.units);
                if (report.units > 2.2) fail_msg("%s, kind %d: %g units", all[k].name, kind, report.units);
                zo_free(solver);
            }
            rows_free(&r);
        }
}

static void components_with_two_indices(void **state)
{
    (void)state;
    zo_prox all[] = {zo_zero(), zo_l1(0.02), zo_simplex(1)};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        rows r = rows_new(N, D, 3, 0.01);
        zo_problem p = rows_problem(&r, all[k]);
        double optimum = rows_optimum(&r, &p.psi);
        zo_solver *solver = started(&p, 1);
        zo_report report = run(solver, 20);
        double gap = rows_F(&r, &p.psi, zo_point(solver)) - optimum;
        if (!(gap < 1e-9)) fail_msg("%s: gap %g after %g units", all[k].name, gap, report.units);
        assert_non_null(strstr(report.chosen, "spans"));
        zo_free(solver);
        rows_free(&r);
    }
}

/* All second differences take the place of secants. F* from the mean of the quadratics: x_j = mean of 1 + z_ij. */
static void one_hessian_for_all(void **state)
{
    (void)state;
    rows r = rows_new(N, D, 4, 0);
    zo_problem p = rows_problem(&r, zo_zero());
    double x[D];
    for (size_t j = 0; j < D; j++) {
        x[j] = 1;
        for (size_t i = 0; i < N; i++) x[j] += r.z[i * D + j] / N;
    }
    zo_solver *solver = started(&p, 1);
    zo_report report = run(solver, 15);
    double gap = rows_F(&r, &p.psi, zo_point(solver)) - rows_F(&r, &p.psi, x);
    if (!(gap < 1e-9)) fail_msg("gap %g after %g units", gap, report.units);
    zo_free(solver);
    rows_free(&r);
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

static void the_residual_says_how_far(void **state)
{
    (void)state;
    rows r = rows_new(N, D, 0, 0.01);
    zo_problem p = rows_problem(&r, zo_zero());
    zo_solver *solver = started(&p, 1);
    zo_control c = zo_no_limits();
    zo_report report;
    c.tol = 1e-5;
    c.track = ZO_TRACK_OFF;
    assert_int_equal(zo_run(solver, &c, &report, NULL), 0);
    assert_int_equal(report.reason, ZO_AT_TOL);
    double g[D] = {0};
    const double *x = zo_point(solver);
    for (size_t i = 0; i < N; i++) {
        double m = r.y[i] * vec_dot(D, r.z + i * D, x);
        vec_add(D, -r.y[i] / (1 + exp(m)) / N, r.z + i * D, g);
    }
    vec_add(D, r.l2, x, g);
    assert_true(vec_norm(D, g) < 1e-4);
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
            zo_settings s = zo_defaults();
            snprintf(s.method, sizeof s.method, "inq");
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
    int kinds[] = {0, 3, 4};
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
    for (int k = 0; k < 3; k++) assert_int_equal(curve_learn(&c, t[k], exp(t[k]), 1e-16, 0), 0);
    for (int k = 0; k < 3; k++) {
        curve_value v = curve_at(&c, t[k]);
        assert_float_equal(v.h, exp(t[k]), 1e-14);
        assert_float_equal(v.slope, exp(t[k]), 1e-9);
        assert_float_equal(v.bend, exp(t[k]), 1e-6);
    }
    assert_int_equal(curve_learn(&c, 0.5, exp(0.5), 1e-16, 0), 1); /* no room for a fourth */
    curve_base(&c, 0, 0, 0, 1);
    assert_int_equal(curve_learn(&c, 1, 5, 1e-16, 0), 1); /* far from what was believed */
    assert_int_equal(curve_learn(&c, 0.1, 0.005 + 1e-18, 1e-16, 0), 0);
    assert_int_equal((int)c.knots, 0); /* nothing new was said */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reaches_the_optimum),
        cmocka_unit_test(components_with_two_indices),
        cmocka_unit_test(one_hessian_for_all),
        cmocka_unit_test(few_components_and_one_dimension),
        cmocka_unit_test(a_loss_that_is_not_convex_goes_down),
        cmocka_unit_test(noise_is_measured_and_ends_the_run),
        cmocka_unit_test(the_residual_says_how_far),
        cmocka_unit_test(counts_and_budgets_are_exact),
        cmocka_unit_test(saved_at_every_stage_it_goes_on_with_the_same_bytes),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(a_curve_interpolates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
