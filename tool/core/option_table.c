/* The options table: what the parser, the help, the man page and the shells' completion know of each.
 * SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include "core/tool.h"

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
    {"command", "'PROGRAM ARGS'", "instead of SOURCE: a program that answers questions on its standard input, see docs/black-boxes.md; no shell is involved", "Black boxes", IN_BOX, OPTION_LINE, AT(program), NULL, NULL},
    {"python", "FILE.py:NAME", "instead of SOURCE: a Python function of x and a component's number, or of x alone; by the python3 of your PATH, which must have the package zoprox", "Black boxes", IN_BOX, OPTION_READ, AT(python), NULL, NULL},
    {"n", "N", "number of components of the program", "Black boxes", IN_BOX | IN_INIT, OPTION_COUNT, AT(n), NULL, NULL},
    {"dim", "D", "number of dimensions of the program", "Black boxes", IN_BOX | IN_INIT, OPTION_COUNT, AT(dim), NULL, NULL},
    {"workers", "W", "how many of the program run at once; one per core when not given; results never depend on it, but where one run gives all components (--all) so many points are asked at a time, unless --abreast says otherwise", "Black boxes", IN_BOX, OPTION_COUNT, AT(workers), NULL, NULL},
    {"shell", NULL, "run the command by /bin/sh", "Black boxes", IN_BOX, OPTION_FLAG, AT(shell), NULL, NULL},
    {"timeout", "S", "seconds for one question, after which its worker is started anew; no limit when not given, 30 for 'check'; data fetch: seconds below 1000 bytes a second, after which it gives up, 30 when not given", "Black boxes", IN_BOX | IN_DATA, OPTION_POSITIVE, AT(timeout), NULL, NULL},
    {"retries", "K", "times a question is asked again after its worker failed; 3 when not given, 0 for 'check'", "Black boxes", IN_BOX, OPTION_COUNT_OR_0, AT(retries), NULL, NULL},
    {"max-failures", "K", "failures of workers after which the run gives up; no limit when not given", "Black boxes", IN_BOX, OPTION_COUNT, AT(max_failures), NULL, NULL},
    {"journal", "FILE", "keep every answer of the program in FILE as it comes; a run that is started again does not ask again what FILE holds", "Black boxes", IN_SOLVE, OPTION_WRITTEN, AT(journal), NULL, NULL},
    {"files", "DIR", "questions are folders in DIR: input.txt is written there, output.txt is awaited; with --command the program is run in each folder, see docs/black-boxes.md", "Black boxes", IN_BOX, OPTION_TEXT, AT(files), NULL, NULL},
    {"all", NULL, "one run of the program gives all components at a point: it is asked for one point at a time, and points are paid (a program may say so itself: zoprox-all)", "Black boxes", IN_BOX, OPTION_FLAG, AT(all), NULL, NULL},
    {"residuals", "LOSS", "the black box gives residuals r_i and f_i = w_i h(r_i - t_i): squares (r^2/2), huber:A, soft-l1:A, cauchy:A or logistic", "Black boxes", IN_SOLVE | IN_EVAL | IN_TUNE | IN_WATCH | IN_PLOT | IN_REPORT, OPTION_TEXT, AT(residuals), NULL, NULL},
    {"weights", "FILE", "--residuals: the n numbers w_i, one a line; 1 when not given", "Black boxes", IN_SOLVE | IN_EVAL | IN_TUNE | IN_WATCH | IN_PLOT | IN_REPORT, OPTION_READ, AT(weights), NULL, NULL},
    {"targets", "FILE", "--residuals: the n numbers t_i, one a line, say what was measured; 0 when not given", "Black boxes", IN_SOLVE | IN_EVAL | IN_TUNE | IN_WATCH | IN_PLOT | IN_REPORT, OPTION_READ, AT(targets), NULL, NULL},
    {"keep-folders", NULL, "--files: answered folders stay", "Black boxes", IN_BOX, OPTION_FLAG, AT(keep), NULL, NULL},
    {"plugin", "FILE.so", "instead of SOURCE: a shared object with the function zoprox_open, see zoprox_box.h", "Black boxes", IN_BOX, OPTION_READ, AT(plugin), NULL, NULL},
    {"arg", "WORD", "one more argument for the plugin; may be repeated", "Black boxes", IN_BOX, OPTION_READ_LIST, AT(arg), NULL, NULL},
    {"template", "TPL=FILE", "one run, one file: TPL with {x0}, {NAME}, {NAME:%12.5e} and {case} filled in becomes FILE in a folder of its own; may be repeated", "Files of a program", IN_BOX, OPTION_READ_LIST, AT(template), NULL, NULL},
    {"run", "'LINE'", "what /bin/sh then runs in that folder; words that name files where zoprox was started are found there", "Files of a program", IN_BOX, OPTION_LINE, AT(line), NULL, NULL},
    {"read", "SPEC", "where the value stands then: FILE:LINE:COLUMN, FILE:/PATTERN/ or FILE:$.json.path; * in place of a number, or behind a pattern, takes all of them, one for each case; - is standard output; --fmu: NAME, NAME@TIME, NAME@FROM:STEP:TO or NAME@FILE of times; may be repeated", "Files of a program", IN_BOX, OPTION_LIST, AT(read), NULL, NULL},
    {"link", "FILE", "a file that every folder has a link to, such as a mesh; may be repeated", "Files of a program", IN_BOX, OPTION_READ_LIST, AT(link), NULL, NULL},
    {"dakota", "'DRIVER'", "an analysis driver of Dakota: run as DRIVER params.in results.out in a folder of its own", "Files of a program", IN_BOX, OPTION_LINE, AT(dakota), NULL, NULL},
    {"aprepro", NULL, "--dakota: params.in as APREPRO reads it", "Files of a program", IN_BOX, OPTION_FLAG, AT(aprepro), NULL, NULL},
    {"fmu", "FILE.fmu", "a model as an FMU (FMI 2 or 3, co-simulation), run from its start to the last time that --read names; --parameters says which of its variables change", "Files of a program", IN_BOX, OPTION_READ, AT(fmu), NULL, NULL},
    {"fmu-step", "H", "--fmu: the communication step, in the model's time; that of its default experiment when not given", "Files of a program", IN_BOX, OPTION_POSITIVE, AT(fmu_step), NULL, NULL},
    {"parameters", "FILE", "names, starts, ranges, units, log scales and fixed values of parameters, TOML or JSON, see docs/files.md; --dim is how many there are", "Black boxes", IN_BOX | IN_WATCH, OPTION_READ, AT(parameters), NULL, NULL},
    {"load", "FILE", "a method of yours, known by its name from now on: a shared object with zoprox_method_open, or FILE.py[:CLASS], a Python class with ask and tell; see docs/own-method.md; may be repeated; solve and tune: without --method the first of them", "Method", IN_SOLVE | IN_TUNE | IN_REPRODUCE, OPTION_READ_LIST, AT(load), NULL, NULL},
    {"set", "KEY=VALUE", "any setting, as 'zoprox settings' lists them", "Method", IN_SOLVE | IN_TUNE, OPTION_ASSIGN, 0, NULL, NULL},
    {"units", "U", "budget in units of n*d queries; 100, or 1000 queries if that is more, when no budget is given at all", "Budget (the first that is reached ends the run)", IN_SOLVE | IN_TUNE, OPTION_POSITIVE, AT(units), NULL, NULL},
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
    {"start", "FILE", "begin at this point, one number a line as --save writes them, or the numbers themselves (0.5,2,-1), instead of at 0; a run that goes on has begun already", "Files", IN_SOLVE | IN_CHECK | IN_EVAL | IN_PREDICT | IN_TUNE, OPTION_READ, AT(start), NULL, NULL},
    {"starts", "K", "begin at K points, drawn within the bounds (or around the start): half of the budget is shared by successive halving, and the best goes on with the rest", "Budget (the first that is reached ends the run)", IN_SOLVE, OPTION_COUNT, AT(starts), NULL, NULL},
    {"trace", "FILE", "write a row of CSV every so often", "Files", IN_SOLVE, OPTION_WRITTEN, AT(trace), NULL, NULL},
    {"history", "FILE", "write every evaluation of a black box as it comes: point, component, value, seconds, failure; SQLite where FILE ends in .sqlite or .db, CSV otherwise; with --resume a file that is there goes on, and what it holds is not asked again", "Files", IN_SOLVE, OPTION_WRITTEN, AT(history), NULL, NULL},
    {"past", "FILE", "begin with the evaluations in FILE, a history of zoprox or a table of any other tool with columns x0, x1, ..., value and component: they are not asked again, and the best point is the start", "Files", IN_SOLVE, OPTION_READ, AT(past), NULL, NULL},
    {"progress", "FILE", "write how far the run has come as lines of JSON: ten a second at first, one a second after ten seconds; - is standard error, /dev/fd/3 an open file, see docs/runs.md", "Files", IN_SOLVE, OPTION_WRITTEN, AT(progress), NULL, NULL},
    {"save", "FILE", "write the solution, one number a line", "Files", IN_SOLVE | IN_OPTIMUM, OPTION_WRITTEN, AT(save), NULL, NULL},
    {"checkpoint", "FILE", "keep the state of the run in FILE", "Files", IN_SOLVE, OPTION_WRITTEN, AT(checkpoint), NULL, NULL},
    {"checkpoint-seconds", "S", "write the checkpoint at most so often", "Files", IN_SOLVE, OPTION_NOT_NEGATIVE, AT(limit), NULL, "1"},
    {"resume", NULL, "go on from the checkpoint, or from the history; begins anew where there is none yet; a journal is gone on with in any case", "Files", IN_SOLVE, OPTION_FLAG, AT(resume), NULL, NULL},
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
    {"columns", "D", "reproduce: at most so many columns of a set, every k-th of them; all when not given", "Study", IN_REPRODUCE, OPTION_COUNT, AT(columns), NULL, NULL},
    {"methods", "NAME,...", "only these", "Study", IN_REPRODUCE, OPTION_TEXT, AT(methods), NULL, NULL},
    {"out", "PATH", "reproduce: the folder for store, figure and report; report: the page, short -o; plot: the picture, short -o; watch: the page, short -o; predict: the predictions, short -o", "Study", IN_REPRODUCE | IN_REPORT | IN_PLOT | IN_WATCH | IN_PREDICT, OPTION_WRITTEN, AT(out), NULL, NULL},
    {"store", "FILE", "the run store, kept from call to call: finished trials are never run again", "Study", IN_TUNE | IN_REPRODUCE, OPTION_WRITTEN, AT(store), NULL, NULL},
    {"archive", "FILE", "reproduce: pack store, page, figures, tables, commands, versions and checksums into FILE, a .tar.zst", "Study", IN_REPRODUCE, OPTION_WRITTEN, AT(archive), NULL, NULL},
    {"check", "FILE", "reproduce: unpack the archive FILE, run a sample of its trials again, and compare every number; --random K says how many (20)", "Study", IN_REPRODUCE, OPTION_READ, AT(check), NULL, NULL},
    {"patience", "S", "zoprox-mpi: a rank that lets the others wait for so many seconds ends the run; 0: never; 600 when not given, 0 for black boxes", "Running", IN_SOLVE, OPTION_NOT_NEGATIVE, AT(patience), NULL, NULL},
    {"threads", "T", "threads that evaluate; all cores when not given; results never depend on it", "Running", IN_SOLVE | IN_OPTIMUM, OPTION_COUNT, AT(threads), NULL, NULL},
    {"unpack", "BYTES", "what a compressed file may unpack to; when not given, 200 times its size, and at least a gibibyte; also ZOPROX_UNPACK", "Running", IN_PROBLEM | IN_DATA, OPTION_POSITIVE, AT(unpack), NULL, NULL},
    {"page", "FILE|PORT", "a page of the run while it goes on, for a browser: served on 127.0.0.1 where a port is given (0: any that is free), written to a file otherwise", "Watching", IN_SOLVE, OPTION_WRITTEN, AT(page), NULL, NULL},
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
