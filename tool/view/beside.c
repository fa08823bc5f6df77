/* --page: a page of the run while it goes on. SPDX-License-Identifier: MIT
 *
 * The run writes a history and its progress, as for anybody; zoprox watch runs beside it as a process of its own and reads
 * them, so that the run has nothing more to do. A pipe tells it that the run is over. */
#define _GNU_SOURCE
#include "view/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "view/door.h"

extern char **environ;

int beside_prepare(beside *b, request *r)
{
    uint64_t port;
    *b = (beside){.pipe = -1, .door = -1};
    if (!r->page || ranks_me()) return DONE;
    if (!box_wanted(r))
        return complain(REFUSED, "--page: it goes with black boxes; 'zoprox plot' draws the trace "
                                 "of a run over data while it goes on");
    int served = text_whole(r->page, &port);
    if (served && port > 65535) return complain(REFUSED, "--page: %s is above 65535", r->page);
    if (served && (b->door = door_open(port)) < 0)
        return complain(REFUSED, "--page: port %s: %s", r->page, strerror(errno));
    int code = served ? DONE : file_check(r->page, "page");
    if (code) return code;
    const char *where = getenv("TMPDIR");
    snprintf(b->folder, sizeof b->folder, "%.200s/zoprox-XXXXXX", where ? where : "/tmp");
    if (!mkdtemp(b->folder))
        return complain(FAILED, "--page: cannot make a folder in %s: %s", where ? where : "/tmp",
                        strerror(errno));
    snprintf(b->history, sizeof b->history, "%s/run.csv", b->folder);
    snprintf(b->progress, sizeof b->progress, "%s/progress.json", b->folder);
    if (!r->history) r->history = b->history;
    if (!r->progress || !strcmp(r->progress, "-")) r->progress = b->progress;
    return DONE;
}

static size_t put(char **argv, size_t at, const char *option, const char *value)
{
    if (!value) return at;
    argv[at++] = (char *)(uintptr_t)option;
    argv[at++] = (char *)(uintptr_t)value;
    return at;
}

int beside_start(beside *b, const request *r)
{
    char *argv[24] = {"zoprox", "watch", (char *)(uintptr_t)r->history,
                      (char *)(uintptr_t)r->progress};
    size_t at = 4;
    int fd[2];
    posix_spawn_file_actions_t files;
    if (!*b->folder) return DONE;
    if (pipe2(fd, O_CLOEXEC)) return complain(FAILED, "--page: %s", strerror(errno));
    at = put(argv, at, b->door >= 0 ? "--port" : "--out", r->page);
    at = put(argv, at, "--residuals", r->residuals);
    at = put(argv, at, "--weights", r->weights);
    at = put(argv, at, "--targets", r->targets);
    at = put(argv, at, "--parameters", r->parameters);
    if (r->quiet) argv[at++] = "--quiet";
    setenv(BESIDE, box_name(r), 1);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, fd[0], 0);
    posix_spawn_file_actions_adddup2(&files, STDERR_FILENO,
                                     STDOUT_FILENO); /* ours is the result's */
    if (b->door >= 0) posix_spawn_file_actions_adddup2(&files, b->door, BESIDE_DOOR);
    int bad = posix_spawn(&b->child, "/proc/self/exe", &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    unsetenv(BESIDE);
    close(fd[0]);
    b->pipe = fd[1];
    if (b->door >= 0) close(b->door);
    b->door = -1;
    return bad ? complain(FAILED, "--page: %s", strerror(bad)) : DONE;
}

void beside_end(beside *b)
{
    if (b->pipe >= 0) close(b->pipe);
    if (b->door >= 0) close(b->door);
    while (b->child > 0 && waitpid(b->child, NULL, 0) < 0 && errno == EINTR) {
    }
    if (!*b->folder) return;
    unlink(b->history); /* where it was ours */
    unlink(b->progress);
    rmdir(b->folder);
    *b->folder = 0;
}
