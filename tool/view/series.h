/* Curves to be drawn, from traces, run stores and histories.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_SERIES_H
#define ZO_SERIES_H

#include "core/tool.h"

typedef struct series {
    char name[96];
    double *x, *y, *seconds;
    size_t count, room;
} series;

typedef struct picture {
    series *line;
    size_t count, room;
    const char *x, *y; /* what is along the axes */
    int logarithmic;   /* y: set by picture_settle */
    double low[2], high[2];
} picture;

/* Adds what is in a file, whichever of the three it is, as the request says where it is a history of residuals. DONE, or
 * after a line REFUSED or FAILED. */
int picture_add(picture *p, const char *path, const request *r);
void picture_settle(picture *p); /* ranges, and whether y is logarithmic */
void picture_free(picture *p);
series *picture_series(picture *p, const char *name); /* NULL: out of memory */
/* seconds: since the run began. 0: out of memory */
int series_add(series *s, double x, double y, double seconds);
int picture_store(picture *p, const char *path); /* of a run store (store.c) */

void draw_braille(const picture *p, FILE *out, int columns, int rows, int colours);

#endif
