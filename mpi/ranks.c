/* The command on several ranks: every rank runs it, rank 0 alone prints and writes.
 * SPDX-License-Identifier: MIT
 *
 * Before and after the run the ranks agree on how it went. While it runs they meet in the exchange of every fan, and
 * a failure of the problem reaches all of them there. A rank that fails by itself (no memory, a file that cannot be
 * written) says so and ends them all. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "core/tool.h"
#include "zoprox_mpi.h"

enum { WORDS = 512, PATIENCE = 600 };
enum { UNHEARD = -1, LATE = -2 }; /* why a rank wants to stop, where it is not a signal */

static int me, size = 1;
static FILE *voice; /* standard error, which is closed to the rest of a rank that is to be silent */
static char words[WORDS]; /* of this rank's first complaint, where it is not to be heard at once */
static char line[WORDS];  /* the command line, as much of it as fits */
static uint64_t line_hash;
static zo_mpi *world;              /* all ranks, and the problem that they share */
static zo_mpi *group;              /* those that run a trial together, where they are several */
static int unheard;                /* this rank wants to stop because of a file */
static double deadline = INFINITY; /* of the run, on rank 0: its clock is the one that counts */
static volatile int agreed;        /* all will, at the same fan */
static volatile int group_agreed;  /* all of the group */

static int asked(void *ctx);

/* ---- Beginning and end ------------------------------------------------------------------------------ */

