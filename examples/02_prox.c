/* Your own psi, by two functions: its value and its proximal map. Here the coordinates must rise,
 * x_0 <= x_1 <= ... (isotonic regression); the map pools neighbours that are out of order.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include <zoprox.h>

enum { N = 400, D = 8 };

static double rising_value(const zo_prox *psi, size_t d, const double *x)
{
    (void)psi;
    for (size_t j = 1; j < d; j++)
        if (x[j] < x[j - 1]) return INFINITY;
    return 0;
}

/* x = the rising vector nearest to v: neighbours out of order are pooled and take their mean. */
static void rising_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                         double *mean)
{
    (void)psi, (void)step; /* a projection does not depend on the step */
    double *size = mean + d;
    size_t pools = 0;
    for (size_t j = 0; j < d; j++) {
        mean[pools] = v[j];
        size[pools++] = 1;
        for (; pools > 1 && mean[pools - 2] >= mean[pools - 1]; pools--) {
            double both = size[pools - 2] + size[pools - 1];
            mean[pools - 2] =
                (mean[pools - 2] * size[pools - 2] + mean[pools - 1] * size[pools - 1]) / both;
            size[pools - 2] = both;
        }
    }
    for (size_t k = 0, j = 0; k < pools; k++)
        for (double left = size[k]; left > 0; left--) x[j++] = mean[k];
}

static size_t rising_work(const zo_prox *psi, size_t d) { return (void)psi, 2 * d; }

/* Case i says that coordinate i mod D is near y_i, which rises but for a dent at 4. */
static int value(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    size_t j = i % D;
    double y = (j == 4 ? 1.0 : (double)j) + 0.3 * sin((double)i);
    *f = 0.5 * (x[j] - y) * (x[j] - y);
    return 0;
}

int main(void)
{
    zo_prox rising = {
        .name = "rising", .value = rising_value, .apply = rising_apply, .work = rising_work};
    zo_problem p = {.n = N, .d = D, .value = value, .psi = rising};
    zo_settings s = zo_defaults();
    zo_control c = zo_no_limits();
    c.max_units = 200;
    zo_solver *solver;
    zo_report r;
    zo_error e;
    if (!zo_new(&solver, &p, &s, &e) && !zo_start(solver, NULL, &e) &&
        !zo_run(solver, &c, &r, &e)) {
        printf("F = %.4f, x =", r.objective);
        for (size_t j = 0; j < D; j++) printf(" %.2f", zo_point(solver)[j]);
        printf("\n");
    } else
        fprintf(stderr, "%s\n", e.text);
    zo_free(solver);
    return e.status != ZO_OK;
}
