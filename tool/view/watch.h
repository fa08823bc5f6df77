/* A history as a page sees it. SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_WATCH_H
#define ZO_TOOL_WATCH_H

#include "files/parameters.h"
#include "view/residuals.h"
#include "view/story.h"

typedef struct view {
    const char *path, *progress; /* progress: the file of --progress, or NULL */
    story story;
    residuals residuals;
    parameters *known; /* their units are shown; or NULL */
    int port;
    const char *beside; /* the run that started us; or NULL */
    int quiet;
    double over;  /* clock when it ended; 0: it has not */
    double asked; /* clock when data were asked for last */
} view;

/* What a page has: so many whole and best points, of so many components. */
typedef struct page_has {
    size_t n, whole, best;
} page_has;

/* The history is read on, and all that came behind what a page has is told: text that free takes. DONE, or after a line
 * what reading gave. */
int watch_data(view *v, page_has there, char **text);

#endif
