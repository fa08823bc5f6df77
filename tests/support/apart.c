/* Every unit test works in a folder of its own, which goes with it: whatever fails, nothing is left where it was started.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* nftw, mkdtemp */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[4096];
static pid_t owner; /* children that exit leave it alone */

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *at)
{
    (void)s, (void)type, (void)at;
    return remove(path), 0;
}

static void leave(void)
{
    if (getpid() == owner) nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

__attribute__((constructor)) static void go_apart(void)
{
    const char *where = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/zoprox-test-XXXXXX", where ? where : "/tmp");
    if (!mkdtemp(folder) || chdir(folder)) {
        perror(folder);
        _exit(1);
    }
    owner = getpid();
    atexit(leave);
}