static void be_silent(void)
{
    int fd = dup(STDERR_FILENO);
    voice = fd < 0 ? NULL : fdopen(fd, "w");
    if (!voice || !freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        MPI_Abort(MPI_COMM_WORLD, FAILED);
}

static void keep_line(int argc, char **argv)
{
    size_t used = 0;
    line_hash = TEXT_HASH;
    for (int k = 1; k < argc; k++) {
        line_hash = text_hash(line_hash, argv[k], strlen(argv[k]) + 1);
        if (used < sizeof line)
            used += (size_t)snprintf(line + used, sizeof line - used, used ? " %s" : "%s", argv[k]);
    }
}

void ranks_begin(int *argc, char ***argv)
{
    zo_error err;
    zo_ranks stop = {.asked = asked, .agreed = &agreed};
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    voice = stderr;
    keep_line(*argc, *argv);
    if (me) be_silent();
    if (size > 1 && zo_mpi_open(&world, MPI_COMM_WORLD, &stop, &err)) {
        if (err.status == ZO_MISMATCH && me == 0) fprintf(voice, "zoprox: %s\n", err.text);
        if (err.status == ZO_MISMATCH) { /* all ranks know */
            MPI_Finalize();
            exit(REFUSED);
        }
        fprintf(voice, "zoprox: rank %d: %s\n", me, err.text);
        MPI_Abort(MPI_COMM_WORLD, FAILED);
    }
    if (world) zo_mpi_patience(world, PATIENCE);
}

int ranks_me(void) { return me; }
int ranks_size(void) { return size; }

int ranks_end(int code)
{
    zo_mpi_free(group);
    zo_mpi_free(world);
    MPI_Finalize();
    return code;
}

/* ---- Agreeing --------------------------------------------------------------------------------------- */

/* A rank does not come: nothing can be agreed upon any more. The first of those that wait says so. */
static void give_up(const char *text)
{
    if (zo_mpi_lost(world) == 2 || (group && zo_mpi_lost(group) == 2))
        sleep(3);
    else
        fprintf(voice, "zoprox: %s\n", text ? text : "out of memory for the ranks");
    fflush(voice);
    MPI_Abort(MPI_COMM_WORLD, FAILED);
}

static void gather(const double *mine, size_t count, double *all)
{
    const zo_ranks *ranks = zo_mpi_ranks(world);
    size_t *counts = calloc((size_t)size, sizeof *counts);
    for (int r = 0; counts && r < size; r++) counts[r] = count;
    if (!counts || ranks->gather(ranks->ctx, mine, counts, all)) give_up(ranks->why(ranks->ctx));
    free(counts);
}

void ranks_say(const char *text)
{
    if (me == 0)
        fprintf(stderr, "zoprox: %s\n", text);
    else if (!*words)
        snprintf(words, sizeof words, "%s", text);
}

/* Rank 0 says what went wrong elsewhere, unless it has said something itself. */
int ranks_agree(int code)
{
    enum { NUMBERS = WORDS / sizeof(double) };
    if (size == 1) return code;
    double mine = code, text[NUMBERS], *all = calloc((size_t)size * NUMBERS, sizeof *all);
    int first = size, worst = DONE;
    if (!all) give_up(NULL);
    gather(&mine, 1, all);
    for (int r = size - 1; r >= 0; r--) {
        if (all[r] != DONE) first = r;
        if (all[r] > worst) worst = (int)all[r];
    }
    if (first != size && first != 0) {
        memcpy(text, words, sizeof text);
        gather(text, NUMBERS, all);
        memcpy(words, all + (size_t)first * NUMBERS, sizeof words);
        words[WORDS - 1] = 0;
        if (me == 0) fprintf(stderr, "zoprox: rank %d: %s\n", first, words);
    }
    free(all);
    return worst;
}

int ranks_any(int flag)
{
    if (size == 1) return flag;
    double mine = flag != 0, *all = calloc((size_t)size, sizeof *all);
    if (!all) give_up(NULL);
    gather(&mine, 1, all);
    for (int r = 0; r < size; r++) mine += all[r];
    free(all);
    return mine > 0;
}

void ranks_share(void *bytes, size_t count, int from)
{
    if (size == 1) return;
    const zo_ranks *ranks = zo_mpi_ranks(world);
    size_t numbers = (count + sizeof(double) - 1) / sizeof(double),
           *counts = calloc((size_t)size, sizeof *counts);
    double *mine = calloc(numbers + 1, sizeof *mine), *all = calloc(numbers + 1, sizeof *all);
    if (!counts || !mine || !all) give_up(NULL);
    if (me == from && count) memcpy(mine, bytes, count);
    counts[from] = numbers;
    if (ranks->gather(ranks->ctx, mine, counts, all)) give_up(ranks->why(ranks->ctx));
    if (me != from && bytes) memcpy(bytes, all, count);
    free(counts);
    free(mine);
    free(all);
}

int ranks_same(uint64_t v, const char *what)
{
    if (size == 1) return DONE;
    double mine, *all = calloc((size_t)size, sizeof *all);
    if (!all) give_up(NULL);
    memcpy(&mine, &v, sizeof mine);
    gather(&mine, 1, all);
    int same = !memcmp(all, &mine, sizeof mine);
    free(all);
    return ranks_agree(same ? DONE : complain(REFUSED, "%s: not what rank 0 has", what));
}

int ranks_same_line(const request *r)
{
    int waits =
        box_wanted(r) || r->command->bit != IN_SOLVE; /* for what may take as long as it likes */
    double patience = !isnan(r->patience) ? r->patience : waits ? 0 : PATIENCE;
    if (world) zo_mpi_patience(world, patience);
    char what[WORDS];
    snprintf(what, sizeof what, "the command line '%.400s'", line);
    return ranks_same(line_hash, what);
}

/* ---- The problem ------------------------------------------------------------------------------------ */

zo_status ranks_read(zo_data **out, const char *path, size_t features, int threads, zo_error *err)
{
    if (size == 1) return zo_data_read(out, path, features, err);
    zo_status status = zo_data_read_part(out, path, features, threads, zo_mpi_ranks(world), err);
    if (zo_mpi_lost(world)) give_up(err->text);
    return status;
}

zo_status ranks_keep(zo_data *data, zo_error *err)
{
    return size == 1 ? ZO_OK : zo_data_keep(data, me, size, err);
}

static int asked(void *ctx)
{
    (void)ctx;
    int number = *stop_flag();
    return number ? number : unheard ? UNHEARD : clock_seconds() >= deadline ? LATE : 0;
}

static int join(task *s)
{
    zo_error err;
    zo_problem whole = s->problem;
    return zo_mpi_share(world, &whole, &s->problem, &err) ? complain_of(&err) : DONE;
}

int ranks_join(task *s)
{
    int code;
    if (size == 1) return DONE;
    if ((code = ranks_same(s->problem.n, "n")) || (code = ranks_same(s->problem.d, "d")) ||
        (code = ranks_same(s->problem.fingerprint, "the data")))
        return code;
    return ranks_agree(join(s));
}

const volatile int *ranks_stop(void) { return size == 1 ? stop_flag() : &agreed; }

int ranks_ask_stop(void)
{
    unheard = 1;
    return size == 1;
}

void ranks_clock(zo_control *c, double spent)
{
    if (size == 1) return;
    if (me == 0) deadline = clock_seconds() + c->max_seconds - spent;
    c->max_seconds = INFINITY;
}

zo_reason ranks_reason(zo_reason reason)
{
    return reason == ZO_AT_REQUEST && agreed == LATE ? ZO_AT_SECONDS : reason;
}

/* What only this rank knows ends all: the others wait for it. */
void ranks_failed(const zo_error *err)
{
    if (size == 1) return;
    const zo_mpi *lost = zo_mpi_lost(world) ? world : group && zo_mpi_lost(group) ? group : NULL;
    if (lost)
        give_up(
            zo_mpi_ranks(lost)->why(zo_mpi_ranks(lost)->ctx)); /* whatever failed, this is why */
    if (err->status != ZO_NO_MEMORY && err->status != ZO_IO) return;
    fprintf(voice, "zoprox: rank %d: %s\n", me, err->text);
    fflush(voice);
    MPI_Abort(MPI_COMM_WORLD, FAILED);
}

/* ---- Groups ----------------------------------------------------------------------------------------- */

int ranks_group(const request *r)
{
    zo_error err;
    zo_ranks stop = {.asked = asked, .agreed = &group_agreed};
    if (r->group <= 1) return DONE;
    if (r->group > (uint64_t)size || (uint64_t)size % r->group)
        return complain(REFUSED, "--group: %d ranks cannot be cut into groups of %llu", size,
                        (unsigned long long)r->group);
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, me / (int)r->group, me, &comm);
    int code = ranks_agree(zo_mpi_open(&group, comm, &stop, &err) ? complain_of(&err) : DONE);
    MPI_Comm_free(&comm); /* it was duplicated */
    if (!code) zo_mpi_patience(group, isnan(r->patience) ? PATIENCE : r->patience);
    return code;
}

zo_status ranks_group_join(zo_problem *p, zo_error *err)
{
    zo_problem whole = *p;
    return zo_mpi_share(group, &whole, p, err);
}

const volatile int *ranks_group_stop(void) { return &group_agreed; }
