/* --files: questions as folders, for codes that speak the protocol in files. SPDX-License-Identifier: MIT
 *
 * zoprox starts itself as a worker (files-worker PROGRAM ARGS) that speaks the protocol on its standard input and output, so
 * that time-outs, retries, restarts and the journal are those of every other program. For each question it makes a folder,
 * writes input.txt, runs PROGRAM there (without one it waits until somebody else has answered), and passes output.txt on.
 * Both files are the protocol's own text. The folder goes when it was answered, and stays when it was not. */
#define _GNU_SOURCE
#include "files/files.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- its answer ------------------------------------------------------------------------------------------- */

/* All of output.txt, or NULL where there is none. Nothing more is to come when it has ended: its last line is one then, even
 * without a newline. */
static char *read_output(const folder *f, int ended, size_t *size)
{
    char path[LONGEST_PATH];
    folder_in(f, "output.txt", path);
    char *text = read_whole(path, size); /* with room for a newline */
    if (text && ended && *size && text[*size - 1] != '\n') {
        text[(*size)++] = '\n';
        text[*size] = 0;
    }
    return text;
}

static size_t lines_in(const char *text)
{
    size_t count = 0;
    for (; (text = strchr(text, '\n')); text++) count++;
    return count;
}

/* Passes the answer on once it has all its lines; its folder goes first, as we may be ended as soon as the last answer is told.
 * first: the line zoprox-means may go along; ended: whoever wrote it has. 0: it has not, or has too many. */
static int pass_on(const asked *q, const folder *f, int first, int ended)
{
    static const char means[] = "zoprox-means\n";
    size_t size, skipped = 0;
    char *text = read_output(f, ended, &size);
    if (!text) return 0;
    int says_means = !strncmp(text, means, sizeof means - 1);
    size_t wanted = q->npoints + 1 + (size_t)says_means, lines = lines_in(text);
    int whole = ended ? lines == wanted : lines >= wanted;
    if (says_means && !first) skipped = sizeof means - 1;
    if (whole && !getenv(KEEP)) folder_remove(f);
    if (whole) fwrite(text + skipped, 1, size - skipped, stdout);
    free(text);
    return whole && !fflush(stdout);
}

/* ---- a program that answers it ------------------------------------------------------------------------------ */

/* The program runs in another folder: words that name files here are made to name them from there. Links are not followed:
 * the python of a virtual environment is one, and knows its packages by its name. */
static void make_absolute(char **argv)
{
    char here[LONGEST_PATH], full[2 * LONGEST_PATH];
    if (!getcwd(here, sizeof here)) return;
    for (size_t k = 0; argv[k]; k++) {
        const char *word = argv[k];
        if ((k == 0 && !strchr(word, '/')) || *word == '/' || access(word, F_OK)) continue;
        while (word[0] == '.' && word[1] == '/') word += 2 + strspn(word + 2, "/");
        snprintf(full, sizeof full, "%s/%s", strcmp(here, "/") ? here : "", word);
        argv[k] = strdup(full);
        if (!argv[k]) exit(FAILED);
    }
}

/* DONE, or WORKER_... after words on standard error. */
static int answer_by_program(const asked *q, const folder *f, char **argv, int first)
{
    int code = folder_run(f, argv[0], argv);
    if (code || pass_on(q, f, first, 1)) return code;
    size_t size, lines = 0, wanted = q->npoints + 1;
    char *text = read_output(f, 1, &size);
    if (text) lines = lines_in(text);
    fprintf(stderr,
            "'%s' left %zu line%s in %s/output.txt; %zu %s asked for, the ID's among them\n",
            argv[0], lines, lines == 1 ? "" : "s", f->path, wanted, wanted == 1 ? "was" : "were");
    free(text);
    return WORKER_FAILED;
}

/* ---- somebody else who answers it ---------------------------------------------------------------------------- */

static void answer_by_waiting(const asked *q, const folder *f)
{
    long wait = 1000000; /* nanoseconds, up to half a second */
    while (!pass_on(q, f, 0, 0)) {
        nanosleep(&(struct timespec){0, wait}, NULL);
        if (wait < 400000000) wait += wait / 4;
    }
}

int files_worker(char **argv)
{
    asked q = {0};
    folder f = {0};
    int code = DONE;
    make_absolute(argv);
    for (int first = 1; asked_read(&q); first = 0) {
        if (!argv[0] && q.npoints == 0) { /* nobody needs to be there yet */
            printf("%llu\n", q.id);
            fflush(stdout);
            continue;
        }
        int fine = folder_make(&f, q.id) && folder_write(&f, "input.txt", q.text, q.size);
        if (!fine) code = WORKER_FAILED;
        if (!code && argv[0]) code = answer_by_program(&q, &f, argv, first);
        if (code) break;
        if (!argv[0]) answer_by_waiting(&q, &f);
    }
    free(q.text);
    return code;
}
