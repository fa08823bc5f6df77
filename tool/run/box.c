/* Black boxes from the command line: --command, --files, --run, --fmu, --python and --plugin.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "files/files.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int box_wanted(const request *r)
{
    return r->program || r->python || r->plugin || r->files || r->fmu || runs_wanted(r);
}

const char *box_name(const request *r)
{
    return r->program  ? r->program
           : r->python ? r->python
           : r->plugin ? r->plugin
           : r->fmu    ? r->fmu
           : r->dakota ? r->dakota
           : r->line   ? r->line
           : r->files  ? r->files
                       : r->template.at[0];
}

/* ---- Options that this problem has no use for ------------------------------------------------------- */

enum {
    BY_FILE = 1,
    BY_SYNTH = 2,
    BY_COMMAND = 4,
    BY_FILES = 8,
    BY_PLUGIN = 16,
    BY_RUNS = 32,
    BY_PYTHON = 64,
    BY_FMU = 128
}; /* what the problem is */

static unsigned kind_of(const request *r)
{
    if (r->plugin) return BY_PLUGIN;
    if (r->python) return BY_PYTHON;
    if (r->fmu) return BY_FMU;
    if (runs_wanted(r)) return BY_RUNS | (r->program ? BY_COMMAND : 0);
    if (r->files) return BY_FILES | (r->program ? BY_COMMAND : 0);
    if (r->program) return BY_COMMAND;
    return strncmp(r->words[0], "synth:", 6) ? BY_FILE : BY_SYNTH;
}

static const char *kind_name(unsigned kind)
{
    return kind & BY_FILES    ? "--files"
           : kind & BY_FILE   ? "a SOURCE"
           : kind == BY_SYNTH ? "synth:"
           : kind & BY_PLUGIN ? "--plugin"
           : kind & BY_RUNS   ? "--run"
           : kind & BY_PYTHON ? "--python"
           : kind & BY_FMU    ? "--fmu"
                              : "--command";
}

#define SOME_PROGRAMS "--command, --files, --template, --run, --dakota, --python"
#define PROGRAMS SOME_PROGRAMS " or --fmu"
#define BOXES SOME_PROGRAMS ", --fmu or --plugin"

/* A ridge that is asked for and not there would be worse than no answer. */
int box_fits(const request *r)
{
    enum {
        SOURCE = BY_FILE | BY_SYNTH,
        PROGRAM = BY_COMMAND | BY_FILES | BY_RUNS | BY_PYTHON | BY_FMU
    };
    static const struct {
        const char *name;
        unsigned kinds;
        const char *right;
    } only[] = {
        {"loss", SOURCE, "a SOURCE"},
        {"l2", SOURCE, "a SOURCE"},
        {"features", BY_FILE, "a data file"},
        {"intercept", SOURCE, "a SOURCE"},
        {"n", PROGRAM, PROGRAMS},
        {"dim", PROGRAM, PROGRAMS},
        {"workers", PROGRAM, PROGRAMS},
        {"shell", BY_COMMAND, "--command"},
        {"timeout", PROGRAM, PROGRAMS},
        {"retries", PROGRAM, PROGRAMS},
        {"max-failures", PROGRAM, PROGRAMS},
        {"journal", PROGRAM, PROGRAMS},
        {"history", PROGRAM | BY_PLUGIN, BOXES},
        {"past", PROGRAM | BY_PLUGIN, BOXES},
        {"all", PROGRAM, PROGRAMS},
        {"residuals", PROGRAM | BY_PLUGIN, BOXES},
        {"weights", PROGRAM | BY_PLUGIN, BOXES},
        {"targets", PROGRAM | BY_PLUGIN, BOXES},
        {"points", PROGRAM | BY_PLUGIN, BOXES},
        {"keep-folders", BY_FILES | BY_RUNS, "--files, --template, --run or --dakota"},
        {"read", BY_RUNS | BY_FMU, "--template, --run or --fmu"},
        {"link", BY_RUNS, "--run or --dakota"},
        {"aprepro", BY_RUNS, "--dakota"},
        {"fmu-step", BY_FMU, "--fmu"},
        {"parameters", PROGRAM | BY_PLUGIN, BOXES},
        {"arg", BY_PLUGIN, "--plugin"},
    };
    unsigned kind = kind_of(r);
    for (size_t k = 0; k < sizeof only / sizeof only[0]; k++)
        if (!(only[k].kinds & kind) && option_given(r, only[k].name))
            return complain(REFUSED, "--%s has no use with %s; it goes with %s", only[k].name,
                            kind_name(kind), only[k].right);
    return DONE;
}

/* ---- The black box ---------------------------------------------------------------------------------- */

/* The next word of *text, in place: blanks separate, quotes and backslashes hold together. NULL: there is none;
 * *open tells of a quote that never ended. */
