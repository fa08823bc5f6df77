/* The command's parts and what they share. The tables of commands and options feed the parser, the help, the
 * man page and the shells' completion.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_H
#define ZO_TOOL_H

#include <stdint.h>
#include <stdio.h>

#include "zoprox.h"
#include "zoprox_box.h"
#include "zoprox_data.h"

/* Exit codes: stopped as asked; a failure while running; bad usage or input. */
enum { DONE = 0, FAILED = 1, REFUSED = 2 };

/* One line on standard error, "zoprox: ...", and code, so that "return complain(...)" ends a command. */
int complain(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for a failure of the library: bad arguments and input are REFUSED, the rest FAILED. */
int complain_of(const zo_error *err);
/* Flushes standard output; FAILED and a line when it could not all be written, code otherwise. */
int finish_output(int code);

/* ---- Commands ---------------------------------------------------------------------------------- */

enum {
    IN_SOLVE = 1,
    IN_OPTIMUM = 2,
    IN_DATA = 4,
    IN_METHODS = 8,
    IN_PROXES = 16,
    IN_SETTINGS = 32,
    IN_SELFTEST = 64,
    IN_COMPLETION = 128,
    IN_MANUAL = 256,
    IN_CHECK = 512,
    IN_LISTS = IN_METHODS | IN_PROXES | IN_SETTINGS,
    IN_TUNE = 1024,
    IN_REPRODUCE = 2048,
    IN_REPORT = 4096,
    IN_STUDY = IN_TUNE | IN_REPRODUCE | IN_REPORT,
    IN_PLOT = 8192,
    IN_WATCH = 16384,
    IN_INIT = 32768,
    IN_EVAL = 65536,
    IN_PREDICT = 131072,
    IN_ALL = 262143
};

typedef struct command_row {
    const char *name;
    unsigned bit;         /* IN_... */
    const char *words;    /* what follows its name: "SOURCE", "list|fetch|path|info [NAME]" */
    const char *summary;  /* half a line */
    const char *about;    /* a paragraph or more, separated by newlines */
    const char *examples; /* one command a line, "# " lines between them */
} command_row;

const command_row *command_rows(size_t *count);
const command_row *command_find(const char *name); /* NULL: unknown */

/* What each does; argv[0] is the command's own name. */
int command_solve(int argc, char **argv);
int command_optimum(int argc, char **argv);
int command_data(int argc, char **argv);
int command_list(int argc, char **argv); /* methods, proxes, settings */
int command_selftest(int argc, char **argv);
int command_completion(int argc, char **argv);
int command_manual(int argc, char **argv);
int command_check(int argc, char **argv);
int command_tune(int argc, char **argv);
int command_reproduce(int argc, char **argv);
int command_report(int argc, char **argv);
int command_plot(int argc, char **argv);
int command_watch(int argc, char **argv);
int command_init(int argc, char **argv);
int command_eval(int argc, char **argv);
int command_predict(int argc, char **argv);

/* ---- Options ----------------------------------------------------------------------------------- */

enum option_type {
    OPTION_FLAG,         /* int */
    OPTION_TEXT,         /* const char * */
    OPTION_READ,         /* the same: a file that is read, FILE, FILE:... or FILE=... */
    OPTION_WRITTEN,      /* the same: a file that is written */
    OPTION_LINE,         /* the same: words that may name files which are read */
    OPTION_CHOICE,       /* const char *, one of choices */
    OPTION_LOSS,         /* zo_loss, by name */
    OPTION_NUMBER,       /* double, finite */
    OPTION_POSITIVE,     /* double, finite, > 0 */
    OPTION_NOT_NEGATIVE, /* double, finite, >= 0 */
    OPTION_COUNT,        /* uint64_t >= 1; 1e6 is understood */
    OPTION_COUNT_OR_0,   /* the same, and 0 */
    OPTION_LIST,         /* word_list: one more */
    OPTION_READ_LIST,    /* the same: one more file that is read */
    OPTION_PROX,         /* one more psi */
    OPTION_SETTING,      /* through zo_set, under its own name */
    OPTION_ASSIGN        /* KEY=VALUE, through zo_set */
};

typedef struct option_row {
    const char *name;     /* without the dashes */
    const char *argument; /* NULL: a flag */
    const char *help;
    const char *group;
    unsigned commands; /* IN_... */
    enum option_type type;
    size_t offset;       /* in request */
    const char *choices; /* separated by '|', or NULL */
    const char *initial; /* the default as text, or NULL */
} option_row;

/* The k-th option: those of the tool, then one for every setting. Returns 0 after the last. */
int option_at(size_t k, option_row *out);

enum { MAX_PROXES = 64, MAX_WORDS = 64, MAX_NAMED = 128 };

typedef struct word_list {
    const char *at[MAX_WORDS];
    size_t count;
} word_list;

typedef struct request {
    const command_row *command;
    const char *words[MAX_WORDS]; /* what is not an option */
    size_t nwords;
    zo_loss loss;
    double l2, l1; /* l1: NaN when not given */
    const char *prox[MAX_PROXES];
    size_t nprox;
    uint64_t features; /* 0: as many as the data has */
    zo_settings set;
    uint64_t given;                          /* bit k: row k of zo_setting_rows was given */
    double units, seconds;                   /* infinite: no limit */
    uint64_t queries, points, steps;         /* UINT64_MAX: no limit */
    double target, gap, tol, optimum, every; /* NaN: not given */
    const char *track;
    const char *start, *trace, *save, *checkpoint, *progress, *history, *past;
    uint64_t threads;   /* 0: all cores */
    double limit;       /* solve --checkpoint-seconds */
    double unpack;      /* bytes */
    double patience;    /* seconds to wait for another rank; NaN: not given */
    const char *mirror; /* data fetch */
    const char *program, *python, *plugin, *files, *journal; /* black boxes */
    const char *residuals, *weights, *targets;
    int all;                        /* one run gives all components */
    int keep;                       /* the folders of --files */
    word_list load;                 /* methods from outside */
    word_list arg;                  /* words for the plugin */
    word_list template, read, link; /* a run's files */
    const char *line, *dakota;      /* what runs there */
    int aprepro;
    const char *fmu;
    double fmu_step;        /* NaN: not given */
    const char *parameters; /* a file with names, ranges, ... */
    uint64_t n, dim, workers, retries, max_failures;
    double timeout;
    int shell;
    const char *grid, *store, *out, *pairs, *methods, *archive, *check; /* studies */
    uint64_t rows, columns;                                             /* reproduce: 0: all */
    uint64_t random, seeds, report_seeds, jobs, group;
    uint64_t port;    /* watch; 0: any */
    const char *kind; /* init */
    const char *page; /* a file, or a port */
    int intercept, gradient;
    uint64_t starts; /* 0: one */
    int halving, beyond, quick, full;
    int resume, json, markdown, quiet, help;
    unsigned char named[MAX_NAMED]; /* 1: that row of the tool's own options was given */
} request;

/* Fills r from the command line of a command; DONE, or REFUSED after a line that says what would be right. */
int request_parse(request *r, int argc, char **argv);
/* Is nothing written to a file that has another use in this request? DONE, or REFUSED after a line (apart.c). */
int files_apart(const request *r);
/* Is there a method of that name? Else a line that says where it stood and names the nearest. */
int check_method(const char *where, const char *name);
/* one of the tool's own options, not of a setting */
int option_given(const request *r, const char *name);

/* ---- Help, from the tables ---------------------------------------------------------------------- */

void print_help(FILE *out); /* of the whole command */
void print_command_help(FILE *out, const command_row *c);
/* the cursor stands at indent */
void print_wrapped(FILE *out, const char *text, int indent, int width);
/* The option's help with its choices and default. */
void option_text(const option_row *o, char *text, size_t size);
/* What may follow the option, separated by blanks; "" if anything may. */
void option_values(const option_row *o, char *text, size_t size);

/* ---- Tasks: the problem that is asked for ----------------------------------------------------- */

typedef struct task {
    zo_data *data;
    zo_model *model;
    zo_command *command; /* or one of these two instead of data and model */
    zo_plugin *plugin;
    zo_problem problem;        /* its psi is the one asked for */
    double *weights, *targets; /* of residuals; or NULL */
    struct callback *callback; /* that task_settle made, or: */
    struct whole *whole;
    struct parameters *known; /* by name; or NULL */
    zo_prox psi;              /* the one asked for, where the problem's has bounds as well */
    double radius;            /* that formats of templates ask for; NaN: any will do */
    const char *made;         /* a folder that goes where it is empty at the end; or NULL */
    struct fmu_folder *fmu;   /* what is unpacked there; or NULL */
} task;

int task_open(task *s, const request *r); /* DONE, or after a line REFUSED or FAILED */
/* collective: the same on all ranks, each with its part of the data */
int task_open_part(task *s, const request *r);
void task_close(task *s);
/* Functions of a plugin become a problem with answer, here as in a run. DONE, or after a line. */
int task_settle(task *s);
/* The point that --start names, that parameters begin at, or 0. DONE, or after a line. */
int task_start(const task *s, const request *r, double *x);
/* Says why there is no solver, and of a file with one far too large index where that is. */
int task_no_room(const task *s, const request *r, const zo_error *why);
/* The black box that the request names instead of a SOURCE. */
int box_wanted(const request *r);
const char *box_name(const request *r);
/* Has every option that was given a use with this SOURCE or black box? DONE, or REFUSED after a line. */
int box_fits(const request *r);
int box_open(task *s, const request *r); /* DONE, or after a line REFUSED or FAILED */
void box_close(task *s);
/* The digits that give all values back; a double at a point drawn at random has 15 to 17 (run/digits.c). */
enum { FEW_DIGITS = 10 }; /* so many or fewer are no chance */
int value_digits(size_t count, const double *v);
/* The Python that runs what is Python's: ZOPROX_PYTHON, or the python3 of the PATH. */
const char *python_program(void);
/* What it is given behind -c, before the arguments of zoprox.serve: a Python without the package says what would help. */
#define PYTHON_SERVES                                                                              \
    "import sys\n"                                                                                 \
    "try:\n"                                                                                       \
    "    from zoprox import serve\n"                                                               \
    "except ModuleNotFoundError as error:\n"                                                       \
    "    sys.exit(f'{sys.executable} has no package {error.name}; activate the environment '\n"    \
    "             'that has zoprox, or set ZOPROX_PYTHON to its python3')\n"                       \
    "serve.main()\n"
/* Questions as folders (files.c): how zoprox is started as a worker, what it then does, and what comes before. */
#define FILES_WORKER "files-worker"
int files_worker(char **argv); /* argv: the program, or nothing: somebody else answers */
/* Runs of a program that reads and writes files of its own (files/runs.c), likewise. */
#define RUNS_WORKER "runs-worker"
#define RUNS_FOLDER "zoprox-runs" /* where --files names none */
typedef struct runs_words {
    const char *argv[8 * MAX_WORDS + 16]; /* how the worker is started */
    char text[3][24];                     /* that some of them point to */
    size_t n;
    int all;    /* a run gives all cases */
    int digits; /* that formats keep of a parameter */
    const char *folder;
} runs_words;
int runs_wanted(const request *r);
int runs_prepare(const request *r, size_t d, runs_words *w); /* DONE, or after a line */
int runs_worker(int argc, char **argv);
/* Runs of an FMU (fmu/run.c), likewise. */
#define FMU_WORKER "fmu-worker"
int fmu_prepare(const request *r, struct fmu_folder **held,
                runs_words *w);            /* DONE, or after a line */
void fmu_release(struct fmu_folder *held); /* takes NULL */
int fmu_worker(int argc, char **argv);

/* ---- History: what --history and --past name (past.c) --------------------------------------------- */

int past_open(zo_history **out, const request *r, const task *s); /* NULL: nothing is asked for */
/* Where a run begins that --past gives a point to; 0: nowhere. */
int past_start(zo_history *h, const request *r, const task *s, double *start);

/* ---- Signals: the first one asks the run to end, the second ends the process --------------------- */

void catch_signals(void);
const volatile int *stop_flag(void); /* the number of the signal that came; 0: none */

/* ---- Ranks: one process (alone.c), or several that run the same command (mpi/ranks.c) ---------- */

void ranks_begin(int *argc, char ***argv);
int ranks_end(int code);
int ranks_me(void); /* 0 prints and writes; the others are silent */
int ranks_size(void);
/* collective: those of rank from come to all; NULL: not kept */
void ranks_share(void *bytes, size_t size, int from);
int ranks_any(int flag);          /* collective: is it set on any rank? */
void ranks_say(const char *text); /* a complaint: at once, or when the ranks agree */
/* The worst of all ranks' codes; what the first rank went wrong with has been said. */
int ranks_agree(int code);
int ranks_same_line(const request *r); /* do all ranks have this command line? As ranks_same */
/* a part */
zo_status ranks_read(zo_data **out, const char *path, size_t features, int threads, zo_error *err);
zo_status ranks_keep(zo_data *data, zo_error *err); /* of whole data this rank's part */
/* DONE, or REFUSED after a line where a rank has another v */
int ranks_same(uint64_t v, const char *what);
int ranks_join(task *s);              /* the task's problem is shared by all ranks from now on */
const volatile int *ranks_stop(void); /* set when all ranks are to stop */
int ranks_ask_stop(void);             /* from a row's watcher, which returns what this does */
/* Ranks must not stop by clocks of their own: where there are several, the limit in c becomes a wish of rank 0 (spent:
 * seconds in earlier runs), and the reason is put right afterwards. */
void ranks_clock(zo_control *c, double spent);
zo_reason ranks_reason(zo_reason reason);
void ranks_failed(const zo_error *err); /* the run ended with this: the others must not wait */

/* Groups of so many ranks in a row, each to run trials of its own. Collective: DONE, or REFUSED after a line. */
int ranks_group(const request *r);
zo_status ranks_group_join(zo_problem *p, zo_error *err); /* p is shared by my group from now on */
const volatile int *ranks_group_stop(void);               /* set when all of my group are to stop */

/* ---- Files -------------------------------------------------------------------------------------- */

/* Can path be written, as far as one can know without touching it? DONE, or after a line FAILED, or REFUSED for "-". */
int file_check(const char *path, const char *what);
int file_same(const char *a, const char *b); /* 1: one file by two names; NULL is none */
/* Writes d numbers, one a line, 17 digits, in full or not at all. DONE, or FAILED after a line. */
int file_save(const char *path, size_t d, const double *x);
size_t file_lines(const char *path); /* 0: or it cannot be read */
/* Reads d finite numbers as file_save writes them. DONE, or REFUSED after a line. */
int file_load(const char *path, const char *what, size_t d, double *x);
/* Replaces path by size bytes in full or not at all: 0, or -1 and errno. */
int file_replace(const char *path, const char *bytes, size_t size);

/* Two runs must not write one checkpoint in turns. DONE, or FAILED after a line: another run has it. */
struct hold; /* base/draft.h */
int file_hold(struct hold *h, const char *path);

/* The trace: one CSV row a line, each written whole. */
typedef struct trace {
    const char *path; /* NULL: none is wanted */
    int fd;
    int error;      /* errno of the first failure */
    long long good; /* bytes of whole rows */
    uint64_t last;  /* queries of the last row; UINT64_MAX: there is none */
    double synced;  /* clock when it was last on the disk */
} trace;

/* an empty one with its header; a NULL path is no trace */
int trace_begin(trace *t, const char *path);
/* Cuts the trace back to its rows up to so many queries, where the last one stands if the trace is whole;
 * *lacking says that it does not. */
int trace_resume(trace *t, const char *path, uint64_t queries, int *lacking);
void trace_write(trace *t, const zo_row *row);
int trace_end(trace *t); /* DONE, or FAILED after a line */

double clock_seconds(void);

/* ---- Progress and reports ------------------------------------------------------------------------ */

typedef struct progress {
    int shown, drawn; /* 1: a line is wanted on standard error; there is one */
    const zo_control *control;
    double begun;
    uint64_t queries; /* with those watched, */
    double since;     /* and the clock when they last changed */
    int fd;           /* of the lines of JSON; -1: none are wanted */
    int error;        /* errno of the first that could not be written */
    double written;   /* clock when the last one was */
    zo_progress last;
} progress;

/* Opens what --progress names. DONE, or FAILED after a line. */
int progress_begin(progress *p, const request *r, const zo_control *control);
void progress_show(void *ctx, const zo_progress *now);   /* ctx is a progress */
void progress_end(progress *p, const zo_report *report); /* clears the line */

typedef struct outcome { /* all that a report of a run says */
    const request *asked;
    const task *from;
    const zo_solver *solver;
    const zo_report *report;
    double optimum;            /* NaN: not known */
    const zo_history *history; /* or NULL */
    int signal;                /* that ended the run; 0: none */
    int failed;
    uint64_t spent; /* queries of several starts, before the run */
    size_t valleys; /* of F along a line through the start and the end; 0: nobody looked */
    double lowest;  /* value of F seen there */
} outcome;

int nothing_known(const zo_report *r); /* no value of F, and the start was not left */
const double *result_of(const zo_solver *solver, const zo_report *r);
void report_json(const outcome *o);
void report_table(const outcome *o);
struct json_t *json_number(double v);       /* null unless finite */
struct json_t *json_text(const char *text); /* null unless UTF-8: a file's name may be anything */
int print_json(struct json_t *value);       /* to standard output; releases value */

#endif
