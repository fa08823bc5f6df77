/* Archives: all that a reproduction left, with what it takes to run it again.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_ARCHIVE_H
#define ZO_TOOL_ARCHIVE_H

#include "study/study.h"

#define ARCHIVE_SUMS "checksums.sha256" /* as sha256sum -c reads it */
#define ARCHIVE_STORE "zoprox.runs"
enum { HASH_HEX = 65 };

/* Keeps the command line in the store, without what changes no result. */
int archive_note_call(runs *store, int argc, char **argv);
/* Packs the folder's files, the store, its commands, versions and checksums into path, a .tar.zst. */
int archive_write(runs *store, const char *folder, const char *path);
/* Unpacks r->check, runs its commands again with a sample of the trials run anew, and compares. again runs a call on a
 * store that has all of its trials, and leaves files in the folder. */
int archive_check(const request *r,
                  int (*again)(const request *r, runs *store, const char *folder));

/* The whole file, with a 0 behind it; NULL after a line. free it. */
char *archive_read(const char *path, size_t *size);
void archive_hash(const char *bytes, size_t size, char hex[HASH_HEX]);

#endif
