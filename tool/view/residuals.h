/* A history whose values are residuals: what is on top of them.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_VIEW_RESIDUALS_H
#define ZO_VIEW_RESIDUALS_H

#include "core/tool.h"
#include "view/story.h"

typedef struct residuals {
    zo_outer outer;            /* and what it borrows: */
    double *weights, *targets; /* n numbers each, or NULL */
    size_t n;                  /* 0: not known */
} residuals;

/* What --residuals, --weights and --targets say, on top of the story's values; this must stay as long as the story is read.
 * DONE, or after a line. */
int residuals_open(residuals *o, const request *r, story *s);
/* Are weights and targets as many as there are cases? DONE, or REFUSED after a line. A file does not tell values from residuals:
 * without --residuals a remark says what is taken for f. */
int residuals_fit(const residuals *o, const request *r, const story *s, const char *path);
double residuals_target(const residuals *o, size_t i);
void residuals_close(residuals *o);

#endif
