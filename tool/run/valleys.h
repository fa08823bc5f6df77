/* Is there more than one valley? A look along a line after a run on a box.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_VALLEYS_H
#define ZO_TOOL_VALLEYS_H

#include "core/tool.h"

typedef struct valleys {
    size_t count;     /* valleys along the line; 0: nobody looked */
    double lowest;    /* value of F seen there */
    uint64_t queries; /* that it took */
} valleys;

/* After a run from x0 that converged at its point, with so many queries left of its budget. What it asks is at most a
 * tenth of what the run has asked. */
valleys valleys_look(const request *r, const task *s, const zo_control *control,
                     const zo_report *report, const double *x0, const double *end);

#endif
