/* Times what the cost model of docs/scale.md is made of, on the ranks it is started with: the C half of bench/mpi.py.
 * SPDX-License-Identifier: MIT
 *
 *     mpirun -np R bench/mpi PATH ROUNDS
 *
 * Rank 0 prints a line of JSON: bytes that each rank's data take; seconds of a full-pass fan of 16 directions on rank 0
 * alone and on all ranks, in rounds that take turns; seconds of an exchange of 1, 64, ... numbers a rank; seconds of what
 * every rank does by itself for a fan (draw and pack 16 directions). */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "zoprox_data.h"
#include "zoprox_mpi.h"

enum { Q = 16, IN_A_ROW = 5, SIZES = 5, OFTEN = 200 };

static int me, ranks;

static void die(const zo_error *err)
{
    fprintf(stderr, "bench: rank %d: %s\n", me, err->text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static double memory(void)
{
    long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &pages, &resident) != 2) resident = 0;
    if (f) fclose(f);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

/* The others sleep meanwhile. */
static void wait_quietly(void)
{
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (!done) {
        usleep(200);
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
}

static double ask(const zo_problem *p, const zo_fan *fan, double *out)
{
    double begun = MPI_Wtime();
    for (int k = 0; k < IN_A_ROW; k++)
        if (p->answer(p->ctx, fan, out)) MPI_Abort(MPI_COMM_WORLD, 1);
    return (MPI_Wtime() - begun) / IN_A_ROW;
}

static double exchange_seconds(const zo_ranks *r, size_t count)
{
    size_t *counts = calloc((size_t)ranks, sizeof *counts);
    double *mine = calloc(count, sizeof *mine), *all = calloc((size_t)ranks * count, sizeof *all),
           least = INFINITY;
    for (int k = 0; k < ranks; k++) counts[k] = count;
    for (int k = 0; k < OFTEN; k++) {
        double begun = MPI_Wtime();
        for (int l = 0; l < 10; l++) r->gather(r->ctx, mine, counts, all);
        least = fmin(least, (MPI_Wtime() - begun) / 10);
    }
    free(counts);
    free(mine);
    free(all);
    return least;
}

static void print_list(const char *name, const double *v, int count)
{
    printf(", \"%s\": [", name);
    for (int k = 0; k < count; k++) printf("%s%.9g", k ? ", " : "", v[k]);
    printf("]");
}

/* What is measured, and on what. */
typedef struct course {
    zo_mpi *mpi;
    zo_problem shared, alone; /* alone: the whole set, on rank 0 */
    size_t nonzeros;
    int rounds, same;
    double drawn, *bytes, *solo, *both, swap[SIZES], size[SIZES];
} course;

static double *numbers(size_t count)
{
    double *v = calloc(count, sizeof *v);
    if (!v) MPI_Abort(MPI_COMM_WORLD, 1);
    return v;
}

/* Every rank reads its part, and says what that takes; rank 0 then reads all of it too. */
static void read_both(course *c, const char *path)
{
    zo_error err;
    zo_data *part, *whole;
    zo_model *model;
    zo_problem own;
    double before = memory();
    if (zo_data_read_part(&part, path, 0, 1, zo_mpi_ranks(c->mpi), &err)) die(&err);
    double held = memory() - before;
    if (zo_model_new(&model, part, ZO_LOGISTIC, 1e-4, 1, &own, &err) ||
        zo_mpi_share(c->mpi, &own, &c->shared, &err))
        die(&err);
    MPI_Gather(&held, 1, MPI_DOUBLE, c->bytes, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (me == 0) {
        if (zo_data_read(&whole, path, 0, &err) ||
            zo_model_new(&model, whole, ZO_LOGISTIC, 1e-4, 1, &c->alone, &err))
            die(&err);
        c->nonzeros = zo_data_look(whole).nonzeros;
    }
    wait_quietly();
}

/* Seconds to draw the directions of a fan: the least of many times. */
static double draw_seconds(size_t d, double *dir)
{
    double least = INFINITY;
    for (int k = 0; k < OFTEN; k++) {
        double begun = MPI_Wtime();
        for (uint32_t q = 0; q < Q; q++) rng_normals(1, FOR_DIRECTION, 1, q, d, dir + q * d);
        least = fmin(least, MPI_Wtime() - begun);
    }
    return least;
}

/* The same fan on rank 0 alone and on all, in turns. */
static void time_fans(course *c)
{
    size_t d = c->shared.d;
    double *x = numbers(d), *dir = numbers(Q * d), one[Q + 1], all[Q + 1];
    c->drawn = draw_seconds(d, dir);
    rng_normals(1, FOR_DIRECTION, 2, 0, d, x);
    for (size_t j = 0; j < d; j++) x[j] *= 0.1;
    zo_fan fan = {.n = c->shared.n,
                  .d = d,
                  .nbase = 1,
                  .base = {x},
                  .ndir = Q,
                  .dir = dir,
                  .radius = 1e-4,
                  .sides = 1,
                  .ncomp = c->shared.n};
    for (int k = 0; k < c->rounds; k++) {
        if (me == 0) c->solo[k] = ask(&c->alone, &fan, one);
        wait_quietly();
        MPI_Barrier(MPI_COMM_WORLD);
        c->both[k] = ask(&c->shared, &fan, all);
    }
    c->same = me || memcmp(one, all, sizeof one) == 0;
    free(x);
    free(dir);
}

static void print_course(const course *c)
{
    printf(
        "{\"ranks\": %d, \"n\": %zu, \"d\": %zu, \"nonzeros\": %zu, \"same\": %d, \"draw\": %.9g",
        ranks, c->shared.n, c->shared.d, c->nonzeros, c->same, c->drawn);
    print_list("bytes", c->bytes, ranks);
    print_list("alone", c->solo, c->rounds);
    print_list("together", c->both, c->rounds);
    print_list("numbers", c->size, SIZES);
    print_list("exchange", c->swap, SIZES);
    printf("}\n");
}

int main(int argc, char **argv)
{
    zo_error err;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    course c = {.rounds = argc > 2 ? atoi(argv[2]) : 20};
    if (argc < 2 || c.rounds < 1) {
        fprintf(stderr, "usage: mpi PATH ROUNDS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (zo_mpi_open(&c.mpi, MPI_COMM_WORLD, NULL, &err)) die(&err);
    c.bytes = numbers((size_t)ranks);
    c.solo = numbers((size_t)c.rounds);
    c.both = numbers((size_t)c.rounds);
    read_both(&c, argv[1]);
    time_fans(&c);
    for (int k = 0; k < SIZES; k++)
        c.swap[k] = exchange_seconds(zo_mpi_ranks(c.mpi), (size_t)(c.size[k] = pow(16, k)));
    if (me == 0) print_course(&c);
    zo_mpi_free(c.mpi);
    MPI_Finalize();
    return !c.same;
}
