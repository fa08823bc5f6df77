/* Ask and tell: the loop is yours, so the values may come from anywhere (a queue, a cluster, a laboratory).
 * A fan is a list of points for a list of components; you find the values, zo_fan_answer makes answers of them.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include <zoprox.h>

enum { N = 50, D = 4 };

/* f_i(x) = |x - c_i|^2 / 2: the sum is least at the mean of the c_i. */
static double experiment(size_t i, const double *x)
{
    double f = 0;
    for (size_t j = 0; j < D; j++) {
        double miss = x[j] - (double)((i + 1) * (j + 1) % 7);
        f += 0.5 * miss * miss;
    }
    return f;
}

/* zo_new wants a problem that can answer; one that is driven by ask and tell is never called. */
static int nobody(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx, (void)i, (void)x, (void)f;
    return 1;
}

/* Asks for every value that a fan needs, and tells the solver. */
static int one_turn(zo_solver *solver, const zo_fan *fan, zo_error *e)
{
    size_t points = zo_fan_points(fan);
    double *values = malloc(fan->ncomp * points * sizeof *values), x[D];
    double *answers = malloc(zo_fan_answers(fan) * sizeof *answers);
    if (!values || !answers) abort();
    for (size_t entry = 0; entry < fan->ncomp; entry++)
        for (size_t k = 0; k < points; k++) {
            zo_fan_point(fan, entry, k, x);
            values[entry * points + k] =
                experiment(fan->comp ? (size_t)fan->comp[entry] : entry, x);
        }
    int failed = zo_fan_answer(fan, values, answers, e) || zo_tell(solver, answers, e);
    free(values);
    free(answers);
    return failed;
}

int main(void)
{
    zo_problem p = {.n = N, .d = D, .value = nobody, .psi = zo_box(0, 2.99)};
    zo_settings s = zo_defaults();
    zo_solver *solver = NULL;
    zo_error e;
    const zo_fan *fan;
    uint64_t asked = 0;
    int failed = zo_set(&s, "method", "psvrg", &e) || zo_new(&solver, &p, &s, &e) ||
                 zo_start(solver, NULL, &e);
    while (!failed && asked < 40 * N * D && !(failed = zo_ask(solver, &fan, &e) != ZO_OK) && fan) {
        asked += zo_fan_queries(fan);
        failed = one_turn(solver, fan, &e);
    }
    if (failed)
        fprintf(stderr, "%s\n", e.text);
    else
        printf("x = %.3f %.3f %.3f %.3f\n", zo_point(solver)[0], zo_point(solver)[1],
               zo_point(solver)[2], zo_point(solver)[3]);
    zo_free(solver);
    return failed;
}
