/* zoprox completion: scripts for bash and zsh, from the tables of commands and options.
 * SPDX-License-Identifier: MIT */
#include "core/tool.h"

#include <string.h>

static int is_file(const option_row *o) { return o->argument && !strcmp(o->argument, "FILE"); }

static void print_command_names(const char *between)
{
    size_t count;
    const command_row *rows = command_rows(&count);
    for (size_t k = 0; k < count; k++) printf("%s%s", k ? between : "", rows[k].name);
}

/* What may follow a command besides options: names for a list, or nothing said (files). */
static void words_of(const command_row *c, char *text, size_t size)
{
    *text = 0;
    option_row o = {.type = OPTION_SETTING, .name = "method"};
    if (c->bit == IN_METHODS) option_values(&o, text, size);
    o.type = OPTION_PROX;
    if (c->bit == IN_PROXES) option_values(&o, text, size);
    if (c->bit == IN_DATA) snprintf(text, size, "list fetch path info");
    if (c->bit == IN_COMPLETION) snprintf(text, size, "bash zsh");
    if (c->bit != IN_SETTINGS) return;
    size_t count;
    const zo_setting_row *rows = zo_setting_rows(&count);
    for (size_t k = 0; k < count; k++)
        snprintf(text + strlen(text), size - strlen(text), "%s%s", k ? " " : "", rows[k].name);
}

/* ---- bash ------------------------------------------------------------------------------------------ */

static void print_bash_values(void)
{
    char values[1024];
    option_row o;
    for (size_t k = 0; option_at(k, &o); k++) {
        if (o.type == OPTION_FLAG) continue;
        option_values(&o, values, sizeof values);
        printf("    --%s) ", o.name);
        if (*values) printf("COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); ", values);
        if (is_file(&o)) printf("COMPREPLY=($(compgen -f -- \"$cur\")); ");
        puts("return ;;");
    }
}

static void print_bash_command(const command_row *c)
{
    char words[1024];
    option_row o;
    words_of(c, words, sizeof words);
    printf("    %s)\n        options=\"", c->name);
    for (size_t k = 0; option_at(k, &o); k++)
        if (o.commands & c->bit) printf("--%s ", o.name);
    printf("\"\n        words=\"%s\" ;;\n", words);
}

static void print_bash(void)
{
    size_t count;
    const command_row *rows = command_rows(&count);
    puts("# zoprox completion for bash\n"
         "_zoprox()\n"
         "{\n"
         "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options words\n"
         "    COMPREPLY=()\n"
         "    if ((COMP_CWORD == 1)); then");
    printf("        COMPREPLY=($(compgen -W \"");
    print_command_names(" ");
    puts(" --help --version\" -- \"$cur\"))\n"
         "        return\n"
         "    fi\n"
         "    case $prev in");
    print_bash_values();
    puts("    esac\n"
         "    case ${COMP_WORDS[1]} in");
    for (size_t k = 0; k < count; k++) print_bash_command(&rows[k]);
    puts("    esac\n"
         "    if [[ $cur == -* ]]; then\n"
         "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
         "    elif [[ -n $words ]]; then\n"
         "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "    else\n"
         "        COMPREPLY=($(compgen -f -- \"$cur\"))\n"
         "    fi\n"
         "}\n"
         "complete -o filenames -F _zoprox zoprox");
}

/* ---- zsh ------------------------------------------------------------------------------------------- */

/* Text inside '...' where [, ] and : mean something. */
static void print_quoted(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr("[]:\\", *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void print_zsh_option(const option_row *o)
{
    char values[1024];
    option_values(o, values, sizeof values);
    int often = o->type == OPTION_PROX || o->type == OPTION_ASSIGN;
    printf("            '%s--%s%s[", often ? "*" : "", o->name, o->argument ? "=" : "");
    print_quoted(o->help);
    putchar(']');
    if (o->argument) printf(":%s:", o->argument);
    if (*values) printf("(%s)", values);
    if (is_file(o)) printf("_files");
    puts("' \\");
}

static void print_zsh_command(const command_row *c)
{
    char words[1024];
    option_row o;
    words_of(c, words, sizeof words);
    printf("    %s)\n        _arguments \\\n", c->name);
    for (size_t k = 0; option_at(k, &o); k++)
        if (o.commands & c->bit) print_zsh_option(&o);
    if (*words)
        printf("            '*:word:(%s)' ;;\n", words);
    else
        puts("            '*:source:_files' ;;");
}

static void print_zsh(void)
{
    size_t count;
    const command_row *rows = command_rows(&count);
    puts("#compdef zoprox\n"
         "# zoprox completion for zsh\n"
         "_zoprox()\n"
         "{\n"
         "    local -a commands=(");
    for (size_t k = 0; k < count; k++) {
        printf("        '%s:", rows[k].name);
        print_quoted(rows[k].summary);
        puts("'");
    }
    puts("    )\n"
         "    if ((CURRENT == 2)); then\n"
         "        _describe command commands\n"
         "        return\n"
         "    fi\n"
         "    local command=$words[2]\n"
         "    shift words\n"
         "    ((CURRENT--))\n"
         "    case $command in");
    for (size_t k = 0; k < count; k++) print_zsh_command(&rows[k]);
    puts("    esac\n"
         "}\n"
         "if [[ $funcstack[1] == _zoprox ]]; then _zoprox \"$@\"; else compdef _zoprox zoprox; fi");
}

int command_completion(int argc, char **argv)
{
    request r;
    int code = request_parse(&r, argc, argv);
    if (code) return code;
    const char *shell = r.nwords ? r.words[0] : "";
    if (r.nwords != 1 || (strcmp(shell, "bash") && strcmp(shell, "zsh")))
        return complain(REFUSED, "completion: '%s' is not a shell it knows: bash or zsh", shell);
    if (!strcmp(shell, "bash"))
        print_bash();
    else
        print_zsh();
    return DONE;
}
