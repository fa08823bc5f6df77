/* zoprox manual: the man page, from the tables of commands and options.
 * SPDX-License-Identifier: MIT */
#include "core/tool.h"

#include <string.h>

/* Text as troff takes it: no line begins with a dot or quote, dashes and backslashes are themselves. */
static void print_plain(const char *text)
{
    int first = 1;
    for (; *text; text++) {
        if (first && strchr(".'", *text)) fputs("\\&", stdout);
        first = *text == '\n';
        if (*text == '\n')
            fputs("\n.PP\n", stdout);
        else if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
    }
    putchar('\n');
}

static void print_option(const option_row *o)
{
    char text[1024];
    option_text(o, text, sizeof text);
    printf(".TP\n.BR \\-\\-");
    for (const char *p = o->name; *p; p++) printf(*p == '-' ? "\\-" : "%c", *p);
    if (o->argument) printf(" \" \" \\fI%s\\fP", o->argument);
    putchar('\n');
    print_plain(text);
}

static void print_examples(const char *text)
{
    puts(".PP\n.EX");
    while (*text) {
        size_t length = strcspn(text, "\n");
        char line[256];
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        print_plain(line);
        text += length + (text[length] == '\n');
    }
    puts(".EE");
}

static void print_command(const command_row *c)
{
    option_row o;
    printf(".SS zoprox %s %s\n", c->name, c->words);
    print_plain(c->about);
    for (size_t k = 0; option_at(k, &o); k++)
        if ((o.commands & c->bit) && strcmp(o.name, "help") && strcmp(o.name, "quiet"))
            print_option(&o);
    print_examples(c->examples);
}

/* clang-format off */
static const char head[] =
    ".SH NAME\n"
    "zoprox \\- minimize sums of functions that can only be evaluated\n"
    ".SH SYNOPSIS\n"
    ".B zoprox\n"
    ".I COMMAND\n"
    "[\\fIOPTIONS\\fP]\n"
    ".SH DESCRIPTION\n"
    "zoprox minimizes F(x) = (1/n) sum f_i(x) + psi(x), where the f_i can only be evaluated and psi is a\n"
    "regulariser or constraint with a known proximal map. Every evaluation of one f_i is counted as a query;\n"
    "one unit is n*d queries.\n"
    ".PP\n"
    "Options are written \\-\\-name value or \\-\\-name=value. Standard output carries results only; every\n"
    "command takes\n"
    ".B \\-\\-help\n"
    "and\n"
    ".BR \\-\\-quiet ,\n"
    "and\n"
    ".B zoprox \\-\\-version\n"
    "prints the version.\n"
    ".SH COMMANDS\n";

static const char files[] =
    ".SH FILES\n"
    "The trace is CSV with the header\n"
    ".PP\n"
    ".EX\n"
    "step,queries,units,watched,seconds,objective,gap,residual,nonzeros,best\n"
    ".EE\n"
    ".PP\n"
    "objective, gap, residual and nonzeros are of the method's point in that row, best is the lowest F known so far: what is\n"
    "saved in the end (or the last point, with \\-\\-set point=last). Numbers have 17 digits, and what is not known is empty. A saved solution is one number a line. A\n"
    "checkpoint belongs to one problem, one set of settings and one version; a resumed run goes on with the\n"
    "same bytes, and its trace is cut back to the checkpoint first.\n"
    ".SH JSON\n"
    "solve \\-\\-json prints one object with the keys status (ok or failed), reason, signal, method, source,\n"
    "loss, n, d, steps, queries, points, units, watched, seconds, objective, optimum, gap, residual, error, nonzeros, seed,\n"
    "best_objective, retried, failures, extra, chosen, warning, peak_bytes, settings (an object) and unused (an array).\n"
    "Unknown numbers are null. The reason is one of\n";

static const char tail[] =
    ".SH ENVIRONMENT\n"
    ".TP\n"
    ".B ZOPROX_DATA\n"
    "the folder where data sets are looked for by name\n"
    ".TP\n"
    ".B ZOPROX_MIRROR\n"
    "where data sets are downloaded from instead of the catalogue's address\n"
    ".TP\n"
    ".B ZOPROX_ISA\n"
    "plain, v3 or v4: use no more than the instructions of every x86\\-64, AVX2 with FMA, or AVX\\-512; the results are the same\n"
    ".TP\n"
    ".B ZOPROX_UNPACK\n"
    "bytes that a compressed file may unpack to, as \\-\\-unpack\n"
    ".SH EXIT STATUS\n"
    "0: stopped as asked, also by a signal. 1: a failure while running, with one line on standard error.\n"
    "2: bad usage or input.\n";
/* clang-format on */

static void print_reasons(void)
{
    for (int k = ZO_RUNNING + 1; k <= ZO_AT_UNBOUNDED; k++)
        printf("%s%s", zo_reason_name((zo_reason)k), k < ZO_AT_UNBOUNDED ? ", " : ".\n");
}

int command_manual(int argc, char **argv)
{
    request r;
    size_t count;
    int code = request_parse(&r, argc, argv);
    if (code) return code;
    if (r.nwords) return complain(REFUSED, "manual: '%s' is one word too many", r.words[0]);
    printf(".TH ZOPROX 1 \"\" \"zoprox %s\" \"User commands\"\n", zo_version());
    fputs(head, stdout);
    const command_row *rows = command_rows(&count);
    for (size_t k = 0; k < count; k++) print_command(&rows[k]);
    fputs(files, stdout);
    print_reasons();
    fputs(tail, stdout);
    return DONE;
}
