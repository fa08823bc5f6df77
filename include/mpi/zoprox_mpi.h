/* zoprox_mpi.h - zoprox_spread.h by MPI: link with libzoprox_mpi.
 * SPDX-License-Identifier: MIT
 *
 *     zo_mpi *m;
 *     zo_problem p = {.n = n, .d = d, .value = value, ...}, q;       the same on every rank
 *     if (zo_mpi_wrap(&m, &p, MPI_COMM_WORLD, NULL, &q, &err)) ...
 *     ... zo_new(&solver, &q, ...) and the rest as in one process, on every rank; then
 *     zo_mpi_free(m);
 *
 * Every rank solves the same run, evaluates its own share of the components (zo_share says which), and gets the same
 * bytes as one process. Limits by the clock and a watcher's wish to stop differ between ranks: stop through asked and
 * agreed of zo_ranks instead. Give the same checkpoint on every rank: all take part, and rank 0 writes it. */
#ifndef ZOPROX_MPI_H
#define ZOPROX_MPI_H

#include <mpi.h>

#include "zoprox_spread.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zo_mpi zo_mpi;
/* Collective over comm, which is duplicated. stop: its asked (with its ctx) and agreed are used; or NULL. */
ZO_API zo_status zo_mpi_wrap(zo_mpi **out, const zo_problem *whole, MPI_Comm comm,
                             const zo_ranks *stop, zo_problem *problem, zo_error *err);
ZO_API void zo_mpi_free(zo_mpi *m); /* collective; takes NULL */

/* Collective: a LIBSVM file of which each rank keeps its share, see zo_data_read_part. Make a model of it, and wrap
 * that. */
ZO_API zo_status zo_mpi_read(zo_data **out, const char *path, size_t features, int threads,
                             MPI_Comm comm, zo_error *err);

/* The same in steps: the ranks, then data and problems on them (one problem at a time). */
ZO_API zo_status zo_mpi_open(zo_mpi **out, MPI_Comm comm, const zo_ranks *stop, zo_error *err);
ZO_API const zo_ranks *zo_mpi_ranks(const zo_mpi *m);
ZO_API zo_status zo_mpi_share(zo_mpi *m, const zo_problem *whole, zo_problem *problem,
                              zo_error *err);
/* Seconds after which a rank that does not come to an exchange is given up; 0, as at first: never. Then the exchange
 * fails on all that wait, with words that name the missing; zo_mpi_lost is 1 on the first of those and 2 on the others,
 * and MPI_Abort is all that is left. */
ZO_API void zo_mpi_patience(zo_mpi *m, double seconds);
ZO_API int zo_mpi_lost(const zo_mpi *m);

#ifdef __cplusplus
}
#endif
#endif
