/* The first words between us and a worker: a question without points, and "0"; before it, perhaps, "zoprox-means" or "zoprox-all".
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "problem/process/crew.h"

enum { LONGEST_GREETING = 64 }; /* bytes without a newline that are waited with */

int greet(crew *c, seat *s)
{
    static const char hello[] = "eval 0 0 1\n0\n";
    c->text.begin = c->text.end = 0;
    s->since = crew_clock();
    return bytes_add(&c->text, hello, sizeof hello - 1) && seat_send(c, s);
}

static int is_line(const char *line, size_t size, const char *text)
{
    return size == strlen(text) && !memcmp(line, text, size);
}

int greeted(crew *c, seat *s)
{
    bytes *from = &s->w.from;
    size_t waiting = from->end - from->begin;
    char *line = from->at + from->begin, *end = waiting ? memchr(line, '\n', waiting) : NULL;
    if (!end && waiting < LONGEST_GREETING) return 0;
    size_t size = end ? (size_t)(end - line) - (end > line && end[-1] == '\r') : waiting;
    if (end) from->begin += (size_t)(end - line) + 1;
    if (is_line(line, size, "zoprox-means") && (!c->met || c->facts.means))
        return c->facts.means = 1;
    if (is_line(line, size, "zoprox-all") && (!c->met || c->facts.all)) return c->facts.all = 1;
    s->w.spoke = 0; /* of itself, not of values */
    if (is_line(line, size, "0")) return c->met = s->greeted = 1;
    char seen[64];
    text_quote(line, size, seen, sizeof seen);
    snprintf(c->why, sizeof c->why,
             "to the question without points it answered '%s' instead of '0', the question's ID",
             seen);
    return -1;
}
