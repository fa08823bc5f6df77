/* Packing an archive: what lies in the folder, and about it.
 * SPDX-License-Identifier: MIT
 *
 * Entries come sorted by name, without owners and times, so that the same files give the same archive. */
#define _GNU_SOURCE
#include "study/archive.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Calls ------------------------------------------------------------------------------------------------- */

/* These say where and how fast, not what. */
static int is_aside(const char *word, int *takes_value)
{
    static const char *const names[] = {"--out",   "--store", "--archive", "--jobs",
                                        "--group", "--quiet", "--json"};
    size_t length = strcspn(word, "=");
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (strlen(names[k]) != length || strncmp(names[k], word, length)) continue;
        *takes_value = k < 5 && !word[length];
        return 1;
    }
    return 0;
}

int archive_note_call(runs *store, int argc, char **argv)
{
    char *line = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&line, &size);
    if (!out) return complain(FAILED, "reproduce: out of memory");
    fputs(argv[0], out);
    for (int k = 1; k < argc; k++) {
        int skip = 0;
        if (is_aside(argv[k], &skip))
            k += skip;
        else
            fprintf(out, "\t%s", argv[k]);
    }
    int code = fclose(out) ? complain(FAILED, "reproduce: out of memory") : runs_call(store, line);
    free(line);
    return code;
}

#if defined(ZO_HAVE_ARCHIVE) && defined(ZO_HAVE_CRYPTO) && defined(ZO_HAVE_SQLITE)
#include <archive.h>
#include <archive_entry.h>
#include <openssl/evp.h>
#include <sqlite3.h>
#include <sys/utsname.h>

#include "base/isa.h"

char *archive_read(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    char *bytes = NULL;
    size_t got = 0, room = 0;
    int bad = !in;
    while (!bad && !feof(in)) {
        if (room < got + (1 << 16)) {
            char *more = realloc(bytes, (room = 2 * room + (1 << 17)) + 1);
            if ((bad = !more)) break;
            bytes = more;
        }
        got += fread(bytes + got, 1, room - got, in);
        bad = ferror(in);
    }
    if (bad) complain(FAILED, "archive: '%s': %s", path, strerror(errno));
    if (in) fclose(in);
    if (bad) {
        free(bytes);
        return NULL;
    }
    bytes[ *size = got] = 0;
    return bytes;
}

void archive_hash(const char *bytes, size_t size, char hex[HASH_HEX])
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    *hex = 0;
    if (!EVP_Digest(bytes, size, digest, &length, EVP_sha256(), NULL)) return;
    for (unsigned k = 0; k < length; k++) sprintf(hex + 2 * k, "%02x", digest[k]);
}

/* ---- About ------------------------------------------------------------------------------------------------- */

static void print_processor(FILE *out)
{
    char line[512];
    FILE *in = fopen("/proc/cpuinfo", "r");
    while (in && fgets(line, sizeof line, in)) {
        if (strncmp(line, "model name", 10)) continue;
        fprintf(out, "processor: %s", strchr(line, ':') + 2);
        break;
    }
    if (in) fclose(in);
    fprintf(out, "instructions: %s\n", isa_name(isa_level()));
}

static int print_call(void *ctx, const char *line)
{
    FILE *out = ctx;
    fprintf(out, "zoprox ");
    for (; *line; line++) fputc(*line == '\t' ? ' ' : *line, out);
    fputc('\n', out);
    return DONE;
}

/* Data by name and fingerprint: an archive holds none. */
static int print_problems(FILE *out, runs *store)
{
    sqlite3_stmt *q = NULL;
    sqlite3_prepare_v2(runs_base(store), "SELECT text FROM problems ORDER BY id", -1, &q, NULL);
    while (runs_next(store, q)) fprintf(out, "%s\n", sqlite3_column_text(q, 0));
    sqlite3_finalize(q);
    return runs_failed(store);
}

static int print_about(FILE *out, runs *store)
{
    struct utsname name;
    size_t count;
    const zo_setting_row *rows = zo_setting_rows(&count);
    zo_settings set = zo_defaults();
    fprintf(out, "zoprox %s\ncompiler: %s\nSQLite %s, %s\n", zo_version(), __VERSION__,
            sqlite3_libversion(), archive_version_string());
    if (!uname(&name)) fprintf(out, "system: %s %s\n", name.sysname, name.machine);
    print_processor(out);
    fprintf(out, "\nCommands, in this order:\n");
    int code = runs_calls(store, print_call, out);
    fprintf(out, "\nCheck it: zoprox reproduce --check ARCHIVE\n\nProblems:\n");
    if (!code) code = print_problems(out, store);
    fprintf(out, "\nSettings where a trial says nothing else:\n");
    for (size_t k = 0; k < count; k++) {
        char text[64];
        zo_get(&set, rows[k].name, text, sizeof text);
        fprintf(out, "%s = %s\n", rows[k].name, text);
    }
    return code;
}

