/* --history and --past: every evaluation in a file, and a run that begins with those of others.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* access */
#include "files/parameters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/draft.h"

int past_open(zo_history **out, const request *r, const task *s)
{
    zo_error err;
    *out = NULL;
    if (!r->history && !r->past) return DONE;
    if (ranks_size() > 1)
        return complain(REFUSED, "--%s: ranks do not share one; run it in one process",
                        r->history ? "history" : "past");
    if (r->history && !r->resume && access(r->history, F_OK) == 0 && !draft_is_device(r->history))
        return complain(
            REFUSED,
            "history: '%s' is already there; go on with it by --resume, take its values with "
            "--past, or remove it",
            r->history);
    zo_history_options o = {.n = s->problem.n,
                            .d = s->problem.d,
                            .file = r->history,
                            .past = r->past,
                            .resume = r->resume,
                            .names = s->known ? s->known->names : NULL,
                            .outer = s->problem.outer};
    if (zo_history_open(out, &o, &err))
        return err.status == ZO_IO && r->past && strstr(err.text, "past") == err.text
                   ? complain(REFUSED, "%s", err.text)
                   : complain_of(&err);
    zo_history_facts f = zo_history_look(*out);
    if (f.known && !r->quiet)
        fprintf(stderr, "zoprox: %s: '%s' holds %llu evaluations; they are not asked again\n",
                r->past ? "past" : "history", r->past ? r->past : r->history,
                (unsigned long long)f.known);
    if (f.damaged && !r->quiet)
        fprintf(stderr, "zoprox: history: %llu damaged lines are passed over\n",
                (unsigned long long)f.damaged);
    return DONE;
}

int past_start(zo_history *h, const request *r, const task *s, double *start)
{
    double f;
    const zo_prox *psi = s->problem.log ? NULL : &s->problem.psi; /* which is of logarithms */
    const double *x = h && r->past ? zo_history_best(h, psi, &f) : NULL;
    for (size_t j = 0; x && j < s->problem.d; j++)
        start[j] = s->known ? parameter_coordinate(s->known, j, x[j]) : x[j];
    if (x && !r->quiet)
        fprintf(stderr, "zoprox: past: the run begins at the best point there, F %.9g\n", f);
    if (h && r->past && !x && !r->quiet)
        fprintf(stderr,
                "zoprox: past: '%s' has no point with all %zu components; the run begins at 0\n",
                r->past, s->problem.n);
    return x != NULL;
}
