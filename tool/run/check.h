/* What the parts of zoprox check share.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_CHECK_H
#define ZO_TOOL_CHECK_H

#include "core/tool.h"

typedef struct trial {
    const request *asked;
    task *from;
    double *x; /* two points */
    uint64_t comp[16];
    size_t ncomp; /* of these */
} trial;

int check_broken(const trial *t); /* FAILED, after the black box's own words */
/* Do all forms of questions give the same values? noise: of one value. DONE, or FAILED after a line. */
int check_forms(const trial *t, double noise, double queries_a_second);

#endif
