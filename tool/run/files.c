/* --files: questions as folders, for codes that read and write files. SPDX-License-Identifier: MIT
 *
 * zoprox starts itself as a worker (files-worker PROGRAM ARGS) that speaks the protocol on its standard input and output, so
 * that time-outs, retries, restarts and the journal are those of every other program. For each question it makes a folder,
 * writes input.txt, runs PROGRAM there (without one it waits until somebody else has answered), and passes output.txt on.
 * Both files are the protocol's own text. The folder goes when it was answered, and stays when it was not. */
#define _GNU_SOURCE /* nftw, realpath, getrandom */
#include "core/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FOLDER "ZOPROX_FILES" /* environment of the worker: where folders are made */
#define KEEP "ZOPROX_KEEP"    /* set: they stay */
#define FROM "ZOPROX_FROM"    /* of the program: where zoprox was started */

typedef struct asked {
    unsigned long long id;
    size_t npoints;
    char folder[PATH_MAX];
    char *input; /* the question */
    size_t size, room;
    char name[12]; /* of this worker: its folders are NAME.ID */
} asked;

static int say(const char *what, const char *path)
{
    fprintf(stderr, "%s %s: %s\n", what, path, strerror(errno));
    return 0;
}

/* ---- the question ----------------------------------------------------------------------------------------- */

/* One more line of the question. 0: there is none. */
static int add_line(asked *q)
{
    char *line = NULL;
    size_t held = 0;
    ssize_t got = getline(&line, &held, stdin);
    if (got > 0 && q->size + (size_t)got + 1 > q->room) {
        q->room = 2 * (q->size + (size_t)got) + 4096;
        char *grown = realloc(q->input, q->room);
        if (!grown) exit(FAILED);
        q->input = grown;
    }
    if (got > 0) memcpy(q->input + q->size, line, (size_t)got + 1);
    q->size += got > 0 ? (size_t)got : 0;
    free(line);
    return got > 0;
}

static int read_question(asked *q)
{
    char kind[8];
    size_t ncomp;
    q->size = 0;
    if (!add_line(q)) return 0;
    if (sscanf(q->input, "%7s %llu %zu %zu", kind, &q->id, &q->npoints, &ncomp) != 4) return 0;
    size_t lines = 1 + q->npoints * (strcmp(kind, "each") ? 1 : ncomp);
    while (lines && add_line(q)) lines--;
    return lines == 0;
}

/* ---- its folder ------------------------------------------------------------------------------------------- */

static void in_folder(const asked *q, const char *name, char *path)
{
    if (snprintf(path, PATH_MAX, "%s/%s", q->folder, name) >= PATH_MAX) *path = 0;
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *at)
{
    (void)s;
    (void)type;
    (void)at;
    remove(path); /* what cannot be removed is still there afterwards, and harms nobody */
    return 0;
}

