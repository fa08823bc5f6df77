/* A worker: a program at the other end of three pipes.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_WORKER_H
#define ZO_WORKER_H

#include <stddef.h>
#include <sys/types.h>

#include "zoprox.h"

/* Bytes on their way; grows as needed. */
typedef struct bytes {
    char *at;
    size_t begin, end, room; /* the bytes begin <= k < end are waiting */
} bytes;
int bytes_reserve(bytes *b, size_t more); /* room for more behind end; 0: out of memory */
int bytes_add(bytes *b, const char *text, size_t size); /* 0: out of memory */
void bytes_free(bytes *b);

enum { LAST_WORDS = 400 };

typedef struct worker {
    pid_t pid;              /* 0: not running */
    int in, out, err;       /* our ends of its standard streams */
    bytes to, from;         /* what it has not taken yet, what it said and nobody has read */
    char words[LAST_WORDS]; /* the last it wrote on standard error */
    size_t nwords;
    int spoke; /* it wrote there since somebody last set this to 0 */
} worker;

/* A process that ends the workers' process groups when this process is gone, however it went. */
typedef struct guardian {
    pid_t pid;
    int pipe;
} guardian;
zo_status guardian_start(guardian *g, zo_error *err);
void guardian_stop(guardian *g);

zo_status worker_start(worker *w, guardian *g, const char *const *argv, zo_error *err);
/* Exit codes of a worker that is this program itself (its argv[0] is /proc/self/exe): asking again may help; it does not
 * unless other runs have gone well; it never does. */
enum { WORKER_FAILED = 1, WORKER_MISTAKEN = 2, WORKER_HOPELESS = 3 };

/* kills its group; how it ended, if size; its exit code, -1: it has none */
int worker_stop(worker *w, guardian *g, char *how, size_t size);
void worker_free(worker *w);
int worker_write(worker *w);   /* as much as it takes now; 0: failed */
int worker_read(worker *w);    /* as much as there is now; 0: it is gone */
void worker_listen(worker *w); /* its standard error */
/* 1: the process is gone, even if somebody holds its end of the pipes */
int worker_ended(const worker *w);

#endif
