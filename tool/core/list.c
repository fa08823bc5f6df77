/* zoprox methods, proxes, settings: the library's tables for people, programs and the manual.
 * SPDX-License-Identifier: MIT */
#include "core/tool.h"

#include <float.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/text.h"

enum { MAX_CELLS = 8 };

/* A row of any of the tables: the first cell is the name, the last the sentence about it. */
typedef struct cell {
    const char *key;
    char text[512];
} cell;

typedef struct listing {
    size_t count; /* rows */
    size_t cells; /* in a row */
    void (*fill)(size_t k, cell *cells);
    const char *title, *about; /* of its page in the manual */
} listing;

static void put(cell *c, const char *key, const char *text)
{
    c->key = key;
    snprintf(c->text, sizeof c->text, "%s", text ? text : "");
}

static void fill_method(size_t k, cell *c)
{
    size_t count;
    const zo_method_row *r = &zo_method_rows(&count)[k];
    put(&c[0], "name", r->name);
    put(&c[1], "cost", r->cost);
    put(&c[2], "settings", r->settings);
    put(&c[3], "reference", r->reference);
    put(&c[4], "summary", r->summary);
}

static void fill_prox(size_t k, cell *c)
{
    size_t count;
    const zo_prox_row *r = &zo_prox_rows(&count)[k];
    put(&c[0], "name", r->name);
    put(&c[1], "arguments", r->arguments);
    put(&c[2], "formula", r->formula);
    put(&c[3], "help", r->help);
}

static const char *bound(double v, char *text, size_t size)
{
    return v >= 0x1p53 ? "no limit" : v == DBL_MIN ? "more than 0" : text_short(v, text, size);
}

/* "1 to 2", "more than 0", "off, on": what zo_set takes. */
static void allowed(const zo_setting_row *r, char *text, size_t size)
{
    char low[32], high[32];
    const char *lo = bound(r->low, low, sizeof low), *hi = bound(r->high, high, sizeof high);
    *text = 0;
    if (!strcmp(r->type, "number") || !strcmp(r->type, "whole"))
        snprintf(text, size, r->high >= 0x1p53 && r->low != DBL_MIN ? "%s or more" : "%s%s%s", lo,
                 r->high >= 0x1p53   ? ""
                 : r->low == DBL_MIN ? ", at most "
                                     : " to ",
                 r->high >= 0x1p53 ? "" : hi);
    if (!r->choices) return;
    size_t at = strlen(text);
    if (at) at += (size_t)snprintf(text + at, size - at, ", or ");
    for (const char *p = r->choices; *p && at + 3 < size; p++)
        at += (size_t)snprintf(text + at, size - at, *p == '|' ? ", " : "%c", *p);
}

static void fill_setting(size_t k, cell *c)
{
    size_t count;
    const zo_setting_row *r = &zo_setting_rows(&count)[k];
    put(&c[0], "name", r->name);
    put(&c[1], "type", r->type);
    put(&c[2], "default", r->initial);
    put(&c[3], "allowed", "");
    allowed(r, c[3].text, sizeof c[3].text);
    put(&c[4], "help", r->help);
}

static listing listing_of(unsigned command)
{
    listing l;
    memset(&l, 0, sizeof l);
    if (command == IN_METHODS) {
        zo_method_rows(&l.count);
        l.cells = 5;
        l.fill = fill_method;
        l.title = "Methods";
        l.about = "`--method NAME` chooses one; its page in docs/methods says more. What a step "
                  "costs is in "
                  "queries, "
                  "with n components, d coordinates, b the batch, q the directions.";
    } else if (command == IN_PROXES) {
        zo_prox_rows(&l.count);
        l.cells = 4;
        l.fill = fill_prox;
        l.title = "Proximal maps";
        l.about = "`--prox NAME:ARGUMENTS`, on the coordinates FROM to TO - 1 with `@FROM:TO`; "
                  "repeated, on "
                  "disjoint "
                  "blocks, for a sum.";
    } else {
        zo_setting_rows(&l.count);
        l.cells = 5;
        l.fill = fill_setting;
        l.title = "Settings";
        l.about = "What shapes a run's trajectory: `--NAME VALUE` or `--set NAME=VALUE` on the "
                  "command line, "
                  "a field of "
                  "`zo_settings` in C. `auto` leaves it to the method's rule; the report says "
                  "what it "
                  "became. A "
                  "setting that a method does not use is accepted, and listed as unused.";
    }
    return l;
}

/* ---- Three ways to print it ----------------------------------------------------------------------- */

