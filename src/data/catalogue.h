/* Data sets by name: where they are on this machine, where they are published.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_DATA_CATALOGUE_H
#define ZO_DATA_CATALOGUE_H

#include <stddef.h>

#include "zoprox.h"

#define CATALOGUE_URL "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/"

typedef struct data_set {
    const char *name;
    const char *alias;     /* another name, or NULL */
    const char *place;     /* behind the base URL */
    size_t n, d, nonzeros; /* what a copy must have; nonzeros 0: not known */
    const char *sha256;    /* of the text, unpacked; NULL: not known */
    int exact; /* 1: another hash is a fault; 0: the hash is that of a copy with the same numbers */
    const char *about;
} data_set;

const data_set *data_sets(size_t *count);
const data_set *data_set_find(const char *name); /* by name or alias; NULL: not in the catalogue */
const char *data_set_near(const char *name);     /* the name that looks most like it, or NULL */

/* The file that name stands for: a path that exists; NAME, or NAME.xz, .bz2, .gz, .zst, in $ZOPROX_DATA and
 * in the user's data folder. The error says where it was looked for, and what to do. */
zo_status data_find(const char *name, char *path, size_t size, zo_error *err);

/* The user's data folder: $XDG_DATA_HOME/zoprox, or ~/.local/share/zoprox. It need not exist. */
zo_status data_folder(char *path, size_t size, zo_error *err);

/* Where to download from: mirror if it is not NULL, $ZOPROX_MIRROR, or CATALOGUE_URL. */
const char *data_base_url(const char *mirror);

#endif
