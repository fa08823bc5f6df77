/* The parser of the command line.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "core/tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "method/load.h"

static int option_find(const char *name, size_t length, option_row *out)
{
    for (size_t k = 0; option_at(k, out); k++)
        if (strlen(out->name) == length && !strncmp(out->name, name, length)) return 1;
    return 0;
}

/* The place in request.named of an option with this name; MAX_NAMED: it has none. */
static size_t row_of(const char *name)
{
    option_row o;
    for (size_t k = 0; option_at(k, &o) && o.type != OPTION_SETTING; k++)
        if (!strcmp(o.name, name)) return k;
    return MAX_NAMED;
}

int option_given(const request *r, const char *name)
{
    size_t k = row_of(name);
    return k < MAX_NAMED && r->named[k];
}

/* ---- What is wrong, and what would be right ----------------------------------------------------- */

int check_method(const char *where, const char *name)
{
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t k = 0; k < count; k++)
        if (!strcmp(rows[k].name, name)) return DONE;
    if (loaded_print(name)) return DONE;
    const char *near = text_nearest(name, &rows[0].name, count, sizeof rows[0]);
    if (near)
        return complain(REFUSED, "%s: '%s' is unknown; did you mean '%s'?", where, name, near);
    return complain(REFUSED, "%s: '%s' is unknown; 'zoprox methods' lists them", where, name);
}

/* What other tools call by a name that is none here, nor near to one. */
static const char *other_word(const char *name)
{
    static const char *const words[][2] = {
        {"bounds", "--prox box:LO,HI, or ranges in the file of --parameters"},
        {"lower", "--prox box:LO,HI, or ranges in the file of --parameters"},
        {"upper", "--prox box:LO,HI, or ranges in the file of --parameters"},
        {"x0", "--start FILE"},
        {"maxfev", "--queries Q"},
        {"maxiter", "--steps K"},
        {"output", "--save FILE"}};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (!strcmp(words[k][0], name)) return words[k][1];
    return NULL;
}

static int unknown_option(const request *r, const char *name)
{
    const char *here = r->command->bit & IN_SOLVE ? other_word(name) : NULL;
    if (here) return complain(REFUSED, "unknown option '--%s'; here it is %s", name, here);
    const char *names[128];
    size_t count = 0;
    option_row o;
    for (size_t k = 0; option_at(k, &o) && count < 128; k++)
        if (o.commands & r->command->bit) names[count++] = o.name;
    const char *near = text_nearest(name, names, count, sizeof names[0]);
    if (near) return complain(REFUSED, "unknown option '--%s'; did you mean '--%s'?", name, near);
    return complain(REFUSED, "unknown option '--%s'; see 'zoprox %s --help'", name,
                    r->command->name);
}

static int wrong_command(const request *r, const option_row *o)
{
    size_t count;
    const command_row *rows = command_rows(&count);
    char owners[160] = "";
    for (size_t k = 0; k < count; k++)
        if (rows[k].bit & o->commands)
            snprintf(owners + strlen(owners), sizeof owners - strlen(owners), "%s'%s'",
                     *owners ? ", " : "", rows[k].name);
    return complain(REFUSED, "--%s is not an option of '%s', but of %s", o->name, r->command->name,
                    owners);
}

static int wrong_value(const option_row *o, const char *value, const char *right)
{
    return complain(REFUSED, "--%s: '%s' is not %s", o->name, value, right);
}

/* ---- Values ------------------------------------------------------------------------------------- */

static int take_number(const option_row *o, const char *value, double *at)
{
    double v;
    int finite = text_number(value, &v) && isfinite(v);
    if (o->type == OPTION_POSITIVE && !(finite && v > 0))
        return wrong_value(o, value, "a number more than 0");
    if (o->type == OPTION_NOT_NEGATIVE && !(finite && v >= 0))
        return wrong_value(o, value, "a number of 0 or more");
    if (!finite) return wrong_value(o, value, "a finite number");
    *at = v;
    return DONE;
}

/* Digits, or a number such as 1e6 that is whole and exact. */
static int take_count(const option_row *o, const char *value, uint64_t *at)
{
    uint64_t whole;
    double v;
    const char *right =
        o->type == OPTION_COUNT ? "a whole number of 1 or more" : "a whole number of 0 or more";
    if (!text_whole(value, &whole)) {
        if (*value && !value[strspn(value, "0123456789")])
            return wrong_value(o, value, "a whole number below 2^64");
        if (!text_number(value, &v) || !(v >= 1 && v <= 0x1p53) || v != floor(v))
            return wrong_value(o, value, right);
        whole = (uint64_t)v;
    }
    if (whole == 0 && o->type == OPTION_COUNT) return wrong_value(o, value, right);
    *at = whole;
    return DONE;
}

static int take_choice(const option_row *o, const char *value, const char **at)
{
    size_t length = strlen(value);
    for (const char *p = o->choices; length && p; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL)
        if (strcspn(p, "|") == length && !strncmp(p, value, length)) {
            *at = value;
            return DONE;
        }
    char right[128];
    snprintf(right, sizeof right, "one of %s", o->choices);
    return wrong_value(o, value, right);
}

static int take_setting(request *r, const char *name, const char *value)
{
    zo_error err;
    if (zo_set(&r->set, name, value, &err)) return complain(REFUSED, "%s", err.text);
    size_t count;
    const zo_setting_row *rows = zo_setting_rows(&count);
    for (size_t k = 0; k < count; k++)
        if (!strcmp(rows[k].name, name)) r->given |= (uint64_t)1 << k;
    return DONE;
}

