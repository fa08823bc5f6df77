/* Columns of a history by their names.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"
#include "history/parts.h"

int columns_open(columns *c, size_t d, size_t count)
{
    *c = (columns){.d = d,
                   .count = count,
                   .role = mem_new(count, sizeof *c->role),
                   .name = mem_new(count, sizeof *c->name)};
    return c->role && c->name;
}

void columns_close(columns *c)
{
    mem_free(c->role);
    mem_free(c->name);
    c->role = NULL;
    c->name = NULL;
}

size_t columns_width(const char *name, size_t size)
{
    char digits[24];
    uint64_t j;
    if (size < 2 || size > 10 || name[0] != 'x') return 0;
    memcpy(digits, name + 1, size - 1);
    digits[size - 1] = 0;
    return text_whole(digits, &j) && !(digits[0] == '0' && size > 2) ? (size_t)j + 1 : 0;
}

static size_t role_of(const char *name, size_t size)
{
    static const char *const names[] = {"value",   "component", "number",
                                        "seconds", "failure",   "check"};
    for (size_t r = 0; r < sizeof names / sizeof *names; r++)
        if (strlen(names[r]) == size && !memcmp(names[r], name, size)) return r;
    return IS_OTHER;
}

int columns_known(const char *name, size_t size) { return role_of(name, size) != IS_OTHER; }

void columns_name(columns *c, size_t k, const char *name, size_t size)
{
    size_t role = role_of(name, size), j = columns_width(name, size) - 1; /* others: far beyond d */
    c->role[k] = j < c->d ? j : c->d + role;
    c->name[k].at = name;
    c->name[k].size = size;
    c->seen += j < c->d;
    if (j + 1 > c->d && j > c->beyond) c->beyond = j;
    c->value |= role == IS_VALUE;
}

/* The first d columns, where they have names of their own. */
static void take_first(columns *c)
{
    for (size_t k = 0; k < c->d && k < c->count; k++)
        if (c->role[k] != c->d + IS_OTHER) return;
    for (size_t k = 0; k < c->d && k < c->count; k++) c->role[k] = k;
}

zo_status columns_check(columns *c, const past *p, zo_error *err)
{
    if (!c->seen) take_first(c);
    if (!c->value)
        return fail(err, ZO_BAD_INPUT, "%s: '%s' has no column 'value'", p->what, p->path);
    for (size_t j = 0; j < c->d; j++) {
        size_t found = 0;
        for (size_t k = 0; k < c->count; k++) found += c->role[k] == j;
        if (found != 1)
            return fail(err, ZO_BAD_INPUT, "%s: '%s' has %s column 'x%zu'; x0 to x%zu are needed",
                        p->what, p->path, found ? "more than one" : "no", j, c->d - 1);
    }
    if (c->seen && c->beyond)
        return fail(err, ZO_MISMATCH,
                    "%s: '%s' has a column 'x%zu', and x has %zu coordinates here", p->what,
                    p->path, c->beyond, c->d);
    for (size_t k = 0; p->head && k < c->count; k++)
        if (c->role[k] < c->d) p->head(p->ctx, c->role[k], c->name[k].at, c->name[k].size);
    return ZO_OK;
}
