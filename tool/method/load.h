/* Methods from outside: --load FILE.so, --load FILE.py[:CLASS]. See docs/own-method.md.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_LOAD_H
#define ZO_TOOL_LOAD_H

#include "core/tool.h"

typedef struct own_method own_method; /* one of them, at work for one solver */

/* Those that the request names are known by name from now on; where it names no --method, the first is meant. DONE, or
 * after a line. */
int methods_load(request *r);
const char *loaded_at(size_t k); /* the k-th name; NULL behind the last */
/* Of the file that it came from: what a trial of it depends on. 0: none of that name was loaded. */
uint64_t loaded_print(const char *name);

/* zo_new, or zo_new_with where settings->method was loaded; *own is given back after the solver. */
zo_status solver_open(zo_solver **out, own_method **own, const zo_problem *problem,
                      const zo_settings *settings, zo_error *err);
const char *own_failed(const own_method *own); /* a sentence where it went wrong; otherwise "" */
void own_close(own_method *own);               /* takes NULL */

#endif
