/* Rows of numbers from a file, for parse.c.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_PROX_MATRIX_H
#define ZO_PROX_MATRIX_H

#include "zoprox.h"

/* Lines of width numbers, separated by blanks or commas. *out gets all but the last of each line, row by row, and behind
 * them the last ones; mem_free it. */
zo_status matrix_read(const char *path, size_t width, double **out, size_t *rows, zo_error *err);

#endif
