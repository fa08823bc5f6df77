/* Checking an archive: are its files those that were packed, and does this machine compute the same?
 * SPDX-License-Identifier: MIT
 *
 * The commands of the archive run again on its own store. Nothing is missing there, so they take seconds, but for a sample
 * of trials that the store wants run anew and compares row by row (runs_again.c). Tables made on the way must be
 * the archive's, byte for byte. */
#define _GNU_SOURCE
#include "study/archive.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(ZO_HAVE_ARCHIVE) && defined(ZO_HAVE_CRYPTO) && defined(ZO_HAVE_SQLITE)
#include <archive.h>
#include <archive_entry.h>

enum { SAMPLE = 20, MOST_WORDS = 64 };

typedef struct checking {
    const request *asked;
    int (*again_on)(const request *r, runs *store, const char *folder);
    char folder[256], again[300]; /* what was unpacked, and what is made from it now */
    runs *store;
    size_t files, calls, tables, other; /* other: tables that are not the archive's */
} checking;

/* ---- Unpacking --------------------------------------------------------------------------------------------- */

static int unpack_one(const checking *c, struct archive *from, struct archive_entry *e)
{
    const char *name = archive_entry_pathname(e);
    char path[800];
    if (!name || strchr(name, '/') || *name == '.' || archive_entry_filetype(e) != AE_IFREG)
        return complain(REFUSED, "check: '%s' is no archive of reproduce: it holds '%s'",
                        c->asked->check, name ? name : "");
    snprintf(path, sizeof path, "%s/%.500s", c->folder, name);
    FILE *out = fopen(path, "wbx");
    int bad = !out || archive_read_data_into_fd(from, fileno(out)) != ARCHIVE_OK;
    if (out && fclose(out)) bad = 1;
    return bad ? complain(FAILED, "check: '%s': %s", path,
                          out ? archive_error_string(from) : strerror(errno))
               : DONE;
}

static int unpack(const checking *c)
{
    struct archive *from = archive_read_new();
    struct archive_entry *e;
    if (!from) return complain(FAILED, "check: out of memory");
    archive_read_support_filter_zstd(from);
    archive_read_support_format_tar(from);
    int code = DONE, got = archive_read_open_filename(from, c->asked->check, 1 << 16);
    while (got == ARCHIVE_OK && !code && (got = archive_read_next_header(from, &e)) == ARCHIVE_OK)
        code = unpack_one(c, from, e);
    if (!code && got != ARCHIVE_EOF)
        code = complain(REFUSED, "check: '%s': %s", c->asked->check, archive_error_string(from));
    archive_read_free(from);
    return code;
}

/* ---- Checksums --------------------------------------------------------------------------------------------- */

static int check_line(checking *c, char *text)
{
    char path[800], hex[HASH_HEX];
    size_t size;
    char *name = text + HASH_HEX + 1;
    if (strlen(text) < HASH_HEX + 2 || strchr(name, '/'))
        return complain(REFUSED, "check: %s: '%s' is not a line of it", ARCHIVE_SUMS, text);
    snprintf(path, sizeof path, "%s/%.500s", c->folder, name);
    char *bytes = archive_read(path, &size);
    if (!bytes) return FAILED;
    archive_hash(bytes, size, hex);
    free(bytes);
    c->files++;
    return strncmp(hex, text, HASH_HEX - 1)
               ? complain(REFUSED, "check: '%s' is not the file that was packed", name)
               : DONE;
}

static int check_sums(checking *c)
{
    char path[400], *rest = NULL;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", c->folder, ARCHIVE_SUMS);
    char *all = archive_read(path, &size);
    int code = all ? DONE : FAILED;
    for (char *line = all ? strtok_r(all, "\n", &rest) : NULL; line && !code;
         line = strtok_r(NULL, "\n", &rest))
        code = check_line(c, line);
    free(all);
    if (!code && !c->files) code = complain(REFUSED, "check: %s is empty", ARCHIVE_SUMS);
    return code;
}

/* ---- Again --------------------------------------------------------------------------------------------------- */

/* Reading --load runs what it names: an archive from elsewhere shall not. */
static int loads(char **argv, int argc)
{
    for (int k = 1; k < argc; k++)
        if (!strncmp(argv[k], "--load", 6)) return 1;
    return 0;
}

