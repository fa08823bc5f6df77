/* Several starts that share a budget.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_STARTS_H
#define ZO_TOOL_STARTS_H

#include "core/tool.h"

enum { MOST_STARTS = 10000 };

typedef struct starts {
    double *x; /* d: where the first begins; then the best point of all */
    double best, units;
    uint64_t queries;
    size_t minima; /* that differ, of starts that converged */
} starts;

int starts_check(const request *r); /* DONE, or REFUSED after a line */
/* Spends a part of the budget, which control then lacks. DONE, or after a line. */
int starts_find(const request *r, const task *s, const zo_settings *set, zo_control *control,
                starts *out);

#endif
