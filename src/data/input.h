/* Bytes of a file or of standard input, unpacked when they are compressed.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_DATA_INPUT_H
#define ZO_DATA_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "zoprox.h"

typedef struct input input;

/* path "-" is standard input. *out is NULL after a failure. */
zo_status input_open(input **out, const char *path, zo_error *err);
/* Up to room bytes of text, at least one unless it has ended: then *got is 0. A compressed stream that is
 * damaged or cut off is ZO_BAD_INPUT, and err says what without naming the file. */
zo_status input_read(input *s, char *into, size_t room, size_t *got, zo_error *err);
/* The bytes from ... to - 1 of a file, as they are. */
zo_status input_open_range(input **out, const char *path, uint64_t from, uint64_t to,
                           zo_error *err);
/* bytes of text in all, or 0 where that is not known before the end */
uint64_t input_size(const input *s);
int input_unpacks(const input *s); /* 1: the bytes are compressed */
void input_close(input *s);        /* takes NULL */

/* ---- unpack.c: gz, bz2, xz and zst through libarchive ------------------------------------------- */

typedef struct unpacker unpacker;
/* Bytes as they are in the file; < 0: an error of the system, in errno. */
typedef long (*unpack_feed)(void *ctx, const void **bytes);

zo_status unpack_open(unpacker **out, const char *kind, unpack_feed from, void *ctx, zo_error *err);
zo_status unpack_read(unpacker *u, char *into, size_t room, size_t *got, zo_error *err);
void unpack_close(unpacker *u); /* takes NULL */

#endif
