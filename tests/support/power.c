/* Preloaded: records what a program does to the files of one folder, so that a power loss can be played afterwards.
 * SPDX-License-Identifier: MIT
 *
 * POWER_FOLDER is watched; records go to POWER_LOG, each a line and for W the bytes behind it:
 *   N inode          a file without a name
 *   C inode name     a file came to be       W inode offset count   bytes were written
 *   T inode size     it was cut or grown     S inode                it was synced (D: the folder was)
 *   L inode name     it got a name           R inode old new        it was renamed         U name   a name is gone */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int log_fd = -1;
static const char *folder;

static void put(const char *line, const void *bytes, size_t count)
{
    int kept = errno;
    if (syscall(SYS_write, log_fd, line, strlen(line)) < 0 ||
        (count && syscall(SYS_write, log_fd, bytes, count) < 0))
        _exit(99);
    errno = kept;
}

static int ready(void)
{
    if (log_fd >= 0) return 1;
    const char *path = getenv("POWER_LOG");
    folder = getenv("POWER_FOLDER");
    if (!path || !folder) return 0;
    int fd =
        (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    log_fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 900);
    if (fd >= 0) syscall(SYS_close, fd);
    return log_fd >= 0;
}

/* The name in the folder, or NULL for a path that is elsewhere. */
static const char *inside(const char *path)
{
    static __thread char whole[PATH_MAX];
    if (!ready()) return NULL;
    if (*path != '/') {
        if (!getcwd(whole, sizeof whole)) return NULL;
        if (strcmp(whole, folder)) return NULL;
        return strncmp(path, "./", 2) ? path : path + 2;
    }
    size_t length = strlen(folder);
    return !strncmp(path, folder, length) && path[length] == '/' && !strchr(path + length + 1, '/')
               ? path + length + 1
               : NULL;
}

/* The inode of a file of the folder; 0: of another. */
static unsigned long watched(int fd, int *is_folder)
{
    char link[64], target[PATH_MAX];
    struct stat s;
    *is_folder = 0;
    if (fd == log_fd || !ready()) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, target, sizeof target - 1);
    if (length < 0) return 0;
    target[length] = 0;
    *is_folder = !strcmp(target, folder);
    size_t size = strlen(folder);
    if (strncmp(target, folder, size) || target[size] != '/' || fstat(fd, &s)) return 0;
    return S_ISREG(s.st_mode) ? (unsigned long)s.st_ino : 0;
}

static int opened(const char *path, int flags, mode_t mode)
{
    const char *name = inside(path);
    int there = name && access(path, F_OK) == 0;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    char line[PATH_MAX + 64];
    struct stat s;
    int nameless = (flags & O_TMPFILE) == O_TMPFILE;
    if (fd < 0 || (!name && !nameless) || fstat(fd, &s) || !S_ISREG(s.st_mode)) return fd;
    if (nameless) {
        snprintf(line, sizeof line, "N %lu\n", (unsigned long)s.st_ino);
        if (ready()) put(line, NULL, 0);
        return fd;
    }
    if (!there) snprintf(line, sizeof line, "C %lu %s\n", (unsigned long)s.st_ino, name);
    if (!there) put(line, NULL, 0);
    if (there && flags & O_TRUNC) {
        snprintf(line, sizeof line, "T %lu 0\n", (unsigned long)s.st_ino);
        put(line, NULL, 0);
    }
    return fd;
}

#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        va_list args;                                                                              \
        va_start(args, flags);                                                                     \
        mode_t mode = (mode_t)va_arg(args, unsigned);                                              \
        va_end(args);                                                                              \
        return opened(path, flags, mode);                                                          \
    }
OPEN(open)
OPEN(open64)
int __open_2(const char *path, int flags) { return opened(path, flags, 0); }
int __open64_2(const char *path, int flags) { return opened(path, flags, 0); }

static void wrote(int fd, off_t at, const void *bytes, ssize_t count)
{
    int is_folder;
    unsigned long inode = count > 0 ? watched(fd, &is_folder) : 0;
    char line[96];
    if (!inode) return;
    snprintf(line, sizeof line, "W %lu %lld %zd\n", inode, (long long)at, count);
    put(line, bytes, (size_t)count);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    ssize_t done = syscall(SYS_write, fd, bytes, size);
    off_t end = done > 0 ? (off_t)syscall(SYS_lseek, fd, 0, SEEK_CUR) : -1;
    if (end >= done && done > 0) wrote(fd, end - done, bytes, done);
    return done;
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
    ssize_t done = syscall(SYS_pwrite64, fd, bytes, size, at);
    wrote(fd, at, bytes, done);
    return done;
}
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at)
{
    return pwrite(fd, bytes, size, at);
}

int ftruncate(int fd, off_t size)
{
    int bad = (int)syscall(SYS_ftruncate, fd, size), is_folder;
    unsigned long inode = bad ? 0 : watched(fd, &is_folder);
    char line[96];
    snprintf(line, sizeof line, "T %lu %lld\n", inode, (long long)size);
    if (inode) put(line, NULL, 0);
    return bad;
}
int ftruncate64(int fd, off64_t size) { return ftruncate(fd, size); }

static int synced(int fd, long number)
{
    int bad = (int)syscall(number, fd), is_folder;
    unsigned long inode = bad ? 0 : watched(fd, &is_folder);
    char line[64];
    snprintf(line, sizeof line, "S %lu\n", inode);
    if (!bad && is_folder)
        put("D\n", NULL, 0);
    else if (inode)
        put(line, NULL, 0);
    return bad;
}
int fsync(int fd) { return synced(fd, SYS_fsync); }
int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }

static unsigned long inode_of(const char *path)
{
    struct stat s;
    return stat(path, &s) ? 0 : (unsigned long)s.st_ino;
}

int rename(const char *from, const char *to)
{
    char line[2 * PATH_MAX + 64], old[PATH_MAX] = "";
    const char *name = inside(from);
    if (name) snprintf(old, sizeof old, "%s", name);
    int bad = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    if (bad || !*old || !(name = inside(to))) return bad;
    snprintf(line, sizeof line, "R %lu %s %s\n", inode_of(to), old, name);
    put(line, NULL, 0);
    return bad;
}

int linkat(int from_at, const char *from, int to_at, const char *to, int flags)
{
    int bad = (int)syscall(SYS_linkat, from_at, from, to_at, to, flags);
    const char *name = bad ? NULL : inside(to);
    char line[PATH_MAX + 64];
    if (!name) return bad;
    snprintf(line, sizeof line, "L %lu %s\n", inode_of(to), name);
    put(line, NULL, 0);
    return bad;
}

int unlink(const char *path)
{
    const char *name = inside(path);
    int bad = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    char line[PATH_MAX + 64];
    if (bad || !name) return bad;
    snprintf(line, sizeof line, "U %s\n", name);
    put(line, NULL, 0);
    return bad;
}
