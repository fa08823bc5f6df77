/* Parameters by name, out of a TOML or JSON file.
 * SPDX-License-Identifier: MIT
 *
 *     [stiffness]               or     {"stiffness": {"start": 2, "range": [0.1, 10], "unit": "N/m", "log": true},
 *     start = 2                         "mass": {"fixed": 1.5}, "length": 3}
 *     range = [0.1, 10]
 *     unit = "N/m"              A number alone is a start. Without one a range is begun in its middle.
 *     log = true */
#include "files/files.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "base/text.h"

/* ---- one of them ---------------------------------------------------------------------------------------- */

static int is_name(const char *name)
{
    static const char *const taken[] = {"case",    "value",   "component", "number",
                                        "seconds", "failure", "check"};
    if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", *name) || !*name) return 0;
    for (const char *c = name; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.-[]", *c))
            return 0;
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
        if (!strcmp(name, taken[k])) return 0;
    return strlen(name) <= LONGEST_NAME;
}

static int wrong_key(const char *path, const char *name, const char *key)
{
    static const char *const keys[] = {"start", "low", "high", "range",
                                       "fixed", "log", "unit", "about"};
    const char *near = text_nearest(key, keys, sizeof keys / sizeof *keys, sizeof keys[0]);
    return complain(REFUSED, "parameters: '%s': %s has a key '%s'; %s%s%s", path, name, key,
                    near ? "did you mean '" : "it knows start, low, high, range, fixed, log, unit",
                    near ? near : "", near ? "'?" : "");
}

/* A number, or in words (inf) one that JSON does not have. */
static int take_number(const json_t *v, double *out)
{
    *out = json_number_value(v);
    return json_is_number(v) ||
           (json_is_string(v) && text_number(json_string_value(v), out) && !isfinite(*out));
}

static int take_low(const json_t *v, parameter *p)
{
    return take_number(v, &p->low) && p->low < INFINITY;
}

static int take_high(const json_t *v, parameter *p)
{
    return take_number(v, &p->high) && p->high > -INFINITY;
}

static int take_key(parameter *p, const char *key, json_t *v, double *fixed)
{
    if (!strcmp(key, "about")) return json_is_string(v);
    if (!strcmp(key, "log")) return p->log = json_is_true(v), json_is_boolean(v);
    if (!strcmp(key, "unit")) {
        if (!json_is_string(v) || strlen(json_string_value(v)) > LONGEST_UNIT) return 0;
        snprintf(p->unit, sizeof p->unit, "%s", json_string_value(v));
        return 1;
    }
    if (!strcmp(key, "range"))
        return json_array_size(v) == 2 && take_low(json_array_get(v, 0), p) &&
               take_high(json_array_get(v, 1), p);
    if (!strcmp(key, "low")) return take_low(v, p);
    if (!strcmp(key, "high")) return take_high(v, p);
    double *number = !strcmp(key, "start") ? &p->start : fixed;
    *number = json_number_value(v);
    return json_is_number(v);
}

/* As it would stand in a file. */
static void show(const json_t *v, char *text, size_t size)
{
    double number;
    size_t at = 0;
    if (json_is_array(v)) {
        char one[64];
        for (size_t k = 0; k < json_array_size(v) && at < size; k++) {
            show(json_array_get(v, k), one, sizeof one);
            at += (size_t)snprintf(text + at, size - at, "%s%s", k ? ", " : "[", one);
        }
        if (at < size) snprintf(text + at, size - at, "%s", at ? "]" : "[]");
    } else if (take_number(v, &number))
        text_short(number, text, size);
    else
        snprintf(text, size, "%s",
                 json_is_string(v)    ? json_string_value(v)
                 : json_is_boolean(v) ? json_is_true(v) ? "true" : "false"
                 : json_is_null(v)    ? "null"
                                      : "{...}");
}

static int wrong_value(const char *path, const char *name, const char *key, const json_t *v)
{
    char text[160];
    show(v, text, sizeof text);
    return complain(REFUSED, "parameters: '%s': %s: %s %s is not what it should be: %s", path, name,
                    key, text,
                    !strcmp(key, "range")   ? "[LOW, HIGH]; -inf or inf where there is no bound"
                    : !strcmp(key, "low")   ? "a number, or -inf"
                    : !strcmp(key, "high")  ? "a number, or inf"
                    : !strcmp(key, "log")   ? "true or false"
                    : !strcmp(key, "unit")  ? "a short text"
                    : !strcmp(key, "about") ? "a text"
                                            : "a finite number");
}

static int has_key(const char *key)
{
    static const char keys[] = " start low high range fixed log unit about ";
    char word[32];
    return snprintf(word, sizeof word, " %s ", key) < (int)sizeof word && strstr(keys, word);
}

/* Where nothing says where to begin: in the middle, at a bound, at 0 (1 on a log scale). */
static double begin(const parameter *p)
{
    if (isfinite(p->low) && isfinite(p->high))
        return p->log ? sqrt(p->low) * sqrt(p->high) : p->low + (p->high - p->low) / 2;
    double natural = p->log ? 1 : 0;
    return fmax(p->low, fmin(p->high, natural));
}

static int settle(parameter *p, const char *path, double fixed)
{
    if (!isnan(fixed)) p->low = p->high = p->start = fixed, p->log = 0;
    if (!(p->low <= p->high))
        return complain(REFUSED, "parameters: '%s': %s: low %g is above high %g", path, p->name,
                        p->low, p->high);
    if (p->log && !((p->low > 0 || isinf(p->low)) && p->high > 0))
        return complain(REFUSED, "parameters: '%s': %s: a log scale has numbers above 0 only", path,
                        p->name);
    if (p->log && isinf(p->low)) p->low = 0;
    if (p->log && p->low == 0 && isfinite(p->high) && isnan(p->start))
        p->start = p->high; /* there is no middle */
    if (isnan(p->start)) p->start = begin(p);
    if (p->log && !(p->start > 0))
        return complain(
            REFUSED, "parameters: '%s': %s: start %g is not above 0, and the scale is logarithmic",
            path, p->name, p->start);
    if (p->start < p->low || p->start > p->high)
        return complain(REFUSED, "parameters: '%s': %s: start %g is not in [%g, %g]", path, p->name,
                        p->start, p->low, p->high);
    return DONE;
}

static int read_one(parameter *p, const char *path, const char *name, json_t *about)
{
    const char *key;
    json_t *v;
    double fixed = NAN;
    *p = (parameter){.low = -INFINITY, .high = INFINITY, .start = NAN};
    if (!is_name(name))
        return complain(REFUSED,
                        "parameters: '%s': '%.70s' is no name: letters a to z and A to Z, digits "
                        "and _.-[], up to %d of "
                        "them, and not a word such as value or case",
                        path, name, LONGEST_NAME);
    snprintf(p->name, sizeof p->name, "%s", name);
    if (json_is_number(about)) p->start = json_number_value(about);
    double infinite;
    if (take_number(about, &infinite) && !json_is_number(about))
        return wrong_value(path, name, "start", about);
    if (!json_is_number(about) && !json_is_object(about))
        return complain(REFUSED, "parameters: '%s': %s is neither a number nor a table", path,
                        name);
    json_object_foreach(about, key, v)
    {
        if (!has_key(key)) return wrong_key(path, name, key);
        if (!take_key(p, key, v, &fixed)) return wrong_value(path, name, key, v);
    }
    return settle(p, path, fixed);
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

double parameter_value(const parameters *p, size_t j, double coordinate)
{
    return p->at[j].log ? real_exp(coordinate) : coordinate;
}

double parameter_coordinate(const parameters *p, size_t j, double value)
{
    return p->at[j].log ? real_log(value) : value; /* log 0: no bound */
}

/* A bound as a coordinate, from within: what it stands for must not be beyond it. */
static double bound_of(const parameters *p, size_t j, double value, double inwards)
{
    if (isinf(value)) return value;
    if (p->at[j].log && value == 0) return -INFINITY;
    double c = parameter_coordinate(p, j, value);
    while (inwards < 0 ? parameter_value(p, j, c) > value : parameter_value(p, j, c) < value)
        c = nextafter(c, inwards);
    return c;
}

/* A large change of coordinate j; NaN: not known. */
static double scale_of(const parameters *p, size_t j)
{
    double width = p->high[j] - p->low[j], known = isfinite(width) && width > 0 ? width : NAN;
    if (p->at[j].log) return isnan(known) ? 1 : known;
    /* fmin leaves out what is NaN */
    return p->start[j] != 0 ? fmin(fabs(p->start[j]), known) : known;
}

static int make_arrays(parameters *p)
{
    size_t count = p->count;
    p->names = calloc(count, sizeof *p->names);
    p->log = calloc(count, 1);
    p->low = calloc(4 * count, sizeof *p->low);
    if (!p->names || !p->log || !p->low) return complain(FAILED, "parameters: out of memory");
    p->high = p->low + count;
    p->start = p->high + count;
    p->scale = p->start + count;
    int any = 0, scaled = 1;
    for (size_t j = 0; j < count; j++) {
        const parameter *a = &p->at[j];
        p->names[j] = a->name;
        any |= p->log[j] = (unsigned char)a->log;
        p->low[j] = bound_of(p, j, a->low, INFINITY);
        p->high[j] = bound_of(p, j, a->high, -INFINITY);
        p->start[j] = fmax(p->low[j], fmin(p->high[j], parameter_coordinate(p, j, a->start)));
        p->scale[j] = scale_of(p, j);
        scaled &= !isnan(p->scale[j]);
        p->bounded |= isfinite(p->low[j]) || isfinite(p->high[j]);
    }
    if (!any) free(p->log), p->log = NULL;
    if (!scaled) p->scale = NULL;
    return DONE;
}

/* Other writers of JSON leave NaN and Infinity bare: they are quoted here. NULL: out of memory. */
static char *quote_words(const char *text)
{
    char *out = malloc(3 * strlen(text) + 1), *to = out;
    for (int quoted = 0; out && *text;) {
        size_t size = *text == '-';
        if (!quoted && (!strncmp(text + size, "NaN", 3) || !strncmp(text + size, "Infinity", 8))) {
            size += text[size] == 'N' ? 3 : 8;
            to += sprintf(to, "\"%.*s\"", (int)size, text);
            text += size;
            continue;
        }
        if (quoted && *text == '\\' && text[1])
            *to++ = *text++;
        else if (*text == '"')
            quoted = !quoted;
        *to++ = *text++;
    }
    if (out) *to = 0;
    return out;
}

/* A file of either kind: JSON begins with a brace. */
static json_t *parse(const char *text, const char *path)
{
    json_error_t e;
    if (text[strspn(text, " \t\r\n")] != '{') return toml_parse(text, path);
    char *plain = quote_words(text);
    if (!plain) return complain(FAILED, "parameters: out of memory"), NULL;
    json_t *all = json_loads(plain, JSON_REJECT_DUPLICATES, &e);
    free(plain);
    if (!all) complain(REFUSED, "parameters: '%s', line %d: %s", path, e.line, e.text);
    return all;
}

static json_t *load(const char *path, const char *what)
{
    size_t size;
    char *text = read_once(path, &size);
    if (!text) {
        complain(REFUSED, "%s: '%s' cannot be read: %s", what, path, strerror(errno));
        return NULL;
    }
    json_t *all = parse(text, path);
    free(text);
    return all;
}

static int read_all(parameters *p, const char *path, json_t *all)
{
    const char *name;
    json_t *about;
    if (!(p->at = calloc(json_object_size(all) + 1, sizeof *p->at)))
        return complain(FAILED, "parameters: out of memory");
    json_object_foreach(all, name, about)
    {
        int code = read_one(&p->at[p->count], path, name, about);
        if (code) return code;
        p->count++;
    }
    if (!p->count) return complain(REFUSED, "parameters: '%s' names none", path);
    return make_arrays(p);
}

int parameters_open(parameters **out, const char *path)
{
    *out = NULL;
    if (!path) return DONE;
    json_t *all = load(path, "parameters");
    if (!all) return REFUSED;
    parameters *p = calloc(1, sizeof *p);
    int code = p ? read_all(p, path, all) : complain(FAILED, "parameters: out of memory");
    json_decref(all);
    if (code)
        parameters_free(p);
    else
        *out = p;
    return code;
}

void parameters_free(parameters *p)
{
    if (!p) return;
    free(p->at);
    free(p->names);
    free(p->log);
    free(p->low);
    free(p);
}

/* ---- points --------------------------------------------------------------------------------------------- */

int parameters_save(const parameters *p, const char *path, const double *x)
{
    size_t room = p->count * (LONGEST_NAME + LONGEST_UNIT + 48) + 1, at = 0;
    char *text = calloc(room, 1), number[32];
    if (!text) return complain(FAILED, "save: out of memory");
    for (size_t j = 0; j < p->count; j++) {
        text_exact(parameter_value(p, j, x[j]), number, sizeof number);
        const char *quote =
            strpbrk(p->at[j].name, "[]") ? "\"" : ""; /* or TOML takes it for a table */
        at += (size_t)snprintf(text + at, room - at, "%s%s%s = %s%s%s\n", quote, p->at[j].name,
                               quote, number, *p->at[j].unit ? " # " : "", p->at[j].unit);
    }
    int bad = file_replace(path, text, at), kept = errno;
    free(text);
    return bad ? complain(FAILED, "save: '%s' was not written: %s", path, strerror(kept)) : DONE;
}

static int load_named(const parameters *p, const char *path, double *x)
{
    json_t *all = load(path, "start");
    int code = all ? DONE : REFUSED;
    for (size_t j = 0; j < p->count && !code; j++) {
        json_t *v = json_object_get(all, p->at[j].name);
        x[j] = json_number_value(v);
        if (!json_is_number(v))
            code = complain(REFUSED, "start: '%s' has no number for %s", path, p->at[j].name);
    }
    json_decref(all);
    return code;
}

/* Numbers alone, or names? */
static int is_plain(const char *path)
{
    FILE *in = fopen(path, "r");
    int c = in ? fgetc(in) : EOF;
    if (in) fclose(in);
    return c == EOF || (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
}

int parameters_load(const parameters *p, const char *path, double *x)
{
    int code = is_plain(path) ? file_load(path, "start", p->count, x) : load_named(p, path, x);
    for (size_t j = 0; j < p->count && !code; j++) {
        if (p->at[j].log && !(x[j] > 0))
            return complain(REFUSED, "start: '%s': %s is %g, and its scale is logarithmic", path,
                            p->at[j].name, x[j]);
        x[j] = parameter_coordinate(p, j, x[j]);
    }
    return code;
}