static json_t *words_json(const char *text)
{
    json_t *all = json_array();
    for (; *text; text += strspn(text, " ")) {
        size_t length = strcspn(text, " ");
        json_array_append_new(all, json_stringn(text, length));
        text += length;
    }
    return all;
}

static void add_numbers(json_t *object, size_t k)
{
    size_t count;
    const zo_setting_row *r = &zo_setting_rows(&count)[k];
    int ranged = !strcmp(r->type, "number") || !strcmp(r->type, "whole");
    json_object_set_new(object, "low", ranged ? json_real(r->low) : json_null());
    json_object_set_new(object, "high", ranged ? json_real(r->high) : json_null());
    json_object_set_new(object, "choices", r->choices ? json_string(r->choices) : json_null());
}

static json_t *row_json(const listing *l, size_t k)
{
    cell cells[MAX_CELLS];
    json_t *object = json_object();
    l->fill(k, cells);
    for (size_t e = 0; e < l->cells; e++)
        json_object_set_new(object, cells[e].key,
                            strcmp(cells[e].key, "settings") ? json_string(cells[e].text)
                                                             : words_json(cells[e].text));
    if (l->fill == fill_setting) add_numbers(object, k);
    return object;
}

static void print_cell(const char *text)
{
    for (; *text; text++) printf(*text == '|' ? "\\%c" : "%c", *text);
}

static void print_markdown(const listing *l)
{
    cell cells[MAX_CELLS];
    printf("# %s\n\n%s\n\n", l->title, l->about);
    l->fill(0, cells);
    for (size_t e = 0; e < l->cells; e++) printf("| %s ", cells[e].key);
    puts("|");
    for (size_t e = 0; e < l->cells; e++) printf("|---");
    puts("|");
    for (size_t k = 0; k < l->count; k++) {
        l->fill(k, cells);
        for (size_t e = 0; e < l->cells; e++) {
            printf(e ? "| " : "| `");
            print_cell(cells[e].text);
            printf(e ? " " : "` ");
        }
        puts("|");
    }
}

static void print_text(const listing *l)
{
    cell cells[MAX_CELLS];
    for (size_t k = 0; k < l->count; k++) {
        l->fill(k, cells);
        int at = l->fill == fill_method ? printf("%-12s", cells[0].text)
                 : l->fill == fill_prox ? printf("%-20s %-22s", cells[0].text, cells[1].text)
                                        : printf("%-12s %-12s", cells[0].text, cells[2].text);
        putchar(' ');
        print_wrapped(stdout, cells[l->cells - 1].text, at + 1, 110);
    }
}

static void print_one(const listing *l, size_t k)
{
    cell cells[MAX_CELLS];
    l->fill(k, cells);
    for (size_t e = 0; e < l->cells; e++) {
        if (!*cells[e].text) continue;
        printf("%-12s", cells[e].key);
        print_wrapped(stdout, cells[e].text, 12, 100);
    }
}

/* The row of that name; SIZE_MAX after a line that names the nearest one. */
static size_t find(const listing *l, const char *name)
{
    enum { MOST = 64 };
    char names[MOST][32];
    const char *list[MOST];
    cell cells[MAX_CELLS];
    size_t count = l->count < MOST ? l->count : MOST;
    for (size_t k = 0; k < count; k++) {
        l->fill(k, cells);
        if (!strcmp(cells[0].text, name)) return k;
        snprintf(names[k], sizeof names[k], "%.31s", cells[0].text);
        list[k] = names[k];
    }
    const char *near = text_nearest(name, list, count, sizeof list[0]);
    if (near)
        complain(REFUSED, "unknown name '%s'; did you mean '%s'?", name, near);
    else
        complain(REFUSED, "unknown name '%s'", name);
    return SIZE_MAX;
}

int command_list(int argc, char **argv)
{
    request r;
    int code = request_parse(&r, argc, argv);
    if (code) return code;
    listing l = listing_of(r.command->bit);
    if (r.nwords > 1)
        return complain(REFUSED, "%s: '%s' is one word too many", argv[0], r.words[1]);
    if (r.json && r.markdown) return complain(REFUSED, "--json and --markdown: one of them");
    if (r.nwords == 1) {
        size_t k = find(&l, r.words[0]);
        if (k == SIZE_MAX) return REFUSED;
        if (r.json) return print_json(row_json(&l, k));
        print_one(&l, k);
        return DONE;
    }
    if (r.markdown) {
        print_markdown(&l);
        return DONE;
    }
    if (!r.json) {
        print_text(&l);
        return DONE;
    }
    json_t *all = json_array();
    for (size_t k = 0; k < l.count; k++) json_array_append_new(all, row_json(&l, k));
    return print_json(all);
}
