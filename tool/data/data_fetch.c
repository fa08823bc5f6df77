/* Fetches a data set: into FILE.part, checked, then renamed. Nothing that is there is harmed on the way.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "data/data_fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

enum { LONGEST = 1024 };

/* mkdir -p; path is changed and changed back. */
static int make_folders(char *path)
{
    for (char *p = path + 1; *p; p++) {
        if (*p != '/') continue;
        *p = 0;
        int failed = mkdir(path, 0777) && errno != EEXIST;
        *p = '/';
        if (failed) return -1;
    }
    return mkdir(path, 0777) && errno != EEXIST ? -1 : 0;
}

/* The part file, which only one process may have at a time. */
static zo_status open_part(const char *part, int *fd, zo_error *err)
{
    *fd = open(part, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (*fd < 0) return fail(err, ZO_IO, "%.300s: cannot be written: %s", part, strerror(errno));
    if (flock(*fd, LOCK_EX | LOCK_NB) == 0) return ZO_OK;
    close(*fd);
    *fd = -1;
    return fail(err, ZO_IO, "%.300s: another fetch is at work on it", part);
}

/* From a whole download to the file. A copy that is wrong is removed: going on with it would not help. */
static zo_status settle(const data_set *set, const char *part, const char *file, int fd, int shown,
                        zo_error *err)
{
    char note[400];
    zo_status status = data_check(set, part, note, sizeof note, err);
    if (status == ZO_MISMATCH || status == ZO_BAD_INPUT) {
        char why[sizeof err->text];
        snprintf(why, sizeof why, "%s", err ? err->text : "");
        unlink(part);
        return fail(err, status, "%.400s; it is removed, nothing is kept", why);
    }
    if (status) return status;
    if (fsync(fd) || rename(part, file))
        return fail(err, ZO_IO, "%.300s: %s", file, strerror(errno));
    if (*note && shown) fprintf(stderr, "zoprox: %s\n", note);
    return ZO_OK;
}

/* Text of so many rows and numbers: 40 bytes for each are plenty. */
static double most_bytes(const data_set *set)
{
    double n = (double)set->n, numbers = (double)set->nonzeros;
    return 40 * (n + (numbers > 0 ? numbers : n * (double)set->d)) + 1e6;
}

static zo_status download(const data_set *set, const char *url, const char *file,
                          const fetching *how, zo_error *err)
{
    char part[LONGEST + 8];
    int fd;
    snprintf(part, sizeof part, "%s.part", file);
    zo_status status = open_part(part, &fd, err);
    if (status) return status;
    transfer t = {.url = url,
                  .name = set->name,
                  .file = part,
                  .fd = fd,
                  .shown = how->shown && isatty(STDERR_FILENO),
                  .most = most_bytes(set),
                  .timeout = how->timeout > 0 ? how->timeout : SLOW_SECONDS};
    status = transfer_run(&t, err);
    int useless = status == ZO_MISMATCH;
    if (!status) status = settle(set, part, file, fd, how->shown, err);
    if (useless || (status && lseek(fd, 0, SEEK_END) == 0))
        unlink(part); /* nothing in it to go on from */
    close(fd);
    return status;
}

zo_status data_fetch(const data_set *set, const fetching *how, char *path, size_t size,
                     zo_error *err)
{
    char folder[LONGEST - 200], url[LONGEST], note[400];
    const char *base = data_base_url(how->mirror), *slash = strrchr(set->place, '/');
    zo_status status = data_can_check(err);
    if (!status) status = data_folder(folder, sizeof folder, err);
    if (status) return status;
    if (make_folders(folder))
        return fail(err, ZO_IO, "%.300s: cannot be made: %s", folder, strerror(errno));
    int length = snprintf(path, size, "%s/%s", folder, slash ? slash + 1 : set->place);
    if (length < 0 || (size_t)length >= size || length >= LONGEST)
        return fail(err, ZO_BAD_STATE, "the data folder's path is too long");
    length = snprintf(url, sizeof url, "%s%s%s", base,
                      *base && base[strlen(base) - 1] == '/' ? "" : "/", set->place);
    if (length >= (int)sizeof url)
        return fail(err, ZO_BAD_ARGUMENT, "mirror: the address is too long");
    if (access(path, F_OK) == 0 && data_check(set, path, note, sizeof note, NULL) == ZO_OK)
        return ZO_OK;
    return download(set, url, path, how, err);
}
