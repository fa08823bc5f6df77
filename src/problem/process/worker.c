/* A worker: a program at the other end of three pipes, in a process group of its own.
 * SPDX-License-Identifier: MIT
 *
 * Nothing a worker does may hurt this process: reads and writes never block, a broken pipe is a return value
 * (SIGPIPE is held back around writes and taken away again), and when this process ends, even by SIGKILL, the
 * guardian ends the groups: it reads process numbers from a pipe until the pipe closes. A worker announces itself there
 * before it becomes the program, so there is no moment at which nobody would end it; and it belongs to this process, not
 * to the thread that happened to start it. */
#define _GNU_SOURCE /* pipe2 */
#include "problem/process/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "base/mem.h"

/* ---- bytes --------------------------------------------------------------------------------------- */

int bytes_reserve(bytes *b, size_t more)
{
    if (b->begin == b->end) b->begin = b->end = 0;
    if (b->end + more <= b->room) return 1;
    if (b->begin) { /* what was read makes room first */
        memmove(b->at, b->at + b->begin, b->end - b->begin);
        b->end -= b->begin;
        b->begin = 0;
        if (b->end + more <= b->room) return 1;
    }
    size_t room = 2 * (b->end + more) + 4096;
    char *at = mem_grow(b->at, b->end, room, 1);
    if (!at) return 0;
    b->at = at;
    b->room = room;
    return 1;
}

int bytes_add(bytes *b, const char *text, size_t size)
{
    if (!bytes_reserve(b, size)) return 0;
    memcpy(b->at + b->end, text, size);
    b->end += size;
    return 1;
}

void bytes_free(bytes *b)
{
    mem_free(b->at);
    *b = (bytes){0};
}

