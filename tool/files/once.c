/* Files that are read once, whoever asks: a run must not mix two versions of a template because somebody edits it while workers
 * are started anew. SPDX-License-Identifier: MIT
 *
 * What was read is kept in a file without a name, one record after the other, that workers inherit. */
#define _GNU_SOURCE /* memfd_create */
#include "files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HELD "ZOPROX_HELD" /* environment of a worker: the descriptor */

typedef struct record {
    size_t name, size; /* of what follows: the path with its 0, the bytes */
} record;

static struct {
    pthread_mutex_t lock;
    int fd; /* -1: there is none */
    int is_worker;
} held = {PTHREAD_MUTEX_INITIALIZER, -1, 0};

void once_inherit(void)
{
    const char *number = getenv(HELD);
    held.is_worker = 1;
    held.fd = number ? atoi(number) : -1;
    if (held.fd >= 0) fcntl(held.fd, F_SETFD, FD_CLOEXEC); /* the program has no use for it */
    unsetenv(HELD);
}

/* What is kept of path; NULL: nothing, or memory is out. */
static char *find(const char *path, size_t *size)
{
    struct stat s;
    char *text = NULL;
    if (held.fd < 0 || fstat(held.fd, &s) || !s.st_size) return NULL;
    char *all = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_SHARED, held.fd, 0), *at = all;
    if (all == MAP_FAILED) return NULL;
    while (at < all + s.st_size && !text) {
        record r;
        memcpy(&r, at, sizeof r);
        at += sizeof r;
        if (!strcmp(at, path) && (text = malloc(r.size + 2))) {
            memcpy(text, at + r.name, r.size);
            text[ *size = r.size] = 0;
        }
        at += r.name + r.size;
    }
    munmap(all, (size_t)s.st_size);
    return text;
}

static int put(const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size) {
        ssize_t done = write(held.fd, at, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return 0;
        at += done;
        size -= (size_t)done;
    }
    return 1;
}

/* Where there is no room it is not kept, and read again next time. */
static void keep(const char *path, const char *text, size_t size)
{
    char number[16];
    record r = {strlen(path) + 1, size};
    if (held.is_worker) return;
    if (held.fd < 0 && (held.fd = memfd_create("zoprox", 0)) >= 0) {
        snprintf(number, sizeof number, "%d", held.fd);
        setenv(HELD, number, 1);
    }
    off_t before = held.fd < 0 ? -1 : lseek(held.fd, 0, SEEK_CUR);
    if (before < 0 || (put(&r, sizeof r) && put(path, r.name) && put(text, size))) return;
    if (!ftruncate(held.fd, before)) lseek(held.fd, before, SEEK_SET);
}

char *read_once(const char *path, size_t *size)
{
    pthread_mutex_lock(&held.lock);
    char *text = find(path, size);
    if (!text && (text = read_whole(path, size))) keep(path, text, *size);
    int why = errno;
    pthread_mutex_unlock(&held.lock);
    errno = why;
    return text;
}
