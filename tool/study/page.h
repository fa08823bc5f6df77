/* The report page.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_PAGE_H
#define ZO_TOOL_PAGE_H

#include "study/study.h"

int page_write(runs *s, const char *path); /* DONE, or FAILED after a line */

#endif
