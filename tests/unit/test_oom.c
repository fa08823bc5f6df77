/* Memory runs out while solving: every method, kind of direction and psi, from the start and from a
 * checkpoint.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include "oom.h"

#include <math.h>

enum { N = 150, D = 4 }; /* more than one block of components */

static int value(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    *f = 0;
    for (size_t j = 0; j < D; j++)
        *f += 0.5 * (x[j] - (double)((i + j) % 5)) * (x[j] - (double)((i + j) % 5));
    return 0;
}

typedef struct run {
    zo_problem problem;
    zo_settings settings;
    char file[64]; /* "": from the start; otherwise from this checkpoint */
} run;

static zo_status solve(const void *what, zo_error *err)
{
    const run *r = what;
    zo_solver *solver = NULL;
    zo_control c = zo_no_limits();
    zo_report report;
    c.max_units = 6;
    zo_status status = zo_new(&solver, &r->problem, &r->settings, err);
    if (!status) status = *r->file ? zo_load(solver, r->file, err) : zo_start(solver, NULL, err);
    if (!status) status = zo_run(solver, &c, &report, err);
    if (solver && isfinite(zo_point(solver)[0])) zo_look(solver, &report); /* the point survives */
    zo_free(solver);
    return status;
}

static run plain_run(const char *method)
{
    run r = {.problem = {.n = N, .d = D, .value = value, .psi = zo_l1(1e-3), .threads = 2},
             .settings = zo_defaults()};
    snprintf(r.settings.method, sizeof r.settings.method, "%s", method);
    return r;
}

static void fail_method(const run *r, const char *name)
{
    may_survive = !strcmp(name, "auto"); /* it chooses again */
    fail_each(solve, r, name);
    may_survive = 0;
}

static void every_method(void **state)
{
    (void)state;
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t k = 0; k < count; k++) {
        run r = plain_run(rows[k].name);
        fail_method(&r, rows[k].name);
    }
}

/* Beyond an edge nothing can be evaluated: what is asked to make up for it needs room too. */
static int edged(void *ctx, size_t i, const double *x, double *f)
{
    return x[0] > 0.5 ? 7 : value(ctx, i, x, f);
}

static int edged_many(void *ctx, size_t npoints, const double *x, size_t ncomp,
                      const uint64_t *comp, double *f)
{
    int code = 0;
    for (size_t p = 0; p < npoints; p++)
        for (size_t k = 0; k < ncomp; k++)
            code |= edged(ctx, comp[k], x + p * D, &f[p * ncomp + k]);
    return code;
}

static void failures(void **state)
{
    (void)state;
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t k = 0; k < count; k++) {
        run r = plain_run(rows[k].name);
        r.problem.value = edged;
        if (k % 2) r.problem.value = NULL, r.problem.values = edged_many;
        fail_method(&r, rows[k].name);
    }
}

static void every_kind(void **state)
{
    (void)state;
    for (int kind = ZO_GAUSSIAN; kind <= ZO_ORTHOGONAL; kind++) {
        run r = plain_run("sega");
        r.settings.kind = kind;
        fail_each(solve, &r, "sega");
    }
}

static void checkpoint(void **state)
{
    (void)state;
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t k = 0; k < count; k++) {
        run r = plain_run(rows[k].name);
        char file[] = "oom-XXXXXX";
        int fd = mkstemp(file);
        assert_true(fd >= 0);
        close(fd);
        zo_solver *solver;
        zo_error err;
        zo_control c = zo_no_limits();
        c.max_units = 3;
        fails_at = 0;
        assert_int_equal(zo_new(&solver, &r.problem, &r.settings, &err), ZO_OK);
        assert_int_equal(zo_start(solver, NULL, &err), ZO_OK);
        assert_int_equal(zo_run(solver, &c, NULL, &err), ZO_OK);
        assert_int_equal(zo_save(solver, file, &err), ZO_OK);
        zo_free(solver);
        snprintf(r.file, sizeof r.file, "%s", file);
        fail_method(&r, rows[k].name);
        remove(file);
    }
}

/* ---- psi --------------------------------------------------------------------------------------- */

static zo_status parse_and_solve(const void *what, zo_error *err)
{
    run r = plain_run("pgd");
    zo_status status = zo_prox_parse(&r.problem.psi, what, D, err);
    if (status) return status;
    status = solve(&r, err);
    zo_prox_free(&r.problem.psi);
    return status;
}

static void every_prox(void **state)
{
    (void)state;
    static const char *const specs[] = {"zero",
                                        "l1:1e-3",
                                        "l2:1e-3",
                                        "squared-l2:0.1",
                                        "elastic-net:1e-3,0.1",
                                        "nonnegative",
                                        "box:-1,1",
                                        "l1-ball:1",
                                        "simplex",
                                        "linf:0.1",
                                        "group-lasso:0.1,2",
                                        "sparse-group-lasso:0.1,0.1,2",
                                        "tv:0.1",
                                        "l2-ball:1",
                                        "nuclear:0.1,2x2",
                                        "l1:1@0:2 nuclear:0.1,1x2@2:4"};
    for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++) {
        may_survive =
            strstr(specs[k], "nuclear") != NULL; /* its value needs room, and is NaN without */
        fail_each(parse_and_solve, specs[k], specs[k]);
    }
    char spec[64] = "polyhedron:oom-XXXXXX", *file = strchr(spec, ':') + 1; /* D and one a line */
    int fd = mkstemp(file);
    assert_int_equal(write(fd, "1 1 1 1 2\n1 0 -1 0 0.5\n", 23), 23);
    close(fd);
    may_survive = 0;
    fail_each(parse_and_solve, spec, spec);
    for (int k = 0; k < 3; k++) {
        static const char *const methods[] = {"pgd", "inq", "zpdvr"};
        run r = plain_run(methods[k]);
        zo_error err;
        fails_at = 0;
        assert_int_equal(zo_prox_parse(&r.problem.psi, k == 2 ? "simplex" : spec, D, &err), ZO_OK);
        r.settings.inside = 1;
        fail_each(solve, &r, methods[k]);
        fails_at = 0;
        zo_prox_free(&r.problem.psi);
    }
    remove(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method), cmocka_unit_test(failures),   cmocka_unit_test(every_kind),
        cmocka_unit_test(checkpoint),   cmocka_unit_test(every_prox),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
