/* Files that are written in full or not at all.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* realpath, fsync */
#include "core/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/draft.h"
#include "base/text.h"

/* The folder of path, in text. */
static const char *folder_of(const char *path, char *text, size_t size)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return ".";
    snprintf(text, size, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    return text;
}

static int is_read_again(const char *what)
{
    return !strcmp(what, "checkpoint") || !strcmp(what, "history") || !strcmp(what, "journal");
}

int file_check(const char *path, const char *what)
{
    struct stat st;
    char folder[PATH_MAX];
    if (!strcmp(path, "-"))
        return complain(REFUSED, "%s: '-' is not a file; %s", what,
                        is_read_again(what) ? "./- is one"
                                            : "/dev/stdout is one, or ./- by that name");
    if (draft_too_long(path))
        return complain(FAILED, "%s: the name '%.60s...' is too long", what, path);
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return complain(FAILED, "%s: '%s' is a folder", what, path);
    int there = stat(path, &st) == 0;
    if (there && access(path, W_OK))
        return complain(FAILED, "%s: '%s': %s", what, path, strerror(errno));
    if (there && !S_ISREG(st.st_mode)) return DONE;
    if (access(folder_of(path, folder, sizeof folder), W_OK | X_OK))
        return complain(FAILED, "%s: '%s' cannot be written: %s", what, path, strerror(errno));
    return DONE;
}

int file_same(const char *a, const char *b)
{
    struct stat s, t;
    char folder[2][PATH_MAX];
    if (!a || !b) return 0;
    if (!strcmp(a, b)) return 1;
    int there = !stat(a, &s);
    if (there != !stat(b, &t)) return 0;
    if (!there) { /* one name in one folder */
        const char *last[2] = {strrchr(a, '/'), strrchr(b, '/')};
        if (strcmp(last[0] ? last[0] + 1 : a, last[1] ? last[1] + 1 : b) ||
            stat(folder_of(a, folder[0], PATH_MAX), &s) ||
            stat(folder_of(b, folder[1], PATH_MAX), &t))
            return 0;
    }
    return (!there || S_ISREG(s.st_mode)) && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

static int write_all(int fd, const char *bytes, size_t size)
{
    while (size) {
        ssize_t done = write(fd, bytes, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return -1;
        bytes += done;
        size -= (size_t)done;
    }
    return 0;
}

static int write_in_place(const char *path, const char *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    int bad = write_all(fd, bytes, size), kept = errno;
    if (close(fd) && !bad) return -1;
    errno = kept;
    return bad;
}

int file_replace(const char *path, const char *bytes, size_t size)
{
    struct stat st;
    int there = stat(path, &st) == 0;
    if (there && !S_ISREG(st.st_mode))
        return write_in_place(path, bytes, size); /* a device or a pipe */
    char target[PATH_MAX];
    draft new;
    if (!there || !realpath(path, target))
        snprintf(target, sizeof target, "%s", path); /* not the link, its file */
    int bad = draft_open(&new, target);
    if (bad) return errno = bad, -1;
    bad = draft_write(&new, bytes, size);
    if (!bad && there && fchmod(new.fd, st.st_mode & 0777)) bad = errno;
    if (bad)
        draft_drop(&new);
    else
        bad = draft_keep(&new);
    if (bad) errno = bad;
    return bad ? -1 : 0;
}

int file_save(const char *path, size_t d, const double *x)
{
    char *text = malloc(d * 32 + 1), *end = text;
    if (!text) return complain(FAILED, "save: out of memory for %zu numbers", d);
    for (size_t j = 0; j < d; j++) {
        text_exact(x[j], end, 32);
        end += strlen(end);
        *end++ = '\n';
    }
    int bad = file_replace(path, text, (size_t)(end - text)), kept = errno;
    free(text);
    return bad ? complain(FAILED, "save: '%s' was not written: %s", path, strerror(kept)) : DONE;
}

size_t file_lines(const char *path)
{
    FILE *in = fopen(path, "r");
    size_t count = 0;
    int last = '\n';
    for (int c; in && (c = fgetc(in)) != EOF; last = c) count += last == '\n';
    if (in) fclose(in);
    return count;
}

static int load_lines(FILE *in, const char *path, const char *what, size_t d, double *x)
{
    char line[64], shown[48];
    size_t count = 0;
    for (; fgets(line, sizeof line, in); count++) {
        size_t length = strcspn(line, " \t\r\n");
        char *rest = line + length;
        double v = 0;
        if (rest[strspn(rest, " \t\r\n")])
            return complain(
                REFUSED,
                "%s: '%s': line %zu is not one number; %zu are needed, each on a line of "
                "its own",
                what, path, count + 1, d);
        *rest = 0;
        if (!text_number(line, &v) || !isfinite(v))
            return complain(REFUSED, "%s: '%s': line %zu: '%s' is not a finite number", what, path,
                            count + 1, text_quote(line, length, shown, sizeof shown));
        if (count < d) x[count] = v;
    }
    if (ferror(in))
        return complain(REFUSED, "%s: '%s' cannot be read: %s", what, path, strerror(errno));
    if (count == d) return DONE;
    return complain(REFUSED, "%s: '%s' has %zu numbers; %zu are needed", what, path, count, d);
}

/* Numbers in the line itself, "1,2.5,-3e2", where no file has that name. */
static int load_list(const char *text, const char *what, size_t d, double *x)
{
    char *lines = strdup(text);
    for (char *c = lines; c && *c; c++)
        if (*c == ',') *c = '\n';
    FILE *in = lines ? fmemopen(lines, strlen(lines), "r") : NULL;
    int code = in ? load_lines(in, text, what, d, x) : complain(FAILED, "%s: out of memory", what);
    if (in) fclose(in);
    free(lines);
    return code;
}

int file_load(const char *path, const char *what, size_t d, double *x)
{
    FILE *in = fopen(path, "r");
    if (!in && errno == ENOENT && *path && !path[strspn(path, "0123456789+-.eE,")])
        return load_list(path, what, d, x);
    if (!in)
        return complain(REFUSED, "%s: '%s' cannot be read: %s%s", what, path, strerror(errno),
                        strchr(path, ',') ? "; nor is it numbers, as 1,2.5,-3 is" : "");
    int code = load_lines(in, path, what, d, x);
    fclose(in);
    return code;
}

/* ---- One run at a time ------------------------------------------------------------------------------ */

int file_hold(hold *h, const char *path)
{
    int bad = hold_take(h, path);
    if (bad == EBUSY)
        return complain(FAILED,
                        "checkpoint: '%s' is being written by another run; wait for its end", path);
    if (bad == EEXIST)
        return complain(REFUSED, "checkpoint: '%s' is in the way: it is no lock of zoprox",
                        h->path);
    if (bad == ENAMETOOLONG)
        return complain(REFUSED, "checkpoint: the path '%.60s...' is too long", path);
    return bad ? complain(FAILED, "checkpoint: '%s': %s", h->path, strerror(bad)) : DONE;
}
