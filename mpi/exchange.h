/* Numbers of all ranks, by MPI, with a limit on how long a rank waits for the others.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_MPI_EXCHANGE_H
#define ZO_MPI_EXCHANGE_H

#include <mpi.h>
#include <stddef.h>

typedef struct exchange {
    MPI_Comm comm, roll; /* roll: who is here, when somebody does not come */
    int rank, size;
    int *count, *place; /* size each */
    char *here;         /* size */
    double patience;    /* seconds; 0: without end */
    int lowest;         /* after a failure: the first rank that is here */
    char text[512];     /* of a failure; "": none */
} exchange;

int exchange_open(exchange *x, MPI_Comm comm); /* collective; 0: out of memory */
void exchange_close(exchange *x);              /* collective */
/* As zo_ranks.gather and .why; ctx is the exchange. */
int exchange_gather(void *ctx, const double *mine, const size_t *count, double *all);
const char *exchange_why(void *ctx);

#endif