static int take_assignment(request *r, const option_row *o, const char *value)
{
    char name[64];
    const char *equals = strchr(value, '=');
    if (!equals || equals == value) return wrong_value(o, value, "KEY=VALUE");
    snprintf(name, sizeof name, "%.*s", (int)(equals - value), value);
    return take_setting(r, name, equals + 1);
}

static int take_loss(const char *value, zo_loss *at)
{
    zo_error err;
    return zo_loss_parse(at, value, &err) ? complain(REFUSED, "--loss: %s", err.text) : DONE;
}

static int take_prox(request *r, const char *value)
{
    if (r->nprox == MAX_PROXES)
        return complain(REFUSED, "--prox: more than %d of them", MAX_PROXES);
    r->prox[r->nprox++] = value;
    return DONE;
}

static int take_one_more(const option_row *o, const char *value, word_list *at)
{
    if (at->count == MAX_WORDS)
        return complain(REFUSED, "--%s: more than %d of them", o->name, MAX_WORDS);
    at->at[at->count++] = value;
    return *value ? DONE : wrong_value(o, value, o->argument);
}

static int take(request *r, const option_row *o, const char *value)
{
    void *at = (char *)r + o->offset;
    size_t row = row_of(o->name);
    if (row < MAX_NAMED) r->named[row] = 1;
    switch (o->type) {
    case OPTION_FLAG: *(int *)at = 1; return DONE;
    case OPTION_TEXT:
    case OPTION_READ:
    case OPTION_WRITTEN:
    case OPTION_LINE:
        *(const char **)at = value;
        return *value ? DONE : wrong_value(o, value, o->argument);
    case OPTION_CHOICE: return take_choice(o, value, at);
    case OPTION_LOSS: return take_loss(value, at);
    case OPTION_COUNT:
    case OPTION_COUNT_OR_0: return take_count(o, value, at);
    case OPTION_LIST:
    case OPTION_READ_LIST: return take_one_more(o, value, at);
    case OPTION_PROX: return take_prox(r, value);
    case OPTION_SETTING: return take_setting(r, o->name, value);
    case OPTION_ASSIGN: return take_assignment(r, o, value);
    default: return take_number(o, value, at);
    }
}

/* ---- The command line ----------------------------------------------------------------------------*/

/* One option at argv[*k], which begins with "--"; *k ends at the last argument used. */
static int take_option(request *r, int argc, char **argv, int *k)
{
    const char *name = argv[*k] + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    option_row o;
    if (!option_find(name, length, &o)) {
        char text[64];
        snprintf(text, sizeof text, "%.*s", (int)length, name);
        return unknown_option(r, text);
    }
    if (!(o.commands & r->command->bit)) return wrong_command(r, &o);
    if (o.type == OPTION_FLAG && equals)
        return complain(REFUSED, "--%s takes no value, but '%s' was given", o.name, equals + 1);
    if (o.type == OPTION_FLAG) return take(r, &o, NULL);
    if (equals) return take(r, &o, equals + 1);
    if (*k + 1 >= argc || !strncmp(argv[*k + 1], "--", 2))
        return complain(REFUSED, "--%s needs a value: --%s %s", o.name, o.name, o.argument);
    return take(r, &o, argv[++*k]);
}

/* -o FILE, the one short option. */
static int take_short(request *r, const char *name, int argc, char **argv, int *k)
{
    option_row o;
    option_find(name, strlen(name), &o);
    if (*k + 1 >= argc)
        return complain(REFUSED, "%s needs a value: %s %s", argv[*k], argv[*k], o.argument);
    return take(r, &o, argv[++*k]);
}

static request nothing(const command_row *command)
{
    request r;
    memset(&r, 0, sizeof r);
    r.command = command;
    r.loss = ZO_LOGISTIC;
    r.set = zo_defaults();
    r.units = r.seconds = INFINITY;
    r.queries = r.points = r.steps = UINT64_MAX;
    r.l1 = r.target = r.gap = r.tol = r.optimum = r.every = r.patience = r.fmu_step = NAN;
    r.track = "on";
    r.limit = 1;
    r.retries = 3;
    r.seeds = 1;
    return r;
}

int request_parse(request *r, int argc, char **argv)
{
    *r = nothing(command_find(argv[0]));
    int only_words = 0;
    for (int k = 1; k < argc; k++) {
        int code = DONE;
        if (!only_words && !strcmp(argv[k], "--"))
            only_words = 1;
        else if (!only_words && !strncmp(argv[k], "--", 2))
            code = take_option(r, argc, argv, &k);
        else if (!only_words && !strcmp(argv[k], "-o") &&
                 (r->command->bit & (IN_REPORT | IN_PLOT | IN_WATCH | IN_PREDICT)))
            code = take_short(r, "out", argc, argv, &k);
        else if (!only_words && argv[k][0] == '-' && argv[k][1])
            code = complain(
                REFUSED,
                "unknown option '%s'; options begin with two dashes, see 'zoprox %s --help'",
                argv[k], argv[0]);
        else if (r->nwords == MAX_WORDS)
            code = complain(REFUSED, "%s: '%s' is one word too many", argv[0], argv[k]);
        else
            r->words[r->nwords++] = argv[k];
        if (code) return code;
    }
    if (option_given(r, "unpack")) { /* the library asks the environment */
        char bytes[32];
        setenv("ZOPROX_UNPACK", text_exact(r->unpack, bytes, sizeof bytes), 1);
    }
    int code = files_apart(r);
    return code ? code : methods_load(r);
}
