/* A trial by itself: its settings as text, and what it came to.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "study/study.h"

/* The names of those that the method uses; one from outside may use any, and is told by those that were set. */
static void settings_of(const zo_settings *set, char *names, size_t size)
{
    size_t count, at = 0;
    const zo_method_row *rows = zo_method_rows(&count);
    *names = 0;
    for (size_t k = 0; k < count; k++)
        if (!strcmp(rows[k].name, set->method)) {
            snprintf(names, size, "%s", rows[k].settings);
            return;
        }
    const zo_setting_row *row = zo_setting_rows(&count);
    for (size_t k = 0; k < count; k++) {
        char value[64];
        int known = !strcmp(row[k].name, "method") || !strcmp(row[k].name, "point");
        if (known || zo_get(set, row[k].name, value, sizeof value)) continue;
        if (strcmp(value, row[k].initial) && at + strlen(row[k].name) + 2 < size)
            at += (size_t)snprintf(names + at, size - at, "%s ", row[k].name);
    }
}

void trial_settings(const trial *t, char *text, size_t size)
{
    char names[512];
    size_t at = 1;
    settings_of(&t->set, names, sizeof names);
    snprintf(text, size, "{");
    for (const char *p = names; *p; p += strcspn(p, " "), p += strspn(p, " ")) {
        char name[32], value[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(p, " "), p);
        if (!strcmp(name, "seed") || zo_get(&t->set, name, value, sizeof value)) continue;
        at += (size_t)snprintf(text + at, size - at, "%s\"%s\": \"%s\"", at > 1 ? ", " : "", name,
                               value);
    }
    snprintf(text + at, size - at, "}");
}

double trial_gap(const study *u, const trial *t)
{
    double gap = isnan(u->optimum) ? t->objective : t->objective - u->optimum;
    return t->status == TRIAL_OK && isfinite(gap) ? gap : INFINITY;
}
