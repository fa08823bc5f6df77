/* LIBSVM text to rows, strictly.
 * SPDX-License-Identifier: MIT
 *
 *     line  = [label {blank index ":" value}] [comment] end       index = 1, 2, ... rising within a line
 *     blank = " " | tab      comment = "#" anything      end = "\n" | "\r\n" | end of the text
 */
#ifndef ZO_DATA_PARSE_H
#define ZO_DATA_PARSE_H

#include <stddef.h>
#include <stdint.h>

#define LARGEST_INDEX 4294967294u /* 2^32 - 2 */

enum { PARSE_SLACK = 16 }; /* bytes after the text that belong to parse_rows */

/* Rows of one piece of text. The caller gives room: text of s bytes makes at most s/2 + 1 rows and s/4 + 1
 * entries. */
typedef struct rows {
    size_t n, entries, lines;
    uint32_t widest;     /* largest index, counted from 1; 0: none */
    double *label;       /* n */
    uint32_t *length;    /* n: entries in the row */
    uint32_t *col;       /* entries, from 0 */
    double *val;         /* entries, none zero */
    size_t fault_column; /* 0: all is well; else lines counts the lines before the bad one */
    char fault[200];     /* what is wrong, and what would be right */
} rows;

/* text[size] to text[size + PARSE_SLACK - 1] are overwritten. Stops at the first fault. */
void parse_rows(char *text, size_t size, uint32_t limit, rows *out);

#endif
