/* gz, bz2, xz and zst through libarchive, or a clear refusal in a build without it.
 * SPDX-License-Identifier: MIT */
#include "data/input.h"

#include "base/error.h"
#include "base/mem.h"

#ifdef ZO_HAVE_ARCHIVE

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>

struct unpacker {
    struct archive *archive;
    const char *kind;
    unpack_feed from;
    void *ctx;
    int empty; /* there was no text in it */
};

static la_ssize_t feed(struct archive *a, void *ctx, const void **bytes)
{
    unpacker *u = ctx;
    long got = u->from(u->ctx, bytes);
    if (got < 0) archive_set_error(a, errno, "the file cannot be read on");
    return got;
}

static zo_status broken(const unpacker *u, zo_error *err)
{
    const char *why = archive_error_string(u->archive);
    if (archive_errno(u->archive) == ENOMEM)
        return fail(err, ZO_NO_MEMORY, "out of memory for unpacking %s", u->kind);
    return fail(err, ZO_BAD_INPUT, "the %s stream is damaged or cut off (%s)", u->kind,
                why ? why : "no reason given");
}

zo_status unpack_open(unpacker **out, const char *kind, unpack_feed from, void *ctx, zo_error *err)
{
    *out = NULL;
    unpacker *u = mem_new(1, sizeof *u);
    if (!u) return out_of_memory(err, "an unpacker", 1);
    *u = (unpacker){.archive = archive_read_new(), .kind = kind, .from = from, .ctx = ctx};
    struct archive_entry *entry;
    zo_status status = ZO_OK;
    if (!u->archive) {
        status = out_of_memory(err, "an unpacker", 1);
    } else {
        archive_read_support_filter_gzip(u->archive);
        archive_read_support_filter_bzip2(u->archive);
        archive_read_support_filter_xz(u->archive);
        archive_read_support_filter_zstd(u->archive);
        archive_read_support_format_raw(u->archive);
        archive_read_support_format_empty(u->archive);
        int got = archive_read_open(u->archive, u, NULL, feed, NULL);
        if (got == ARCHIVE_OK) got = archive_read_next_header(u->archive, &entry);
        u->empty = got == ARCHIVE_EOF;
        if (got != ARCHIVE_OK && !u->empty) status = broken(u, err);
    }
    if (status)
        unpack_close(u);
    else
        *out = u;
    return status;
}

zo_status unpack_read(unpacker *u, char *into, size_t room, size_t *got, zo_error *err)
{
    *got = 0;
    if (u->empty) return ZO_OK;
    la_ssize_t n = archive_read_data(u->archive, into, room);
    if (n < 0) return broken(u, err);
    *got = (size_t)n;
    return ZO_OK;
}

void unpack_close(unpacker *u)
{
    if (!u) return;
    if (u->archive) archive_read_free(u->archive);
    mem_free(u);
}

#else

zo_status unpack_open(unpacker **out, const char *kind, unpack_feed from, void *ctx, zo_error *err)
{
    *out = NULL;
    (void)from;
    (void)ctx;
    return fail(
        err, ZO_UNSUPPORTED,
        "it is compressed with %s, and this zoprox was built without libarchive (libarchive-dev): "
        "unpack it first",
        kind);
}

zo_status unpack_read(unpacker *u, char *into, size_t room, size_t *got, zo_error *err)
{
    (void)u;
    (void)into;
    (void)room;
    *got = 0;
    return fail(err, ZO_UNSUPPORTED, "built without libarchive");
}

void unpack_close(unpacker *u) { mem_free(u); }

#endif
