/* The words of a line for a shell. SPDX-License-Identifier: MIT
 *
 * Nothing is expanded: a word in which a shell would put something else has no text. */
#include "core/line.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#define BETWEEN " \t\n|&;<>()=" /* words */

/* The word at p, with quotes: what it says goes to text. Returns its size in the line. */
static size_t take_word(const char *p, char *text, size_t room)
{
    size_t at = 0, k = 0;
    int whole = 1;
    char quote = 0;
    for (; p[k] && (quote || !strchr(BETWEEN, p[k])); k++) {
        if (quote ? p[k] == quote : p[k] == '\'' || p[k] == '"') {
            quote = quote ? 0 : p[k];
            continue;
        }
        if (quote != '\'' && (p[k] == '$' || p[k] == '`')) whole = 0;
        if (quote != '\'' && p[k] == '\\' && p[k + 1]) k++;
        if (at + 1 < room)
            text[at++] = p[k];
        else
            whole = 0;
    }
    text[whole ? at : 0] = 0;
    return k;
}

int line_next(line_word *w)
{
    const char *p = w->at + w->size;
    w->command = w->size == 0; /* the first */
    w->written = 0;
    for (; *p && strchr(BETWEEN, *p); p++) {
        if (strchr("|&;(", *p)) w->command = 1;
        if (!isspace((unsigned char)*p)) w->written = *p == '>';
    }
    w->at = p;
    w->size = take_word(p, w->text, sizeof w->text);
    return w->size > 0;
}

/* A file of the run itself: what a template becomes, or what is read. */
static int is_own(const request *r, const char *word)
{
    for (size_t k = 0; k < r->template.count; k++) {
        const char *name = strrchr(r->template.at[k], '=');
        if (name && !strcmp(name + 1, word)) return 1;
    }
    for (size_t k = 0; k < r->read.count; k++) {
        size_t size = strcspn(r->read.at[k], ":");
        if (strlen(word) == size && !memcmp(r->read.at[k], word, size)) return 1;
    }
    return 0;
}

int line_reads(const request *r, const line_word *w)
{
    if (!*w->text || w->written || is_own(r, w->text)) return 0;
    if (w->command && !strchr(w->text, '/')) return 0; /* PATH knows it */
    return access(w->text, F_OK) == 0;
}
