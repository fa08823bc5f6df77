/* A trial by itself: its settings as text, and what it came to.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "study/study.h"

static const char *settings_of(const char *method)
{
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t k = 0; k < count; k++)
        if (!strcmp(rows[k].name, method)) return rows[k].settings;
    return "";
}

void trial_settings(const trial *t, char *text, size_t size)
{
    const char *names = settings_of(t->set.method);
    size_t at = 1;
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
