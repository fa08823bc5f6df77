/* Grids of settings: 'step=0.1,0.5,1;refresh=0.01..0.05*5;radius=1e-6..1e-2^5'.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"

enum { MAX_VALUES = 10000, MAX_POINTS = 1000000 };

/* ---- One axis ------------------------------------------------------------------------------------ */

static int add_value(axis *a, const char *value, const zo_settings *base)
{
    zo_error err;
    zo_settings tried = *base;
    if (a->count == MAX_VALUES)
        return complain(REFUSED, "--grid: %s has more than %d values", a->name, MAX_VALUES);
    if (zo_set(&tried, a->name, value, &err)) return complain(REFUSED, "--grid: %s", err.text);
    void *more = realloc(a->value, (a->count + 1) * sizeof *a->value);
    if (!more) return complain(FAILED, "--grid: out of memory");
    a->value = more;
    snprintf(a->value[a->count++], sizeof *a->value, "%s", value);
    return DONE;
}

/* The k-th of count numbers from low to high; the ends are exact. */
static double between(double low, double high, int ratio, size_t k, size_t count)
{
    double part = count > 1 ? (double)k / (double)(count - 1) : 0;
    if (k == 0 || k + 1 == count) return k == 0 ? low : high;
    return ratio ? low * pow(high / low, part) : low + (high - low) * part;
}

static int add_number(axis *a, double v, const zo_settings *base)
{
    char text[40];
    text_short(a->whole ? floor(v + 0.5) : v, text, sizeof text);
    if (a->count && !strcmp(a->value[a->count - 1], text))
        return DONE; /* whole numbers may fall together */
    return add_value(a, text, base);
}

/* LOW..HIGH*K or LOW..HIGH^K */
static int add_range(axis *a, const char *item, const zo_settings *base)
{
    char low[64], high[64], count[64], sign;
    double from, to;
    uint64_t many;
    const char *dots = strstr(item, ".."), *mark = dots ? strpbrk(dots, "*^") : NULL;
    if (!mark || dots - item > 60 || mark - dots > 60 || strlen(mark) > 60)
        return complain(REFUSED, "--grid: '%s' is not LOW..HIGH*K or LOW..HIGH^K", item);
    snprintf(low, sizeof low, "%.*s", (int)(dots - item), item);
    snprintf(high, sizeof high, "%.*s", (int)(mark - dots - 2), dots + 2);
    snprintf(count, sizeof count, "%s", mark + 1);
    sign = *mark;
    if (!text_number(low, &from) || !text_number(high, &to) || !isfinite(from) || !isfinite(to) ||
        !(from < to) || !text_whole(count, &many) || many < 2 || many > MAX_VALUES ||
        (sign == '^' && !(from > 0)))
        return complain(
            REFUSED,
            "--grid: '%s' is not LOW..HIGH*K or LOW..HIGH^K with LOW < HIGH%s and K from 2 to %d",
            item, sign == '^' ? ", LOW > 0" : "", MAX_VALUES);
    int only = a->count == 0 && isnan(a->low), code = DONE;
    a->low = only ? from : NAN;
    a->high = to;
    a->ratio = sign == '^';
    for (size_t k = 0; k < many && !code; k++)
        code = add_number(a, between(from, to, a->ratio, k, many), base);
    return code;
}

static int add_item(axis *a, const char *item, const zo_settings *base)
{
    if (!*item) return complain(REFUSED, "--grid: %s has an empty value", a->name);
    if (strstr(item, "..")) return add_range(a, item, base);
    if (strlen(item) >= sizeof *a->value)
        return complain(REFUSED, "--grid: %s: '%s' is too long", a->name, item);
    a->low = NAN;
    return add_value(a, item, base);
}

static const zo_setting_row *row_of(const char *name)
{
    size_t count;
    const zo_setting_row *rows = zo_setting_rows(&count);
    for (size_t k = 0; k < count; k++)
        if (!strcmp(rows[k].name, name)) return &rows[k];
    return NULL;
}