static char *next_word(char **text, int *open)
{
    char *from = *text;
    while (isspace((unsigned char)*from)) from++;
    if (!*from) return NULL;
    char *word = from, *to = from, quote = 0;
    for (; *from && (quote || !isspace((unsigned char)*from)); from++) {
        if (quote ? *from == quote : *from == '\'' || *from == '"')
            quote = quote ? 0 : *from;
        else
            *to++ = *from == '\\' && from[1] && quote != '\'' ? *++from : *from;
    }
    *open = quote != 0;
    *text = *from ? from + 1 : from;
    *to = 0;
    return word;
}

/* Is the next word one that only a shell understands, and not quoted? */
static const char *shell_word(const char *text)
{
    static const char *const words[] = {"|", "||", "&", "&&", ";", "<", ">", ">>", "2>", "2>&1"};
    text += strspn(text, " \t\n");
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcspn(text, " \t\n") == strlen(words[k]) &&
            !strncmp(text, words[k], strlen(words[k])))
            return words[k];
    return NULL;
}

enum {
    MAX_ARGV = 256,
    SELF = 2
}; /* words of a command; words before it where zoprox is the worker */

/* The words of --command; with --shell one word for sh -c. text is spoiled. */
static int split(const request *r, char *text, const char **argv)
{
    int count = 0, open = 0;
    if (r->shell) {
        argv[0] = "/bin/sh";
        argv[1] = "-c";
        argv[2] = text;
        argv[3] = NULL;
        return DONE;
    }
    for (;;) {
        const char *odd = shell_word(text);
        if (odd)
            return complain(REFUSED,
                            "--command: '%s' in '%s' is for a shell; add --shell, or quote it", odd,
                            r->program);
        char *word = next_word(&text, &open);
        if (!word) break;
        if (open) return complain(REFUSED, "--command: a quote in '%s' does not end", r->program);
        if (count == MAX_ARGV) return complain(REFUSED, "--command: more than %d words", MAX_ARGV);
        argv[count++] = word;
    }
    argv[count] = NULL;
    return count ? DONE : complain(REFUSED, "--command: no program is named");
}

/* Each rank has a journal of its own. */
static void journal_path(const request *r, char *path, size_t size)
{
    if (r->journal && ranks_me())
        snprintf(path, size, "%s.%d", r->journal, ranks_me());
    else if (r->journal)
        snprintf(path, size, "%s", r->journal);
}

/* What a run that was cut short has left. */
static void remark_on_journal(const task *s, const request *r)
{
    zo_command_facts f = zo_command_look(s->command);
    if (f.journal && !r->quiet)
        fprintf(
            stderr,
            "zoprox: journal: '%s' holds the answers to %llu questions; they are not asked again\n",
            r->journal, (unsigned long long)f.journal);
}

/* Each worker takes three open files, of which a process may often have 1024 only by default. */
static void allow_files(uint64_t workers)
{
    struct rlimit may;
    rlim_t wanted = (rlim_t)(workers < 65536 ? workers : 65536) * 3 + 64;
    if (getrlimit(RLIMIT_NOFILE, &may) || may.rlim_cur >= wanted) return;
    may.rlim_cur = wanted < may.rlim_max ? wanted : may.rlim_max;
    setrlimit(RLIMIT_NOFILE, &may); /* where it cannot be, zo_command_new says what is missing */
}

/* Parameters that are named are as many as there are. 0: not known. */
static size_t dimensions(const task *s, const request *r)
{
    return s->known ? s->known->count : r->dim;
}

static int check_size(const task *s, const request *r)
{
    const char *who = r->program       ? "command"
                      : r->python      ? "python"
                      : r->fmu         ? "fmu"
                      : runs_wanted(r) ? "run"
                                       : "files";
    size_t d = dimensions(s, r);
    int counted = r->n || r->python || r->fmu || runs_wanted(r); /* whose default is 1 */
    if (!counted || !d)
        return complain(REFUSED, "--%s: %s is needed too: the number of %s", who,
                        counted ? "--dim D" : "--n N", counted ? "dimensions" : "components");
    if (r->dim && r->dim != d)
        return complain(REFUSED, "--dim: %llu, but '%s' names %zu parameters",
                        (unsigned long long)r->dim, r->parameters, d);
    return DONE;
}

/* Starts the workers; argv, n and all are there. */
static int start_command(task *s, const request *r, zo_command_options *o)
{
    zo_error err;
    char journal[4096] = "";
    journal_path(r, journal, sizeof journal);
    allow_files(r->workers);
    o->journal = *journal ? journal : NULL;
    o->d = dimensions(s, r);
    o->workers = (int)(r->workers < INT_MAX ? r->workers : INT_MAX);
    o->timeout = r->timeout;
    o->retries = (int)(r->retries < 1000000 ? r->retries : 1000000);
    o->max_failures = r->max_failures;
    if (zo_command_new(&s->command, o, &s->problem, &err)) return complain_of(&err);
    remark_on_journal(s, r);
    return DONE;
}

