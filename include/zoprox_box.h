/* zoprox_box.h - black boxes that are programs or shared objects.
 * SPDX-License-Identifier: MIT */
#ifndef ZOPROX_BOX_H
#define ZOPROX_BOX_H

#include "zoprox.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- A program that answers questions on its standard input and output -------------------------- *
 *
 * zoprox writes                                the program answers
 *
 *     eval ID NPOINTS NCOMP                        ID
 *     the NCOMP component numbers, or "all"        NPOINTS lines of NCOMP values
 *     NPOINTS lines of d numbers
 *
 *     each ID NPOINTS NCOMP                        ID
 *     the NCOMP component numbers, or "all"        NPOINTS lines of NCOMP values
 *     NPOINTS*NCOMP lines of d numbers, the points of the first component first
 *
 * A program whose first line is "zoprox-means" answers every line of an eval with one number, the mean over the
 * components; it is never sent an each. One whose first line is "zoprox-all" gives all components in one run: it is asked
 * for one point at a time and always for all, and points are what is paid. The first question has no points: it only asks whether the program is there,
 * and the answer is its ID alone. A worker that dies, is silent for longer than timeout or answers nonsense is
 * started anew and its question asked again, later in parts, to find the value that is at fault; that one is NaN in the end, or
 * the end of the run where settings.nonfinite is stop. How a fan is cut into questions never depends on the number of
 * workers, so neither do the answers' bytes. */

typedef struct zo_command zo_command;

typedef struct zo_command_options {
    const char *const *argv; /* program and arguments, NULL behind the last; no shell is involved */
    const char *name;        /* of it in messages; NULL: argv[0] */
    size_t n, d;
    int all;               /* 1: one run gives all components, as if the program had said so */
    int workers;           /* processes; 0: one per core */
    double timeout;        /* seconds for one question; 0: no limit */
    int retries;           /* times one value is asked again before it counts as NaN */
    uint64_t max_failures; /* of all workers together; 0: no limit */
    /* a file that keeps every answer as it comes; what it holds is not asked again; or NULL */
    const char *journal;
} zo_command_options;

/* Starts the workers. Fill in problem->psi yourself. */
ZO_API zo_status zo_command_new(zo_command **out, const zo_command_options *options,
                                zo_problem *problem, zo_error *err);
ZO_API void zo_command_free(zo_command *command); /* ends them, and all they started */

typedef struct zo_command_facts {
    int workers, means; /* means: 1 once the program has said that it answers means */
    int all;            /* 1: that one run gives all components */
    uint64_t questions, values, restarts, timeouts, retried;
    uint64_t lost;              /* values that never came, and count as NaN */
    uint64_t journal, replayed; /* answers of earlier runs in the journal; of these, used */
    double busy, open;          /* seconds that workers were at work, and could have been */
} zo_command_facts;
ZO_API zo_command_facts zo_command_look(const zo_command *command);

/* ---- A shared object ----------------------------------------------------------------------------- *
 *
 * It has a function
 *     int zoprox_open(int argc, char **argv, zo_problem *problem, char *error, size_t size);
 * that fills in the problem (0: success; otherwise a sentence in error), and may have
 *     void zoprox_close(zo_problem *problem);                                                          */

typedef struct zo_plugin zo_plugin;
ZO_API zo_status zo_plugin_open(zo_plugin **out, const char *path, int argc, char **argv,
                                zo_problem *problem, zo_error *err);
ZO_API void zo_plugin_close(zo_plugin *plugin);

/* ---- A method in a shared object, for the command's --load ---------------------------------------- *
 *
 * It has a function
 *     int zoprox_method_open(zo_method *method, char *error, size_t size);
 * that fills in a zo_method with a ctx of its own (0: success; otherwise a sentence in error), once for each run, perhaps from
 * several threads; and may have
 *     void zoprox_method_close(zo_method *method);                                                      */

#ifdef __cplusplus
}
#endif
#endif