static int check_name(const grid *g, const char *name, const zo_settings *base)
{
    zo_error err;
    zo_settings tried = *base;
    if (!row_of(name)) {
        zo_set(&tried, name, "1", &err);
        return complain(REFUSED, "--grid: %s", err.text);
    }
    if (!strcmp(name, "seed"))
        return complain(REFUSED, "--grid: seeds are given by --seed and --seeds");
    for (size_t k = 0; k < g->naxes; k++)
        if (!strcmp(g->axis[k].name, name))
            return complain(REFUSED, "--grid: %s is there twice", name);
    if (g->naxes == sizeof g->axis / sizeof g->axis[0])
        return complain(REFUSED, "--grid: more than 8 settings");
    return DONE;
}

/* NAME=ITEM,ITEM,...; text is cut up. */
static int add_axis(grid *g, char *text, const zo_settings *base)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return complain(REFUSED, "--grid: '%s' is not NAME=VALUE,...", text);
    *equals = 0;
    int code = check_name(g, text, base);
    if (code) return code;
    if (!equals[1]) return complain(REFUSED, "--grid: %s has no value", text);
    axis *a = &g->axis[g->naxes++];
    snprintf(a->name, sizeof a->name, "%s", text);
    a->whole = !strcmp(row_of(text)->type, "whole");
    a->low = NAN;
    char *rest = equals + 1, *item;
    while (!code && (item = strsep(&rest, ","))) code = add_item(a, item, base);
    if (!code && (double)g->count * (double)a->count > MAX_POINTS)
        return complain(REFUSED, "--grid: more than %d combinations", MAX_POINTS);
    g->count *= a->count;
    return code;
}

/* ---- All of them --------------------------------------------------------------------------------- */

int grid_parse(grid *g, const char *text, const zo_settings *base)
{
    memset(g, 0, sizeof *g);
    g->count = 1;
    if (!text) return DONE; /* one combination: what the options say */
    char *copy = strdup(text), *rest = copy, *part;
    int code = copy ? DONE : complain(FAILED, "--grid: out of memory");
    while (!code && (part = strsep(&rest, ";"))) {
        part += strspn(part, " ");
        if (*part || !rest) code = add_axis(g, part, base);
    }
    free(copy);
    if (code) grid_free(g);
    return code;
}

void grid_free(grid *g)
{
    for (size_t k = 0; k < g->naxes; k++) free(g->axis[k].value);
    memset(g, 0, sizeof *g);
}

void grid_at(const grid *g, size_t k, zo_settings *set)
{
    for (size_t a = g->naxes; a-- > 0;) {
        zo_set(set, g->axis[a].name, g->axis[a].value[k % g->axis[a].count], NULL);
        k /= g->axis[a].count;
    }
}

/* A single range is drawn from as a continuum, a list by its values. */
void grid_draw(const grid *g, uint64_t seed, uint64_t k, zo_settings *set)
{
    for (size_t j = 0; j < g->naxes; j++) {
        const axis *a = &g->axis[j];
        double v = rng_uniform(seed, FOR_CHECK, k, j);
        char text[40];
        if (isnan(a->low)) {
            zo_set(set, a->name, a->value[(size_t)(v * (double)a->count)], NULL);
            continue;
        }
        v = a->ratio ? a->low * pow(a->high / a->low, v) : a->low + (a->high - a->low) * v;
        snprintf(text, sizeof text, "%.4g", a->whole ? floor(v + 0.5) : v);
        zo_set(set, a->name, text, NULL);
    }
}

void grid_label(const grid *g, const zo_settings *set, char *text, size_t size)
{
    *text = 0;
    for (size_t a = 0; a < g->naxes; a++) {
        char value[64];
        double v;
        zo_get(set, g->axis[a].name, value, sizeof value);
        if (text_number(value, &v)) snprintf(value, sizeof value, "%.10g", v); /* 10, not 1e+01 */
        snprintf(text + strlen(text), size - strlen(text), "%s%s %s", a ? ", " : "",
                 g->axis[a].name, value);
    }
}