/* Formats that keep p digits of parameters: differences are taken where half of them are left. */
static void heed_digits(task *s, const request *r, int digits)
{
    if (digits >= 12) return;
    s->radius = pow(10, -digits / 2.0);
    if (!r->quiet && isnan(r->set.radius))
        fprintf(stderr,
                "zoprox: template: a format keeps %d digits of a parameter, so the radius is %.1e; "
                "without a format all are kept\n",
                digits, s->radius);
}

static int open_runs(task *s, const request *r)
{
    runs_words w;
    int code = runs_prepare(r, dimensions(s, r), &w);
    if (code) return code;
    if (!r->files) s->made = RUNS_FOLDER;
    heed_digits(s, r, w.digits);
    zo_command_options o = {.argv = w.argv, .name = box_name(r), .n = w.n, .all = w.all};
    return start_command(s, r, &o);
}

static int open_fmu(task *s, const request *r)
{
    runs_words w;
    int code = fmu_prepare(r, &s->fmu, &w);
    if (!r->files) s->made = RUNS_FOLDER;
    if (code) return code;
    zo_command_options o = {.argv = w.argv, .name = r->fmu, .n = w.n, .all = w.all};
    return start_command(s, r, &o);
}

static int open_command(task *s, const request *r)
{
    const char *argv[SELF + MAX_ARGV + 1] = {"/proc/self/exe", FILES_WORKER};
    char *text = strdup(r->program ? r->program : "");
    if (!text) return complain(FAILED, "--command: out of memory");
    int code = r->program ? split(r, text, argv + SELF) : DONE;
    if (!code && r->files) code = folder_prepare(r, r->files);
    zo_command_options o = {.argv = r->files ? argv : argv + SELF,
                            .name = r->files ? box_name(r) : NULL,
                            .n = r->n,
                            .all = r->all};
    if (!code) code = start_command(s, r, &o);
    free(text);
    return code;
}

/* The package's own worker, see python/zoprox/serve.py. */
static int open_python(task *s, const request *r)
{
    char n[24];
    size_t count = r->n ? r->n : 1;
    snprintf(n, sizeof n, "%zu", count);
    const char *argv[] = {python_program(), "-c", PYTHON_SERVES, "function", r->python, n, NULL};
    zo_command_options o = {.argv = argv, .name = r->python, .n = count};
    return start_command(s, r, &o);
}

static int open_plugin(task *s, const request *r)
{
    zo_error err;
    char *argv[MAX_WORDS] = {0};
    for (size_t k = 0; k < r->arg.count; k++) argv[k] = (char *)(uintptr_t)r->arg.at[k];
    if (zo_plugin_open(&s->plugin, r->plugin, (int)r->arg.count, argv, &s->problem, &err))
        return complain_of(&err);
    if (s->known && s->known->count != s->problem.d)
        return complain(REFUSED, "--parameters: '%s' names %zu of them, and the plugin has %zu",
                        r->parameters, s->known->count, s->problem.d);
    return DONE;
}

/* --files may be a place for folders of --command and --run, or a black box itself. */
static int check_one(const request *r)
{
    const struct {
        const char *name;
        int given;
    } box[] = {{"python", r->python != NULL},   {"plugin", r->plugin != NULL},
               {"fmu", r->fmu != NULL},         {r->dakota ? "dakota" : "run", runs_wanted(r)},
               {"command", r->program != NULL}, {"files", r->files && (r->plugin || r->python)}};
    const char *first = NULL;
    for (size_t k = 0; k < sizeof box / sizeof *box; k++) {
        if (box[k].given && first)
            return complain(REFUSED, "--%s and --%s are two black boxes; give one", box[k].name,
                            first);
        if (box[k].given) first = box[k].name;
    }
    return DONE;
}

int box_open(task *s, const request *r)
{
    int code = check_one(r);
    if (code) return code;
    if (r->plugin) return open_plugin(s, r);
    if (r->fmu && !s->known) return open_fmu(s, r); /* which says what its parameters are */
    code = check_size(s, r);
    if (code) return code;
    if (r->fmu) return open_fmu(s, r);
    if (r->python) return open_python(s, r);
    return runs_wanted(r) ? open_runs(s, r) : open_command(s, r);
}

void box_close(task *s)
{
    zo_command_free(s->command);
    zo_plugin_close(s->plugin);
    fmu_release(s->fmu);
    if (s->made) rmdir(s->made); /* where runs have failed it is not empty, and stays */
}
