/* The options table and the parser.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "core/tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "method/load.h"

#define AT(field) offsetof(request, field)
enum {
    IN_PROBLEM = IN_SOLVE | IN_OPTIMUM | IN_TUNE | IN_EVAL, /* with psi */
    IN_BOX = IN_SOLVE | IN_CHECK | IN_TUNE | IN_EVAL
};

/* clang-format off */
static const option_row table[] = {
    {"loss", "NAME", "the loss in f_i(x) = loss(z_i'x, y_i) + (l2/2)|x|^2", "Problem", IN_PROBLEM | IN_PREDICT, OPTION_LOSS, AT(loss), NULL, "logistic"},
    {"l2", "X", "ridge inside every f_i", "Problem", IN_PROBLEM, OPTION_NOT_NEGATIVE, AT(l2), NULL, "0"},
    {"l1", "X", "psi = X|x|_1, short for --prox l1:X", "Problem", IN_PROBLEM | IN_CHECK, OPTION_NOT_NEGATIVE, AT(l1), NULL, NULL},
    {"prox", "SPEC", "psi: NAME:NUMBERS, on the block of coordinates FROM..TO-1 with @FROM:TO; may be repeated on disjoint blocks; see 'zoprox proxes'", "Problem", IN_PROBLEM | IN_CHECK, OPTION_PROX, 0, NULL, "zero"},
    {"features", "D", "number of features, if more than the data's largest index", "Problem", IN_PROBLEM | IN_PREDICT, OPTION_COUNT, AT(features), NULL, NULL},
    {"intercept", NULL, "one more feature that is 1 in every row, with a coefficient that neither --l1, --l2 nor --prox looks at", "Problem", IN_SOLVE | IN_OPTIMUM | IN_EVAL | IN_PREDICT, OPTION_FLAG, AT(intercept), NULL, NULL},
    {"command", "'PROGRAM ARGS'", "instead of SOURCE: a program that answers questions on its standard input, see docs/black-boxes.md; no shell is involved", "Black boxes", IN_BOX, OPTION_TEXT, AT(program), NULL, NULL},
    {"python", "FILE.py:NAME", "instead of SOURCE: a Python function of x and a component's number, or of x alone; by the python3 of your PATH, which must have the package zoprox", "Black boxes", IN_BOX, OPTION_TEXT, AT(python), NULL, NULL},
    {"n", "N", "number of components of the program", "Black boxes", IN_BOX | IN_INIT, OPTION_COUNT, AT(n), NULL, NULL},
    {"dim", "D", "number of dimensions of the program", "Black boxes", IN_BOX | IN_INIT, OPTION_COUNT, AT(dim), NULL, NULL},
    {"workers", "W", "how many of the program run at once; one per core when not given; results never depend on it, but where one run gives all components (--all) so many points are asked at a time, unless --abreast says otherwise", "Black boxes", IN_BOX, OPTION_COUNT, AT(workers), NULL, NULL},
    {"shell", NULL, "run the command by /bin/sh", "Black boxes", IN_BOX, OPTION_FLAG, AT(shell), NULL, NULL},
    {"timeout", "S", "seconds for one question, after which its worker is started anew; no limit when not given, 30 for 'check'; data fetch: seconds below 1000 bytes a second, after which it gives up, 30 when not given", "Black boxes", IN_BOX | IN_DATA, OPTION_POSITIVE, AT(timeout), NULL, NULL},
    {"retries", "K", "times a question is asked again after its worker failed; 3 when not given, 0 for 'check'", "Black boxes", IN_BOX, OPTION_COUNT_OR_0, AT(retries), NULL, NULL},
    {"max-failures", "K", "failures of workers after which the run gives up; no limit when not given", "Black boxes", IN_BOX, OPTION_COUNT, AT(max_failures), NULL, NULL},
    {"journal", "FILE", "keep every answer of the program in FILE as it comes; a run that is started again does not ask again what FILE holds", "Black boxes", IN_SOLVE, OPTION_TEXT, AT(journal), NULL, NULL},
    {"files", "DIR", "questions are folders in DIR: input.txt is written there, output.txt is awaited; with --command the program is run in each folder, see docs/black-boxes.md", "Black boxes", IN_BOX, OPTION_TEXT, AT(files), NULL, NULL},
    {"all", NULL, "one run of the program gives all components at a point: it is asked for one point at a time, and points are paid (a program may say so itself: zoprox-all)", "Black boxes", IN_BOX, OPTION_FLAG, AT(all), NULL, NULL},
    {"residuals", "LOSS", "the black box gives residuals r_i and f_i = w_i h(r_i - t_i): squares (r^2/2), huber:A, soft-l1:A, cauchy:A or logistic", "Black boxes", IN_SOLVE | IN_EVAL | IN_TUNE | IN_WATCH | IN_PLOT | IN_REPORT, OPTION_TEXT, AT(residuals), NULL, NULL},
    {"weights", "FILE", "--residuals: the n numbers w_i, one a line; 1 when not given", "Black boxes", IN_SOLVE | IN_EVAL | IN_TUNE | IN_WATCH | IN_PLOT | IN_REPORT, OPTION_TEXT, AT(weights), NULL, NULL},
    {"targets", "FILE", "--residuals: the n numbers t_i, one a line, say what was measured; 0 when not given", "Black boxes", IN_SOLVE | IN_EVAL | IN_TUNE | IN_WATCH | IN_PLOT | IN_REPORT, OPTION_TEXT, AT(targets), NULL, NULL},
    {"keep-folders", NULL, "--files: answered folders stay", "Black boxes", IN_BOX, OPTION_FLAG, AT(keep), NULL, NULL},
    {"plugin", "FILE.so", "instead of SOURCE: a shared object with the function zoprox_open, see zoprox_box.h", "Black boxes", IN_BOX, OPTION_TEXT, AT(plugin), NULL, NULL},
    {"arg", "WORD", "one more argument for the plugin; may be repeated", "Black boxes", IN_BOX, OPTION_LIST, AT(arg), NULL, NULL},
    {"template", "TPL=FILE", "one run, one file: TPL with {x0}, {NAME}, {NAME:%12.5e} and {case} filled in becomes FILE in a folder of its own; may be repeated", "Files of a program", IN_BOX, OPTION_LIST, AT(template), NULL, NULL},
    {"run", "'LINE'", "what /bin/sh then runs in that folder; words that name files where zoprox was started are found there", "Files of a program", IN_BOX, OPTION_TEXT, AT(line), NULL, NULL},
    {"read", "SPEC", "where the value stands then: FILE:LINE:COLUMN, FILE:/PATTERN/ or FILE:$.json.path; * in place of a number, or behind a pattern, takes all of them, one for each case; - is standard output; --fmu: NAME, NAME@TIME, NAME@FROM:STEP:TO or NAME@FILE of times; may be repeated", "Files of a program", IN_BOX, OPTION_LIST, AT(read), NULL, NULL},
    {"link", "FILE", "a file that every folder has a link to, such as a mesh; may be repeated", "Files of a program", IN_BOX, OPTION_LIST, AT(link), NULL, NULL},
    {"dakota", "'DRIVER'", "an analysis driver of Dakota: run as DRIVER params.in results.out in a folder of its own", "Files of a program", IN_BOX, OPTION_TEXT, AT(dakota), NULL, NULL},
    {"aprepro", NULL, "--dakota: params.in as APREPRO reads it", "Files of a program", IN_BOX, OPTION_FLAG, AT(aprepro), NULL, NULL},
    {"fmu", "FILE.fmu", "a model as an FMU (FMI 2 or 3, co-simulation), run from its start to the last time that --read names; --parameters says which of its variables change", "Files of a program", IN_BOX, OPTION_TEXT, AT(fmu), NULL, NULL},
    {"fmu-step", "H", "--fmu: the communication step, in the model's time; that of its default experiment when not given", "Files of a program", IN_BOX, OPTION_POSITIVE, AT(fmu_step), NULL, NULL},
    {"parameters", "FILE", "names, starts, ranges, units, log scales and fixed values of parameters, TOML or JSON, see docs/files.md; --dim is how many there are", "Black boxes", IN_BOX | IN_WATCH, OPTION_TEXT, AT(parameters), NULL, NULL},
    {"load", "FILE", "a method of yours, known by its name from now on: a shared object with zoprox_method_open, or FILE.py[:CLASS], a Python class with ask and tell; see docs/own-method.md; may be repeated; solve and tune: without --method the first of them", "Method", IN_SOLVE | IN_TUNE | IN_REPRODUCE, OPTION_LIST, AT(load), NULL, NULL},
    {"set", "KEY=VALUE", "any setting, as 'zoprox settings' lists them", "Method", IN_SOLVE | IN_TUNE, OPTION_ASSIGN, 0, NULL, NULL},
    {"units", "U", "budget in units of n*d queries; 100 when no budget is given at all", "Budget (the first that is reached ends the run)", IN_SOLVE | IN_TUNE, OPTION_POSITIVE, AT(units), NULL, NULL},
    {"budget", "U", "units for each trial, as --units; tune: 100 when not given, reproduce: 100, or 20 with --quick", "Budget (the first that is reached ends the run)", IN_TUNE | IN_REPRODUCE, OPTION_POSITIVE, AT(units), NULL, NULL},
    {"queries", "Q", "budget in queries", "Budget (the first that is reached ends the run)", IN_SOLVE, OPTION_COUNT, AT(queries), NULL, NULL},
    {"points", "P", "budget in runs of a program that gives all components at a point; a unit is d of them", "Budget (the first that is reached ends the run)", IN_SOLVE, OPTION_COUNT, AT(points), NULL, NULL},
    {"seconds", "S", "budget in seconds", "Budget (the first that is reached ends the run)", IN_SOLVE, OPTION_POSITIVE, AT(seconds), NULL, NULL},
    {"steps", "K", "budget in steps of the method", "Budget (the first that is reached ends the run)", IN_SOLVE, OPTION_COUNT, AT(steps), NULL, NULL},
    {"target", "F", "stop when the objective is at most F", "Stopping", IN_SOLVE, OPTION_NUMBER, AT(target), NULL, NULL},
    {"gap", "G", "stop when objective - optimum is at most G; the optimum is computed first unless --optimum gives it", "Stopping", IN_SOLVE, OPTION_NOT_NEGATIVE, AT(gap), NULL, NULL},
    {"optimum", "F", "the least objective, where it is known: fills the gap column", "Stopping", IN_SOLVE | IN_TUNE, OPTION_NUMBER, AT(optimum), NULL, NULL},
    {"tol", "R", "solve: stop when the residual is at most R; optimum: the relative bound wanted (1e-13)", "Stopping", IN_SOLVE | IN_OPTIMUM, OPTION_POSITIVE, AT(tol), NULL, NULL},
    {"every", "U", "units between two rows of the trace; a hundredth of the budget, but not less than 1/d, when not given", "Watching", IN_SOLVE | IN_TUNE, OPTION_POSITIVE, AT(every), NULL, NULL},
    {"track", "WHO", "looks at the objective: on, in every row and apart from the budget with built-in losses, at its expense and at most a tenth of it with black boxes; charged, apart: in every row, at the budget's expense or not; off", "Watching", IN_SOLVE, OPTION_CHOICE, AT(track), "on|off|charged|apart", "on"},
    {"start", "FILE", "begin at this point, one number a line as --save writes them, instead of at 0; a run that goes on has begun already", "Files", IN_SOLVE | IN_CHECK | IN_EVAL | IN_PREDICT | IN_TUNE, OPTION_TEXT, AT(start), NULL, NULL},
    {"starts", "K", "begin at K points, drawn within the bounds (or around the start): half of the budget is shared by successive halving, and the best goes on with the rest", "Budget (the first that is reached ends the run)", IN_SOLVE, OPTION_COUNT, AT(starts), NULL, NULL},
    {"trace", "FILE", "write a row of CSV every so often", "Files", IN_SOLVE, OPTION_TEXT, AT(trace), NULL, NULL},
    {"history", "FILE", "write every evaluation of a black box as it comes: point, component, value, seconds, failure; SQLite where FILE ends in .sqlite or .db, CSV otherwise; with --resume a file that is there goes on, and what it holds is not asked again", "Files", IN_SOLVE, OPTION_TEXT, AT(history), NULL, NULL},
    {"past", "FILE", "begin with the evaluations in FILE, a history of zoprox or a table of any other tool with columns x0, x1, ..., value and component: they are not asked again, and the best point is the start", "Files", IN_SOLVE, OPTION_TEXT, AT(past), NULL, NULL},
    {"progress", "FILE", "write how far the run has come as lines of JSON: ten a second at first, one a second after ten seconds; - is standard error, /dev/fd/3 an open file, see docs/runs.md", "Files", IN_SOLVE, OPTION_TEXT, AT(progress), NULL, NULL},
    {"save", "FILE", "write the solution, one number a line", "Files", IN_SOLVE | IN_OPTIMUM, OPTION_TEXT, AT(save), NULL, NULL},
    {"checkpoint", "FILE", "keep the state of the run in FILE", "Files", IN_SOLVE, OPTION_TEXT, AT(checkpoint), NULL, NULL},
    {"checkpoint-seconds", "S", "write the checkpoint at most so often", "Files", IN_SOLVE, OPTION_NOT_NEGATIVE, AT(limit), NULL, "1"},
    {"resume", NULL, "go on from the checkpoint; begins anew where there is none yet", "Files", IN_SOLVE, OPTION_FLAG, AT(resume), NULL, NULL},
    {"grid", "GRID", "what is tried: 'NAME=VALUE,...;NAME=...', where LOW..HIGH*K stands for K values evenly spaced and LOW..HIGH^K for K with even ratios", "Study", IN_TUNE, OPTION_TEXT, AT(grid), NULL, NULL},
    {"random", "K", "tune: try K settings drawn at random from the grid's ranges instead of all of it; reproduce --check: so many trials", "Study", IN_TUNE | IN_REPRODUCE, OPTION_COUNT, AT(random), NULL, NULL},
    {"halving", NULL, "successive halving: all at a ninth of the budget, the best third at a third, the best ninth in full, with more of the seeds each time", "Study", IN_TUNE | IN_REPRODUCE, OPTION_FLAG, AT(halving), NULL, NULL},
    {"beyond", NULL, "reproduce: where the first or the last step of a grid is best, or none is stable, steps beyond it are tried, too", "Study", IN_REPRODUCE, OPTION_FLAG, AT(beyond), NULL, NULL},
    {"seeds", "S", "seeds by which settings are chosen; 5 for the map of reproduce", "Study", IN_TUNE | IN_REPRODUCE, OPTION_COUNT, AT(seeds), NULL, "1"},
    {"report-seeds", "S", "other seeds, by which the chosen settings are reported; tune and reproduce --quick: 3 when not given, reproduce: 5, its map: 21", "Study", IN_TUNE | IN_REPRODUCE, OPTION_COUNT, AT(report_seeds), NULL, NULL},
    {"group", "G", "ranks that run a trial together (zoprox-mpi), each with --jobs threads; 1 when not given", "Study", IN_TUNE | IN_REPRODUCE, OPTION_COUNT, AT(group), NULL, NULL},
    {"jobs", "J", "trials at once; all cores when not given; results never depend on it", "Study", IN_TUNE | IN_REPRODUCE, OPTION_COUNT, AT(jobs), NULL, NULL},
    {"quick", NULL, "check: eight queries, without the forms and a measured speed; reproduce: minutes instead of hours: a9a and every tenth row of covtype, one (batch, directions), 20 units, fewer seeds", "Study", IN_REPRODUCE | IN_CHECK, OPTION_FLAG, AT(quick), NULL, NULL},
    {"full", NULL, "everything; what is done without --quick", "Study", IN_REPRODUCE, OPTION_FLAG, AT(full), NULL, NULL},
    {"pairs", "BxQ,...", "the (batch, directions) that are tried, which the paper does not give; 1024x50,128x10 when not given, 1024x50 with --quick", "Study", IN_REPRODUCE, OPTION_TEXT, AT(pairs), NULL, NULL},
    {"rows", "N", "reproduce: at most so many rows of a set, every k-th of them; all when not given", "Study", IN_REPRODUCE, OPTION_COUNT, AT(rows), NULL, NULL},
    {"methods", "NAME,...", "only these", "Study", IN_REPRODUCE, OPTION_TEXT, AT(methods), NULL, NULL},
    {"out", "PATH", "reproduce: the folder for store, figure and report; report: the page, short -o; plot: the picture, short -o; watch: the page, short -o; predict: the predictions, short -o", "Study", IN_REPRODUCE | IN_REPORT | IN_PLOT | IN_WATCH | IN_PREDICT, OPTION_TEXT, AT(out), NULL, NULL},
    {"store", "FILE", "the run store, kept from call to call: finished trials are never run again", "Study", IN_TUNE | IN_REPRODUCE, OPTION_TEXT, AT(store), NULL, NULL},
    {"archive", "FILE", "reproduce: pack store, page, figures, tables, commands, versions and checksums into FILE, a .tar.zst", "Study", IN_REPRODUCE, OPTION_TEXT, AT(archive), NULL, NULL},
    {"check", "FILE", "reproduce: unpack the archive FILE, run a sample of its trials again, and compare every number; --random K says how many (20)", "Study", IN_REPRODUCE, OPTION_TEXT, AT(check), NULL, NULL},
    {"patience", "S", "zoprox-mpi: a rank that lets the others wait for so many seconds ends the run; 0: never; 600 when not given, 0 for black boxes", "Running", IN_SOLVE, OPTION_NOT_NEGATIVE, AT(patience), NULL, NULL},
    {"threads", "T", "threads that evaluate; all cores when not given; results never depend on it", "Running", IN_SOLVE | IN_OPTIMUM, OPTION_COUNT, AT(threads), NULL, NULL},
    {"unpack", "BYTES", "what a compressed file may unpack to; when not given, 200 times its size, and at least a gibibyte; also ZOPROX_UNPACK", "Running", IN_PROBLEM | IN_DATA, OPTION_POSITIVE, AT(unpack), NULL, NULL},
    {"page", "FILE|PORT", "a page of the run while it goes on, for a browser: served on 127.0.0.1 where a port is given (0: any that is free), written to a file otherwise", "Watching", IN_SOLVE, OPTION_TEXT, AT(page), NULL, NULL},
    {"gradient", NULL, "eval: slopes and sensitivities by forward differences too: n d queries more", "Problem", IN_EVAL, OPTION_FLAG, AT(gradient), NULL, NULL},
    {"for", "KIND", "what gives the values", "Problem", IN_INIT, OPTION_CHOICE, AT(kind), "program|files|python|c", NULL},
    {"port", "P", "watch: the port on 127.0.0.1; any that is free when not given", "Running", IN_WATCH, OPTION_COUNT_OR_0, AT(port), NULL, NULL},
    {"mirror", "URL", "fetch: where to download from instead of the catalogue's address", "Running", IN_DATA, OPTION_TEXT, AT(mirror), NULL, NULL},
    {"json", NULL, "print JSON", "Output", IN_PREDICT | IN_PROBLEM | IN_REPRODUCE | IN_LISTS | IN_DATA, OPTION_FLAG, AT(json), NULL, NULL},
    {"markdown", NULL, "print a table for the manual", "Output", IN_LISTS, OPTION_FLAG, AT(markdown), NULL, NULL},
    {"quiet", NULL, "no progress line and no remarks on standard error", "Output", IN_ALL, OPTION_FLAG, AT(quiet), NULL, NULL},
    {"help", NULL, "print this help", "Output", IN_ALL, OPTION_FLAG, AT(help), NULL, NULL},
};
/* clang-format on */
enum { NTABLE = sizeof table / sizeof table[0] };
_Static_assert((int)NTABLE <= (int)MAX_NAMED, "request.named has a place for each");

