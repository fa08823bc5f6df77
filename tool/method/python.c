/* A Python class with ask and tell, as a zo_method.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "method/python.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct head {
    uint64_t tag, size;
} head;

/* ---- Messages --------------------------------------------------------------------------------------- */

static int lost(python *p, const char *why)
{
    if (!*p->failed) snprintf(p->failed, sizeof p->failed, "its Python process %s", why);
    return 1;
}

static int put(python *p, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size) {
        ssize_t done = send(p->fd, at, size, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return lost(p, "has ended");
        at += done;
        size -= (size_t)done;
    }
    return 0;
}

static int get(python *p, void *bytes, size_t size)
{
    char *at = bytes;
    while (size) {
        ssize_t done = recv(p->fd, at, size, 0);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return lost(p, "has ended");
        at += done;
        size -= (size_t)done;
    }
    return 0;
}

static int put_message(python *p, char tag, const void *const *part, const size_t *size,
                       size_t parts)
{
    head h = {(uint64_t)tag, 0};
    for (size_t k = 0; k < parts; k++) h.size += size[k];
    int wrong = put(p, &h, sizeof h);
    for (size_t k = 0; k < parts && !wrong; k++) wrong = put(p, part[k], size[k]);
    return wrong;
}

static int get_message(python *p, message *m, uint64_t *tag)
{
    enum { MOST = 1 << 30 };
    head h;
    if (get(p, &h, sizeof h)) return 1;
    if (h.size > MOST) return lost(p, "says what nobody understands");
    if (h.size > m->room) {
        char *more = realloc(m->at, h.size);
        if (!more) return lost(p, "says more than there is memory for");
        m->at = more;
        m->room = h.size;
    }
    m->size = h.size;
    *tag = h.tag;
    return get(p, m->at, h.size);
}

/* 'P' step, v */
static int serve_prox(python *p)
{
    size_t bytes = p->d * sizeof(double);
    if (!p->psi || p->reply.size != sizeof(double) + bytes)
        return lost(p, "asks for a prox of another size");
    const double *said = (const double *)(const void *)p->reply.at;
    size_t room = p->psi->work ? p->psi->work(p->psi, p->d) : 0;
    double *x = malloc((p->d + room + 1) * sizeof *x);
    if (!x) return lost(p, "is given up: out of memory");
    p->psi->apply(p->psi, p->d, said[0], said + 1, x, x + p->d);
    int wrong = put_message(p, 'P', (const void *[]){x}, &bytes, 1);
    free(x);
    return wrong;
}

/* The answer to what was said, in reply: 0 and its tag, or not 0 after failed was set. */
static int hear(python *p, uint64_t *tag)
{
    for (;;) {
        if (get_message(p, &p->reply, tag)) return 1;
        if (*tag == 'x')
            snprintf(p->failed, sizeof p->failed, "%.*s", (int)p->reply.size, p->reply.at);
        if (*tag != 'P') return *tag == 'x';
        if (serve_prox(p)) return 1;
    }
}

/* ---- The method -------------------------------------------------------------------------------------- */

static int keep_state(python *p, const char *from, size_t bytes)
{
    size_t count = bytes / sizeof(double);
    if (count != p->method->nstate) {
        free(p->state);
        p->state = count ? malloc(bytes) : NULL;
        if (count && !p->state) return lost(p, "is given up: out of memory");
        p->method->state = p->state;
        p->method->nstate = count;
    }
    if (count) memcpy(p->state, from, bytes);
    return 0;
}

static int python_open(void *ctx, size_t n, size_t d, const zo_settings *set, const zo_prox *psi)
{
    python *p = ctx;
    uint64_t sizes[2] = {n, d}, tag;
    p->psi = psi;
    p->d = d;
    if (put_message(p, 'o', (const void *[]){sizes, set}, (size_t[]){sizeof sizes, sizeof *set}, 2))
        return 1;
    return hear(p, &tag) || keep_state(p, p->reply.at, p->reply.size);
}

/* What the question's bytes begin with. */
typedef struct asked {
    uint64_t naxis, ndir, ncomp, all, each, sides;
    double radius;
} asked;

