/* sinq: where memory holds a part of the components it still reaches the optimum, within that memory; saved and resumed
 * anywhere it goes on with the same bytes.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include <unistd.h>

#include "mem_wrap.h"
#include "method/sinq.h"
#include "runs.h"

enum { N = 6000, D = 6, MEMORY = 1048576 };

/* ---- Bytes in use ---------------------------------------------------------------------------------- */

static size_t living, most, limit = SIZE_MAX; /* no more than limit are to be had */

enum { SLOTS = 4096 };
static struct {
    void *at;
    size_t bytes;
} slot[SLOTS];

void *__wrap_mem_new(size_t count, size_t size)
{
    void *p = living + count * size > limit ? NULL : __real_mem_new(count, size);
    for (size_t k = 0; k < SLOTS && p; k++)
        if (!slot[k].at) {
            slot[k].at = p;
            slot[k].bytes = count * size;
            living += count * size;
            if (living > most) most = living;
            break;
        }
    return p;
}

void *__wrap_mem_grow(void *p, size_t old, size_t count, size_t size)
{
    return __real_mem_grow(p, old, count, size);
}

void __wrap_mem_free(void *p)
{
    for (size_t k = 0; k < SLOTS && p; k++)
        if (slot[k].at == p) {
            slot[k].at = NULL;
            living -= slot[k].bytes;
            break;
        }
    __real_mem_free(p);
}

/* ---- The problem: logistic over one row, or the mean over two ----------------------------------------- */

typedef struct rows {
    double z[N][D];
    int both; /* 1: rows i and N - 1 - i, so that a component has two indices */
    uint64_t calls;
} rows;

static double loss_of(const rows *r, size_t i, const double *x)
{
    double m = vec_dot(D, r->z[i], x) * (r->z[i][0] + 0.5 * r->z[i][1] > 0.3 * r->z[i][2] ? 1 : -1);
    return fmax(-m, 0) + log1p(exp(-fabs(m)));
}

static int value(void *ctx, size_t i, const double *x, double *f)
{
    rows *r = ctx;
    r->calls++;
    *f = loss_of(r, i, x) + 0.5e-2 * vec_dot(D, x, x);
    if (r->both) *f += loss_of(r, N - 1 - i, x);
    return 0;
}

static rows shared;

static zo_problem problem(int both)
{
    for (size_t i = 0; i < N; i++) rng_normals(3, FOR_SYNTH, i, 0, D, shared.z[i]);
    shared.both = both;
    shared.calls = 0;
    return (zo_problem){.n = N, .d = D, .value = value, .ctx = &shared, .psi = zo_l1(1e-3)};
}

static zo_solver *started(const zo_problem *p, const char *method, double memory)
{
    zo_settings s = settings_of(method);
    s.memory = memory;
    s.horizon = 100.0 * N *
                D; /* told at once: otherwise the method is made anew when the first run begins */
    return solver_of(p, &s);
}

/* ---- Tests --------------------------------------------------------------------------------------------- */

static void reaches_the_optimum_within_its_memory(void **state)
{
    (void)state;
    for (int both = 0; both < 2; both++) {
        zo_problem p = problem(both);
        zo_solver *whole = started(&p, "inq", 1e9);
        double best = run_units(whole, 60).objective;
        zo_free(whole);
        shared.calls = 0;
        most = living = 0;
        zo_solver *solver = started(&p, "auto", MEMORY);
        size_t kept = living;
        zo_report r = run_units(solver, 60);
        assert_string_equal(r.method, "sinq");
        assert_non_null(strstr(r.chosen, "inq on all would keep"));
        assert_non_null(strstr(r.chosen, "of 6000 components in memory"));
        if (!(r.objective < best + 1e-12)) fail_msg("F = %.15g, inq %.15g", r.objective, best);
        assert_int_equal(r.queries + r.watched, shared.calls);
        assert_true(r.residual < 1e-6);
        if (kept > MEMORY || kept < MEMORY / 2)
            fail_msg("%zu bytes kept, memory is %d", kept, MEMORY);
        /* the values of one question are gathered by the problem: n(d + 1) for a gradient */
        if (most > MEMORY + 8 * N * (D + 2)) fail_msg("%zu bytes in use", most);
        zo_free(solver);
        assert_int_equal(living, 0);
    }
}

