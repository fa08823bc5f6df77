/* Columns of a history by their names.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"
#include "history/parts.h"

int columns_open(columns *c, size_t d, size_t count)
{
    *c = (columns){.d = d, .count = count, .role = mem_new(count, sizeof *c->role)};
    return c->role != NULL;
}

void columns_close(columns *c)
{
    mem_free(c->role);
    c->role = NULL;
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

void columns_name(columns *c, size_t k, const char *name, size_t size)
{
    static const char *const names[] = {"value",   "component", "number",
                                        "seconds", "failure",   "check"};
    size_t role = IS_OTHER, j = columns_width(name, size) - 1; /* of others: far beyond d */
    for (size_t r = 0; r < sizeof names / sizeof *names; r++)
        if (strlen(names[r]) == size && !memcmp(names[r], name, size)) role = r;
    c->role[k] = j < c->d ? j : c->d + role;
    c->seen += j < c->d;
    c->value |= role == IS_VALUE;
}

zo_status columns_check(const columns *c, const past *p, zo_error *err)
{
    if (!c->value)
        return fail(err, ZO_BAD_INPUT, "%s: '%s' has no column 'value'", p->what, p->path);
    for (size_t j = 0; j < c->d; j++) {
        size_t found = 0;
        for (size_t k = 0; k < c->count; k++) found += c->role[k] == j;
        if (found != 1)
            return fail(err, ZO_BAD_INPUT, "%s: '%s' has %s column 'x%zu'; x0 to x%zu are needed",
                        p->what, p->path, found ? "more than one" : "no", j, c->d - 1);
    }
    return ZO_OK;
}
