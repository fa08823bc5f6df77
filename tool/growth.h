/* Table 1 as measured.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_GROWTH_H
#define ZO_TOOL_GROWTH_H

#include "study.h"

/* How queries to a gap grow with n, d and kappa; a table on out, its trials and slopes in the store. */
int growth_run(runs *store, FILE *out, const request *r);

#endif
