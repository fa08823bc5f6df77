/* Numbers of all ranks, by MPI: one collective call, watched by a clock.
 * SPDX-License-Identifier: MIT
 *
 * MPI cannot say who does not come. So a rank whose patience ends calls the roll: it sends a word to every other rank.
 * Those that wait in the exchange notice and call too; who has not called a little later is missing. */
#define _GNU_SOURCE
#include "exchange.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SPINS = 2000, OFFERS = 2000, LOOKS = 64 };
#define ROLL_SECONDS 2.0

int exchange_open(exchange *x, MPI_Comm comm)
{
    *x = (exchange){.comm = MPI_COMM_NULL, .roll = MPI_COMM_NULL};
    MPI_Comm_rank(comm, &x->rank);
    MPI_Comm_size(comm, &x->size);
    x->count = calloc((size_t)x->size, sizeof *x->count);
    x->place = calloc((size_t)x->size, sizeof *x->place);
    x->here = calloc((size_t)x->size, 1);
    int fine = x->count && x->place && x->here, all;
    MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, comm);
    if (all) MPI_Comm_dup(comm, &x->comm);
    if (all) MPI_Comm_dup(comm, &x->roll);
    if (!all) exchange_close(x);
    return all;
}

void exchange_close(exchange *x)
{
    if (x->comm != MPI_COMM_NULL && !*x->text) MPI_Comm_free(&x->comm);
    if (x->roll != MPI_COMM_NULL && !*x->text) MPI_Comm_free(&x->roll);
    free(x->count);
    free(x->place);
    free(x->here);
    x->count = x->place = NULL;
    x->here = NULL;
}

const char *exchange_why(void *ctx)
{
    exchange *x = ctx;
    return *x->text ? x->text : NULL;
}

/* ---- The roll --------------------------------------------------------------------------------------- */

static int called(exchange *x)
{
    int flag = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, x->roll, &flag, MPI_STATUS_IGNORE);
    return flag;
}

/* Everybody who waits is heard; the requests are left to themselves: the ranks are about to end. */
static void call_roll(exchange *x)
{
    static const char word = 1;
    double begun = MPI_Wtime();
    int left = x->size - 1;
    memset(x->here, 0, (size_t)x->size);
    x->here[x->rank] = 1;
    for (int r = 0; r < x->size; r++) {
        MPI_Request request;
        if (r != x->rank) MPI_Isend(&word, 1, MPI_CHAR, r, 0, x->roll, &request);
    }
    while (left && MPI_Wtime() - begun < ROLL_SECONDS) {
        int flag;
        char heard;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, 0, x->roll, &flag, &status);
        if (!flag) {
            sched_yield();
            continue;
        }
        MPI_Recv(&heard, 1, MPI_CHAR, status.MPI_SOURCE, 0, x->roll, MPI_STATUS_IGNORE);
        left -= !x->here[status.MPI_SOURCE];
        x->here[status.MPI_SOURCE] = 1;
    }
}

static void name_missing(exchange *x)
{
    int used = 0, missing = 0, most = (int)sizeof x->text;
    x->lowest = x->rank;
    for (int r = x->size - 1; r >= 0; r--)
        if (x->here[r]) x->lowest = r;
    for (int r = 0; r < x->size && used < most - 120; r++) {
        if (x->here[r]) continue;
        used += snprintf(x->text + used, (size_t)(most - used), missing++ ? ", %d" : "rank %d", r);
    }
    if (!missing) used = snprintf(x->text, (size_t)most, "the ranks");
    snprintf(x->text + used, (size_t)(most - used),
             ": no word in the exchange for %g seconds, see --patience", x->patience);
}

/* ---- The exchange ----------------------------------------------------------------------------------- */

/* At first a rank asks all the time: answers come within microseconds. Then it offers its core to others, which may be
 * ranks, and at last it sleeps in between. */
static void pause_for(long k)
{
    static const struct timespec nap = {.tv_nsec = 20000};
    if (k >= SPINS + OFFERS)
        nanosleep(&nap, NULL);
    else if (k >= SPINS)
        sched_yield();
}

static int wait_for(exchange *x, MPI_Request *request)
{
    double begun = 0;
    for (long k = 0;; k++) {
        int done;
        if (MPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return 1;
        if (done) return 0;
        pause_for(k);
        if (k < SPINS || x->patience == 0 || k % LOOKS) continue;
        if (begun == 0) begun = MPI_Wtime();
        if (MPI_Wtime() - begun < x->patience && !called(x)) continue;
        call_roll(x);
        name_missing(x);
        return 1;
    }
}

int exchange_gather(void *ctx, const double *mine, const size_t *count, double *all)
{
    exchange *x = ctx;
    size_t total = 0;
    MPI_Request request;
    if (*x->text) return 1;
    for (int r = 0; r < x->size; r++) {
        if (count[r] > INT_MAX || total > INT_MAX) return 1; /* the same on every rank */
        x->count[r] = (int)count[r];
        x->place[r] = (int)total;
        total += count[r];
    }
    if (MPI_Iallgatherv(mine, x->count[x->rank], MPI_DOUBLE, all, x->count, x->place, MPI_DOUBLE,
                        x->comm, &request) != MPI_SUCCESS)
        return 1;
    return wait_for(x, &request);
}
