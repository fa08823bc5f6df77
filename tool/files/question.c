/* Questions of the protocol, as a worker reads and answers them.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* getline */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "files/files.h"

/* One more line of the question. 0: there is none. */
static int add_line(asked *q)
{
    char *line = NULL;
    size_t held = 0;
    ssize_t got = getline(&line, &held, stdin);
    if (got > 0 && q->size + (size_t)got + 1 > q->room) {
        q->room = 2 * (q->size + (size_t)got) + 4096;
        char *grown = realloc(q->text, q->room);
        if (!grown) exit(FAILED);
        q->text = grown;
    }
    if (got > 0) memcpy(q->text + q->size, line, (size_t)got + 1);
    q->size += got > 0 ? (size_t)got : 0;
    free(line);
    return got > 0;
}

int asked_read(asked *q)
{
    char kind[8];
    q->size = 0;
    if (!add_line(q)) return 0;
    if (sscanf(q->text, "%7s %llu %zu %zu", kind, &q->id, &q->npoints, &q->ncomp) != 4) return 0;
    q->each = !strcmp(kind, "each");
    size_t lines = 1 + q->npoints * (q->each ? q->ncomp : 1);
    while (lines && add_line(q)) lines--;
    return lines == 0;
}

/* ---- answers ---------------------------------------------------------------------------------------------- */

static const char *take_point(const char *text, size_t d, double *x)
{
    char *end;
    for (size_t j = 0; j < d; j++, text = end) x[j] = strtod(text, &end);
    return text;
}

/* The table of values, a row of ncomp for each point. DONE, or WORKER_... */
static int fill_table(const asked *q, const answerer *a, const size_t *comp, double *x, double *out)
{
    const char *points = strchr(strchr(q->text, '\n') + 1, '\n') + 1;
    for (size_t outer = 0; outer < (q->each ? q->ncomp : 1); outer++)
        for (size_t p = 0; p < q->npoints; p++) {
            points = take_point(points, a->d, x);
            size_t first = q->each ? outer : 0, end = q->each ? outer + 1 : q->ncomp;
            for (size_t e = first; e < end; e++) {
                int code = a->by_case || e == first ? a->run(a->ctx, x, comp[e]) : DONE;
                if (code) return code;
                out[p * q->ncomp + e] = a->got->at[a->by_case ? 0 : comp[e]];
            }
        }
    return DONE;
}

static void print_table(const asked *q, const double *out)
{
    char text[32];
    printf("%llu\n", q->id);
    for (size_t p = 0; p < q->npoints; p++)
        for (size_t e = 0; e < q->ncomp; e++)
            printf("%s%c", text_exact(out[p * q->ncomp + e], text, sizeof text),
                   e + 1 < q->ncomp ? ' ' : '\n');
    fflush(stdout);
}

int asked_answer(const asked *q, const answerer *a)
{
    size_t *comp = calloc(q->ncomp + 1, sizeof *comp);
    double *out = calloc(q->ncomp * q->npoints + 1, sizeof *out), *x = calloc(a->d + 1, sizeof *x);
    const char *line = strchr(q->text, '\n') + 1;
    int code = comp && out && x ? DONE : WORKER_FAILED;
    char *at = (char *)(uintptr_t)line;
    for (size_t e = 0; !code && e < q->ncomp; e++)
        comp[e] = *line == 'a' ? e : (size_t)strtoull(at, &at, 10);
    if (!code) code = fill_table(q, a, comp, x, out);
    if (!code) print_table(q, out);
    free(comp);
    free(out);
    free(x);
    return code;
}
