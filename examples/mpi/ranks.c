/* A sum of functions of your own on several MPI ranks, with the bytes of one process:
 *
 *     cc ranks.c $(pkg-config --cflags --libs zoprox-mpi) -lm -o ranks && mpirun -np 4 ./ranks
 *
 * Every rank runs the same solver; value is called for the components of the rank's own share.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <zoprox_mpi.h>

enum { N = 1000, D = 10 };

/* f_i(x) = (x_j - i/N)^2 / 2 + cos(x_k + i), j = i mod D, k = i/D mod D */
static int value(void *ctx, size_t i, const double *x, double *f)
{
    double a = x[i % D] - (double)i / N;
    ++*(long *)ctx;
    *f = a * a / 2 + cos(x[i / D % D] + (double)i);
    return 0;
}

int main(int argc, char **argv)
{
    long calls = 0, most;
    int rank;
    zo_problem mine = {.n = N, .d = D, .value = value, .ctx = &calls}, shared;
    zo_settings settings = zo_defaults();
    zo_control control = zo_no_limits();
    zo_solver *solver = NULL;
    zo_report report;
    zo_error err;
    zo_mpi *ranks = NULL;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine.psi = zo_l1(0.01);
    control.max_units = 30;
    if (zo_mpi_wrap(&ranks, &mine, MPI_COMM_WORLD, NULL, &shared, &err) ||
        zo_new(&solver, &shared, &settings, &err) || zo_start(solver, NULL, &err) ||
        zo_run(solver, &control, &report, &err)) {
        fprintf(stderr, "rank %d: %s\n", rank, err.text);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Reduce(&calls, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("F = %.17g after %llu queries\n", report.objective,
               (unsigned long long)report.queries);
        fprintf(stderr, "at most %ld calls on a rank\n", most);
    }
    zo_free(solver);
    zo_mpi_free(ranks);
    MPI_Finalize();
    return 0;
}
