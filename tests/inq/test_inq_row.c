/* inq's short rows: components that see a quarter of the coordinates or less, alone, among others, and of several indices.
 * SPDX-License-Identifier: MIT */
#include "inq_rows.h"

#include "method/component/row.h"
#include "solve/solver.h"

enum { SEEN = D / 4 };

/* The same coordinates for components i and N - 1 - i. */
static int sees(size_t i, size_t j) { return (j + (i < N / 2 ? i : N - 1 - i)) % D < SEEN; }

/* Every whole-th component sees all coordinates, the others three of twelve; 0: none does. */
static rows sparse_rows(int kind, size_t whole)
{
    rows r = rows_new(N, D, kind, 0.01);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < D; j++)
            if (!(whole && i % whole == 0) && !sees(i, j)) r.z[i * D + j] = 0;
    return r;
}

/* u_i is parallel to z_i, and 0 where z_i is. */
static void check_direction(const inq *s, const rows *r, size_t i)
{
    double u[D], size = vec_norm(D, r->z + i * D);
    inq_row_put(s, i, 1, u);
    assert_true(inq_is_short(s, i));
    double along = vec_dot(D, u, r->z + i * D) / size;
    if (!(fabs(fabs(along) - 1) < 1e-9)) fail_msg("component %zu: cosine %.12f", i, along);
    for (size_t j = 0; j < D; j++)
        if (!sees(i, j) && u[j] != 0)
            fail_msg("component %zu does not see coordinate %zu: %g", i, j, u[j]);
}

static void sparse_components_have_short_rows(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        rows r = sparse_rows(kind, 0);
        zo_problem p = rows_problem(&r, zo_l1(0.002));
        double optimum = rows_optimum(&r, &p.psi);
        zo_solver *solver = started(&p, 1);
        run(solver, 5);
        for (size_t i = 0; i < N; i++) check_direction((const inq *)solver->method, &r, i);
        double gap = rows_F(&r, &p.psi, zo_point(solver)) - optimum;
        if (!(gap < 1e-10)) fail_msg("kind %d: gap %g", kind, gap);
        zo_free(solver);
        rows_free(&r);
    }
}

/* Away from 0 the first gradients show the ridge, which is not known yet, in all coordinates: rows become short when it is. */
static void start_away_from_zero(void **state)
{
    (void)state;
    rows r = sparse_rows(0, 0);
    zo_problem p = rows_problem(&r, zo_l1(0.002));
    double x[D], optimum = rows_optimum(&r, &p.psi);
    for (size_t j = 0; j < D; j++) x[j] = 0.3 + 0.1 * (double)j;
    zo_settings set = settings_of("inq");
    zo_solver *solver;
    zo_error e = {0};
    set.seed = 2;
    if (zo_new(&solver, &p, &set, &e) || zo_start(solver, x, &e)) fail_msg("%s", e.text);
    run(solver, 5);
    const inq *s = (const inq *)solver->method;
    size_t few = 0;
    for (size_t i = 0; i < N; i++) few += (size_t)inq_is_short(s, i);
    assert_int_equal(few, N);
    double gap = rows_F(&r, &p.psi, zo_point(solver)) - optimum;
    if (!(gap < 1e-10)) fail_msg("gap %g", gap);
    zo_free(solver);
    rows_free(&r);
}

static void among_whole_rows(void **state)
{
    (void)state;
    for (size_t whole = 2; whole < 200; whole *= 5) {
        rows r = sparse_rows(0, whole);
        zo_problem p = rows_problem(&r, zo_l1(0.002));
        double optimum = rows_optimum(&r, &p.psi);
        for (int own = 0; own < 2; own++) {
            zo_solver *solver = started_with(&p, 3, own);
            run(solver, 6);
            double gap = rows_F(&r, &p.psi, zo_point(solver)) - optimum;
            if (!(gap < 1e-10)) fail_msg("one of %zu whole, own %d: gap %g", whole, own, gap);
            zo_free(solver);
        }
        rows_free(&r);
    }
}

