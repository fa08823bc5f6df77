/* Where --tol stops: the residual that auto states beside the true one.
 * SPDX-License-Identifier: MIT
 *
 *     tol DATA LOSS TOL [SEEDS]
 *
 * l1 = l2 = 1e-4. The residual is |x - prox(x - g)|; the true g comes from central differences of the mean over all components, radius
 * 1e-5, good to about 1e-10. A row: DATA LOSS TOL, units, the stated and the true residual and their ratio (medians over seeds, 3 if not
 * given), the largest true residual over TOL, and why the first run ended. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "share/share.h"
#include "zoprox.h"
#include "zoprox_data.h"

enum { MOST_SEEDS = 16 };

static zo_problem open_problem(const char *name, const char *loss)
{
    zo_error e;
    zo_data *data;
    zo_model *model;
    zo_loss kind;
    zo_problem p;
    char path[512];
    const char *folder = getenv("ZOPROX_DATA");
    snprintf(path, sizeof path, "%s/%s.xz", folder ? folder : ".", name);
    must(strncmp(name, "synth:", 6) ? zo_data_read(&data, path, 0, &e)
                                    : zo_data_synth(&data, name + 6, &e),
         &e);
    must(zo_loss_parse(&kind, loss, &e), &e);
    must(zo_model_new(&model, data, kind, 1e-4, 1, &p, &e), &e);
    p.psi = zo_l1(1e-4);
    return p;
}

static double median(double *of, size_t count)
{
    qsort(of, count, sizeof *of, rising);
    return of[(count - 1) / 2];
}

int main(int argc, char **argv)
{
    double units[MOST_SEEDS], stated[MOST_SEEDS], found[MOST_SEEDS], ratio[MOST_SEEDS], worst = 0;
    size_t seeds = argc > 4 ? (size_t)atoi(argv[4]) : 3;
    char why[32] = "", method[16] = "";
    if (argc < 4 || seeds < 1 || seeds > MOST_SEEDS) {
        fprintf(stderr, "usage: tol DATA LOSS TOL [SEEDS], at most %d seeds\n", MOST_SEEDS);
        return 2;
    }
    zo_problem p = open_problem(argv[1], argv[2]);
    for (size_t s = 0; s < seeds; s++) {
        zo_settings set = zo_defaults();
        zo_control c = zo_no_limits();
        zo_solver *solver;
        zo_report r;
        zo_error e;
        set.seed = s + 1;
        c.tol = atof(argv[3]);
        c.max_units = 30;
        c.track = ZO_TRACK_OFF;
        must(zo_new(&solver, &p, &set, &e), &e);
        must(zo_start(solver, NULL, &e), &e);
        must(zo_run(solver, &c, &r, &e), &e);
        units[s] = r.units;
        stated[s] = r.residual;
        found[s] = true_residual(&p, zo_point(solver));
        ratio[s] = r.residual / found[s];
        worst = fmax(worst, found[s] / c.tol);
        if (s == 0) {
            snprintf(why, sizeof why, "%s", zo_reason_name(r.reason));
            snprintf(method, sizeof method, "%s", r.method);
        }
        zo_free(solver);
    }
    printf("%s | %s | %s | %.3f | %.1e | %.1e | %.2g | %.2g | %s, %s\n", argv[1], argv[2], argv[3],
           median(units, seeds), median(stated, seeds), median(found, seeds), median(ratio, seeds),
           worst, method, why);
    return 0;
}
