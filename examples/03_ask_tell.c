/* Ask and tell: the loop is yours, so the answers may come from anywhere (a queue, a cluster, a laboratory).
 * A fan is a list of points for a list of components; here it is answered in the plainest way.
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

/* Means of values and differences over the fan's components; zoprox.h says in which order. */
static void answer(const zo_fan *fan, double *out)
{
    size_t set = zo_fan_set(fan), points = zo_fan_points(fan), each_base = points / fan->nbase;
    double x[D], base = 0;
    for (size_t k = 0; k < zo_fan_answers(fan); k++) out[k] = 0;
    for (size_t e = 0; e < fan->ncomp; e++) {
        size_t i = fan->comp ? (size_t)fan->comp[e] : e;
        double *mine = fan->each ? out + e * set : out, share = fan->each ? 1 : 1 / (double)fan->ncomp;
        for (size_t k = 0; k < points; k++) {
            zo_fan_point(fan, e, k, x);
            double f = experiment(i, x);
            if (!fan->known && k % each_base == 0)
                mine[k] += share * (base = f);
            else
                mine[k] += share * (f - (fan->known ? 0 : base));
        }
    }
}

int main(void)
{
    zo_problem p = {.n = N, .d = D, .value = nobody, .psi = zo_box(0, 2.99)};
    zo_settings s = zo_defaults();
    zo_solver *solver = NULL;
    zo_error e;
    const zo_fan *fan;
    uint64_t asked = 0;
    int failed =
        zo_set(&s, "method", "psvrg", &e) || zo_new(&solver, &p, &s, &e) || zo_start(solver, NULL, &e);
    while (!failed && asked < 40 * N * D && !(failed = zo_ask(solver, &fan, &e) != ZO_OK) && fan) {
        double *answers = malloc(zo_fan_answers(fan) * sizeof *answers);
        if (!answers) return 1;
        answer(fan, answers);
        asked += zo_fan_queries(fan);
        failed = zo_tell(solver, answers, &e) != ZO_OK;
        free(answers);
    }
    if (failed)
        fprintf(stderr, "%s\n", e.text);
    else
        printf("x = %.3f %.3f %.3f %.3f\n", zo_point(solver)[0], zo_point(solver)[1], zo_point(solver)[2],
               zo_point(solver)[3]);
    zo_free(solver);
    return failed;
}
