/* The settings table: one row per setting feeds the defaults, the parser, the checks, the help and the
 * manual.
 * SPDX-License-Identifier: MIT */
#include "solve/settings.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

#define AT(field) offsetof(zo_settings, field)
#define MOST 9007199254740992.0 /* 2^53: whole numbers above it are not exact */

/* clang-format off */
static const zo_setting_row rows[] = {
    {"method", "text", "auto", 0, 0, NULL, "the method: see 'zoprox methods'", AT(method)},
    {"seed", "whole", "1", 0, MOST, NULL, "every random choice is a function of it", AT(seed)},
    {"step", "number", "auto", DBL_MIN, DBL_MAX, NULL, "length of a step along the negative gradient (eta)", AT(step)},
    {"radius", "number", "auto", DBL_MIN, DBL_MAX, NULL, "distance at which differences are taken (the paper's v)", AT(radius)},
    {"sides", "whole", "1", 1, 2, NULL, "1: forward differences; 2: central, twice the queries", AT(sides)},
    {"batch", "whole", "auto", 1, MOST, NULL, "components drawn for an inner step; at most n", AT(batch)},
    {"directions", "whole", "auto", 1, MOST, NULL, "random directions asked at once", AT(directions)},
    {"kind", "choice", "gaussian", 0, 0, "gaussian|sphere|rademacher|axis|orthogonal", "how directions are drawn", AT(kind)},
    {"refresh", "number", "auto", DBL_MIN, 1, "periodic", "probability that the reference point is renewed after a step (the paper's p), or 'periodic': every ceil(n/batch) steps", AT(refresh)},
    {"epoch", "whole", "auto", 1, MOST, NULL, "inner steps between two full passes", AT(epoch)},
    {"normalize", "choice", "off", 0, 0, "off|on", "divide by |u|^2 in the memory's update instead of by its mean", AT(normalize)},
    {"warm", "choice", "off", 0, 0, "off|on", "start the memory as a full difference gradient instead of 0", AT(warm)},
    {"decay", "number", "auto", DBL_MIN, DBL_MAX, NULL, "zosgd: steps after which the step has shrunk by sqrt(2)", AT(decay)},
    {"restart", "choice", "on", 0, 0, "off|on", "fista: drop the momentum when it points uphill", AT(restart)},
    {"nonfinite", "choice", "reject", 0, 0, "stop|retry|reject", "what a value does that failed, is not finite or above 1e150, after it was asked again: stop the run; retry: more often; reject: its point is refused, and the run goes on", AT(nonfinite)},
    {"horizon", "number", "auto", 1, DBL_MAX, NULL, "queries a method may plan for; auto: the budget of the first run", AT(horizon)},
    {"memory", "number", "4294967296", 1048576, DBL_MAX, NULL, "bytes a method may use for its state", AT(memory)},
    {"noise", "number", "auto", 0, DBL_MAX, NULL, "standard deviation of one answer, if it is known", AT(noise)},
    {"own", "choice", "on", 0, 0, "off|on", "inq: off asks all components along the same directions", AT(own)},
    {"point", "choice", "best", 0, 0, "best|last", "the result: the best point whose F is known, or the method's last one", AT(point)},
    {"inside", "choice", "off", 0, 0, "off|on", "on: no question leaves a simplex, a ball, an affine set or a polyhedron; off: only bounds are kept so", AT(inside)},
    {"abreast", "whole", "1", 1, 4096, NULL, "points that are asked at a time where one evaluation gives all components: as many as there are workers", AT(abreast)},
    {"reading", "choice", "written", 0, 0, "written|redrawn|literal|new|memory", "zpdvr: how Algorithm 1 is read: as written; u drawn anew at every step; w_k != w_{k-1} by value; h along the new u; h for the gradient at w", AT(reading)},
    {"recover", "choice", "auto", 0, 0, "off|auto|on", "inq: gradients of components from fewer differences than there are coordinates, each one verified; auto: where it pays", AT(recover)},
};
/* clang-format on */
enum { NROWS = sizeof rows / sizeof rows[0] };

const zo_setting_row *zo_setting_rows(size_t *count)
{
    *count = NROWS;
    return rows;
}

const zo_setting_row *setting_find(const char *name)
{
    for (size_t k = 0; k < NROWS; k++)
        if (!strcmp(rows[k].name, name)) return &rows[k];
    return NULL;
}

static int is(const zo_setting_row *row, const char *type) { return !strcmp(row->type, type); }
static void *field(zo_settings *s, const zo_setting_row *row) { return (char *)s + row->offset; }
static const void *look(const zo_settings *s, const zo_setting_row *row)
{
    return (const char *)s + row->offset;
}
static int is_seed(const zo_setting_row *row) { return row->offset == AT(seed); }

/* The place of value among names separated by '|', or -1. */
static int choice_of(const char *choices, const char *value)
{
    size_t length = strlen(value);
    for (int k = 0; length && choices; k++) {
        size_t here = strcspn(choices, "|");
        if (here == length && !strncmp(choices, value, here)) return k;
        choices = choices[here] ? choices + here + 1 : NULL;
    }
    return -1;
}

