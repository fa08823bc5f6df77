/* A page beside a run.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_BESIDE_H
#define ZO_TOOL_BESIDE_H

#include <sys/types.h>

#include "core/tool.h"

#define BESIDE                                                                                     \
    "ZOPROX_BESIDE" /* environment of watch: the run that started it, and ends it by closing its input */

enum { BESIDE_DOOR = 3 }; /* and the socket that it serves the page on */

typedef struct beside {
    char folder[256], history[320], progress[320]; /* "": no page is wanted */
    int door;                                      /* where it is served; -1: it is a file */
    pid_t child;
    int pipe;
} beside;

/* r gets a history and a file of progress, where it has none. DONE, or after a line. */
int beside_prepare(beside *b, request *r);
int beside_start(beside *b, const request *r); /* both are there */
void beside_end(beside *b);

#endif
