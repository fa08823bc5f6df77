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
 * agreed of zo_ranks instead, and write checkpoints on one rank only. */
#ifndef ZOPROX_MPI_H
#define ZOPROX_MPI_H

#include <mpi.h>

#include "zoprox_spread.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zo_mpi zo_mpi;
/* Collective over comm, which is duplicated. stop: its asked (with its ctx) and agreed are used; or NULL. */
ZO_API zo_status zo_mpi_wrap(zo_mpi **out, const zo_problem *whole, MPI_Comm comm, const zo_ranks *stop,
                             zo_problem *problem, zo_error *err);
ZO_API void zo_mpi_free(zo_mpi *m); /* collective; takes NULL */

#ifdef __cplusplus
}
#endif
#endif
