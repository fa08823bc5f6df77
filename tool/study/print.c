/* Programs that are started, with their output thrown away.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "study/print.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/tool.h"

extern char **environ;

int spawn_in(const char *folder, char **argv, int muted)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = 1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (muted) posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error == ENOENT) return SPAWN_ABSENT;
    if (error) return error;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

int page_print(const char *folder, int quiet)
{
    static char *const browsers[] = {"chromium", "chromium-browser", "google-chrome"};
    char *whole = realpath(folder, NULL), url[4200];
    int code = SPAWN_ABSENT;
    if (!whole) return complain(FAILED, "print: '%s' is not there", folder);
    snprintf(url, sizeof url, "file://%s/report.html", whole);
    free(whole);
    for (size_t k = 0; k < 3 && code == SPAWN_ABSENT; k++) {
        /* what runs as root has no sandbox; the page is ours and asks no network */
        char *argv[] = {browsers[k],
                        "--headless",
                        geteuid() ? "--disable-gpu" : "--no-sandbox",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--no-pdf-header-footer",
                        "--print-to-pdf=report.pdf",
                        url,
                        NULL};
        code = spawn_in(folder, argv, 1);
    }
    if (code == SPAWN_ABSENT && !quiet)
        fprintf(stderr, "zoprox: print: Chromium is not here; no report.pdf\n");
    return code == SPAWN_ABSENT ? DONE
           : code               ? complain(FAILED, "print: Chromium failed on %s", url)
                                : DONE;
}
