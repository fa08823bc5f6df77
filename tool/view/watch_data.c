/* What a page is told: moments, the best point, cases, failures, progress, as JSON.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/watch.h"

enum {
    CASES = 4096,
    SENT = 2048, /* moments in one answer, or pairs of them */
};

/* The last whole line of the progress file as JSON, or null. */
static json_t *last_progress(const char *path)
{
    char text[8192];
    FILE *in = path ? fopen(path, "re") : NULL;
    if (!in) return json_null();
    long back = 0, size;
    if (!fseek(in, 0, SEEK_END) && (size = ftell(in)) > 0)
        back = size < (long)sizeof text - 1 ? size : (long)sizeof text - 1;
    size_t got = back && !fseek(in, -back, SEEK_END) ? fread(text, 1, (size_t)back, in) : 0;
    fclose(in);
    while (got && text[got - 1] != '\n') got--;
    if (!got) return json_null();
    text[got - 1] = 0;
    char *line = strrchr(text, '\n');
    json_t *value = json_loads(line ? line + 1 : text, 0, NULL);
    return value ? value : json_null();
}

/* The last of every so many best points: what is drawn is a staircase of a few hundred pixels. */
static size_t stride_of(size_t count) { return (count + SENT - 1) / SENT; }

static size_t next_best(const story *s, size_t from, size_t k)
{
    size_t stride = stride_of(s->nbest - from);
    return k + 1 < s->nbest && k + stride >= s->nbest ? s->nbest - 1 : k + stride;
}

static json_t *best_points(const story *s, size_t from)
{
    json_t *rows = json_array();
    for (size_t k = from; k < s->nbest; k = next_best(s, from, k)) {
        json_t *row = json_array();
        for (size_t j = 0; j < s->d && j < NAMES_SHOWN; j++)
            json_array_append_new(row, json_real(s->x[k * s->d + j]));
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *names(const story *s)
{
    json_t *all = json_array();
    for (size_t j = 0; j < s->d && j < NAMES_SHOWN; j++)
        json_array_append_new(all, json_text(s->name[j]));
    return all;
}

/* Units of the columns that --parameters names. */
static json_t *units(const view *v)
{
    const story *s = &v->story;
    json_t *all = json_array();
    for (size_t j = 0; j < s->d && j < NAMES_SHOWN; j++) {
        const char *unit = "";
        for (size_t k = 0; v->known && k < v->known->count; k++)
            if (!strcmp(v->known->names[k], s->name[j])) unit = v->known->at[k].unit;
        json_array_append_new(all, json_text(unit));
    }
    return all;
}

static json_t *failures(const story *s)
{
    json_t *rows = json_array();
    for (uint64_t k = 0; k < s->failures && k < FAILURES_SHOWN; k++) { /* the last one first */
        size_t at = (size_t)((s->failures - 1 - k) % FAILURES_SHOWN);
        json_t *text = json_string(s->failure[at].text);
        json_array_append_new(rows, json_pack("[I, I, o]", (json_int_t)s->failure[at].at,
                                              (json_int_t)s->failure[at].component,
                                              text ? text : json_string("?")));
    }
    return rows;
}

typedef struct moments {
    json_t *at, *value;
} moments;

static moments no_moments(void) { return (moments){json_array(), json_array()}; }

static void add(moments *to, const moment *m)
{
    json_array_append_new(to->at, json_integer((json_int_t)m->at));
    json_array_append_new(to->value, json_real(m->value));
}

static void put(json_t *all, const char *at, const char *value, moments m)
{
    json_object_set_new(all, at, m.at);
    json_object_set_new(all, value, m.value);
}

/* Of every so many points the lowest and the highest, in their order: a hundred thousand look the same so. */
static moments whole_points(const story *s, size_t from)
{
    moments out = no_moments();
    size_t stride = stride_of(s->nwhole - from);
    for (size_t k = from; k < s->nwhole; k += stride) {
        size_t low = k, high = k;
        for (size_t j = k; j < k + stride && j < s->nwhole; j++) {
            if (s->whole[j].value < s->whole[low].value) low = j;
            if (s->whole[j].value > s->whole[high].value) high = j;
        }
        add(&out, &s->whole[low < high ? low : high]);
        if (low != high) add(&out, &s->whole[low < high ? high : low]);
    }
    return out;
}

static moments best_values(const story *s, size_t from)
{
    moments out = no_moments();
    for (size_t k = from; k < s->nbest; k = next_best(s, from, k)) add(&out, &s->best[k]);
    return out;
}

static char *told(const view *v, page_has there, json_t *progress)
{
    const story *s = &v->story;
    /* with more components than were known of, the story begins anew */
    int anew = there.n != s->n || there.whole > s->nwhole || there.best > s->nbest;
    size_t whole = anew ? 0 : there.whole, best = anew ? 0 : there.best;
    const char *last = strrchr(v->path, '/'), *name = last ? last + 1 : v->path;
    json_t *title = json_string(v->beside ? v->beside : name), *cases = json_array();
    for (size_t i = 0; s->nbest && i < s->n && i < CASES; i++)
        json_array_append_new(cases, json_real(s->cases[i] - residuals_target(&v->residuals, i)));
    json_t *all = json_pack(
        "{s:o, s:I, s:I, s:I, s:I, s:f, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:b}", "name",
        title ? title : json_string("a history"), "n", (json_int_t)s->n, "d", (json_int_t)s->d,
        "evaluations", (json_int_t)s->evaluations, "failures", (json_int_t)s->failures, "seconds",
        s->seconds, "from", (json_int_t)whole, "best_from", (json_int_t)best, "best_x",
        best_points(s, best), "cases", cases, "fails", failures(s), "names", names(s), "progress",
        progress, "residuals", s->outer != NULL);
    if (!all) return NULL;
    json_object_set_new(all, "whole", json_integer((json_int_t)s->nwhole));
    json_object_set_new(all, "best", json_integer((json_int_t)s->nbest));
    json_object_set_new(all, "units", units(v));
    put(all, "at", "f", whole_points(s, whole));
    put(all, "best_at", "best_f", best_values(s, best));
    char *text = json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(12));
    json_decref(all);
    return text;
}

/* Progress first: where it says that the run is over, all of its evaluations are in the history by now. */
int watch_data(view *v, page_has there, char **text)
{
    *text = NULL;
    json_t *progress = last_progress(v->progress);
    int code = story_read(&v->story, v->path);
    if (code)
        json_decref(progress);
    else if (!(*text = told(v, there, progress)))
        code = complain(FAILED, "watch: out of memory");
    return code;
}
