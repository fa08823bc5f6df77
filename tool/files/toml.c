/* The part of TOML that a list of parameters needs, as JSON values: tables, numbers, strings, booleans, arrays.
 * SPDX-License-Identifier: MIT */
#include "files/files.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/text.h"

enum { DEEPEST = 8 };

typedef struct cursor {
    const char *at, *path;
    int line, depth;
} cursor;

static json_t *wrong(const cursor *c, const char *what)
{
    complain(REFUSED, "parameters: '%s', line %d: %s", c->path, c->line, what);
    return NULL;
}

/* Blanks and comments; with lines also the ends of lines. */
static void skip(cursor *c, int lines)
{
    for (;; c->at++) {
        if (*c->at == '#') c->at += strcspn(c->at, "\n");
        if (*c->at == '\n' && lines)
            c->line++;
        else if (!*c->at || *c->at == '\n' || !isspace((unsigned char)*c->at))
            return;
    }
}

/* A word or a quoted one, in text. 0: there is none, or it is too long. */
static int take_key(cursor *c, char *text, size_t size)
{
    char quote = *c->at == '"' || *c->at == '\'' ? *c->at++ : 0;
    size_t length = 0;
    while (quote ? *c->at && *c->at != quote && *c->at != '\n'
                 : isalnum((unsigned char)*c->at) || (*c->at && strchr("_-.", *c->at))) {
        if (length + 1 >= size) return 0;
        text[length++] = *c->at++;
    }
    text[length] = 0;
    if (quote && *c->at++ != quote) return 0;
    return length > 0;
}

static json_t *take_value(cursor *c);

static json_t *take_string(cursor *c)
{
    char text[256];
    if (c->at[1] == *c->at) return c->at += 2, json_string("");
    return take_key(c, text, sizeof text) ? json_string(text) : wrong(c, "a string does not end");
}

static json_t *take_word(cursor *c)
{
    char text[64];
    double v;
    size_t length = strcspn(c->at, " \t\r\n,]}#");
    snprintf(text, sizeof text, "%.*s", (int)length, c->at);
    c->at += length;
    if (!strcmp(text, "true") || !strcmp(text, "false")) return json_boolean(*text == 't');
    if (!text_number(text, &v)) return wrong(c, "a number, true, false or a \"string\" is needed");
    return isfinite(v) ? json_real(v) : json_string(text); /* JSON has no such numbers */
}

static json_t *take_array(cursor *c)
{
    json_t *all = json_array();
    for (c->at++, skip(c, 1); *c->at != ']'; skip(c, 1)) {
        json_t *one = *c->at ? take_value(c) : wrong(c, "an array does not end");
        if (!one) return json_decref(all), NULL;
        json_array_append_new(all, one);
        skip(c, 1);
        if (*c->at == ',') c->at++;
    }
    c->at++;
    return all;
}

/* KEY = VALUE into table. 0: after a line. */
static int take_pair(cursor *c, json_t *table)
{
    char key[128];
    if (!take_key(c, key, sizeof key)) return wrong(c, "a name is needed here"), 0;
    skip(c, 0);
    if (*c->at++ != '=') return wrong(c, "a name is followed by '='"), 0;
    skip(c, 0);
    if (json_object_get(table, key)) return wrong(c, "this name is there already"), 0;
    json_t *value = take_value(c);
    return value && !json_object_set_new(table, key, value);
}

static json_t *take_inline(cursor *c)
{
    json_t *table = json_object();
    for (c->at++, skip(c, 1); *c->at != '}'; skip(c, 1)) {
        if (!take_pair(c, table)) return json_decref(table), NULL;
        skip(c, 1);
        if (*c->at == ',') c->at++;
    }
    c->at++;
    return table;
}

static json_t *take_value(cursor *c)
{
    if (++c->depth > DEEPEST) return wrong(c, "too many brackets");
    json_t *value = *c->at == '"' || *c->at == '\'' ? take_string(c)
                    : *c->at == '['                 ? take_array(c)
                    : *c->at == '{'                 ? take_inline(c)
                                                    : take_word(c);
    c->depth--;
    return value;
}

/* [NAME]: the table that follows. */
static json_t *take_head(cursor *c, json_t *all)
{
    char key[128];
    c->at++;
    skip(c, 0);
    if (!take_key(c, key, sizeof key)) return wrong(c, "a name is needed between brackets");
    skip(c, 0);
    if (*c->at++ != ']') return wrong(c, "a bracket does not end");
    if (json_object_get(all, key)) return wrong(c, "this name is there already");
    json_t *table = json_object();
    return json_object_set_new(all, key, table) ? NULL : table;
}

json_t *toml_parse(const char *text, const char *path)
{
    cursor c = {.at = text, .path = path, .line = 1};
    json_t *all = json_object(), *table = all;
    for (skip(&c, 1); *c.at && table; skip(&c, 1)) {
        if (*c.at == '[')
            table = take_head(&c, all);
        else if (!take_pair(&c, table))
            table = NULL;
        skip(&c, 0);
        if (table && *c.at && *c.at != '\n') table = wrong(&c, "one entry a line");
    }
    if (!table) json_decref(all);
    return table ? all : NULL;
}