/* Two indices each: what curves kept short becomes whole for spans. */
static void spans_have_whole_rows(void **state)
{
    (void)state;
    rows r = sparse_rows(3, 0);
    zo_problem p = rows_problem(&r, zo_l1(0.002));
    double last[2];
    for (uint64_t seed = 0; seed < 2; seed++) {
        zo_solver *solver = started(&p, seed + 1);
        run(solver, 40);
        const inq *s = (const inq *)solver->method;
        assert_true(s->spans_on);
        for (size_t i = 0; i < N; i++) assert_false(inq_is_short(s, i));
        last[seed] = rows_F(&r, &p.psi, zo_point(solver));
        zo_free(solver);
    }
    if (!(fabs(last[0] - last[1]) < 1e-10)) fail_msg("%.15g and %.15g", last[0], last[1]);
    rows_free(&r);
}

/* A number hardly above rounding, at the start: others may be just below, and none is known to be 0. */
static void faint_numbers_keep_a_row_whole(void **state)
{
    (void)state;
    rows r = sparse_rows(0, 0);
    for (size_t i = 0; i < N; i += 7)
        for (size_t j = 0, first = 1; j < D; j++)
            if (sees(i, j)) r.z[i * D + j] = first ? 1e-7 : r.z[i * D + j], first = 0;
    zo_problem p = rows_problem(&r, zo_l1(0.002));
    zo_solver *solver = started(&p, 1);
    run(solver, 5);
    const inq *s = (const inq *)solver->method;
    for (size_t i = 0; i < N; i++)
        if (inq_curve(s, i)->point == 1) assert_int_equal(inq_is_short(s, i), i % 7 != 0);
    zo_free(solver);
    rows_free(&r);
}

/* Rows of 20 to 24 numbers, of which a shelf has room for 16 a component: some lie on it, the others where whole ones would; where
 * there are no shelves all do. */
static void where_rows_lie_has_no_say(void **state)
{
    enum { CASES = 300, WIDE = 96, LEAST = 20 };
    (void)state;
    rows r = rows_new(CASES, WIDE, 0, 0.01);
    for (size_t i = 0; i < CASES; i++)
        for (size_t j = 0; j < WIDE; j++)
            if ((j + 5 * i) % WIDE >= LEAST + i % 5) r.z[i * WIDE + j] = 0;
    zo_problem p = rows_problem(&r, zo_l1(0.002));
    double x[2][WIDE];
    for (int shelved = 0; shelved < 2; shelved++) {
        zo_settings set = settings_of("inq");
        set.seed = 1;
        set.horizon = 5 * CASES * WIDE; /* otherwise the method is made anew when the run begins */
        zo_solver *solver = solver_of(&p, &set);
        inq *s = (inq *)solver->method;
        if (!shelved) s->depth = 0;
        run(solver, 5);
        assert_ptr_equal(s, solver->method);
        size_t on = 0;
        for (size_t i = 0; i < CASES; i++) {
            double u[WIDE], size = vec_norm(WIDE, r.z + i * WIDE);
            inq_row_put(s, i, 1, u);
            assert_int_equal(inq_kept(s, i), LEAST + i % 5);
            assert_true(fabs(fabs(vec_dot(WIDE, u, r.z + i * WIDE)) / size - 1) < 1e-9);
            on += s->shelf[i].at != IN_ROWS;
        }
        assert_true(shelved ? on > CASES / 3 && on < CASES : on == 0);
        vec_copy(WIDE, zo_point(solver), x[shelved]);
        zo_free(solver);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    rows_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sparse_components_have_short_rows),
                                       cmocka_unit_test(start_away_from_zero),
                                       cmocka_unit_test(among_whole_rows),
                                       cmocka_unit_test(spans_have_whole_rows),
                                       cmocka_unit_test(faint_numbers_keep_a_row_whole),
                                       cmocka_unit_test(where_rows_lie_has_no_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
