/* The trace: CSV, one row a line, unknown numbers empty.
 * SPDX-License-Identifier: MIT
 *
 * A row reaches the file by one write before the run goes on, so that a checkpoint is never ahead of its
 * trace. */
#define _GNU_SOURCE
#include "core/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

static const char header[] =
    "step,queries,units,watched,seconds,objective,gap,residual,nonzeros,best\n";

double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Appends; after a failure the file is cut back to its whole rows. */
static void append(trace *t, const char *text, size_t size)
{
    size_t done = 0;
    while (done < size && !t->error) {
        ssize_t wrote = write(t->fd, text + done, size - done);
        if (wrote < 0 && errno != EINTR) t->error = errno;
        if (wrote == 0) t->error = ENOSPC;
        if (wrote > 0) done += (size_t)wrote;
    }
    if (!t->error)
        t->good += (long long)size;
    else if (ftruncate(t->fd, (off_t)t->good))
        errno = t->error; /* a device: there is nothing to cut */
}

/* Says it once; what is left open is closed. */
static int trouble(trace *t, int error)
{
    if (t->fd >= 0) close(t->fd);
    t->fd = -1;
    return complain(FAILED, "trace: '%s' was not written: %s", t->path, strerror(error));
}

static int open_file(trace *t, const char *path, int flags)
{
    *t = (trace){.path = path, .fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666)};
    t->synced = clock_seconds();
    return t->fd < 0 ? trouble(t, errno) : DONE;
}

int trace_begin(trace *t, const char *path)
{
    *t = (trace){.fd = -1};
    if (!path) return DONE;
    int code = open_file(t, path, O_TRUNC);
    if (code) return code;
    append(t, header, sizeof header - 1);
    return t->error ? trouble(t, t->error) : DONE;
}

/* The whole file as text that free takes; NULL and errno when it cannot be read. */
static char *read_text(const char *path, size_t *size)
{
    FILE *in = fopen(path, "re");
    struct stat st;
    if (!in) return NULL;
    char *text = fstat(fileno(in), &st) ? NULL : malloc((size_t)st.st_size + 1);
    if (text) {
        *size = fread(text, 1, (size_t)st.st_size, in);
        text[*size] = 0;
    }
    fclose(in);
    return text;
}

/* Bytes of the header and of the rows up to so many queries; *last is the queries of the last one. */
static size_t whole_rows(const char *text, uint64_t queries, uint64_t *last)
{
    const char *row = text + sizeof header - 1;
    for (const char *end; (end = strchr(row, '\n')); row = end + 1) {
        const char *comma = strchr(row, ',');
        if (!comma || comma > end) break;
        uint64_t here = strtoull(comma + 1, NULL, 10);
        if (here > queries) break;
        *last = here;
    }
    return (size_t)(row - text);
}

int trace_resume(trace *t, const char *path, uint64_t queries, int *lacking)
{
    size_t size = 0;
    uint64_t last = UINT64_MAX;
    *lacking = 0;
    if (!path) return trace_begin(t, path);
    *t = (trace){.path = path, .fd = -1};
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) return trace_begin(t, path);
    char *text = read_text(path, &size);
    if (!text && errno != ENOENT) return trouble(t, errno);
    if (!text || size == 0) {
        free(text);
        *lacking = 1;
        return trace_begin(t, path);
    }
    if (strncmp(text, header, sizeof header - 1)) {
        free(text);
        return complain(REFUSED, "trace: '%s' is not a trace: its first line is another", path);
    }
    size_t kept = whole_rows(text, queries, &last);
    int bad = kept < size && file_replace(path, text, kept), error = errno;
    free(text);
    if (bad) return trouble(t, error);
    int code = open_file(t, path, O_APPEND);
    t->good = (long long)kept;
    *lacking = last != queries;
    return code;
}

/* ",%.17g", or "," for what is not known. */
static size_t number(char *at, double v)
{
    *at++ = ',';
    *at = 0;
    if (!isnan(v)) text_exact(v, at, 32);
    return 1 + strlen(at);
}

void trace_write(trace *t, const zo_row *row)
{
    char text[512];
    if (!t->path || t->error) return;
    size_t at =
        (size_t)snprintf(text, sizeof text, "%" PRIu64 ",%" PRIu64, row->step, row->queries);
    at += number(text + at, row->units);
    at += (size_t)snprintf(text + at, sizeof text - at, ",%" PRIu64, row->watched);
    at += number(text + at, row->seconds);
    at += number(text + at, row->objective);
    at += number(text + at, row->gap);
    at += number(text + at, row->residual);
    at += (size_t)snprintf(text + at, sizeof text - at, ",%zu", row->nonzeros);
    at += number(text + at, row->best);
    text[at++] = '\n';
    append(t, text, at);
    double now = clock_seconds();
    if (now - t->synced < 1) return;
    fdatasync(t->fd); /* a device cannot, and a failing disk will say so on closing */
    t->synced = now;
}

int trace_end(trace *t)
{
    if (!t->path || t->fd < 0) return DONE;
    if (!t->error && fsync(t->fd) && errno != EINVAL && errno != EROFS) t->error = errno;
    if (t->error) return trouble(t, t->error);
    int bad = close(t->fd), error = errno;
    t->fd = -1;
    return bad ? trouble(t, error) : DONE;
}
