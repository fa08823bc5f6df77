/* saga: its table, in chunks and step by step.
 * SPDX-License-Identifier: MIT */
#include "runs.h"

#include "method/core/method.h"
#include "problem/problem.h"

enum { N = TOY_N, D = TOY_D };

static void saga_fills_its_table_in_chunks(void **state)
{
    (void)state;
    toy t;
    toy_fill(&t, 0.1);
    zo_problem p = toy_problem(&t, 0.01);
    double x[2][D];
    for (int small = 0; small < 2; small++) {
        zo_settings s = settings_of("saga");
        s.step = 0.1, s.batch = 3;
        if (small)
            s.memory = 8 * N * (D + 1) + 17 * 8 * (D + 1); /* room for 17 components at once */
        method *m;
        callback *c;
        assert_int_equal(method_new(&m, &p, &s, NULL), 0);
        assert_int_equal(callback_new(&c, &p, NULL), 0);
        method_start(m, NULL);
        size_t fans = 0;
        double answers[N * (D + 1)];
        for (; m->step < 50; fans++) {
            const zo_fan *fan = method_ask(m);
            assert_true(!small || fan->ncomp <= 17);
            callback_answer(c, fan, answers);
            method_tell(m, answers);
        }
        assert_int_equal(fans, small ? 54 : 51);
        vec_copy(D, m->x, x[small]);
        method_free(m);
        callback_free(c);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
}

static double *state_of(const method *m, const char *name)
{
    for (size_t k = 0; k < m->nstates; k++)
        if (!strcmp(m->state[k].name, name)) return m->state[k].at;
    fail_msg("no state %s", name);
    return NULL;
}

/* The definition, step by step, with batches in which most components are drawn several times: the row of a component is that
 * of its last draw, the gradient takes the table before, and the mean stays that of the table. */
static void saga_is_what_it_says(void **state)
{
    (void)state;
    enum { BATCH = 50 };
    toy t;
    toy_fill(&t, 0.1);
    zo_problem p = toy_problem(&t, 0);
    zo_settings s = settings_of("saga");
    s.step = 0.1, s.batch = BATCH;
    method *m;
    callback *c;
    assert_int_equal(method_new(&m, &p, &s, NULL), 0);
    assert_int_equal(callback_new(&c, &p, NULL), 0);
    method_start(m, NULL);
    double answers[N * (D + 1)], kept[N * D], x[D];
    const double *table = state_of(m, "table"), *mean = state_of(m, "mean");
    for (int k = 0; k < 12; k++) {
        const zo_fan *fan = method_ask(m);
        callback_answer(c, fan, answers);
        vec_copy(D, m->x, x);
        vec_copy(N * D, table, kept);
        uint64_t before = m->step;
        for (size_t j = 0; m->stage && j < D; j++) { /* x - step (mean_B(G_i - table_i) + mean) */
            double g = 0;
            for (size_t e = 0; e < BATCH; e++)
                g += (answers[e * (D + 1) + 1 + j] / fan->radius - kept[fan->comp[e] * D + j]) /
                     BATCH;
            x[j] -= s.step * (g + mean[j]);
        }
        size_t ncomp = fan->ncomp;
        for (size_t e = 0; e < ncomp; e++)
            for (size_t j = 0; j < D; j++)
                kept[(fan->comp ? fan->comp[e] : e) * D + j] =
                    answers[e * (D + 1) + 1 + j] / fan->radius;
        method_tell(m, answers);
        assert_memory_equal(kept, table, sizeof kept);
        for (size_t j = 0; j < D; j++) {
            double sum = 0;
            for (size_t i = 0; i < N; i++) sum += table[i * D + j] / N;
            assert_true(fabs(sum - mean[j]) < 1e-12);
            assert_true(m->step == before || fabs(m->x[j] - x[j]) < 1e-12);
        }
    }
    assert_int_equal(m->step, 11);
    method_free(m);
    callback_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saga_fills_its_table_in_chunks),
        cmocka_unit_test(saga_is_what_it_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