static option_row of_setting(const zo_setting_row *s)
{
    const char *argument = !strcmp(s->type, "whole")    ? "N"
                           : !strcmp(s->type, "number") ? "X"
                                                        : "NAME";
    return (option_row){s->name,        argument, s->help,    "Method",  IN_SOLVE | IN_TUNE,
                        OPTION_SETTING, 0,        s->choices, s->initial};
}

int option_at(size_t k, option_row *out)
{
    size_t count;
    const zo_setting_row *rows = zo_setting_rows(&count);
    if (k >= NTABLE + count) return 0;
    *out = k < NTABLE ? table[k] : of_setting(&rows[k - NTABLE]);
    return 1;
}

static int option_find(const char *name, size_t length, option_row *out)
{
    for (size_t k = 0; option_at(k, out); k++)
        if (strlen(out->name) == length && !strncmp(out->name, name, length)) return 1;
    return 0;
}

/* The row of the table with this name; NTABLE: there is none. */
static size_t row_of(const char *name)
{
    size_t k = 0;
    while (k < NTABLE && strcmp(table[k].name, name)) k++;
    return k;
}

int option_given(const request *r, const char *name)
{
    size_t k = row_of(name);
    return k < NTABLE && r->named[k];
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

static int unknown_option(const request *r, const char *name)
{
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
    if (!text_whole(value, &whole)) {
        if (*value && !value[strspn(value, "0123456789")])
            return wrong_value(o, value, "a whole number below 2^64");
        if (!text_number(value, &v) || !(v >= 1 && v <= 0x1p53) || v != floor(v))
            return wrong_value(o, value, "a whole number of 1 or more");
        whole = (uint64_t)v;
    }
    if (whole == 0 && o->type == OPTION_COUNT)
        return wrong_value(o, value, "a whole number of 1 or more");
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
    if (row < NTABLE) r->named[row] = 1;
    switch (o->type) {
    case OPTION_FLAG: *(int *)at = 1; return DONE;
    case OPTION_TEXT:
        *(const char **)at = value;
        return *value ? DONE : wrong_value(o, value, o->argument);
    case OPTION_CHOICE: return take_choice(o, value, at);
    case OPTION_LOSS: return take_loss(value, at);
    case OPTION_COUNT:
    case OPTION_COUNT_OR_0: return take_count(o, value, at);
    case OPTION_LIST: return take_one_more(o, value, at);
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
    return methods_load(r);
}
