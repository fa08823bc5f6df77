/* Bytes of a file or of standard input, unpacked when they are compressed.
 * SPDX-License-Identifier: MIT
 *
 * What a file is shows in its first bytes, whatever its name says. */
#define _GNU_SOURCE /* O_CLOEXEC */
#include "data/input.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"

enum { BUFFER = 1 << 16 };

struct input {
    int fd;
    unpacker *unpack;        /* NULL: plain text */
    char *buffer;            /* BUFFER bytes: the beginning, later what the unpacker looks at */
    size_t held;             /* bytes of the beginning that nobody has taken yet */
    uint64_t left;           /* bytes that are still to be read */
    double packed, unpacked; /* bytes so far, where it unpacks */
    double most;             /* unpacked, as $ZOPROX_UNPACK says; NaN: the rule below */
};

static const struct {
    const char *kind;
    size_t size;
    const char *bytes;
} magic[] = {{"gzip", 2, "\x1f\x8b"},
             {"bzip2", 3, "BZh"},
             {"xz", 6,
              "\xfd"
              "7zXZ\0"},
             {"zstd", 4, "\x28\xb5\x2f\xfd"}};

static long read_some(int fd, void *into, size_t room)
{
    ssize_t got;
    do got = read(fd, into, room);
    while (got < 0 && errno == EINTR);
    return (long)got;
}

static long next_packed(void *ctx, const void **bytes)
{
    input *s = ctx;
    size_t held = s->held;
    *bytes = s->buffer;
    s->held = 0;
    long got = held ? (long)held : read_some(s->fd, s->buffer, BUFFER);
    if (got > 0) s->packed += (double)got;
    return got;
}

/* A few kilobytes can unpack to terabytes. Text of numbers shrinks to a twentieth or so: beyond the first gibibyte, a file
 * that grows 200 times is damaged or hostile. */
static double most_unpacked(const input *s)
{
    return isnan(s->most) ? fmax(0x1p30, 200 * s->packed) : s->most;
}

static zo_status read_unpacked(input *s, char *into, size_t room, size_t *got, zo_error *err)
{
    zo_status status = unpack_read(s->unpack, into, room, got, err);
    s->unpacked += (double)*got;
    if (status || s->unpacked <= most_unpacked(s)) return status;
    return fail(err, ZO_BAD_INPUT,
                "%.3g compressed bytes unpack to more than %.4g; if this is right, allow more "
                "bytes with --unpack or ZOPROX_UNPACK",
                s->packed, most_unpacked(s));
}

/* $ZOPROX_UNPACK: bytes that a compressed file may unpack to. */
static zo_status look_for_limit(input *s, zo_error *err)
{
    const char *text = getenv("ZOPROX_UNPACK");
    s->most = NAN;
    if (!text || (text_number(text, &s->most) && s->most > 0)) return ZO_OK;
    return fail(err, ZO_BAD_ARGUMENT, "ZOPROX_UNPACK: '%.60s' is not a number of bytes", text);
}

static zo_status begin_unpacking(input *s, const char *path, const char *kind, zo_error *err)
{
    zo_error why;
    if (look_for_limit(s, err)) return ZO_BAD_ARGUMENT;
    zo_status status = unpack_open(&s->unpack, kind, next_packed, s, &why);
    if (status == ZO_BAD_INPUT) return fail(err, status, "%.250s:1:1: %s", path, why.text);
    return status ? fail(err, status, "%.250s: %s", path, why.text) : ZO_OK;
}

/* Reads the beginning, and puts an unpacker between if it calls for one. */
static zo_status look_at_beginning(input *s, const char *path, zo_error *err)
{
    while (s->held < 8) {
        long got = read_some(s->fd, s->buffer + s->held, BUFFER - s->held);
        if (got < 0) return fail(err, ZO_IO, "%.300s: cannot be read: %s", path, strerror(errno));
        if (got == 0) break;
        s->held += (size_t)got;
    }
    for (size_t k = 0; k < sizeof magic / sizeof *magic; k++)
        if (s->held >= magic[k].size && memcmp(s->buffer, magic[k].bytes, magic[k].size) == 0)
            return begin_unpacking(s, path, magic[k].kind, err);
    return ZO_OK;
}

zo_status input_open(input **out, const char *path, zo_error *err)
{
    *out = NULL;
    input *s = mem_new(1, sizeof *s);
    if (!s) return out_of_memory(err, "a reader", 1);
    int standard = strcmp(path, "-") == 0;
    s->left = UINT64_MAX;
    s->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    zo_status status;
    if (s->fd < 0)
        status = fail(err, ZO_IO, "%.300s: cannot be opened: %s", path, strerror(errno));
    else if (!(s->buffer = mem_new(BUFFER, 1)))
        status = out_of_memory(err, "bytes to read into", BUFFER);
    else
        status = look_at_beginning(s, standard ? "standard input" : path, err);
    if (status)
        input_close(s);
    else
        *out = s;
    return status;
}

zo_status input_open_range(input **out, const char *path, uint64_t from, uint64_t to, zo_error *err)
{
    *out = NULL;
    input *s = mem_new(1, sizeof *s);
    if (!s) return out_of_memory(err, "a reader", 1);
    s->left = to - from;
    s->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (s->fd < 0 || lseek(s->fd, (off_t)from, SEEK_SET) < 0) {
        zo_status status = fail(err, ZO_IO, "%.300s: cannot be opened at byte %llu: %s", path,
                                (unsigned long long)from, strerror(errno));
        input_close(s);
        return status;
    }
    *out = s;
    return ZO_OK;
}

zo_status input_read(input *s, char *into, size_t room, size_t *got, zo_error *err)
{
    *got = 0;
    if (s->unpack) return read_unpacked(s, into, room, got, err);
    if (s->held) {
        *got = s->held < room ? s->held : room;
        memcpy(into, s->buffer, *got);
        s->held -= *got;
        memmove(s->buffer, s->buffer + *got, s->held);
        return ZO_OK;
    }
    long n = read_some(s->fd, into, room < s->left ? room : (size_t)s->left);
    if (n > 0) s->left -= (uint64_t)n;
    if (n < 0) return fail(err, ZO_IO, "cannot be read on: %s", strerror(errno));
    *got = (size_t)n;
    return ZO_OK;
}

uint64_t input_size(const input *s)
{
    struct stat st;
    if (s->unpack || fstat(s->fd, &st) || !S_ISREG(st.st_mode)) return 0;
    return (uint64_t)st.st_size < s->left ? (uint64_t)st.st_size : s->left;
}

int input_unpacks(const input *s) { return s->unpack != NULL; }

void input_close(input *s)
{
    if (!s) return;
    unpack_close(s->unpack);
    if (s->fd > STDIN_FILENO) close(s->fd);
    mem_free(s->buffer);
    mem_free(s);
}
