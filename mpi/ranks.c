/* The command on several ranks: every rank runs it, rank 0 alone prints and writes.
 * SPDX-License-Identifier: MIT
 *
 * Before and after the run the ranks agree on how it went. While it runs they meet in the exchange of every fan, and
 * a failure of the problem reaches all of them there. A rank that fails by itself (no memory, a file that cannot be
 * written) says so and ends them all. */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "tool.h"
#include "zoprox_mpi.h"

enum { WORDS = 512 };
enum { UNHEARD = -1, LATE = -2 }; /* why a rank wants to stop, where it is not a signal */

static int me, size = 1;
static FILE *voice;       /* standard error, which is closed to the rest of a rank that is to be silent */
static char words[WORDS]; /* of this rank's first complaint, where it is not to be heard at once */
static uint64_t line;     /* says which command line this is */
static zo_mpi *shared;    /* the problem's exchange */
static int unheard;       /* this rank wants to stop because of a file */
static double deadline = INFINITY; /* of the run, on rank 0: its clock is the one that counts */
static volatile int agreed;        /* all will, at the same fan */

static void be_silent(void)
{
    int fd = dup(STDERR_FILENO);
    voice = fd < 0 ? NULL : fdopen(fd, "w");
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        MPI_Abort(MPI_COMM_WORLD, FAILED);
}

void ranks_begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    voice = stderr;
    line = TEXT_HASH;
    for (int k = 1; k < *argc; k++) line = text_hash(line, (*argv)[k], strlen((*argv)[k]) + 1);
    if (me) be_silent();
}

int ranks_me(void) { return me; }

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
    int mine[2] = {code != DONE ? me : size, code}, first, worst;
    MPI_Allreduce(&mine[0], &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&mine[1], &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (first == size || first == 0) return worst;
    MPI_Bcast(words, WORDS, MPI_CHAR, first, MPI_COMM_WORLD);
    if (me == 0) fprintf(stderr, "zoprox: rank %d: %s\n", first, words);
    return worst;
}

int ranks_same(uint64_t v, const char *what)
{
    uint64_t first = v;
    MPI_Bcast(&first, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return ranks_agree(first == v ? DONE : complain(REFUSED, "%s: not what rank 0 has", what));
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
    zo_ranks stop = {.asked = asked, .agreed = &agreed};
    zo_problem whole = s->problem;
    return zo_mpi_wrap(&shared, &whole, MPI_COMM_WORLD, &stop, &s->problem, &err) ? complain_of(&err) : DONE;
}

int ranks_join(task *s)
{
    int code;
    if ((code = ranks_same(line, "the command line")) || (code = ranks_same(s->problem.n, "n")) ||
        (code = ranks_same(s->problem.d, "d")) || (code = ranks_same(s->problem.fingerprint, "the data")))
        return code;
    return size == 1 ? DONE : ranks_agree(join(s));
}

void ranks_leave(void)
{
    zo_mpi_free(shared);
    shared = NULL;
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
    if (size == 1 || (err->status != ZO_NO_MEMORY && err->status != ZO_IO)) return;
    fprintf(voice, "zoprox: rank %d: %s\n", me, err->text);
    fflush(voice);
    MPI_Abort(MPI_COMM_WORLD, FAILED);
}

int ranks_end(int code)
{
    MPI_Finalize();
    return code;
}
