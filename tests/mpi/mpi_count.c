/* Stands between a program and MPI and counts what a rank sends, for tests/mpi/mpi_bytes.sh: LD_PRELOAD it, and find one line
 * in $ZO_COUNT.RANK at the end: collective calls, bytes this rank gave to them.
 * SPDX-License-Identifier: MIT */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long long calls, bytes;

static void count(int number, MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    calls++;
    bytes += (unsigned long long)number * (unsigned long long)size;
}

int MPI_Iallgatherv(const void *mine, int number, MPI_Datatype type, void *all, const int *counts,
                    const int *places, MPI_Datatype types, MPI_Comm comm, MPI_Request *request)
{
    count(number, type);
    return PMPI_Iallgatherv(mine, number, type, all, counts, places, types, comm, request);
}

int MPI_Allgatherv(const void *mine, int number, MPI_Datatype type, void *all, const int *counts,
                   const int *places, MPI_Datatype types, MPI_Comm comm)
{
    count(number, type);
    return PMPI_Allgatherv(mine, number, type, all, counts, places, types, comm);
}

int MPI_Allreduce(const void *mine, void *all, int number, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    count(number, type);
    return PMPI_Allreduce(mine, all, number, type, op, comm);
}

int MPI_Bcast(void *buffer, int number, MPI_Datatype type, int root, MPI_Comm comm)
{
    count(number, type);
    int failed = PMPI_Bcast(buffer, number, type, root, comm), rank;
    PMPI_Comm_rank(comm, &rank);
    if (getenv("ZO_OTHER") && type == MPI_CHAR && rank != root)
        *(char *)buffer ^= 1; /* another build */
    return failed;
}

int MPI_Isend(const void *mine, int number, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    count(number, type);
    return PMPI_Isend(mine, number, type, to, tag, comm, request);
}

int MPI_Send(const void *mine, int number, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    count(number, type);
    return PMPI_Send(mine, number, type, to, tag, comm);
}

int MPI_Finalize(void)
{
    const char *name = getenv("ZO_COUNT");
    char path[4096];
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (name) {
        snprintf(path, sizeof path, "%s.%d", name, rank);
        FILE *out = fopen(path, "w");
        if (out) fprintf(out, "%llu %llu\n", calls, bytes);
        if (out) fclose(out);
    }
    return PMPI_Finalize();
}