/* write, with SIGPIPE held back in this thread and taken away if it was ours. */
static ssize_t quiet_write(int fd, const void *at, size_t size)
{
    sigset_t pipe_only, before, waiting;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    sigpending(&waiting);
    int others = sigismember(&waiting, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    ssize_t done = write(fd, at, size);
    int code = errno;
    if (done < 0 && code == EPIPE && !others)
        sigtimedwait(&pipe_only, NULL, &(struct timespec){0, 0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = code;
    return done;
}

/* ---- the guardian -------------------------------------------------------------------------------- */

enum { MOST_GROUPS = 4096 };

/* Only calls that are safe after a fork. A positive number is a group that began, a negative one that ended. */
static void guard(int from)
{
    pid_t group[MOST_GROUPS], note;
    size_t count = 0;
    for (int s = 1; s < 32; s++) signal(s, SIG_IGN);
    while (read(from, &note, sizeof note) == (ssize_t)sizeof note) {
        if (note > 0 && count < MOST_GROUPS) group[count++] = note;
        for (size_t k = 0; note < 0 && k < count; k++)
            if (group[k] == -note) {
                group[k] = group[--count];
                break;
            }
    }
    for (size_t k = 0; k < count; k++) kill(-group[k], SIGKILL);
    _exit(0);
}

zo_status guardian_start(guardian *g, zo_error *err)
{
    int ends[2];
    *g = (guardian){0, -1};
    if (pipe2(ends, O_CLOEXEC))
        return fail(err, ZO_IO, "workers: cannot make a pipe: %s", strerror(errno));
    fcntl(ends[1], F_SETFL, O_NONBLOCK); /* a guardian that somebody has stopped holds up nobody */
    g->pid = fork();
    if (g->pid == 0) {
        setsid(); /* out of reach of the terminal's signals */
        dup2(ends[0], 0);
        files_close_from(1); /* holds nobody's files open */
        guard(0);
    }
    close(ends[0]);
    g->pipe = ends[1];
    if (g->pid > 0) return ZO_OK;
    close(ends[1]);
    *g = (guardian){0, -1};
    return fail(err, ZO_IO, "workers: cannot start a process: %s", strerror(errno));
}

void guardian_stop(guardian *g)
{
    if (g->pid <= 0) return;
    close(g->pipe);
    kill(g->pid, SIGKILL); /* the workers have been ended one by one; it may be stopped, or not */
    waitpid(g->pid, NULL, 0);
    *g = (guardian){0, -1};
}

static void tell_guardian(const guardian *g, pid_t note)
{
    while (quiet_write(g->pipe, &note, sizeof note) < 0 && errno == EINTR) {
    }
}

/* ---- life ---------------------------------------------------------------------------------------- */

/* In the child: streams, group, default signals, and then the program; a failure goes back as its errno. */
static void become(const char *const *argv, const int stream[3], int report, const guardian *g)
{
    setpgid(0, 0);
    tell_guardian(g, getpid());
    for (int s = 1; s < 32; s++) signal(s, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int k = 0; k < 3; k++) dup2(stream[k], k);
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    int code = errno;
    while (write(report, &code, sizeof code) < 0 && errno == EINTR) {
    }
    _exit(127);
}

static void close_all(int *fd, int count)
{
    for (int k = 0; k < count; k++)
        if (fd[k] >= 0) close(fd[k]);
}

/* A pipe whose ends are none of the three streams, which this process may have closed: in the child they are
 * overwritten one after the other. 0: failed, see errno. */
static int open_pipe(int ends[2])
{
    int low[2];
    if (pipe2(low, O_CLOEXEC)) return 0;
    for (int k = 0; k < 2; k++) ends[k] = low[k] > 2 ? low[k] : fcntl(low[k], F_DUPFD_CLOEXEC, 3);
    int code = errno;
    for (int k = 0; k < 2; k++)
        if (low[k] <= 2) close(low[k]);
    errno = code;
    return ends[0] >= 0 && ends[1] >= 0;
}

static int never_block(const int fd[3])
{
    for (int k = 0; k < 3; k++)
        if (fcntl(fd[k], F_SETFL, O_NONBLOCK)) return 0;
    return 1;
}

static void end_at_once(pid_t pid, const guardian *g)
{
    if (pid <= 0) return;
    kill(-pid, SIGKILL);
    waitpid(pid, NULL, 0);
    tell_guardian(g, -pid);
}

zo_status worker_start(worker *w, guardian *g, const char *const *argv, zo_error *err)
{
    int fd[8] = {-1, -1, -1, -1, -1, -1, -1, -1},
        code = 0; /* in, out, err, report: read and write ends */
    for (int k = 0; k < 4; k++)
        if (!open_pipe(fd + 2 * k)) {
            code = errno;
            close_all(fd, 8);
            return fail(err, ZO_IO, "workers: cannot make a pipe: %s", strerror(code));
        }
    w->pid = fork();
    if (w->pid == 0) become(argv, (int[3]){fd[0], fd[3], fd[5]}, fd[7], g);
    code = errno;
    int mine[3] = {fd[1], fd[2], fd[4]}, theirs[4] = {fd[0], fd[3], fd[5], fd[7]};
    close_all(theirs, 4);
    ssize_t said = 0;
    if (w->pid > 0) {
        setpgid(w->pid, w->pid); /* the child does it too: whoever comes first */
        while ((said = read(fd[6], &code, sizeof code)) < 0 && errno == EINTR) {
        }
    }
    close(fd[6]);
    int runs = w->pid > 0 && said != (ssize_t)sizeof code;
    if (!runs || !never_block(mine)) {
        if (runs) code = errno;
        end_at_once(w->pid, g);
        close_all(mine, 3);
        w->pid = 0;
        return runs ? fail(err, ZO_IO, "workers: a pipe cannot be used: %s", strerror(code))
                    : fail(err, ZO_BAD_INPUT, "command: cannot run '%s': %s", argv[0],
                           strerror(code));
    }
    w->in = mine[0];
    w->out = mine[1];
    w->err = mine[2];
    w->to.begin = w->to.end = w->from.begin = w->from.end = w->nwords = 0;
    w->spoke = 0;
    return ZO_OK;
}

/* A process whose pipe is closed is on its way out but need not be there yet: as how it ended is to be told, it gets a moment. */
static int has_ended(const worker *w, int *status)
{
    struct pollfd out = {.fd = w->out};
    for (int moment = 0; moment < 100; moment++) {
        if (waitpid(w->pid, status, WNOHANG) == w->pid) return 1;
        if (poll(&out, 1, 0) < 0 || !(out.revents & POLLHUP)) return 0;
        poll(NULL, 0, 1);
    }
    return 0;
}

int worker_stop(worker *w, guardian *g, char *how, size_t size)
{
    if (w->pid <= 0) return -1;
    int status = 0, ended = has_ended(w, &status);
    worker_listen(w);
    kill(-w->pid, SIGKILL); /* and whatever it started */
    if (!ended) waitpid(w->pid, &status, 0);
    tell_guardian(g, -w->pid);
    close_all((int[3]){w->in, w->out, w->err}, 3);
    w->pid = 0;
    int code = ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (!size) return code;
    if (code >= 0)
        snprintf(how, size, "it exited with code %d", code);
    else if (ended && WIFSIGNALED(status))
        snprintf(how, size, "it was ended by signal %d", WTERMSIG(status));
    else
        snprintf(how, size, "it was stopped");
    return code;
}

int worker_ended(const worker *w)
{
    siginfo_t seen = {0};
    return w->pid > 0 && waitid(P_PID, (id_t)w->pid, &seen, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           seen.si_pid == w->pid;
}

void worker_free(worker *w)
{
    bytes_free(&w->to);
    bytes_free(&w->from);
}

/* ---- talking ------------------------------------------------------------------------------------- */

enum {
    TURNS = 16
}; /* reads at one go: a worker that never stops talking does not keep us from the others */

int worker_write(worker *w)
{
    while (w->to.begin < w->to.end) {
        ssize_t done = quiet_write(w->in, w->to.at + w->to.begin, w->to.end - w->to.begin);
        if (done > 0)
            w->to.begin += (size_t)done;
        else if (done < 0 &&
                 errno == EPIPE) /* it ended, or does not listen: what it said last tells more */
            w->to.begin = w->to.end;
        else if (done < 0 && errno != EINTR)
            return errno == EAGAIN;
    }
    return 1;
}

int worker_read(worker *w)
{
    for (int turn = 0; turn < TURNS; turn++) {
        if (!bytes_reserve(&w->from, 1 << 14)) return 0;
        size_t room = w->from.room - w->from.end;
        ssize_t done = read(w->out, w->from.at + w->from.end, room);
        if (done > 0) w->from.end += (size_t)done;
        if (done > 0 && (size_t)done < room) return 1;
        if (done == 0) return 0;
        if (done < 0 && errno != EINTR) return errno == EAGAIN;
    }
    return 1;
}

/* Keeps the last words; a flood of them costs nothing. */
void worker_listen(worker *w)
{
    char said[4096];
    for (int turn = 0; turn < TURNS; turn++) {
        ssize_t done = read(w->err, said, sizeof said);
        if (done <= 0) return;
        size_t fresh = (size_t)done < LAST_WORDS - 1 ? (size_t)done : LAST_WORDS - 1;
        size_t kept = w->nwords + fresh < LAST_WORDS ? w->nwords : LAST_WORDS - 1 - fresh;
        memmove(w->words, w->words + w->nwords - kept, kept);
        memcpy(w->words + kept, said + done - (ssize_t)fresh, fresh);
        w->nwords = kept + fresh;
        w->words[w->nwords] = 0;
        w->spoke = 1;
    }
}