/* ---- Packing ----------------------------------------------------------------------------------------------- */

typedef struct pack {
    struct archive *to;
    FILE *sums;
} pack;

static int put_entry(pack *p, const char *name, const char *bytes, size_t size)
{
    char hex[HASH_HEX];
    struct archive_entry *e = archive_entry_new();
    if (!e) return complain(FAILED, "archive: out of memory");
    archive_entry_set_pathname(e, name);
    archive_entry_set_size(e, (la_int64_t)size);
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_perm(e, 0644);
    int bad = archive_write_header(p->to, e) != ARCHIVE_OK ||
              archive_write_data(p->to, bytes, size) != (la_ssize_t)size;
    archive_entry_free(e);
    if (bad) return complain(FAILED, "archive: '%s': %s", name, archive_error_string(p->to));
    archive_hash(bytes, size, hex);
    fprintf(p->sums, "%s  %s\n", hex, name);
    return DONE;
}

static int put_file(pack *p, const char *path, const char *name)
{
    size_t size;
    char *bytes = archive_read(path, &size);
    int code = bytes ? put_entry(p, name, bytes, size) : FAILED;
    free(bytes);
    return code;
}

/* What reproduce leaves, and nothing else that may lie there. */
static int is_left(const struct dirent *d)
{
    static const char *const ends[] = {".md", ".html", ".svg", ".png", ".pdf", ".dat", ".gp"};
    const char *dot = strrchr(d->d_name, '.');
    for (size_t k = 0; dot && k < sizeof ends / sizeof ends[0]; k++)
        if (!strcmp(dot, ends[k])) return d->d_name[0] != '.';
    return 0;
}

static int put_folder(pack *p, const char *folder)
{
    struct dirent **name;
    char path[4500];
    int count = scandir(folder, &name, is_left, alphasort), code = DONE;
    if (count < 0) return complain(FAILED, "archive: '%s': %s", folder, strerror(errno));
    for (int k = 0; k < count; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, name[k]->d_name);
        if (!code) code = put_file(p, path, name[k]->d_name);
        free(name[k]);
    }
    free(name);
    return code;
}

/* A copy of the store as one file, without what a writer keeps beside it. */
static int put_store(pack *p, runs *store, const char *folder)
{
    char path[4500], text[9100];
    snprintf(path, sizeof path, "%s/.packed.runs", folder);
    remove(path);
    char *quoted = sqlite3_mprintf("VACUUM INTO %Q", path);
    snprintf(text, sizeof text, "%s", quoted ? quoted : "");
    sqlite3_free(quoted);
    if (sqlite3_exec(runs_base(store), text, NULL, NULL, NULL) != SQLITE_OK)
        return complain(FAILED, "archive: the store: %s", sqlite3_errmsg(runs_base(store)));
    int code = put_file(p, path, ARCHIVE_STORE);
    remove(path);
    return code;
}

static int put_about(pack *p, runs *store)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return complain(FAILED, "archive: out of memory");
    int code = print_about(out, store);
    if (fclose(out) && !code) code = complain(FAILED, "archive: out of memory");
    if (!code) code = put_entry(p, "about.txt", text, size);
    free(text);
    return code;
}

int archive_write(runs *store, const char *folder, const char *path)
{
    char *sums = NULL;
    size_t size = 0;
    pack p = {archive_write_new(), open_memstream(&sums, &size)};
    int code = file_check(path, "archive");
    if (!code && (!p.to || !p.sums)) code = complain(FAILED, "archive: out of memory");
    if (!code && (archive_write_add_filter_zstd(p.to) != ARCHIVE_OK ||
                  archive_write_set_format_pax_restricted(p.to) != ARCHIVE_OK ||
                  archive_write_open_filename(p.to, path) != ARCHIVE_OK))
        code = complain(FAILED, "archive: '%s': %s", path, archive_error_string(p.to));
    if (!code) code = put_about(&p, store);
    if (!code) code = put_folder(&p, folder);
    if (!code) code = put_store(&p, store, folder);
    if (p.sums && fflush(p.sums) && !code) code = complain(FAILED, "archive: out of memory");
    if (!code) { /* of all but itself */
        char *all = strdup(sums);
        code = all ? put_entry(&p, ARCHIVE_SUMS, all, strlen(all)) : FAILED;
        free(all);
    }
    if (p.to && archive_write_close(p.to) != ARCHIVE_OK && !code)
        code = complain(FAILED, "archive: '%s': %s", path, archive_error_string(p.to));
    archive_write_free(p.to);
    if (p.sums) fclose(p.sums);
    free(sums);
    return code;
}

#else

int archive_write(runs *store, const char *folder, const char *path)
{
    (void)store;
    (void)folder;
    return complain(FAILED,
                    "archive: '%s': this build lacks libarchive, libcrypto or SQLite; build again "
                    "with libarchive-dev, libssl-dev and libsqlite3-dev",
                    path);
}

#endif
