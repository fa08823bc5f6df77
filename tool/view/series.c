/* Curves to be drawn: lists of points, and the ranges of them all.
 * SPDX-License-Identifier: MIT */
#include "view/series.h"

#include <math.h>
#include <stdlib.h>

series *picture_series(picture *p, const char *name)
{
    if (p->count == p->room) {
        series *grown = realloc(p->line, (2 * p->room + 8) * sizeof *grown);
        if (!grown) return NULL;
        p->line = grown;
        p->room = 2 * p->room + 8;
    }
    series *s = &p->line[p->count++];
    *s = (series){0};
    snprintf(s->name, sizeof s->name, "%s", name);
    return s;
}

static int grow(double **list, size_t room)
{
    double *grown = realloc(*list, room * sizeof *grown);
    if (grown) *list = grown;
    return grown != NULL;
}

int series_add(series *s, double x, double y, double seconds)
{
    if (!isfinite(x) || !isfinite(y)) return 1;
    if (s->count == s->room) {
        size_t room = 2 * s->room + 256;
        if (!grow(&s->x, room) || !grow(&s->y, room) || !grow(&s->seconds, room)) return 0;
        s->room = room;
    }
    s->x[s->count] = x;
    s->seconds[s->count] = seconds;
    s->y[s->count++] = y;
    return 1;
}

void picture_free(picture *p)
{
    for (size_t k = 0; k < p->count; k++) {
        free(p->line[k].x);
        free(p->line[k].y);
        free(p->line[k].seconds);
    }
    free(p->line);
    *p = (picture){0};
}

void picture_settle(picture *p)
{
    size_t seen = 0;
    for (size_t k = 0; k < p->count; k++)
        for (size_t a = 0; a < p->line[k].count; a++) {
            const double v[2] = {p->line[k].x[a], p->line[k].y[a]};
            for (int c = 0; c < 2; c++) {
                p->low[c] = seen ? fmin(p->low[c], v[c]) : v[c];
                p->high[c] = seen ? fmax(p->high[c], v[c]) : v[c];
            }
            seen++;
        }
    p->logarithmic = seen && p->low[1] > 0 && p->high[1] > 30 * p->low[1];
    for (int c = 0; c < 2; c++)
        if (!(p->high[c] > p->low[c])) {
            double room = p->low[c] != 0 ? fabs(p->low[c]) / 2 : 1;
            p->low[c] -= room;
            p->high[c] += room;
        }
}