/* The setting allows more than there is: auto makes do with less, by name inq does not. */
static void falls_back_where_memory_runs_out(void **state)
{
    (void)state;
    zo_problem p = problem(0);
    zo_solver *whole = started(&p, "inq", 1e9);
    double best = run_units(whole, 60).objective;
    zo_free(whole);
    zo_settings s = settings_of("inq");
    zo_error e = {0};
    zo_solver *solver = NULL;
    most = living = 0;
    limit = MEMORY + MEMORY / 2;
    assert_int_equal(zo_new(&solver, &p, &s, &e), ZO_NO_MEMORY);
    solver = started(&p, "auto", 1e9);
    limit = SIZE_MAX;
    zo_report r = run_units(solver, 60);
    assert_string_equal(r.method, "sinq");
    if (!strstr(r.chosen, "more was not to be had")) fail_msg("%s", r.chosen);
    if (!(r.objective < best + 1e-12)) fail_msg("F = %.15g, inq %.15g", r.objective, best);
    zo_free(solver);
}

static void resumes_with_the_same_bytes(void **state)
{
    (void)state;
    zo_problem p = problem(1);
    double units[] = {0.02, 0.1, 0.3, 1.4, 1.7, 3, 4.2, 6};
    double straight[8][D], resumed[D];
    char path[] = "/tmp/zoprox-sinq-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    zo_solver *solver = started(&p, "sinq", MEMORY);
    for (int k = 0; k < 8; k++) {
        run_units(solver, units[k]);
        vec_copy(D, zo_point(solver), straight[k]);
    }
    zo_free(solver);
    zo_error e = {0};
    for (int k = 0; k < 8; k++) { /* a new solver for each stretch */
        zo_settings s = settings_of("sinq");
        s.memory = MEMORY;
        s.horizon = 100.0 * N * D;
        if (zo_new(&solver, &p, &s, &e)) fail_msg("%s", e.text);
        if (k ? zo_load(solver, path, &e) : zo_start(solver, NULL, &e)) fail_msg("%s", e.text);
        run_units(solver, units[k]);
        vec_copy(D, zo_point(solver), resumed);
        if (zo_save(solver, path, &e)) fail_msg("%s", e.text);
        zo_free(solver);
        assert_memory_equal(straight[k], resumed, sizeof resumed);
    }
    unlink(path);
}

/* ---- Above d = 1500 the model is a factor ------------------------------------------------------------- */

enum { WIDE_N = 60, WIDE_D = 1600 };
static double wide_row[WIDE_N][WIDE_D];

static int wide_value(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    double m = vec_dot(WIDE_D, wide_row[i], x) * (i % 3 ? 1 : -1);
    *f = fmax(-m, 0) + log1p(exp(-fabs(m))) + 0.5e-2 * vec_dot(WIDE_D, x, x);
    return 0;
}

static void reaches_the_optimum_with_a_factor(void **state)
{
    (void)state;
    zo_problem p = {.n = WIDE_N, .d = WIDE_D, .value = wide_value, .psi = zo_l1(1e-3)};
    for (size_t i = 0; i < WIDE_N; i++) {
        rng_normals(4, FOR_SYNTH, i, 0, WIDE_D, wide_row[i]);
        vec_scale(WIDE_D, 0.05, wide_row[i]);
    }
    zo_settings s = settings_of("inq");
    zo_solver *whole = solver_of(&p, &s);
    double best = run_units(whole, 4).objective;
    zo_free(whole);
    s = settings_of("sinq");
    s.horizon = 20.0 * WIDE_N * WIDE_D;
    for (s.memory = 1e6; sinq_part(WIDE_N, WIDE_D, 1, s.memory) < WIDE_N / 2; s.memory *= 1.01) {
    }
    assert_true(sinq_part(WIDE_N, WIDE_D, 1, s.memory) < WIDE_N);
    zo_solver *part = solver_of(&p, &s);
    zo_report r = run_units(part, 12);
    if (!(r.objective < best + 1e-7)) fail_msg("F = %.12g, inq %.12g", r.objective, best);
    zo_free(part);
}

/* Plenty of memory: the part is everything, and sinq is inq. */
static void all_components_are_inq(void **state)
{
    (void)state;
    zo_problem p = problem(0);
    zo_solver *a = started(&p, "inq", 1e9), *b = started(&p, "sinq", 1e9);
    zo_report ra = run_units(a, 20), rb = run_units(b, 20);
    assert_int_equal(ra.queries, rb.queries);
    assert_memory_equal(zo_point(a), zo_point(b), D * sizeof(double));
    zo_free(a);
    zo_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reaches_the_optimum_with_a_factor),
        cmocka_unit_test(reaches_the_optimum_within_its_memory),
        cmocka_unit_test(falls_back_where_memory_runs_out),
        cmocka_unit_test(resumes_with_the_same_bytes),
        cmocka_unit_test(all_components_are_inq),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
