/* The problem of test_bytes.py in C: prints method, queries, objective and x of each run, in hexadecimal.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <zoprox.h>

enum { N = 300, D = 6 };

/* Only sums, differences and products, in a fixed order: the same bits in any language. */
static int value(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    *f = 0;
    for (size_t j = 0; j < D; j++) {
        double t = x[j] - ((double)((7 * i + 3 * j) % 11) * 0.25 - 1);
        *f += t * t + 0.25 * t * t * t * t;
    }
    return 0;
}

static int run(const char *method)
{
    zo_problem p = {.n = N, .d = D, .value = value, .psi = zo_l1(0.125)};
    zo_settings s = zo_defaults();
    zo_control c = zo_no_limits();
    zo_solver *solver = NULL;
    zo_report r;
    zo_error e;
    c.max_units = 12;
    c.track = ZO_TRACK_APART;
    int failed = zo_set(&s, "method", method, &e) || zo_set(&s, "seed", "5", &e) ||
                 zo_set(&s, "sides", "2", &e) || zo_set(&s, "point", "last", &e) ||
                 zo_new(&solver, &p, &s, &e) || zo_start(solver, NULL, &e) ||
                 zo_run(solver, &c, &r, &e);
    if (failed) {
        fprintf(stderr, "%s: %s\n", method, e.text);
        return 1;
    }
    printf("%s %llu %a", method, (unsigned long long)r.queries, r.objective);
    for (size_t j = 0; j < D; j++) printf(" %a", zo_last(solver)[j]);
    printf("\n");
    zo_free(solver);
    return 0;
}

int main(void)
{
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t k = 0; k < count; k++)
        if (run(rows[k].name)) return 1;
    return 0;
}
