/* The rule behind the map: who moves farthest for a unit of queries.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_RULE_H
#define ZO_TOOL_RULE_H

#include "study/map.h"

/* What the rule foretells of every cell, beside what was measured at the last mark; for people and in the store. */
int rule_leave(FILE *out, runs *store, panel *const *p, size_t count);

#endif
