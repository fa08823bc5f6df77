/* Questions of the protocol, as a worker reads them.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* getline */
#include <stdlib.h>
#include <string.h>

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
