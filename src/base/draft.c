/* Files that are whole or not there, and one writer at a time.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* O_TMPFILE, flock */
#include "base/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES = 16, FOLDER = DRAFT_PATH };

/* Where the last part of path begins. */
static const char *name_in(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int folder_of(const char *path, char folder[FOLDER])
{
    size_t length = (size_t)(name_in(path) - path);
    if (length >= FOLDER) return ENAMETOOLONG;
    memcpy(folder, length ? path : ".", length ? length : 1);
    folder[length ? length : 1] = 0;
    return 0;
}

/* A name of ours beside target: .NAME.zoprox-SUFFIX. */
static int beside(const char *target, const char *suffix, char path[DRAFT_PATH])
{
    const char *name = name_in(target);
    int length =
        snprintf(path, DRAFT_PATH, "%.*s.%s.zoprox-%s", (int)(name - target), target, name, suffix);
    return length < 0 || length >= DRAFT_PATH ? ENAMETOOLONG : 0;
}

static int same_file(int fd, const char *path)
{
    struct stat a, b;
    return !fstat(fd, &a) && !lstat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* ---- drafts --------------------------------------------------------------------------------------- */

/* What a kill has left at path is removed; what somebody writes, or is no plain file, stays. */
static int make_way(const char *path)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), stale = 0;
    struct stat s;
    if (fd < 0) return errno == ENOENT;
    if (!fstat(fd, &s) && S_ISREG(s.st_mode) && !flock(fd, LOCK_EX | LOCK_NB) &&
        same_file(fd, path))
        stale = !unlink(path);
    close(fd);
    return stale;
}

/* The draft gets a name: link gives the nameless one its first, open makes a new file. 0 or errno. */
static int give_name(draft *t, int (*give)(draft *t))
{
    for (int k = 0; k < NAMES; k++) {
        char suffix[16];
        snprintf(suffix, sizeof suffix, "%d", k);
        int bad = beside(t->target, suffix, t->path);
        if (bad) return bad;
        for (int again = 0; again < 2; again++) {
            if (!give(t)) {
                t->named = 1;
                return 0;
            }
            if (errno != EEXIST) return errno;
            if (!make_way(t->path)) break;
        }
    }
    return EEXIST;
}

static int open_named(draft *t)
{
    t->fd = open(t->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (t->fd < 0) return -1;
    flock(t->fd, LOCK_EX | LOCK_NB);
    return 0;
}

static int link_named(draft *t)
{
    char open_file[64];
    snprintf(open_file, sizeof open_file, "/proc/self/fd/%d", t->fd);
    return linkat(AT_FDCWD, open_file, AT_FDCWD, t->path, AT_SYMLINK_FOLLOW);
}

int draft_too_long(const char *target)
{
    char path[DRAFT_PATH];
    return beside(target, "lock", path) || strlen(name_in(path)) > NAME_MAX;
}

int draft_is_device(const char *target)
{
    struct stat s;
    return !stat(target, &s) && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
}

int draft_open(draft *t, const char *target)
{
    char folder[FOLDER];
    *t = (draft){.fd = -1};
    if (draft_too_long(target)) return ENAMETOOLONG;
    if (draft_is_device(target)) return ENODEV;
    snprintf(t->target, sizeof t->target, "%s", target);
    folder_of(target, folder);
    t->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (t->fd < 0) return give_name(t, open_named);
    flock(t->fd, LOCK_EX | LOCK_NB); /* a new file: nobody else has it */
    return 0;
}

int draft_write(const draft *t, const void *bytes, size_t size)
{
    for (const char *p = bytes; size;) {
        ssize_t done = write(t->fd, p, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return done ? errno : EIO;
        p += done;
        size -= (size_t)done;
    }
    return 0;
}

void draft_drop(draft *t)
{
    if (t->named) unlink(t->path);
    if (t->fd >= 0) close(t->fd);
    t->fd = -1;
    t->named = 0;
}

/* The folder's entry must reach the disk too, or the rename may be lost with the power. A file system that cannot do it is
 * no reason to fail. */
static void sync_folder(const char *path)
{
    char folder[FOLDER];
    if (folder_of(path, folder)) return;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

/* Without /proc a nameless file stays so: its bytes are copied into one with a name. */
static int copy_named(draft *t)
{
    draft to = *t;
    char block[1 << 16];
    off_t at = 0;
    int bad = give_name(&to, open_named);
    while (!bad) {
        ssize_t got = pread(t->fd, block, sizeof block, at);
        if (got == 0) break;
        bad = got < 0 ? errno : draft_write(&to, block, (size_t)got);
        at += got;
    }
    if (!bad && fsync(to.fd)) bad = errno;
    close(t->fd);
    *t = to;
    return bad;
}

int draft_keep(draft *t)
{
    int bad = fsync(t->fd) && errno != EINVAL && errno != EROFS ? errno : 0;
    if (!bad && !t->named) bad = give_name(t, link_named);
    if (bad == ENOENT && !t->named) bad = copy_named(t);
    if (!bad && rename(t->path, t->target)) bad = errno;
    if (!bad) {
        t->named = 0;
        sync_folder(t->target);
    }
    draft_drop(t);
    return bad;
}

/* ---- one writer ----------------------------------------------------------------------------------- */

/* A file of that name which is not empty is not a lock of ours: it is left alone. */
static int open_lock(hold *h)
{
    struct stat s;
    h->fd = open(h->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (h->fd < 0) return errno;
    return fstat(h->fd, &s) ? errno : !S_ISREG(s.st_mode) || s.st_size ? EEXIST : 0;
}

/* flock: also two solvers of one process exclude each other. Another holder may have removed the file between open and lock. */
int hold_take(hold *h, const char *target)
{
    *h = (hold){.fd = -1};
    int bad = draft_too_long(target) ? ENAMETOOLONG : beside(target, "lock", h->path);
    while (!bad && !(bad = open_lock(h))) {
        if (flock(h->fd, LOCK_EX | LOCK_NB)) bad = errno == EWOULDBLOCK ? EBUSY : ENOTSUP;
        if (bad || same_file(h->fd, h->path)) break;
        close(h->fd);
    }
    if (bad == ENOTSUP) return 0; /* a file system without locks: go on without */
    if (bad && h->fd >= 0) close(h->fd);
    if (bad) h->fd = -1;
    return bad;
}

void hold_release(hold *h)
{
    if (h->fd < 0) return;
    if (same_file(h->fd, h->path)) unlink(h->path);
    close(h->fd);
    h->fd = -1;
}

/* ---- names ---------------------------------------------------------------------------------------- */

int draft_clashes(const char *path, const char *target)
{
    char a[FOLDER], b[FOLDER], ours[DRAFT_PATH];
    struct stat s, t;
    if (!path || !target || folder_of(path, a) || folder_of(target, b) ||
        beside(target, "", ours) || stat(a, &s) || stat(b, &t))
        return 0;
    return s.st_dev == t.st_dev && s.st_ino == t.st_ino &&
           !strncmp(name_in(path), name_in(ours), strlen(name_in(ours)));
}
