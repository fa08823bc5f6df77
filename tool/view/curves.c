/* Curves of traces, run stores and histories: which a file is, its first bytes say.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* getline */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/residuals.h"
#include "view/series.h"
#include "view/story.h"

/* ---- a trace -------------------------------------------------------------------------------------------- */

static size_t column_of(char *head, const char *name)
{
    size_t at = 0;
    for (char *word = strtok(head, ",\r\n"); word; word = strtok(NULL, ",\r\n"), at++)
        if (!strcmp(word, name)) return at;
    return SIZE_MAX;
}

static double field(const char *line, size_t k)
{
    for (; k; k--) {
        line = strchr(line, ',');
        if (!line) return NAN;
        line++;
    }
    char text[40];
    double v;
    size_t size = strcspn(line, ",\r\n");
    if (size == 0 || size >= sizeof text) return NAN;
    memcpy(text, line, size);
    text[size] = 0;
    return text_number(text, &v) ? v : NAN;
}

static size_t named(const char *head, const char *name)
{
    char copy[512];
    snprintf(copy, sizeof copy, "%s", head);
    return column_of(copy, name);
}

/* The gap where it is known, else F, over queries. */
static int add_trace(picture *p, const char *path, FILE *in, const char *head)
{
    char line[4096];
    size_t x = named(head, "queries"), f = named(head, "objective"), gap = named(head, "gap"),
           seconds = named(head, "seconds");
    series *s = picture_series(p, path);
    int gaps = 1, fine = s != NULL;
    long begin = ftell(in);
    while (fine && fgets(line, sizeof line, in)) gaps = gaps && !isnan(field(line, gap));
    if (fine) fseek(in, begin, SEEK_SET);
    while (fine && fgets(line, sizeof line, in))
        fine = series_add(s, field(line, x), field(line, gaps ? gap : f), field(line, seconds));
    p->x = "queries";
    p->y = gaps ? "F - F*" : "F";
    return fine ? DONE : complain(FAILED, "plot: out of memory");
}

/* ---- a history ------------------------------------------------------------------------------------------ */

static int add_history(picture *p, const char *path, const request *r)
{
    story t = {0};
    residuals o = {0};
    int code = residuals_open(&o, r, &t), fine = 1;
    if (!code) code = story_read(&t, path);
    if (!code) code = residuals_fit(&o, r, &t, path);
    series *s = code ? NULL : picture_series(p, path);
    for (size_t k = 0; s && fine && k < t.nbest; k++) {
        const moment *m = &t.best[k];
        if (k) fine = series_add(s, (double)m->at, m[-1].value, m->seconds); /* steps */
        if (fine) fine = series_add(s, (double)m->at, m->value, m->seconds);
    }
    if (s && t.nbest && fine)
        fine = series_add(s, (double)t.evaluations, t.best[t.nbest - 1].value, t.seconds);
    if (!code && !t.nbest)
        code = complain(REFUSED, "plot: '%s' has no point at which all %zu components are known",
                        path, t.n ? t.n : t.largest);
    story_free(&t);
    residuals_close(&o);
    p->x = "evaluations";
    p->y = "best mean of f";
    return code ? code : s && fine ? DONE : complain(FAILED, "plot: out of memory");
}

/* ---- which it is ------------------------------------------------------------------------------------------ */

int picture_add(picture *p, const char *path, const request *r)
{
    static const char header[] = "step,queries,", sqlite[] = "SQLite format 3";
    char *head = NULL;
    size_t room = 0;
    FILE *in = fopen(path, "re");
    if (!in)
        return complain(REFUSED, "%s: cannot open '%s': %s", r->command->name, path,
                        strerror(errno));
    int code, some = getline(&head, &room, in) > 0;
    if (some && !strncmp(head, header, sizeof header - 1))
        code = add_trace(p, path, in, head);
    else if (some && !strncmp(head, sqlite, sizeof sqlite - 1))
        code = picture_store(p, path);
    else if (some && !strstr(head, "value"))
        code = complain(REFUSED,
                        "%s: '%s' is neither a trace (--trace) nor a run store nor a history "
                        "(--history: columns x0, x1, ..., value)",
                        r->command->name, path);
    else
        code = add_history(p, path, r);
    fclose(in);
    free(head);
    if (code == REFUSED + FAILED) code = add_history(p, path, r); /* SQLite, and no store */
    return code;
}