static void remove_folder(const asked *q) { nftw(q->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

/* In the new folder. input.txt appears when it is whole: whoever watches the folder reads no half question. 0: see errno. */
static int write_folder(const asked *q)
{
    char part[PATH_MAX], whole[PATH_MAX];
    in_folder(q, "input.part", part);
    in_folder(q, "input.txt", whole);
    FILE *f = fopen(part, "w");
    if (!f) return 0;
    size_t written = fwrite(q->input, 1, q->size, f);
    int why = errno; /* fclose may well succeed where fwrite did not */
    if (fclose(f)) return 0;
    errno = why;
    return written == q->size && !rename(part, whole);
}

/* Process numbers repeat, at once where machines or containers share the folder: the name is drawn. 0: see errno. */
static int draw_name(asked *q)
{
    unsigned char bytes[4];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return 0;
    for (size_t k = 0; k < sizeof bytes; k++) snprintf(q->name + 2 * k, 3, "%02x", bytes[k]);
    return 1;
}

/* A folder that was not there before: what is there is somebody's, and is left alone. 0: see errno. */
static int new_folder(asked *q, const char *where)
{
    for (int tries = 0; tries < 16; tries++) {
        if (!*q->name && !draw_name(q)) return 0;
        if (snprintf(q->folder, sizeof q->folder, "%s/%s.%llu", where, q->name, q->id) >=
            PATH_MAX - 32)
            return errno = ENAMETOOLONG, 0;
        if (!mkdir(q->folder, 0777)) return 1;
        if (errno != EEXIST) return 0;
        *q->name = 0;
    }
    return 0;
}

static int make_folder(asked *q)
{
    const char *where = getenv(FOLDER);
    if (!where) where = ".";
    if (!new_folder(q, where)) return say("cannot make a folder in", where);
    return write_folder(q) || say("cannot write input.txt in the folder", q->folder);
}

/* ---- its answer ------------------------------------------------------------------------------------------- */

/* All of output.txt, or NULL where there is none. Nothing more is to come when it has ended: its last line is one then, even
 * without a newline. */
static char *read_output(const asked *q, int ended, size_t *size)
{
    char path[PATH_MAX];
    in_folder(q, "output.txt", path);
    FILE *f = fopen(path, "r");
    if (!f) return NULL;
    char *text = NULL;
    size_t room = 0;
    *size = 0;
    for (size_t got = 1; got;) {
        if (room - *size < 3) text = realloc(text, room = 2 * room + 4096);
        if (!text) exit(FAILED);
        got = fread(text + *size, 1, room - *size - 2, f);
        *size += got;
    }
    if (ended && *size && text[*size - 1] != '\n') text[(*size)++] = '\n';
    text[*size] = 0;
    fclose(f);
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
static int pass_on(const asked *q, int first, int ended)
{
    static const char means[] = "zoprox-means\n";
    size_t size, skipped = 0;
    char *text = read_output(q, ended, &size);
    if (!text) return 0;
    int says_means = !strncmp(text, means, sizeof means - 1);
    size_t wanted = q->npoints + 1 + (size_t)says_means, lines = lines_in(text);
    int whole = ended ? lines == wanted : lines >= wanted;
    if (says_means && !first) skipped = sizeof means - 1;
    if (whole && !getenv(KEEP)) remove_folder(q);
    if (whole) fwrite(text + skipped, 1, size - skipped, stdout);
    free(text);
    return whole && !fflush(stdout);
}

/* ---- a program that answers it ------------------------------------------------------------------------------ */

/* In the child. Its own words go to stdout.txt and to our standard error. */
static void become(const asked *q, char **argv)
{
    char path[PATH_MAX];
    in_folder(q, "stdout.txt", path);
    int in = open("/dev/null", O_RDONLY), out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (in < 0 || out < 0 || chdir(q->folder)) _exit(126);
    dup2(in, 0);
    dup2(out, 1);
    execvp(argv[0], argv);
    say("cannot run", argv[0]);
    _exit(127);
}

/* 0: it failed, in words on standard error. */
static int run_program(const asked *q, char **argv)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) become(q, argv);
    if (child < 0) return say("cannot start", argv[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 1;
    fprintf(stderr, "'%s' in the folder %s %s %d\n", argv[0], q->folder,
            WIFEXITED(status) ? "exited with code" : "was ended by signal",
            WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    return 0;
}

/* The program runs in another folder: words that name files here are made to name them from there. Links are not followed:
 * the python of a virtual environment is one, and knows its packages by its name. */
static void make_absolute(char **argv)
{
    char here[PATH_MAX], full[2 * PATH_MAX];
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

static int answer_by_program(const asked *q, char **argv, int first)
{
    if (!run_program(q, argv)) return 0;
    if (pass_on(q, first, 1)) return 1;
    size_t size, lines = 0, wanted = q->npoints + 1;
    char *text = read_output(q, 1, &size);
    if (text) lines = lines_in(text);
    fprintf(stderr,
            "'%s' left %zu line%s in %s/output.txt; %zu %s asked for, the ID's among them\n",
            argv[0], lines, lines == 1 ? "" : "s", q->folder, wanted, wanted == 1 ? "was" : "were");
    free(text);
    return 0;
}

/* ---- somebody else who answers it ---------------------------------------------------------------------------- */

static void answer_by_waiting(const asked *q)
{
    long wait = 1000000; /* nanoseconds, up to half a second */
    while (!pass_on(q, 0, 0)) {
        nanosleep(&(struct timespec){0, wait}, NULL);
        if (wait < 400000000) wait += wait / 4;
    }
}

int files_worker(char **argv)
{
    asked q = {0};
    int code = DONE;
    make_absolute(argv);
    for (int first = 1; read_question(&q); first = 0) {
        if (!argv[0] && q.npoints == 0) { /* nobody needs to be there yet */
            printf("%llu\n", q.id);
            fflush(stdout);
            continue;
        }
        if (!make_folder(&q) || (argv[0] && !answer_by_program(&q, argv, first))) {
            code = FAILED;
            break;
        }
        if (!argv[0]) answer_by_waiting(&q);
    }
    free(q.input);
    return code;
}

/* ---- the other side -------------------------------------------------------------------------------------------- */

/* A disk that is full is no fault of the program: it is tried before the first question. */
static int can_write(const char *where)
{
    char text[4096];
    asked q = {.input = text, .size = sizeof text};
    memset(text, '\n', sizeof text);
    if (!new_folder(&q, where)) return 0;
    int fine = write_folder(&q), why = errno;
    remove_folder(&q);
    errno = why;
    return fine;
}

int files_prepare(const request *r)
{
    char full[PATH_MAX], here[PATH_MAX];
    if (mkdir(r->files, 0777) && errno != EEXIST)
        return complain(FAILED, "--files: cannot make the folder '%s': %s", r->files,
                        strerror(errno));
    struct stat s;
    if (stat(r->files, &s) == 0 && !S_ISDIR(s.st_mode))
        return complain(REFUSED, "--files: '%s' is not a folder", r->files);
    if (!realpath(r->files, full) || access(full, W_OK | X_OK))
        return complain(FAILED, "--files: cannot use the folder '%s': %s", r->files,
                        strerror(errno));
    if (!can_write(full))
        return complain(FAILED, "--files: cannot write in the folder '%s': %s", r->files,
                        strerror(errno));
    if (setenv(FOLDER, full, 1) || (r->keep && setenv(KEEP, "1", 1)) ||
        (getcwd(here, sizeof here) && setenv(FROM, here, 1)))
        return complain(FAILED, "--files: out of memory");
    return DONE;
}
