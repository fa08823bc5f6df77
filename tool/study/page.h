/* The report page.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_PAGE_H
#define ZO_TOOL_PAGE_H

#include <jansson.h>

#include "study/study.h"

/* s: a run store, or NULL; more: a panel of other runs, or NULL, which is released. DONE, or FAILED after a line. */
int page_write(runs *s, json_t *more, const char *path);
/* A panel of traces and histories. DONE, or after a line. */
int page_files(json_t **out, const char *const *path, size_t count, const request *r);

#endif
