/* The theory's experiments: a table of them, and how one is run and kept.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "study/theory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct experiment {
    const char *name, *title, *about;
    int (*run)(const lab *l, facts *f);
} experiment;

static const experiment table[] = {
    {"lyapunov", "Theorem 4.6 at its parameters",
     "Psi(x_k)/Psi(x_0), d = 10, kappa = 1, psi = 0.1|x|_1, eta = 1/(40d+63), p = 1/n, radius "
     "1e-6, against "
     "the bound "
     "max(1 - 1/(80d+126), 1 - 1/(4n(d+2)))^k.",
     theory_lyapunov},
    {"readings", "Theorem 4.6 and other readings of Algorithm 1",
     "As above. literal: u is kept where w_{k+1} = x_k happens to equal w_k; new: the memory "
     "learns "
     "along the new u; memory: h takes the place of the frozen estimate.",
     theory_readings},
    {"attained", "Theorem 1 of docs/theory.md: zpvr at its parameters",
     "Exact second moments of zpvr on f_i(x) = (a_i/2)|x|^2, a_i = 1/2 or 3/2, L = 3/2, mu = 1, "
     "p = 1/(n d), eta = 1/(8(d+2)L): what a step takes off them, and what the theorem promises.",
     theory_attained},
    {"stability", "Where Algorithm 1 is stable in mean square",
     "Exact second moments of the flat quadratic. largest n: at the theorem's parameters with q = "
     "1. "
     "boundary: the eta L "
     "d/(p q) at which the moments neither grow nor fall.",
     theory_stability},
    {"recursion", "The recursion of second moments against Algorithm 1",
     "E|w|^2/d four refreshes after w = (1, ..., 1), h = 0 on the flat quadratic, d = 10, p = 0.1, "
     "q = 1: by "
     "the "
     "recursion that gives the boundary, and by running the algorithm.",
     theory_recursion},
    {"bias", "The bias of an epoch",
     "|mean over an epoch of g_k - grad f(x_k)|^2 / |grad f(w) - h|^2, epochs of 100 steps at the "
     "theorem's "
     "eta; d + 1 is what a "
     "frozen direction gives.",
     theory_bias},
    {"lemmas", "Lemmas 4.1 to 4.4, left side over right side",
     "Means over seeds, by steps since the refresh, d = 10, eta = 1/(40d+63), p = 1/1000. Above 1 "
     "the "
     "inequality "
     "fails. Of 4.2 and 4.3 the part that the coin's heads add.",
     theory_lemmas},
    {"floor", "The floor that the radius sets, against Corollary 4.7",
     "Mean of Psi after 40000 steps, d = 10, n = 15, against sigma = ((80d+126) + 4n(d+2)) "
     "kappa(kappa+1)(d+6)^2 v^2.",
     theory_floor},
};
enum { COUNT = sizeof table / sizeof table[0] };

int theory_find(const char *name)
{
    for (size_t k = 0; k < COUNT; k++)
        if (!strcmp(table[k].name, name)) return 1;
    return !strcmp(name, "theory");
}

const char *theory_names(void)
{
    return ", growth; theory, or of it lyapunov, readings, attained, stability, recursion, bias, "
           "lemmas, floor";
}

void theory_about(const char *name, const char **title, const char **about)
{
    *title = *about = NULL;
    for (size_t k = 0; k < COUNT; k++) {
        size_t length = strlen(table[k].name);
        if (strncmp(table[k].name, name, length) || (name[length] && name[length] != ' ')) continue;
        *title = table[k].title;
        *about = table[k].about;
    }
}

/* ---- Running ------------------------------------------------------------------------------------------ */

static int one(const experiment *e, const lab *l, runs *store, FILE *out, int quiet)
{
    char name[64];
    facts f = {0};
    snprintf(name, sizeof name, "%s%s", e->name, l->quick ? " (quick)" : "");
    int code = runs_facts_get(store, name, &f);
    if (!code && f.count == 0) { /* not in the store yet */
        if (!quiet) fprintf(stderr, "zoprox: reproduce: %s ...\n", e->title);
        code = e->run(l, &f);
        if (!code && *stop_flag())
            code = complain(FAILED, "reproduce: interrupted during %s", e->name);
        if (!code && f.failed) code = complain(FAILED, "reproduce: out of memory");
        if (!code) code = runs_facts_put(store, name, &f);
    }
    if (!code) {
        fprintf(out, "### %s\n\n%s\n\n", e->title, e->about);
        facts_print(out, &f);
    }
    free(f.v);
    return code;
}

int theory_run(const char *name, runs *store, FILE *out, const request *r)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    lab l = {.jobs = r->jobs ? (unsigned)(r->jobs < 64 ? r->jobs : 64)
                             : (unsigned)(cores < 64 ? cores : 64),
             .quick = r->quick};
    int code = DONE;
    for (size_t k = 0; k < COUNT && !code; k++)
        if (!strcmp(name, "theory") || !strcmp(name, table[k].name))
            code = one(&table[k], &l, store, out, r->quiet);
    return code;
}
