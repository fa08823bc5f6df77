/* zoprox_spread.h - one problem on several processes, with the same bytes as on one.
 * SPDX-License-Identifier: MIT
 *
 * Every process (rank) runs the same solver on the same settings, and each evaluates the components of its own share
 * only. Its sums are exchanged by one call of gather for each fan: as many numbers as the answers ask for, however
 * many dimensions there are. The sums meet along a tree that does not depend on the number of ranks, so neither do
 * the bytes. zoprox_mpi.h does this with MPI; any other way of exchanging numbers will do. */
#ifndef ZOPROX_SPREAD_H
#define ZOPROX_SPREAD_H

#include "zoprox_data.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zo_ranks {
    int rank, size;
    void *ctx;
    /* Collective: this rank has count[rank] numbers in mine, and gets those of all ranks, one rank behind the other, in
     * all. Returns 0, or anything else to fail. */
    int (*gather)(void *ctx, const double *mine, const size_t *count, double *all);
    const char *(*why)(void *ctx); /* the last gather failed, in words; or NULL */
    /* Stopping together: what asked (or NULL) gives on the first rank where it is not 0 comes to *agreed (or NULL) on all
     * ranks at the same fan. Give agreed to zo_control.stop: clocks, signals and watchers of single ranks must not stop
     * a run. */
    int (*asked)(void *ctx);
    volatile int *agreed;
} zo_ranks;

/* The components of a rank: first ... first + count - 1, whole blocks of the one sum. */
ZO_API void zo_share(size_t n, int rank, int size, size_t *first, size_t *count);

/* ---- Data: each rank holds the rows of its own share ---------------------------------------------- */

/* Collective: zo_data_read on several ranks, of which none reads or keeps all. A plain file is read by ranges of bytes,
 * and must be there on every rank; a compressed one and standard input are unpacked by rank 0. Rows in all, columns,
 * labels and the fingerprint are those of the whole set. What goes wrong on one rank fails on all, with its words and
 * number. threads: 0 means all cores. Give the data to zo_model_new and the problem to zo_spread_new. */
ZO_API zo_status zo_data_read_part(zo_data **out, const char *path, size_t features, int threads,
                                   const zo_ranks *ranks, zo_error *err);
/* Drops all rows of data but those of a rank's share; data must be whole, and owned: read or synthetic. */
ZO_API zo_status zo_data_keep(zo_data *data, int rank, int size, zo_error *err);

/* ---- Answers --------------------------------------------------------------------------------------- */

/* problem answers as whole does, if every rank asks the same. whole has all n components, of which only those of this
 * rank's share are evaluated here; it must be a built-in problem or one with value or values, and outlive the spread.
 * When a rank fails, all ranks fail with its words. */
typedef struct zo_spread zo_spread;
ZO_API zo_status zo_spread_new(zo_spread **out, const zo_problem *whole, const zo_ranks *ranks,
                               zo_problem *problem, zo_error *err);
ZO_API void zo_spread_free(zo_spread *spread);

#ifdef __cplusplus
}
#endif
#endif