static int python_ask(void *ctx, const double *x, zo_fan *fan)
{
    python *p = ctx;
    uint64_t tag;
    asked q;
    double how[2] = {fan->radius, (double)fan->sides};
    const void *part[] = {how, x, p->state};
    const size_t size[] = {sizeof how, p->d * sizeof *x, p->method->nstate * sizeof *p->state};
    if (*p->failed || put_message(p, 'a', part, size, 3) || hear(p, &tag) || tag != 'q') return 0;
    message swap = p->question; /* it stays until tell */
    p->question = p->reply;
    p->reply = swap;
    if (p->question.size < sizeof q) return lost(p, "asks half a question"), 0;
    memcpy(&q, p->question.at, sizeof q);
    if (p->question.size != sizeof q + 8 * (q.ndir * p->d + (q.all ? 0 : q.ncomp)))
        return lost(p, "asks half a question"), 0;
    const char *rest = p->question.at + sizeof q;
    fan->naxis = q.naxis;
    fan->ndir = q.ndir;
    fan->dir = (const double *)(const void *)rest;
    if (!q.all) {
        fan->ncomp = q.ncomp;
        fan->comp = (const uint64_t *)(const void *)(rest + 8 * q.ndir * p->d);
    }
    fan->each = (int)q.each;
    fan->sides = (int)q.sides;
    fan->radius = q.radius;
    return 1;
}

static int python_tell(void *ctx, const zo_fan *fan, const double *answers, double *x,
                       double *residual)
{
    python *p = ctx;
    uint64_t tag;
    double how[2] = {fan->radius, (double)fan->sides}, said[2];
    size_t bytes = p->d * sizeof *x;
    const void *part[] = {how, x, answers};
    const size_t size[] = {sizeof how, bytes, zo_fan_answers(fan) * sizeof *answers};
    if (*p->failed || put_message(p, 't', part, size, 3) || hear(p, &tag)) return 0;
    if (p->reply.size < sizeof said + bytes) return lost(p, "tells half a point"), 0;
    memcpy(said, p->reply.at, sizeof said);
    *residual = said[1];
    if (said[0] > 0) memcpy(x, p->reply.at + sizeof said, bytes);
    keep_state(p, p->reply.at + sizeof said + bytes, p->reply.size - sizeof said - bytes);
    return said[0] > 0;
}

/* ---- The process ------------------------------------------------------------------------------------- */

const char *python_program(void)
{
    const char *given = getenv("ZOPROX_PYTHON");
    return given && *given ? given : "python3";
}

static int spawn(python *p, const char *spec)
{
    int end[2];
    char *argv[] = {strdup(python_program()), "-c", PYTHON_SERVES, "method", strdup(spec), NULL};
    posix_spawn_file_actions_t with;
    if (!argv[0] || !argv[4] || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end)) {
        free(argv[0]);
        free(argv[4]);
        return complain(FAILED, "--load: '%s': %s", spec, strerror(errno));
    }
    posix_spawn_file_actions_init(&with);
    posix_spawn_file_actions_adddup2(&with, end[1], STDIN_FILENO);
    int wrong = posix_spawnp(&p->pid, argv[0], &with, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&with);
    free(argv[0]);
    free(argv[4]);
    close(end[1]);
    p->fd = end[0];
    if (!wrong) return DONE;
    close(p->fd);
    p->pid = 0;
    return complain(FAILED, "--load: %s cannot be started for '%s': %s", python_program(), spec,
                    strerror(wrong));
}

python *python_start(const char *spec, char name[16])
{
    python *p = calloc(1, sizeof *p);
    uint64_t tag;
    if (!p || spawn(p, spec)) return python_stop(p), NULL;
    if (hear(p, &tag)) {
        int spoke = p->reply.size > 0;
        complain(REFUSED, "--load: '%s': %s%s", spec, p->failed,
                 spoke ? ""
                       : "; has the python3 of your PATH (or ZOPROX_PYTHON) the package zoprox?");
        return python_stop(p), NULL;
    }
    snprintf(name, 16, "%.*s", (int)p->reply.size, p->reply.at);
    return p;
}

int python_begin(python *p, zo_method *method)
{
    uint64_t tag;
    *p->failed = 0;
    p->method = method;
    method->ctx = p;
    method->open = python_open;
    method->ask = python_ask;
    method->tell = python_tell;
    free(p->state);
    method->state = p->state = NULL;
    method->nstate = 0;
    return put_message(p, 'n', NULL, NULL, 0) || hear(p, &tag);
}

void python_stop(python *p)
{
    if (!p) return;
    if (p->pid) {
        close(p->fd); /* it ends with what it hears */
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    free(p->state);
    free(p->question.at);
    free(p->reply.at);
    free(p);
}
