/* A problem and its data on the ranks of a communicator.
 * SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange.h"
#include "zoprox_mpi.h"

struct zo_mpi {
    exchange numbers;
    zo_ranks ranks, stop; /* stop: of the caller */
    zo_spread *spread;
};

static int asked(void *ctx)
{
    zo_mpi *m = ((zo_mpi *)ctx);
    return m->stop.asked(m->stop.ctx);
}

/* Ranks of other builds would compute other bytes, decide otherwise, and wait for each other in vain. All of them know. */
static zo_status same_build(MPI_Comm comm, zo_error *err)
{
    enum { TEXT = 48 };
    char mine[TEXT] = "", first[TEXT], other[TEXT];
    int rank, differs, lowest;
    MPI_Comm_rank(comm, &rank);
    snprintf(mine, sizeof mine, "zoprox %s, arithmetic %u", zo_version(), zo_arithmetic());
    memcpy(first, mine, sizeof first);
    MPI_Bcast(first, TEXT, MPI_CHAR, 0, comm);
    differs = memcmp(mine, first, sizeof first) ? rank : INT_MAX;
    MPI_Allreduce(&differs, &lowest, 1, MPI_INT, MPI_MIN, comm);
    if (lowest == INT_MAX) return ZO_OK;
    memcpy(other, mine, sizeof other);
    MPI_Bcast(other, TEXT, MPI_CHAR, lowest, comm);
    if (err) {
        err->status = ZO_MISMATCH;
        snprintf(err->text, sizeof err->text,
                 "rank 0 is %.47s, rank %d is %.47s: they cannot work together", first, lowest,
                 other);
    }
    return ZO_MISMATCH;
}

/* The numbers are the first in a zo_mpi, so that one ctx serves all. */
zo_status zo_mpi_open(zo_mpi **out, MPI_Comm comm, const zo_ranks *stop, zo_error *err)
{
    *out = NULL;
    if (same_build(comm, err)) return ZO_MISMATCH;
    zo_mpi *m = calloc(1, sizeof *m);
    int fine = m != NULL, all;
    MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, comm);
    if (!all || !exchange_open(&m->numbers, comm)) {
        free(m);
        if (err) {
            err->status = ZO_NO_MEMORY;
            snprintf(err->text, sizeof err->text, "out of memory for the ranks of a communicator");
        }
        return ZO_NO_MEMORY;
    }
    m->ranks = (zo_ranks){.rank = m->numbers.rank,
                          .size = m->numbers.size,
                          .ctx = m,
                          .gather = exchange_gather,
                          .why = exchange_why};
    if (stop) {
        m->stop = *stop;
        m->ranks.asked = stop->asked ? asked : NULL;
        m->ranks.agreed = stop->agreed;
    }
    *out = m;
    return ZO_OK;
}

void zo_mpi_patience(zo_mpi *m, double seconds) { m->numbers.patience = seconds; }

const zo_ranks *zo_mpi_ranks(const zo_mpi *m) { return &m->ranks; }

int zo_mpi_lost(const zo_mpi *m)
{
    return !*m->numbers.text ? 0 : m->numbers.lowest == m->numbers.rank ? 1 : 2;
}

zo_status zo_mpi_share(zo_mpi *m, const zo_problem *whole, zo_problem *problem, zo_error *err)
{
    zo_spread_free(m->spread);
    m->spread = NULL;
    return zo_spread_new(&m->spread, whole, &m->ranks, problem, err);
}

zo_status zo_mpi_wrap(zo_mpi **out, const zo_problem *whole, MPI_Comm comm, const zo_ranks *stop,
                      zo_problem *problem, zo_error *err)
{
    zo_status status = zo_mpi_open(out, comm, stop, err);
    if (!status) status = zo_mpi_share(*out, whole, problem, err);
    if (status) {
        zo_mpi_free(*out);
        *out = NULL;
    }
    return status;
}

zo_status zo_mpi_read(zo_data **out, const char *path, size_t features, int threads, MPI_Comm comm,
                      zo_error *err)
{
    zo_mpi *m;
    *out = NULL;
    zo_status status = zo_mpi_open(&m, comm, NULL, err);
    if (!status) status = zo_data_read_part(out, path, features, threads, &m->ranks, err);
    zo_mpi_free(m);
    return status;
}

void zo_mpi_free(zo_mpi *m)
{
    if (!m) return;
    zo_spread_free(m->spread);
    exchange_close(&m->numbers);
    free(m);
}
