/* What a history tells: F at the points that are known in full, the best of them, failures.
 * SPDX-License-Identifier: MIT */
#include "view/story.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tool.h"
#include "history/parts.h"
#include "problem/outer.h"

enum { MOST_OPEN = 4096, LEAST_OPEN = 16, MOST_VALUES = 1 << 23, NEIGHBOURS = 8 };

struct open_point {
    uint64_t hash, last; /* 0: nobody; evaluations at its last value */
    size_t count;        /* components that are known */
};

void story_free(story *s)
{
    free(s->whole);
    free(s->best);
    free(s->x);
    free(s->cases);
    free(s->open);
    free(s->open_x);
    free(s->open_value);
    *s = (story){.outer = s->outer, .nouter = s->nouter};
}

/* ---- lists that grow -------------------------------------------------------------------------------- */

static int grow(void **list, size_t *room, size_t count, size_t size)
{
    if (count < *room) return 1;
    size_t wanted = 2 * *room + 256;
    void *grown = realloc(*list, wanted * size);
    if (!grown) return 0;
    *list = grown;
    *room = wanted;
    return 1;
}

static int add_best(story *s, const moment *m, const double *x, const double *values)
{
    if (!grow((void **)&s->best, &s->best_room, s->nbest, sizeof *s->best) ||
        !grow((void **)&s->x, &s->x_room, s->nbest, s->d * sizeof *s->x))
        return 0;
    memcpy(s->x + s->nbest * s->d, x, s->d * sizeof *x);
    memcpy(s->cases, values, s->n * sizeof *values);
    s->best[s->nbest++] = *m;
    return 1;
}

static int add_whole(story *s, const double *x, const double *values)
{
    double sum = 0;
    int on_top = s->outer && s->n <= s->nouter;
    for (size_t i = 0; i < s->n; i++)
        sum += on_top ? outer_value(s->outer, i, values[i]) : values[i];
    moment m = {s->evaluations, sum / (double)s->n, s->seconds};
    if (!grow((void **)&s->whole, &s->whole_room, s->nwhole, sizeof m)) return 0;
    s->whole[s->nwhole++] = m;
    return s->nbest && !(m.value < s->best[s->nbest - 1].value) ? 1 : add_best(s, &m, x, values);
}

/* ---- points that are not known in full yet ------------------------------------------------------------- */

/* Its place; where all neighbours are taken, the one that has waited longest gives way. */
static size_t place_of(story *s, const double *x)
{
    uint64_t hash = history_mix(1, x, s->d) | 1;
    size_t first = (size_t)(hash % s->nopen), oldest = first;
    for (size_t k = 0; k < NEIGHBOURS; k++) {
        size_t at = (first + k) % s->nopen;
        struct open_point *o = &s->open[at];
        if (o->hash == hash && !memcmp(s->open_x + at * s->d, x, s->d * sizeof *x)) return at;
        if (o->last < s->open[oldest].last) oldest = at;
    }
    s->open[oldest] = (struct open_point){.hash = hash};
    memcpy(s->open_x + oldest * s->d, x, s->d * sizeof *x);
    for (size_t i = 0; i < s->n; i++) s->open_value[oldest * s->n + i] = NAN;
    return oldest;
}

static int open_table(story *s)
{
    s->n = s->largest;
    s->nopen = MOST_VALUES / (s->n + s->d);
    if (s->nopen > MOST_OPEN) s->nopen = MOST_OPEN;
    if (s->nopen < LEAST_OPEN) s->nopen = LEAST_OPEN;
    s->open = calloc(s->nopen, sizeof *s->open);
    s->open_x = calloc(s->nopen * s->d, sizeof *s->open_x);
    s->open_value = calloc(s->nopen * s->n, sizeof *s->open_value);
    s->cases = calloc(s->n, sizeof *s->cases);
    return s->open && s->open_x && s->open_value && s->cases;
}

/* ---- reading -------------------------------------------------------------------------------------------- */

typedef struct reader {
    story *s;
    past *p;
} reader;

/* First: which components there are. */
static int look(void *ctx, const evaluation *e)
{
    story *s = ((reader *)ctx)->s;
    size_t i = e->component == NO_COMPONENT ? 0 : (size_t)e->component;
    if (i >= s->largest) s->largest = i + 1;
    return 1;
}

static void note_failure(story *s, const evaluation *e)
{
    size_t k = s->failures++ % FAILURES_SHOWN;
    s->failure[k].at = s->evaluations;
    s->failure[k].component = e->component == NO_COMPONENT ? 0 : e->component;
    snprintf(s->failure[k].text, sizeof s->failure[k].text, "%s",
             e->failure ? e->failure : "no value");
}

static int tell(void *ctx, const evaluation *e)
{
    const reader *r = ctx;
    story *s = r->s;
    size_t i = e->component == NO_COMPONENT ? 0 : (size_t)e->component;
    s->d = r->p->d;
    s->evaluations++;
    if (e->seconds > 0) s->seconds += e->seconds;
    if (!isfinite(e->value)) return note_failure(s, e), 1;
    if (!s->open && !open_table(s)) return 0;
    if (i >= s->n) return 1; /* it came after we looked: the next reading begins anew */
    size_t at = place_of(s, e->x);
    struct open_point *o = &s->open[at];
    double *value = s->open_value + at * s->n;
    o->last = s->evaluations;
    o->count += isnan(value[i]) ? 1U : 0U;
    value[i] = e->value;
    if (o->count < s->n) return 1;
    int fine = add_whole(s, s->open_x + at * s->d, value);
    *o = (struct open_point){0};
    return fine;
}

static void name(void *ctx, size_t j, const char *text, size_t size)
{
    story *s = ((reader *)ctx)->s;
    if (j < NAMES_SHOWN) snprintf(s->name[j], NAME_SHOWN, "%.*s", (int)size, text);
}

static int read_by(story *s, const char *path, int (*row)(void *, const evaluation *),
                   uint64_t *from)
{
    zo_error err;
    reader r = {.s = s};
    past p = {.path = path,
              .what = "history",
              .d = s->d,
              .from = *from,
              .row = row,
              .head = name,
              .ctx = &r};
    r.p = &p;
    if (history_format(path)->read(&p, &err))
        return err.status == ZO_IO ? complain(REFUSED, "%s", err.text) : complain_of(&err);
    *from = p.from;
    return DONE;
}

int story_read(story *s, const char *path)
{
    uint64_t begin = s->from;
    int code = read_by(s, path, look, &begin);
    if (!code && s->open && s->largest > s->n) { /* more components than we knew of */
        size_t largest = s->largest;
        story_free(s);
        s->largest = largest;
    }
    return code ? code : read_by(s, path, tell, &s->from);
}
