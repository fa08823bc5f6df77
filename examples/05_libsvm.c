/* A data set and a built-in loss: sparse logistic regression over a LIBSVM file, without a gradient.
 * SPDX-License-Identifier: MIT
 *
 *     05_libsvm FILE         (plain, gz, bz2, xz or zst; no file: a small generated set) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <zoprox_data.h>

static int show(void *ctx, const zo_row *row)
{
    (void)ctx;
    printf("%6.1f units   gap %.1e   %zu nonzeros\n", row->units, row->gap, row->nonzeros);
    return 0;
}

int main(int argc, char **argv)
{
    zo_data *data = NULL;
    zo_model *model = NULL;
    zo_solver *solver = NULL;
    zo_problem p;
    zo_optimum best;
    zo_report r;
    zo_error e;
    double *x = NULL;
    zo_settings s = zo_defaults();
    zo_control c = zo_no_limits();
    if (argc > 1 ? zo_data_read(&data, argv[1], 0, &e) : zo_data_synth(&data, "n=2000,d=30", &e))
        goto failed;
    if (zo_model_new(&model, data, ZO_LOGISTIC, 1e-3, 0, &p, &e)) goto failed;
    p.psi = zo_l1(1e-3);

    /* The true optimum, by first-order means: only to show how far we are. */
    x = calloc(p.d, sizeof *x);
    if (!x || zo_find_optimum(&best, model, &p.psi, 1e-13, x, &e)) goto failed;
    c.optimum = best.objective;
    c.max_units = 100;
    c.every = 20;
    c.watch = show;

    if (zo_new(&solver, &p, &s, &e) || zo_start(solver, NULL, &e) || zo_run(solver, &c, &r, &e))
        goto failed;
    printf("%s on %zu rows of %zu: gap %.1e with %llu queries\n", r.method, p.n, p.d, r.gap,
           (unsigned long long)r.queries);
    free(x);
    zo_free(solver);
    zo_model_free(model);
    zo_data_free(data);
    return 0;
failed:
    fprintf(stderr, "%s\n", x || !model ? e.text : "out of memory");
    return 1;
}
