/* Facts: numbers of a table, by line and column, in the order in which they were found.
 * SPDX-License-Identifier: MIT */
#include "study/theory.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void fact_add(facts *f, const char *row, const char *name, double value)
{
    if (f->count == f->room) {
        size_t room = f->room ? 2 * f->room : 64;
        void *more = realloc(f->v, room * sizeof *f->v);
        if (!more) {
            f->failed = 1;
            return;
        }
        f->v = more;
        f->room = room;
    }
    fact *a = &f->v[f->count++];
    snprintf(a->line, sizeof a->line, "%s", row);
    snprintf(a->name, sizeof a->name, "%s", name);
    a->value = value;
}

static const fact *find(const facts *f, const char *row, const char *name)
{
    for (size_t k = 0; k < f->count; k++)
        if (!strcmp(f->v[k].line, row) && !strcmp(f->v[k].name, name)) return &f->v[k];
    return NULL;
}

static int first_line(const facts *f, size_t k)
{
    for (size_t j = 0; j < k; j++)
        if (!strcmp(f->v[j].line, f->v[k].line)) return 0;
    return 1;
}

static int first_name(const facts *f, size_t k)
{
    for (size_t j = 0; j < k; j++)
        if (!strcmp(f->v[j].name, f->v[k].name)) return 0;
    return 1;
}

static void print_value(FILE *out, const fact *a)
{
    double v = a ? a->value : NAN;
    if (!a)
        fprintf(out, "  |");
    else if (isnan(v))
        fprintf(out, " - |");
    else if (v == 0 || (fabs(v) >= 1e-2 && fabs(v) < 1e5))
        fprintf(out, " %.4g |", v);
    else
        fprintf(out, " %.2e |", v);
}

void facts_print(FILE *out, const facts *f)
{
    size_t columns = 0;
    fprintf(out, "| |");
    for (size_t k = 0; k < f->count; k++)
        if (first_name(f, k)) fprintf(out, " %s |", f->v[k].name), columns++;
    fprintf(out, "\n|---|");
    for (size_t k = 0; k < columns; k++) fprintf(out, "---|");
    for (size_t k = 0; k < f->count; k++) {
        if (!first_line(f, k)) continue;
        fprintf(out, "\n| %s |", f->v[k].line);
        for (size_t j = 0; j < f->count; j++)
            if (first_name(f, j)) print_value(out, find(f, f->v[k].line, f->v[j].name));
    }
    fprintf(out, "\n\n");
}

json_t *facts_as_json(const facts *f)
{
    json_t *all = json_object(), *columns = json_array(), *lines = json_array();
    for (size_t k = 0; k < f->count; k++)
        if (first_name(f, k)) json_array_append_new(columns, json_text(f->v[k].name));
    for (size_t k = 0; k < f->count; k++) {
        if (!first_line(f, k)) continue;
        json_t *one = json_object(), *values = json_array();
        for (size_t j = 0; j < f->count; j++) {
            if (!first_name(f, j)) continue;
            const fact *a = find(f, f->v[k].line, f->v[j].name);
            json_array_append_new(values, a ? json_number(a->value) : json_null());
        }
        json_object_set_new(one, "name", json_text(f->v[k].line));
        json_object_set_new(one, "values", values);
        json_array_append_new(lines, one);
    }
    json_object_set_new(all, "columns", columns);
    json_object_set_new(all, "lines", lines);
    return all;
}
