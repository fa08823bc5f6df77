/* Black boxes from the command line: --command, --files and --plugin.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "core/tool.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

int box_wanted(const request *r) { return r->program || r->plugin || r->files; }

const char *box_name(const request *r)
{
    return r->program ? r->program : r->plugin ? r->plugin : r->files;
}

/* ---- Options that this problem has no use for ------------------------------------------------------- */

enum {
    BY_FILE = 1,
    BY_SYNTH = 2,
    BY_COMMAND = 4,
    BY_FILES = 8,
    BY_PLUGIN = 16
}; /* what the problem is */

static unsigned kind_of(const request *r)
{
    if (r->plugin) return BY_PLUGIN;
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
                              : "--command";
}

/* A ridge that is asked for and not there would be worse than no answer. */
int box_fits(const request *r)
{
    enum { SOURCE = BY_FILE | BY_SYNTH, PROGRAM = BY_COMMAND | BY_FILES };
    static const struct {
        const char *name;
        unsigned kinds;
        const char *right;
    } only[] = {
        {"loss", SOURCE, "a SOURCE"},
        {"l2", SOURCE, "a SOURCE"},
        {"features", BY_FILE, "a data file"},
        {"n", PROGRAM, "--command or --files"},
        {"dim", PROGRAM, "--command or --files"},
        {"workers", PROGRAM, "--command or --files"},
        {"shell", BY_COMMAND, "--command"},
        {"timeout", PROGRAM, "--command or --files"},
        {"retries", PROGRAM, "--command or --files"},
        {"max-failures", PROGRAM, "--command or --files"},
        {"journal", PROGRAM, "--command or --files"},
        {"history", PROGRAM | BY_PLUGIN, "--command, --files or --plugin"},
        {"past", PROGRAM | BY_PLUGIN, "--command, --files or --plugin"},
        {"all", PROGRAM, "--command or --files"},
        {"residuals", PROGRAM | BY_PLUGIN, "--command, --files or --plugin"},
        {"weights", PROGRAM | BY_PLUGIN, "--command, --files or --plugin"},
        {"targets", PROGRAM | BY_PLUGIN, "--command, --files or --plugin"},
        {"points", PROGRAM | BY_PLUGIN, "--command, --files or --plugin"},
        {"keep-folders", BY_FILES, "--files"},
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

static int open_command(task *s, const request *r)
{
    const char *argv[SELF + MAX_ARGV + 1] = {"/proc/self/exe", FILES_WORKER};
    zo_error err;
    if (!r->n || !r->dim)
        return complain(REFUSED, "--%s: %s is needed too: the number of %s",
                        r->program ? "command" : "files", r->n ? "--dim D" : "--n N",
                        r->n ? "dimensions" : "components");
    char *text = strdup(r->program ? r->program : "");
    if (!text) return complain(FAILED, "--command: out of memory");
    int code = r->program ? split(r, text, argv + SELF) : DONE;
    if (!code && r->files) code = files_prepare(r);
    allow_files(r->workers);
    char journal[4096] = "";
    journal_path(r, journal, sizeof journal);
    zo_command_options o = {.argv = r->files ? argv : argv + SELF,
                            .name = r->files ? box_name(r) : NULL,
                            .journal = *journal ? journal : NULL,
                            .n = r->n,
                            .d = r->dim,
                            .all = r->all,
                            .workers = (int)(r->workers < INT_MAX ? r->workers : INT_MAX),
                            .timeout = r->timeout,
                            .retries = (int)(r->retries < 1000000 ? r->retries : 1000000),
                            .max_failures = r->max_failures};
    if (!code && zo_command_new(&s->command, &o, &s->problem, &err))
        code = complain_of(&err);
    else if (!code)
        remark_on_journal(s, r);
    free(text);
    return code;
}

static int open_plugin(task *s, const request *r)
{
    zo_error err;
    char *argv[MAX_WORDS] = {0};
    for (size_t k = 0; k < r->nargs; k++) argv[k] = (char *)(uintptr_t)r->arg[k];
    if (zo_plugin_open(&s->plugin, r->plugin, (int)r->nargs, argv, &s->problem, &err))
        return complain_of(&err);
    return DONE;
}

int box_open(task *s, const request *r)
{
    if (r->plugin && (r->program || r->files))
        return complain(REFUSED, "--%s and --plugin are two black boxes; give one",
                        r->program ? "command" : "files");
    return r->plugin ? open_plugin(s, r) : open_command(s, r);
}

void box_close(task *s)
{
    zo_command_free(s->command);
    zo_plugin_close(s->plugin);
}
