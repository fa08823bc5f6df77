/* The report page's panel of traces and histories.
 * SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/page.h"
#include "view/series.h"

#define LEAST 1e-16 /* gaps below are rounding */

/* One curve: a method of its own on the page, called by its file. */
static json_t *line_json(const series *s, double least)
{
    json_t *one = json_object(), *run = json_object(), *trials = json_array();
    json_t *queries = json_array(), *seconds = json_array(), *gap = json_array();
    for (size_t k = 0; k < s->count; k++) {
        json_array_append_new(queries, json_number(s->x[k]));
        json_array_append_new(seconds, json_number(s->seconds[k]));
        json_array_append_new(gap, json_number(fmax(s->y[k] - least, LEAST)));
    }
    json_object_set_new(run, "seed", json_integer(1));
    json_object_set_new(run, "status", json_string("ok"));
    json_object_set_new(run, "units", queries); /* n d is not known here: a unit is a query */
    json_object_set_new(run, "seconds", seconds);
    json_object_set_new(run, "gap", gap);
    json_array_append_new(trials, run);
    const char *name = strrchr(s->name, '/');
    json_object_set_new(one, "method", json_text(name ? name + 1 : s->name));
    json_object_set_new(one, "settings", json_object());
    json_object_set_new(one, "trials", trials);
    return one;
}

/* What curves are drawn above: 0 where all are gaps already, else the least that was seen. */
static double least_of(const picture *p, int gaps)
{
    double least = INFINITY;
    for (size_t k = 0; k < p->count; k++)
        for (size_t a = 0; a < p->line[k].count; a++) least = fmin(least, p->line[k].y[a]);
    return gaps || isinf(least) ? 0 : least;
}

static json_t *panel_json(const picture *p, int gaps)
{
    json_t *one = json_object(), *lines = json_array();
    double least = least_of(p, gaps), most = 0;
    char text[96];
    for (size_t k = 0; k < p->count; k++) {
        const series *s = &p->line[k];
        json_array_append_new(lines, line_json(s, least));
        if (s->count) most = fmax(most, s->x[s->count - 1]);
    }
    snprintf(text, sizeof text, gaps ? "known" : "not known; above the least that was seen, %.9g",
             least);
    json_object_set_new(one, "title", json_string("Runs, over queries"));
    json_object_set_new(one, "n", json_integer(1));
    json_object_set_new(one, "d", json_integer(1));
    json_object_set_new(one, "optimum", json_string(text));
    json_object_set_new(one, "budget", json_number(most));
    json_object_set_new(one, "bound", json_null());
    json_object_set_new(one, "lines", lines);
    return one;
}

int page_files(json_t **out, const char *const *path, size_t count, const request *r)
{
    picture p = {0};
    int code = DONE, gaps = 1;
    *out = NULL;
    for (size_t k = 0; k < count && !code; k++) {
        code = picture_add(&p, path[k], r);
        gaps = gaps && !code && !strcmp(p.y, "F - F*");
    }
    if (!code) *out = panel_json(&p, gaps);
    picture_free(&p);
    return code;
}
