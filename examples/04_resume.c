/* Save, stop, load, go on: the resumed run takes the same steps as one that was never stopped.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <zoprox.h>

enum { N = 300, D = 6 };

static int value(void *ctx, size_t i, const double *x, double *f)
{
    (void)ctx;
    double m = 0;
    for (size_t j = 0; j < D; j++) m += cos((double)(i * (j + 2))) * x[j];
    *f = log1p(exp(cos((double)(2 * i)) > 0.2 ? -m : m)) + 0.01 * m * m;
    return 0;
}

/* Runs to so many units in all, from the start or from a checkpoint; x has room for the solution. */
static int run(const char *from, double units, const char *to, double *x)
{
    zo_problem p = {.n = N, .d = D, .value = value, .psi = zo_l1(1e-3)};
    zo_settings s = zo_defaults();
    zo_control c = zo_no_limits();
    c.max_units = units;
    zo_solver *solver = NULL;
    zo_report r;
    zo_error e;
    s.horizon =
        40 * N * D; /* what the whole run may cost: the plan must not depend on where it is cut */
    int failed = zo_set(&s, "method", "sega", &e) || zo_new(&solver, &p, &s, &e) ||
                 (from ? zo_load(solver, from, &e) : zo_start(solver, NULL, &e)) ||
                 zo_run(solver, &c, &r, &e) || (to && zo_save(solver, to, &e));
    if (failed)
        fprintf(stderr, "%s\n", e.text);
    else {
        printf("%s to %g units: F = %.10f\n", from ? "resumed" : "from the start", units,
               r.objective);
        memcpy(x, zo_point(solver), D * sizeof *x);
    }
    zo_free(solver);
    return failed;
}

int main(int argc, char **argv)
{
    const char *file = argc > 1 ? argv[1] : "resume.zo";
    double half[D], whole[D], straight[D];
    if (run(NULL, 20, file, half) || run(file, 40, NULL, whole) || run(NULL, 40, NULL, straight))
        return 1;
    remove(file);
    printf("%s\n",
           memcmp(whole, straight, sizeof whole) ? "different" : "the same, to the last bit");
    return 0;
}
