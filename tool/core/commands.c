/* The table of commands, with what help and manual say of each.
 * SPDX-License-Identifier: MIT */
#include "core/tool.h"

#include <string.h>

#define SOURCE_IS                                                                                  \
    "SOURCE is a LIBSVM file, plain or compressed ('-' is standard input); the name of a data "    \
    "set, looked "                                                                                 \
    "for in "                                                                                      \
    "$ZOPROX_DATA and in the user's data folder ('zoprox data list'); or synth:KEY=VALUE,... for " \
    "a made-up "                                                                                   \
    "one "                                                                                         \
    "('synth:' alone has the size of a9a)."

/* clang-format off */
static const command_row table[] = {
    {"solve", IN_SOLVE, "SOURCE|--command ...|--python FILE:NAME|--run ...|--files DIR|--plugin FILE.so", "minimize a black box of yours, or over a data set, asking for values of f only",
     "Minimizes F(x) = (1/n) sum_i f_i(x) + psi(x) where the f_i can only be evaluated: a program, files or a plugin of yours "
     "gives their values (--command, --run, --files, --plugin), or SOURCE has data and f_i(x) = loss(z_i'x, y_i) + (l2/2)|x|^2. One evaluation of one f_i is a query; one unit is n*d queries, the price of a forward-difference gradient.\n"
     SOURCE_IS "\n"
     "Without a budget the run ends after 100 units, or 1000 queries if that is more. SIGINT, SIGTERM, SIGHUP and SIGUSR1 end it at the next question, with the "
     "checkpoint, the solution and the report written and exit code 0 (the reason says 'request'); a second signal ends it at once.",
     "# the paper's problem and one of its methods\n"
     "zoprox solve a9a --l1 1e-4 --l2 1e-4 --method pgd --step 2 --radius 1e-3 --units 100\n"
     "# stop at a gap of 1e-6, and keep the curve and the solution\n"
     "zoprox solve a9a --l1 1e-4 --l2 1e-4 --gap 1e-6 --trace a9a.csv --save a9a.x\n"
     "# a run that survives being killed: the same line starts it and goes on with it\n"
     "zoprox solve covtype --units 500 --checkpoint run.zo --resume --trace run.csv\n"
     "# a program as a black box, on all cores\n"
     "zoprox solve --command 'python3 worker.py' --n 200 --dim 20 --l1 1e-3\n"
     "# a code that reads p.in and writes p.out\n"
     "zoprox solve --template p.tpl=p.in --run ./code --read p.out:3:2 --dim 2\n"
     "# the same with parameters by name, ranges and log scales\n"
     "zoprox solve --template p.tpl=p.in --run ./code --read 'p.out:/misfit/' --parameters p.toml --save best.toml\n"
     "# another psi on each block of coordinates, a result for programs\n"
     "zoprox solve synth:n=1000,d=20 --prox box:-1,1@0:10 --prox l1:0.01@10:20 --json"},
    {"tune", IN_TUNE, "SOURCE|--command ...|--python FILE:NAME|--run ...|--plugin FILE.so", "try settings of a method, in parallel, and report the best on other seeds",
     "Runs a method with every settings of a grid (or some drawn at random, or by successive halving), chooses those with the "
     "least median gap at the end of the budget, and runs them again on other seeds: what was chosen and what is reported "
     "never share a seed. Chosen by seeds S, S+1, ... (--seed S), reported by S+1000, S+1001, ...\n"
     "Every finished trial is kept in the run store with its curve; killed at any moment, the same line goes on where it was. A "
     "trial whose objective rises above ten times its start plus one is ended and recorded as diverged.\n" SOURCE_IS,
     "zoprox tune a9a --l1 1e-4 --l2 1e-4 --method sega --grid 'step=1e-2..10^7;directions=10,50' --budget 20\n"
     "zoprox tune --command ./simulate --n 40 --dim 6 --grid 'method=auto,saga,sega' --budget 10\n"
     "zoprox tune synth: --method zpdvr --grid 'step=0.1,0.5,1;refresh=0.01..0.05*5' --random 8 --seeds 3 --json"},
    {"reproduce", IN_REPRODUCE, "[a9a|w8a|covtype|gisette|map|theory|growth ...]", "the paper's experiment and its theory, run again",
     "Section 5 of the paper with Table 2's lambdas and radius and the appendix's grids: pgd, zpsvrg, sega, zpdvr, with further "
     "curves that it does not show (psvrg, saga, fista, inq, auto). zpdvr renews its reference point by a coin on a9a and w8a and after "
     "each pass on covtype and gisette, as there. Settings are chosen on one set of seeds and reported on another. "
     "All trials are kept in DIR/zoprox.runs: killed at any moment, the same line goes on; a second call draws and "
     "prints again without running anything.\n"
     "theory runs Theorem 4.6 at its parameters, the boundary of stability, the bias of an epoch, Lemmas 4.1 to 4.4 and the "
     "radius' floor, other readings of Algorithm 1, and what zpvr attains; each has a name: lyapunov, readings, attained, stability, recursion, bias, lemmas, floor. growth measures Table 1: how "
     "queries to a gap grow with d, n and kappa. map runs the paper's four methods over batch 1, 16, 128, 1024, n/8, n and directions 1, 10, 50, "
     "d/2, d (or those of --pairs), each tuned by halving on 5 seeds and reported on 21, and says who is ahead where; readings beside sets runs zpdvr under each reading of "
     "Algorithm 1 on them. german, phishing, mushrooms and heart_scale, which the paper does not have, take the grids of a9a. Without words: all four data "
     "sets, with --quick a9a and a part of covtype.\n"
     "--archive packs all that a folder and its store have come to; --check runs a sample of an archive again and compares every number.",
     "zoprox reproduce --quick\n"
     "zoprox reproduce theory\n"
     "zoprox reproduce map a9a --rows 2000 --budget 20\n"
     "zoprox reproduce readings a9a w8a --rows 2000 --pairs 128x10 --halving --archive readings.tar.zst\n"
     "zoprox reproduce --check readings.tar.zst\n"
     "zoprox reproduce a9a w8a --pairs 1024x50 --report-seeds 5 --out study"},
    {"report", IN_REPORT, "STORE|TRACE|HISTORY ...", "one page with curves and tables from runs",
     "Writes a page that works from disk without a network: curves with zoom, values under the pointer, methods to toggle, the x "
     "axis in units, queries or seconds; how settings were chosen; what diverged; versions. Traces (--trace) and histories (--history) of "
     "any number are a panel of their own.",
     "zoprox report reproduction/zoprox.runs -o report.html\n"
     "zoprox report a.csv b.csv history.csv -o report.html"},
    {"plot", IN_PLOT, "TRACE|STORE|HISTORY ...", "curves on the terminal, or as a picture",
     "Draws the objective (the gap where it is known) of traces (--trace) and run stores over queries, and the best mean of f of histories (--history) over "
     "evaluations; while a run goes on, too. On the terminal, or with -o as SVG, PNG or PDF by gnuplot.",
     "zoprox plot run.csv\n"
     "zoprox plot a.csv b.csv -o curves.svg"},
    {"watch", IN_WATCH, "HISTORY [PROGRESS]", "a page of a run that goes on, for a browser on this machine",
     "Serves a page on 127.0.0.1 that follows a history (--history) as it grows: the mean of f and the best point over evaluations, its parameters, values by case, "
     "failures; with the file of --progress also workers and time left. The run does not know of it. With -o it writes the page as it is now, for any browser, and ends.",
     "zoprox solve --command ./simulate --n 40 --dim 6 --history run.csv --progress run.json &\n"
     "zoprox watch run.csv run.json\n"
     "zoprox watch run.csv -o run.html"},
    {"init", IN_INIT, "[FOLDER]", "a folder that works as it stands, to put your own case into",
     "Asks three questions: what gives the values (a program, files that a code reads and writes, Python, C), how many parameters, how many cases. "
     "Options answer them for scripts. The folder is 'my-case' when none is named.",
     "zoprox init\n"
     "zoprox init beam --for files --dim 4 --n 20"},
    {"eval", IN_EVAL, "SOURCE|--command ...|--python FILE:NAME|--run ...|--plugin FILE.so", "F, its parts and its slopes at a saved point",
     "Evaluates the objective at the point that --start names (as --save writes it): F, the mean of f, psi, the cases that count most, the residuals where there are any; with --gradient "
     "the slope along every parameter and how much F changes with a relative change of it. --json has all of them. It costs n queries, with --gradient n(d+1).",
     "zoprox eval a9a --l1 1e-4 --start a9a.x\n"
     "zoprox eval --template p.tpl=p.in --run ./code --read p.out:3:2 --parameters p.toml --start best.toml --gradient"},
    {"predict", IN_PREDICT, "SOURCE", "what a solution over data says of these rows, and how well",
     "Applies the x that --start names to the rows of SOURCE: classes (logistic, smooth-hinge, sigmoid, softmax; probability_LABEL is how likely that one is) or values (squared, huber), as CSV on standard output or in "
     "the file of -o, and the share of right ones or the root mean square error on standard error. --loss and --intercept as they were when it was found, --features where these rows lack some of the features it has.",
     "zoprox solve a9a --l1 1e-4 --intercept --save a9a.x\n"
     "zoprox predict a9a.t --features 123 --intercept --start a9a.x -o a9a.csv"},
    {"optimum", IN_OPTIMUM, "SOURCE", "the least value of a convex built-in problem, by first-order means",
     "Finds F* and says how it is known: a bound on F(x) - F* from a duality gap or from the norm of the prox-gradient. "
     "It looks at derivatives, which no method of 'solve' does.\n" SOURCE_IS,
     "zoprox optimum a9a --l1 1e-4 --l2 1e-4\n"
     "zoprox optimum housing_scale --loss squared --l1 0.1 --json"},
    {"check", IN_CHECK, "", "try a program or plugin against the protocol, and say what is wrong",
     "Asks a black box a few questions, the way 'solve' would: does it answer as it should, how fast, does it repeat itself "
     "(noise), do its values depend on the order of questions? It says first how many queries that takes; --quick takes eight. "
     "--start and --prox (bounds) say where it may ask.",
     "zoprox check --command 'python3 worker.py' --n 200 --dim 20\n"
     "zoprox check --command ./simulate --n 40 --dim 6 --quick --start x0 --prox box:0,1"},
    {"data", IN_DATA, "list|fetch|path|info [NAME]", "the catalogue of data sets: list, download, locate, describe",
     "list names the data sets known by name; fetch downloads one, checks it and keeps it in the user's data folder; path "
     "says where a name leads; info reads a SOURCE and counts it.",
     "zoprox data list\n"
     "zoprox data fetch a9a\n"
     "zoprox data info a9a"},
    {"methods", IN_METHODS, "[NAME]", "the methods, what a step of each costs, and the settings it uses",
     "Lists the methods, or says more of one.", "zoprox methods\nzoprox methods zpdvr\nzoprox methods --json"},
    {"proxes", IN_PROXES, "[NAME]", "the regularisers and constraints psi, as --prox takes them",
     "Lists what --prox understands, or says more of one.", "zoprox proxes\nzoprox proxes box"},
    {"settings", IN_SETTINGS, "[NAME]", "the settings of the methods, with range and default",
     "Lists the settings, or says more of one. 'auto' leaves a setting to the method's rule.",
     "zoprox settings\nzoprox settings step\nzoprox settings --markdown"},
    {"selftest", IN_SELFTEST, "", "a few seconds of known answers: is this build sound here?",
     "Checks random numbers, proximal maps, a small run, resuming and threads against known answers; one line each.",
     "zoprox selftest"},
    {"completion", IN_COMPLETION, "bash|zsh", "completion of commands, options and names, for a shell",
     "Prints a script for the shell.",
     "# in this shell\n"
     "source <(zoprox completion bash)\n"
     "# for every shell of this user\n"
     "zoprox completion bash > ~/.local/share/bash-completion/completions/zoprox"},
    {"manual", IN_MANUAL, "", "this command's man page",
     "Prints the man page as troff, from the same tables as the help.",
     "zoprox manual > zoprox.1\nman ./zoprox.1"},
};
/* clang-format on */
enum { NTABLE = sizeof table / sizeof table[0] };

const command_row *command_rows(size_t *count)
{
    *count = NTABLE;
    return table;
}

const command_row *command_find(const char *name)
{
    for (size_t k = 0; k < NTABLE; k++)
        if (!strcmp(table[k].name, name)) return &table[k];
    return NULL;
}
