/* Is one sample below another, or do they tie?
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_RANK_H
#define ZO_TOOL_RANK_H

#include <stddef.h>

/* Wilcoxon's rank-sum test, two-sided: the probability of ranks as far apart as these or farther, had both samples one
 * distribution. Exact up to 12 values a side without ties among them, else normal with the corrections for ties and
 * continuity. */
double rank_test(const double *a, size_t na, const double *b, size_t nb);

#define RANK_TIE 0.05 /* above it nobody is ahead */

#endif
