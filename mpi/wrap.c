/* The exchange of numbers by MPI: one MPI_Allgatherv for each fan.
 * SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "zoprox_mpi.h"

struct zo_mpi {
    MPI_Comm comm;
    int rank, size;
    int *count, *place; /* size each */
    zo_ranks stop;
    zo_spread *spread;
};

static int gather(void *ctx, const double *mine, const size_t *count, double *all)
{
    zo_mpi *m = ctx;
    size_t total = 0;
    for (int r = 0; r < m->size; r++) {
        if (count[r] > INT_MAX || total > INT_MAX) return 1; /* the same on every rank */
        m->count[r] = (int)count[r];
        m->place[r] = (int)total;
        total += count[r];
    }
    return MPI_Allgatherv(mine, m->count[m->rank], MPI_DOUBLE, all, m->count, m->place, MPI_DOUBLE,
                          m->comm) != MPI_SUCCESS;
}

static int asked(void *ctx)
{
    zo_mpi *m = ctx;
    return m->stop.asked(m->stop.ctx);
}

zo_status zo_mpi_wrap(zo_mpi **out, const zo_problem *whole, MPI_Comm comm, const zo_ranks *stop,
                      zo_problem *problem, zo_error *err)
{
    *out = NULL;
    zo_mpi *m = calloc(1, sizeof *m);
    if (m && MPI_Comm_dup(comm, &m->comm) == MPI_SUCCESS) {
        MPI_Comm_rank(m->comm, &m->rank);
        MPI_Comm_size(m->comm, &m->size);
        m->count = calloc((size_t)m->size, sizeof *m->count);
        m->place = calloc((size_t)m->size, sizeof *m->place);
    }
    if (!m || !m->count || !m->place) {
        zo_mpi_free(m);
        if (err) {
            err->status = ZO_NO_MEMORY;
            snprintf(err->text, sizeof err->text, "out of memory for the ranks of a communicator");
        }
        return ZO_NO_MEMORY;
    }
    zo_ranks ranks = {.rank = m->rank, .size = m->size, .ctx = m, .gather = gather};
    if (stop) {
        m->stop = *stop;
        ranks.asked = stop->asked ? asked : NULL;
        ranks.agreed = stop->agreed;
    }
    zo_status status = zo_spread_new(&m->spread, whole, &ranks, problem, err);
    if (status)
        zo_mpi_free(m);
    else
        *out = m;
    return status;
}

void zo_mpi_free(zo_mpi *m)
{
    if (!m) return;
    zo_spread_free(m->spread);
    if (m->count) MPI_Comm_free(&m->comm);
    free(m->count);
    free(m->place);
    free(m);
}
