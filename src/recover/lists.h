/* Questions as lists of what is not 0 in them, kept while components ask them: who answers need not look for it.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_RECOVER_LISTS_H
#define ZO_RECOVER_LISTS_H

#include <stddef.h>
#include <stdint.h>

#include "zoprox.h"

typedef struct lists lists;

lists *lists_new(size_t d); /* NULL: out of memory */
void lists_free(lists *l);
size_t lists_bytes(size_t d);
void lists_forget(lists *l);
/* Before each round of questions: what lists_row gave earlier may be gone. */
void lists_begin(lists *l);

/* A question u: by w_j at coordinates j = order[from] ... order[to - 1]. which, from and to tell questions apart. */
typedef struct list_key {
    uint32_t which, from, to;
} list_key;
/* Coordinates rising. Nothing, where they are not few or there is no room. */
zo_sparse lists_row(lists *l, list_key key, const uint32_t *order, const double *w, double by);

#endif
