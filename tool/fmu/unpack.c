/* An FMU's files in a folder: its name is made of what the FMU holds, so that all who need it share one.
 * SPDX-License-Identifier: MIT
 *
 * Whoever uses the folder holds a shared lock on it. One who has the lock alone may unpack or remove it. */
#define _GNU_SOURCE
#include "fmu/fmu.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

#ifdef ZO_HAVE_ARCHIVE
#include <archive.h>
#include <archive_entry.h>

/* NULL, or what is wrong. */
static const char *write_entry(struct archive *in, struct archive *out, struct archive_entry *e)
{
    const void *bytes;
    size_t size;
    int64_t offset;
    int code = archive_write_header(out, e);
    while (code == ARCHIVE_OK &&
           (code = archive_read_data_block(in, &bytes, &size, &offset)) == ARCHIVE_OK)
        if (archive_write_data_block(out, bytes, size, offset) < ARCHIVE_OK) code = ARCHIVE_FATAL;
    if (code == ARCHIVE_EOF) return NULL;
    return archive_error_string(out) ? archive_error_string(out) : archive_error_string(in);
}

/* Names stay below the folder: no "..", and no links. */
static int is_inside(struct archive_entry *e)
{
    const char *name = archive_entry_pathname(e);
    int type = (int)archive_entry_filetype(e);
    return name && *name != '/' && strncmp(name, "../", 3) && !strstr(name, "/../") &&
           (type == AE_IFREG || type == AE_IFDIR) && !archive_entry_hardlink(e);
}

static int unpack_all(struct archive *in, struct archive *out, const char *path, const char *to)
{
    struct archive_entry *e;
    char full[2 * LONGEST_PATH];
    int code;
    while ((code = archive_read_next_header(in, &e)) == ARCHIVE_OK) {
        if (!is_inside(e))
            return complain(REFUSED, "--fmu: '%s' has an entry '%s' that would lie elsewhere", path,
                            archive_entry_pathname(e));
        snprintf(full, sizeof full, "%s/%s", to, archive_entry_pathname(e));
        archive_entry_set_pathname(e, full);
        const char *wrong = write_entry(in, out, e);
        if (wrong) return complain(FAILED, "--fmu: '%s': %s", path, wrong);
    }
    if (code == ARCHIVE_EOF) return DONE;
    return complain(REFUSED, "--fmu: '%s' is no FMU, a zip archive: %s", path,
                    archive_error_string(in));
}

static int unpack(const char *path, const char *to)
{
    struct archive *in = archive_read_new(), *out = archive_write_disk_new();
    int code = DONE;
    if (!in || !out) code = complain(FAILED, "--fmu: out of memory");
    if (!code) archive_read_support_format_zip(in);
    if (!code && archive_read_open_filename(in, path, 1 << 16))
        code = complain(REFUSED, "--fmu: '%s' is no FMU, a zip archive: %s", path,
                        archive_error_string(in));
    if (!code) code = unpack_all(in, out, path, to);
    if (in) archive_read_free(in);
    if (out) archive_write_free(out);
    return code;
}
#else
static int unpack(const char *path, const char *to)
{
    (void)to;
    return complain(REFUSED, "--fmu: '%s' cannot be unpacked: this zoprox has no libarchive", path);
}
#endif

/* ---- shared --------------------------------------------------------------------------------------------- */

static const char whole[] = "zoprox-whole"; /* a file that is there when all others are */

/* 1: it is ours, and holds all; 0: once more; -1 after a line. */
static int hold(fmu_folder *f, const char *path)
{
    struct stat s;
    char mark[LONGEST_PATH + sizeof whole + 1];
    snprintf(mark, sizeof mark, "%s/%s", f->path, whole);
    if ((mkdir(f->path, 0777) && errno != EEXIST) ||
        (f->held = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        return complain(FAILED, "--fmu: cannot use the folder '%s': %s", f->path, strerror(errno)),
               -1;
    int alone = !flock(f->held, LOCK_EX | LOCK_NB);
    if (!alone) flock(f->held, LOCK_SH); /* whoever has it unpacks, or works with it */
    int there = !fstat(f->held, &s) && s.st_nlink > 0 && !access(f->path, F_OK);
    if (there && alone && access(mark, F_OK)) {
        FILE *last;
        if (unpack(path, f->path)) return -1;
        if (!(last = fopen(mark, "we")) || fclose(last))
            return complain(FAILED, "--fmu: '%s': %s", mark, strerror(errno)), -1;
    }
    if (there && alone) flock(f->held, LOCK_SH);
    if (there && !access(mark, F_OK)) return 1;
    close(f->held);
    f->held = -1;
    return 0;
}

int fmu_unpack(fmu_folder **out, const char *where, const char *path)
{
    size_t size;
    char *bytes = read_whole(path, &size);
    if (!bytes) return complain(REFUSED, "--fmu: '%s' cannot be read: %s", path, strerror(errno));
    uint64_t hash = text_hash(TEXT_HASH, bytes, size);
    free(bytes);
    fmu_folder *f = *out = calloc(1, sizeof *f);
    if (!f) return complain(FAILED, "--fmu: out of memory");
    f->held = -1;
    if (mkdir(where, 0777) && errno != EEXIST)
        return complain(FAILED, "--fmu: cannot make the folder '%s': %s", where, strerror(errno));
    if (snprintf(f->path, sizeof f->path, "%s/fmu-%016llx", where, (unsigned long long)hash) >=
        LONGEST_PATH - 64)
        return complain(REFUSED, "--fmu: the name of its folder in '%s' is too long", where);
    int held = 0;
    while (!held) held = hold(f, path);
    return held > 0 ? DONE : REFUSED;
}

void fmu_release(fmu_folder *f)
{
    folder all = {.name = ""};
    if (!f) return;
    snprintf(all.path, sizeof all.path, "%s", f->path);
    if (f->held >= 0 && !flock(f->held, LOCK_EX | LOCK_NB)) folder_remove(&all);
    if (f->held >= 0) close(f->held);
    free(f);
}