static void choice_name(const char *choices, int k, char *text, size_t size)
{
    for (; k > 0 && *choices; k--) choices += strcspn(choices, "|") + 1;
    snprintf(text, size, "%.*s", (int)strcspn(choices, "|"), choices);
}

/* "a whole number in [1, 2]", "a number more than 0": what would be right. */
static void range_text(const zo_setting_row *row, char *text, size_t size)
{
    char lo[32], hi[32];
    text_short(row->low, lo, sizeof lo);
    text_short(row->high, hi, sizeof hi);
    const char *kind = is(row, "whole") ? "a whole number" : "a number";
    const char *more = row->low == DBL_MIN ? " more than 0" : row->low == 0 ? " of 0 or more" : "";
    if (row->high >= MOST && *more)
        snprintf(text, size, "%s%s", kind, more);
    else if (row->high >= MOST)
        snprintf(text, size, "%s of %s or more", kind, lo);
    else if (row->low == DBL_MIN)
        snprintf(text, size, "%s in (0, %s]", kind, hi);
    else
        snprintf(text, size, "%s in [%s, %s]", kind, lo, hi);
    if (row->choices) snprintf(text + strlen(text), size - strlen(text), ", or %s", row->choices);
}

static zo_status refuse(const zo_setting_row *row, const char *value, zo_error *err)
{
    char right[128];
    if (is(row, "choice"))
        snprintf(right, sizeof right, "one of %s", row->choices);
    else
        range_text(row, right, sizeof right);
    int may_be_auto = !is(row, "choice") && !is_seed(row);
    return fail(err, ZO_BAD_ARGUMENT, "%s: '%s' is not %s%s", row->name, value, right,
                may_be_auto ? ", or auto" : "");
}

/* Is v in the row's range (and whole where it must be)? NaN, auto, always is. */
static int fits(const zo_setting_row *row, double v)
{
    if (isnan(v) || (row->choices && v == ZO_PERIODIC)) return 1;
    return v >= row->low && v <= row->high && (!is(row, "whole") || v == floor(v));
}

zo_status zo_set(zo_settings *s, const char *name, const char *value, zo_error *err)
{
    const zo_setting_row *row = setting_find(name);
    if (!row) {
        const char *near = text_nearest(name, &rows[0].name, NROWS, sizeof rows[0]);
        return fail(err, ZO_BAD_ARGUMENT, "unknown setting '%s'%s%s%s", name,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    if (is(row, "text")) {
        if (strlen(value) >= sizeof s->method)
            return fail(err, ZO_BAD_ARGUMENT, "%s: '%s' is not a name of at most %zu letters", name,
                        value, sizeof s->method - 1);
        snprintf(s->method, sizeof s->method, "%s", value);
        return succeed(err);
    }
    int choice = choice_of(row->choices, value);
    if (is(row, "choice")) {
        if (choice < 0) return refuse(row, value, err);
        *(int *)field(s, row) = choice;
        return succeed(err);
    }
    if (is_seed(row)) return text_whole(value, &s->seed) ? succeed(err) : refuse(row, value, err);
    double v = NAN;
    if (choice == 0)
        v = ZO_PERIODIC; /* the one name among numbers */
    else if (strcmp(value, "auto") &&
             (!text_number(value, &v) || isnan(v) || !fits(row, v) || v == ZO_PERIODIC))
        return refuse(row, value, err);
    *(double *)field(s, row) = v;
    return succeed(err);
}

int zo_get(const zo_settings *s, const char *name, char *text, size_t size)
{
    const zo_setting_row *row = setting_find(name);
    if (!row || size < 32) return -1;
    if (is(row, "text"))
        snprintf(text, size, "%s", s->method);
    else if (is(row, "choice"))
        choice_name(row->choices, *(const int *)look(s, row), text, size);
    else if (is_seed(row))
        snprintf(text, size, "%llu", (unsigned long long)s->seed);
    else {
        double v = *(const double *)look(s, row);
        if (isnan(v))
            snprintf(text, size, "auto");
        else if (row->choices && v == ZO_PERIODIC)
            snprintf(text, size, "%s", row->choices);
        else
            text_short(v, text, size);
    }
    return 0;
}

zo_settings zo_defaults(void)
{
    zo_settings s;
    memset(&s, 0, sizeof s);
    for (size_t k = 0; k < NROWS; k++) zo_set(&s, rows[k].name, rows[k].initial, NULL);
    return s;
}

zo_status settings_check(const zo_settings *s, size_t n, zo_error *err)
{
    for (size_t k = 0; k < NROWS; k++) {
        const zo_setting_row *row = &rows[k];
        char text[64];
        if (is(row, "choice")) {
            int v = *(const int *)look(s, row), count = 1;
            for (const char *p = row->choices; *p; p++) count += *p == '|';
            snprintf(text, sizeof text, "%d", v);
            if (v < 0 || v >= count) return refuse(row, text, err);
        } else if (!is(row, "text") && !is_seed(row)) {
            double v = *(const double *)look(s, row);
            if (!fits(row, v)) return refuse(row, text_short(v, text, sizeof text), err);
        }
    }
    if (s->batch > (double)n)
        return fail(err, ZO_BAD_ARGUMENT,
                    "batch: %.0f is outside [1, %zu], the number of components", s->batch, n);
    return ZO_OK;
}
