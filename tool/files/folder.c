/* A folder for each run of a program that reads and writes files. SPDX-License-Identifier: MIT
 *
 * Folders have names that are drawn, and what is there already is never touched. What goes wrong is told on standard error:
 * zoprox has started itself as a worker, and passes on the last words of one that fails. */
#define _GNU_SOURCE /* nftw, realpath, getrandom */
#include "files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int folder_say(const char *what, const char *path)
{
    fprintf(stderr, "%s %s: %s\n", what, path, strerror(errno));
    return 0;
}

char *read_whole(const char *path, size_t *size)
{
    FILE *f = fopen(path, "re");
    if (!f) return NULL;
    char *text = NULL;
    size_t room = 0;
    *size = 0;
    for (size_t got = 1; got;) {
        if (room - *size < 3) {
            char *grown = realloc(text, room = 2 * room + 4096);
            if (!grown) return free(text), fclose(f), errno = ENOMEM, NULL;
            text = grown;
        }
        got = fread(text + *size, 1, room - *size - 2, f);
        *size += got;
    }
    int bad = ferror(f) ? errno : 0;
    fclose(f);
    if (bad) return free(text), errno = bad, NULL;
    text[*size] = 0;
    return text;
}

/* ---- made and removed ---------------------------------------------------------------------------------- */

void folder_in(const folder *f, const char *name, char *path)
{
    if (snprintf(path, LONGEST_PATH, "%s/%s", f->path, name) >= LONGEST_PATH) *path = 0;
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *at)
{
    (void)s;
    (void)type;
    (void)at;
    remove(path); /* what cannot be removed is still there afterwards, and harms nobody */
    return 0;
}

void folder_remove(const folder *f) { nftw(f->path, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

/* Process numbers repeat, at once where machines or containers share the folder: the name is drawn. 0: see errno. */
static int draw_name(folder *f)
{
    unsigned char bytes[4];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return 0;
    for (size_t k = 0; k < sizeof bytes; k++) snprintf(f->name + 2 * k, 3, "%02x", bytes[k]);
    return 1;
}

/* A folder that was not there before: what is there is somebody's, and is left alone. 0: see errno. */
static int make_in(folder *f, const char *where, unsigned long long id)
{
    for (int tries = 0; tries < 16; tries++) {
        if (!*f->name && !draw_name(f)) return 0;
        if (snprintf(f->path, sizeof f->path, "%s/%s.%llu", where, f->name, id) >=
            LONGEST_PATH - 32)
            return errno = ENAMETOOLONG, 0;
        if (!mkdir(f->path, 0777)) return 1;
        if (errno != EEXIST) return 0;
        *f->name = 0;
    }
    return 0;
}

int folder_make(folder *f, unsigned long long id)
{
    const char *where = getenv(FOLDER);
    if (!where) where = ".";
    return make_in(f, where, id) || folder_say("cannot make a folder in", where);
}

/* 0: see errno. */
static int write_file(const folder *f, const char *name, const char *text, size_t size)
{
    char part[LONGEST_PATH], whole[LONGEST_PATH];
    folder_in(f, "input.part", part);
    folder_in(f, name, whole);
    FILE *out = fopen(part, "we");
    if (!out) return 0;
    size_t written = fwrite(text, 1, size, out);
    int why = errno; /* fclose may well succeed where fwrite did not */
    if (fclose(out)) return 0;
    errno = why;
    return written == size && !rename(part, whole);
}

int folder_write(const folder *f, const char *name, const char *text, size_t size)
{
    if (write_file(f, name, text, size)) return 1;
    fprintf(stderr, "cannot write %s in the folder %s: %s\n", name, f->path, strerror(errno));
    return 0;
}

/* ---- a program that runs there -------------------------------------------------------------------------- */

/* In the child. Numbers have points in what we write and read, and a program must not take them by the rules of another language:
 * an awk that expects commas reads 1.53e-12 as 1. Everything else stays as the user has it. */
static void use_points(void)
{
    static const char *const others[] = {"LC_CTYPE", "LC_COLLATE", "LC_MESSAGES", "LC_MONETARY",
                                         "LC_TIME"};
    const char *all = getenv("LC_ALL");
    for (size_t k = 0; all && *all && k < sizeof others / sizeof *others; k++)
        setenv(others[k], all, 1);
    unsetenv("LC_ALL");
    setenv("LC_NUMERIC", "C", 1);
}

/* In the child. Its own words go to stdout.txt and to our standard error. */
static void become(const folder *f, char *const *argv)
{
    char path[LONGEST_PATH];
    folder_in(f, "stdout.txt", path);
    int in = open("/dev/null", O_RDONLY), out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (in < 0 || out < 0 || chdir(f->path)) _exit(126);
    dup2(in, 0);
    dup2(out, 1);
    use_points();
    execvp(argv[0], argv);
    folder_say("cannot run", argv[0]);
    _exit(127);
}

int folder_run(const folder *f, const char *name, char *const *argv)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) become(f, argv);
    if (child < 0) return folder_say("cannot start", argv[0]), WORKER_FAILED;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1, none = code == 126 || code == 127;
    if (code == 0) return DONE;
    /* in a line of its own, whether or not the program has ended its last one */
    fprintf(stderr, "\n'%s' in the folder %s %s %d%s\n", name, f->path,
            code > 0 ? "exited with code" : "was ended by signal",
            code > 0 ? code : WTERMSIG(status),
            none ? ": no such program there; $" FROM " is where zoprox was started" : "");
    return none ? WORKER_MISTAKEN : WORKER_FAILED;
}

/* ---- before the first ----------------------------------------------------------------------------------- */

/* A disk that is full is no fault of the program: it is tried before the first question. */
static int can_write(const char *where)
{
    char text[4096];
    folder f = {0};
    memset(text, '\n', sizeof text);
    if (!make_in(&f, where, 0)) return 0;
    int fine = write_file(&f, "input.txt", text, sizeof text), why = errno;
    folder_remove(&f);
    errno = why;
    return fine;
}

int folder_prepare(const request *r, const char *where)
{
    char full[LONGEST_PATH], here[LONGEST_PATH];
    if (mkdir(where, 0777) && errno != EEXIST)
        return complain(FAILED, "--files: cannot make the folder '%s': %s", where, strerror(errno));
    struct stat s;
    if (stat(where, &s) == 0 && !S_ISDIR(s.st_mode))
        return complain(REFUSED, "--files: '%s' is not a folder", where);
    if (!realpath(where, full) || access(full, W_OK | X_OK))
        return complain(FAILED, "--files: cannot use the folder '%s': %s", where, strerror(errno));
    if (!can_write(full))
        return complain(FAILED, "--files: cannot write in the folder '%s': %s", where,
                        strerror(errno));
    if (setenv(FOLDER, full, 1) || (r->keep && setenv(KEEP, "1", 1)) ||
        (getcwd(here, sizeof here) && setenv(FROM, here, 1)))
        return complain(FAILED, "--files: out of memory");
    return DONE;
}