static int run_call(void *ctx, const char *line)
{
    checking *c = ctx;
    char *copy = strdup(line), *rest = NULL, *argv[MOST_WORDS + 1];
    int argc = 0;
    request r;
    if (!copy) return complain(FAILED, "check: out of memory");
    for (char *word = strtok_r(copy, "\t", &rest); word && argc < MOST_WORDS;
         word = strtok_r(NULL, "\t", &rest))
        argv[argc++] = word;
    argv[argc] = NULL;
    int code = argc && !strcmp(argv[0], "reproduce") && !loads(argv, argc)
                   ? request_parse(&r, argc, argv)
                   : complain(REFUSED,
                              "check: '%s' is no call of reproduce that an archive may make", line);
    if (!code && (r.check || r.archive || r.out || r.store))
        code = complain(REFUSED, "check: a call that names files: '%s'", line);
    if (!code) {
        r.quiet = 1;
        r.jobs = c->asked->jobs;
        code = c->again_on(&r, c->store, c->again);
        c->calls++;
    }
    free(copy);
    return code;
}

/* Tables and curves; pages name the version, and gnuplot's files vary with gnuplot. */
static int is_compared(const struct dirent *d)
{
    const char *dot = strrchr(d->d_name, '.');
    return dot && (!strcmp(dot, ".md") || !strcmp(dot, ".dat"));
}

static void compare_file(checking *c, const char *name)
{
    char path[800], other[800];
    size_t size, had;
    snprintf(path, sizeof path, "%s/%.400s", c->again, name);
    snprintf(other, sizeof other, "%s/%.400s", c->folder, name);
    char *now = archive_read(path, &size), *then = archive_read(other, &had);
    int same = now && then && size == had && !memcmp(now, then, size);
    if (!same) complain(DONE, "check: %s comes out otherwise than in the archive", name);
    c->tables++;
    c->other += !same;
    free(now);
    free(then);
}

static void compare_tables(checking *c)
{
    struct dirent **name;
    int count = scandir(c->again, &name, is_compared, alphasort);
    for (int k = 0; k < count; k++) {
        compare_file(c, name[k]->d_name);
        free(name[k]);
    }
    if (count >= 0) free(name);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    remove(path);
    return 0;
}

static int conclude(checking *c)
{
    size_t wanted = 0, run = 0, same = 0;
    compare_tables(c);
    int code = runs_again_count(c->store, &wanted, &run, &same);
    if (code) return code;
    printf("%zu files as their checksums say. %zu commands again: %zu of %zu tables the same. %zu "
           "of a sample of %zu trials run again: %zu the same, bit for bit.\n",
           c->files, c->calls, c->tables - c->other, c->tables, run, wanted, same);
    code = finish_output(DONE); /* a trial that no command asks for any more was not run */
    return code ? code : run > 0 && same == run && c->other == 0 ? DONE : FAILED;
}

static int check_inside(checking *c)
{
    char path[300];
    int code = unpack(c);
    if (!code) code = check_sums(c);
    if (code) return code;
    snprintf(path, sizeof path, "%s/%s", c->folder, ARCHIVE_STORE);
    snprintf(c->again, sizeof c->again, "%s/again", c->folder);
    if (mkdir(c->again, 0700))
        return complain(FAILED, "check: '%s': %s", c->again, strerror(errno));
    code = runs_open(&c->store, path, 1);
    if (!code) code = runs_again(c->store, c->asked->random ? c->asked->random : SAMPLE);
    if (!code) code = runs_calls(c->store, run_call, c);
    if (!code) code = conclude(c);
    runs_close(c->store);
    return code;
}

int archive_check(const request *r, int (*again)(const request *r, runs *store, const char *folder))
{
    checking c = {.asked = r, .again_on = again};
    const char *where = getenv("TMPDIR");
    if (ranks_size() > 1) return complain(REFUSED, "--check: it is for one process");
    if (r->nwords)
        return complain(REFUSED, "--check: the archive has its words; '%s' is one more",
                        r->words[0]);
    snprintf(c.folder, sizeof c.folder, "%.200s/zoprox-check-XXXXXX", where ? where : "/tmp");
    if (!mkdtemp(c.folder))
        return complain(FAILED, "--check: cannot make a folder in %s: %s", where ? where : "/tmp",
                        strerror(errno));
    int code = check_inside(&c);
    nftw(c.folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return code;
}

#else

int archive_check(const request *r, int (*again)(const request *r, runs *store, const char *folder))
{
    (void)again;
    return complain(FAILED,
                    "--check: '%s': this build lacks libarchive, libcrypto or SQLite; build again "
                    "with libarchive-dev, libssl-dev and libsqlite3-dev",
                    r->check);
}

#endif
