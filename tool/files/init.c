/* zoprox init: a folder that works as it stands, to put one's own case into.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "files/init.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "core/tool.h"

enum { DEFAULT_DIM = 4, DEFAULT_N = 20 };

typedef struct choice {
    char kind[16];
    uint64_t d, n;
    const char *folder;
} choice;

/* ---- three questions -------------------------------------------------------------------------------------- */

/* The answer without its newline; "": the default will do. */
static void ask(const char *question, char *answer, size_t size)
{
    fprintf(stderr, "%s ", question);
    fflush(stderr);
    if (!fgets(answer, (int)size, stdin)) *answer = 0;
    answer[strcspn(answer, "\r\n")] = 0;
    if (!isatty(STDIN_FILENO)) fputc('\n', stderr);
}

static int ask_count(const char *question, const char *option, uint64_t given, uint64_t usual,
                     uint64_t *out)
{
    char answer[64];
    *out = given ? given : usual;
    if (given) return DONE;
    ask(question, answer, sizeof answer);
    if (!*answer) return DONE;
    if (text_whole(answer, out) && *out >= 1 && *out <= 100000) return DONE;
    return complain(REFUSED, "init: '%.40s' is not a whole number from 1 to 100000 (--%s)", answer,
                    option);
}

static int ask_all(choice *c, const request *r)
{
    static const char *const kinds[] = {"program", "files", "python", "c"};
    char answer[64] = "";
    snprintf(c->kind, sizeof c->kind, "%s", r->kind ? r->kind : "files");
    if (!r->kind)
        ask("What gives the values: a program, files (a code that reads one and writes another), "
            "python, c? [files]",
            answer, sizeof answer);
    if (*answer) {
        snprintf(c->kind, sizeof c->kind, "%.15s", answer);
        int known = 0;
        for (size_t k = 0; k < 4; k++) known |= !strcmp(kinds[k], answer);
        if (!known)
            return complain(REFUSED, "init: '%.40s' is not one of program, files, python, c",
                            answer);
    }
    int code = ask_count("How many parameters? [4]", "dim", r->dim, DEFAULT_DIM, &c->d);
    if (!code)
        code = ask_count("How many cases (measurements, scenarios)? [20]", "n", r->n, DEFAULT_N,
                         &c->n);
    if (c->n == 1 && !strcmp(c->kind, "files")) snprintf(c->kind, sizeof c->kind, INIT_ONE_VALUE);
    return code;
}

/* ---- the folder --------------------------------------------------------------------------------------------- */

/* sum_j cos(pi j i/n)/(j+1), what the model of every example gives at the solution */
static void put_measured(FILE *out, const choice *c)
{
    for (uint64_t i = 0; i < c->n; i++) {
        double v = 0;
        for (uint64_t j = 0; j < c->d; j++)
            v += cos(3.14159265358979 * (double)j * (double)i / (double)c->n) / (double)(j + 1);
        fprintf(out, "%.17g\n", v);
    }
}

/* "@each TEXT@": TEXT for each parameter. */
static const char *put_each(FILE *out, const char *text, const choice *c)
{
    size_t size = strcspn(text, "@");
    for (uint64_t j = 0; j < c->d; j++)
        for (size_t k = 0; k < size; k++)
            if (text[k] == '#' && k && text[k - 1] == 'p')
                fprintf(out, "%llu", (unsigned long long)j);
            else
                fputc(text[k], out);
    return text + size + 1;
}

static void put_text(FILE *out, const char *text, const choice *c)
{
    while (*text) {
        if (!strncmp(text, "@D@", 3))
            fprintf(out, "%llu", (unsigned long long)c->d), text += 3;
        else if (!strncmp(text, "@N@", 3))
            fprintf(out, "%llu", (unsigned long long)c->n), text += 3;
        else if (!strncmp(text, "@measured@", 10))
            put_measured(out, c), text += 10;
        else if (!strncmp(text, "@each ", 6))
            text = put_each(out, text + 6, c);
        else if (!strncmp(text, "$@", 2)) /* a shell's own */
            fputs("$@", out), text += 2;
        else
            fputc(*text++, out);
    }
}

static int write_one(const init_text *t, const choice *c)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", c->folder, t->name);
    FILE *out = fopen(path, "we");
    if (!out) return complain(FAILED, "init: '%s': %s", path, strerror(errno));
    put_text(out, t->text, c);
    int bad = ferror(out);
    if (fclose(out) || bad || (t->runs && chmod(path, 0777 & ~umask(022))))
        return complain(FAILED, "init: '%s' was not written: %s", path, strerror(errno));
    return DONE;
}

static int is_taken(const choice *c)
{
    return complain(REFUSED, "init: '%s' is already there; name another: zoprox init FOLDER",
                    c->folder);
}

static int write_all(const choice *c)
{
    if (mkdir(c->folder, 0777))
        return errno == EEXIST
                   ? is_taken(c)
                   : complain(FAILED, "init: cannot make '%s': %s", c->folder, strerror(errno));
    for (const init_text *t = init_texts; t->kind; t++) {
        int code = strcmp(t->kind, c->kind) ? DONE : write_one(t, c);
        if (code) return code;
    }
    return DONE;
}

int command_init(int argc, char **argv)
{
    request r;
    choice c = {.folder = "my-case"};
    int code = request_parse(&r, argc, argv);
    if (!code && r.nwords > 1) code = complain(REFUSED, "init takes one FOLDER");
    if (r.nwords) c.folder = r.words[0];
    struct stat there;
    if (!code && !lstat(c.folder, &there)) code = is_taken(&c); /* before anybody is asked */
    if (!code) code = ask_all(&c, &r);
    if (!code) code = write_all(&c);
    if (code) return code;
    printf("%s: ", c.folder);
    for (const init_text *t = init_texts, *first = NULL; t->kind; t++)
        if (!strcmp(t->kind, c.kind)) printf("%s%s", first ? ", " : "", t->name), first = t;
    printf("\nrun it:  cd %s && ./run.sh\n", c.folder);
    return DONE;
}
