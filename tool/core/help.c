/* Help for people, from the tables of commands and options.
 * SPDX-License-Identifier: MIT */
#include "core/tool.h"

#include <string.h>

enum { WIDTH = 100, COLUMN = 26 };

void print_wrapped(FILE *out, const char *text, int indent, int width)
{
    int at = indent, first = 1;
    while (*text) {
        if (*text == '\n') {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
            first = 1;
            text++;
            continue;
        }
        int length = (int)strcspn(text, " \n");
        if (!first && at + 1 + length > width) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
            first = 1;
        }
        fprintf(out, "%s%.*s", first ? "" : " ", length, text);
        at += length + !first;
        first = 0;
        text += length;
        text += *text == ' ';
    }
    fputc('\n', out);
}

void option_text(const option_row *o, char *text, size_t size)
{
    char values[512];
    option_values(o, values, sizeof values);
    int listed = (o->choices && strchr(o->choices, '|')) || o->type == OPTION_LOSS;
    for (char *p = values; *p; p++)
        if (*p == ' ') *p = '|';
    snprintf(text, size, "%s%s%s%s%s%s%s", o->help, listed ? ": " : "", listed ? values : "",
             o->initial ? " (" : "", o->initial ? "default " : "", o->initial ? o->initial : "",
             o->initial ? ")" : "");
}

/* Appends word and a blank. */
static void add(char *text, size_t size, const char *word, size_t length)
{
    size_t used = strlen(text);
    if (used + length + 2 < size)
        snprintf(text + used, size - used, "%s%.*s", used ? " " : "", (int)length, word);
}

void option_values(const option_row *o, char *text, size_t size)
{
    size_t count = 0;
    *text = 0;
    if (o->type == OPTION_LOSS) {
        const zo_loss_row *rows = zo_loss_rows(&count);
        for (size_t k = 0; k < count; k++) add(text, size, rows[k].name, strlen(rows[k].name));
    } else if (o->type == OPTION_SETTING && !strcmp(o->name, "method")) {
        const zo_method_row *rows = zo_method_rows(&count);
        for (size_t k = 0; k < count; k++) add(text, size, rows[k].name, strlen(rows[k].name));
    } else if (o->type == OPTION_PROX) {
        const zo_prox_row *rows = zo_prox_rows(&count);
        for (size_t k = 0; k < count; k++) add(text, size, rows[k].name, strlen(rows[k].name));
    }
    for (const char *p = o->choices; p; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL)
        add(text, size, p, strcspn(p, "|"));
}

static void print_option(FILE *out, const option_row *o)
{
    char text[1024];
    int at =
        fprintf(out, "  --%s%s%s", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
    option_text(o, text, sizeof text);
    fprintf(out, "%*s", at < COLUMN ? COLUMN - at : 2, "");
    print_wrapped(out, text, COLUMN, WIDTH);
}

/* Options by group, the groups in the order in which they first appear. */
static void print_options(FILE *out, unsigned command)
{
    option_row head, o;
    const char *seen[32];
    size_t nseen = 0;
    for (size_t k = 0; option_at(k, &head); k++) {
        int old = !(head.commands & command) || nseen == 32;
        for (size_t g = 0; g < nseen; g++) old |= !strcmp(seen[g], head.group);
        if (old) continue;
        seen[nseen++] = head.group;
        fprintf(out, "\n%s:\n", head.group);
        for (size_t e = 0; option_at(e, &o); e++)
            if ((o.commands & command) && !strcmp(o.group, head.group)) print_option(out, &o);
    }
}

static void print_examples(FILE *out, const char *examples)
{
    fputs("\nExamples:\n", out);
    while (*examples) {
        int length = (int)strcspn(examples, "\n");
        fprintf(out, "  %.*s\n", length, examples);
        examples += length + (examples[length] == '\n');
    }
}

void print_command_help(FILE *out, const command_row *c)
{
    fprintf(out, "Usage: zoprox %s%s%s [OPTIONS]\n\n", c->name, *c->words ? " " : "", c->words);
    print_wrapped(out, c->about, 0, WIDTH);
    print_options(out, c->bit);
    print_examples(out, c->examples);
}

void print_help(FILE *out)
{
    size_t count;
    const command_row *rows = command_rows(&count);
    fputs("Usage: zoprox COMMAND [OPTIONS]\n\n", out);
    print_wrapped(
        out,
        "Minimizes sums of functions that can only be evaluated, with a regulariser or constraint, "
        "counting every evaluation.",
        0, WIDTH);
    fputs("\nCommands:\n", out);
    for (size_t k = 0; k < count; k++) {
        fprintf(out, "  %-12s", rows[k].name);
        print_wrapped(out, rows[k].summary, 14, WIDTH);
    }
    fputs("\n  zoprox COMMAND --help says more; zoprox --version prints the version.\n", out);
    print_examples(out, "zoprox solve synth: --l1 1e-4 --l2 1e-4 --units 20\n"
                        "zoprox solve a9a --l1 1e-4 --l2 1e-4 --method zpdvr --json\n"
                        "zoprox methods");
    fputs("\nExit codes: 0 stopped as asked, 1 a failure while running, 2 bad usage or input.\n",
          out);
}
